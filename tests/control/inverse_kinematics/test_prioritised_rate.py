"""Strict priorities for hot loops give what `solve_velocity` gives."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.errors import InvalidInput
from footfall.ik import Limits, PrioritisedRate, build_ik, solve_velocity
from footfall.tasks import HalfSpaceTask, PoseTask, frame_position, posture

LIMITS = Limits(approach=0.5, velocity=0.2)


def tasks() -> tuple[footfall.Robot, np.ndarray, list]:
    robot = footfall.load("arm-7r")
    q = robot.configuration("ready")
    pose = footfall.frame_pose(robot, q, "tip")
    target = footfall.Transform(pose.rotation, pose.translation + np.array([0.1, 0.2, -0.1]))
    rest = posture(robot, 0.5 * q, priority=2, gains=3.0)
    elbow = frame_position("forearm", np.array([0.3, 0.3, 0.6]), priority=1)
    return robot, q, [rest, PoseTask("tip", target, gains=5.0), elbow]


@pytest.mark.parametrize("limited", [False, True])
def test_same_as_the_problem_as_a_value(limited: bool) -> None:
    robot, q, given = tasks()
    options = {"dt": 0.01, "limits": LIMITS} if limited else {}
    step = PrioritisedRate(robot, given, **options)
    for seed in range(5):
        at = footfall.integrate(robot, q, 0.2 * np.random.default_rng(seed).normal(size=robot.nv))
        problem = build_ik(robot, at, given, **options)
        expected = solve_velocity(problem, method="qp" if limited else "hierarchy")
        assert np.abs(step(at) - expected).max() < 1e-6


def test_preferred_velocity() -> None:
    robot, q, given = tasks()
    wish = np.linspace(-1.0, 1.0, robot.nv)
    one = PrioritisedRate(robot, [given[1]])(q, wish)
    assert np.abs(one - solve_velocity(build_ik(robot, q, [given[1]]), preferred=wish)).max() < 1e-9


def test_what_is_refused() -> None:
    robot, _, _ = tasks()
    wall = HalfSpaceTask("tip", np.zeros(3), np.array([0.0, 0.0, 1.0]))
    with pytest.raises(InvalidInput, match="half-spaces"):
        PrioritisedRate(robot, [wall])
    with pytest.raises(InvalidInput, match="dt is 0"):
        PrioritisedRate(robot, [posture(robot, np.zeros(7))], dt=0.0)
    with pytest.raises(InvalidInput, match="7 finite numbers"):
        PrioritisedRate(robot, [posture(robot, np.zeros(7))])(np.zeros(7), np.ones(2))
