"""Samples in which only legs are given."""

from __future__ import annotations

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, new_records
from footfall.motion.samples import Sample


def leg_samples(feet: Array, turns: Array, toes: Array, body: Array) -> ArrayOf[Sample]:
    """Samples (k,) with frames of both feet (2, k, 3), (2, k, 4), toe angles (2, k), and the upper body (k, 4)."""
    samples = new_records(Sample, len(body))
    for number, side in enumerate(("right", "left")):
        samples["value"][f"{side}_foot"] = feet[number]
        samples["value"][f"{side}_toe"] = toes[number]
        samples[f"{side}_foot_rotation"]["quaternion"] = turns[number]
    samples["upper_body"]["quaternion"] = body
    return samples
