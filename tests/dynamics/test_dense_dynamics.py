"""Dense forward dynamics of large robots by LAPACK: the same answers as by the other methods, and the same errors."""

from __future__ import annotations

import importlib
from dataclasses import replace

import numpy as np
import pytest

import footfall
from footfall.dynamics import dense_dynamics
from footfall.dynamics.dense_dynamics import LARGE, dense_forward_dynamics
from footfall.dynamics.forward_dynamics import forward_dynamics
from footfall.dynamics.inverse_dynamics import bias_forces, inverse_dynamics
from footfall.errors import InvalidInput, RobotError
from footfall.robot.model import Robot
from tests.dynamics.cases import some_wrenches
from tests.looped_robots import four_bar
from tests.random_robots import random_robot, random_state

# Three arms of 17 joints: whether the mass matrix is full does not matter to LAPACK, but to the time of compiling.
ARMS = random_robot(11, types=["revolute", "prismatic", "revolute"] * 17, ups=([16] + [0] * 16) * 3)
STATES = [np.array(part) for part in zip(*(random_state(ARMS, seed) for seed in range(3)), strict=True)]


def test_random_arms_agree_with_inverse_dynamics_and_the_recursion() -> None:
    assert ARMS.nv == 51 > LARGE
    wrenches = some_wrenches(ARMS)
    q, v, _, tau = STATES
    a = forward_dynamics(ARMS, q, v, tau, wrenches=wrenches, method="dense")
    assert a.shape == (3, 51)
    for k in range(3):
        back = inverse_dynamics.textbook(ARMS, q[k], v[k], a[k], wrenches=wrenches)
        scale = np.linalg.norm(tau[k]) + np.linalg.norm(
            bias_forces.textbook(ARMS, q[k], v[k], wrenches=wrenches)
        )
        assert np.linalg.norm(back - tau[k]) < 1e-10 * scale
        other = forward_dynamics.textbook(ARMS, q[k], v[k], tau[k], wrenches=wrenches)
        assert np.linalg.norm(a[k] - other) < 1e-8 * np.linalg.norm(other)
        assert np.linalg.norm(inverse_dynamics.textbook(ARMS, q[k], v[k], a[k]) - tau[k]) > 1e-3 * scale
        alone = forward_dynamics(ARMS, q[k], v[k], tau[k], wrenches=wrenches, method="dense")
        np.testing.assert_array_equal(a[k], alone)


def test_nothing_cubic_is_traced_for_a_large_robot(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("traced")

    monkeypatch.setattr(importlib.import_module("footfall.dynamics.forward_dynamics"), "dense_solve", refuse)
    q, v, _, tau = (part[0] for part in STATES)
    forward_dynamics(ARMS, q, v, tau, method="dense", wrenches=some_wrenches(ARMS))
    with pytest.raises(AssertionError, match="traced"):
        forward_dynamics.textbook(ARMS, q, v, tau, method="dense")


def test_small_robots_are_left_to_native_code() -> None:
    robot = footfall.load("double-pendulum")
    assert dense_forward_dynamics(robot, np.zeros(2), np.zeros(2), np.zeros(2)) is None


@pytest.mark.parametrize("held_by", ["coordinates", "forces"])
def test_loops_are_kept(held_by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A looped robot, by LAPACK although it is small."""
    robot = four_bar()
    robot = replace(robot, loops=(replace(robot.loops[0], held_by=held_by, dependent=()),))
    q, v, tau = footfall.neutral(robot), np.ones(robot.nv), 2.0 * np.ones(robot.nv)
    expected = forward_dynamics.textbook(robot, q, v, tau)
    monkeypatch.setattr(dense_dynamics, "LARGE", 1)
    found = forward_dynamics(robot, q, v, tau, method="dense")
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_wrong_calls_are_told_as_for_other_robots() -> None:
    q, v, _, tau = (part[0] for part in STATES)
    with pytest.raises(TypeError, match="'tau'"):
        forward_dynamics(ARMS, q, v, method="dense")
    with pytest.raises(InvalidInput, match=r"tau .*\(50,\)"):
        forward_dynamics(ARMS, q, v, tau[:-1], method="dense", wrenches=some_wrenches(ARMS))


def test_matrix_that_is_not_positive_definite_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = footfall.load("double-pendulum")
    monkeypatch.setattr(dense_dynamics, "LARGE", 1)

    def negative(robot: Robot, *_: object, **__: object) -> dense_dynamics._Equations:
        return dense_dynamics._Equations(-np.eye(2), np.ones(2))

    monkeypatch.setattr(dense_dynamics, "_equations", negative)
    with pytest.raises(RobotError, match=r"'double-pendulum'.*not positive definite"):
        forward_dynamics(robot, np.zeros(2), np.zeros(2), np.zeros(2), method="dense")
