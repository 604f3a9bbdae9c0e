"""No joint of an arm is asked for more than it can do."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.walking.arm_speeds import arm_speeds, hold_arms
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
    hold_arms(most, v)
    np.testing.assert_array_equal(v, np.clip(wanted, -most, most))
    assert np.abs(v[elbow]) <= most[elbow]
