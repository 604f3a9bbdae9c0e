"""The same task in every solver: inverse kinematics, accelerations, whole-body control."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import footfall
from footfall.control.gains import Gains, gains_from
from footfall.control.hybrid_control import solve_tasks
from footfall.control.references import JointReference, PointReference, PoseReference, RotationReference
from footfall.control.tasks.accelerations import FrameAcceleration, JointAcceleration, MomentumTask
from footfall.control.tasks.custom import CombinedTask, CustomTask
from footfall.control.tasks.forces import LeastForce
from footfall.control.tasks.orientations import OrientationTask
from footfall.control.tasks.poses import PoseTask
from footfall.control.tasks.positions import HalfSpaceTask, PositionTask, frame_position
from footfall.control.tasks.postures import PostureTask, posture
from footfall.control.tasks.stack import TaskStack
from footfall.control.whole_body import WholeBodyControl, build_whole_body, solve_whole_body
from footfall.errors import InvalidInput
from footfall.ik import (
    BoundedRate,
    PrioritisedRate,
    ResolvedRate,
    build_acceleration,
    build_ik,
    follow,
    solve_acceleration,
    solve_velocity,
)
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from tests.control.stances import consistent_motion, feet, quadruped
from tests.control.tasks.examples import task_examples
from tests.looped_robots import tower
from tests.poses import random_pose


@cache
def arm() -> Robot:
    return footfall.load("arm-7r")


def arm_state(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    return footfall.random_configuration(arm(), seed=seed), np.random.default_rng(seed).normal(size=7)


EXAMPLES = task_examples(arm(), "tip", "upper_arm")


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_task_is_met_by_accelerations_and_torques(name: str) -> None:
    """Kinematics on acceleration level, whole-body and hybrid control ask an arm for the same: its value accelerates as
    told."""
    task, (q, v) = EXAMPLES[name], arm_state()
    stack = TaskStack(arm(), [task])
    error, jacobian, speed, bias = stack.motion_kernel(q, v, stack.parameters)
    stiffness, damping = stack.tasks[0].row_gains()
    wanted = stack.feed_forward("acceleration")
    wanted = wanted + (stiffness * error if task.order < 1 else 0.0)
    wanted = wanted + (damping * (stack.feed_forward("rate") - speed) if task.order < 2 else 0.0)
    reachable = jacobian @ np.linalg.lstsq(jacobian, wanted - bias, rcond=1e-9)[0] + bias
    dynamic = WholeBodyControl(arm(), (), (task,)).solve(0.0, q, v).acceleration
    if task.inequality:
        assert (jacobian @ dynamic + bias >= np.minimum(wanted, reachable) - 1e-6).all()
        return
    scale = max(1.0, float(np.abs(reachable).max()))
    np.testing.assert_allclose(jacobian @ dynamic + bias, reachable, atol=1e-6 * scale)
    same = task if task.order == 2 else replace(task, gains=task.feedback())
    kinematic = solve_acceleration(build_acceleration(arm(), q, v, [same]))
    np.testing.assert_allclose(jacobian @ kinematic + bias, reachable, atol=1e-6 * scale)
    if np.linalg.matrix_rank(jacobian, 1e-9) == len(jacobian):  # else hybrid control keeps the first rows
        commands = solve_tasks(arm(), q, v, np.zeros(7), [task]).motion.commands
        moved = footfall.forward_dynamics(arm(), q, v, commands)
        np.testing.assert_allclose(jacobian @ moved + bias, wanted, atol=1e-6 * scale)


def test_gains_mean_the_same_everywhere() -> None:
    task = frame_position("tip", np.ones(3), gains=3.0)
    assert task.decay == 3.0
    assert task.feedback() == Gains(9.0, 6.0)
    assert frame_position("tip", np.ones(3), gains=gains_from(2.0)).decay == pytest.approx(4 * np.pi)
    assert frame_position("tip", np.ones(3)).decay == 1.0
    assert frame_position("tip", np.ones(3)).feedback() == gains_from(2.0)
    assert PostureTask(np.zeros(7)).feedback() == gains_from(1.0)


def moving(time: float) -> PointReference:
    return PointReference(
        np.array([0.3 + 0.1 * np.sin(time), 0.1, 0.5]),
        np.array([0.1 * np.cos(time), 0.0, 0.0]),
        np.array([-0.1 * np.sin(time), 0.0, 0.0]),
    )


def test_targets_that_move() -> None:
    """A function of time gives what a task with these numbers gives, in every solver."""
    q, v = arm_state(1)
    task = frame_position("tip", moving, gains=5.0, rows="xz")
    now = moving(0.4)
    fixed = frame_position(
        "tip",
        now.position,
        rate=now.velocity[[0, 2]],
        acceleration=now.acceleration[[0, 2]],
        gains=5.0,
        rows="xz",
    )
    assert task.moving
    assert task.settled(arm(), 0.4) == fixed
    pairs = [
        (build_ik(arm(), q, [task], time=0.4).rate, build_ik(arm(), q, [fixed]).rate),
        (
            solve_acceleration(build_acceleration(arm(), q, v, [task], time=0.4)),
            solve_acceleration(build_acceleration(arm(), q, v, [fixed])),
        ),
        (ResolvedRate(arm(), [fixed])(q, [task], time=0.4), ResolvedRate(arm(), [fixed])(q)),
        (BoundedRate(arm(), [fixed])(q, [task], time=0.4), BoundedRate(arm(), [fixed])(q)),
        (
            WholeBodyControl(arm(), (), (task,)).solve(0.4, q, v).torque,
            WholeBodyControl(arm(), (), (fixed,)).solve(0.0, q, v).torque,
        ),
    ]
    for one, other in pairs:
        np.testing.assert_array_equal(one, other)


def test_references_of_all_kinds() -> None:
    q, v = arm_state(2)
    pose, rng = random_pose(np.random.default_rng(2)), np.random.default_rng(3)
    velocity, acceleration = rng.normal(size=6), rng.normal(size=6)
    whole = PoseTask("tip", PoseReference(pose, velocity, acceleration), rows=("y", "rz"))
    assert whole.rate is not None
    np.testing.assert_array_equal(whole.rate, velocity[[1, 5]])
    turn = OrientationTask("tip", RotationReference(pose.rotation, velocity[3:], acceleration[3:]))
    assert turn == OrientationTask("tip", pose.rotation, rate=velocity[3:], acceleration=acceleration[3:])
    reference = JointReference(q, v, rng.normal(size=7))
    every = PostureTask(reference).settled(arm())
    some = PostureTask(reference, ("joint2", "joint5")).settled(arm())
    np.testing.assert_array_equal(every.acceleration, reference.a)
    np.testing.assert_array_equal(some.parameters, q[[1, 4]])
    np.testing.assert_array_equal(some.rate, v[[1, 4]])
    assert PoseTask("tip", pose.matrix) == PoseTask("tip", pose)


def test_follow_takes_moving_tasks() -> None:
    start = arm().configuration("ready")
    place = footfall.frame_pose(arm(), start, "tip").translation

    def path(time: float) -> PointReference:
        return PointReference(
            place + np.array([0.0, 0.1 * time, 0.0]), np.array([0.0, 0.1, 0.0]), np.zeros(3)
        )

    ways = follow(arm(), start, [frame_position("tip", path, gains=20.0)], dt=0.01, steps=100)
    there = footfall.frame_pose(arm(), ways[-1], "tip").translation
    np.testing.assert_allclose(there, path(1.0).position, atol=1e-4)


def test_momentum_in_whole_body_control() -> None:
    """The rate of the angular momentum is what was asked for: damping times what is missing."""
    robot, q = quadruped()
    v, _ = consistent_motion(robot, q, feet())
    task = MomentumTask(np.array([0.1, -0.2, 0.05]), gains=4.0)
    solution = WholeBodyControl(robot, feet(), (task, LeastForce(priority=1))).solve(0.0, q, v)
    momentum = footfall.centroidal_momentum(robot, q, v)[3:]
    rate = footfall.dynamics.centroidal_momentum_matrix(robot, q)[3:] @ solution.acceleration
    rate = rate + footfall.dynamics.centroidal_momentum_bias(robot, q, v)[3:]
    np.testing.assert_allclose(rate, 8.0 * (task.target - momentum), atol=1e-7)


def test_a_weight_matrix_is_a_combination() -> None:
    """Minimising e^T W e beside a posture: the normal equations with W, and with a combination by a root of W."""
    q, _ = arm_state(3)
    rng = np.random.default_rng(1)
    root = rng.normal(size=(6, 6))
    hand = PoseTask("tip", random_pose(rng), rate=rng.normal(size=6))
    pull = posture(arm(), np.zeros(7), weight=0.3)
    problem = build_ik(arm(), q, [hand, pull])
    weight = np.zeros((13, 13))
    weight[:6, :6], weight[6:, 6:] = root.T @ root, 0.3 * np.eye(7)
    jacobian, rate = problem.jacobian, problem.rate
    expected = np.linalg.solve(jacobian.T @ weight @ jacobian, jacobian.T @ weight @ rate)
    found = solve_velocity(build_ik(arm(), q, [CombinedTask(hand, root), pull]))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    along = rng.normal(size=(1, 6))  # rank one: only one direction of the task counts
    single = solve_velocity(build_ik(arm(), q, [CombinedTask(hand, along), posture(arm(), q, priority=1)]))
    assert abs(float((along @ (jacobian[:6] @ single - rate[:6])).item())) < 1e-9


def test_half_spaces_hold_in_whole_body_control() -> None:
    """An inequality asks for nothing where it holds, and holds back where it would not."""
    q = arm().configuration("ready")
    place = footfall.frame_pose(arm(), q, "tip").translation
    down = FrameAcceleration("tip", np.array([0.0, 0.0, -20.0, 0.0, 0.0, 0.0]), rows="z", priority=1)
    for gap, held in ((0.5, False), (0.01, True)):
        floor = HalfSpaceTask("tip", place - np.array([0.0, 0.0, gap]), np.array([0.0, 0.0, 1.0]), gains=10.0)
        problem = build_whole_body(arm(), q, np.zeros(7), contacts=[], tasks=[floor, down])
        a = solve_whole_body(problem).acceleration
        reached = footfall.frame_acceleration(arm(), q, np.zeros(7), a, "tip")[2]
        assert reached == pytest.approx(-100.0 * gap if held else -20.0, abs=1e-3)


def test_tasks_that_have_no_velocity_or_position() -> None:
    q, _ = arm_state()
    for solve in (build_ik, PrioritisedRate):
        with pytest.raises(InvalidInput, match="no velocity"):
            solve(arm(), *([q] if solve is build_ik else []), [JointAcceleration(np.zeros(7))])  # type: ignore[operator]


def test_tasks_print_what_they_say() -> None:
    hand = PoseTask("tip", Transform(np.eye(3), np.array([0.1, 0.2, 0.3])), priority=2, gains=5.0)
    text = repr(hand)
    assert text.startswith("PoseTask(frame='tip', target=Transform(rotation=[[1., 0., 0.], [0., 1., 0.]")
    assert text.endswith("translation=[0.1, 0.2, 0.3]), priority=2, gains=5.0)")
    assert repr(LeastForce(weight=0.1)) == "LeastForce(weight=0.1)"


def test_custom_tasks_of_looped_robots() -> None:
    """The derived Jacobian is in independent velocities, as that of a frame is."""
    robot = tower(3)
    q = footfall.neutral(robot)

    def tip(robot: Robot, q: np.ndarray) -> np.ndarray:
        return footfall.frame_pose(robot, q, "rocker2_tip").translation

    custom, plain = CustomTask(tip, np.zeros(3)), PositionTask("rocker2_tip", np.zeros(3))
    v = np.array([0.3, -0.2, 0.5])
    found = [TaskStack(robot, [task]).motion_kernel(q, v, np.zeros(3)) for task in (custom, plain)]
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)
