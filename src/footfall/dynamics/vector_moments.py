"""Moments of vectors, such as velocities or forces, spread over the points of a body."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.math.spatial import cross, rotate_constant, turn_matrix
from footfall.math.transform import Transform
from footfall.robot.joint_poses import hinge_turn
from footfall.robot.tree import Link


class VectorMoments(NamedTuple):
    """Sums over vectors y at points x of y (3,) and y x^T (3, 3), about the origin of a frame.

    A couple n counts as `second = skew(n)`.
    """

    first: Array
    second: Array

    def __add__(self, other: VectorMoments) -> VectorMoments:  # type: ignore[override]
        """Of both together."""
        return VectorMoments(self.first + other.first, self.second + other.second)

    def turned(self, w: Array) -> Array:
        """Sum (6,) `[w x y; x x (w x y)]`: what a turn w of all vectors changes in their resultant."""
        return np.concatenate([cross(w, self.first), self._trace() * w - self.second @ w])

    def gradient(self, motion: Array) -> Array:
        """Gradient (3,) of `motion @ turned(w)` with respect to w, for a motion (6,) `[v; w]`."""
        linear, angular = motion[:3], motion[3:]
        by_second: Array = self._trace() * angular - self.second.T @ angular
        return cross(self.first, linear) + by_second

    def _trace(self) -> Any:
        return self.second[0, 0] + self.second[1, 1] + self.second[2, 2]


def vector_moments_in_parent(link: Link, q: Array, pose: Transform, moments: VectorMoments) -> VectorMoments:
    """Moments in the frame of the parent from moments in the frame of a link, at `pose` in the parent."""
    first = pose.rotation @ moments.first
    if link.kind == "revolute":
        turned = turn_matrix(*hinge_turn(link, q), moments.second)
        second = rotate_constant(link.placement.rotation, turned, turn_matrix, _rotate_matrix)
    else:
        second = _rotate_matrix(pose.rotation, moments.second)
    return VectorMoments(first, second + np.outer(first, pose.translation))


def _rotate_matrix(rotation: Array, matrix: Array) -> Array:
    rotated: Array = rotation @ matrix @ rotation.T
    return rotated
