"""Velocity level: Example 2.9.1 of RSL 2022, (2.216)-(2.220), singular arms, weights, null space, bounds."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np
import pytest

import footfall
from footfall.control.inverse_kinematics.limits import Bounds, Limits
from footfall.control.inverse_kinematics.textbook import solve_velocity_textbook
from footfall.control.inverse_kinematics.velocity import (
    VelocityProblem,
    build_ik,
    scaled_to_bounds,
    solve_velocity,
)
from footfall.control.priorities import solve_hierarchy
from footfall.control.tasks.accelerations import MomentumTask
from footfall.control.tasks.positions import HalfSpaceTask, frame_position
from footfall.control.tasks.postures import posture
from footfall.control.tasks.task import Task
from footfall.errors import InvalidInput, UnknownName
from footfall.robot.model import Robot

Q = np.array([np.pi / 6, np.pi / 3, np.pi / 3])
S3 = np.sqrt(3.0)


@cache
def arm() -> Robot:
    return footfall.load("planar-arm")


TIP = arm().frame_names[0]


def tip_task(rate: tuple[float, float] = (1.0, 1.0), **options: object) -> Task:
    """The velocity of the tip in x and z."""
    return frame_position(TIP, np.zeros(3), rows="xz", gains=0.0, rate=np.array(rate), **options)


def still_task(**options: object) -> Task:
    """The first two joints should not move."""
    names = [joint.name for joint in arm().joints if joint.type != "fixed"][:2]
    return posture(arm(), dict.fromkeys(names, 0.0), gains=0.0, **options)


def example(*tasks: Task, q: np.ndarray = Q) -> VelocityProblem:
    return build_ik(arm(), q, tasks)


def squared_errors(v: np.ndarray) -> tuple[float, float]:
    problem = example(tip_task(), still_task())
    left = problem.rate - problem.jacobian @ v
    return float(left[:2] @ left[:2]), float(left[2:] @ left[2:])


def test_example_2_9_1_single_task() -> None:
    problem = example(tip_task())
    np.testing.assert_allclose(problem.jacobian, 0.5 * np.array([[0, -S3, -S3], [-4, -3, -1]]), atol=1e-14)
    v = solve_velocity_textbook(problem, method="pseudo")
    exact = [-4 / 9 + 8 * S3 / 27, -1 / 9 - 7 * S3 / 27, 1 / 9 - 11 * S3 / 27]
    np.testing.assert_allclose(v, exact, atol=1e-14)
    np.testing.assert_allclose(solve_velocity(problem), exact, atol=1e-14)
    assert squared_errors(v) == pytest.approx((0.0, (164 - 50 * S3) / 243), abs=1e-14)
    damped = solve_velocity_textbook(problem, method="damped", damping=0.1)
    np.testing.assert_allclose(damped, [0.065021, -0.557056, -0.589567], atol=5e-7)


def test_example_2_9_1_equal_priority() -> None:
    v = solve_velocity_textbook(example(tip_task(), still_task()), method="pseudo")
    exact = [(-6 + 2 * S3) / 19, (-3 + S3) / 19, (1 - 13 * S3) / 19]
    np.testing.assert_allclose(v, exact, atol=1e-14)
    assert squared_errors(v) == pytest.approx((0.005938, 0.022267), abs=1e-6)
    weighted = solve_velocity_textbook(example(tip_task(weight=100.0), still_task()), method="pseudo")
    np.testing.assert_allclose(weighted, [-0.168610, -0.084305, -1.070957], atol=5e-7)


@pytest.mark.parametrize("method", ["hierarchy", "qp"])
def test_example_2_9_1_priorities(method: str) -> None:
    problem = example(tip_task(), still_task(priority=1))
    v = solve_velocity(problem, method=method)
    exact = np.array([-2 / 5 + 2 * S3 / 15, -1 / 5 + S3 / 15, 1 / 5 - 11 * S3 / 15])
    np.testing.assert_allclose(v, exact, atol=1e-12 if method == "hierarchy" else 1e-7)
    accuracy = 1e-24 if method == "hierarchy" else 1e-14
    assert squared_errors(v)[0] < accuracy
    assert squared_errors(v)[1] == pytest.approx((3 - S3) ** 2 / 45, abs=1e-7)
    heavy = solve_velocity_textbook(example(tip_task(weight=1e8), still_task()), method="pseudo")
    np.testing.assert_allclose(heavy, exact, atol=1e-6)  # weights tend to priorities


def test_no_rank_decision_destroys_priorities() -> None:
    """Without a cut of small singular values the second task uses directions that it does not have."""
    third = build_ik(arm(), Q, [tip_task(), tip_task((5.0, -3.0), priority=1), still_task(priority=2)])
    assert squared_errors(solve_velocity(third))[0] < 1e-24
    assert squared_errors(solve_velocity(third, tolerance=0.0))[0] > 0.1


def test_totals_are_ordered() -> None:
    single = sum(squared_errors(solve_velocity(example(tip_task()))))
    stacked = sum(squared_errors(solve_velocity_textbook(example(tip_task(), still_task()), method="pseudo")))
    ordered = sum(squared_errors(solve_velocity(example(tip_task(), still_task(priority=1)))))
    assert stacked < ordered < single
    assert (stacked, ordered, single) == pytest.approx((0.0282, 0.0357, 0.3185), abs=1e-4)


def test_singular_arms_of_section_7_3() -> None:
    stretched = example(tip_task(), q=np.zeros(3))
    np.testing.assert_allclose(stretched.jacobian, [[3, 2, 1], [0, 0, 0]], atol=1e-14)
    assert stretched.singularity.rank == 1
    assert stretched.singularity.manipulability == pytest.approx(0.0, abs=1e-14)
    np.testing.assert_allclose(solve_velocity(stretched), np.array([3, 2, 1]) / 14, atol=1e-14)
    nearly = example(tip_task((0.0, 1.0)), q=np.array([0.0, 1e-3, 0.0]))
    v = solve_velocity_textbook(nearly, method="pseudo", tolerance=1e-9)
    np.testing.assert_allclose(v, [1000, -1200, -600], rtol=1e-2)
    damped = solve_velocity_textbook(nearly, method="damped", damping=0.1)
    np.testing.assert_allclose(damped, [0.03554, -0.04297, -0.02148], atol=5e-6)
    filtered = solve_velocity_textbook(nearly, method="filtered", threshold=0.1, damping=0.1)
    assert np.abs(filtered).max() < 1.0
    assert nearly.singularity.condition > 1000.0


@pytest.mark.parametrize("method", ["pseudo", "weighted", "hierarchy"])
def test_null_space_motion_leaves_the_task_alone(method: Any) -> None:
    problem = example(tip_task())
    wish = np.array([0.3, -1.0, 0.4])
    weights = np.array([1.0, 4.0, 0.5])
    if method == "hierarchy":
        v, plain = solve_velocity(problem, preferred=wish), solve_velocity(problem)
    else:
        v, plain = (
            solve_velocity_textbook(problem, method=method, preferred=each, motion_weights=weights)
            for each in (wish, None)
        )
    np.testing.assert_allclose(problem.jacobian @ v, [1.0, 1.0], atol=1e-12)
    assert np.abs(v - plain).max() > 0.1
    if method == "weighted":  # Schwienbacher 2014, (4.12): the best of all v that fulfil the task
        other = v + 1e-3 * np.linalg.svd(problem.jacobian)[2][2]
        cost = [weights @ (candidate - wish) ** 2 for candidate in (v, other)]
        assert cost[0] < cost[1]


def test_methods_of_the_textbook_by_their_old_names() -> None:
    problem = example(tip_task())
    with pytest.warns(DeprecationWarning, match="is now solve_velocity_textbook"):
        old = solve_velocity(problem, method="damped", damping=0.3)  # type: ignore[arg-type]
    np.testing.assert_array_equal(old, solve_velocity_textbook(problem, method="damped", damping=0.3))
    with pytest.warns(DeprecationWarning, match="an option of solve_velocity_textbook alone"):
        np.testing.assert_array_equal(solve_velocity(problem, damping=0.3), solve_velocity(problem))
    with pytest.warns(DeprecationWarning, match="solve_damped_hierarchy"):
        found = solve_hierarchy(problem.levels, threshold=1e-12).v
    np.testing.assert_allclose(found, solve_velocity(problem), atol=1e-12)


def test_transpose_goes_downhill() -> None:
    problem = example(tip_task())
    v = solve_velocity_textbook(problem, method="transpose")
    np.testing.assert_allclose(v, problem.jacobian.T @ [1.0, 1.0], atol=1e-14)


def test_bounds_on_velocity_and_position() -> None:
    robot = footfall.load("arm-6r")
    q = robot.configuration("ready")
    q[1] = robot.upper_limits[1] - 1e-4
    task = frame_position("tip", np.zeros(3), gains=0.0, rate=np.array([0.5, 0.0, -0.5]))
    problem = build_ik(robot, q, [task], dt=1e-2, limits=Limits(velocity=None))
    v = solve_velocity(problem, method="qp")
    assert v[1] <= 1e-2 + 1e-9
    assert np.all(v <= problem.bounds.upper + 1e-9)
    assert np.all(v >= problem.bounds.lower - 1e-9)
    np.testing.assert_allclose(problem.jacobian @ v, task.rate, atol=1e-6)
    beyond = q.copy()
    beyond[1] = robot.upper_limits[1] + 0.01
    back = build_ik(robot, beyond, [task], dt=1e-2, limits=Limits(velocity=None))
    assert solve_velocity(back, method="qp")[1] <= -1.0 + 1e-9


def test_scaling_keeps_the_direction() -> None:
    bounds = Bounds(np.full(3, -0.1), np.full(3, 0.2))
    problem = build_ik(arm(), Q, [tip_task()], bounds=bounds)
    v = solve_velocity(problem)
    slow, factor = scaled_to_bounds(v, problem)
    assert 0.0 < factor < 1.0
    assert np.min(slow) == pytest.approx(-0.1)
    np.testing.assert_allclose(slow, factor * v)


def test_half_spaces_hold_back_only_where_needed() -> None:
    tip = footfall.frame_pose(arm(), Q, TIP).translation
    wall = HalfSpaceTask(TIP, tip, np.array([-1.0, 0.0, 0.0]))  # no farther in x
    for method in ("hierarchy", "qp"):
        towards = build_ik(arm(), Q, [wall, tip_task((1.0, 0.5), priority=1)])
        away = build_ik(arm(), Q, [wall, tip_task((-1.0, 0.5), priority=1)])
        v = solve_velocity(away, method=method)
        np.testing.assert_allclose(away.jacobian[1:] @ v, [-1.0, 0.5], atol=1e-7)
        if method == "qp":
            v = solve_velocity(towards, method=method)
            np.testing.assert_allclose(towards.jacobian[1:] @ v, [0.0, 0.5], atol=1e-7)
            assert towards.residuals(v)["position of " + TIP] == pytest.approx(1.0)


def test_angular_momentum_as_a_task() -> None:
    robot = footfall.load("lola")
    q = robot.configuration("idle")
    target = np.array([0.5, -0.2, 1.0])
    problem = build_ik(robot, q, [MomentumTask(target)])
    v = solve_velocity(problem)
    np.testing.assert_allclose(footfall.centroidal_momentum(robot, q, v)[3:], target, atol=1e-10)


def test_bad_input() -> None:
    with pytest.raises(UnknownName, match="no method"):
        solve_velocity(example(tip_task()), method="magic")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="joint"):
        build_ik(arm(), Q, [tip_task()], bounds=Bounds(np.ones(3), np.zeros(3)))
    with pytest.raises(InvalidInput, match="dt is 0"):
        build_ik(arm(), Q, [tip_task()], dt=0.0)
    with pytest.raises(InvalidInput, match="weights"):
        example(tip_task(weight=np.ones(3)))
    with pytest.raises(InvalidInput, match="approach"):
        Limits(approach=0.0)
    with pytest.raises(InvalidInput, match="rate has 3 rows"):
        example(frame_position(TIP, np.zeros(3), rows="xz", rate=np.ones(3)))


@pytest.mark.parametrize(
    "solve", [solve_velocity, partial(solve_velocity, method="qp"), solve_velocity_textbook]
)
def test_vectors_of_another_robot_are_refused(solve: Any) -> None:
    """Native loops would read beyond their ends."""
    six = footfall.load("arm-6r")
    task = frame_position("tip", np.array([0.3, 0.2, 0.5]))
    problem = build_ik(six, np.full(6, 0.3), [task])
    with pytest.raises(InvalidInput, match="6 finite numbers"):
        solve(problem, preferred=np.ones(3))
    with pytest.raises(InvalidInput, match="6 finite numbers"):
        solve(problem, preferred=np.full(6, np.nan))
    with pytest.raises(InvalidInput, match=r"shapes \(2,\) and \(2,\)"):
        build_ik(six, np.full(6, 0.3), [task], bounds=Bounds(-np.ones(2), np.ones(2)))
    with pytest.raises(InvalidInput, match="above zero"):
        solve_velocity_textbook(problem, method="weighted", motion_weights=-np.ones(6))
    with pytest.raises(InvalidInput, match="damping is nan"):
        solve_velocity_textbook(problem, method="damped", damping=float("nan"))
