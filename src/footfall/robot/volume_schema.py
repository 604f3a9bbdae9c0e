"""The tables of volumes in a robot's file: `[[volume]]` and `[volume_pairs]`.

Volumes of a robot in a file of their own, for robots whose description has no place for them (URDF, MJCF).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np

from footfall.errors import GeometryError, RobotError
from footfall.geometry.swept_sphere import SweptSphere, SweptVolume
from footfall.robot.model import Robot
from footfall.robot.toml_parts import Vector, decode, read_text
from footfall.robot.toml_text import toml_key, toml_string, toml_value
from footfall.robot.volumes import BodyVolume, Pair
from footfall.whole_file import write_text

_SIZE_LIMIT = 16 * 2**20  # bytes


class VolumeFile(msgspec.Struct, forbid_unknown_fields=True):
    volume: list[VolumeSchema] = msgspec.field(default_factory=list)
    volume_pairs: dict[str, list[str]] = msgspec.field(default_factory=dict)


def save_volumes(robot: Robot, path: str | os.PathLike[str]) -> None:
    """Write the volumes and pairs of a robot as TOML; the file appears whole or not at all."""
    path = Path(path)
    if path.suffix.lower() != ".toml":
        raise RobotError(f"suffix {path.suffix!r}; volumes are kept in .toml files", source=str(path))
    write_text(path, "\n".join(volume_lines(robot)).lstrip() + "\n")


def load_volumes(robot: Robot, path: str | os.PathLike[str]) -> Robot:
    """The robot with the volumes and pairs of a file that `save_volumes` has written, instead of its own."""
    path = Path(path)
    schema = decode(read_text(path, limit=_SIZE_LIMIT), str(path), VolumeFile)
    volumes = tuple(read_volume(each) for each in schema.volume)
    return replace(robot, volumes=volumes, volume_pairs=read_pairs(schema.volume_pairs))


class ElementSchema(msgspec.Struct, forbid_unknown_fields=True):
    corners: list[Vector]
    radius: float


class VolumeSchema(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    body: str
    elements: list[ElementSchema]


def read_volume(schema: VolumeSchema) -> BodyVolume:
    """The volume that an entry describes."""
    try:
        elements = [SweptSphere(np.array(each.corners), each.radius) for each in schema.elements]
        return BodyVolume(schema.name, schema.body, SweptVolume(tuple(elements)))
    except GeometryError as error:
        error.subject = ("volume", schema.name)
        raise


def read_pairs(partners: dict[str, list[str]]) -> tuple[Pair, ...]:
    """Pairs of names, in the order of the table that names the partners of each."""
    return tuple((first, second) for first, others in partners.items() for second in others)


def volume_lines(robot: Robot) -> list[str]:
    """Volumes and their pairs as lines of a robot's file."""
    lines = []
    for volume in robot.volumes:
        lines += [
            "",
            "[[volume]]",
            f"name = {toml_string(volume.name)}",
            f"body = {toml_string(volume.body)}",
            "elements = [",
            *(
                f"    {toml_value({'radius': each.radius, 'corners': each.corners.tolist()})},"
                for each in volume.shape.elements
            ),
            "]",
        ]
    return lines + pair_lines("volume_pairs", robot.volume_pairs)


def pair_lines(table: str, pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Pairs of names as a table: partners by the first of each."""
    partners: dict[str, list[str]] = {}
    for first, second in pairs:
        partners.setdefault(first, []).append(second)
    entries = [f"{toml_key(key)} = {toml_value(names)}" for key, names in partners.items()]
    return ["", f"[{table}]", *entries] if entries else []
