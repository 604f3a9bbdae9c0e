"""Writer of footfall's own robot files: what `footfall.robot.toml` reads back to the same numbers.

Drives as the tables of a TOML file, which `drive_schema` reads back to the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from footfall.errors import RobotError
from footfall.robot.drives.ankle_cranks import AnkleCranks
from footfall.robot.drives.camera_vergence import CameraVergence
from footfall.robot.drives.drive import Drive
from footfall.robot.drives.friction import Friction
from footfall.robot.drives.harmonic_drive import HarmonicDrive
from footfall.robot.drives.knee_screw import KneeScrew
from footfall.robot.drives.mechanism import Mechanism
from footfall.robot.model import WORLD, Body, Geometry, Joint, JointType, Loop, LoopType, Robot
from footfall.robot.toml_text import (
    Value,
    placement_lines,
    shape_lines,
    toml_key,
    toml_string,
    toml_value,
)
from footfall.robot.volume_schema import pair_lines, volume_lines

_TYPES: Mapping[type[Mechanism], str] = {
    HarmonicDrive: "harmonic-drive",
    KneeScrew: "knee-screw",
    AnkleCranks: "ankle-cranks",
    CameraVergence: "camera-vergence",
}


def drive_lines(robot: Robot) -> list[str]:
    """Tables of the robot's motors, frictions, servos, drives and springs; nothing if it has none.

    Motors, frictions and servos are named after the first joint that has them.
    """
    names: dict[tuple[str, Any], str] = {}
    shared: list[str] = []
    entries: list[str] = []
    for drive in robot.drives:
        entries += ["", "[[drive]]", f"joints = {toml_value(drive.joints)}"]
        for table, part in (("motor", drive.motor), ("friction", drive.friction), ("servo", drive.servo)):
            if part is None or part == Friction():
                continue
            if (table, part) not in names:
                names[table, part] = drive.joints[0]
                shared += ["", f"[{table}.{toml_key(drive.joints[0])}]", *_field_lines(part)]
            entries.append(f"{table} = {toml_value(names[table, part])}")
        entries += _own_lines(drive)
    for spring in robot.springs:
        entries += ["", "[[spring]]", *_field_lines(spring)]
    return shared + entries


def _own_lines(drive: Drive) -> list[str]:
    """What a drive shares with no other."""
    lines = []
    if drive.elasticity is not None:
        lines += _field_lines(drive.elasticity)
    if not drive.absolute_encoder:
        lines.append("absolute_encoder = false")
    if drive.module:
        lines.append(f"module = {toml_value(drive.module)}")
    if drive.rotor_axes:
        lines.append(f"rotor_axes = {toml_value(drive.rotor_axes)}")
    return [*lines, "[drive.mechanism]", *_mechanism_lines(drive.mechanism)]


def _mechanism_lines(mechanism: Mechanism) -> list[str]:
    if type(mechanism) not in _TYPES:
        known = ", ".join(kind.__name__ for kind in _TYPES)
        raise RobotError(f"a {type(mechanism).__name__} has no form in TOML; there are: {known}")
    return [f'type = "{_TYPES[type(mechanism)]}"', *_field_lines(mechanism)]


def _field_lines(part: Any) -> list[str]:
    return [
        f"{each.name} = {_value(getattr(part, each.name))}"
        for each in fields(part)
        if each.init and not each.name.startswith("_")
    ]


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, np.ndarray):
        return toml_value(value.tolist())
    if isinstance(value, tuple):  # the cranks of an ankle
        tables = (
            ", ".join(f"{each.name} = {_value(getattr(part, each.name))}" for each in fields(part))
            for part in value
        )
        return "[" + ", ".join(f"{{ {table} }}" for table in tables) + "]"
    return toml_value(value)


def toml_text(robot: Robot) -> str:
    """The robot as text in footfall's format."""
    lines = [f"name = {toml_string(robot.name)}", f"gravity = {toml_value(robot.gravity)}"]
    for body, joint in zip(robot.bodies, robot.joints, strict=True):
        lines += ["", *_body_lines(body), *_joint_lines(joint)]
        for table, shapes in (("visual", body.visuals), ("collision", body.collisions)):
            for geometry in shapes:
                lines += ["", f"[[body.{table}]]", *_geometry_lines(geometry)]
    for frame in robot.frames:
        lines += ["", "[[frame]]", f"name = {toml_string(frame.name)}", f"body = {toml_string(frame.body)}"]
        lines += placement_lines(frame.placement)
    for loop in robot.loops:
        lines += ["", "[[loop]]", *_loop_lines(loop)]
    tables: dict[str, Mapping[str, Value]] = {
        "configurations": {name: q.tolist() for name, q in robot.configurations.items()},
        "groups": robot.groups,
        "regions": robot.regions,
        "notes": robot.notes,
        **{f"limit_sets.{toml_key(name)}": limits for name, limits in robot.limit_sets.items()},
    }
    for table, entries in tables.items():
        if entries or table.startswith("limit_sets."):
            lines += [
                "",
                f"[{table}]",
                *(f"{toml_key(key)} = {toml_value(value)}" for key, value in entries.items()),
            ]
    lines += volume_lines(robot)
    lines += pair_lines("apart", robot.apart)
    lines += drive_lines(robot)
    return "\n".join(lines) + "\n"


def _body_lines(body: Body) -> list[str]:
    lines = ["[[body]]", f"name = {toml_string(body.name)}"]
    if body.mass:
        lines.append(f"mass = {toml_value(body.mass)}")
    if np.any(body.center_of_mass):
        lines.append(f"center_of_mass = {toml_value(body.center_of_mass.tolist())}")
    if np.any(body.inertia):
        i = body.inertia
        lines.append(f"inertia = {toml_value([i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]])}")
    return lines


def _joint_lines(joint: Joint) -> list[str]:
    lines = ["[body.joint]"]
    if joint.name != joint.child:
        lines.append(f"name = {toml_string(joint.name)}")
    if joint.type is not JointType.FIXED:
        lines.append(f"type = {toml_string(joint.type)}")
    if joint.parent != WORLD:
        lines.append(f"parent = {toml_string(joint.parent)}")
    lines += placement_lines(joint.placement)
    defaults = Joint("", JointType.FIXED, "", "")
    for name in (
        "axis",
        "second_axis",
        "lower",
        "upper",
        "velocity",
        "effort",
        "kp",
        "kd",
        "damping",
        "friction",
        "armature",
    ):
        value = getattr(joint, name)
        if value != getattr(defaults, name):
            lines.append(f"{name} = {toml_value(value)}")
    if joint.mimic is not None:
        mimic = {
            "joint": joint.mimic.joint,
            "multiplier": joint.mimic.multiplier,
            "offset": joint.mimic.offset,
        }
        lines.append(f"mimic = {toml_value(mimic)}")
    return lines


def _loop_lines(loop: Loop) -> list[str]:
    lines = [f"name = {toml_string(loop.name)}", f"type = {toml_string(loop.type)}"]
    for name in (
        "frame",
        "against",
        "axis",
        "length",
        "joints",
        "coefficients",
        "offset",
        "dependent",
        "recovery",
    ):
        value = getattr(loop, name)
        if value and (name != "axis" or loop.type is LoopType.HINGE):
            lines.append(f"{name} = {toml_value(value)}")
    if loop.held_by != "coordinates":
        lines.append(f"held_by = {toml_string(loop.held_by)}")
    return lines


def _geometry_lines(geometry: Geometry) -> list[str]:
    lines = [f"name = {toml_string(geometry.name)}"] if geometry.name else []
    lines += shape_lines(geometry.shape)
    lines += placement_lines(geometry.placement)
    if geometry.color is not None:
        lines.append(f"color = {toml_value(geometry.color)}")
    if geometry.friction is not None:
        lines.append(f"friction = {toml_value(geometry.friction)}")
    for name in ("rolling_friction", "torsional_friction"):
        lines += [f"{name} = {toml_value(getattr(geometry, name))}"] if getattr(geometry, name) > 0.0 else []
    lines += [
        f"{name} = {getattr(geometry, name)}" for name in ("group", "mask") if getattr(geometry, name) != 1
    ]
    return lines
