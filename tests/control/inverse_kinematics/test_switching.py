"""Tasks that come and go: bounded jerk, and what both sets ask for is kept."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.errors import InvalidInput, UnknownName
from footfall.ik import ComfortCost, ResolvedRate, SwitchedRate
from footfall.tasks import MotionTask, OrientationTask, frame_position

ARM = footfall.load("arm-7r")
READY = ARM.configuration("ready")
TIP = footfall.frame_pose(ARM, READY, "tip")
DT, JERK = 1e-3, 5.0  # s, rad/s3


def sets(speed: float) -> dict[str, list[MotionTask]]:
    """The tip moves along y; with or without its orientation."""
    place = frame_position("tip", TIP.translation, rate=np.array([0.0, speed, 0.0]), gains=0.0)
    turn = OrientationTask("tip", TIP.rotation, gains=5.0)
    return {"both": [place, turn], "place": [place]}


def test_switches_keep_the_jerk_and_the_common_task() -> None:
    given, cost = sets(0.05), ComfortCost(tuple(READY + 0.5), comfort_gain=1.0)
    rate = SwitchedRate(ARM, given, dt=DT, jerk=JERK, cost=cost)
    plain = {name: ResolvedRate(ARM, tasks, cost=cost) for name, tasks in given.items()}
    q, course, jumps, shares = READY.copy(), [], [], []
    # The last one comes while the one before is under way.
    switches = {
        300: "place",
        500: "both",
        560: "place",
    }
    for step in range(3000):
        if step in switches:
            jumps.append(np.abs(plain["place"](q) - plain["both"](q)).max())
        v = rate(q, switches.get(step))
        shares.append(rate.shares)
        tip = footfall.frame_jacobian(ARM, q, "tip")[:3] @ v
        np.testing.assert_allclose(tip, [0.0, 0.05, 0.0], atol=1e-8)
        course.append(v)
        q = q + DT * v
    assert max(jumps) > 0.3  # rad/s, from one step to the next without it
    acceleration = np.diff(course, axis=0) / DT
    jerk = np.diff(acceleration, axis=0) / DT
    # What the tasks themselves ask for comes on top, less than 0.5 rad/s3 here. A jump would be 3e5 rad/s3.
    assert np.abs(jerk).max() < 1.25 * JERK
    assert all(sum(each.values()) == pytest.approx(1.0, abs=1e-12) for each in shares)
    assert rate.shares["place"] == pytest.approx(1.0, abs=0.01)
    assert np.abs(course[-1] - plain["place"](q)).max() < 0.05 * max(jumps)


def test_without_a_switch_it_is_the_plain_rate() -> None:
    given = sets(0.1)
    rate = SwitchedRate(ARM, given, dt=DT, jerk=JERK)
    np.testing.assert_array_equal(rate(READY), ResolvedRate(ARM, given["both"])(READY))
    moved = [frame_position("tip", TIP.translation + 0.1, gains=1.0)]
    alone = SwitchedRate(ARM, {"place": moved}, dt=DT, jerk=JERK)
    other = [frame_position("tip", TIP.translation - 0.1, gains=1.0)]
    np.testing.assert_array_equal(alone(READY, place=other), ResolvedRate(ARM, other)(READY))


def test_bad_input() -> None:
    with pytest.raises(InvalidInput, match="no sets of tasks"):
        SwitchedRate(ARM, {}, dt=DT, jerk=JERK)
    with pytest.raises(InvalidInput, match="jerk is 0"):
        SwitchedRate(ARM, sets(0.1), dt=DT, jerk=0.0)
    with pytest.raises(UnknownName, match="no set of tasks 'turn'"):
        SwitchedRate(ARM, sets(0.1), dt=DT, jerk=JERK)(READY, "turn")
