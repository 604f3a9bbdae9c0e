"""A rigid transform: where a frame B stands in a frame A."""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines.annotations import Matrix3, Vector3
from footfall.errors import InvalidInput
from footfall.math.rows import check_rotation


class Transform(NamedTuple):
    """Pose `X_AB` of frame B in frame A; it maps components in B to components in A, RSL 2022, (2.108).

    rotation: (3, 3), columns are the axes of B written in A.
    translation: (3,) origin of B in A, m.
    Elements may be floats or symbols.
    """

    rotation: Matrix3
    translation: Vector3

    def __matmul__(self, other: Transform) -> Transform:
        """`X_AC = X_AB @ X_BC`."""
        return Transform(self.rotation @ other.rotation, self.rotation @ other.translation + self.translation)

    def apply(self, point: Array) -> Array:
        """Position in A (3,) of a point given in B, m."""
        return self.rotation @ point + self.translation

    def inverse(self) -> Transform:
        """`X_BA`, RSL 2022, (2.111)."""
        return Transform(self.rotation.T, -(self.rotation.T @ self.translation))

    @property
    def matrix(self) -> Array:
        """The homogeneous transform (4, 4), RSL 2022, (2.109)."""
        return np.block([[self.rotation, self.translation[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])


def transform_from_matrix(matrix: Array) -> Transform:
    """The pose that a homogeneous transform (4, 4) describes; elements may be symbols."""
    whole = np.asarray(matrix)
    if whole.shape != (4, 4):
        raise InvalidInput(f"matrix has the shape {whole.shape}; needed is (4, 4)")
    return checked_transform("matrix", Transform(whole[:3, :3], whole[:3, 3]))


def checked_transform(name: str, pose: Transform) -> Transform:
    """A pose as two arrays of finite numbers, the first a rotation; symbols are taken as they are."""
    if not isinstance(pose, Transform):
        raise InvalidInput(f"{name} is {pose!r}; it must be a Transform(rotation, translation)")
    parts = []
    for part, value, shape in (("rotation", pose.rotation, (3, 3)), ("translation", pose.translation, (3,))):
        array = np.ascontiguousarray(value)
        if array.shape != shape:
            raise InvalidInput(f"{part} of {name} has the shape {array.shape}; needed is {shape}")
        if array.dtype != object:
            array = array.astype(np.float64, copy=False)
            if not all(map(isfinite, array.ravel().tolist())):
                raise InvalidInput(f"{part} of {name} is {array.tolist()}; all numbers must be finite")
        parts.append(array)
    check_rotation(f"rotation of {name}", parts[0])
    return Transform(parts[0], parts[1])


def identity_transform() -> Transform:
    """The pose of a frame in itself."""
    return Transform(np.eye(3), np.zeros(3))
