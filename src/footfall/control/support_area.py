"""Where centre of mass and zero-moment point may be on any contacts, Seiwald 2023, chapter 2.

At rest: the static region of the centre of mass (Bretl and Lall). In motion: the full and the pendular support area of
the zero-moment point (Caron). On level ground these areas are the support polygon (the pendular one as far as friction
reaches); with feet on stairs or a hand on a wall there is no such polygon, and these take its place.

All are convex regions in a plane of which only the farthest point in a direction can be found, by a linear program.
Found points make an inner polygon, lines through them an outer one; directions are added where the two are farthest
apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.balance import support_polygon
from footfall.control.requests import checked_array
from footfall.control.wrench_cone import Support, wrench_edges
from footfall.errors import InvalidInput

_THIRD = 2.0 * np.pi / 3.0
_START = (0.1, 0.1 + _THIRD, 0.1 + 2.0 * _THIRD)  # no direction along an axis, where ties are common


class PlanarRegion(NamedTuple):
    """inner (k, 2): corners of points that are in the region, counter-clockwise, m. directions (m, 2) and reach (m,):
    `directions @ p <= reach` for all its points. gap: the greatest distance between the two polygons, m."""

    inner: Array
    directions: Array
    reach: Array
    gap: float


def solve_planar_region(
    farthest: Callable[[Array], Array], *, tolerance: float = 1e-3, queries: int = 100
) -> PlanarRegion:
    """The region between two polygons that are closer than tolerance (m), if that many queries suffice.

    farthest: the farthest point (2,) of the region in a direction (2,), m.
    """
    directions = [np.array([np.cos(angle), np.sin(angle)]) for angle in _START]
    points = [farthest(direction) for direction in directions]
    for _ in range(queries - len(points)):
        place, gap, direction = _widest_gap(directions, points)
        if gap <= tolerance:
            break
        directions.insert(place + 1, direction)
        points.insert(place + 1, farthest(direction))
    outward, corners = np.array(directions), np.array(points)
    reach = np.einsum("ij,ij->i", outward, corners)
    gap = max(0.0, _widest_gap(directions, points)[1])
    return PlanarRegion(support_polygon(np.round(corners, 12)), outward, reach, gap)


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
    if not mass > 0.0:
        raise InvalidInput(f"mass is {mass:g} kg; it must be above zero")
    edges = wrench_edges(supports, facets=facets)
    force, moment = edges[:, :3], edges[:, 3:]
    # With a load of one, the moment of the weight c x (0, 0, -1) gives the centre of mass.
    center = np.column_stack([-moment[:, 1], moment[:, 0]])
    conditions, wanted = np.array([*force.T, moment[:, 2]]), np.array([0.0, 0.0, 1.0, 0.0])
    found = _farthest(center, conditions, wanted, checked_array("direction", direction, (2,)), bound)
    if found is None:
        raise InvalidInput(
            f"no forces of the {len(supports)} contacts carry {mass * gravity:g} N, wherever the centre of mass is; "
            "give contacts that push up, or more friction"
        )
    return found


def solve_static_region(
    supports: Sequence[Support],
    *,
    mass: float = 1.0,
    gravity: float = 9.81,
    facets: int = 4,
    tolerance: float = 1e-3,
    queries: int = 100,
) -> PlanarRegion:
    """The region between an inner and an outer polygon that are closer than tolerance (m) where queries suffice."""
    return solve_planar_region(
        lambda direction: solve_static_reach(supports, direction, mass=mass, gravity=gravity, facets=facets),
        tolerance=tolerance,
        queries=queries,
    )


def solve_support_area(
    supports: Sequence[Support],
    *,
    center: Array | None = None,
    height: float = 0.0,
    facets: int = 4,
    tolerance: float = 1e-3,
    queries: int = 100,
    bound: float = 100.0,
) -> PlanarRegion:
    """All zero-moment points in the level plane of a height, m, that forces in the friction pyramids can have.

    Without a center this is the full area. With the center of mass (3,), m, it is the pendular area, of motions as a
    linear inverted pendulum: the center keeps its height and the angular momentum about it is constant, so that it is
    accelerated by `g (center - zmp) / (center height - height)`. Hands that clamp or pull down can make the area
    unbounded; then bound limits the place, m.
    """
    edges = wrench_edges(supports, facets=facets)
    force, moment = edges[:, :3], edges[:, 3:]
    # With a load of one, the zero-moment point is linear in what acts along the edges.
    point = np.column_stack([height * force[:, 0] - moment[:, 1], moment[:, 0] + height * force[:, 1]])
    conditions, wanted = [force[:, 2]], [1.0]
    if center is not None:
        about = moment - np.cross(checked_array("center", center, (3,)), force)
        conditions += list(about.T)
        wanted += [0.0, 0.0, 0.0]
    rows, values = np.array(conditions), np.array(wanted)

    def farthest(direction: Array) -> Array:
        found = _farthest(point, rows, values, direction, bound)
        if found is None:
            raise InvalidInput(
                f"no forces of the contacts carry a robot within {bound:g} m in such a motion; "
                "give more contacts, or a center above them"
            )
        return found

    return solve_planar_region(farthest, tolerance=tolerance, queries=queries)


def _farthest(point: Array, conditions: Array, wanted: Array, direction: Array, bound: float) -> Array | None:
    """The place (2,) `x @ point` farthest in a direction with `conditions x = wanted`, `x >= 0`, within the bound."""
    from scipy.optimize import linprog

    count = len(point)
    rows = np.zeros((len(wanted) + 2, 2 + count))
    rows[:2, :2], rows[:2, 2:], rows[2:, 2:] = -np.eye(2), point.T, conditions
    limits = [(-bound, bound)] * 2 + [(0.0, None)] * count
    found = linprog(
        np.concatenate([-direction, np.zeros(count)]),
        A_eq=rows,
        b_eq=np.concatenate([np.zeros(2), wanted]),
        bounds=limits,
        method="highs",
    )
    return np.asarray(found.x[:2], dtype=np.float64) if found.status == 0 else None
