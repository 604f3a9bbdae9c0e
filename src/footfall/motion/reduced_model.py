"""The reduced model of a biped: five masses, soles, planar legs (spec 003c section 2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
Interval = tuple[float, float]


@dataclass(frozen=True)
class PlanarLeg:
    """A leg in its sagittal plane, m and rad (spec 003c section 9): toe_height l1, toe_shift l2, mid_foot_length l3,
    mid_foot_height l4, lower_leg l5, upper_leg l6, hip_to_torso l7; limits of the joints."""

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


@dataclass(frozen=True, eq=False)
class ReducedModel:
    """What the motion generator knows of a robot, m, kg, rad.

    foot_share, hand_share: of the mass, each. torso_inertia (3, 3): about the torso's mass, axes of the upper body, kg
    m2. sole, toe_sole: (rear, front, right, left) in the frame of a foot. toe_limits: of the right and left toe joint,
    None without. toe_signs: of the angles that lift the heel. shoulder_width, shoulder_height (above the hips),
    upper_arm, lower_arm, hand_radius. com_height, foot_distance, hand_offset, head_tilt: at rest. frames: names of the
    robot's frames for RF, LF, RH, LH, UB, VTCP.
    """

    name: str
    mass: float
    foot_share: float
    hand_share: float
    torso_inertia: Array
    leg: PlanarLeg
    sole: tuple[float, float, float, float]
    toe_sole: tuple[float, float, float, float]
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
    frames: dict[str, str]
    gravity: float = 9.81
