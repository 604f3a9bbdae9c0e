"""From tasks to accelerations and commands: set-points by feedback, force limits by an active set.

004 sections 11 and 16.5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.control.hybrid_tasks import AxisGoal, Task, in_order
from footfall.dynamics.hybrid import HybridMotion, hybrid_dynamics
from footfall.dynamics.hybrid_constraints import AXES, OWN, Constraint
from footfall.dynamics.kinematics import frame_pose, frame_velocity
from footfall.math.rotations import rotation_vector_from_matrix
from footfall.robot.model import Robot

Array = np.ndarray[Any, np.dtype[np.float64]]


class TaskState(NamedTuple):
    """Of a task's frame in its axes: position and rotation vector (6,), velocity (6,), rotation of the axes (3, 3)."""

    position: Array
    velocity: Array
    rotation: Array


class TaskSolution(NamedTuple):
    """motion: of all tasks together, its components in the order of `constraints`. tasks: as they were ordered.

    forces: by task and axis, on the robot, N or N m. saturated: (task, axis) that their force limit replaced, or that
    would have had to pull. finished: tasks that a guard ends.
    """

    motion: HybridMotion
    tasks: tuple[Task, ...]
    constraints: tuple[Constraint, ...]
    forces: Mapping[str, Mapping[str, float]]
    saturated: tuple[tuple[str, str], ...]
    finished: tuple[str, ...]


def task_constraints(tasks: Sequence[Task]) -> tuple[Constraint, ...]:
    """The constraints of ordered tasks; those of force axes alone have none."""
    return tuple(
        Constraint(task.frame, task.motion_axes, task.axes, name=task.name)
        for task in tasks
        if task.motion_axes
    )


def task_state(robot: Robot, q: Array, v: Array, task: Task) -> TaskState:
    """Where a task's frame is and how it moves, in the axes of the task; q (nq,), v (nv,)."""
    pose = frame_pose(robot, q, task.frame)
    axes = pose if task.axes == OWN else frame_pose(robot, q, task.axes)
    turn = axes.rotation.T
    velocity = frame_velocity(robot, q, v, task.frame)
    angles = rotation_vector_from_matrix(turn @ pose.rotation)
    return TaskState(
        np.concatenate([turn @ (pose.translation - axes.translation), angles]),
        np.concatenate([turn @ velocity[:3], turn @ velocity[3:]]),
        axes.rotation,
    )


def setpoint(task: Task, goal: AxisGoal, position: float, velocity: float) -> float:
    """Acceleration that a motion axis asks for, m/s2 or rad/s2, within its bound."""
    match goal.mode:
        case "position":
            wanted = task.stiffness * (goal.target - position) - task.damping * velocity
        case "velocity":
            wanted = task.damping * (goal.target - velocity)
        case _:
            wanted = goal.target
    return float(np.clip(wanted, -goal.most_acceleration, goal.most_acceleration))


def solve_tasks(robot: Robot, q: Array, v: Array, tau: Array, tasks: Sequence[Task]) -> TaskSolution:
    """What tasks do in the state q (nq,), v (nv,) with feed-forward joint forces tau (nv,).

    `motion.commands` are the joint forces to send to a robot on a fixed base. Constraints whose force is beyond its
    limit give way to that force, and those that would pull are dropped, the worst one first, until none is left.
    """
    ordered = in_order(tasks)
    constraints = task_constraints(ordered)
    states = {task.name: task_state(robot, q, v, task) for task in ordered}
    rows = [(task, axis) for task in ordered for axis in task.motion_axes]
    setpoints = np.array(
        [
            setpoint(
                task,
                task.goals[axis],
                states[task.name].position[AXES.index(axis)],
                states[task.name].velocity[AXES.index(axis)],
            )
            for task, axis in rows
        ]
    )
    compliance = np.array([task.softness for task, _ in rows])
    active = np.ones(len(rows))
    pushes: dict[tuple[str, str], float] = {
        (task.name, axis): task.goals[axis].target for task in ordered for axis in task.force_axes
    }
    saturated: list[tuple[str, str]] = []
    while True:
        motion = hybrid_dynamics(
            robot,
            q,
            v,
            tau,
            constraints=constraints,
            wrenches=_wrenches(ordered, states, pushes),
            **({"setpoints": setpoints, "active": active, "compliance": compliance} if rows else {}),
        )
        worst, force = _worst(rows, motion.forces, active)
        if worst is None:
            break
        task, axis = rows[worst]
        active[worst] = 0.0
        pushes[task.name, axis] = force
        saturated.append((task.name, axis))
    forces = _forces(rows, motion, pushes)
    finished = tuple(task.name for task in ordered if _ends(task, states[task.name], forces[task.name]))
    return TaskSolution(motion, ordered, constraints, forces, tuple(saturated), finished)


def _wrenches(
    tasks: Sequence[Task], states: Mapping[str, TaskState], pushes: Mapping[tuple[str, str], float]
) -> dict[str, Array]:
    """External wrenches by frame: of force axes and of limits; every frame has one, so that one kernel does for all."""
    wrenches = {task.frame: np.zeros(6) for task in tasks}
    for task in tasks:
        local = np.array([pushes.get((task.name, axis), 0.0) for axis in AXES])
        turn = states[task.name].rotation
        wrenches[task.frame] = wrenches[task.frame] + np.concatenate([turn @ local[:3], turn @ local[3:]])
    return wrenches


def _worst(rows: Sequence[tuple[Task, str]], forces: Array, active: Array) -> tuple[int | None, float]:
    """The row whose force is farthest beyond what it may be, and the force that takes its place."""
    excess = np.zeros(len(rows))
    instead = np.zeros(len(rows))
    for k, (task, axis) in enumerate(rows):
        goal = task.goals[axis]
        instead[k] = np.clip(forces[k], 0.0 if goal.pushes_only else -goal.most_force, goal.most_force)
        excess[k] = active[k] * abs(forces[k] - instead[k])
    worst = int(np.argmax(excess)) if len(rows) else 0
    if not len(rows) or excess[worst] <= 1e-9 * max(1.0, abs(forces[worst])):
        return None, 0.0
    return worst, float(instead[worst])


def _forces(
    rows: Sequence[tuple[Task, str]], motion: HybridMotion, pushes: Mapping[tuple[str, str], float]
) -> dict[str, dict[str, float]]:
    forces: dict[str, dict[str, float]] = {}
    for (task, axis), force in zip(rows, motion.forces, strict=True):
        forces.setdefault(task.name, {})[axis] = float(force)
    for (name, axis), push in pushes.items():
        forces.setdefault(name, {})[axis] = push
    return forces


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
