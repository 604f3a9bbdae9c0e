"""From tasks to accelerations and commands: set-points by feedback, force limits by an active set.

004 sections 11 and 16.5. Task frames may move: on the robot itself, or outside with a motion that is told.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.hybrid_active_set import BoundedMotion, solve_bounded
from footfall.control.hybrid_tasks import AxisGoal, Task, in_order
from footfall.dynamics.hybrid import HybridMotion
from footfall.dynamics.hybrid_constraints import AXES, OWN, Constraint
from footfall.dynamics.hybrid_rows import BoundedRows, bounded_rows, stacked_rows
from footfall.dynamics.kinematics import frame_attachment, frame_pose, frame_velocity
from footfall.math.rotations import rotation_vector_from_matrix
from footfall.math.spatial import cross
from footfall.math.transform import Transform
from footfall.robot.model import Robot


class MovingFrame(NamedTuple):
    """A task frame outside the robot: its pose in the world, velocity (6,) and acceleration (6,) [linear; angular] of
    its origin in world axes, m/s and rad/s, m/s2 and rad/s2."""

    pose: Transform
    velocity: Array = np.zeros(6)
    acceleration: Array = np.zeros(6)


class TaskState(NamedTuple):
    """Of a task's frame in its axes: position and rotation vector (6,), velocity (6,), rotation of the axes (3, 3).

    drift: (6,) what the acceleration has to be in these axes so that the velocity in them stays as it is.
    """

    position: Array
    velocity: Array
    rotation: Array
    drift: Array


class TaskSolution(NamedTuple):
    """motion: of all tasks together. tasks: as they were ordered. rows: of what stands before the tasks, then theirs.

    bounded: the solution of the rows. forces: by task and axis, on the robot, N or N m. saturated: (task, axis) that
    their force limit replaced, or that would have had to pull. finished: tasks that a guard ends.
    """

    motion: HybridMotion
    tasks: tuple[Task, ...]
    rows: BoundedRows
    bounded: BoundedMotion
    forces: Mapping[str, Mapping[str, float]]
    saturated: tuple[tuple[str, str], ...]
    finished: tuple[str, ...]


def task_state(
    robot: Robot, q: Array, v: Array, task: Task, *, frames: Mapping[str, MovingFrame] | None = None
) -> TaskState:
    """Where a task's frame is and how it moves, in the axes of the task; q (nq,), v (nv,)."""
    pose, velocity = frame_pose(robot, q, task.frame), np.asarray(frame_velocity(robot, q, v, task.frame))
    if task.axes == OWN:
        turn = pose.rotation.T
        own = np.concatenate([turn @ velocity[:3], turn @ velocity[3:]])
        drift = np.concatenate([cross(own[3:], own[:3]), np.zeros(3)])
        return TaskState(np.zeros(6), own, pose.rotation, drift)
    outside = (frames or {}).get(task.axes)
    axes = outside
    if axes is None:
        axes = MovingFrame(
            frame_pose(robot, q, task.axes), np.asarray(frame_velocity(robot, q, v, task.axes))
        )
    turn, arm = axes.pose.rotation.T, pose.translation - axes.pose.translation
    linear, angular = axes.velocity[:3], axes.velocity[3:]
    moving = velocity[:3] - linear - cross(angular, arm)
    turning = velocity[3:] - angular
    drift = np.concatenate([2 * cross(angular, moving), cross(angular, turning)])
    if outside is not None:
        # what a point fixed to the task frame accelerates with; on the robot itself the constraint knows
        falling, spinning = axes.acceleration[:3], axes.acceleration[3:]
        drift[:3] += falling + cross(spinning, arm) + cross(angular, cross(angular, arm))
        drift[3:] += spinning
    return TaskState(
        np.concatenate([turn @ arm, _angles(turn @ pose.rotation)]),
        np.concatenate([turn @ moving, turn @ turning]),
        axes.pose.rotation,
        np.concatenate([turn @ drift[:3], turn @ drift[3:]]),
    )


def _angles(rotation: Array) -> Array:
    """Rotation vector (3,); the exact way for all angles takes ten times as long and is left to large ones."""
    twice = np.array(
        [rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]]
    )
    sine, cosine = math.sqrt(twice @ twice) / 2, (float(np.trace(rotation)) - 1.0) / 2
    if cosine < 0.0 or sine < 1e-6:
        return np.asarray(rotation_vector_from_matrix(rotation))
    return np.asarray(twice * (math.atan2(sine, cosine) / (2 * sine)))


def setpoint(task: Task, goal: AxisGoal, position: float, velocity: float, drift: float = 0.0) -> float:
    """Acceleration that a motion axis asks for, m/s2 or rad/s2; its bound is for what comes on top of the drift."""
    match goal.mode:
        case "position":
            wanted = task.stiffness * (goal.target - position) - task.damping * velocity
        case "velocity":
            wanted = task.damping * (goal.target - velocity)
        case _:
            wanted = goal.target
            drift = 0.0 if task.axes == OWN else drift
    return float(np.clip(wanted, -goal.most_acceleration, goal.most_acceleration)) + drift


def task_rows(robot: Robot, task: Task, state: TaskState, *, outside: bool) -> BoundedRows:
    """The rows of a task, one for each of its axes; outside: whether its task frame is not on the robot."""
    places = [AXES.index(axis) for axis in task.goals]
    turn: Array = np.kron(np.eye(2), state.rotation).astype(np.float64)
    relative = not outside and task.axes != OWN and frame_attachment(robot, task.axes).link >= 0
    constraint = Constraint(task.frame, len(places), against=task.axes if relative else None, name=task.name)
    goals = list(task.goals.values())
    setpoints = [
        setpoint(task, goal, state.position[k], state.velocity[k], state.drift[k])
        for goal, k in zip(goals, places, strict=True)
    ]
    given = np.array([goal.mode == "force" for goal in goals])
    pushes = np.array([goal.target for goal in goals])
    most = np.array([goal.most_force for goal in goals])
    least = np.array([0.0 if goal.pushes_only else -goal.most_force for goal in goals])
    return bounded_rows(
        [constraint],
        turn[:, places],
        np.where(given, 0.0, setpoints),
        lower=np.where(given, pushes, least),
        upper=np.where(given, pushes, most),
        compliance=task.softness,
    )


def solve_tasks(
    robot: Robot,
    q: Array,
    v: Array,
    tau: Array,
    tasks: Sequence[Task],
    *,
    frames: Mapping[str, MovingFrame] | None = None,
    before: Sequence[BoundedRows] = (),
    wrenches: Mapping[str, Array] | None = None,
) -> TaskSolution:
    """What tasks do in the state q (nq,), v (nv,) with feed-forward joint forces tau (nv,).

    frames: task frames outside the robot, by the name in `axes`. before: rows that count more than all tasks, such as
    wheels on the ground, contacts and boundaries. wrenches: by frame, known external ones. `motion.commands` are the
    joint forces to send to a robot on a fixed base with nothing before the tasks; `footfall.control.hybrid_drive` has
    those of a mobile one. Constraints whose force is beyond its limit give way to that force, and those that would
    pull are let go.
    """
    ordered = in_order(tasks)
    outside = frames or {}
    states = [task_state(robot, q, v, task, frames=outside) for task in ordered]
    blocks = [
        task_rows(robot, task, state, outside=task.axes in outside)
        for task, state in zip(ordered, states, strict=True)
    ]
    rows = stacked_rows([*before, *blocks])
    bounded = solve_bounded(robot, q, v, tau, rows, wrenches=wrenches)
    place = sum(len(block.setpoints) for block in before)
    forces: dict[str, dict[str, float]] = {}
    saturated: list[tuple[str, str]] = []
    for task in ordered:
        forces[task.name] = {}
        for axis, goal in task.goals.items():
            forces[task.name][axis] = float(bounded.forces[place])
            if bounded.at[place] and goal.mode != "force":
                saturated.append((task.name, axis))
            place += 1
    finished = tuple(
        task.name
        for task, state in zip(ordered, states, strict=True)
        if _ends(task, state, forces[task.name])
    )
    return TaskSolution(bounded.motion, ordered, rows, bounded, forces, tuple(saturated), finished)


def _ends(task: Task, state: TaskState, forces: Mapping[str, float]) -> bool:
    for guard in task.until:
        place = AXES.index(guard.axis)
        values = {
            "force": forces.get(guard.axis, 0.0),
            "position": float(state.position[place]),
            "speed": float(state.velocity[place]),
        }
        if guard.holds(values[guard.quantity]):
            return True
    return False
