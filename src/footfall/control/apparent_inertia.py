"""The inertia that one feels along some directions of a robot: `Lambda = (J M^-1 J^T)^-1`, and where it has none.

With `M = L L^T` and `B = J L^-T` it is `(B B^T)^-1`. Ranks are decided on the singular values of B, which are roots of
those of `J M^-1 J^T`: directions a thousand times harder to move than others are still a thousandth, not a millionth.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.math.generalised_inverses import RANK_TOLERANCE


class ApparentInertia(NamedTuple):
    """matrix (m, m): zero along lost directions. rank: of the directions. lost (m, m - rank): those in which nothing
    can be accelerated, or that others imply, as orthonormal columns in scaled rows."""

    matrix: Array
    rank: int
    lost: Array


def apparent_inertia(
    mass: Array, jacobian: Array, *, scale: Array | None = None, tolerance: float = RANK_TOLERANCE
) -> ApparentInertia:
    """Of rows of a Jacobian (m, nv) for a mass matrix (nv, nv).

    scale (m,): factors that give rows the same unit. tolerance: singular values of scaled B below it times the largest
    count as zero.
    """
    count = len(jacobian)
    if count == 0:
        return ApparentInertia(np.zeros((0, 0)), 0, np.zeros((0, 0)))
    factors = np.ones(count) if scale is None else scale
    root = np.linalg.cholesky(mass)
    left, values, _ = np.linalg.svd(factors[:, None] * np.linalg.solve(root, jacobian.T).T)
    values = np.concatenate([values, np.zeros(max(0, count - len(values)))])
    kept = (values > tolerance * values[0]) & (values > 0.0)
    inverse = np.divide(1.0, values**2, out=np.zeros(count), where=kept)
    matrix = factors[:, None] * ((left * inverse) @ left.T) * factors
    return ApparentInertia(matrix, int(kept.sum()), left[:, ~kept])
