"""The calibration of a robot on disk: offsets of encoders and of the inertial sensor, in TOML (Seiwald 2023, 3.7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

import msgspec

from footfall.robot import values
from footfall.robot.toml_parts import read_schema
from footfall.whole_file import write_text

_SIZE_LIMIT = 2**16  # bytes


@dataclass(frozen=True, eq=False)
class Calibration(values.Value):
    """encoder_offsets: joint -> rad, what an encoder reads too much. imu_offset: roll, pitch, yaw, rad."""

    encoder_offsets: Mapping[str, float]
    imu_offset: tuple[float, ...] = field(default=(0.0, 0.0, 0.0))

    def __post_init__(self) -> None:
        offsets = {
            name: values.finite_number(offset, "offset", ("encoder", name))
            for name, offset in self.encoder_offsets.items()
        }
        object.__setattr__(self, "encoder_offsets", MappingProxyType(offsets))
        imu = values.vector(self.imu_offset, 3, "imu_offset", ("calibration", ""))
        object.__setattr__(self, "imu_offset", imu)


class CalibrationSchema(msgspec.Struct, forbid_unknown_fields=True):
    encoder_offsets: dict[str, float]
    imu_offset: tuple[float, float, float] = (0.0, 0.0, 0.0)


def read_calibration(path: str | Path) -> Calibration:
    """The calibration in a file."""
    schema = read_schema(Path(path), CalibrationSchema, limit=_SIZE_LIMIT)
    return Calibration(schema.encoder_offsets, schema.imu_offset)


def write_calibration(calibration: Calibration, path: str | Path) -> None:
    """Write a calibration; an older file stays whole until the new one is."""
    lines = [
        f"imu_offset = {list(calibration.imu_offset)} # roll, pitch, yaw, rad",
        "",
        "[encoder_offsets] # rad",
    ]
    for name, offset in calibration.encoder_offsets.items():
        quoted = name.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'"{quoted}" = {offset!r}')
    write_text(Path(path), "\n".join(lines) + "\n")
