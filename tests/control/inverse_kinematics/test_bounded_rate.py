"""Tasks within limits as one native call and one quadratic program: against bounded least squares of SciPy."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import daqp
import numpy as np
import pytest
from scipy.optimize import lsq_linear

import footfall
from footfall.control.inverse_kinematics.limits import Limits, velocity_bounds
from footfall.control.inverse_kinematics.rates import BoundedRate
from footfall.control.inverse_kinematics.velocity import build_ik
from footfall.control.tasks.poses import PoseTask
from footfall.control.tasks.positions import HalfSpaceTask
from footfall.control.tasks.postures import posture
from footfall.errors import InvalidInput
from footfall.math.transform import Transform
from footfall.robot.model import Robot

LIMITS = Limits(velocity=None, approach=0.5)


@cache
def arm() -> Robot:
    return footfall.load("arm-6r")


@cache
def controller() -> BoundedRate:
    q = arm().configuration("ready")
    pose = footfall.frame_pose(arm(), q, "tip")
    goal = Transform(pose.rotation, pose.translation + np.array([0.3, 0.1, 0.2]))
    tasks = [PoseTask("tip", goal, gains=5.0), posture(arm(), q, weight=0.01)]
    return BoundedRate(arm(), tasks, dt=0.01, limits=LIMITS, damping=1e-3)


@pytest.mark.parametrize("seed", range(8))
def test_it_is_bounded_least_squares(seed: int) -> None:
    q = footfall.random_configuration(arm(), seed=seed)
    index = seed % 6
    q[index] = arm().upper_limits[index] - 1e-4 * (seed % 3)  # some joints near or at their stops
    problem = build_ik(arm(), q, controller().stack.tasks, dt=0.01, limits=LIMITS)
    root = np.sqrt(problem.levels[0].weight)
    matrix = np.vstack([root[:, None] * problem.jacobian, 1e-3 * np.eye(6)])
    right = np.concatenate([root * problem.rate, np.zeros(6)])
    bounds = velocity_bounds(arm(), q, dt=0.01, limits=LIMITS)
    program = controller().build(q)
    np.testing.assert_allclose(program.lower, bounds.lower, atol=1e-9)
    np.testing.assert_allclose(program.upper, bounds.upper, atol=1e-9)
    wide = (bounds.lower, bounds.upper + 1e-12)
    expected = lsq_linear(matrix, right, wide, method="bvls", tol=1e-14).x
    v = controller()(q)
    np.testing.assert_allclose(v, expected, atol=1e-6)
    assert np.all(v <= bounds.upper + 1e-8)


@pytest.mark.parametrize("name", ["arm-6r", "lola"])
@pytest.mark.parametrize(
    "limits", [Limits(approach=0.5), Limits(velocity=None), Limits(position=False, velocity=0.3)]
)
def test_bounds_of_a_step(name: str, limits: Limits) -> None:
    """A joint at q with stops a < b and a greatest rate r moves by approach (a - q) / dt to approach (b - q) / dt, not
    faster than r; one beyond its stop is led back. A floating base has no bounds but those of its rates."""
    robot, dt = footfall.load(name), 0.01
    q = footfall.random_configuration(robot, seed=7)
    joint = next(each for each in robot.joints if each.type == "revolute")
    q[robot.q_slice(joint.name)] = robot.upper_limits[robot.q_slice(joint.name)] + 0.02
    lower, upper = velocity_bounds(robot, q, dt=dt, limits=limits)
    for each in robot.joints:
        in_q, in_v = robot.q_slice(each.name), robot.v_slice(each.name)
        for k, v in enumerate(range(robot.nv)[in_v]):
            fastest = np.inf if limits.velocity is None else limits.velocity * robot.velocity_limits[v]
            least, most = -fastest, fastest
            if limits.position and each.type in ("revolute", "prismatic"):
                place = in_q.start + k
                least = max(limits.approach / dt * (robot.lower_limits[place] - q[place]), -fastest)
                most = max(
                    min(limits.approach / dt * (robot.upper_limits[place] - q[place]), fastest), -fastest
                )
                least = min(least, fastest)
            assert (lower[v], upper[v]) == (least, most)


@pytest.mark.parametrize("seed", range(8))
def test_active_set_of_another_library(seed: int) -> None:
    """DAQP finds the same v, as far as the condition of the Hessian says (damping^2 beside squares of the tasks)."""
    q = footfall.random_configuration(arm(), seed=100 + seed)
    program = controller().build(q)
    sense = np.zeros(len(program.lower), dtype=np.int32)
    expected, _, flag, _ = daqp.solve(
        program.hessian,
        program.gradient,
        program.matrix,
        program.upper,
        program.lower,
        sense,
        primal_tol=1e-12,
    )
    assert flag == 1
    v, allowed = controller()(q), 4e-15 * np.linalg.cond(program.hessian)
    np.testing.assert_allclose(v, expected, atol=allowed * max(1.0, float(np.abs(v).max())))


def test_other_numbers_need_no_other_code() -> None:
    q = arm().configuration("ready")
    tasks = [replace(task, weight=2.0) for task in controller().stack.tasks]
    assert np.abs(controller()(q, tasks) - controller()(q)).max() > 1e-3
    with pytest.raises(InvalidInput, match="differ in more"):
        controller()(q, tasks[:1])


def test_bad_input() -> None:
    with pytest.raises(InvalidInput, match="half-spaces"):
        BoundedRate(arm(), [HalfSpaceTask("tip", np.zeros(3), np.array([0.0, 0.0, 1.0]))])
    with pytest.raises(InvalidInput, match="damping is 0"):
        BoundedRate(arm(), controller().stack.tasks, damping=0.0)
