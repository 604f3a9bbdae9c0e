"""The tables of volumes in a robot's file: `[[volume]]` and `[volume_pairs]`."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np

from footfall.errors import GeometryError
from footfall.geometry.swept_sphere import SweptSphere, SweptVolume
from footfall.robot.model import Robot
from footfall.robot.toml_parts import Vector
from footfall.robot.toml_text import toml_key, toml_string, toml_value
from footfall.robot.volumes import BodyVolume, Pair


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
