"""How high and how low the torso may be above a leg that stands (Seiwald 2023).

A leg is looked at in the vertical plane of the upper body: ankle and hip are then known in x, and the torso's
height is a function of one joint. The source samples that joint. But the height has its extremes where a joint is
at a limit (or the knee straight), and for each limit the leg's pose is known in closed form: seven poses give the
bounds exactly.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Quaternion, Vector2, Vector3, new_records, routine
from footfall.math.rotations import matrix_from_quaternion
from footfall.motion.reduced_model import PlanarLeg, ReducedModel
from footfall.motion.samples import Sample

_ROUNDING = 1e-9  # rad: a joint that much beyond its limit is at it


class HeightRange(NamedTuple):
    """Lowest and highest torso above a leg, m; (inf, -inf) if no pose of the leg reaches it."""

    lowest: float
    highest: float


class PlanarStance(NamedTuple):
    """A leg seen from the side: the frame of its foot, planar angle of the toe joint (negative if the heel lifts),
    where the torso is, pitch of the upper body; m, and rad about y."""

    foot_x: float
    foot_z: float
    pitch: float
    toe: float
    torso_x: float
    body: float


class LegPose(NamedTuple):
    """How shank and thigh lean (beta, gamma in the source), rad, and the height of the hip above the ankle, m; NaN if
    they do not meet."""

    shank: float
    thigh: float
    height: float


@routine
def planar_bounds(leg: PlanarLeg, stance: PlanarStance) -> HeightRange:
    """Bounds of the torso's height above a foot, Seiwald 2023, (E.1)-(E.4)."""
    pitch, body, alpha = stance.pitch, stance.body, stance.pitch - stance.toe
    ankle_x = stance.foot_x + leg.toe_height * np.sin(pitch) - leg.toe_shift * np.cos(pitch)
    ankle_x += leg.mid_foot_height * np.sin(alpha) - leg.mid_foot_length * np.cos(alpha)
    rest = stance.foot_z + leg.toe_height * np.cos(pitch) + leg.toe_shift * np.sin(pitch)
    rest += leg.mid_foot_length * np.sin(alpha) + leg.mid_foot_height * np.cos(alpha)
    rest += leg.hip_to_torso * np.cos(body) - leg.torso_ahead * np.sin(body)
    # From ankle to hip: lower_leg sin(shank) - upper_leg sin(thigh).
    ahead = stance.torso_x - ankle_x - leg.hip_to_torso * np.sin(body) - leg.torso_ahead * np.cos(body)
    shank_low, shank_high = alpha - leg.ankle_limits[1], alpha - leg.ankle_limits[0]
    thigh_low = max(-leg.hip_limits[1] - body, -np.pi / 2)
    thigh_high = min(-leg.hip_limits[0] - body, np.pi / 2)
    knee_low, knee_high = leg.knee_limits
    straight = 0.0 if knee_low < 0.0 < knee_high else knee_low
    lowest, highest = np.inf, -np.inf
    for pose in (
        with_shank(leg, shank_low, ahead),
        with_shank(leg, shank_high, ahead),
        with_thigh(leg, thigh_low, ahead),
        with_thigh(leg, thigh_high, ahead),
        with_knee(leg, knee_low, ahead),
        with_knee(leg, knee_high, ahead),
        with_knee(leg, straight, ahead),
    ):
        fits = (
            shank_low - _ROUNDING <= pose.shank <= shank_high + _ROUNDING
            and thigh_low - _ROUNDING <= pose.thigh <= thigh_high + _ROUNDING
            and knee_low - _ROUNDING <= pose.shank + pose.thigh <= knee_high + _ROUNDING
        )
        if fits:
            lowest, highest = min(lowest, rest + pose.height), max(highest, rest + pose.height)
    return HeightRange(lowest, highest)


@routine
def with_shank(leg: PlanarLeg, shank: float, ahead: float) -> LegPose:
    """The pose with a lean of the shank whose hip is so far ahead of the ankle."""
    sine = (leg.lower_leg * np.sin(shank) - ahead) / leg.upper_leg
    if abs(sine) > 1.0:
        return LegPose(np.nan, np.nan, np.nan)
    height = leg.lower_leg * np.cos(shank) + leg.upper_leg * np.sqrt(1.0 - sine * sine)
    return LegPose(shank, np.arcsin(sine), height)


@routine
def with_thigh(leg: PlanarLeg, thigh: float, ahead: float) -> LegPose:
    """The pose with a lean of the thigh."""
    sine = (ahead + leg.upper_leg * np.sin(thigh)) / leg.lower_leg
    if abs(sine) > 1.0:
        return LegPose(np.nan, np.nan, np.nan)
    height = leg.lower_leg * np.sqrt(1.0 - sine * sine) + leg.upper_leg * np.cos(thigh)
    return LegPose(np.arcsin(sine), thigh, height)


@routine
def with_knee(leg: PlanarLeg, knee: float, ahead: float) -> LegPose:
    """The pose with an angle of the knee."""
    lower, upper, sine, cosine = leg.lower_leg, leg.upper_leg, np.sin(knee), np.cos(knee)
    square = lower * lower + upper * upper + 2.0 * lower * upper * cosine - ahead * ahead
    if square < 0.0:
        return LegPose(np.nan, np.nan, np.nan)
    height = np.sqrt(square)
    # The shank leans as the line from ankle to hip does, and by the angle between the two.
    shank = np.arctan2(ahead, height) + np.arctan2(upper * sine, lower + upper * cosine)
    return LegPose(shank, knee - shank, height)


# Both legs of a robot


class Legs(NamedTuple):
    """Both legs. toe_signs: of the angles that lift the heel, right and left. longest: from hip to ankle, m. hip_leans,
    ankle_leans: how far they lean outward, least and most, rad; infinite if not known."""

    leg: PlanarLeg
    toe_signs: Vector2
    hip_width: float
    longest: float
    hip_leans: Vector2
    ankle_leans: Vector2


@lru_cache(maxsize=16)
def legs_of(model: ReducedModel) -> Legs:
    """The legs of a robot."""
    leg, unknown = model.leg, (-np.inf, np.inf)
    signs = np.array(model.toe_signs, dtype=np.float64)
    hip, ankle = np.array(leg.hip_roll_limits or unknown), np.array(leg.ankle_roll_limits or unknown)
    return Legs(leg, signs, model.hip_width, longest_leg(leg), hip, ankle)


class LegEnds(NamedTuple):
    """What a leg stands between: the frame of its foot, angle of the toe joint that lifts the heel, orientation of the
    upper body."""

    foot: Vector3
    turn: Quaternion
    lift: float
    upper_body: Quaternion


def stance_at(at: Sample, side: int, legs: Legs) -> LegEnds:
    """Of the right leg for 0, of the left one for 1."""
    now, body = at.value, at.upper_body.quaternion
    right = LegEnds(
        now.right_foot, at.right_foot_rotation.quaternion, legs.toe_signs[0] * now.right_toe, body
    )
    left = LegEnds(now.left_foot, at.left_foot_rotation.quaternion, legs.toe_signs[1] * now.left_toe, body)
    return right if side == 0 else left


@routine
def height_range(stance: LegEnds, torso: Vector2, leg: PlanarLeg) -> HeightRange:
    """Bounds of the torso's height at a place (x, y), m, in the vertical plane of the upper body."""
    ux, uy, uz = matrix_from_quaternion(stance.upper_body)[:, 0]
    level = np.sqrt(ux * ux + uy * uy)
    cosine, sine = (ux / level, uy / level) if level > 1e-9 else (1.0, 0.0)
    fx, fy, fz = matrix_from_quaternion(stance.turn)[:, 0]
    planar = PlanarStance(
        cosine * stance.foot[0] + sine * stance.foot[1],
        stance.foot[2],
        np.arctan2(-fz, cosine * fx + sine * fy),
        -stance.lift,
        cosine * torso[0] + sine * torso[1],
        np.arctan2(-uz, level),
    )
    return planar_bounds(leg, planar)


@routine(quick=True)
def height_ranges(samples: ArrayOf[Sample], torso: ArrayOf[Vector2], legs: Legs) -> ArrayOf[HeightRange]:
    """Bounds (k, 2) of the torso's height by the right and the left leg, for places (k,) of the torso, m."""
    result = new_records(HeightRange, (len(samples), 2))
    for k in range(len(samples)):
        for side in (0, 1):
            result[k, side] = height_range(stance_at(samples[k], side, legs), torso[k], legs.leg)
    return result


def longest_leg(leg: PlanarLeg) -> float:
    """From hip to ankle when the leg is stretched as far as its knee allows, m."""
    knee = max(leg.knee_limits[0], 0.0)
    square = leg.lower_leg**2 + leg.upper_leg**2 + 2 * leg.lower_leg * leg.upper_leg * np.cos(knee)
    return float(np.sqrt(square))


def leg_angles(leg: PlanarLeg, foot: Array, pitch: Array, toe: Array, torso: Array, body: Array) -> Array:
    """Angles (3, k) of hip, knee and ankle, rad, for a torso above a foot, in their plane; NaN out of reach.

    foot, torso (k, 2): x and z, m; pitch of the foot, planar angle of the toe joint (negative if the heel lifts) and
    pitch of the upper body (k,), rad. Seiwald 2023, (E.1)-(E.4), solved for the angles.
    """
    alpha = pitch - toe
    ankle_x = foot[:, 0] + leg.toe_height * np.sin(pitch) - leg.toe_shift * np.cos(pitch)
    ankle_x = ankle_x - leg.mid_foot_length * np.cos(alpha) + leg.mid_foot_height * np.sin(alpha)
    ankle_z = foot[:, 1] + leg.toe_height * np.cos(pitch) + leg.toe_shift * np.sin(pitch)
    ankle_z = ankle_z + leg.mid_foot_length * np.sin(alpha) + leg.mid_foot_height * np.cos(alpha)
    ahead = torso[:, 0] - leg.hip_to_torso * np.sin(body) - leg.torso_ahead * np.cos(body) - ankle_x
    above = torso[:, 1] - leg.hip_to_torso * np.cos(body) + leg.torso_ahead * np.sin(body) - ankle_z
    shank, thigh = leg.lower_leg, leg.upper_leg
    cosine = (ahead**2 + above**2 - shank**2 - thigh**2) / (2 * shank * thigh)
    knee = np.arccos(np.where(np.abs(cosine) <= 1.0, cosine, np.nan))
    beta = np.arctan2(ahead, above) + np.arctan2(thigh * np.sin(knee), shank + thigh * np.cos(knee))
    return np.stack([beta - knee - body, knee, alpha - beta])
