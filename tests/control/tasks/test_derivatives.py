"""One harness of finite differences for every Jacobian and bias that control uses, over real robots.

A task's value moves with `jacobian @ v` and, at constant v, accelerates with its bias. Differences are central, of
sixth order with steps of 1e-3: their error is some 1e-20 of the seventh derivative and 1e-13 of the value.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.control.contact_constraints import Contact, build_constrained_system
from footfall.control.references import MovingFrame
from footfall.control.task_space import build_task_dynamics
from footfall.control.tasks.frames import AxisGoal, FrameTask
from footfall.control.tasks.rows import ANGULAR
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask
from footfall.math.rotations import boxminus, rotation_x, rotation_z
from footfall.math.spatial import skew
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from tests.control.tasks.examples import random_state, reached, task_examples
from tests.dynamics.rates import rate_along
from tests.peers.robots import REAL_ROBOTS, load_real

FRAMES = {
    "panda": ("panda_hand", "panda_link4"),
    "anymal": ("LF_FOOT", "RH_SHANK"),
    "go2": ("FL_foot", "RR_calf"),
    "bolt": ("FL_FOOT", "FR_LOWER_LEG"),
    "lola": ("RF", "LH"),
}
PARTIAL = ("about two axes", "parts of a pose", "combination")  # have only a part of a rotation vector
KINDS = tuple(task_examples(footfall.load("lola"), *FRAMES["lola"]))


@cache
def robot_of(name: str) -> Robot:
    if name == "lola":
        return footfall.load(name)
    pytest.importorskip("pinocchio", reason="comes with example-robot-data")
    return load_real(next(each for each in REAL_ROBOTS if each.name == name))


@cache
def tasks_of(name: str) -> dict[str, MotionTask]:
    return task_examples(robot_of(name), *FRAMES[name])


def motion_of(name: str, tasks: list[MotionTask], q: Array, v: Array) -> list[dict[str, Array]]:
    """Error, Jacobian, speed and bias of all tasks; one kernel for all tests of a robot."""
    stack = TaskStack(robot_of(name), tasks)
    parts = dict(
        zip(("error", "jacobian", "speed", "bias"), stack.motion_kernel(q, v, stack.parameters), strict=True)
    )
    return [{key: part[place] for key, part in parts.items()} for place in stack.places]


def held_rows(task: MotionTask) -> slice | list[int]:
    """Rows that have an error."""
    if not isinstance(task, FrameTask):
        return slice(None)
    return [k for k, axis in enumerate(task.motion_axes) if task.goals[axis].mode == "position"]


def discrepancies(name: str, kind: str, *, scale: float = 1.0) -> dict[str, float]:
    """How far a task is from central differences, with Jacobian and bias times scale.

    error: of the Jacobian at the target; square: of the gradient of the squared error anywhere; bias.
    """
    robot, every = robot_of(name), tasks_of(name)
    q, v = random_state(robot, 7)
    place = list(every).index(kind)
    given = list(every.values())
    here = [reached(task, robot, q) if k == place else task for k, task in enumerate(given)]

    def part(key: str, tasks: list[MotionTask]) -> Callable[[Array], Array]:
        return lambda other: motion_of(name, tasks, other, v)[place][key]

    at_target, anywhere = motion_of(name, here, q, v)[place], motion_of(name, given, q, v)[place]
    found = {}
    if not every[kind].drifting:  # what moves by itself has a test of its own
        second = rate_along(lambda other: part("jacobian", given)(other) @ v, robot, q, v)
        found["bias"] = float(np.abs(second - scale * anywhere["bias"]).max())
    if every[kind].order == 0:
        rate = rate_along(part("error", here), robot, q, v)
        rows = held_rows(every[kind])
        found["error"] = float(np.abs(rate + scale * at_target["jacobian"] @ v)[rows].max(initial=0.0))
        rate = rate_along(part("error", given), robot, q, v)
        error = anywhere["error"]
        if kind not in PARTIAL and not isinstance(every[kind], FrameTask):
            found["square"] = abs(float(error @ rate + scale * error @ anywhere["jacobian"] @ v))
    return found


@pytest.mark.parametrize("name", FRAMES)
def test_tasks(name: str) -> None:
    for kind in tasks_of(name):
        for part, difference in discrepancies(name, kind).items():
            assert difference < 5e-7, (kind, part)


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_factor_would_be_seen(kind: str) -> None:
    found = discrepancies("lola", kind, scale=1.001)
    for part, difference in found.items():
        if part == "bias" and ("posture" in kind or kind == "joint acceleration"):
            continue  # which have none
        if part == "error" and kind == "own axes":
            continue  # which has none
        assert difference > 1e-6, part


def test_speeds_are_rates_of_values() -> None:
    """`speed` is what feedback sees: minus the rate of the error at the target."""
    q, v = random_state(robot_of("lola"), 2)
    tasks = list(tasks_of("lola").values())
    for task, found in zip(tasks, motion_of("lola", tasks, q, v), strict=True):
        if not task.drifting:
            np.testing.assert_allclose(found["speed"], found["jacobian"] @ v, atol=1e-12)


def test_seen_from_something_that_moves() -> None:
    """Rates and accelerations of what is seen from a frame that moves by itself, by differences in time."""
    robot = robot_of("lola")
    q, v = random_state(robot, 5)
    a = np.random.default_rng(6).normal(size=robot.nv)
    tray = MovingFrame(*tray_at(0.0))
    goals = {axis: AxisGoal("position") for axis in "xyz"} | {axis: AxisGoal("velocity") for axis in ANGULAR}
    task = FrameTask("over the tray", "RF", goals, "tray", (0.1, 0.0, 0.2), outside=tray)
    stack = TaskStack(robot, [task])
    _, jacobian, speed, bias = stack.motion_kernel(q, v, stack.parameters)

    def seen(time: float) -> Array:
        """Place and direction a moment later, under constant accelerations."""
        moved = footfall.integrate(robot, q, time * v + time**2 / 2 * a)
        pose = tray_at(time)[0].inverse() @ footfall.frame_pose(robot, moved, "RF")
        turn = boxminus(
            pose.rotation, (tray_at(0.0)[0].inverse() @ footfall.frame_pose(robot, q, "RF")).rotation
        )
        return np.concatenate([pose.apply(np.array([0.1, 0.0, 0.2])), turn])

    step = 1e-3
    rate = (8 * (seen(step) - seen(-step)) - (seen(2 * step) - seen(-2 * step))) / (12 * step)
    np.testing.assert_allclose(speed, rate, atol=1e-8)
    second = (16 * (seen(step) + seen(-step)) - (seen(2 * step) + seen(-2 * step)) - 30 * seen(0.0)) / (
        12 * step**2
    )
    np.testing.assert_allclose(jacobian @ a + bias, second, atol=1e-6)


def tray_at(time: float) -> tuple[Transform, Array, Array]:
    """A frame that turns and slides with constant accelerations: pose, velocity, acceleration at time zero."""
    velocity, acceleration = (
        np.array([0.1, -0.2, 0.3, 0.0, 0.0, 0.8]),
        np.array([0.4, 0.2, 0.0, 0.0, 0.0, -0.5]),
    )
    way = time * velocity + time**2 / 2 * acceleration
    start = Transform(rotation_x(0.4), np.array([0.3, 0.2, 0.1]))
    return Transform(rotation_z(way[5]) @ start.rotation, start.translation + way[:3]), velocity, acceleration


@pytest.mark.parametrize("name", FRAMES)
def test_directions_on_segments(name: str) -> None:
    """`jacobian = directions.T @ J` of the frame, seen from the other one if there is one."""
    robot = robot_of(name)
    q, _ = random_state(robot, 4)
    seen = 0
    for kind, task in tasks_of(name).items():
        settled = task.settled(robot)
        segment = settled.segment(robot)
        if segment is None:
            assert kind in ("mixed position", "custom", "momentum", "joint acceleration") or (
                "centre" in kind or "posture" in kind
            )
            continue
        jacobian = footfall.frame_jacobian(robot, q, segment.frame)
        if segment.against is not None:
            other = footfall.frame_jacobian(robot, q, segment.against)
            here, there = (footfall.frame_pose(robot, q, each).translation for each in segment)
            carried = other[:3] - skew(here - there) @ other[3:]
            jacobian = jacobian - np.concatenate([carried, other[3:]])
        expected = settled.evaluate(robot, q, settled.parameters).jacobian
        found = settled.directions(robot, q, settled.parameters).T @ jacobian
        np.testing.assert_allclose(found, expected, atol=1e-11, err_msg=kind)
        seen += 1
    assert seen >= 15


@pytest.mark.parametrize("name", FRAMES)
def test_contacts_and_task_space(name: str) -> None:
    robot, frame = robot_of(name), FRAMES[name][0]
    contact = (Contact(frame, (0.02, -0.03, 0.05)),)
    still = np.zeros(robot.nv)
    q, v = random_state(robot, 3)

    def system(q: Array, v: Array) -> tuple[Array, ...]:
        return build_constrained_system(robot, q, v, contacts=contact)

    rate = rate_along(lambda other: system(other, still)[4][0], robot, q, v)
    second = rate_along(lambda other: system(other, still)[2] @ v, robot, q, v)
    assert np.abs(rate - system(q, still)[2] @ v).max() < 5e-7
    assert np.abs(second - system(q, v)[3]).max() < 5e-7
    second = rate_along(
        lambda other: build_task_dynamics(robot, other, still, frame).jacobian @ v, robot, q, v
    )
    assert np.abs(second - build_task_dynamics(robot, q, v, frame).jacobian_bias).max() < 5e-7


def test_angular_rows_are_rates_of_rotations() -> None:
    robot = robot_of("lola")
    q, v = footfall.random_configuration(robot, seed=1), np.random.default_rng(1).normal(size=robot.nv)
    here = footfall.frame_pose(robot, q, "RF").rotation
    rate = rate_along(
        lambda other: boxminus(footfall.frame_pose(robot, other, "RF").rotation, here), robot, q, v
    )
    assert np.abs(rate - footfall.frame_jacobian(robot, q, "RF")[3:] @ v).max() < 1e-7
