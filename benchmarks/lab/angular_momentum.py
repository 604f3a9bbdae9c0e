"""Walks with arms at rest, swinging, compensating and minimising: what momentum is left, and what soles must hold."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

import footfall
from footfall.arrays import Array
from footfall.control.angular_momentum import (
    MomentumCompensation,
    Variant,
    arm_swing,
    turning_momentum,
    vertical_inertia,
)
from footfall.control.inverse_kinematics.costs import ComfortCost, CostSum, NullSpaceCost, RepulsiveCost
from footfall.control.inverse_kinematics.null_space import MomentumWeight
from footfall.control.tasks.postures import posture
from footfall.errors import FootfallError, MotionWarning
from footfall.gait.walking_transitions import WalkingTransition
from footfall.motion.following import Followed, FreeMotion, centroidal_wrench, follow_motion
from footfall.motion.model_derivation import standing_configuration
from footfall.motion.motion import Motion
from footfall.robot.model import Robot

DT = 0.005  # s
_SETTLED = 2.5  # s at both ends that do not count: first and last steps


class Walk(NamedTuple):
    """A walk to be made: steps, and by how much the upper body turns in each, rad."""

    name: str
    steps: list[WalkingTransition]
    turn: float = 0.0


class Outcome(NamedTuple):
    """Peaks while walking: momentum about the vertical, kg m2/s; its rate, N m; torque that one sole holds, N m; the
    least distance of arms and the rest, m; joint rate, rad/s, and way, rad, of the arms; tasks off, m or rad. course
    (n, 4): time, momentum, torques of the right and left sole."""

    method: str
    momentum: float
    rate: float
    sole: float
    gap: float
    arm_rate: float
    arm_way: float
    off: float
    course: Array


WALKS = (
    Walk("straight, 0.3 m in 1.0 s", [WalkingTransition(forward=0.3, duration=1.0)] * 10),
    Walk("straight, 0.4 m in 1.0 s", [WalkingTransition(forward=0.4, duration=1.0)] * 10),
    Walk("straight, 0.4 m in 0.8 s", [WalkingTransition(forward=0.4, duration=0.8)] * 10),
    Walk("straight, 0.5 m in 0.7 s", [WalkingTransition(forward=0.5, duration=0.7)] * 12),
    Walk("turning in place", [WalkingTransition(yaw=0.15, duration=0.8)] * 10, 0.15),
    Walk("curve", [WalkingTransition(forward=0.3, yaw=0.1, duration=0.8)] * 10, 0.1),
)


def methods(robot: Robot, q: Array, walk: Walk, begin: float) -> dict[str, FreeMotion]:
    """What arms do, by name. begin: s, when the motion begins."""
    arms = (*robot.groups["right_arm"], *robot.groups["left_arm"])
    pairs = tuple(pair for pair in robot.volume_pairs if any("arm" in name for name in pair))
    comfort = ComfortCost(tuple(q.tolist()), comfort_gain=1.0)
    cost: NullSpaceCost = comfort
    if pairs:
        cost = CostSum((comfort, RepulsiveCost(reach=0.04, strength=1.0, pairs=pairs, step=DT)))
    times = begin + np.arange(0.0, 30.0, DT)
    durations = [step.duration or 0.8 for step in walk.steps]
    course, _ = turning_momentum(
        vertical_inertia(robot, q), [(duration, walk.turn) for duration in durations], times - begin
    )

    def told(time: float) -> Array:
        return np.array([np.interp(time, times, course)])

    def compensated(variant: Variant) -> FreeMotion:
        return FreeMotion(cost=cost, terms=(MomentumCompensation(arms, variant=variant),), inputs=told)

    return {
        "arms at rest": FreeMotion(tasks=(posture(robot, q, joints=list(arms)),)),
        "reference swing": FreeMotion(tasks=arm_swing(robot, q, frame="UB")),
        "compensation, unit (7.9)": compensated("unit"),
        "compensation, exact (7.7)": compensated("exact"),
        "compensation, projected": compensated("projected"),
        "minimisation, delta 0.5": FreeMotion(cost=cost, weight=MomentumWeight(0.5)),
    }


def literal_fails(robot: Robot, motion: Motion, q: Array) -> str:
    """What (7.9) as printed does."""
    arms = (*robot.groups["right_arm"], *robot.groups["left_arm"])
    free = FreeMotion(terms=(MomentumCompensation(arms, variant="literal"),))
    try:
        followed = follow_motion(robot, motion, q, dt=DT, free=free, allowed=0.5)
    except FootfallError as error:
        return f"fails: {error}"
    found = _outcome("literal", robot, motion, followed, q)
    return f"peak {found.momentum:.1f} kg m2/s, arms at {found.arm_rate:.0f} rad/s"


def measure(robot: Robot, walk: Walk) -> tuple[list[Outcome], str]:
    """A walk with each method, and what the printed (7.9) does; nothing but the reason where the walk is refused."""
    model = footfall.reduced_model(robot)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        try:
            motion = footfall.generate_motion(footfall.walking_plan(model, walk.steps), model)
        except FootfallError as error:
            return [], str(error)
    q = standing_configuration(robot, model)
    found = []
    for name, free in methods(robot, q, walk, motion.begin_time).items():
        followed = follow_motion(robot, motion, q, dt=DT, free=free, allowed=0.1)
        found.append(_outcome(name, robot, motion, followed, q))
    return found, literal_fails(robot, motion, q)


def _outcome(method: str, robot: Robot, motion: Motion, followed: Followed, q: Array) -> Outcome:
    momentum = footfall.centroidal_momentum(robot, followed.q, followed.v)[1:-1, 5]
    torques = sole_torques(robot, motion, followed)
    times = followed.times[1:-1] - followed.times[0]
    counted = (times > _SETTLED) & (times < times[-1] - _SETTLED)
    arms = (*robot.groups["right_arm"], *robot.groups["left_arm"])
    in_v = [range(robot.nv)[robot.v_slice(name)][0] for name in arms]
    in_q = [range(robot.nq)[robot.q_slice(name)][0] for name in arms]
    pairs = [pair for pair in robot.volume_pairs if any("arm" in name for name in pair)]
    gap = np.inf
    if pairs:
        gap = float(footfall.volumes.volume_distances(robot, followed.q[::4], pairs=pairs).distance.min())
    return Outcome(
        method,
        float(np.abs(momentum[counted]).max()),
        float(np.abs(np.gradient(momentum, DT)[counted]).max()),
        float(np.abs(torques[counted]).max()),
        gap,
        float(np.abs(followed.v[1:-1][:, in_v][counted]).max()),
        float(np.abs(followed.q[1:-1][:, in_q][counted] - q[in_q]).max()),
        float(followed.errors.max()),
        np.column_stack([times, momentum, torques]),
    )


def sole_torques(robot: Robot, motion: Motion, followed: Followed) -> Array:
    """Torques (n - 2, 2) about the vertical that the right and left sole must hold, N m.

    By inverse dynamics of the whole robot: the wrench of all contacts, forces shared by the load factors; what forces
    at the feet do not make of the torque is shared in the same way.
    """
    wrench = centroidal_wrench(robot, followed)
    samples = motion.sample(followed.times[1:-1])
    center = footfall.center_of_mass(robot, followed.q[1:-1])
    load = samples.load[:, 0, :2]
    load = load / load.sum(axis=1, keepdims=True)
    arms = samples.feet[:, 0] - center[:, None]
    forces = load[:, :, None] * wrench[:, None, :3]
    left = wrench[:, 5] - np.cross(arms, forces)[..., 2].sum(axis=1)
    return np.asarray(load * left[:, None])
