"""Tasks: one harness of finite differences for all Jacobians and biases, values, bad input."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import footfall
from footfall.control.inverse_kinematics.errors import InvalidTask
from footfall.control.inverse_kinematics.points import CenterOf
from footfall.control.inverse_kinematics.robot_tasks import CustomTask, MomentumTask, PostureTask, posture
from footfall.control.inverse_kinematics.stack import TaskStack
from footfall.control.inverse_kinematics.task import Task
from footfall.control.inverse_kinematics.tasks import (
    AimTask,
    HalfSpaceTask,
    LineTask,
    OrientationTask,
    PlaneTask,
    PoseTask,
    PositionTask,
    frame_position,
)
from footfall.errors import UnknownName
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from tests.control.inverse_kinematics.task_examples import random_state, reached, task_examples
from tests.dynamics.rates import rate_along


@cache
def lola() -> Robot:
    return footfall.load("lola")


EXAMPLES = task_examples(lola())
POSITIONS = [name for name, task in EXAMPLES.items() if not task.rate_only]


@cache
def whole_stack() -> TaskStack:
    """All examples in one native call, so that one kernel is compiled for all tests here."""
    return TaskStack(lola(), tuple(EXAMPLES.values()))


def evaluated(tasks: list[Task], q: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    stack = TaskStack(lola(), tuple(tasks))
    error, jacobian = stack.kernel(q, stack.parameters)
    return [(error[place], jacobian[place]) for place in stack.places]


def discrepancies(name: str, scale: float = 1.0) -> tuple[float, float]:
    """How far a task's Jacobian (times scale) is from central differences: of its error, and of its square."""
    robot = lola()
    q, v = random_state(robot, 7)
    index = list(EXAMPLES).index(name)
    here = [reached(task, robot, q) if k == index else task for k, task in enumerate(EXAMPLES.values())]
    error, jacobian = evaluated(list(EXAMPLES.values()), q)[index]

    def errors(tasks: list[Task]) -> object:
        return lambda other: evaluated(tasks, other)[index][0]

    at_target = evaluated(here, q)[index][1]
    rate = rate_along(errors(here), robot, q, v)  # type: ignore[arg-type]
    first = np.abs(rate + scale * at_target @ v).max()
    anywhere = rate_along(errors(list(EXAMPLES.values())), robot, q, v)  # type: ignore[arg-type]
    second = abs(error @ anywhere + scale * error @ jacobian @ v)
    return float(first), float(second)


@pytest.mark.parametrize("name", POSITIONS)
def test_jacobians_are_derivatives(name: str) -> None:
    first, second = discrepancies(name)
    assert first < 1e-8
    assert second < 1e-7


def test_a_wrong_jacobian_would_be_seen() -> None:
    assert min(discrepancies("pose", scale=1.001)) > 1e-6


def test_biases_are_derivatives() -> None:
    names = ("position", "relative pose", "aim", "floating posture", "custom", "centre of mass")
    robot, stack = lola(), TaskStack(lola(), tuple(EXAMPLES[name] for name in names))
    q, v = random_state(robot, 3)
    error, jacobian, bias = stack.bias_kernel(q, stack.parameters, v, np.zeros(1))
    expected = rate_along(lambda other: stack.kernel(other, stack.parameters)[1] @ v, robot, q, v)
    np.testing.assert_allclose(bias, expected, atol=2e-7)
    np.testing.assert_allclose(jacobian, stack.kernel(q, stack.parameters)[1], atol=1e-13)
    np.testing.assert_allclose(error, stack.kernel(q, stack.parameters)[0], atol=1e-13)
    np.testing.assert_allclose(bias[:3], footfall.frame_jacobian_bias(robot, q, v, "RF")[:3], atol=1e-11)


def test_native_code_is_the_textbook() -> None:
    robot = lola()
    q, _ = random_state(robot, 4)
    names = [name for name in EXAMPLES if name != "custom"]  # its Jacobian needs a trace
    for name, (error, jacobian) in zip(EXAMPLES, evaluated(list(EXAMPLES.values()), q), strict=True):
        if name in names:
            task = EXAMPLES[name]
            plain = task.evaluate(robot, q, task.parameters)
            np.testing.assert_allclose(error, plain.error, atol=1e-12)
            np.testing.assert_allclose(jacobian, plain.jacobian, atol=1e-12)
            assert len(error) == task.size(robot)


def test_momentum_rows_are_those_of_the_centroidal_matrix() -> None:
    q, _ = random_state(lola(), 5)
    _, jacobian = evaluated(list(EXAMPLES.values()), q)[list(EXAMPLES).index("momentum")]
    np.testing.assert_allclose(jacobian, footfall.centroidal_momentum_matrix(lola(), q)[4:], atol=1e-11)
    np.testing.assert_array_equal(MomentumTask(np.arange(3.0), rows="yz").rate, [1.0, 2.0])


def test_a_batch_of_configurations_and_moving_targets_compile_nothing() -> None:
    stack = whole_stack()
    moved = TaskStack(lola(), tuple(task_examples(lola(), seed=5).values()))
    assert moved.kernel is not None
    batch = footfall.random_configuration(lola(), seed=2, count=5)
    errors, jacobians = stack.kernel(batch, stack.parameters)
    assert errors.shape == (5, sum(task.size(lola()) for task in stack.tasks))
    np.testing.assert_array_equal(jacobians[3], stack.kernel(batch[3], stack.parameters)[1])
    plain = [task for name, task in EXAMPLES.items() if name != "custom"]
    other = [task for name, task in task_examples(lola(), seed=5).items() if name != "custom"]
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
        (lambda: frame_position("RF", np.zeros(3), gain=np.inf), "gain"),
        (lambda: frame_position("RF", "there"), "must be numbers"),
        (lambda: OrientationTask("RF", 2 * np.eye(3)), "orthonormal"),
        (lambda: PoseTask("RF", np.eye(4)), "must be a Transform"),
        (lambda: PoseTask("RF", Transform(np.eye(3), np.full(3, np.inf))), "finite"),
        (lambda: LineTask("RF", np.zeros(3), np.zeros(3)), "must have a direction"),
        (lambda: AimTask("RF", np.zeros(3), axis=np.zeros(3)), "must have a direction"),
        (lambda: PostureTask((), np.zeros(0)), "no joint"),
        (lambda: CustomTask(lambda robot, q: q[:0], np.zeros(0)), "at least one row"),
        (lambda: TaskStack(lola(), ()), "no task"),
        (lambda: TaskStack(lola(), ("RF",)), "is no task"),  # type: ignore[arg-type]
        (lambda: TaskStack(lola(), (PostureTask(("kfr",), np.zeros(2)),)).kernel, "2 entries"),
        (lambda: TaskStack(lola(), (PositionTask(CenterOf(("base",)), np.zeros(3)),)).kernel, "no mass"),
        (lambda: TaskStack(lola(), (CustomTask(lambda robot, q: q[:2], np.zeros(3)),)).kernel, "gives"),
    ],
)
def test_bad_input(make, message: str) -> None:
    with pytest.raises(InvalidTask, match=message):
        make()


def test_unknown_frames_list_those_there_are() -> None:
    with pytest.raises(UnknownName, match=r"no frame 'l_foot' in robot 'lola'; there are: .*LF"):
        TaskStack(lola(), (frame_position("l_foot", np.zeros(3)),)).kernel  # noqa: B018
    with pytest.raises(UnknownName, match="no joint 'knee'"):
        posture(lola(), lola().configuration("idle"), joints=["knee"])
