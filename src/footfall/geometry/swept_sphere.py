"""Swept-sphere volumes: all points within some distance of a point, a line or a triangle, and rigid sets of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import Matrix3, Vector3
from footfall.errors import GeometryError
from footfall.math.transform import Transform

KINDS = ("point", "line", "triangle")  # with one, two and three corners
_HUGE = 1e6  # m; products of eight lengths must not overflow, and nothing is so large
_AXES = {"x": 0, "y": 1, "z": 2}


class Element(NamedTuple):
    """An element as routines take it, all in floats.

    size: number of corners. radius: m. middle: on the core. reach: of the core about it, m. corners: the last one
    repeated.
    """

    size: float
    radius: float
    reach: float
    middle: Vector3
    corners: Matrix3


WIDTH = 15  # numbers of an element


@dataclass(frozen=True, eq=False, slots=True)
class SweptSphere:
    """A point, line or triangle swept by a sphere, Schwienbacher 2014, chapter 6.

    corners: (1, 3), (2, 3) or (3, 3), m; they may coincide or lie in line. radius: of the sphere, m. Read-only;
    compared by identity.
    """

    corners: Array
    radius: float

    def __post_init__(self) -> None:
        subject = ("swept volume", "element")
        try:
            corners, radius = np.array(self.corners, dtype=np.float64), float(self.radius)
        except (TypeError, ValueError):
            message = f"corners are {self.corners!r}, radius is {self.radius!r}; they must be numbers"
            raise GeometryError(message, subject=subject) from None
        if corners.ndim != 2 or corners.shape[0] not in (1, 2, 3) or corners.shape[1] != 3:
            message = (
                f"corners have shape {corners.shape}; a point is (1, 3), a line (2, 3), a triangle (3, 3)"
            )
            raise GeometryError(message, subject=subject)
        if not (np.abs(corners) <= _HUGE).all():
            message = f"corners are {corners.tolist()}; all must be finite (and below {_HUGE:g} m)"
            raise GeometryError(message, subject=subject)
        if not 0.0 <= radius <= _HUGE:
            message = f"radius is {radius}; it must be finite and not negative"
            raise GeometryError(message, subject=subject)
        corners.flags.writeable = False
        object.__setattr__(self, "corners", corners)
        object.__setattr__(self, "radius", radius)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, each.name) for each in fields(self))

    @property
    def kind(self) -> str:
        """`point`, `line` or `triangle`."""
        return KINDS[len(self.corners) - 1]

    @property
    def volume(self) -> float:
        """m3, by Steiner's formula: the sides, the edges, the corners."""
        a, b, c = (self.corners[min(k, len(self.corners) - 1)] for k in range(3))
        area = float(np.linalg.norm(np.cross(b - a, c - a))) / 2
        perimeter = float(sum(np.linalg.norm(edge) for edge in (b - a, c - b, a - c)))
        r = self.radius
        return 2.0 * r * area + math.pi * r**2 * perimeter / 2 + 4.0 / 3.0 * math.pi * r**3

    def moved(self, pose: Transform) -> SweptSphere:
        """The element in the frame A, given in B, with the pose X_AB."""
        return SweptSphere(self.corners @ np.asarray(pose.rotation).T + pose.translation, self.radius)

    def mirrored(self, axis: str) -> SweptSphere:
        """The mirror image with that coordinate (`x`, `y` or `z`) negated, Schwienbacher 2014, chapter 6."""
        if axis not in _AXES:
            message = f"axis is {axis!r}; it must be one of: {', '.join(_AXES)}"
            raise GeometryError(message, subject=("swept volume", "element"))
        corners = self.corners.copy()
        corners[:, _AXES[axis]] *= -1.0
        return SweptSphere(corners, self.radius)


def swept_point(point: Any, radius: float) -> SweptSphere:
    """A sphere about a point (3,), m."""
    return SweptSphere(np.atleast_2d(point), radius)


def swept_line(start: Any, end: Any, radius: float) -> SweptSphere:
    """A capsule about the line between two points (3,), m."""
    return SweptSphere(np.array([start, end]), radius)


def swept_triangle(first: Any, second: Any, third: Any, radius: float) -> SweptSphere:
    """A triangle with corners (3,), m, thickened to both sides and rounded."""
    return SweptSphere(np.array([first, second, third]), radius)


@dataclass(frozen=True, eq=False)
class SweptVolume:
    """Elements fixed to each other: the volume that they cover together, convex or not, Schwienbacher 2014, chapter 6.

    A single element or any number of them, but one at least. Compared by identity.
    """

    elements: tuple[SweptSphere, ...]

    def __post_init__(self) -> None:
        given: Any = self.elements
        elements = (given,) if isinstance(given, SweptSphere) else tuple(given)
        subject = ("swept volume", "elements")
        for each in elements:
            if not isinstance(each, SweptSphere):
                raise GeometryError(f"has {each!r}; each must be a SweptSphere", subject=subject)
        if not elements:
            raise GeometryError("has no element; there must be one at least", subject=subject)
        object.__setattr__(self, "elements", elements)

    def __len__(self) -> int:
        return len(self.elements)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.elements,)

    @cached_property
    def bounds(self) -> Array:
        """Least and greatest coordinates (2, 3) of the volume in its frame, m, Schwienbacher 2014, chapter 6."""
        low = np.min([each.corners.min(axis=0) - each.radius for each in self.elements], axis=0)
        high = np.max([each.corners.max(axis=0) + each.radius for each in self.elements], axis=0)
        return _read_only(np.array([low, high]))

    @cached_property
    def packed(self) -> Array:
        """The elements as rows (n, WIDTH) for routines."""
        return _read_only(pack(self.elements))

    def moved(self, pose: Transform) -> SweptVolume:
        """The volume in the frame A, given in B, with the pose X_AB."""
        return SweptVolume(tuple(each.moved(pose) for each in self.elements))

    def mirrored(self, axis: str) -> SweptVolume:
        """The mirror image with that coordinate (`x`, `y` or `z`) negated: the left limb of a right one."""
        return SweptVolume(tuple(each.mirrored(axis) for each in self.elements))


def pack(elements: Iterable[SweptSphere]) -> Array:
    """Elements as rows (n, WIDTH), an `Element` each."""
    rows = []
    for each in elements:
        corners = each.corners
        middle = corners.mean(axis=0)  # on the core
        reach = float(np.linalg.norm(corners - middle, axis=1).max())
        filled = corners[[min(k, len(corners) - 1) for k in range(3)]]
        rows.append([len(corners), each.radius, reach, *middle, *filled.ravel()])
    return np.array(rows, dtype=np.float64).reshape(-1, WIDTH)


def _read_only(array: Array) -> Array:
    array.flags.writeable = False
    return array
