"""How far impulses move the points of a group of touches: one formula for all points that share a normal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import ArrayOf, Lanes, Matrix3, Vector3
from footfall.contact.islands.island import TWIST, Group
from footfall.math.block_sparse import WIDTH
from footfall.simulation.world.island_inertia import Inertia
from footfall.simulation.world.island_pieces import Pieces


class Mobility(NamedTuple):
    """About how a wrench [f; n] at the centre of a group moves it, `[A B; B^T D] [f; n]`: A in 1/kg, B, D."""

    linear: Matrix3
    mixed: Matrix3
    turning: Matrix3

    def in_all_ways(self) -> Quadratic:
        """Sum of the mobilities of a point in three directions, 1/kg, over its arm.

        It moves by `A f + B S f - S B^T f - S D S f` under a force f, where S is the cross product with its arm.
        """
        a, b, d = self.linear, self.mixed, self.turning
        return Quadratic(
            a[0, 0] + a[1, 1] + a[2, 2],
            2.0 * np.array([b[1, 2] - b[2, 1], b[2, 0] - b[0, 2], b[0, 1] - b[1, 0]]),
            np.array([d[1, 1] + d[2, 2], d[0, 0] + d[2, 2], d[0, 0] + d[1, 1]]),
            -2.0 * np.array([d[1, 2], d[0, 2], d[0, 1]]),
        )

    def along(self, n: Vector3) -> Quadratic:
        """Mobility of a point along a unit normal n, 1/kg, over its arm r: `[n; r x n]^T [A B; B^T D] [n; r x n]`."""
        x, y, z = np.array([0.0, -n[2], n[1]]), np.array([n[2], 0.0, -n[0]]), np.array([-n[1], n[0], 0.0])
        pushed_x, pushed_y, pushed_z = self.turning @ x, self.turning @ y, self.turning @ z
        return Quadratic(
            n @ (self.linear @ n),
            2.0 * np.cross(n, self.mixed.T @ n),
            np.array([x @ pushed_x, y @ pushed_y, z @ pushed_z]),
            2.0 * np.array([y @ pushed_z, z @ pushed_x, x @ pushed_y]),
        )


class Quadratic(NamedTuple):
    """A polynomial of an arm (x, y, z): squares of its components, and products yz, zx, xy."""

    constant: float
    slope: Vector3
    squares: Vector3
    products: Vector3

    def at(self, arm: Vector3) -> float:
        across = np.array([arm[1] * arm[2], arm[2] * arm[0], arm[0] * arm[1]])
        return float(self.constant + self.slope @ arm + self.squares @ (arm * arm) + self.products @ across)


def group_mobility(group: Group, pieces: Pieces, inertia: Inertia) -> Mobility:
    """That of a group; the pivots stand for the whole inertia."""
    products: ArrayOf[Lanes] = np.empty((TWIST * TWIST, WIDTH))  # summed over lanes at the end
    for k in range(group.first_piece, group.first_piece + group.pieces):
        inverse = inertia.pivots[pieces.nodes[k]]
        for c in range(TWIST):
            weighted = inverse * pieces.motions[TWIST * k + c]
            for d in range(c + 1):
                product = weighted * pieces.motions[TWIST * k + d]
                before = products[TWIST * c + d] if k > group.first_piece else 0.0
                products[TWIST * c + d] = product + before
    linear: Matrix3 = np.zeros((3, 3))
    mixed: Matrix3 = np.zeros((3, 3))
    turning: Matrix3 = np.zeros((3, 3))
    for c in (0, 1, 2):
        for d in (0, 1, 2):
            mixed[d, c] = np.sum(products[TWIST * (3 + c) + d])
            if d <= c:
                linear[c, d] = np.sum(products[TWIST * c + d])
                turning[c, d] = np.sum(products[TWIST * (3 + c) + 3 + d])
                linear[d, c], turning[d, c] = linear[c, d], turning[c, d]
    return Mobility(linear, mixed, turning)
