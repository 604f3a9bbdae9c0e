"""A whole robot that follows a motion by inverse kinematics, and the wrench that it then needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.inverse_kinematics.resolved_rate import ComfortCost, ResolvedRate
from footfall.control.tasks.orientations import OrientationTask
from footfall.control.tasks.positions import center_of_mass_position, frame_position
from footfall.control.tasks.postures import posture
from footfall.control.tasks.task import MotionTask
from footfall.dynamics.centroidal import centroidal_momentum
from footfall.dynamics.configuration import difference, integrate
from footfall.dynamics.kinematics import link_poses
from footfall.errors import LostMotion
from footfall.gait.poses import HANDS, Hand
from footfall.math.rotations import matrix_from_quaternion, quaternion_from_matrix
from footfall.math.transform import Transform
from footfall.motion.model_derivation import standing_configuration
from footfall.motion.motion import Motion
from footfall.motion.samples import MotionSamples
from footfall.motion.standing import placed_frame
from footfall.robot.model import WORLD, JointType, Robot


class Followed(NamedTuple):
    """Times (n,), configurations (n, nq), velocities (n, nv), and how far the tasks are off (n,), m or rad."""

    times: Array
    q: Array
    v: Array
    errors: Array


def follow_motion(
    robot: Robot,
    motion: Motion,
    q: Array | None = None,
    *,
    dt: float = 0.005,
    gain: float = 100.0,
    allowed: float = 0.02,
    hands: Sequence[Hand] = (),
) -> Followed:
    """The robot along a motion: centre of mass, upper body, feet, and toes where it has them; all other joints stay as
    near as they can to a configuration q (nq,), by default `standing_configuration`. It starts from q, with the right
    foot where the motion has it.

    dt: s. gain: 1/s, below 1/dt. hands: those that follow too, also where they are in null space. Raises `LostMotion`
    if it is off by more than allowed, m or rad.
    """
    times = np.arange(motion.begin_time, motion.end_time + dt / 2, dt)
    q = _on_right_foot(robot, motion, standing_configuration(robot, motion.model) if q is None else q)
    tasks = _tasks(robot, motion, hands)
    solver = ResolvedRate(robot, tasks, cost=ComfortCost(tuple(q.tolist()), comfort_gain=2.0))
    # Rates in the middle of a step take it to its end.
    targets, _ = _task_values(motion.sample(times), motion, hands)
    _, rates = _task_values(motion.sample(times + dt / 2), motion, hands)
    gains = np.full(rates.shape[1], gain)
    path, errors = np.empty((len(times), robot.nq)), np.empty(len(times))
    here = q
    kernel = solver.stack.kernel
    for _ in range(50):  # come to the first pose
        here = integrate(robot, here, 0.2 / gain * solver.run(here, targets[0], 0.0 * rates[0], gains))
    for step in range(len(times)):
        path[step] = here
        errors[step] = np.abs(kernel(here, targets[step])[0]).max()
        if errors[step] > allowed:
            raise LostMotion(float(errors[step]), float(times[step]), allowed)
        here = integrate(robot, here, dt * solver.run(here, targets[step], rates[step], gains))
    return Followed(times, path, _velocities(robot, path, dt), errors)


def centroidal_wrench(robot: Robot, followed: Followed) -> Array:
    """Force and torque about the centre of mass (n - 2, 6) that contacts must exert for a followed motion, N and Nm, at
    all times but the first and the last."""
    dt = float(followed.times[1] - followed.times[0])
    momentum = centroidal_momentum(robot, followed.q, followed.v)
    wrench = (momentum[2:] - momentum[:-2]) / (2 * dt)
    wrench[:, :3] -= robot.mass * np.asarray(robot.gravity)
    return np.asarray(wrench)


def _on_right_foot(robot: Robot, motion: Motion, q: Array) -> Array:
    """The configuration with its floating base moved so that the right foot is where the motion begins."""
    root = next(joint for joint in robot.joints if joint.parent == WORLD)
    if root.type is not JointType.FLOATING:
        return np.array(q, dtype=np.float64)
    poses, first = link_poses(robot.tree, q), motion.snapshot(motion.begin_time)
    foot = Transform(matrix_from_quaternion(first.quaternions[2]), first.feet[0, 0])
    moved = foot @ placed_frame(robot, poses, motion.model.frames["RF"]).inverse()
    moved = root.placement.inverse() @ moved @ placed_frame(robot, poses, root.child)
    result = np.array(q, dtype=np.float64)
    result[robot.q_slice(root.name)] = np.concatenate(
        [moved.translation, quaternion_from_matrix(moved.rotation)]
    )
    return result


def _tasks(robot: Robot, motion: Motion, hands: Sequence[Hand]) -> list[MotionTask]:
    frames = motion.model.frames
    tasks: list[MotionTask] = [center_of_mass_position(np.zeros(3)), OrientationTask(frames["UB"], np.eye(3))]
    for foot in ("RF", "LF"):
        tasks += [frame_position(frames[foot], np.zeros(3)), OrientationTask(frames[foot], np.eye(3))]
    if motion.model.toe_limits is not None:
        tasks += [posture(robot, {_toe_joint(robot, frames[foot]): 0.0}) for foot in ("RF", "LF")]
    tasks += [frame_position(frames[hand], np.zeros(3)) for hand in hands]
    return tasks


def _toe_joint(robot: Robot, frame: str) -> str:
    body = next(entry.body for entry in robot.frames if entry.name == frame)
    return next(joint.name for joint in robot.joints if joint.child == body)


def _task_values(samples: MotionSamples, motion: Motion, hands: Sequence[Hand]) -> tuple[Array, Array]:
    """Targets (n, p) and rates (n, m) of the tasks, in their order."""
    rotations = matrix_from_quaternion(samples.quaternions).reshape(*samples.quaternions.shape[:-1], 9)
    feet = [2, 3]
    targets = [samples.center_of_mass[:, 0], rotations[:, 0]]
    rates = [samples.center_of_mass[:, 1], samples.angular_velocities[:, 0]]
    for side, body in enumerate(feet):
        targets += [samples.feet[:, 0, side], rotations[:, body]]
        rates += [samples.feet[:, 1, side], samples.angular_velocities[:, body]]
    if motion.model.toe_limits is not None:
        targets.append(samples.toes[:, 0])
        rates.append(samples.toes[:, 1])
    for hand in hands:
        targets.append(samples.hands[:, 0, HANDS.index(hand)])
        rates.append(samples.hands[:, 1, HANDS.index(hand)])
    return np.concatenate(targets, axis=1), np.concatenate(rates, axis=1)


def _velocities(robot: Robot, path: Array, dt: float) -> Array:
    """Velocities (n, nv) along a path by central differences."""
    v = np.empty((len(path), robot.nv))
    v[1:-1] = difference(robot, path[:-2], path[2:]) / (2 * dt)
    v[0], v[-1] = 0.0, 0.0
    return v
