"""Walks of which many cannot be walked: refused, warned of, or all that motions promise holds."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from benchmarks.lab.random_walks import broad_walk
from footfall.errors import InvalidTransition, MotionWarning
from footfall.gait.plan import MotionPlan
from footfall.motion.pipeline import gait_dimensions, generate_motion
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.verification import Verification, verify_motion

KEPT, WARNED, REFUSED, BROKEN = "kept", "warned", "refused", "broken"


class Outcome(NamedTuple):
    """What became of a walk: kept, warned, refused or broken, and the message or what was found."""

    kind: str
    reason: str
    found: Verification | None


class BroadStudy(NamedTuple):
    """outcomes: how many walks of each kind. refusals, warnings: how many for each reason. broken: their seeds."""

    outcomes: Mapping[str, int]
    refusals: Mapping[str, int]
    warnings: Mapping[str, int]
    broken: tuple[int, ...]


def walked(plan: MotionPlan, model: ReducedModel) -> Outcome:
    """Generate and verify a walk. Only what is neither refused nor warned of must keep all promises; a clearance, a
    jump or an end that is not at rest is never excused."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", MotionWarning)
        try:
            motion = generate_motion(plan, model)
        except InvalidTransition as error:
            return Outcome(REFUSED, error.message, None)
    found = verify_motion(motion)
    # A sole that stands pitched by 16 mrad and is not lifted at all was found to go 7 um deep between checked places.
    sound = found.clearance > -1e-5 and found.jump < 1e-8 and found.speed < 1e-9
    kept = found.zmp_margin > 0.0 and found.leg_margin > 0.0 and found.stretch_margin > 0.0
    kept = kept and found.lean_margin > 0.0 and found.load > 0.1
    messages = [str(one.message) for one in told if isinstance(one.message, MotionWarning)]
    if not sound or not (kept or messages):
        return Outcome(BROKEN, str(found), found)
    return Outcome(WARNED, messages[0].partition(": ")[2], found) if messages else Outcome(KEPT, "", found)


def study_broad_walks(
    model: ReducedModel, count: int, *, first: int = 0, progress: Callable[[int], None] | None = None
) -> BroadStudy:
    """Walk broad walks, seeds from `first` on."""
    dimensions = gait_dimensions(model)
    outcomes: Counter[str] = Counter({KEPT: 0, WARNED: 0, REFUSED: 0, BROKEN: 0})
    refusals, told, broken = Counter[str](), Counter[str](), []
    for seed in range(first, first + count):
        outcome = walked(broad_walk(np.random.default_rng(seed), dimensions), model)
        outcomes[outcome.kind] += 1
        if outcome.kind == BROKEN:
            broken.append(seed)
        elif outcome.kind != KEPT:
            (refusals if outcome.kind == REFUSED else told)[_without_numbers(outcome.reason)] += 1
        if progress is not None:
            progress(seed)
    return BroadStudy(outcomes, refusals, told, tuple(broken))


def _without_numbers(message: str) -> str:
    """A message without its values, so that equal reasons count as one."""
    return re.sub(r"-?\d+(\.\d+)?(e[+-]?\d+)?", "#", message)
