"""Hybrid dynamics with kinematic loops: closed by constraints, and of robots whose model has them.

A four-bar linkage, cut open, is held against its closed form: Freudenstein's equation gives the angles; its
derivatives the rates and accelerations; energy the torque. Looped robots are held against forward and inverse dynamics
with loops, which know nothing of constraints, and against dense equations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.dynamics.forward_dynamics import forward_dynamics
from footfall.dynamics.hybrid import hybrid_accelerations, hybrid_dynamics
from footfall.dynamics.hybrid_actuation import constraint_jacobian
from footfall.dynamics.hybrid_constraints import Constraint
from footfall.dynamics.inverse_dynamics import bias_forces, inverse_dynamics
from footfall.dynamics.jacobians import frame_jacobian
from footfall.dynamics.kinematics import frame_acceleration
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.errors import UnsupportedFeature
from footfall.math.transform import Transform
from footfall.robot.model import WORLD, Body, Frame, Joint, JointType, Robot
from tests import looped_robots

CRANK, COUPLER, ROCKER, GROUND = 0.3, 0.8, 0.6, 0.9  # m
LOOP = (Constraint("coupler_end", ("x", "z"), against="rocker_end", name="pin"),)


def four_bar(*, gravity: float = 9.81) -> Robot:
    """Crank and coupler on one side, the rocker on the other, about -y so that angles grow from x to z."""
    axis = (0.0, -1.0, 0.0)

    def rod(name: str, length: float) -> Body:
        inertia = np.diag([1e-4, length**2 / 12, length**2 / 12])
        return Body(name, 1.0, np.array([length / 2, 0.0, 0.0]), inertia)

    def place(x: float) -> Transform:
        return Transform(np.eye(3), np.array([x, 0.0, 0.0]))

    return Robot(
        "four-bar",
        (rod("crank", CRANK), rod("coupler", COUPLER), rod("rocker", ROCKER)),
        (
            Joint("crank", JointType.REVOLUTE, WORLD, "crank", axis=axis),
            Joint("coupler", JointType.REVOLUTE, "crank", "coupler", place(CRANK), axis),
            Joint("rocker", JointType.REVOLUTE, WORLD, "rocker", place(GROUND), axis),
        ),
        (Frame("coupler_end", "coupler", place(COUPLER)), Frame("rocker_end", "rocker", place(ROCKER))),
        gravity=(0.0, 0.0, -gravity),
    )


def closed_angles(crank: float) -> Array:
    """Joint angles (3,) of the closed linkage, by Freudenstein: K1 cos r - K2 cos c + K3 = cos(c - r)."""
    first, second = GROUND / CRANK, GROUND / ROCKER
    third = (CRANK**2 - COUPLER**2 + ROCKER**2 + GROUND**2) / (2 * CRANK * ROCKER)

    across, along = first - np.cos(crank), -np.sin(crank)
    right = second * np.cos(crank) - third
    rocker = np.arctan2(along, across) + np.arccos(right / np.hypot(across, along))
    end = GROUND + ROCKER * np.exp(1j * rocker) - CRANK * np.exp(1j * crank)
    return np.array([crank, np.angle(end) - crank, rocker])


def closed_rates(crank: float, rate: float) -> tuple[Array, Array]:
    """Rates and accelerations (3,) at a constant rate of the crank, by fine differences of the closed form."""
    step = 1e-4
    ahead, here, behind = (closed_angles(crank + k * step) for k in (1, 0, -1))
    return (ahead - behind) / (2 * step) * rate, (ahead - 2 * here + behind) / step**2 * rate**2


@pytest.mark.parametrize("crank", [0.4, 1.5, 3.0, 5.0])
def test_accelerations_of_the_closed_loop(crank: float) -> None:
    robot = four_bar()
    q = closed_angles(crank)
    v, expected = closed_rates(crank, 2.0)
    jacobian = constraint_jacobian.textbook(robot, q, constraints=LOOP)
    np.testing.assert_allclose(jacobian @ v, 0.0, atol=1e-6)
    motion = hybrid_dynamics.textbook(
        robot, q, v, np.zeros(3), constraints=LOOP, prescribed=("crank",), a=np.zeros(3)
    )
    np.testing.assert_allclose(motion.accelerations, expected, atol=1e-5 * (1 + np.abs(expected).max()))
    loose = hybrid_dynamics.textbook(robot, q, v, np.zeros(3), prescribed=("crank",), a=np.zeros(3))
    assert np.abs(loose.accelerations - expected).max() > 1e-2


@pytest.mark.parametrize("crank", [0.4, 3.0])
def test_inertia_seen_at_the_crank(crank: float) -> None:
    """One degree of freedom: tau = I(q) a at rest without gravity, I = sum of m |v|^2 + J w^2 at unit rate."""
    robot = four_bar(gravity=0.0)
    q = closed_angles(crank)
    rates, _ = closed_rates(crank, 1.0)
    turns = np.array([rates[0], rates[0] + rates[1], rates[2]])
    heading = np.array([q[0], q[0] + q[1], q[2]])
    middles: list[Any] = [
        CRANK / 2 * turns[0] * 1j * np.exp(1j * heading[0]),
        CRANK * turns[0] * 1j * np.exp(1j * heading[0])
        + COUPLER / 2 * turns[1] * 1j * np.exp(1j * heading[1]),
        ROCKER / 2 * turns[2] * 1j * np.exp(1j * heading[2]),
    ]
    lengths = np.array([CRANK, COUPLER, ROCKER])
    inertia = float((np.abs(middles) ** 2).sum() + (lengths**2 / 12 * turns**2).sum())
    motion = hybrid_dynamics.textbook(robot, q, np.zeros(3), np.array([0.7, 0.0, 0.0]), constraints=LOOP)
    assert motion.accelerations[0] == pytest.approx(0.7 / inertia, rel=1e-6)


def looped(name: str) -> tuple[Robot, Array, Array, Array]:
    """A robot with loops in its model, and a state and forces of it."""
    robot = footfall.load(name) if name == "cassie" else getattr(looped_robots, name)()
    start = robot.configurations.get("assembly", footfall.neutral(robot))
    rng = np.random.default_rng(3)
    return (
        robot,
        footfall.close_loops(robot, start),
        rng.normal(size=robot.nv),
        5.0 * rng.normal(size=robot.nv),
    )


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "six_bar", "cassie"])
def test_without_tasks_it_is_forward_dynamics_with_loops(name: str) -> None:
    robot, q, v, tau = looped(name)
    motion = hybrid_dynamics.textbook(robot, q, v, tau)
    expected = forward_dynamics.textbook(robot, q, v, tau)
    np.testing.assert_allclose(motion.accelerations, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    np.testing.assert_array_equal(motion.joint_forces, tau)
    assert motion.forces.shape == (0,)
    assert np.abs(motion.constraint_torques).max() < 1e-9 * np.abs(tau).max()  # loops do no work


def test_tasks_of_cassie_are_those_of_dense_equations() -> None:
    """M a + h = tau + J^T f and J a + J' v = set-points, with mass matrix and Jacobian of the looped robot."""
    robot, q, v, tau = looped("cassie")
    foot = next(body.name for body in reversed(robot.bodies) if "foot" in body.name or "toe" in body.name)
    task = (Constraint(foot, ("x", "z"), name="foot"),)
    goal = np.array([0.5, -0.3])
    motion = hybrid_dynamics.textbook(robot, q, v, tau, constraints=task, setpoints=goal)
    jacobian = frame_jacobian.textbook(robot, q, foot)[[0, 2]]
    drift = frame_acceleration.textbook(robot, q, v, np.zeros(robot.nv), foot)[[0, 2]]
    left = np.block([[mass_matrix.textbook(robot, q), -jacobian.T], [jacobian, np.zeros((2, 2))]])
    right = np.concatenate([tau - bias_forces.textbook(robot, q, v), goal - drift])
    expected = np.linalg.solve(left.astype(float), right.astype(float))
    scale = np.abs(expected).max()
    np.testing.assert_allclose(motion.accelerations, expected[: robot.nv], rtol=0, atol=1e-9 * scale)
    np.testing.assert_allclose(motion.forces, expected[robot.nv :], rtol=0, atol=1e-9 * scale)
    np.testing.assert_allclose(
        motion.constraint_torques, jacobian.T @ motion.forces, rtol=0, atol=1e-9 * scale
    )
    assert motion.kept.tolist() == [1.0, 1.0]
    free = hybrid_dynamics.textbook(robot, q, v, tau)
    assert np.abs(free.accelerations - motion.accelerations).max() > 1e-3 * scale


def test_prescribed_joints_of_a_looped_robot() -> None:
    robot, q, v, tau = looped("four_bar")
    motion = hybrid_dynamics.textbook(robot, q, v, tau, prescribed=("crank",), a=np.array([1.5]))
    assert motion.accelerations == pytest.approx([1.5])
    needed = inverse_dynamics.textbook(robot, q, v, np.array([1.5]))
    # What the joint carries is what a motor on it gives, as the loop hands the rest on to the ground.
    assert footfall.dynamics.independent_forces(robot, q, _among_zeros(robot, motion)) == pytest.approx(
        needed, rel=1e-9
    )
    with pytest.raises(UnsupportedFeature, match="joint 'rocker': follows from others"):
        hybrid_dynamics.textbook(robot, q, v, tau, prescribed=("rocker",), a=np.array([1.5]))


def _among_zeros(robot: Robot, motion: Any) -> Array:
    forces = np.zeros(robot.spanning.nv)
    assert robot.tree.loops is not None
    forces[list(robot.tree.loops.independent)] = motion.joint_forces
    return forces


def test_native_code_of_a_looped_robot_is_the_textbook() -> None:
    robot, q, v, tau = looped("slider_crank")
    soft = {"constraints": (Constraint("slider", ("x",)),), "setpoints": np.array([0.4])}
    options = {**soft, "active": np.ones(1), "compliance": np.array([0.1])}
    expected = hybrid_dynamics.textbook(robot, q, v, tau, **options)
    for field, value in zip(expected._fields, hybrid_dynamics(robot, q, v, tau, **options), strict=True):
        np.testing.assert_allclose(value, getattr(expected, field), rtol=1e-10, atol=1e-10, err_msg=field)
    a, forces = hybrid_accelerations(robot, q, v, tau, **options)
    np.testing.assert_allclose(a, expected.accelerations, rtol=1e-10)
    np.testing.assert_allclose(forces, expected.forces, rtol=1e-10)
    assert expected.residuals == pytest.approx(0.1 * expected.forces)


def test_other_loops_are_refused_by_name() -> None:
    robot = looped_robots.four_bar("hinge")
    q = robot.configuration("assembly")
    with pytest.raises(UnsupportedFeature, match="loop 'closure': is a hinge; hybrid dynamics takes points"):
        hybrid_dynamics.textbook(robot, q, np.zeros(1), np.zeros(1))
