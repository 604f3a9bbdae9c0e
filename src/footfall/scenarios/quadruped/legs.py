"""Legs of the quadruped: where their joints are, and the angles that bring a foot to a place.

Hip roll about x, hip pitch, knee and ankle about y; all links hang along -z at zero. Three pitch joints for two
coordinates of the foot are one too many: the foot keeps a given pitch, Ayit 2015, chapter 5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.gait.gaits import LEGS
from footfall.robot.model import Robot

JOINTS = ("hip_roll", "hip_pitch", "knee", "ankle")


@dataclass(frozen=True)
class LegGeometry:
    """hip: (3,) of the hip in the torso, m. thigh, shank, foot: lengths, m. foot_pitch: that the foot keeps, rad."""

    hip: Array
    thigh: float
    shank: float
    foot: float
    foot_pitch: float

    def angles(self, tip: Array) -> Array:
        """Joint angles (..., 4) that bring the tip of the foot to (..., 3) in torso axes from the hip, m."""
        tip = np.asarray(tip, dtype=np.float64)
        roll = np.arctan2(tip[..., 1], -tip[..., 2])
        down = np.hypot(tip[..., 1], tip[..., 2])
        # The ankle in the plane of the leg, x forward and y down.
        x = tip[..., 0] + self.foot * np.sin(self.foot_pitch)
        y = down - self.foot * np.cos(self.foot_pitch)
        square = x * x + y * y
        cosine = (square - self.thigh**2 - self.shank**2) / (2 * self.thigh * self.shank)
        if np.any(np.abs(cosine) > 1.0):
            worst = int(np.argmax(np.abs(np.ravel(cosine))))
            raise InvalidInput(
                f"the foot cannot be at {tip.reshape(-1, 3)[worst].tolist()} m from the hip: the ankle would be "
                f"{float(np.sqrt(np.ravel(square)[worst])):.4g} m away; it must be between "
                f"{abs(self.thigh - self.shank):.4g} and {self.thigh + self.shank:.4g} m"
            )
        knee = np.arccos(cosine)
        pitch = np.arctan2(-x, y) - np.arctan2(self.shank * np.sin(knee), self.thigh + self.shank * cosine)
        return np.stack([roll, pitch, knee, self.foot_pitch - pitch - knee], axis=-1)

    def tip(self, angles: Array) -> Array:
        """Tip of the foot (..., 3) in torso axes from the hip, m, at joint angles (..., 4)."""
        angles = np.asarray(angles, dtype=np.float64)
        pitches = np.cumsum(angles[..., 1:], axis=-1)
        lengths = np.array([self.thigh, self.shank, self.foot])
        x = -(np.sin(pitches) * lengths).sum(axis=-1)
        down = (np.cos(pitches) * lengths).sum(axis=-1)
        return np.stack([x, down * np.sin(angles[..., 0]), -down * np.cos(angles[..., 0])], axis=-1)


def leg_geometry(robot: Robot, leg: str) -> LegGeometry:
    """Geometry of a leg (RB, LB, RF or LF); the foot's pitch is that of the configuration "stand"."""
    pitch = sum(float(robot.configuration("stand")[robot.q_slice(f"{leg}_{name}")][0]) for name in JOINTS[1:])
    tip = next(frame for frame in robot.frames if frame.name == leg)
    return LegGeometry(
        robot.joint(f"{leg}_hip_roll").placement.translation,
        -float(robot.joint(f"{leg}_knee").placement.translation[2]),
        -float(robot.joint(f"{leg}_ankle").placement.translation[2]),
        -float(tip.placement.translation[2]),
        pitch,
    )


def joint_angles(robot: Robot, body: Array, feet: Array) -> Array:
    """Angles (n, 16) of all joints for an upright torso at (n, 3) and feet at (n, 4, 3) in the world, m."""
    parts = []
    for k, leg in enumerate(LEGS):
        geometry = leg_geometry(robot, leg)
        parts.append(geometry.angles(feet[:, k] - body - geometry.hip))
    return np.concatenate(parts, axis=-1)


def foot_homes(robot: Robot) -> Array:
    """Places (4, 3) of the feet on the ground below the hips, in the world, m, for a torso above the origin."""
    homes = np.array([leg_geometry(robot, leg).hip for leg in LEGS])
    homes[:, 2] = 0.0
    return homes


def standing_configuration(robot: Robot, hip_height: float) -> Array:
    """Configuration (nq,) with the feet on the ground under hips at that height, m."""
    q = robot.configuration("stand").copy()
    q[2] = hip_height
    q[7:] = joint_angles(robot, q[None, :3], foot_homes(robot)[None])[0]
    return q
