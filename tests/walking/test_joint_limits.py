"""Joints keep their limits where tasks leave them free, and a walk tells which did not."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.walking.joint_room import come_near, free_joints, mobility
from footfall.walking.joint_watch import beyond_stops, new_watch, too_fast, watch_joints
from footfall.walking.state import JointPlaces
from footfall.walking.summary import WalkTally
from footfall.walking.walker import WalkingCode


def test_arms_and_pelvis_are_free(code: WalkingCode) -> None:
    """LOLA's tasks hold 22 of 32 coordinates: 8 joints of arms and 2 of the pelvis are left, two of each arm without
    stops."""
    assert set(free_joints(code.body)) == {"br", "ba", "aar", "aal", "efr", "efl"}


def test_mobility_falls_towards_a_limit(code: WalkingCode) -> None:
    """1 - 0.99 (1 - s^2 (3 - 2 s)) with the share s of 0.15 rad that is left, one way only."""
    body = code.body
    robot, q = body.robot, body.comfort.copy()
    at, place = robot.q_slice("ba").start, robot.v_slice("ba").start
    q[at] = robot.upper_limits[at] - 0.05
    down, up = np.array(mobility(body, q), dtype=float).reshape(2, robot.nv)
    share = 0.05 / 0.15
    assert up[place] == pytest.approx(0.01 + 0.99 * share**2 * (3.0 - 2.0 * share))
    assert down[place] == 1.0
    mobile, v = np.ones(robot.nv), np.zeros(robot.nv)
    v[place] = 1.0
    assert come_near(np.array([down, up]), v, mobile)
    assert mobile[place] == pytest.approx(up[place])
    assert not come_near(np.array([down, up]), -v, mobile)
    np.testing.assert_array_equal(mobile, 1.0)


def test_limits_that_are_passed_are_told_with_joint_and_time(code: WalkingCode) -> None:
    body = code.body
    robot, watch = body.robot, new_watch(body, code.limits)
    places = JointPlaces(body.driven, body.coordinates)
    q, v = body.comfort.copy(), np.zeros(robot.nv)
    watch_joints(watch, places, q, v, 0.5)
    assert beyond_stops(watch, body, through=False) == too_fast(watch, body) == ()
    at = robot.q_slice("aar").start
    for time, beyond in ((1.0, 0.05), (1.5, 0.1), (2.0, 0.02)):
        q[at] = robot.upper_limits[at] + np.deg2rad(beyond / 0.05)
        watch_joints(watch, places, q, v, time)
    place = robot.v_slice("kfr").start
    v[place] = -1.5 * watch.fastest[list(body.joint_names).index("kfr")]
    watch_joints(watch, places, q, v, 3.0)
    (arm,), (knee,) = beyond_stops(watch, body, through=False), too_fast(watch, body)
    assert beyond_stops(watch, body, through=True) == ()
    assert arm == "joint 'aar' up to 2.0 degrees beyond its limits, first at 1.000 s"
    q[at] = robot.upper_limits[at] + np.deg2rad(6.0)
    watch_joints(watch, places, q, v, 4.0)
    assert beyond_stops(watch, body, through=False) == ()
    assert beyond_stops(watch, body, through=True) == (arm.replace("2.0", "6.0"),)
    assert knee.startswith("joint 'kfr' at up to 150% of the ")
    assert knee.endswith("first at 3.000 s")


@pytest.mark.parametrize("share, seconds, told", [(1.2, 0.12, True), (1.2, 0.08, False), (1.05, 0.5, False)])
def test_efforts_count_as_means_over_a_tenth_of_a_second(
    code: WalkingCode, share: float, seconds: float, told: bool
) -> None:
    """A torque of `share` of the limit for some seconds has the mean share * min(seconds, 0.1) / 0.1 of it; more than
    1.1 is told, in whatever pieces it comes. Toes are not judged."""
    body, limit = code.body, 50.0
    tally = WalkTally(body, 600.0, 1e-3, np.full(len(body.driven), limit))
    knee, toe = (body.joint_names.index(name) for name in ("kfr", body.toes[0]))
    times = 4e-3 * np.arange(300)
    torques = np.zeros((300, len(body.driven)))
    torques[100 : 100 + round(seconds / 4e-3), knee] = -share * limit  # from 0.4 s on
    torques[:, toe] = 5.0 * limit
    for some in np.split(np.arange(300), [3, 40, 110, 111]):
        tally._take_efforts(torques[some], times[some])
    assert tally.strained[knee] == pytest.approx(share * min(seconds, 0.1) / 0.1)
    assert len(tally.too_strong) == told
    if told:
        assert tally.too_strong[0].startswith("joint 'kfr' with up to 120% of the 50 Nm that it can give")
        assert 0.496 <= tally.strained_at[knee] < 0.524
