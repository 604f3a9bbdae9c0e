"""The first configuration of a motion that has volumes too close."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.errors import RobotError
from footfall.robot.volumes import checked_pairs

LOLA = footfall.load("lola")


def test_first_of_all_distances() -> None:
    """The same as all distances of all configurations, of which the first that are too small count."""
    rng = np.random.default_rng(0)
    start = LOLA.configuration("idle")
    steps = np.cumsum(0.02 * rng.normal(size=(300, LOLA.nv)), axis=0)
    motion = np.array([footfall.integrate(LOLA, start, step) for step in steps])
    distance = footfall.volumes.volume_distances(LOLA, motion).distance
    for clearance in (0.0, 0.01, 0.05):
        too_close = (distance < clearance).any(axis=1)
        found = footfall.volumes.first_collision(LOLA, motion, clearance=clearance)
        assert found is not None
        assert found.place == int(np.argmax(too_close))
        assert found.distance == pytest.approx(distance[found.place].min(), abs=1e-13)
        assert found.pair == checked_pairs(LOLA)[int(np.argmin(distance[found.place]))]
        free = motion[: found.place]
        assert footfall.volumes.first_collision(LOLA, free, clearance=clearance) is None


def test_bad_input_is_named() -> None:
    with pytest.raises(RobotError, match=r"shape \(3,\)"):
        footfall.volumes.first_collision(LOLA, np.zeros(3))
    with pytest.raises(RobotError, match="clearance is -1"):
        footfall.volumes.first_collision(LOLA, LOLA.configuration("idle")[None], clearance=-1.0)
