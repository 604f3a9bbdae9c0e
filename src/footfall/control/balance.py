"""Balance: support polygons, and how far the centre of mass and the zero-moment point are from their edges.

At rest the centre of mass must lie above the polygon of the contacts; in motion the zero-moment point must lie in it,
Ayit 2015, chapter 2. Two feet make a line and one a point: there margins are zero at best.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.control.requests import checked_array
from footfall.dynamics.center_of_mass import center_of_mass
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
    center, acceleration, angular_rate = (
        checked_array(name, value, (3,))
        for name, value in (
            ("center", center),
            ("acceleration", acceleration),
            ("angular_rate", angular_rate),
        )
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
