"""Cassie: closed at all times, as stiff as its springs, and with the accelerations of constrained dynamics."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.dynamics.loops import Coupling
from footfall.robot.load import load
from footfall.robot.model import Robot

CASSIE = load("cassie")


def state(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A closed configuration near the idle one, velocities and forces."""
    random = np.random.default_rng(seed)
    q = CASSIE.configuration("idle")
    for _ in range(4):
        step = 0.08 * random.normal(size=CASSIE.nv)
        q = np.asarray(footfall.integrate.textbook(CASSIE, q, step), dtype=float)
    return q, random.normal(size=CASSIE.nv), 5.0 * random.normal(size=CASSIE.nv)


def gaps(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Distances between the ends of the rods and what they are tied to, m."""
    ends = [(loop.frame, loop.against) for loop in robot.loops]
    return np.array(
        [
            np.linalg.norm(
                footfall.frame_pose.textbook(robot.spanning, q, one).translation
                - footfall.frame_pose.textbook(robot.spanning, q, other).translation
            )
            for one, other in ends
        ]
    )


def test_counts() -> None:
    assert (CASSIE.nq, CASSIE.nv, CASSIE.spanning.nv) == (31, 20, 30)
    assert CASSIE.mass == pytest.approx(32.94)
    assert [spring.stiffness for spring in CASSIE.springs] == [1500.0, 1250.0, 1500.0, 1250.0]


def test_loops_are_closed() -> None:
    for seed in range(3):
        assert gaps(CASSIE, state(seed)[0]).max() < 1e-12
    broken = CASSIE.configuration("idle")
    broken[CASSIE.q_slice("left_tarsus")] += 0.1
    assert gaps(CASSIE, broken).max() > 1e-2


def test_idle_stands_on_its_feet() -> None:
    """Relaxed springs, soles level on the ground, weight above them."""
    idle = CASSIE.configuration("idle")
    weight = footfall.center_of_mass.textbook(CASSIE, idle)
    for side in ("left", "right"):
        foot = footfall.frame_pose.textbook(CASSIE, idle, f"{side}_foot")
        (sole,) = CASSIE.body(f"{side}_foot").collisions
        pose = foot @ sole.placement
        assert pose.translation[2] == pytest.approx(sole.shape.radius, abs=1e-6)  # type: ignore[union-attr]
        assert abs(pose.rotation[2, 2]) < 1e-5  # along the ground
        assert pose.translation[0] == pytest.approx(weight[0], abs=1e-4)
    lower, upper = CASSIE.limits()
    assert ((idle >= lower) & (idle <= upper)).all()


@pytest.mark.parametrize("seed", [0, 1])
def test_accelerations_are_those_of_the_dense_equations(seed: int) -> None:
    """Multipliers on the tree with all 12 equations, by least squares: an independent way.

    Schwienbacher 2014, chapter 2.
    """
    q, v, tau = state(seed)
    tree = CASSIE.spanning
    coupling = Coupling(CASSIE, q)
    rates = np.asarray(coupling.velocity(v), dtype=float)
    mass = np.asarray(footfall.mass_matrix.textbook(tree, q), dtype=float)
    bias = np.asarray(footfall.bias_forces.textbook(tree, q, rates), dtype=float)
    rows, curvature = [], []
    for loop in CASSIE.loops:
        ends = [
            (
                np.asarray(footfall.frame_jacobian.textbook(tree, q, name), dtype=float)[:3],
                np.asarray(
                    footfall.frame_acceleration.textbook(tree, q, rates, 0 * rates, name), dtype=float
                )[:3],
            )
            for name in (loop.frame, loop.against)
        ]
        rows.append(ends[0][0] - ends[1][0])
        curvature.append(ends[0][1] - ends[1][1])
    jacobian, drift = np.concatenate(rows), np.concatenate(curvature)
    assert np.abs(jacobian @ rates).max() < 1e-10
    full = np.zeros(tree.nv)
    for joint in CASSIE.joints:
        full[tree.v_slice(joint.name)][: len(tau[CASSIE.v_slice(joint.name)])] = tau[
            CASSIE.v_slice(joint.name)
        ]
    size = len(jacobian)
    system = np.block([[mass, jacobian.T], [jacobian, np.zeros((size, size))]])
    solution = np.linalg.lstsq(system, np.concatenate([full - bias, -drift]), rcond=1e-12)[0]
    found = np.asarray(footfall.forward_dynamics.textbook(CASSIE, q, v, tau), dtype=float)
    ours = np.asarray(coupling.acceleration(v, found), dtype=float)
    assert np.linalg.norm(ours - solution[: tree.nv]) < 1e-8 * np.linalg.norm(ours)
    for method in ("factorised", "dense"):
        other = np.asarray(footfall.forward_dynamics.textbook(CASSIE, q, v, tau, method=method), dtype=float)
        assert np.linalg.norm(other - found) < 1e-10 * np.linalg.norm(found)
