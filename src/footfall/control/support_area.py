"""Where the zero-moment point may be on any contacts: the full and the pendular support area, Seiwald 2023, chapter 2
(Caron).

On level ground and in its plane both are the support polygon (the pendular one as far as friction reaches). With feet
on stairs or a hand on a wall there is no such polygon, and these take its place.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.arrays import Array
from footfall.control.planar_region import PlanarRegion, solve_planar_region
from footfall.control.requests import checked_array
from footfall.control.wrench_cone import Support, wrench_edges
from footfall.errors import InvalidInput


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
    return solve_planar_region(
        lambda direction: _farthest(point, np.array(conditions), np.array(wanted), direction, bound),
        tolerance=tolerance,
        queries=queries,
    )


def _farthest(point: Array, conditions: Array, wanted: Array, direction: Array, bound: float) -> Array:
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
    if found.status != 0:
        raise InvalidInput(f"no forces of the contacts carry a robot within {bound:g} m in such a motion")
    return np.asarray(found.x[:2], dtype=np.float64)
