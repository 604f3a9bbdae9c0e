"""Reduced models as TOML, with units in the names."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from footfall.errors import InvalidDescription, InvalidReducedModelFile
from footfall.motion.reduced_model import Interval, PlanarLeg, Rectangle, ReducedModel
from footfall.robot.toml_parts import read_schema
from footfall.whole_file import written_whole

_LARGEST_FILE = 2**20  # bytes


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


def read_reduced_model(path: Path | str) -> ReducedModel:
    """A reduced model from a TOML file; angles in it are in degrees."""
    try:
        content = read_schema(Path(path), _Model, limit=_LARGEST_FILE)
    except InvalidDescription as error:
        raise InvalidReducedModelFile(str(error)) from None
    values = _plain(content)
    return ReducedModel(**{**values, "leg": PlanarLeg(**_plain(content.leg))})


def write_reduced_model(model: ReducedModel, path: Path | str) -> None:
    """Write a reduced model as TOML that `read_reduced_model` reads."""
    tables: dict[str, dict[str, Any]] = {"": {}, "leg": {}, "frames": dict(model.frames)}
    for table, source, kind in (("", model, _Model), ("leg", model.leg, _Leg)):
        for field in kind.__struct_fields__:
            name = _without_unit(field)
            value = getattr(source, name)
            if name not in tables and value is not None:
                tables[table][field] = np.rad2deg(value) if field.endswith("_deg") else value
    lines = []
    for table, entries in tables.items():
        lines += [f"\n[{table}]"] if table else []
        lines += [f"{name} = {_text(value)}" for name, value in entries.items()]
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
