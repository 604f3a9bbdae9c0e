"""Elimination of positive semidefinite equations, with a decision on what is independent.

Without pivoting: rows come in the order of their priority. Entries that are the number zero cost nothing in traced
code, so blocks that do not couple stay apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from footfall.compiler import greater, minimum, where

# Of a row's diagonal entry and scale; pivots below count as rounding. Elimination divides by pivots, so that rounding
# grows to 1e-16 over the least one that is kept: with less than 1e-8 this would be kept too.
RANK_TOLERANCE = 1e-7
SAFE_PIVOT = 1e-5  # of the same; above, not more than five digits are lost


class Factor(NamedTuple):
    """`L D L^T` of a matrix (n, n).

    lower: rows of L before its diagonal. inverse_pivots: of D, zero for rows that depend on those before them.
    kept: 1 for the others. margin: negative if some pivot is below its share `SAFE_PIVOT` of both.
    """

    lower: list[list[Any]]
    inverse_pivots: list[Any]
    kept: list[Any]
    margin: Any

    def forward(self, b: Sequence[Any]) -> list[Any]:
        """y with `L y = b`; entries may be rows of a matrix."""
        y = list(b)
        for i, row in enumerate(self.lower):
            for k, entry in enumerate(row):
                y[i] = y[i] - entry * y[k]
        return y

    def backward(self, y: Sequence[Any]) -> list[Any]:
        """x with `D L^T x = y`, zero for rows that are not kept."""
        x = [inverse * each for inverse, each in zip(self.inverse_pivots, y, strict=True)]
        for k in reversed(range(len(x))):
            for i in range(k + 1, len(x)):
                x[k] = x[k] - self.lower[i][k] * x[i]
        return x


def factor_semidefinite(matrix: Sequence[Sequence[Any]], scales: Sequence[Any]) -> Factor:
    """Factor of a positive semidefinite matrix.

    scales: (n,) what diagonal entries usually are: an entry that is rounding itself cannot say so.
    """
    n = len(matrix)
    rest = [list(row[: i + 1]) for i, row in enumerate(matrix)]
    lower: list[list[Any]] = [[0.0] * i for i in range(n)]
    inverse_pivots: list[Any] = []
    kept: list[Any] = []
    margin: Any = 0.0
    for k in range(n):
        pivot, own = rest[k][k], matrix[k][k] + scales[k]
        margin = minimum(margin, pivot - SAFE_PIVOT * own)
        independent = greater(pivot, RANK_TOLERANCE * own)
        kept.append(where(independent, 1.0, 0.0))
        inverse_pivots.append(kept[k] / where(independent, pivot, 1.0))
        for i in range(k + 1, n):
            lower[i][k] = rest[i][k] * inverse_pivots[k]
            for j in range(k + 1, i + 1):
                rest[i][j] = rest[i][j] - lower[i][k] * rest[j][k]
    return Factor(lower, inverse_pivots, kept, margin)


class SemidefiniteSolution(NamedTuple):
    """x, residuals, kept: (n,) each. margin: see `Factor`."""

    x: list[Any]
    residuals: list[Any]
    kept: list[Any]
    margin: Any


def solve_semidefinite(
    matrix: Sequence[Sequence[Any]], b: Sequence[Any], scales: Sequence[Any]
) -> SemidefiniteSolution:
    """x (n,) with `matrix @ x = b` for a positive semidefinite matrix; scales as in `factor_semidefinite`.

    A row that depends on those before it has x = 0, and what its equation is missed by as residual.
    """
    factor = factor_semidefinite(matrix, scales)
    x = factor.backward(factor.forward(b))
    residuals = []
    for row, each, kept in zip(matrix, b, factor.kept, strict=True):
        residuals.append(
            (1.0 - kept) * (each - sum(entry * force for entry, force in zip(row, x, strict=True)))
        )
    return SemidefiniteSolution(x, residuals, factor.kept, factor.margin)
