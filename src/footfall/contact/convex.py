"""Distances of single pairs of convex shapes, by the narrow phase of detection.

GJK where they are apart (Ayit 2015, chapter 2), the axis of the least overlap where they are not: that of the fifteen
axes of two boxes, or of an expanding polytope.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Vector3, new_records, routine
from footfall.contact.detection.axes import UNKNOWN, refined
from footfall.contact.detection.convex_pairs import SMALLEST, best_axis, guess
from footfall.contact.detection.shapes import Face, Facet, Hull, Kind, MeshPart, Node, Pools, Terrain
from footfall.contact.detection.solids import Couple, Solid
from footfall.errors import GeometryError
from footfall.math.transform import Transform, checked_transform, identity_transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from footfall.scene.shapes import MeshShape


@dataclass(frozen=True, eq=False)
class Convex:
    """A convex shape in its own frame.

    vertices: (n, 3) whose hull is the core, m. disc: radius and half length of a cylinder along z that is the core
    instead, zeros if it is not. layer: thickness around the core, m.
    """

    vertices: Array
    disc: tuple[float, float] = (0.0, 0.0)
    layer: float = 0.0

    def __post_init__(self) -> None:
        vertices = np.asarray(self.vertices, dtype=np.float64)
        if (
            vertices.ndim != 2
            or vertices.shape[1] != 3
            or len(vertices) == 0
            or not np.isfinite(vertices).all()
        ):
            raise GeometryError(
                f"vertices have shape {vertices.shape}; they must be (n, 3), one at least, of finite numbers",
                subject=("shape", "convex"),
            )
        object.__setattr__(self, "vertices", vertices)

    @cached_property
    def core(self) -> Core:
        """As the narrow phase takes it, in the frame of the shape."""
        if self.disc != (0.0, 0.0):
            radius, half_length = self.disc
            size = np.array([radius, radius, half_length])
            solid = _solid(Kind.CYLINDER, size, self.layer)
            return Core(solid, identity_transform(), math.hypot(radius, half_length))
        low, high = self.vertices.min(axis=0), self.vertices.max(axis=0)
        middle, half = (low + high) / 2, (high - low) / 2
        place = Transform(np.eye(3), middle)
        bound = math.sqrt(half @ half)
        match len(self.vertices):
            case 1:
                return Core(_solid(Kind.SPHERE, np.zeros(3), self.layer), place, bound)
            case 2:
                segment = Transform(_along(self.vertices[1] - middle), middle)
                return Core(_solid(Kind.CAPSULE, np.array([0.0, 0.0, bound]), self.layer), segment, bound)
        # Corners of a hull in any order: all of them are looked at for the farthest one, as those of a facet are.
        points = np.ascontiguousarray(self.vertices - middle)
        return Core(_solid(Kind.FACET, np.zeros(3), self.layer)._replace(points=points), place, bound)


class ConvexDistance(NamedTuple):
    """Answer of a narrow phase.

    distance: m, negative for penetration. normal: (3,) unit, from the second shape towards the first. on_first,
    on_second: (3,) closest (or deepest) points in the world, `on_first - on_second = distance * normal`.
    """

    distance: float
    normal: Array
    on_first: Array
    on_second: Array


def convex_of(shape: Shape | MeshShape) -> Convex:
    """The convex shape of a robot's or scene's shape; of a mesh, its convex hull."""
    match shape:
        case Sphere(radius):
            return Convex(np.zeros((1, 3)), layer=radius)
        case Capsule(radius, length):
            return Convex(np.array([[0.0, 0.0, length / 2], [0.0, 0.0, -length / 2]]), layer=radius)
        case Box(size):
            return Convex(np.array(list(product((-0.5, 0.5), repeat=3))) * size)
        case Cylinder(radius, length):
            if radius == 0.0:
                return Convex(np.array([[0.0, 0.0, length / 2], [0.0, 0.0, -length / 2]]))
            return Convex(np.zeros((1, 3)), disc=(radius, length / 2))
        case Mesh(path, scale):
            from footfall.contact.features import hull_vertices
            from footfall.geometry.mesh import load_mesh  # slow to import

            return Convex(hull_vertices(load_mesh(path, scale=scale).vertices))
        case MeshShape():
            from footfall.contact.features import hull_vertices

            return Convex(hull_vertices(shape.mesh.vertices))
    raise GeometryError(f"a {type(shape).__name__} is not convex and finite", subject=("shape", "convex"))


def convex_distance(
    first: Shape | Convex, first_pose: Transform, second: Shape | Convex, second_pose: Transform
) -> ConvexDistance:
    """Signed distance of two convex shapes at their poses in the world."""
    pose = checked_transform("first_pose", first_pose)
    other_pose = checked_transform("second_pose", second_pose)
    return ConvexDistance(*_distance(_core_of(first), pose, _core_of(second), other_pose))


class Core(NamedTuple):
    """A convex shape as the narrow phase takes it.

    place: of the middle of its core in the frame of the shape. bound: how far points of the core are from there, m.
    """

    solid: Solid
    place: Transform
    bound: float


_NO_POINTS = np.zeros((0, 3))


def _core_of(shape: Shape | MeshShape | Convex) -> Core:
    """The core of a shape; meshes are read again, since their file may have changed."""
    if isinstance(shape, Convex):
        return shape.core
    return convex_of(shape).core if isinstance(shape, Mesh | MeshShape) else _core_of_primitive(shape)


@lru_cache(maxsize=256)
def _core_of_primitive(shape: Box | Sphere | Cylinder | Capsule) -> Core:
    if isinstance(shape, Box):
        half = np.asarray(shape.size, np.float64) / 2
        return Core(_solid(Kind.BOX, half, 0.0), identity_transform(), math.sqrt(half @ half))
    return convex_of(shape).core


def _solid(kind: Kind, size: Array, layer: float) -> Solid:
    return Solid(int(kind), size, float(layer), _NO_POINTS, 0, 0)


def _along(direction: Array) -> Array:
    """A rotation whose z axis lies along a direction."""
    length = float(np.linalg.norm(direction))
    if length == 0.0:
        return np.eye(3)
    z = direction / length
    x = np.cross(np.eye(3)[int(np.abs(z).argmin())], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


class _Answer(NamedTuple):
    distance: float
    normal: Vector3
    on_first: Vector3
    on_second: Vector3


@routine
def _distance(first: Core, first_pose: Transform, second: Core, second_pose: Transform) -> _Answer:
    pools, one, other = _no_pools(), first.solid, second.solid
    place, other_place = _moved(first_pose, first.place), _moved(second_pose, second.place)
    turn = place.rotation.T @ other_place.rotation
    way = place.rotation.T @ (other_place.translation - place.translation)
    couple = Couple(one, other, turn, way, max(min(first.bound, second.bound), SMALLEST))
    start = place.rotation.T @ guess(place, other_place)
    best = best_axis(pools, couple, np.inf, start, False)
    if best.first_corner == UNKNOWN and best.second_corner == UNKNOWN:
        best = refined(pools, couple, best)
    distance = best.separation - one.radius - other.radius
    normal = place.rotation @ best.normal
    on_first = place.apply(best.point - one.radius * best.normal)
    return _Answer(distance, normal, on_first, on_first - distance * normal)


@routine
def _moved(pose: Transform, place: Transform) -> Transform:
    return Transform(pose.rotation @ place.rotation, pose.apply(place.translation))


@routine
def _no_pools() -> Pools:
    """For shapes that need none."""
    no_numbers = np.empty(0, dtype=np.int64)
    no_points: ArrayOf[Vector3] = np.empty((0, 3))
    return Pools(
        new_records(Hull, 0),
        no_points,
        no_numbers,
        no_numbers,
        no_numbers,
        no_numbers,
        new_records(Face, 0),
        no_numbers,
        new_records(MeshPart, 0),
        new_records(Facet, 0),
        new_records(Node, 0),
        new_records(Terrain, 0),
        np.empty(0),
    )
