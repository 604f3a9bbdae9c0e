"""Drives as the tables of a TOML file, which `drive_schema` reads back to the same numbers."""

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
from footfall.robot.model import Robot
from footfall.robot.toml_text import toml_key, toml_value

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
