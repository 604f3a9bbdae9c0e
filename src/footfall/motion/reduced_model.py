"""The reduced model of a biped: five masses, soles, planar legs (Seiwald 2023).

`reduced_model(robot)` reads the file of constants that belongs to a robot, or derives them from its description.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.motion.hand_space import HandSpace
from footfall.option_checks import require_above_zero
from footfall.robot.values import Value

Interval = tuple[float, float]
Rectangle = tuple[float, float, float, float]
Numbers7 = tuple[float, float, float, float, float, float, float]
Place = tuple[float, float, float]

LANDMARKS = ("RF", "LF", "RH", "LH", "UB", "VTCP")


class CapsuleShape(NamedTuple):
    """A line between two places, m, swept by a sphere."""

    first: Place
    second: Place
    radius: float


class Bulk(NamedTuple):
    """The room that a robot takes: capsules around body and right arm (none without arms) in the frame midway between
    the feet, x ahead, y left, z up from the ground."""

    body: tuple[CapsuleShape, ...]
    arm: tuple[CapsuleShape, ...]


@dataclass(frozen=True)
class PlanarLeg:
    """A leg in its sagittal plane, m and rad (Seiwald 2023): toe_height l1, toe_shift l2, mid_foot_length l3,
    mid_foot_height l4, lower_leg l5, upper_leg l6, hip_to_torso l7; limits of the joints, positive about y.
    torso_ahead: how far the torso's mass is in front of the hips of an upright robot; the source has it above them.
    hip_roll_limits, ankle_roll_limits: how far a leg leans outward against the body and the foot, None if unknown."""

    toe_height: float
    toe_shift: float
    mid_foot_length: float
    mid_foot_height: float
    lower_leg: float
    upper_leg: float
    hip_to_torso: float
    hip_limits: Interval
    knee_limits: Interval
    ankle_limits: Interval
    torso_ahead: float = 0.0
    hip_roll_limits: Interval | None = None
    ankle_roll_limits: Interval | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            if getattr(self, field.name) is None:
                continue
            value = np.asarray(getattr(self, field.name), dtype=np.float64)
            if not np.isfinite(value).all():
                raise InvalidInput(f"{field.name} of the leg is {value}; it must be finite")
            if value.ndim and not value[0] < value[1]:
                raise InvalidInput(f"{field.name} of the leg are {value}; the first must be below the second")
        require_above_zero(self, "lower_leg", "upper_leg")


@dataclass(frozen=True, eq=False)
class ReducedModel(Value):
    """What the motion generator knows of a robot, m, kg, rad.

    foot_share, hand_share: of the mass, each. torso_inertia (3, 3): about the torso's mass, axes of the upper body, kg
    m2. sole, toe_sole: (rear, front, right, left) in the frame of a foot. toe_limits: of the right and left toe joint,
    None without. toe_signs: of the angles that lift the heel. shoulder_width, shoulder_height (above the hips),
    upper_arm, lower_arm, hand_radius. com_height, foot_distance, hand_offset, head_tilt: at rest. frames: names of the
    robot's frames for RF, LF, RH, LH, UB, VTCP. head_pan_limits, head_tilt_limits: None if unknown.
    hand_space: where hands get, None if only the length of arms is known. hand_reach: capsules (two ends, radius), seen
    from the right shoulder, where hands touch things during a whole step, None where hand_space shall say. bulk: the
    room that the robot takes, None if it is that of the source's robot, scaled.
    """

    name: str
    mass: float
    foot_share: float
    hand_share: float
    torso_inertia: Array
    leg: PlanarLeg
    sole: Rectangle
    toe_sole: Rectangle
    toe_limits: tuple[Interval, Interval] | None
    toe_signs: tuple[float, float]
    hip_width: float
    shoulder_width: float
    shoulder_height: float
    upper_arm: float
    lower_arm: float
    hand_radius: float
    com_height: float
    foot_distance: float
    hand_offset: tuple[float, float, float]
    head_tilt: float
    frames: Mapping[str, str]
    gravity: float = 9.81
    head_pan_limits: Interval | None = None
    head_tilt_limits: Interval | None = None
    hand_space: HandSpace | None = None
    hand_reach: tuple[Numbers7, ...] | None = None
    bulk: Bulk | None = None

    def __post_init__(self) -> None:
        inertia = np.array(self.torso_inertia, dtype=np.float64)
        inertia.flags.writeable = False
        object.__setattr__(self, "torso_inertia", inertia)
        object.__setattr__(self, "frames", MappingProxyType(dict(self.frames)))
        if inertia.shape != (3, 3) or not np.isfinite(inertia).all():
            raise InvalidInput(f"torso_inertia has shape {inertia.shape}; it must be finite, (3, 3)")
        require_above_zero(self, "mass", "com_height", "foot_distance", "gravity", of=f" of {self.name!r}")
        if not (
            self.foot_share >= 0.0 and self.hand_share >= 0.0 and self.foot_share + self.hand_share < 0.5
        ):
            raise InvalidInput(
                f"shares of {self.name!r} are {self.foot_share:g} a foot and {self.hand_share:g} a hand; they must "
                "not be negative, and leave mass for the torso"
            )
        for name in ("sole", "toe_sole"):
            rear, front, right, left = getattr(self, name)
            if not (rear < front and right < left):
                raise InvalidInput(
                    f"{name} of {self.name!r} is {getattr(self, name)}; it must be (rear, front, right, left)"
                )
