"""Offsets of absolute encoders from readings in a jig that holds the robot in known poses.

Schwienbacher 2014, chapter 3.

The calibration of a robot on disk: offsets of encoders and of the inertial sensor, in TOML (Seiwald 2023, 3.7).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput, UnknownName
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


_LEAST_SPREAD = 1e-3  # rad of joint angle between poses, below which they do not tell a gain


@dataclass(frozen=True, eq=False)
class EncoderCalibration:
    """reading = gain * q + offset, for each of `joints`.

    offsets (n,): rad, from -pi to pi. gains (n,): one unless they were identified. uncertainty (n,): standard error of
    the offsets, rad; NaN from one pose and no known noise. spread (n,): greatest deviation of a pose, rad. poses (n,):
    how many had a reading.
    """

    joints: tuple[str, ...]
    offsets: Array
    gains: Array
    uncertainty: Array
    spread: Array
    poses: Array

    def joint_position(self, readings: Mapping[str, float]) -> dict[str, float]:
        """Joint angles, rad from -pi to pi, of encoder readings in rad."""
        known = {name: k for k, name in enumerate(self.joints)}
        for name in readings.keys() - known.keys():
            raise UnknownName("calibrated encoder", name, self.joints)
        return {
            name: float(wrapped(reading - self.offsets[known[name]]) / self.gains[known[name]])
            for name, reading in readings.items()
        }


def calibrate_encoders(
    joints: Sequence[str],
    readings: Any,
    jig_positions: Any,
    *,
    noise: float | None = None,
    identify_gains: bool = False,
) -> EncoderCalibration:
    """Offsets from readings (poses, n) and the joint angles of the jig (poses, n), rad; NaN where none was taken.

    noise: standard deviation of a reading, rad, if known; else the poses' disagreement stands for it. identify_gains:
    also fit a gain for each encoder, which needs poses that differ. Joints that the poses do not determine are named
    in an error.
    """
    names = tuple(joints)
    measured, true = (
        np.atleast_2d(np.asarray(readings, float)),
        np.atleast_2d(np.asarray(jig_positions, float)),
    )
    if measured.shape != true.shape or measured.shape[1] != len(names):
        raise InvalidInput(
            f"readings have shape {measured.shape}, jig positions {true.shape}; both must be (poses, {len(names)})"
        )
    columns = []
    missing = []
    for k, name in enumerate(names):
        taken = np.isfinite(measured[:, k]) & np.isfinite(true[:, k])
        q = true[taken, k]
        needed = 2 if identify_gains else 1
        if len(q) < needed or (identify_gains and np.ptp(q) < _LEAST_SPREAD):
            missing.append(name)
            continue
        columns.append(_fit(measured[taken, k], q, noise, identify_gains))
    if missing:
        what = "two different poses" if identify_gains else "one pose"
        raise InvalidInput(
            f"the readings determine {len(names) - len(missing)} of {len(names)} encoders; "
            f"at least {what} must be added for: {', '.join(missing)}"
        )
    offsets, gains, uncertainty, spread, poses = (np.array(part) for part in zip(*columns, strict=True))
    return EncoderCalibration(names, offsets, gains, uncertainty, spread, poses)


def wrapped(angle: Any) -> Any:
    """The angle, rad, from -pi to pi."""
    return np.arctan2(np.sin(angle), np.cos(angle))


def _fit(
    reading: Array, q: Array, noise: float | None, with_gain: bool
) -> tuple[float, float, float, float, int]:
    """Offset, gain, standard error of the offset, greatest deviation, number of poses."""
    difference = reading - q
    middle = math.atan2(np.sin(difference).mean(), np.cos(difference).mean())  # a circular mean
    deviation = wrapped(difference - middle)
    design = np.stack([np.ones_like(q), q], axis=1) if with_gain else np.ones((len(q), 1))
    solution, *_ = np.linalg.lstsq(design, deviation, rcond=None)
    left = deviation - design @ solution
    freedom = len(q) - design.shape[1]
    estimated = math.sqrt(float(left @ left) / freedom) if freedom else math.nan
    deviation_of_one = estimated if noise is None else noise
    covariance = np.linalg.inv(design.T @ design)
    gain = 1.0 + float(solution[1]) if with_gain else 1.0
    offset = float(wrapped(middle + solution[0]))
    return offset, gain, deviation_of_one * math.sqrt(covariance[0, 0]), float(np.abs(left).max()), len(q)
