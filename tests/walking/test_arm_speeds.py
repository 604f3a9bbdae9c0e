"""No joint of an arm is asked for more than it can do."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.motion.standing import start_configuration
from footfall.walking.arm_speeds import arm_speeds, hold_arms
from footfall.walking.joint_room import mobility
from footfall.walking.walker import WalkingCode


def test_arms_alone_are_held(code: WalkingCode) -> None:
    """At nine tenths of what joints of arms can do; legs, pelvis and head are left to their tasks."""
    body = code.body
    most = arm_speeds(body, code.limits)
    held = {name for name in body.joint_names if most[body.robot.v_slice(name)] < np.inf}
    assert held == set(body.arm_joints)
    assert {"efr", "efl"} < held
    assert not held & {"kfr", "kfl", "br", "ba"}
    elbow = body.robot.v_slice("efr").start
    assert most[elbow] == pytest.approx(0.9 * code.limits.velocity[elbow])
    wanted = np.random.default_rng(0).uniform(-30.0, 30.0, body.robot.nv)
    v = wanted.copy()
    hold_arms(most, np.ones((2, body.robot.nv)), v)
    np.testing.assert_array_equal(v, np.clip(wanted, -most, most))
    assert np.abs(v[elbow]) <= most[elbow]


def test_arms_end_at_their_stops(code: WalkingCode) -> None:
    """Whatever their tasks ask for, a joint that goes on for two seconds comes to its stop and not through it, and
    comes back from there as fast as ever."""
    body = code.body
    robot, period = body.robot, 1e-3
    most = arm_speeds(body, code.limits)
    q = start_configuration(robot)
    at, place = robot.q_slice("aar").start, robot.v_slice("aar").start
    stop = float(robot.upper_limits[at])
    for _ in range(2000):
        v = np.zeros(robot.nv)
        v[place] = 30.0
        hold_arms(most, mobility(body, q).astype(np.float64).reshape(2, -1), v)
        q[at] += period * v[place]
    assert stop - np.deg2rad(1.0) < q[at] <= stop
    v[place] = -30.0
    hold_arms(most, mobility(body, q).astype(np.float64).reshape(2, -1), v)
    assert v[place] == -most[place]
