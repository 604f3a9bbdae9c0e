"""Reader of scene files; docs/scenes.md explains every field."""

from __future__ import annotations

import base64
import binascii
import math
import os
import zlib
from pathlib import Path
from typing import Any, Literal, cast

import msgspec
import numpy as np

from footfall.errors import RobotError, SceneError
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.geometry.swept_sphere import SweptSphere, SweptVolume
from footfall.math.transform import Transform
from footfall.robot.description import Source, check_size
from footfall.robot.mesh_paths import MeshPaths
from footfall.robot.orientation import matrix_from_rpy, quaternion_from_matrix
from footfall.robot.shapes import Mesh
from footfall.robot.toml_parts import (
    PlacedSchema,
    ShapeSchema,
    Vector,
    decode,
    header_lines,
    read_placement,
    read_shape,
    read_text,
)
from footfall.scene.checks import scene_errors
from footfall.scene.given_motion import GivenMotion
from footfall.scene.model import (
    MOST_OBJECTS,
    Mass,
    Material,
    Perception,
    Scene,
    SceneObject,
    SceneRobot,
    SceneShape,
    free_body,
)
from footfall.scene.shapes import MOST_SUBDIVISIONS, Circle, Cone, Icosphere, Rectangle, Triangles
from footfall.scene.terrain import random_terrain, terrain_cost
from footfall.whole_file import is_file

SIZE_LIMIT = 32 * 2**20  # bytes; height maps stand in the file, packed
_MOST_HEIGHTS = 2**23  # of all height maps
_HEIGHTS_OF_TRIANGLE = 4.0  # that take as long to make as a triangle of a round shape

Quaternion = tuple[float, float, float, float]


class TerrainSchema(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments of `random_terrain`."""

    kind: str = "noise"
    size: tuple[float, float] = (10.0, 10.0)
    spacing: float = 0.1
    amplitude: float = 0.1
    wavelength: float = 1.0
    flat_radius: float = 0.0
    seed: int = 0


class PackedSchema(msgspec.Struct, forbid_unknown_fields=True):
    """Heights as 64-bit little-endian numbers, row by row, zlib-compressed, in base64."""

    shape: tuple[int, int]
    data: str


class MotionSchema(msgspec.Struct, forbid_unknown_fields=True):
    times: list[float]
    positions: list[Vector]
    quaternions: list[Quaternion] | None = None
    rpys: list[Vector] | None = None
    periodic: bool = False


class ElementSchema(msgspec.Struct, forbid_unknown_fields=True):
    """A point, line or triangle, and the radius of the sphere that sweeps it."""

    corners: list[Vector]
    radius: float


class PerceptionSchema(msgspec.Struct, forbid_unknown_fields=True):
    volume: list[ElementSchema] | None = None
    voxel: float | None = None
    noise: float | None = None


class ObjectSchema(PlacedSchema, kw_only=True):
    name: str
    shape: Literal[
        "box",
        "sphere",
        "cylinder",
        "capsule",
        "mesh",
        "plane",
        "height_map",
        "rectangle",
        "circle",
        "cone",
        "icosphere",
        "triangles",
    ]
    size: tuple[float, ...] | None = None
    radius: float | None = None
    length: float | None = None
    path: str | None = None
    scale: Vector | None = None
    heights: list[list[float]] | PackedSchema | None = None
    terrain: TerrainSchema | None = None
    spacing: tuple[float, float] | None = None
    origin: tuple[float, float] | None = None
    subdivisions: int | None = None
    vertices: list[Vector] | None = None
    triangles: list[tuple[int, int, int]] | None = None
    category: str = msgspec.field(name="class", default="")
    friction: float = 0.8
    viscous_friction: float = 0.0
    restitution: float = 0.0
    stiffness: float = math.inf
    damping: float = 0.0
    shear_stiffness: float = math.inf
    rolling_friction: float = 0.0
    torsional_friction: float = 0.0
    contact: bool = True
    visible: bool = True
    color: Quaternion | None = None
    motion: MotionSchema | None = None
    mass: float | None = None
    center_of_mass: Vector | None = None
    inertia: tuple[float, float, float, float, float, float] | None = None
    velocity: Vector | None = None
    angular_velocity: Vector | None = None
    perception: PerceptionSchema | None = None


class SceneRobotSchema(PlacedSchema, kw_only=True):
    name: str
    source: str
    configuration: str | list[float] | None = None
    floating_base: bool | None = None


class SceneSchema(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    gravity: Vector | None = None
    object: list[ObjectSchema] = msgspec.field(default_factory=list)
    robot: list[SceneRobotSchema] = msgspec.field(default_factory=list)
    notes: dict[str, str] = msgspec.field(default_factory=dict)
    start: PlacedSchema | None = None
    goal: PlacedSchema | None = None


def read_scene(path: str | os.PathLike[str]) -> Scene:
    """Scene described by a file; paths in it are relative to it."""
    path = Path(path)
    try:
        text = read_text(path, limit=SIZE_LIMIT)
    except RobotError as error:
        raise SceneError(error.message, source=error.source, line=error.line) from None
    return parse_scene(text, source=str(path), directory=path.parent)


def parse_scene(text: str, *, source: str = "<text>", directory: Path | None = None) -> Scene:
    """Scene described by text; `source` names it in errors, `directory` is where its paths start."""
    try:
        check_size(len(text), limit=SIZE_LIMIT, source=source)
        schema = decode(text, source, SceneSchema)
    except RobotError as error:
        raise SceneError(error.message, source=error.source, line=error.line) from None
    with Source(source).located():
        _check_counts(schema)
    lines = {}
    for kind, names in (
        ("object", [o.name for o in schema.object]),
        ("robot", [r.name for r in schema.robot]),
    ):
        for name, line in zip(names, header_lines(text, kind), strict=False):
            lines[kind, name] = line
    meshes = MeshPaths(directory)
    with Source(source, lines).located():
        objects = tuple(_object(each, meshes) for each in schema.object)
        robots = tuple(_robot(each, directory) for each in schema.robot)
        start, goal = (_pose(each, schema.name) for each in (schema.start, schema.goal))
        return Scene(schema.name, objects, robots, schema.gravity, schema.notes, start, goal)


def _pose(schema: PlacedSchema | None, name: str) -> Transform | None:
    with scene_errors(("scene", name)):
        return None if schema is None else read_placement(schema, ("scene", name))


def _check_counts(schema: SceneSchema) -> None:
    """Refuse scenes that take more than seconds to make."""
    count = len(schema.object) + len(schema.robot)
    if count > MOST_OBJECTS:
        raise SceneError(
            f"has {count} objects and robots; at most {MOST_OBJECTS}", subject=("scene", schema.name)
        )
    heights = 0.0
    for each in schema.object:
        if isinstance(each.heights, PackedSchema):
            heights += math.prod(map(abs, each.heights.shape))
        if each.terrain is not None:
            heights += 2.0 * terrain_cost(each.terrain.size, each.terrain.spacing, each.terrain.wavelength)
        if each.shape in ("circle", "cone", "icosphere"):
            heights += _HEIGHTS_OF_TRIANGLE * (
                1000.0 + 20.0 * 4.0 ** min(abs(each.subdivisions or 0), MOST_SUBDIVISIONS)
            )
        if not heights <= _MOST_HEIGHTS:  # NaN neither
            message = (
                f"and those before it have {heights:g} heights or triangles; at most {_MOST_HEIGHTS} are made"
            )
            raise SceneError(message, subject=("object", each.name))


def _object(schema: ObjectSchema, meshes: MeshPaths) -> SceneObject:
    subject = ("object", schema.name)
    with scene_errors(subject):
        material = Material(
            schema.friction,
            schema.viscous_friction,
            schema.restitution,
            schema.stiffness,
            schema.damping,
            schema.shear_stiffness,
            schema.rolling_friction,
            schema.torsional_friction,
        )
        shape = _shape(schema, meshes)
        return SceneObject(
            schema.name,
            shape,
            read_placement(schema, subject),
            material,
            schema.category,
            schema.contact,
            schema.visible,
            schema.color,
            None if schema.motion is None else _motion(schema.motion),
            _mass(schema, shape),
            Perception() if schema.perception is None else _perception(schema.perception),
        )


def _perception(schema: PerceptionSchema) -> Perception:
    volume = None
    if schema.volume is not None:
        volume = SweptVolume(
            tuple(SweptSphere(np.array(each.corners), each.radius) for each in schema.volume)
        )
    return Perception(volume, schema.voxel, schema.noise)


_PRIMITIVE = ("size", "radius", "length", "path", "scale")
_TERRAIN = ("heights", "terrain", "spacing", "origin")
# Class of each shape that is a mesh, the fields it needs and those that may be left out.
_MESHES: dict[str, tuple[type[Any], tuple[str, ...], tuple[str, ...]]] = {
    "rectangle": (Rectangle, ("size",), ()),
    "circle": (Circle, ("radius",), ()),
    "cone": (Cone, ("radius", "length"), ()),
    "icosphere": (Icosphere, ("radius",), ("subdivisions",)),
    "triangles": (Triangles, ("vertices", "triangles"), ()),
}
_FIELDS = (*_PRIMITIVE, *_TERRAIN, "subdivisions", "vertices", "triangles")


def _shape(schema: ObjectSchema, meshes: MeshPaths) -> SceneShape:
    own = {"plane": (), "height_map": _TERRAIN}.get(schema.shape, _PRIMITIVE)
    if schema.shape in _MESHES:
        return _mesh_shape(schema)
    extra = [name for name in _FIELDS if name not in own and getattr(schema, name) is not None]
    if extra:
        raise SceneError(f"{schema.shape} has {extra[0]}; it takes {', '.join(own) or 'no sizes'}")
    if schema.shape == "plane":
        return Plane()
    if schema.shape == "height_map":
        return _height_map(schema)
    fields: dict[str, Any] = {name: getattr(schema, name) for name in _PRIMITIVE}
    shape = read_shape(ShapeSchema(shape=cast(Any, schema.shape), **fields), ("shape", schema.shape))
    if isinstance(shape, Mesh):
        return Mesh(meshes.resolve(shape.path), shape.scale)
    return shape


def _mesh_shape(schema: ObjectSchema) -> SceneShape:
    maker, needed, optional = _MESHES[schema.shape]
    given = [name for name in _FIELDS if getattr(schema, name) is not None]
    missing = [name for name in needed if name not in given]
    extra = [name for name in given if name not in needed + optional]
    if missing or extra:
        wrong = f"lacks {missing[0]}" if missing else f"has {extra[0]}"
        raise SceneError(f"{schema.shape} {wrong}; it takes {', '.join(needed + optional)}")
    shape: SceneShape = maker(**{name: getattr(schema, name) for name in given})
    return shape


def _height_map(schema: ObjectSchema) -> HeightMap:
    if (schema.heights is None) == (schema.terrain is None):
        raise SceneError("height_map needs heights or terrain, and only one of them")
    if schema.terrain is not None:
        if schema.spacing is not None or schema.origin is not None:
            raise SceneError("height_map has terrain, whose spacing stands in its own table, and no origin")
        return random_terrain(**msgspec.structs.asdict(schema.terrain))
    if schema.spacing is None:
        raise SceneError("height_map lacks spacing, the distance between heights along x and y in m")
    if isinstance(schema.heights, PackedSchema):
        heights = _unpack(schema.heights)
    else:
        rows = schema.heights or []
        if len({len(row) for row in rows}) > 1:
            raise SceneError(
                f"rows of heights have lengths {sorted({len(row) for row in rows})}; all must be the same"
            )
        heights = np.array(rows, dtype=np.float64)
    return HeightMap(heights, schema.spacing, schema.origin)


def _unpack(packed: PackedSchema) -> np.ndarray[Any, np.dtype[np.float64]]:
    rows, columns = packed.shape
    if rows < 2 or columns < 2 or rows * columns > _MOST_HEIGHTS:
        raise SceneError(
            f"heights have shape {packed.shape}; there must be 2 by 2 to {_MOST_HEIGHTS} of them"
        )
    size = 8 * rows * columns
    try:
        inflate = zlib.decompressobj()
        content = inflate.decompress(base64.b64decode(packed.data, validate=True), size + 1)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise SceneError(f"data of heights is no zlib-compressed base64: {error}") from None
    if len(content) != size:
        held = f"{len(content)} bytes" if len(content) <= size else f"more than {size} bytes"
        raise SceneError(f"data of heights holds {held}; {packed.shape} numbers are {size} bytes")
    return np.frombuffer(content, dtype="<f8").reshape(rows, columns)


def _motion(schema: MotionSchema) -> GivenMotion:
    if schema.quaternions is not None and schema.rpys is not None:
        raise SceneError("motion has quaternions and rpys; give at most one of them")
    turns: Any = schema.quaternions
    if schema.rpys is not None:
        if not all(math.isfinite(angle) for rpy in schema.rpys for angle in rpy):
            raise SceneError("motion has rpys that are not finite")
        turns = [quaternion_from_matrix(matrix_from_rpy(rpy)) for rpy in schema.rpys]
    counts = {"times": len(schema.times), "positions": len(schema.positions)}
    counts |= {} if turns is None else {"orientations": len(turns)}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{count} {name}" for name, count in counts.items())
        raise SceneError(f"motion has {listed}; there must be one of each a waypoint")
    return GivenMotion(np.array(schema.times), np.array(schema.positions), turns, schema.periodic)


def _mass(schema: ObjectSchema, shape: SceneShape) -> Mass | None:
    if schema.mass is None:
        given = [
            name
            for name in ("center_of_mass", "inertia", "velocity", "angular_velocity")
            if getattr(schema, name) is not None
        ]
        if given:
            raise SceneError(f"has {given[0]} but no mass, which would make it a free body")
        return None
    inertia = None
    if schema.inertia is not None:
        xx, yy, zz, xy, xz, yz = schema.inertia
        inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    still = (0.0, 0.0, 0.0)
    velocity = (*(schema.velocity or still), *(schema.angular_velocity or still))
    return free_body(
        shape, schema.mass, center_of_mass=schema.center_of_mass, inertia=inertia, velocity=velocity
    )


def _robot(schema: SceneRobotSchema, directory: Path | None) -> SceneRobot:
    subject = ("robot", schema.name)
    source = schema.source
    if directory is not None and is_file(directory / source):
        source = str(directory / source)
    with scene_errors(subject):
        configuration = schema.configuration
        return SceneRobot(
            schema.name,
            source,
            read_placement(schema, subject),
            tuple(configuration) if isinstance(configuration, list) else configuration,
            schema.floating_base,
        )
