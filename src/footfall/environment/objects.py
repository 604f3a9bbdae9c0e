"""Objects that the robot believes in: what they are, where, their surface, and a volume that holds all of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.environment.patch import Bytes, Singles
from footfall.errors import GeometryError, InvalidEnvironment, RobotError
from footfall.geometry.mesh import TriangleMesh
from footfall.geometry.mesh_topology import MeshTopology, mesh_topology
from footfall.geometry.swept_distance import swept_distances
from footfall.geometry.swept_sphere import (
    SweptSphere,
    SweptVolume,
    pack,
    swept_line,
    swept_point,
    swept_triangle,
)
from footfall.math.transform import Transform, identity_transform
from footfall.robot import values

MOST_TRIANGLES = 2_000_000  # of one object
LONGEST_NAME = 128
_HALVINGS = 4  # of triangles that may stick out between their corners
_WORTH = 1.1  # how much larger a volume may be that has an element less


@dataclass(frozen=True, eq=False)
class ObjectSurface:
    """Triangles with what perception knows at each vertex; in the frame of the object; compared by identity.

    mesh: triangles that share vertices; it may be open. normals: (n, 3) outwards; by default faces weighted with
    their angles (Thuermer and Wuethrich 1998). colors: (n, 3) RGB bytes, or None. confidence: (n,) in [0, 1], by
    default 1.
    """

    mesh: TriangleMesh
    normals: Array | None = None
    colors: Bytes | None = None
    confidence: Singles | None = None

    def __post_init__(self) -> None:
        count = len(self.mesh.vertices)
        if len(self.mesh.triangles) > MOST_TRIANGLES:
            raise _wrong(
                f"surface has {len(self.mesh.triangles)} triangles; at most {MOST_TRIANGLES} are taken"
            )
        given = self.mesh.vertex_pseudonormals if self.normals is None else self.normals
        normals = np.array(given, dtype=np.float64)
        if self.confidence is None:
            confidence = np.ones(count, np.float32)
        else:
            confidence = np.array(self.confidence, dtype=np.float32)
        if normals.shape != (count, 3) or confidence.shape != (count,):
            raise _wrong(
                f"normals have shape {normals.shape}, confidence {confidence.shape}; with {count} vertices they must "
                f"be ({count}, 3) and ({count},)"
            )
        if not np.isfinite(normals).all() or not ((confidence >= 0.0) & (confidence <= 1.0)).all():
            raise _wrong("normals must be finite, confidence in [0, 1]")
        colors = None if self.colors is None else np.array(self.colors, dtype=np.uint8)
        if colors is not None and colors.shape != (count, 3):
            raise _wrong(f"colors have shape {colors.shape}; with {count} vertices they must be ({count}, 3)")
        for name, array in (("normals", normals), ("confidence", confidence), ("colors", colors)):
            if array is not None:
                array.flags.writeable = False
            object.__setattr__(self, name, array)

    @cached_property
    def topology(self) -> MeshTopology:
        """Neighbours among its vertices, and where it ends."""
        return mesh_topology(self.mesh)

    def __reduce__(self) -> tuple[Any, ...]:
        mesh = self.mesh
        return _surface, (
            mesh.vertices,
            mesh.triangles,
            mesh.name,
            self.normals,
            self.colors,
            self.confidence,
        )


def _surface(
    vertices: Any, triangles: Any, name: str, normals: Any, colors: Any, confidence: Any
) -> ObjectSurface:
    return ObjectSurface(TriangleMesh(vertices, triangles, name), normals, colors, confidence)


@dataclass(frozen=True, eq=False)
class EnvironmentObject:
    """Something that the robot believes to be there; compared by identity.

    id: unique in its environment. category: its class, "floor" or "wall" say. surface, volume: in the frame of the
    object. placement: pose of that frame in vision's world. The volume must hold all of the surface: it may be too
    large, not too small; `protrusion` measures.
    """

    id: str
    category: str
    surface: ObjectSurface
    volume: SweptVolume
    placement: Transform = field(default_factory=identity_transform)

    def __post_init__(self) -> None:
        subject = ("environment object", str(self.id)[:LONGEST_NAME])
        for what, name in (("id", self.id), ("category", self.category)):
            if not isinstance(name, str) or not name.isprintable() or len(name) > LONGEST_NAME:
                message = f"{what} is {str(name)[:40]!r}; it must be printable, of at most {LONGEST_NAME} characters"
                raise InvalidEnvironment(message, subject=subject)
        if not self.id:
            raise InvalidEnvironment("id is empty; each object needs one", subject=subject)
        try:
            placement = values.placement(self.placement, "object", subject)
        except RobotError as error:
            raise InvalidEnvironment(error.message, subject=subject) from None
        object.__setattr__(self, "placement", placement)

    def moved(self, placement: Transform) -> EnvironmentObject:
        """The object at another pose; its geometry is shared."""
        return replace(self, placement=placement)

    @cached_property
    def world_vertices(self) -> Array:
        """Vertices (n, 3) of its surface in vision's world, m."""
        return self.surface.mesh.vertices @ self.placement.rotation.T + self.placement.translation

    @cached_property
    def box(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Least and greatest x, y, z of its surface in vision's world, m."""
        vertices = self.world_vertices
        return tuple(vertices.min(axis=0).tolist()), tuple(vertices.max(axis=0).tolist())

    @property
    def protrusion(self) -> float:
        """By how much the surface sticks out of the volume, m; not positive if it does not."""
        return protrusion(self.volume, self.surface.mesh)


def protrusion(volume: SweptVolume, mesh: TriangleMesh) -> float:
    """By how much a mesh sticks out of a volume, m; not positive if the volume holds it.

    Elements are convex: a triangle whose corners are in one of them is inside. Others are halved a few times, so that
    what sticks out between corners that are in different elements is found too.
    """
    corners = mesh.corners
    worst = -np.inf
    for _ in range(_HALVINGS + 1):
        # Element, triangle, corner
        depths = _depths(volume, corners.reshape(-1, 3)).reshape(len(volume), -1, 3)
        worst = max(worst, float(depths.min(axis=0).max()))
        inside = depths.max(axis=2).min(axis=0) <= 0.0
        corners = corners[~inside]
        if not len(corners):
            break
        middles = (corners + np.roll(corners, -1, axis=1)) / 2
        a, b, c = corners.swapaxes(0, 1)
        ab, bc, ca = middles.swapaxes(0, 1)
        parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        corners = np.concatenate([np.stack(part, axis=1) for part in parts])
    return worst


def _depths(volume: SweptVolume, points: Array) -> Array:
    """Signed distances (elements, n) of points (n, 3) to each element."""
    rows = pack([swept_point(np.zeros(3), 0.0)]).repeat(len(points), axis=0)
    rows[:, 3:] = np.tile(points, 4)
    return np.array(
        [swept_distances(row[None].repeat(len(points), axis=0), rows).distance for row in volume.packed]
    )


def box_volume(lower: Array, upper: Array) -> SweptVolume:
    """A volume around a box from `lower` (3,) to `upper` (3,), m: of a ball, a capsule or a plate the smallest.

    Cubes get a point, long boxes a line, flat ones two triangles that form a rectangle (Seiwald 2023, section 7.4).
    """
    lower, upper = np.asarray(lower, np.float64), np.asarray(upper, np.float64)
    if not (np.isfinite(lower).all() and np.isfinite(upper).all() and (lower <= upper).all()):
        raise _wrong(f"a box from {lower.tolist()} to {upper.tolist()} has no volume around it")
    middle, half = (lower + upper) / 2, (upper - lower) / 2
    order = np.argsort(-half, kind="stable")
    a, b, c = half[order]
    x, y, _ = (np.eye(3)[axis] for axis in order)
    size = float(a) * (1.0 + 1e-12) + 1e-12  # what lies on the surface counts as inside
    grown = size - float(a)
    ball = [swept_point(middle, float(np.linalg.norm(half)) + 2 * grown)]
    capsule = [swept_line(middle - a * x, middle + a * x, float(np.hypot(b, c)) + 2 * grown)]
    corners = [middle + i * a * x + j * b * y for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    radius = float(c) + 2 * grown
    plate = [
        swept_triangle(corners[0], corners[1], corners[2], radius),
        swept_triangle(corners[0], corners[2], corners[3], radius),
    ]
    sizes = (ball[0].volume, capsule[0].volume, _plate_volume(float(a), float(b), radius))
    choices = list(zip(sizes, (ball, capsule, plate), strict=True))
    best = min(choices, key=lambda choice: choice[0] * _WORTH ** len(choice[1]))
    return SweptVolume(tuple(best[1]))


def _plate_volume(a: float, b: float, r: float) -> float:
    """m3 of a rectangle with half edges a and b swept by a sphere."""
    return 8 * a * b * r + 2 * np.pi * r * r * (a + b) + 4 / 3 * np.pi * r**3


def elements_of(volume: SweptVolume) -> list[tuple[Array, float]]:
    """Corners and radius of each element, to be written."""
    return [(element.corners, element.radius) for element in volume.elements]


def volume_from(elements: list[tuple[Any, float]]) -> SweptVolume:
    """The volume of corners and radii that were read."""
    try:
        return SweptVolume(tuple(SweptSphere(np.asarray(corners), radius) for corners, radius in elements))
    except (GeometryError, ValueError, TypeError) as error:
        raise _wrong(f"volume: {error}") from None


def _wrong(message: str) -> InvalidEnvironment:
    return InvalidEnvironment(message, subject=("environment object", "geometry"))
