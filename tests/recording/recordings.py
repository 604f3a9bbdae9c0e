"""A small recording that the tests write, and the numbers in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import footfall
from footfall.recording.writer import RecordingWriter


class Numbers(NamedTuple):
    time: Any
    q: Any
    v: Any
    tau: Any


def random_numbers(robot: footfall.Robot, count: int, *, dt: float = 0.01) -> Numbers:
    """States with unit quaternions and awkward bits; tau is there in every second row."""
    rng = np.random.default_rng(7)
    q = footfall.random_configuration(robot, seed=rng, count=count)
    v = rng.normal(size=(count, robot.nv)) * 10.0 ** rng.integers(-300, 300, size=(count, robot.nv))
    tau = rng.normal(size=(count, robot.nv))
    tau[::2] = np.nan
    return Numbers(np.arange(count) * dt, q, v, tau)


def write_example(path: Path, robot: footfall.Robot, numbers: Numbers, **options: Any) -> None:
    """All numbers, k % 3 contacts at instant k, and one event."""
    with RecordingWriter(path, robot, **options) as writer:
        for k, time in enumerate(numbers.time):
            tau = None if np.isnan(numbers.tau[k]).all() else numbers.tau[k]
            writer.state(time, numbers.q[k], numbers.v[k], tau)
            points = np.full((k % 3, 3), float(k))
            writer.contacts(time, points, 2.0 * points, normals=points + 1.0, bodies=[k % 2] * (k % 3))
        writer.event(float(numbers.time[-1]), "landed", {"foot": "left", "height": 0.1})
