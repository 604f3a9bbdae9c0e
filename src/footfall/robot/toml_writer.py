"""Writer of footfall's own robot files: what `footfall.robot.toml` reads back to the same numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy as np

from footfall.math.transform import Transform
from footfall.robot.model import (
    WORLD,
    Body,
    Box,
    Capsule,
    Cylinder,
    Geometry,
    Joint,
    JointType,
    Mesh,
    Robot,
    Sphere,
)

Value = float | str | Iterable["Value"] | Mapping[str, "Value"]


def toml_text(robot: Robot) -> str:
    """The robot as text in footfall's format."""
    lines = [f"name = {_string(robot.name)}", f"gravity = {_value(robot.gravity)}"]
    for body, joint in zip(robot.bodies, robot.joints, strict=True):
        lines += ["", *_body_lines(body), *_joint_lines(joint)]
        for table, shapes in (("visual", body.visuals), ("collision", body.collisions)):
            for geometry in shapes:
                lines += ["", f"[[body.{table}]]", *_geometry_lines(geometry)]
    for frame in robot.frames:
        lines += ["", "[[frame]]", f"name = {_string(frame.name)}", f"body = {_string(frame.body)}"]
        lines += _placement_lines(frame.placement)
    tables: dict[str, Mapping[str, Value]] = {
        "configurations": {name: q.tolist() for name, q in robot.configurations.items()},
        "groups": robot.groups,
        "regions": robot.regions,
        "notes": robot.notes,
        **{f"limit_sets.{_key(name)}": limits for name, limits in robot.limit_sets.items()},
    }
    for table, entries in tables.items():
        if entries or table.startswith("limit_sets."):
            lines += ["", f"[{table}]", *(f"{_key(key)} = {_value(value)}" for key, value in entries.items())]
    return "\n".join(lines) + "\n"


def _body_lines(body: Body) -> list[str]:
    lines = ["[[body]]", f"name = {_string(body.name)}"]
    if body.mass:
        lines.append(f"mass = {_value(body.mass)}")
    if np.any(body.center_of_mass):
        lines.append(f"center_of_mass = {_value(body.center_of_mass.tolist())}")
    if np.any(body.inertia):
        i = body.inertia
        lines.append(f"inertia = {_value([i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]])}")
    return lines


def _joint_lines(joint: Joint) -> list[str]:
    lines = ["[body.joint]"]
    if joint.name != joint.child:
        lines.append(f"name = {_string(joint.name)}")
    if joint.type is not JointType.FIXED:
        lines.append(f"type = {_string(joint.type)}")
    if joint.parent != WORLD:
        lines.append(f"parent = {_string(joint.parent)}")
    lines += _placement_lines(joint.placement)
    defaults = Joint("", JointType.FIXED, "", "")
    for name in (
        "axis",
        "second_axis",
        "lower",
        "upper",
        "velocity",
        "effort",
        "damping",
        "friction",
        "armature",
    ):
        value = getattr(joint, name)
        if value != getattr(defaults, name):
            lines.append(f"{name} = {_value(value)}")
    if joint.mimic is not None:
        mimic = {
            "joint": joint.mimic.joint,
            "multiplier": joint.mimic.multiplier,
            "offset": joint.mimic.offset,
        }
        lines.append(f"mimic = {_value(mimic)}")
    return lines


def _geometry_lines(geometry: Geometry) -> list[str]:
    lines = [f"name = {_string(geometry.name)}"] if geometry.name else []
    lines.append(f"shape = {_string(type(geometry.shape).__name__.lower())}")
    match geometry.shape:
        case Box(size):
            lines.append(f"size = {_value(size)}")
        case Sphere(radius):
            lines.append(f"radius = {_value(radius)}")
        case Cylinder(radius, length) | Capsule(radius, length):
            lines += [f"radius = {_value(radius)}", f"length = {_value(length)}"]
        case Mesh(path, scale):
            lines += [f"path = {_string(path)}", f"scale = {_value(scale)}"]
    lines += _placement_lines(geometry.placement)
    if geometry.color is not None:
        lines.append(f"color = {_value(geometry.color)}")
    return lines


def _placement_lines(placement: Transform) -> list[str]:
    lines = []
    if np.any(placement.translation):
        lines.append(f"position = {_value(placement.translation.tolist())}")
    if not np.array_equal(placement.rotation, np.eye(3)):
        lines.append(f"rotation = {_value(placement.rotation.tolist())}")
    return lines


def _value(value: Value) -> str:
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, Iterable):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return repr(float(value))


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _string(name)


def _string(text: str) -> str:
    """A basic string: quotes, backslashes and control characters escaped."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda match: f"\\u{ord(match.group()):04x}", escaped) + '"'
