"""Volumes of a robot in a file of their own, for robots whose description has no place for them (URDF, MJCF)."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import msgspec

from footfall.errors import RobotError
from footfall.robot.model import Robot
from footfall.robot.toml_parts import decode, read_text
from footfall.robot.volume_schema import VolumeSchema, read_pairs, read_volume, volume_lines
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
