"""Where the centre of mass may be while a robot stands still on any contacts, Seiwald 2023, chapter 2 (Bretl and Lall).

Contacts need not be in one plane. The region is convex; each linear program finds its farthest point in a direction.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.arrays import Array
from footfall.control.planar_region import PlanarRegion, solve_planar_region
from footfall.control.requests import checked_array
from footfall.control.wrench_cone import Support, wrench_edges
from footfall.errors import InvalidInput


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

    if not mass > 0.0:
        raise InvalidInput(f"mass is {mass:g} kg; it must be above zero")
    weight = mass * gravity
    edges = wrench_edges(supports, facets=facets)
    # Unknown: the centre (2), in m, and the share of the weight along each edge.
    balance = np.zeros((6, 2 + len(edges)))
    balance[:, 2:] = edges.T
    balance[3, 1], balance[4, 0] = -1.0, 1.0  # moment of the weight: c x (0, 0, -1)
    wanted = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    cost = np.concatenate([-checked_array("direction", direction, (2,)), np.zeros(len(edges))])
    limits = [(-bound, bound)] * 2 + [(0.0, None)] * len(edges)
    found = linprog(cost, A_eq=balance, b_eq=wanted, bounds=limits, method="highs")
    if found.status != 0:
        raise InvalidInput(
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
) -> PlanarRegion:
    """The region between an inner and an outer polygon that are closer than tolerance (m) where queries suffice."""
    return solve_planar_region(
        lambda direction: solve_static_reach(supports, direction, mass=mass, gravity=gravity, facets=facets),
        tolerance=tolerance,
        queries=queries,
    )
