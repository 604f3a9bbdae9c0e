"""Shapes that only scenes have: rectangles, circles, cones, icospheres, and triangles written out.

Each of them is a mesh to whoever touches, draws or sees it. Rectangles, circles and open triangles are surfaces
without thickness: what lies below their upper side is inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.arrays import Array, Integers
from footfall.errors import GeometryError
from footfall.robot.values import Value, finite_number, vector

if TYPE_CHECKING:
    from footfall.geometry.mesh import TriangleMesh

SECTIONS = 48  # around circles and cones
MOST_SUBDIVISIONS = 6
MOST_TRIANGLES = 200_000


@dataclass(frozen=True)
class MeshShape(Value):
    """Base of shapes that are meshes."""

    @property
    def mesh(self) -> TriangleMesh:
        """Its triangles, counter-clockwise seen from outside."""
        return _mesh_of(self)

    def triangles_of(self) -> tuple[Array, Integers]:
        """Vertices (n, 3) in m and triangles (m, 3)."""
        raise GeometryError("has no triangles", subject=("shape", type(self).__name__.lower()))


@dataclass(frozen=True)
class Rectangle(MeshShape):
    """A flat surface centred in the x-y plane, seen from above. size: edge lengths (x, y), m."""

    size: tuple[float, float]

    def __post_init__(self) -> None:
        edges = vector(self.size, 2, "size", ("shape", "rectangle"))
        object.__setattr__(self, "size", tuple(_length(edge, "an edge", "rectangle") for edge in edges))

    def triangles_of(self) -> tuple[Array, Integers]:
        x, y = np.array(self.size) / 2
        corners = np.array([[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]])
        return corners, np.array([[0, 1, 2], [0, 2, 3]])


@dataclass(frozen=True)
class Circle(MeshShape):
    """A flat disc in the x-y plane, seen from above. radius: m."""

    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", _length(self.radius, "radius", "circle"))

    def triangles_of(self) -> tuple[Array, Integers]:
        rim, first = _rim(self.radius, 0.0), np.arange(SECTIONS)
        fan = np.column_stack([first, (first + 1) % SECTIONS, np.full(SECTIONS, SECTIONS)])
        return np.vstack([rim, np.zeros(3)]), fan


@dataclass(frozen=True)
class Cone(MeshShape):
    """A cone along z whose base lies half its length below the origin. radius: of the base, length: of the axis, m."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", _length(self.radius, "radius", "cone"))
        object.__setattr__(self, "length", _length(self.length, "length", "cone"))

    def triangles_of(self) -> tuple[Array, Integers]:
        rim, first = _rim(self.radius, -self.length / 2), np.arange(SECTIONS)
        after, middle, tip = (
            (first + 1) % SECTIONS,
            np.full(SECTIONS, SECTIONS),
            np.full(SECTIONS, SECTIONS + 1),
        )
        ends = np.array([[0.0, 0.0, -self.length / 2], [0.0, 0.0, self.length / 2]])
        faces = [np.column_stack([after, first, middle]), np.column_stack([first, after, tip])]
        return np.vstack([rim, ends]), np.concatenate(faces)


@dataclass(frozen=True)
class Icosphere(MeshShape):
    """An icosahedron whose triangles are quartered, with all corners on a sphere. radius: m. subdivisions: 0 to 6."""

    radius: float
    subdivisions: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", _length(self.radius, "radius", "icosphere"))
        if type(self.subdivisions) is not int or not 0 <= self.subdivisions <= MOST_SUBDIVISIONS:
            message = f"subdivisions is {self.subdivisions!r}; it must be a whole number from 0 to {MOST_SUBDIVISIONS}"
            raise GeometryError(message, subject=("shape", "icosphere"))

    def triangles_of(self) -> tuple[Array, Integers]:
        import trimesh  # slow to import

        ball: Any = trimesh.creation.icosphere(subdivisions=self.subdivisions, radius=1.0)
        corners = np.asarray(ball.vertices, np.float64)
        scale = self.radius / np.linalg.norm(corners, axis=1, keepdims=True)
        return corners * scale, np.asarray(ball.faces, np.int64)


@dataclass(frozen=True)
class Triangles(MeshShape):
    """Triangles written out. vertices: (n, 3) in m. triangles: (m, 3) numbers of vertices, from 0; as tuples."""

    vertices: tuple[tuple[float, float, float], ...]
    triangles: tuple[tuple[int, int, int], ...]

    def __post_init__(self) -> None:
        subject = ("shape", "triangles")
        if len(self.triangles) > MOST_TRIANGLES or len(self.vertices) > 3 * MOST_TRIANGLES:
            message = f"has {len(self.triangles)} triangles; at most {MOST_TRIANGLES}, use a mesh file"
            raise GeometryError(message, subject=subject)
        try:
            vertices = np.array(self.vertices, dtype=np.float64)
            triangles = np.array(self.triangles, dtype=np.int64)
        except (TypeError, ValueError, OverflowError) as error:
            raise GeometryError(f"vertices or triangles are no numbers: {error}", subject=subject) from None
        _checked(vertices, triangles)
        object.__setattr__(self, "vertices", tuple(tuple(row) for row in vertices.tolist()))
        object.__setattr__(self, "triangles", tuple(tuple(row) for row in triangles.tolist()))

    def triangles_of(self) -> tuple[Array, Integers]:
        return np.array(self.vertices), np.array(self.triangles, dtype=np.int64)


def triangles_shape(vertices: Array, triangles: Integers) -> Triangles:
    """The shape of arrays (n, 3) in m and (m, 3)."""
    return Triangles(vertices.tolist(), triangles.tolist())


def _checked(vertices: Array, triangles: Integers) -> TriangleMesh:
    from footfall.geometry.mesh import TriangleMesh

    return TriangleMesh(vertices, triangles, "triangles")


@lru_cache(maxsize=256)
def _mesh_of(shape: MeshShape) -> TriangleMesh:
    from footfall.geometry.mesh import TriangleMesh

    return TriangleMesh(*shape.triangles_of(), type(shape).__name__.lower())


def _rim(radius: float, z: float) -> Array:
    angle = 2 * np.pi * np.arange(SECTIONS) / SECTIONS
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.full(SECTIONS, z)])


def _length(value: float, what: str, shape: str) -> float:
    length = finite_number(value, what, ("shape", shape), minimum=0.0)
    if length == 0.0:
        raise GeometryError(f"{what} is 0; it must be positive", subject=("shape", shape))
    return length
