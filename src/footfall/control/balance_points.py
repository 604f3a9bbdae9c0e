"""Points that tell whether a robot balances, Seiwald 2023, chapter 2.

All are on level ground, world z up. Wrenches act on the robot. The zero-moment point and support polygons are in
`balance`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.balance import checked_contacts, margin
from footfall.control.requests import checked_array
from footfall.dynamics.center_of_mass import (
    center_of_mass,
    center_of_mass_bias,
    center_of_mass_jacobian,
    moving_mass,
)
from footfall.dynamics.centroidal import centroidal_momentum_bias, centroidal_momentum_matrix
from footfall.errors import InvalidInput
from footfall.robot.model import Robot


def zmp_of_wrench(wrench: Array, *, height: float = 0.0) -> Array:
    """Zero-moment point (2,), m, of a ground reaction wrench [f; n] (6,) about the origin of the world.

    height: of the contact plane, m.
    """
    force, moment = np.split(checked_array("wrench", wrench, (6,)), 2)
    _require_load(force[2])
    point: Array = np.array([height * force[0] - moment[1], moment[0] + height * force[1]]) / force[2]
    return point


class PressureCenter(NamedTuple):
    """point (2,): where the ground pushes, m; load: N along the normal."""

    point: Array
    load: float


def center_of_pressure(positions: Array, forces: Array) -> PressureCenter:
    """Centre of pressure of contact forces (n, 3), N, on the robot at positions (n, 3), m, in a level plane.

    Only what pushes counts, so that it never leaves the support polygon; it is the zero-moment point while nothing
    pulls.
    """
    positions, forces = checked_contacts(positions, forces)
    pressing = np.maximum(forces[:, 2], 0.0)
    load = float(pressing.sum())
    _require_load(load)
    return PressureCenter(pressing @ positions[:, :2] / load, load)


def foot_rotation_indicator(wrench: Array, *, height: float = 0.0) -> Array:
    """Foot rotation indicator (2,), m, or fictitious zero-moment point: where the ground would have to push so that
    the feet stay.

    wrench: [f; n] (6,) that the motion takes from the ground, about the origin of the world, whether contacts can give
    it or not. See `imbalance`.
    """
    return zmp_of_wrench(wrench, height=height)


def imbalance(point: Array, polygon: Array) -> float:
    """How far a point (2,) is outside a support polygon (m, 2), m; zero inside: nothing tips."""
    return max(0.0, -margin(point, polygon))


def ground_wrench_of_motion(
    robot: Robot, q: Array, v: Array, a: Array, *, wrenches: Sequence[tuple[Array, Array]] = ()
) -> Array:
    """Wrench [f; n] (6,) about the origin of the world that a motion takes from the ground, N and N m.

    q (nq,), v (nv,), a (nv,). wrenches: positions (3,) in the world, m, and known wrenches [f; n] (6,) on the robot
    there, of hands say, which the ground need not give.
    """
    mass, center = moving_mass(robot), center_of_mass(robot, q)
    acceleration = center_of_mass_jacobian(robot, q) @ a + center_of_mass_bias(robot, q, v)
    force = mass * (acceleration - np.asarray(robot.gravity))
    rate = centroidal_momentum_matrix(robot, q)[3:] @ a + centroidal_momentum_bias(robot, q, v)[3:]
    total = np.concatenate([force, rate + np.cross(center, force)])
    for place, wrench in wrenches:
        given = checked_array("wrench", wrench, (6,))
        total -= np.concatenate([given[:3], given[3:] + np.cross(np.asarray(place), given[:3])])
    return np.asarray(total, dtype=np.float64)


def foot_zmp_with_hand(
    center: Array,
    acceleration: Array,
    hand: Array,
    wrench: Array,
    *,
    mass: float,
    angular_rate: Array | None = None,
    gravity: float = 9.81,
) -> Array:
    """Zero-moment point (2,) of the feet, m, while a hand bears a known wrench; ground at z = 0.

    Seiwald 2023, chapter 2.
    center: (3,) of mass, m; acceleration: (3,) of it, m/s2; hand: (3,) where the wrench [f; n] (6,) acts on the robot;
    angular_rate: (3,) of the angular momentum about the centre, N m, zero by default; mass: kg.
    """
    force, moment = np.split(checked_array("wrench", wrench, (6,)), 2)
    center, acceleration, hand = (
        checked_array(name, value, (3,))
        for name, value in (("center", center), ("acceleration", acceleration), ("hand", hand))
    )
    rate = np.zeros(3) if angular_rate is None else checked_array("angular_rate", angular_rate, (3,))
    upward = mass * (gravity + acceleration[2])
    load = float(upward - force[2])
    _require_load(load)
    along = upward * center[0] - mass * center[2] * acceleration[0] + hand[2] * force[0] - hand[0] * force[2]
    across = upward * center[1] - mass * center[2] * acceleration[1] + hand[2] * force[1] - hand[1] * force[2]
    return np.array([along + moment[1] - rate[1], across - moment[0] + rate[0]]) / load


def centroidal_moment_pivot(center: Array, force: Array, *, height: float = 0.0) -> Array:
    """Where the line through the centre of mass (3,), along the ground reaction force (3,), meets the ground (2,), m.

    It is the zero-moment point exactly while the angular momentum about the centre is constant.
    """
    center, force = checked_array("center", center, (3,)), checked_array("force", force, (3,))
    _require_load(float(force[2]))
    return np.asarray(center[:2] - force[:2] / force[2] * (center[2] - height), dtype=np.float64)


class PivotPoint(NamedTuple):
    """point (3,): m; spread: root mean square distance of the lines from it, m."""

    point: Array
    spread: float


def virtual_pivot_point(offsets: Array, forces: Array) -> PivotPoint:
    """Where the lines of ground reaction forces (n, 3), N, of several instants nearly meet.

    offsets: (n, 3), where they act, from the centre of mass and in axes that go with the trunk, m; forces in the same
    axes. A gait that turns about a virtual pivot has a small spread and the point above the centre of mass.
    """
    offsets, forces = checked_contacts(offsets, forces)
    lengths = np.linalg.norm(forces, axis=1)
    if not (len(lengths) and lengths.min() > 0.0):
        raise InvalidInput("forces of zero have no line; leave out instants of flight")
    along = forces / lengths[:, None]
    across = np.eye(3) - along[:, :, None] * along[:, None, :]
    total = across.sum(axis=0)
    if np.linalg.eigvalsh(total)[0] < 1e-9 * len(lengths):
        raise InvalidInput("all forces are parallel; their lines do not meet")
    point = np.linalg.solve(total, np.einsum("nij,nj->i", across, offsets))
    missed = np.einsum("nij,nj->ni", across, offsets - point)
    return PivotPoint(point, float(np.sqrt((missed**2).sum(axis=1).mean())))


def natural_frequency(height: float, *, gravity: float = 9.81) -> float:
    """Of the linear inverted pendulum whose mass stays at a height (m) above its pivot, 1/s."""
    if not (np.isfinite(height) and height > 0.0):
        raise InvalidInput(f"the centre of mass is {height:g} m above the ground; it must be above it")
    if not (np.isfinite(gravity) and gravity > 0.0):
        raise InvalidInput(f"gravity is {gravity:g} m/s2; it must be above zero, though it pulls down")
    return float(np.sqrt(gravity / height))


def capture_point(
    center: Array, velocity: Array, *, height: float | None = None, gravity: float = 9.81
) -> Array:
    """Where to step (2,), m, so that the linear inverted pendulum comes to rest.

    center: (3,) of mass above the ground, m; velocity: (3,) of it, m/s. height: above the pivot, by default that of the
    centre.
    """
    center, velocity = checked_array("center", center, (3,)), checked_array("velocity", velocity, (3,))
    omega = natural_frequency(float(center[2]) if height is None else height, gravity=gravity)
    return np.asarray(center[:2] + velocity[:2] / omega, dtype=np.float64)


def divergent_component(center: Array, velocity: Array, *, height: float, gravity: float = 9.81) -> Array:
    """Divergent component of motion (3,), m: the part of the motion that runs away, `c + b dc/dt`, b = sqrt(height/g).

    Its first two entries are the capture point. It flees from the virtual repellent point; the centre follows it.
    """
    center, velocity = checked_array("center", center, (3,)), checked_array("velocity", velocity, (3,))
    return center + velocity / natural_frequency(height, gravity=gravity)


def virtual_repellent_point(
    center: Array, acceleration: Array, *, height: float, gravity: float = 9.81
) -> Array:
    """Point (3,), m, that the total force, gravity included, pushes the centre of mass away from: `c - b^2 ddc`."""
    center, acceleration = (
        checked_array("center", center, (3,)),
        checked_array("acceleration", acceleration, (3,)),
    )
    return center - acceleration / natural_frequency(height, gravity=gravity) ** 2


def divergent_component_after(component: Array, repellent: Array, time: float, *, omega: float) -> Array:
    """The divergent component (n,) after a time, s, over a repellent point (n,) that stays, Seiwald 2023, chapter 2."""
    return np.asarray(repellent + np.exp(omega * time) * (component - repellent), dtype=np.float64)


def pendulum_after(
    center: Array, velocity: Array, pivot: Array, time: float, *, omega: float
) -> tuple[Array, Array]:
    """Position and velocity (n,) of the linear inverted pendulum after a time, s, with a constant pivot (n,)."""
    c, s = np.cosh(omega * time), np.sinh(omega * time)
    offset = np.asarray(center) - pivot
    return pivot + offset * c + velocity / omega * s, offset * omega * s + velocity * c


def _require_load(load: float) -> None:
    if not load > 0.0:
        raise InvalidInput(f"the ground carries {load:g} N; it must be above zero")
