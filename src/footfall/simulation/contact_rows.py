"""Constraint rows in whitened coordinates, where the mass matrix is the identity.

With `M = L^T D L` a row J of a constraint becomes `y = D^-1/2 L^-T J^T`. Then `J M^-1 J^T = y^T y`, and an impulse p
changes the whitened velocity `u` by `y p`. A row has entries only on the path from its bodies to the root, so a
sweep over all contacts costs the number of rows times the depth of the tree, and no matrix of contacts is formed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.compiler import sqrt
from footfall.dynamics.factorisation import MassFactor, velocity_path
from footfall.math.spatial import cross
from footfall.math.transform import Transform
from footfall.robot.tree import Tree

Array = np.ndarray[Any, np.dtype[Any]]
Row = dict[int, Any]  # velocity -> entry


class Whitening:
    """Rows of a robot in one configuration, and their whitened form."""

    def __init__(self, tree: Tree, poses: Sequence[Transform], factor: MassFactor) -> None:
        self.tree = tree
        self.poses = poses  # of the links in the world
        self.factor = factor
        self.scale = [sqrt(pivot) for pivot in factor.inverse_pivots]
        self._plain: dict[int, list[Row]] = {}
        self._links: dict[int, list[Row]] = {}

    def whiten(self, row: Row) -> Row:
        """y of a row: hand each entry on to the velocities before it, then scale."""
        tree, lower = self.tree, self.factor.lower
        involved = set(row)
        for velocity in row:
            involved.update(velocity_path(tree, velocity))
        entries = {velocity: row.get(velocity, 0.0) for velocity in involved}
        for k in sorted(involved, reverse=True):
            for i in velocity_path(tree, k):
                entries[i] = entries[i] - lower[k, i] * entries[k]
        return {k: self.scale[k] * entries[k] for k in sorted(involved)}

    def plain_rows(self, link: int) -> list[Row]:
        """Rows of a link's motion [v; w], world axes, at the link's origin, before whitening."""
        if link not in self._plain:
            origin = self.poses[link].translation
            rows: list[Row] = [{} for _ in range(6)]
            for index in self.tree.path(link):
                joint, pose = self.tree.links[index], self.poses[index]
                for velocity, motion in zip(range(self.tree.nv)[joint.v], joint.subspace.T, strict=True):
                    angular = pose.rotation @ motion[3:]
                    linear = pose.rotation @ motion[:3] + cross(angular, origin - pose.translation)
                    for row, entry in zip(rows, (*linear, *angular), strict=True):
                        row[velocity] = entry
            self._plain[link] = rows
        return self._plain[link]

    def link_rows(self, link: int) -> list[Row]:
        """The same, whitened."""
        if link not in self._links:
            self._links[link] = [self.whiten(row) for row in self.plain_rows(link)]
        return self._links[link]

    def point_rows(self, link: int, point: Array) -> list[Row]:
        """Whitened rows of the velocity of a point (3,) in world axes that moves with a link."""
        if link < 0:
            return [{}, {}, {}]
        rows = self.link_rows(link)
        r = point - self.poses[link].translation
        result = []
        for k in range(3):  # v + w x r
            second, third = (k + 1) % 3, (k + 2) % 3
            result.append(combine((1.0, r[third], -r[second]), (rows[k], rows[3 + second], rows[3 + third])))
        return result

    def point_velocity(self, link: int, point: Array, v: Array) -> Array:
        """Velocity (3,) in world axes of a point that moves with a link, at the robot's velocity v (nv,)."""
        if link < 0:
            return np.zeros(3)
        entries = dict(enumerate(v))
        motion = np.array([inner(row, entries) for row in self.plain_rows(link)])
        return motion[:3] + cross(motion[3:], point - self.poses[link].translation)

    def velocity(self, u: Array) -> Array:
        """Change of v (nv,) that belongs to a whitened velocity: `v = L^-1 D^-1/2 u`."""
        v = [scale * entry for scale, entry in zip(self.scale, u, strict=True)]
        for k in range(self.tree.nv):
            for i in reversed(velocity_path(self.tree, k)):
                v[k] = v[k] - self.factor.lower[k, i] * v[i]
        return np.array(v)


def combine(weights: Sequence[Any], rows: Sequence[Row]) -> Row:
    """Weighted sum of rows."""
    velocities = sorted({velocity for row in rows for velocity in row})
    result: Row = {}
    for velocity in velocities:
        terms = [w * row[velocity] for w, row in zip(weights, rows, strict=True) if velocity in row]
        result[velocity] = sum(terms[1:], start=terms[0])
    return result


def inner(a: Row, b: Row) -> Any:
    """`a^T b`, summed in four strands: on one lane a long chain of sums would be waited for."""
    terms = [a[velocity] * b[velocity] for velocity in a if velocity in b]
    strands = [sum(terms[k + 4 :: 4], start=terms[k]) for k in range(min(4, len(terms)))]
    while len(strands) > 1:
        strands = [sum(strands[k + 1 : k + 2], start=strands[k]) for k in range(0, len(strands), 2)]
    return strands[0] if strands else 0.0


def along(row: Row, u: Array) -> Any:
    """`row^T u` for a whole vector u (nv,)."""
    return inner(row, dict(enumerate(u)))
