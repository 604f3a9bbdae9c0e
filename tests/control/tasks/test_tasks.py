"""Tasks: one harness of finite differences for all Jacobians and biases, values, bad input."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import footfall
from footfall.control.tasks.accelerations import MomentumTask
from footfall.control.tasks.custom import CombinedTask, CustomTask
from footfall.control.tasks.forces import LeastForce
from footfall.control.tasks.orientations import AimTask, OrientationTask
from footfall.control.tasks.points import CenterOf
from footfall.control.tasks.poses import PoseTask
from footfall.control.tasks.positions import HalfSpaceTask, LineTask, PlaneTask, PositionTask, frame_position
from footfall.control.tasks.postures import PostureTask, posture
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask
from footfall.errors import InvalidInput, UnknownName
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from tests.control.tasks.examples import lola_examples, random_state


@cache
def lola() -> Robot:
    return footfall.load("lola")


EXAMPLES = lola_examples(lola())


@cache
def whole_stack() -> TaskStack:
    """All examples in one native call, so that one kernel is compiled for all tests here."""
    return TaskStack(lola(), tuple(EXAMPLES.values()))


def evaluated(tasks: list[MotionTask], q: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    stack = TaskStack(lola(), tuple(tasks))
    error, jacobian = stack.kernel(q, stack.parameters)
    return [(error[place], jacobian[place]) for place in stack.places]


def test_native_code_is_the_textbook() -> None:
    robot = lola()
    q, _ = random_state(robot, 4)
    for task, (error, jacobian) in zip(
        whole_stack().tasks, evaluated(list(EXAMPLES.values()), q), strict=True
    ):
        if not isinstance(task, CustomTask):  # whose Jacobian needs a trace
            plain = task.evaluate(robot, q, task.parameters)
            np.testing.assert_allclose(error, plain.error, atol=1e-12)
            np.testing.assert_allclose(jacobian, plain.jacobian, atol=1e-12)
            assert len(error) == task.size(robot)


def test_momentum_rows_are_those_of_the_centroidal_matrix() -> None:
    q, _ = random_state(lola(), 5)
    _, jacobian = evaluated(list(EXAMPLES.values()), q)[list(EXAMPLES).index("momentum")]
    np.testing.assert_allclose(
        jacobian, footfall.dynamics.centroidal_momentum_matrix(lola(), q)[4:], atol=1e-11
    )
    np.testing.assert_array_equal(MomentumTask(np.arange(3.0), rows="yz").rate, [1.0, 2.0])


def test_a_batch_of_configurations_and_moving_targets_compile_nothing() -> None:
    stack = whole_stack()
    moved = TaskStack(lola(), tuple(lola_examples(lola(), seed=5).values()))
    assert moved.kernel is not None
    batch = footfall.random_configuration(lola(), seed=2, count=5)
    errors, jacobians = stack.kernel(batch, stack.parameters)
    assert errors.shape == (5, sum(task.size(lola()) for task in stack.tasks))
    np.testing.assert_array_equal(jacobians[3], stack.kernel(batch[3], stack.parameters)[1])
    plain = [task for name, task in EXAMPLES.items() if name != "custom"]
    other = [task for name, task in lola_examples(lola(), seed=5).items() if name != "custom"]
    assert TaskStack(lola(), tuple(plain)).structure == TaskStack(lola(), tuple(other)).structure


def test_tasks_are_values() -> None:
    a, b = frame_position("RF", np.ones(3)), frame_position("RF", np.ones(3))
    assert a == b
    assert hash(a) == hash(b)
    assert a != replace(a, weight=2.0)
    assert a != frame_position("RF", np.zeros(3))
    assert a.with_rate(np.ones(3)) != a
    assert PlaneTask("RF", np.zeros(3), np.ones(3)) != HalfSpaceTask("RF", np.zeros(3), np.ones(3))
    with pytest.raises(ValueError, match="read-only"):
        a.target[0] = 3.0
    with pytest.raises(AttributeError):
        a.weight = 3.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: frame_position("RF", [1.0, np.nan, 0.0]), "must be finite"),
        (lambda: frame_position("RF", [1.0, 0.0]), r"must be \(3,\)"),
        (lambda: frame_position("RF", np.zeros(3), rows=""), "some of 'xyz'"),
        (lambda: frame_position("RF", np.zeros(3), rows="xx"), "each once"),
        (lambda: frame_position("RF", np.zeros(3), weight=-1.0), "at least zero"),
        (lambda: frame_position("RF", np.zeros(3), gains=np.inf), "gain"),
        (lambda: frame_position("RF", "there"), "must be numbers"),
        (lambda: OrientationTask("RF", 2 * np.eye(3)), "orthonormal"),
        (lambda: PoseTask("RF", np.eye(3)), "must be a Transform"),
        (lambda: PoseTask("RF", 2.0 * np.eye(4)), "must be a Transform"),
        (lambda: PoseTask("RF", np.zeros(3)), "a place alone; see frame_position"),
        (
            lambda: PoseTask("RF", (np.zeros(3), np.eye(4)[0])),
            r"must be a Transform\(rotation, translation\)",
        ),  # type: ignore[arg-type]
        (lambda: PoseTask("RF", "there"), "must be a Transform"),
        (lambda: frame_position("RF", np.zeros(3), gains="stiff"), "a number of at least zero"),
        (lambda: frame_position("RF", np.zeros(3), priority=0.5), "whole number"),
        (lambda: frame_position("RF", np.zeros(3), priority="high"), "whole number"),
        (lambda: CombinedTask(frame_position("RF", np.zeros(3)), np.ones((2, 4))).settled(lola()), "3 rows"),
        (lambda: TaskStack(lola(), (LeastForce(),)), "LeastForce is about forces"),  # type: ignore[arg-type]
        (lambda: PoseTask("RF", Transform(np.eye(3), np.full(3, np.inf))), "finite"),
        (lambda: LineTask("RF", np.zeros(3), np.zeros(3)), "must have a direction"),
        (lambda: AimTask("RF", np.zeros(3), axis=np.zeros(3)), "must have a direction"),
        (lambda: PostureTask(np.zeros(0), ()), "no joint"),
        (lambda: CustomTask(lambda robot, q: q[:0], np.zeros(0)), "at least one row"),
        (lambda: TaskStack(lola(), ()), "no task"),
        (lambda: TaskStack(lola(), ("RF",)), "is no task"),  # type: ignore[arg-type]
        (lambda: TaskStack(lola(), (0.0,)), "0.0 is a number and no task: tasks come after q"),  # type: ignore[arg-type]
        (lambda: TaskStack(lola(), (PostureTask(np.zeros(2), ("kfr",)),)).kernel, "2 entries"),
        (lambda: TaskStack(lola(), (PositionTask(CenterOf(("base",)), np.zeros(3)),)).kernel, "no mass"),
        (lambda: TaskStack(lola(), (CustomTask(lambda robot, q: q[:2], np.zeros(3)),)).kernel, "gives"),
    ],
)
def test_bad_input(make, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make()


def test_unknown_frames_list_those_there_are() -> None:
    with pytest.raises(UnknownName, match=r"no frame 'l_foot' in robot 'lola'; there are: .*LF"):
        TaskStack(lola(), (frame_position("l_foot", np.zeros(3)),)).kernel  # noqa: B018
    with pytest.raises(UnknownName, match="no joint 'knee'"):
        posture(lola(), lola().configuration("idle"), joints=["knee"])
