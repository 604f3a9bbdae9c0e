"""Constraints of a branch that its own joints can fulfil are eliminated where the branch begins.

A leg with six free joints and six constrained components leaves nothing to decide at the base: with

    A^T x + free_accelerations + B f = set-points

for the acceleration x of the body that carries it, f follows from x. What the body feels of the leg is then only
more inertia, A B^-1 A^T, and another force. So the equations that are left at the root stay small, and the work is
linear in the number of legs, not cubic. It needs a B of full rank, which a stretched leg has not: the `margin` of
its factor tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.hybrid_constraints import AttachedColumn
from footfall.dynamics.hybrid_elimination import Factor, factor_semidefinite
from footfall.math.spatial import symmetric
from footfall.robot.tree import Tree


class EliminatedBranch(NamedTuple):
    """The constraints of a branch, solved for its forces as far as this goes without its parent's acceleration.

    rows: of the components. missing (n,): set-points less accelerations while the parent rests. columns (n, 6): what
    the parent's acceleration adds to these. Both forward-substituted.
    """

    rows: list[int]
    factor: Factor
    missing: list[Any]
    columns: list[Array]

    @property
    def inertia(self) -> Array:
        """What the parent link feels as inertia (6, 6): `A B^-1 A^T`."""
        weighted = [inverse * y for inverse, y in zip(self.factor.inverse_pivots, self.columns, strict=True)]
        return symmetric(
            6, lambda i, j: sum(w[i] * y[j] for w, y in zip(weighted, self.columns, strict=True))
        )

    @property
    def force(self) -> Array:
        """What it feels as bias force (6,): `-A B^-1 (set-points - free_accelerations)`."""
        scaled = [
            inverse * each for inverse, each in zip(self.factor.inverse_pivots, self.missing, strict=True)
        ]
        return -sum(
            (each * column for each, column in zip(scaled, self.columns, strict=True)), start=np.zeros(6)
        )

    def forces(self, acceleration: Array) -> dict[int, Any]:
        """Constraint forces by row, once the acceleration (6,) of the parent link is known."""
        y = [each - column @ acceleration for each, column in zip(self.missing, self.columns, strict=True)]
        return dict(zip(self.rows, self.factor.backward(y), strict=True))


def eliminate_branch(
    rows: list[int],
    columns: dict[int, Array],
    matrix: Sequence[Sequence[Any]],
    missing: Sequence[Any],
    scales: Sequence[Any],
) -> EliminatedBranch:
    """columns: unit forces (6,) on the parent link. matrix: B. missing: set-points less free accelerations.

    All but columns of all components, by row; scales as in `InwardSweep`.
    """
    block = [[matrix[i][j] for j in rows] for i in rows]
    factor = factor_semidefinite(block, [scales[row] for row in rows])
    substituted = factor.forward([columns[row] for row in rows])
    return EliminatedBranch(rows, factor, factor.forward([missing[row] for row in rows]), substituted)


def branches_to_eliminate(
    tree: Tree, attached: Sequence[AttachedColumn], fixed: set[int], refused: set[int]
) -> dict[int, list[int]]:
    """Rows to eliminate where they leave a link, by link: where several branches with constraints meet.

    A branch must hold all of a row, and have a free joint for each. fixed: velocities that are prescribed. refused:
    links whose branches cannot be eliminated for another reason.
    """
    places: dict[int, set[int]] = {}  # links of each row
    for each in attached:
        places.setdefault(each.row, set()).add(each.link)
    rows: list[set[int]] = [set() for _ in tree.links]
    freedom = [0] * len(tree.links)  # of the joints between a link's constraints and itself
    for row, links in places.items():
        for link in links:
            rows[link].add(row)
    found: dict[int, list[int]] = {}
    for index in reversed(range(len(tree.links))):
        children = [k for k, link in enumerate(tree.links) if link.parent == index and rows[k]]
        own = set(rows[index])
        sources = len(children) + bool(own)
        for child in children:
            others = own.union(*(rows[k] for k in children if k != child))
            able = child not in refused and len(rows[child]) <= freedom[child]
            if able and sources > 1 and not rows[child] & others:
                found[child] = sorted(rows[child])
                continue
            rows[index] |= rows[child]
            freedom[index] += freedom[child]
        velocities = tree.links[index].v
        freedom[index] += sum(k not in fixed for k in range(velocities.start, velocities.stop))
    return found
