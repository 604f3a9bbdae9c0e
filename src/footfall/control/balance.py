"""Balance: support polygons, the zero-moment point and its relatives, and how far they are from the edges.

At rest the centre of mass must lie above the polygon of the contacts; in motion the zero-moment point must lie in it,
Ayit 2015, chapter 2. Two feet make a line and one a point: there margins are zero at best.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.requests import checked_array, checked_vectors
from footfall.dynamics.center_of_mass import (
    center_of_mass,
    center_of_mass_bias,
    center_of_mass_jacobian,
    moving_mass,
)
from footfall.dynamics.centroidal import centroidal_momentum_bias, centroidal_momentum_matrix
from footfall.errors import InvalidInput
from footfall.robot.model import Robot


def support_polygon(contacts: Array) -> Array:
    """Corners (m, 2) of the convex hull of contact points (n, 2) or (n, 3), m, counter-clockwise from above.

    Points on an edge are left out; one or two corners are left if the contacts lie on a point or a line.
    """
    points = np.asarray(contacts, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] not in (2, 3) or len(points) == 0:
        raise InvalidInput(
            f"contacts have shape {points.shape}; there must be at least one, (n, 2) or (n, 3)"
        )
    if not np.isfinite(points).all():
        raise InvalidInput(f"contacts are {points.tolist()}; they must be finite")
    ordered = np.unique(points[:, :2], axis=0)
    if len(ordered) < 3:
        return ordered
    size = float(np.ptp(ordered, axis=0).max())
    lower, upper = (_chain(chain, 1e-12 * size * size) for chain in (ordered, ordered[::-1]))
    return np.array([*lower[:-1], *upper[:-1]])


def margin(point: Array, polygon: Array) -> float:
    """Distance of a point (2,) or (3,) to the edge of a convex polygon (m, 2) as above, m; negative outside.

    Corners may go round either way.
    """
    position, starts = np.asarray(point, dtype=np.float64)[:2], np.asarray(polygon, dtype=np.float64)
    if not np.isfinite(position).all():
        raise InvalidInput(f"the point is {position.tolist()}; it must be finite")
    if starts.ndim != 2 or starts.shape[1] != 2 or len(starts) == 0:
        raise InvalidInput(f"the polygon has shape {starts.shape}; needed are corners (m, 2)")
    if len(starts) == 1:
        return -float(np.linalg.norm(position - starts[0]))
    ends = np.roll(starts, -1, axis=0)
    edges = ends - starts
    along = np.einsum("ij,ij->i", position - starts, edges) / np.einsum("ij,ij->i", edges, edges)
    nearest = starts + np.clip(along, 0.0, 1.0)[:, None] * edges
    distance = float(np.linalg.norm(position - nearest, axis=1).min())
    sides = _cross(edges, position - starts)
    inside = len(starts) > 2 and bool(np.all(sides >= 0.0) or np.all(sides <= 0.0))
    return distance if inside else -distance


def com_margin(robot: Robot, q: Array, contacts: Array) -> float:
    """Static balance: margin of the centre of mass at q (nq,) above the contacts (n, 3), m."""
    return margin(center_of_mass(robot, q), support_polygon(contacts))


def zmp(positions: Array, forces: Array, *, height: float = 0.0) -> Array:
    """Zero-moment point (2,) of contact forces (n, 3), N, at positions (n, 3), m, on the plane of that height.

    The forces have no moment about a horizontal axis there.
    """
    positions, forces = checked_contacts(positions, forces)
    load = float(forces[:, 2].sum())
    if not load > 0.0:
        raise InvalidInput(f"the contact forces carry {load:g} N; it must be above zero")
    arms = (positions[:, 2] - height)[:, None] * forces[:, :2]
    result: Array = (positions[:, :2] * forces[:, 2:] - arms).sum(axis=0) / load
    return result


def zmp_from_motion(
    center: Array,
    acceleration: Array,
    angular_rate: Array,
    *,
    mass: float,
    gravity: float = 9.81,
    height: float = 0.0,
) -> Array:
    """Zero-moment point (2,) of a robot's motion, m: where the ground must push for it.

    center: (3,) of mass, m. acceleration: (3,) of it, m/s2. angular_rate: (3,) rate of the angular momentum about it,
    N m. mass: kg.
    """
    center, acceleration, angular_rate = checked_vectors(
        center=center, acceleration=acceleration, angular_rate=angular_rate
    )
    load = mass * (acceleration[2] + gravity)
    if not load > 0.0:
        raise InvalidInput(f"the motion takes {load:g} N from the ground; it must be above zero")
    above = center[2] - height
    return np.array(
        [
            center[0] - (angular_rate[1] + above * mass * acceleration[0]) / load,
            center[1] + (angular_rate[0] - above * mass * acceleration[1]) / load,
        ]
    )


def zmp_margin(positions: Array, forces: Array) -> float:
    """Dynamic balance: margin of the zero-moment point of contact forces (n, 3), N, within the points that carry, m.

    For contacts on level ground, whose mean height is taken; `wrench_cone` is for all others.
    """
    positions, forces = checked_contacts(positions, forces)
    height = float(positions[:, 2].mean())
    point = zmp(positions, forces, height=height)
    return margin(point, support_polygon(positions[forces[:, 2] > 0.0]))


def checked_contacts(positions: Array, forces: Array) -> tuple[Array, Array]:
    """Positions and forces of as many contacts, (n, 3) each."""
    count = len(positions)
    return checked_array("positions", positions, (count, 3)), checked_array("forces", forces, (count, 3))


def _cross(a: Array, b: Array) -> Array:
    product: Array = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return product


def _chain(points: Array, tolerance: float) -> list[Array]:
    """One side of the hull of points that are sorted by x (Andrew)."""
    chain: list[Array] = []
    for point in points:
        while len(chain) > 1 and _cross(chain[-1] - chain[-2], point - chain[-2]) <= tolerance:
            chain.pop()
        chain.append(point)
    return chain


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
    center, acceleration, hand = checked_vectors(center=center, acceleration=acceleration, hand=hand)
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
    center, force = checked_vectors(center=center, force=force)
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
    center, velocity = checked_vectors(center=center, velocity=velocity)
    omega = natural_frequency(float(center[2]) if height is None else height, gravity=gravity)
    return np.asarray(center[:2] + velocity[:2] / omega, dtype=np.float64)


def divergent_component(center: Array, velocity: Array, *, height: float, gravity: float = 9.81) -> Array:
    """Divergent component of motion (3,), m: the part of the motion that runs away, `c + b dc/dt`, b = sqrt(height/g).

    Its first two entries are the capture point. It flees from the virtual repellent point; the centre follows it.
    """
    center, velocity = checked_vectors(center=center, velocity=velocity)
    return center + velocity / natural_frequency(height, gravity=gravity)


def virtual_repellent_point(
    center: Array, acceleration: Array, *, height: float, gravity: float = 9.81
) -> Array:
    """Point (3,), m, that the total force, gravity included, pushes the centre of mass away from: `c - b^2 ddc`."""
    center, acceleration = checked_vectors(center=center, acceleration=acceleration)
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
