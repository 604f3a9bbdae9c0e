"""Constraint rows: how links and points move with the robot's velocities, with entries on the path to the root only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.factorisation import MassFactor, velocity_path
from footfall.dynamics.loops import Coupling
from footfall.math.spatial import cross
from footfall.math.transform import Transform
from footfall.robot.tree import Tree

Row = dict[int, Any]  # velocity -> entry


class LinkMotion:
    """How the links of a robot in one configuration move with its velocities, world axes.

    poses: of the links in the world. coupling: of its joints by loops.
    """

    def __init__(self, tree: Tree, poses: Sequence[Transform], coupling: Coupling) -> None:
        self.tree = tree
        self.poses = poses
        self.coupling = coupling
        self._rows: dict[int, list[Row]] = {}

    def link_rows(self, link: int) -> list[Row]:
        """Rows of a link's motion [v; w] at the link's origin."""
        if link not in self._rows:
            origin = self.poses[link].translation
            rows: list[Row] = [{} for _ in range(6)]
            for index in self.tree.path(link):
                joint, pose = self.tree.links[index], self.poses[index]
                for velocity, motion in zip(range(self.tree.nv)[joint.v], joint.subspace.T, strict=True):
                    angular = pose.rotation @ motion[3:]
                    linear = pose.rotation @ motion[:3] + cross(angular, origin - pose.translation)
                    for row, entry in zip(rows, (*linear, *angular), strict=True):
                        row[velocity] = entry
            self._rows[link] = [self.coupling.row(row) for row in rows]
        return self._rows[link]

    def rows_at(self, link: int, point: Array) -> list[Row]:
        """Rows of a link's motion [v; w] at a point (3,) that moves with it; none for the world."""
        if link < 0:
            return [{} for _ in range(6)]
        rows = self.link_rows(link)
        return [*moved(rows, point - self.poses[link].translation), *rows[3:]]

    def point_velocity(self, link: int, point: Array, v: Array) -> Array:
        """Velocity (3,) of a point that moves with a link, at the robot's velocity v (nv,)."""
        if link < 0:
            return np.zeros(3)
        motion = np.array([along(row, v) for row in self.link_rows(link)])
        return motion[:3] + cross(motion[3:], point - self.poses[link].translation)


def handed_on(tree: Tree, factor: MassFactor, row: Row) -> Row:
    """`L^-T J^T` of a row J: each entry handed on to the velocities before it."""
    involved = set(row)
    for velocity in row:
        involved.update(velocity_path(tree, velocity))
    entries = {velocity: row.get(velocity, 0.0) for velocity in involved}
    for k in sorted(involved, reverse=True):
        for i in velocity_path(tree, k):
            entries[i] = entries[i] - factor.lower[k, i] * entries[k]
    return {k: entries[k] for k in sorted(involved)}


def moved(rows: Sequence[Row], r: Array) -> list[Row]:
    """The linear rows of a motion [v; w], taken r (3,) further on: v + w x r."""
    result = []
    for k in range(3):
        second, third = (k + 1) % 3, (k + 2) % 3
        result.append(combine((1.0, r[third], -r[second]), (rows[k], rows[3 + second], rows[3 + third])))
    return result


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
