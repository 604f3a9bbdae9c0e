"""Tasks of a TOML file on an arm in simulation: chains of features with moving frames, task frames, boundaries."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from footfall.arrays import Array
from footfall.control.hybrid_control import solve_tasks
from footfall.control.tasks.features import FeatureTask
from footfall.control.tasks.frames import FrameTask, TaskProgress
from footfall.control.tasks.ranks import RankReport, check_ranks
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.text import Written, parse_frames, parse_tasks
from footfall.dynamics.inverse_dynamics import inverse_dynamics
from footfall.errors import InvalidInput, RobotError
from footfall.robot.model import JointType, Robot
from footfall.robot.toml_parts import read_text
from footfall.scenarios.hybrid.bases import DT, FLOOR
from footfall.scenarios.hybrid.course import Criterion, HybridRun
from footfall.scenarios.hybrid.opening import hand_of
from footfall.scene.model import Scene
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.step_values import Command, SolverOptions, StepOptions

_LARGEST_FILE = 2**20  # bytes
_CALM = 5.0  # 1/s, with which motions that no task is about come to rest
_CONTROL_STEPS = 2
_LATE = 0.1  # s at the end, over which errors are judged
_AT_GOAL = 2e-3  # m or rad


def task_file_ranks(text: str, robot: Robot) -> RankReport:
    """Whether the tasks of a text can be had together where the robot starts."""
    return check_ranks(
        robot, hand_of(robot, robot.bodies[-1].name).posture, parse_tasks(text), frames=parse_frames(text)
    )


def run_task_file(text: str, robot: Robot, *, name: str = "tasks", seconds: float = 4.0) -> HybridRun:
    """Run the tasks of a TOML text on an arm; its frames move on as they say."""
    if any(joint.type is JointType.FLOATING for joint in robot.joints):
        raise InvalidInput(
            f"robot {robot.name!r} has a floating base; files of tasks are for robots on a fixed one"
        )
    if not 0.0 < seconds < 3600.0:
        raise InvalidInput(f"seconds are {seconds}; they must be above zero and less than an hour")
    tasks = parse_tasks(text)
    if not tasks:
        raise InvalidInput("there is no task; write a table [[task]] or [[features]]")
    simulation = FeetSimulation(
        robot,
        Scene("floor", (FLOOR,)),
        candidates=(),
        options=StepOptions(dt=DT, velocity_terms="middle", solver=SolverOptions(tolerance=1e-6)),
    )
    simulation.reset(hand_of(robot, robot.bodies[-1].name).posture)
    progress, steps, effort = TaskProgress(), 0, np.zeros(robot.nv)

    def act(time: float, q: Array, v: Array) -> Command:
        nonlocal progress, steps, effort
        if steps % _CONTROL_STEPS == 0:
            calm = np.asarray(inverse_dynamics(robot, q, v, -_CALM * v))
            found = solve_tasks(
                robot, q, v, calm, tasks, frames=parse_frames(text, time), time=time, progress=progress
            )
            progress, effort = found.progress, np.asarray(found.motion.commands)
        steps += 1
        return simulation.zero_command._replace(effort=effort)

    trajectory = simulation.run(act, seconds)
    errors = _errors(robot, text, tasks, trajectory.time, trajectory.q)
    late = trajectory.time[:: _CONTROL_STEPS * 5] > seconds - _LATE
    criteria = tuple(
        Criterion(f"{row} is off by, m or rad", float(np.abs(curve[late]).max()), high=_AT_GOAL)
        for row, curve in errors.items()
    )
    torques = {
        joint.name: trajectory.effort[:, robot.v_slice(joint.name).start]
        for joint in robot.joints
        if joint.type is not JointType.FIXED
    }
    curves = {
        row: np.repeat(curve, _CONTROL_STEPS * 5)[: len(trajectory.time)] for row, curve in errors.items()
    }
    panels = {"errors, m or rad": curves, "joint torques, N m": torques}
    return HybridRun(name, f"{robot.name}: {name}", robot, simulation.scene, DT, trajectory, criteria, panels)


def _errors(robot: Robot, text: str, tasks: tuple[Written, ...], times: Array, q: Array) -> dict[str, Array]:
    """Of all coordinates with a position, every tenth row: curves by task and coordinate."""
    curves: dict[str, list[float]] = {}
    for time, row in zip(times[:: _CONTROL_STEPS * 5], q[:: _CONTROL_STEPS * 5], strict=True):
        frames = parse_frames(text, float(time))
        placed = [each.seen_from(frames) for each in tasks if isinstance(each, (FrameTask, FeatureTask))]
        stack = TaskStack(robot, placed)
        error = np.asarray(stack.kernel(row, stack.parameters)[0])
        for task, place in zip(stack.tasks, stack.places, strict=True):
            for label, value in zip(_judged(task), error[place], strict=True):
                if label:
                    curves.setdefault(label, []).append(float(value))
    return {label: np.array(curve) for label, curve in curves.items()}


def _judged(task: object) -> list[str]:
    """Names of a task's rows; empty for those that have no place to be at."""
    if isinstance(task, FrameTask):
        return [
            f"{task.name}.{axis}" if task.goals[axis].mode == "position" else "" for axis in task.motion_axes
        ]
    assert isinstance(task, FeatureTask)
    return [f"{task.label}.{name}" for name in task.targets]


def read_task_file(path: Path) -> str:
    """The text of a file of tasks."""
    try:
        return read_text(path, limit=_LARGEST_FILE)
    except RobotError as error:
        raise InvalidInput(str(error)) from None
