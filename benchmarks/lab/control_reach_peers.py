"""Position-level inverse kinematics by Pink and Mink: their velocity step, repeated, for the tasks of a study.

Success is judged by our own errors for both, so that all mean the same by a target that is met.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.lab.control_peers import mujoco_model
from benchmarks.lab.control_reach import ITERATIONS, RESTARTS, TOLERANCE, Outcome, Study, timed_targets
from footfall.arrays import Array
from footfall.control.tasks.points import CenterOf, FramePoint
from footfall.control.tasks.stack import TaskStack
from footfall.dynamics.configuration import random_configuration
from footfall.math.transform import Transform
from footfall.robot.model import JointType, Robot
from footfall.tasks import MotionTask, OrientationTask, PoseTask, PositionTask, PostureTask

_STEP, _SMALL = 1.0, 1e-9  # s; damping of all velocities, which keeps redundant robots solvable


@dataclass(frozen=True)
class Setting:
    """Part of the error that a step undoes, and damping in proportion to the error."""

    gain: float
    damping: float


@dataclass(frozen=True)
class Goals:
    """Tasks as both peers put them: poses of frames with the weights of position and orientation, the place (3,) of the
    centre of mass or None, and coordinates of joints."""

    poses: dict[str, tuple[Transform, float, float]]
    center: Array | None
    joints: dict[str, float]


Reach = Callable[[Array], tuple[bool, int]]
Peer = Callable[[Robot, Setting], Callable[[Sequence[MotionTask]], Reach]]


def goals_of(tasks: Sequence[MotionTask]) -> Goals:
    """Tasks of a study; position and orientation of the same frame become one pose."""
    poses: dict[str, tuple[Transform, float, float]] = {}
    joints: dict[str, float] = {}
    center = None
    for task in tasks:
        match task:
            case PoseTask():
                poses[task.frame] = (task.pose, 1.0, 1.0)
            case PositionTask(point=CenterOf()):
                center = task.parameters
            case PositionTask(point=FramePoint(frame=frame)) | PositionTask(point=str(frame)):
                pose, _, turn = poses.get(frame, (Transform(np.eye(3), np.zeros(3)), 0.0, 0.0))
                poses[frame] = (Transform(pose.rotation, task.parameters), 1.0, turn)
            case OrientationTask():
                pose, place, _ = poses.get(task.frame, (Transform(np.eye(3), np.zeros(3)), 0.0, 0.0))
                poses[task.frame] = (Transform(task.parameters.reshape(3, 3), pose.translation), place, 1.0)
            case PostureTask():
                joints.update(zip(task.joints or (), task.parameters.tolist(), strict=True))
            case _:
                raise TypeError(f"{task.label} has no counterpart")
    return Goals(poses, center, joints)


def peer_searches(study: Study, count: int, *, first: int = 0) -> list[Outcome]:
    """Pink and Mink where they are installed: from the same starts, with as many restarts, from random ones."""
    return [
        peer_search(name, study, SETTINGS[name, study.robot.name], count, first=first)
        for name in PEERS
        if importlib.util.find_spec(name.lower())
    ]


def peer_search(name: str, study: Study, setting: Setting, count: int, *, first: int = 0) -> Outcome:
    """One peer's searches for `count` targets of a study."""
    prepared = PEERS[name](study.robot, setting)
    targets = timed_targets(study, count, first)
    met, iterations, most, begin = 0, [], 0, time.process_time()
    for seed, start, tasks in targets:
        reach, used = prepared(tasks), 0
        for attempt in range(RESTARTS + 1):
            reached, steps = reach(
                start if attempt == 0 else _restart(study.robot, start, 10**7 + 10 * seed + attempt)
            )
            used, most = used + steps, max(most, attempt)
            if reached:
                met += 1
                break
        iterations.append(used)
    seconds = (time.process_time() - begin) / count
    return Outcome(name, count, met, np.array(iterations), most, seconds)


def _restart(robot: Robot, start: Array, seed: int) -> Array:
    """Random joint angles (nq,); a floating base begins where it did."""
    q: Array = random_configuration(robot, seed=seed)
    for joint in robot.joints:
        if joint.type is JointType.FLOATING:
            q[robot.q_slice(joint.name)] = start[robot.q_slice(joint.name)]
    return q


def _repeated(tasks: Sequence[MotionTask], robot: Robot, begin: Any, step: Any, where: Any) -> Reach:
    """Steps until all errors are small; begin: sets a configuration, step: makes one, where: gives it, as ours."""
    stack = TaskStack(robot, tuple(tasks))
    kernel, parameters = stack.kernel, stack.parameters

    def reach(start: Array) -> tuple[bool, int]:
        begin(start)
        for count in range(ITERATIONS):
            if np.abs(kernel(where(), parameters)[0]).max() < TOLERANCE:
                return True, count
            try:
                step()
            except Exception:  # whatever its solver raises counts as a failed start
                return False, count
        return bool(np.abs(kernel(where(), parameters)[0]).max() < TOLERANCE), ITERATIONS

    return reach


def pink_peer(robot: Robot, setting: Setting) -> Callable[[Sequence[MotionTask]], Reach]:
    """Pink on Pinocchio's model of the robot, with DAQP."""
    import pinocchio

    from footfall.bench.pinocchio_models import model_from_robot

    pink: Any = importlib.import_module("pink")
    model = model_from_robot(robot, fast=True)
    order = np.arange(robot.nq)
    for joint in robot.joints:
        if joint.type is JointType.FLOATING:  # Pinocchio's quaternions have the scalar last
            quaternion = order[robot.q_slice(joint.name)][3:]
            quaternion[:] = np.roll(quaternion, -1)
    back = np.argsort(order)
    model.lowerPositionLimit, model.upperPositionLimit = robot.lower_limits[order], robot.upper_limits[order]
    limits = [pink.limits.ConfigurationLimit(model, config_limit_gain=1.0)]
    options = {"gain": setting.gain, "lm_damping": setting.damping}

    def prepared(tasks: Sequence[MotionTask]) -> Reach:
        goals, theirs = goals_of(tasks), []
        for frame, (pose, place, turn) in goals.poses.items():
            theirs.append(pink.tasks.FrameTask(frame, place, turn, **options))
            theirs[-1].set_target(pinocchio.SE3(pose.rotation, pose.translation))
        if goals.center is not None:
            theirs.append(pink.tasks.ComTask(1.0, **options))
            theirs[-1].set_target(goals.center)
        if goals.joints:
            rows = np.zeros((len(goals.joints), robot.nv))
            for row, name in zip(rows, goals.joints, strict=True):
                row[robot.v_slice(name)] = 1.0
            origin, angles = pinocchio.neutral(model), np.array(list(goals.joints.values()))
            theirs.append(pink.tasks.LinearHolonomicTask(rows, angles, origin, cost=1.0, **options))
        state: list[Any] = []

        def begin(start: Array) -> None:
            state[:] = [pink.Configuration(model, model.createData(), start[order])]

        def step() -> None:
            v = pink.solve_ik(state[0], theirs, _STEP, solver="daqp", limits=limits, damping=_SMALL)
            state[0].integrate_inplace(v, _STEP)

        return _repeated(tasks, robot, begin, step, lambda: state[0].q[back])

    return prepared


def mink_peer(robot: Robot, setting: Setting) -> Callable[[Sequence[MotionTask]], Reach]:
    """Mink on MuJoCo's model of the robot, with DAQP."""
    mink: Any = importlib.import_module("mink")
    model = mujoco_model(robot)
    bodies = {model.body(k).name for k in range(model.nbody)}
    limits = [mink.ConfigurationLimit(model, gain=1.0)]
    configuration = mink.Configuration(model)
    options = {"gain": setting.gain, "lm_damping": setting.damping}

    def prepared(tasks: Sequence[MotionTask]) -> Reach:
        goals, theirs = goals_of(tasks), []
        for frame, (pose, place, turn) in goals.poses.items():
            theirs.append(
                mink.FrameTask(frame, "body" if frame in bodies else "site", place, turn, **options)
            )
            rotation = mink.SO3.from_matrix(pose.rotation)
            theirs[-1].set_target(mink.SE3.from_rotation_and_translation(rotation, pose.translation))
        if goals.center is not None:
            theirs.append(mink.ComTask(1.0, **options))
            theirs[-1].set_target(goals.center)
        if goals.joints:
            cost, target = np.zeros(robot.nv), model.qpos0.copy()
            for name, angle in goals.joints.items():
                cost[robot.v_slice(name)], target[robot.q_slice(name)] = 1.0, angle
            theirs.append(mink.PostureTask(model, cost=cost, **options))
            theirs[-1].set_target(target)

        def step() -> None:
            v = mink.solve_ik(configuration, theirs, _STEP, solver="daqp", damping=_SMALL, limits=limits)
            configuration.integrate_inplace(v, _STEP)

        return _repeated(tasks, robot, configuration.update, step, lambda: configuration.q)

    return prepared


PEERS: dict[str, Peer] = {"Pink": pink_peer, "Mink": mink_peer}
# The best of 14 to 18 each (damping 0 to 1, gain 0.7 to 1) on targets that are not measured, by success, then
# iterations. Others make them look far worse: on the Panda 97 % and 76 iterations with damping 1e-3 and gain 1.
SETTINGS: dict[tuple[str, str], Setting] = {
    ("Pink", "panda"): Setting(0.7, 1e-2),
    ("Mink", "panda"): Setting(0.7, 1e-2),
    ("Pink", "lola"): Setting(1.0, 1e-2),
    ("Mink", "lola"): Setting(1.0, 1e-2),
}
