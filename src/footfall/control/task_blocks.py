"""Rows of tasks for hybrid control: constraints on segments where a task is about one frame, else rows on joints.

One native call gives all that depends on the state; it is made for what the tasks are about and knows nothing of modes,
targets and bounds, so that a task that turns from motion to force compiles nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, build_kernel
from footfall.control.hybrid_active_set import JointRows
from footfall.control.tasks.features import FeatureTask
from footfall.control.tasks.frames import FrameTask
from footfall.control.tasks.points import Segment
from footfall.control.tasks.positions import Boundary
from footfall.control.tasks.rows import AXES
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask, RowMotion, RowNumbers
from footfall.dynamics.hybrid_constraints import OWN, Constraint
from footfall.dynamics.hybrid_rows import BoundedRows, bounded_rows
from footfall.dynamics.kinematics import frame_motion, frame_pose
from footfall.math.spatial import cross
from footfall.robot.model import Robot


class TaskState(NamedTuple):
    """Of a task's frame in its axes: position and rotation vector (6,), m and rad, velocity (6,), m/s and rad/s."""

    position: Array
    velocity: Array


class TaskBlock(NamedTuple):
    """rows: of a task. state: of its frame, None for tasks that are no `FrameTask`."""

    rows: BoundedRows | JointRows
    state: TaskState | None


def task_blocks(
    robot: Robot, q: Array, v: Array, tasks: Sequence[MotionTask], time: float
) -> list[TaskBlock]:
    """Rows of each task in the state q (nq,), v (nv,)."""
    if not tasks:
        return []
    stack = TaskStack(robot, [each.probe if isinstance(each, FrameTask) else each for each in tasks], time)
    error, speed, bias, directions, carried, jacobian = _segment_kernel(stack)(q, v, stack.parameters)
    blocks: list[TaskBlock] = []
    general = attached = 0
    for task, settled, place in zip(tasks, stack.tasks, stack.places, strict=True):
        count = place.stop - place.start
        segment = settled.segment(robot)
        if segment is None:
            matrix = jacobian[general : general + count]
            general += count
            asked = _asked(settled, error[place], speed[place]) - bias[place]
            blocks.append(TaskBlock(_joint_rows(settled, matrix, asked), None))
            continue
        along = slice(attached, attached + count)
        attached += count
        drift = carried[along] - bias[place]
        if isinstance(task, FrameTask):
            state = TaskState(-error[place], speed[place])
            blocks.append(TaskBlock(_frame_rows(task, segment, state, directions[:, along], drift), state))
        else:
            asked = _asked(settled, error[place], speed[place]) + drift
            blocks.append(TaskBlock(_segment_rows(settled, segment, directions[:, along], asked), None))
    return blocks


def setpoint(task: FrameTask, axis: str, position: float, velocity: float, drift: float = 0.0) -> float:
    """Acceleration that a motion axis asks for, m/s2 or rad/s2; its bound is for what comes on top of the drift."""
    goal, gains = task.goals[axis], task.axis_gains(axis)
    match goal.mode:
        case "position" if np.isfinite(goal.most_speed):
            speed = np.clip(
                gains.stiffness / gains.damping * (goal.target - position), -goal.most_speed, goal.most_speed
            )
            wanted = gains.damping * (speed - velocity)
        case "position":
            wanted = gains.stiffness * (goal.target - position) - gains.damping * velocity
        case "velocity":
            speed = np.clip(goal.target, -goal.most_speed, goal.most_speed)
            wanted = gains.damping * (speed - velocity)
        case _:
            wanted = goal.target
            drift = 0.0 if task.axes == OWN else drift
    return float(np.clip(wanted, -goal.most_acceleration, goal.most_acceleration)) + drift


def name_of(task: MotionTask) -> str:
    """What a task is called in solutions."""
    return task.name if isinstance(task, (FrameTask, Boundary)) else task.label


def _asked(task: MotionTask, error: Array, speed: Array) -> Array:
    """What a task about motion asks for (m,)."""
    count = len(error)
    stiffness, damping = (np.broadcast_to(gain, count) for gain in task.row_gains())
    told = [np.zeros(count) if given is None else given for given in (task.rate, task.acceleration)]
    return task.law(
        RowMotion(error, speed), RowNumbers(told[0], told[1], stiffness, damping), task.parameters
    )


def _frame_rows(
    task: FrameTask, segment: Segment, state: TaskState, directions: Array, drift: Array
) -> BoundedRows:
    """Rows of a task, one for each of its axes; directions (6, 6) and drift (6,) of all axes."""
    places = [AXES.index(axis) for axis in task.goals]
    goals = list(task.goals.values())
    setpoints = [
        setpoint(task, axis, float(state.position[k]), float(state.velocity[k]), float(drift[k]))
        for axis, k in zip(task.goals, places, strict=True)
    ]
    given = np.array([goal.mode == "force" for goal in goals])
    pushes = np.array([goal.target for goal in goals])
    most = np.array([goal.most_force for goal in goals])
    least = np.array([0.0 if goal.pushes_only else -goal.most_force for goal in goals])
    constraint = Constraint(segment.frame, len(places), against=segment.against, name=task.name)
    return bounded_rows(
        [constraint],
        directions[:, places],
        np.where(given, 0.0, setpoints),
        lower=np.where(given, pushes, least),
        upper=np.where(given, pushes, most),
        compliance=task.softness,
    )


def _segment_rows(task: MotionTask, segment: Segment, directions: Array, asked: Array) -> BoundedRows:
    constraint = Constraint(segment.frame, len(asked), against=segment.against, name=name_of(task))
    lower, upper = _bounds(task)
    return bounded_rows([constraint], directions, asked, lower=lower, upper=upper)


def _joint_rows(task: MotionTask, matrix: Array, asked: Array) -> JointRows:
    lower, upper = (np.full(len(asked), bound) for bound in _bounds(task))
    return JointRows(matrix, asked, lower, upper, np.zeros(len(asked)), np.ones(len(asked)))


def _bounds(task: MotionTask) -> tuple[float, float]:
    """Of the forces of a task's rows: what only holds back only pushes."""
    most = task.most_force if isinstance(task, (Boundary, FeatureTask)) else np.inf
    return (0.0 if task.inequality else -most), most


def _segment_kernel(stack: TaskStack) -> Kernel:
    """Native code (q, v, parameters) -> error, speed and bias (m,) of all rows; directions (6, k), and carried (k,) of
    those on segments: what the frame accelerates with along them in constant v; jacobian (n, nv) of the others."""
    robot = stack.robot

    def traced(q: Array, v: Array, parameters: Array) -> dict[str, Array]:
        found = stack.traced_motion(q, v, parameters)
        directions, carried, jacobians, start = (
            [np.zeros((6, 0))],
            [np.zeros(0)],
            [np.zeros((0, robot.nv))],
            0,
        )
        for task, place in zip(stack.tasks, stack.places, strict=True):
            own = parameters[start : start + len(task.parameters)]
            start += len(own)
            segment = task.segment(robot)
            if segment is None:
                jacobians.append(found["jacobian"][place])
                continue
            columns = task.directions(robot, q, own)
            directions.append(columns)
            carried.append(columns.T @ _carried(robot, q, v, segment))
        return {
            "error": found["error"],
            "speed": found["speed"],
            "bias": found["bias"],
            "directions": np.concatenate(directions, axis=1),
            "carried": np.concatenate(carried),
            "jacobian": np.concatenate(jacobians),
        }

    place = ("task segments", stack.structure)
    kernels = robot.tree.kernels
    if place not in kernels:
        shapes = {"q": robot.nq, "v": robot.nv, "parameters": len(stack.parameters)}
        kernels[place] = build_kernel(traced, shapes, name="task_segments", key=stack.key("segments"))
    return kernels[place]  # type: ignore[no-any-return]


def _carried(robot: Robot, q: Array, v: Array, segment: Segment) -> Array:
    """Acceleration (6,) of a frame in constant v beyond that of another one's body at the same point, world axes."""
    rest = np.zeros(robot.nv)
    own = frame_motion(robot, q, v, rest, segment.frame).acceleration
    if segment.against is None:
        return own
    other = frame_motion(robot, q, v, rest, segment.against)
    arm = (
        frame_pose.textbook(robot, q, segment.frame).translation
        - frame_pose.textbook(robot, q, segment.against).translation
    )
    turning, spun = other.velocity[3:], other.acceleration[3:]
    linear = other.acceleration[:3] + cross(spun, arm) + cross(turning, cross(turning, arm))
    return np.concatenate([own[:3] - linear, own[3:] - spun])
