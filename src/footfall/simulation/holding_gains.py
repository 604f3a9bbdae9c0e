"""Gains with which joints hold their positions, chosen for a robot: from its weight, efforts and inertias."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.mass_matrix import composite_bodies
from footfall.robot.model import JointType, Robot
from footfall.simulation.commands import own_gains
from footfall.simulation.time_step import actuated_velocities

_WEIGHT_ARM = 1.0  # m: a radian holds the weight of all at this distance
_SINK = 0.02  # m, by which a slide that carries all of the weight gives way
_FULL_ANGLE, _FULL_WAY = 0.1, 0.02  # rad and m, at which a joint gives its greatest effort
_SETTLING = 0.1  # s, damping over stiffness
_LEAST_SHARE = 0.2
_SURE = 0.8  # of the damping that stops a joint in a single step


def holding_gains(robot: Robot, q: Array, dt: float) -> tuple[Array, Array]:
    """kp and kd (joints,), N m/rad and N m s/rad or N/m and N s/m: those of the robot's servos where it has them.

    Otherwise a radian holds the weight of all at 1 m, and 0.1 rad takes the joint's greatest effort at most. The
    damping is 0.1 s times that; where efforts are limited, at most what stops the joint in one step. A joint that is
    damped more, and at its limit, is driven beyond its goal by every step of dt (s) and back by the next. q: (nq,)
    where it stands.
    """
    kp, kd = own_gains(robot)
    axes = actuated_velocities(robot)
    places = [velocity for _, velocity in axes]
    slides = np.array([kind is JointType.PRISMATIC for kind in _kinds(robot, places)], dtype=bool)
    weight = robot.mass * (float(np.linalg.norm(robot.gravity)) or 9.81)
    limits = robot.effort_limits[places]
    stiffness = np.minimum(
        np.where(slides, weight / _SINK, weight * _WEIGHT_ARM),
        limits / np.where(slides, _FULL_WAY, _FULL_ANGLE),
    )
    given = ~np.isnan(kp)
    kp = np.where(given, kp, stiffness)
    stopping = np.where(np.isfinite(limits), _SURE * moved_inertias(robot, q)[places] / dt, np.inf)
    damping = _SETTLING * kp
    return kp, np.where(np.isnan(kd), np.where(given, damping, np.minimum(damping, stopping)), kd)


def moved_inertias(robot: Robot, q: Array) -> Array:
    """Inertias (nv,) that velocities meet at q (nq,) while all others are free, kg m2 or kg.

    At least a fifth of what they meet while other joints are held: three axes through one point leave next to nothing.
    """
    inertia = _inertia(robot, q)
    size = np.diag(inertia)
    free = 1.0 / np.diag(np.linalg.pinv(inertia / np.sqrt(np.outer(size, size)), hermitian=True)) * size
    return np.maximum(free, _LEAST_SHARE * _held(robot, inertia))


def held_inertias(robot: Robot, q: Array) -> Array:
    """Inertias (nv,) that velocities meet at q (nq,) while a free root moves along and all other joints are held, kg m2
    or kg."""
    return _held(robot, _inertia(robot, q))


def _inertia(robot: Robot, q: Array) -> Array:
    """The mass matrix (nv, nv) at q (nq,), once: native code for it would take seconds to compile."""
    return np.asarray(composite_bodies(robot, np.asarray(q, dtype=np.float64)), dtype=np.float64)


def _held(robot: Robot, inertia: Array) -> Array:
    result = np.diag(inertia).copy()
    root = robot.joints[0]
    if root.type is JointType.FLOATING:
        base = robot.v_slice(root.name)
        coupling = inertia[base]
        result -= np.einsum("ij,ij->j", coupling, np.linalg.solve(inertia[base, base], coupling))
        result[base] = np.diag(inertia)[base]
    return np.maximum(result, 0.0)


def _kinds(robot: Robot, places: list[int]) -> list[JointType]:
    """Types of the joints of velocities."""
    kinds = {
        velocity: joint.type
        for joint in robot.joints
        for velocity in range(robot.nv)[robot.v_slice(joint.name)]
    }
    return [kinds[place] for place in places]
