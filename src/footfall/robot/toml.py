"""Reader of footfall's own robot files; docs/robot-format.md explains every field."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from footfall.arrays import Array
from footfall.errors import RobotError, listed
from footfall.robot.denavit_hartenberg import TableParts, TableSchema, read_table
from footfall.robot.description import Source, check_bodies, check_size
from footfall.robot.drives.drive_schema import DriveTables
from footfall.robot.mesh_paths import MeshPaths
from footfall.robot.model import (
    WORLD,
    Body,
    Frame,
    Geometry,
    Joint,
    JointType,
    Loop,
    LoopType,
    Mesh,
    Mimic,
    Robot,
)
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
from footfall.robot.volume_schema import VolumeSchema, read_pairs, read_volume

_SIZE_LIMIT = 4 * 2**20  # bytes; LOLA needs 40 kB

Numbers = float | list[float]


class MimicSchema(msgspec.Struct, forbid_unknown_fields=True):
    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


class JointSchema(PlacedSchema, kw_only=True):
    name: str | None = None
    type: JointType = JointType.FIXED
    parent: str = WORLD
    axis: Vector = (0.0, 0.0, 1.0)
    second_axis: Vector = (0.0, 1.0, 0.0)
    lower: Numbers | None = None
    upper: Numbers | None = None
    lower_deg: Numbers | None = None
    upper_deg: Numbers | None = None
    velocity: Numbers = msgspec.field(default_factory=list)
    effort: Numbers = msgspec.field(default_factory=list)
    kp: Numbers = msgspec.field(default_factory=list)
    kd: Numbers = msgspec.field(default_factory=list)
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    mimic: MimicSchema | None = None


class BodySchema(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    mass: float = 0.0
    center_of_mass: Vector = (0.0, 0.0, 0.0)
    inertia: tuple[float, float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    inertia_about: Literal["center", "origin"] = "center"
    joint: JointSchema = msgspec.field(default_factory=JointSchema)
    visual: list[ShapeSchema] = msgspec.field(default_factory=list)
    collision: list[ShapeSchema] = msgspec.field(default_factory=list)


class FrameSchema(PlacedSchema, kw_only=True):
    name: str
    body: str


class LoopSchema(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    type: LoopType
    frame: str = ""
    against: str = ""
    axis: Vector = (0.0, 0.0, 1.0)
    length: float = 0.0
    joints: list[str] = msgspec.field(default_factory=list)
    coefficients: list[float] = msgspec.field(default_factory=list)
    offset: float = 0.0
    dependent: list[str] = msgspec.field(default_factory=list)
    held_by: Literal["coordinates", "forces"] = "coordinates"
    recovery: float = 0.0


class RobotSchema(DriveTables, forbid_unknown_fields=True, kw_only=True):
    name: str
    gravity: Vector = (0.0, 0.0, -9.81)
    body: list[BodySchema] = msgspec.field(default_factory=list)
    denavit_hartenberg: TableSchema | None = None
    frame: list[FrameSchema] = msgspec.field(default_factory=list)
    loop: list[LoopSchema] = msgspec.field(default_factory=list)
    configurations: dict[str, list[float] | dict[str, Numbers]] = msgspec.field(default_factory=dict)
    groups: dict[str, list[str]] = msgspec.field(default_factory=dict)
    regions: dict[str, list[str]] = msgspec.field(default_factory=dict)
    notes: dict[str, str] = msgspec.field(default_factory=dict)
    limit_sets: dict[str, dict[str, tuple[float, float] | str]] = msgspec.field(default_factory=dict)
    volume: list[VolumeSchema] = msgspec.field(default_factory=list)
    volume_pairs: dict[str, list[str]] = msgspec.field(default_factory=dict)
    apart: dict[str, list[str]] = msgspec.field(default_factory=dict)


def read_toml(path: str | Path, *, strict: bool = True) -> Robot:
    """Robot described by a file in footfall's format.

    strict: false turns errors about impossible or missing inertias into warnings.
    """
    path = Path(path)
    text = read_text(path, limit=_SIZE_LIMIT)
    return _robot(text, MeshPaths(path.parent), source=str(path), strict=strict)


def parse_toml(text: str, *, source: str = "<text>", strict: bool = True) -> Robot:
    """Robot described by text in footfall's format; `source` names it in errors. Paths of meshes stay as written."""
    return _robot(text, MeshPaths(None), source=source, strict=strict)


def _robot(text: str, meshes: MeshPaths, *, source: str, strict: bool) -> Robot:
    check_size(len(text), limit=_SIZE_LIMIT, source=source)
    schema = decode(text, source, RobotSchema)
    table = schema.denavit_hartenberg
    if not schema.body and table is None:
        message = "has no [[body]] and no [denavit_hartenberg]; a robot has at least one body"
        raise RobotError(message, source=source)
    check_bodies(len(schema.body) + (len(table.row) if table is not None else 0), source=source)
    origin = Source(source, _element_lines(text, schema))
    with origin.located():
        chain = TableParts((), (), ()) if table is None else read_table(table)
        bodies = (*chain.bodies, *(_body(body, meshes) for body in schema.body))
        joints = (*chain.joints, *(_joint(body) for body in schema.body))
        own = (Frame(f.name, f.body, read_placement(f, ("frame", f.name))) for f in schema.frame)
        frames = (*chain.frames, *own)
        limit_sets = {name: _limit_set(name, limits) for name, limits in schema.limit_sets.items()}
        bare = Robot(schema.name, bodies, joints)
        configurations = {name: _configuration(bare, name, q) for name, q in schema.configurations.items()}
        drives, springs = schema.drives(), schema.springs()
        loops = tuple(Loop(**msgspec.structs.asdict(loop)) for loop in schema.loop)
        volumes = tuple(read_volume(volume) for volume in schema.volume)
    return origin.robot(
        strict=strict,
        foreign=False,
        name=schema.name,
        bodies=bodies,
        joints=joints,
        frames=frames,
        configurations=configurations,
        groups=schema.groups,
        gravity=schema.gravity,
        notes=schema.notes,
        regions=schema.regions,
        limit_sets=limit_sets,
        drives=drives,
        springs=springs,
        loops=loops,
        volumes=volumes,
        volume_pairs=read_pairs(schema.volume_pairs),
        apart=read_pairs(schema.apart),
    )


def _element_lines(text: str, schema: RobotSchema) -> dict[tuple[str, str], int]:
    lines: dict[tuple[str, str], int] = {}
    for body, line in zip(schema.body, header_lines(text, "body"), strict=False):
        lines["body", body.name] = line
        lines["joint", body.joint.name or body.name] = line
    for frame, line in zip(schema.frame, header_lines(text, "frame"), strict=False):
        lines["frame", frame.name] = line
    for loop, line in zip(schema.loop, header_lines(text, "loop"), strict=False):
        lines["loop", loop.name] = line
    for volume, line in zip(schema.volume, header_lines(text, "volume"), strict=False):
        lines["volume", volume.name] = line
    return lines


def _body(schema: BodySchema, meshes: MeshPaths) -> Body:
    xx, yy, zz, xy, xz, yz = schema.inertia
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    center = np.array(schema.center_of_mass)
    if schema.inertia_about == "origin":
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused by Body
            # RSL 2022, (3.14)-(3.25), parallel axes
            inertia = inertia - schema.mass * (center @ center * np.eye(3) - np.outer(center, center))
    subject = ("body", schema.name)
    return Body(
        schema.name,
        schema.mass,
        center,
        inertia,
        tuple(_geometry(shape, subject, meshes) for shape in schema.visual),
        tuple(_geometry(shape, subject, meshes) for shape in schema.collision),
    )


def _geometry(schema: ShapeSchema, subject: tuple[str, str], meshes: MeshPaths) -> Geometry:
    shape = read_shape(schema, subject)
    if isinstance(shape, Mesh):
        shape = replace(shape, path=meshes.resolve(shape.path))
    place = read_placement(schema, subject)
    return Geometry(
        shape,
        place,
        schema.name,
        schema.color,
        schema.friction,
        schema.group,
        schema.mask,
        schema.rolling_friction,
        schema.torsional_friction,
    )


def _joint(body: BodySchema) -> Joint:
    schema = body.joint
    name = body.name if schema.name is None else schema.name
    subject = ("joint", name)
    mimic = schema.mimic
    return Joint(
        name,
        schema.type,
        schema.parent,
        body.name,
        read_placement(schema, subject),
        schema.axis,
        schema.second_axis,
        _limit(schema, "lower", subject),
        _limit(schema, "upper", subject),
        _spread(schema.velocity, schema.type.velocities),
        _spread(schema.effort, schema.type.velocities),
        schema.damping,
        schema.friction,
        schema.armature,
        Mimic(mimic.joint, mimic.multiplier, mimic.offset) if mimic else None,
        _spread(schema.kp, schema.type.velocities),
        _spread(schema.kd, schema.type.velocities),
    )


def _limit(schema: JointSchema, name: str, subject: tuple[str, str]) -> tuple[float, ...]:
    radians: Numbers | None = getattr(schema, name)
    degrees: Numbers | None = getattr(schema, f"{name}_deg")
    count = schema.type.velocities
    if degrees is None:
        return _spread([] if radians is None else radians, count)
    if radians is not None:
        raise RobotError(f"has {name} and {name}_deg; give one of them", subject=subject)
    if not schema.type.turns:
        raise RobotError(f"has {name}_deg, but a {schema.type} joint has no angle limits", subject=subject)
    return tuple(math.radians(value) for value in _spread(degrees, count))


def _spread(values: Numbers, count: int) -> tuple[float, ...]:
    """One number holds for all velocities of a joint."""
    return tuple(values) if isinstance(values, Sequence) else (values,) * count


def _limit_set(name: str, limits: dict[str, tuple[float, float] | str]) -> dict[str, tuple[float, float]]:
    subject = ("limit set", name)
    unit = limits.get("unit", "rad")
    if unit not in ("rad", "deg"):
        raise RobotError(f"unit is {unit!r}; it must be 'rad' or 'deg'", subject=subject)
    scale = math.radians(1.0) if unit == "deg" else 1.0
    result = {}
    for joint, limit in limits.items():
        if joint == "unit":
            continue
        if isinstance(limit, str):
            raise RobotError(
                f"limits of joint {joint!r} are {limit!r}; they must be numbers", subject=subject
            )
        result[joint] = (limit[0] * scale, limit[1] * scale)
    return result


def _configuration(robot: Robot, name: str, given: list[float] | dict[str, Numbers]) -> Array:
    """Configuration (nq,) of a list of all coordinates, or of a table by joint with the others neutral."""
    if isinstance(given, list):
        return np.array(given)
    subject = ("configuration", name)
    parts = {
        joint.name: [0.0] * (joint.type.coordinates - 4) + [1.0, 0.0, 0.0, 0.0]
        if joint.type.has_quaternion
        else [0.0] * joint.type.coordinates
        for joint in robot.joints
    }
    for joint_name, numbers in given.items():
        if joint_name not in parts:
            message = f"joint {joint_name!r} does not exist; there are: {listed(joint_name, parts)}"
            raise RobotError(message, subject=subject)
        coordinates = list(numbers) if isinstance(numbers, Sequence) else [numbers]
        if len(coordinates) != len(parts[joint_name]):
            message = (
                f"joint {joint_name!r} has {len(coordinates)} values; it must have {len(parts[joint_name])}"
            )
            raise RobotError(message, subject=subject)
        parts[joint_name] = coordinates
    return np.array([value for part in parts.values() for value in part])
