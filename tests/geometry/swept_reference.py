"""Distances of simplices by the general way of Schwienbacher 2014, (6.49)-(6.53), for comparison: slow, short, and
sharing no code.

Apart: the least squares problem over the corners' weights, whose optimality conditions are tried on every pair of
faces. Crossing: the facets of the hull of all differences of corners.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from footfall.arrays import Array


def reference_distance(first: Array, second: Array) -> float:
    """Signed distance of the simplices with corners (1 to 3, 3): negative by how deep they cross."""
    apart = program_distance(first, second)[0]
    # Thin layers leave the program some rounding.
    depth = crossing_depth(first, second) if apart < 1e-7 else 0.0
    return -depth if depth > 1e-12 else apart


def program_distance(first: Array, second: Array) -> tuple[float, float]:
    """Least distance, and how far its solution violates the optimality conditions, relative to the size of things.

    min |w| with w = sum m_j b_j - sum l_i a_i, weights not negative with sum one. Convex: a point is the least one if
    moving to any corner of either does not come closer.
    """
    least, violation = np.inf, np.inf
    for own in _faces(len(first)):
        for other in _faces(len(second)):
            a, b = first[own], second[other]
            columns = np.column_stack([*(-(a[1:] - a[0])), *(b[1:] - b[0]), np.zeros(3)])
            weights = np.linalg.lstsq(columns, -(b[0] - a[0]), rcond=1e-13)[0]
            own_weights, other_weights = weights[: len(a) - 1], weights[len(a) - 1 : -1]
            own_weights = np.clip([1.0 - own_weights.sum(), *own_weights], 0.0, None)
            other_weights = np.clip([1.0 - other_weights.sum(), *other_weights], 0.0, None)
            p, q = own_weights @ a / own_weights.sum(), other_weights @ b / other_weights.sum()
            distance = float(np.linalg.norm(q - p))  # of points on both, so never below the least one
            if distance < least:
                least = distance
                scale = np.abs(np.concatenate([first - p, second - q])).max() + distance + 1e-100
                beyond = max((first - p) @ (q - p)).max(), (-(second - q) @ (q - p)).max()
                violation = max(0.0, *beyond) / scale**2
    return least, violation


def crossing_depth(first: Array, second: Array) -> float:
    """The least way that parts two simplices, m; 0 if they only touch or their differences span no volume."""
    differences = (second[:, None, :] - first[None, :, :]).reshape(-1, 3)
    try:
        hull = ConvexHull(differences)
    except (QhullError, ValueError):
        return 0.0
    return max(0.0, float(-hull.equations[:, 3].max()))


def _faces(corners: int) -> list[list[int]]:
    return [list(face) for size in range(1, corners + 1) for face in combinations(range(corners), size)]
