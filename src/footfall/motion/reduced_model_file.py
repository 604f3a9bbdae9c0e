"""Reduced models as TOML, with units in the names."""

from __future__ import annotations

import base64
import math
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np

from footfall.errors import InvalidInput, RobotError
from footfall.motion.hand_space import HandSpace
from footfall.motion.reduced_model import (
    Bulk,
    CapsuleShape,
    Interval,
    Numbers7,
    PlanarLeg,
    Rectangle,
    ReducedModel,
)
from footfall.robot.toml_parts import read_schema
from footfall.whole_file import written_whole

_LARGEST_FILE = 2**20  # bytes
_Count = Annotated[int, msgspec.Meta(ge=1, le=200)]  # of cells along an axis


class _Leg(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    toe_height_m: float = 0.0
    toe_shift_m: float = 0.0
    mid_foot_length_m: float
    mid_foot_height_m: float
    lower_leg_m: float
    upper_leg_m: float
    hip_to_torso_m: float
    torso_ahead_m: float = 0.0
    hip_limits_deg: Interval
    knee_limits_deg: Interval
    ankle_limits_deg: Interval
    hip_roll_limits_deg: Interval | None = None
    ankle_roll_limits_deg: Interval | None = None


class _HandSpace(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where hands get: cells as bits, x slowest, in base 64."""

    corner_m: tuple[float, float, float]
    size_m: Annotated[float, msgspec.Meta(gt=0.0)]
    counts: tuple[_Count, _Count, _Count]
    cells: str


class _Bulk(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Capsules: two ends, radius."""

    body_m: tuple[Numbers7, ...]
    arm_m: tuple[Numbers7, ...]


class _Model(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    name: str
    mass_kg: float
    foot_share: float
    hand_share: float
    torso_inertia_kg_m2: tuple[
        tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]
    ]
    sole_m: Rectangle
    toe_sole_m: Rectangle
    toe_limits_deg: tuple[Interval, Interval] | None = None
    toe_signs: tuple[float, float] = (-1.0, 1.0)
    hip_width_m: float
    shoulder_width_m: float
    shoulder_height_m: float
    upper_arm_m: float
    lower_arm_m: float
    hand_radius_m: float
    com_height_m: float
    foot_distance_m: float
    hand_offset_m: tuple[float, float, float]
    head_tilt_deg: float = 0.0
    head_pan_limits_deg: Interval | None = None
    head_tilt_limits_deg: Interval | None = None
    gravity_m_s2: float = 9.81
    leg: _Leg
    frames: dict[str, str]
    hand_space: _HandSpace | None = None
    hand_reach_m: tuple[Numbers7, ...] | None = None
    bulk: _Bulk | None = None


def read_reduced_model(path: Path | str) -> ReducedModel:
    """A reduced model from a TOML file; angles in it are in degrees."""
    try:
        content = read_schema(Path(path), _Model, limit=_LARGEST_FILE)
    except RobotError as error:
        raise InvalidInput(str(error)) from None
    values = _plain(content)
    space = None if content.hand_space is None else _read_space(content.hand_space, path)
    bulk = (
        None
        if content.bulk is None
        else Bulk(*(_capsules(part) for part in msgspec.structs.astuple(content.bulk)))
    )
    read = {"leg": PlanarLeg(**_plain(content.leg)), "hand_space": space, "bulk": bulk}
    return ReducedModel(**{**values, **read})


def _capsules(rows: tuple[Numbers7, ...]) -> tuple[CapsuleShape, ...]:
    return tuple(CapsuleShape(row[:3], row[3:6], row[6]) for row in rows)


def _written_bulk(bulk: Bulk) -> dict[str, Any]:
    return {
        f"{name}_m": [(*each.first, *each.second, each.radius) for each in part]
        for name, part in zip(Bulk._fields, bulk, strict=True)
    }


def _read_space(content: _HandSpace, path: Path | str) -> HandSpace:
    count = math.prod(content.counts)
    try:
        bits = np.frombuffer(base64.b64decode(content.cells, validate=True), np.uint8)
    except ValueError:
        raise InvalidInput(f"{path}: cells of hand_space must be in base 64") from None
    if len(bits) != -(-count // 8):
        raise InvalidInput(
            f"{path}: cells of hand_space are {len(bits)} bytes; {count} cells take {-(-count // 8)}"
        )
    cells = np.unpackbits(bits, count=count).astype(np.bool_).reshape(content.counts)
    return HandSpace(np.array(content.corner_m), content.size_m, cells)


def _written_space(space: HandSpace) -> dict[str, Any]:
    cells = base64.b64encode(np.packbits(space.cells).tobytes()).decode()
    counts = "[" + ", ".join(str(count) for count in space.cells.shape) + "]"
    return {"corner_m": space.corner, "size_m": space.size, "counts": counts, "cells": cells}


def write_reduced_model(model: ReducedModel, path: Path | str) -> None:
    """Write a reduced model as TOML that `read_reduced_model` reads."""
    tables: dict[str, dict[str, Any]] = {"": {}, "leg": {}, "frames": dict(model.frames)}
    for table, source, kind in (("", model, _Model), ("leg", model.leg, _Leg)):
        for field in kind.__struct_fields__:
            name = _without_unit(field)
            value = getattr(source, name)
            if name not in (*tables, "hand_space", "bulk") and value is not None:
                tables[table][field] = np.rad2deg(value) if field.endswith("_deg") else value
    if model.hand_space is not None:
        tables["hand_space"] = _written_space(model.hand_space)
    if model.bulk is not None:
        tables["bulk"] = _written_bulk(model.bulk)
    lines = []
    for table, entries in tables.items():
        lines += [f"\n[{table}]"] if table else []
        lines += [
            f"{name} = {value if name == 'counts' else _text(value)}" for name, value in entries.items()
        ]
    with written_whole(Path(path)) as file:
        file.write(("\n".join(lines) + "\n").encode())


def published_model(name: str) -> ReducedModel | None:
    """The reduced model that is shipped for a robot of that name, None without one."""
    if not name.replace("-", "").replace("_", "").isalnum():
        return None
    path = Path(str(files("footfall.motion.library").joinpath(f"{name}.toml")))
    return read_reduced_model(path) if path.is_file() else None


def _without_unit(field: str) -> str:
    for unit in ("_kg_m2", "_m_s2", "_kg", "_deg", "_m"):
        if field.endswith(unit):
            return field.removesuffix(unit)
    return field


def _plain(content: msgspec.Struct) -> dict[str, Any]:
    """Values by the names of the model, angles in rad."""
    result = {}
    for field in content.__struct_fields__:
        value = getattr(content, field)
        if field.endswith("_deg") and value is not None:
            value = _radians(value)
        result[_without_unit(field)] = value
    return result


def _radians(value: Any) -> Any:
    return tuple(_radians(entry) for entry in value) if isinstance(value, tuple) else float(np.deg2rad(value))


def _text(value: Any) -> str:
    if isinstance(value, str):
        return msgspec.json.encode(value).decode()
    if isinstance(value, (list, tuple, np.ndarray)):
        return f"[{', '.join(_text(entry) for entry in value)}]"
    return repr(float(value))
