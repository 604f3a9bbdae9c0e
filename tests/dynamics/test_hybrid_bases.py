"""Hybrid dynamics between its limits: a base too heavy to move, and an arm with no freedom left."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.hybrid import Constraint, hybrid_dynamics
from footfall.robot.model import Body, Joint, JointType, Robot

POSE = ("x", "y", "z", "rx", "ry", "rz")


def on_a_base(mass: float) -> Robot:
    """The six-joint arm on a floating cube of a mass, kg, without gravity."""
    arm = footfall.load("arm-6r")
    joints = tuple(
        replace(joint, parent="cube") if joint.parent == "world" else joint for joint in arm.joints
    )
    return replace(
        arm,
        bodies=(Body("cube", mass, inertia=mass * np.eye(3)), *arm.bodies),
        joints=(Joint("root", JointType.FLOATING, "world", "cube"), *joints),
        configurations={},
        gravity=(0.0, 0.0, 0.0),
    )


@pytest.mark.parametrize("mass", [1e6, 1e9])
def test_a_heavy_base_is_a_fixed_one(mass: float) -> None:
    """Accelerations of the base, and what it changes of the arm, fall with one over its mass."""
    arm, random = replace(footfall.load("arm-6r"), gravity=(0.0, 0.0, 0.0)), np.random.default_rng(2)
    q, v, a = random.uniform(0.2, 1.0, size=(3, arm.nv))
    tau = footfall.inverse_dynamics(arm, q, v, a)
    tip, setpoints = [Constraint("tip", ("x", "z"))], np.array([0.5, -1.0])
    fixed = hybrid_dynamics(arm, q, v, tau, constraints=tip, setpoints=setpoints)
    still, size = np.zeros(6), np.abs(fixed.accelerations).max()

    def floating(mass: float) -> Array:
        motion = hybrid_dynamics(
            on_a_base(mass),
            np.concatenate([[0, 0, 0, 1, 0, 0, 0], q]),
            np.concatenate([still, v]),
            np.concatenate([still, tau]),
            constraints=tip,
            setpoints=setpoints,
        )
        return np.asarray(motion.accelerations) / size

    heavy = floating(mass)
    assert np.abs(heavy[6:] - fixed.accelerations / size).max() < 100.0 / mass
    assert np.abs(heavy[:6]).max() < 1e3 / mass
    light = floating(1.0)
    assert np.abs(light[6:] - fixed.accelerations / size).max() > 1e-2  # else nothing is shown


def test_six_constraints_on_six_joints_are_inverse_dynamics() -> None:
    """`J a = x'' - J' v` has one solution, and commands are what inverse dynamics asks for it, whatever tau is."""
    arm, random = footfall.load("arm-6r"), np.random.default_rng(5)
    q, v, tau = random.uniform(0.2, 1.0, size=(3, 6))
    wanted = random.normal(size=6)
    motion = hybrid_dynamics(arm, q, v, tau, constraints=[Constraint("tip", POSE)], setpoints=wanted)
    jacobian = footfall.frame_jacobian(arm, q, "tip")
    bias = footfall.dynamics.frame_jacobian_bias(arm, q, v, "tip")
    unique = np.linalg.solve(jacobian, wanted - bias)
    tolerance = 1e-13 * np.linalg.cond(jacobian) * (1.0 + np.abs(unique).max())
    np.testing.assert_allclose(motion.accelerations, unique, rtol=0.0, atol=tolerance)
    torque = footfall.inverse_dynamics(arm, q, v, unique)
    np.testing.assert_allclose(motion.commands, torque, rtol=0.0, atol=100.0 * tolerance)
