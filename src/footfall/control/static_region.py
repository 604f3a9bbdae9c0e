"""Where the centre of mass may be while a robot stands still on any contacts, 003a section 6.4 (Bretl and Lall).

Contacts need not be in one plane. The region is convex; each linear program finds its farthest point in a direction,
and directions are added where the inner polygon and the outer one are farthest apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.control.balance import NoSupport
from footfall.control.friction_pyramid import pyramid_edges
from footfall.control.wrench_cone import Support

Array = np.ndarray[Any, np.dtype[np.float64]]


class StaticRegion(NamedTuple):
    """inner (k, 2): corners of points that are in the region, counter-clockwise, m. directions (m, 2) and reach (m,):
    `directions @ p <= reach` for all its points. gap: the greatest distance between the two polygons, m."""

    inner: Array
    directions: Array
    reach: Array
    gap: float


def solve_static_reach(
    supports: Sequence[Support],
    direction: Array,
    *,
    mass: float,
    gravity: float = 9.81,
    facets: int = 4,
    bound: float = 100.0,
) -> Array:
    """The farthest place (2,) of the centre of mass in a direction (2,), m, for which forces in the pyramids exist.

    Hands that clamp can carry the robot anywhere; then bound limits the place, m.
    """
    from scipy.optimize import linprog

    if not supports:
        raise NoSupport("there are no contacts; at least one is needed")
    if not mass > 0.0:
        raise NoSupport(f"mass is {mass:g} kg; it must be above zero")
    weight = mass * gravity
    edges = np.vstack([pyramid_edges(each.normal, each.friction, facets=facets) for each in supports])
    places = np.repeat(np.array([each.position for each in supports], dtype=np.float64), facets, axis=0)
    # Unknown: the centre (2), in m, and the share of the weight along each edge.
    balance = np.zeros((6, 2 + len(edges)))
    balance[:3, 2:] = edges.T
    balance[3:, 2:] = np.cross(places, edges).T
    balance[3, 1], balance[4, 0] = -1.0, 1.0  # moment of the weight: c x (0, 0, -1)
    wanted = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    cost = np.concatenate([-np.asarray(direction, dtype=np.float64), np.zeros(len(edges))])
    limits = [(-bound, bound)] * 2 + [(0.0, None)] * len(edges)
    found = linprog(cost, A_eq=balance, b_eq=wanted, bounds=limits, method="highs")
    if found.status != 0:
        raise NoSupport(
            f"no forces of the {len(supports)} contacts carry {weight:g} N, wherever the centre of mass is"
        )
    return np.asarray(found.x[:2], dtype=np.float64)


def solve_static_region(
    supports: Sequence[Support],
    *,
    mass: float = 1.0,
    gravity: float = 9.81,
    facets: int = 4,
    tolerance: float = 1e-3,
    queries: int = 100,
) -> StaticRegion:
    """The region between an inner and an outer polygon that are closer than tolerance (m) where queries suffice."""
    options: dict[str, Any] = {"mass": mass, "gravity": gravity, "facets": facets}
    angles = [
        0.1,
        0.1 + 2 * np.pi / 3,
        0.1 + 4 * np.pi / 3,
    ]  # no direction along an axis, where ties are common
    directions = [np.array([np.cos(angle), np.sin(angle)]) for angle in angles]
    points = [solve_static_reach(supports, direction, **options) for direction in directions]
    for _ in range(queries - 3):
        place, gap, direction = _widest_gap(directions, points)
        if gap <= tolerance:
            break
        directions.insert(place + 1, direction)
        points.insert(place + 1, solve_static_reach(supports, direction, **options))
    outward, corners = np.array(directions), np.array(points)
    reach = np.einsum("ij,ij->i", outward, corners)
    kept = [k for k in range(len(corners)) if np.abs(corners[k] - corners[k - 1]).max() > 1e-12]
    return StaticRegion(corners[kept or [0]], outward, reach, max(0.0, _widest_gap(directions, points)[1]))


def _widest_gap(directions: list[Array], points: list[Array]) -> tuple[int, float, Array]:
    """Index, height and outward direction of the widest triangle between two neighbouring points and their tangents."""
    widest: tuple[int, float, Array] = (0, -1.0, directions[0])
    for k, (first, second) in enumerate(zip(points, [*points[1:], points[0]], strict=True)):
        before, after = directions[k], directions[(k + 1) % len(directions)]
        edge = second - first
        length = float(np.linalg.norm(edge))
        if length < 1e-9:
            continue
        normal = np.array([edge[1], -edge[0]]) / length
        tangents = np.array([before, after])
        if abs(np.linalg.det(tangents)) < 1e-12:
            continue
        corner = np.linalg.solve(tangents, [before @ first, after @ second])
        gap = float(normal @ (corner - first))
        if gap > widest[1]:
            widest = (k, gap, normal)
    return widest
