"""How high and how low the torso may be above a leg that stands (spec 003c section 9).

A leg is looked at in the vertical plane of the upper body: ankle and hip are then known in x, and the torso's
height is a function of one joint. The source samples that joint. But the height has its extremes where a joint is
at a limit (or the knee straight), and for each limit the leg's pose is known in closed form: seven poses give the
bounds exactly.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine
from footfall.motion.reduced_model import PlanarLeg, ReducedModel
from footfall.motion.stretched_leg import lower_to_stretched_legs

_POSES = 7
_ROUNDING = 1e-9  # rad: a joint that much beyond its limit is at it


def leg_lengths_and_limits(leg: PlanarLeg) -> Array:
    """l1 ... l7, limits of hip, knee, ankle, and the torso's place before the hips (14,) for the native loops."""
    return np.array(
        [
            leg.toe_height,
            leg.toe_shift,
            leg.mid_foot_length,
            leg.mid_foot_height,
            leg.lower_leg,
            leg.upper_leg,
            leg.hip_to_torso,
            *leg.hip_limits,
            *leg.knee_limits,
            *leg.ankle_limits,
            leg.torso_ahead,
        ]
    )


@routine
def planar_bounds(
    leg: Array, foot_x: float, foot_z: float, pitch: float, toe: float, torso_x: float, body: float
) -> tuple[float, float]:
    """Lowest and highest torso (m) above a foot frame at (foot_x, foot_z); (inf, -inf) if no pose reaches it.

    pitch: of the foot; toe: planar angle of the toe joint, negative if the heel lifts; body: pitch of the upper
    body; all about y, rad. torso_x: where the torso is. 003c (E.1)-(E.4).
    """
    l1, l2, l3, l4, shank, thigh, l7 = leg[0], leg[1], leg[2], leg[3], leg[4], leg[5], leg[6]
    alpha = pitch - toe
    ankle_x = foot_x + l1 * np.sin(pitch) - l2 * np.cos(pitch) - l3 * np.cos(alpha) + l4 * np.sin(alpha)
    rest = (
        foot_z
        + l1 * np.cos(pitch)
        + l2 * np.sin(pitch)
        + l3 * np.sin(alpha)
        + l4 * np.cos(alpha)
        + l7 * np.cos(body)
        - leg[13] * np.sin(body)
    )
    ahead = (
        torso_x - ankle_x - l7 * np.sin(body) - leg[13] * np.cos(body)
    )  # from ankle to hip: shank sin(beta) - thigh sin(gamma)
    beta_low, beta_high = alpha - leg[12], alpha - leg[11]
    gamma_low, gamma_high = max(-leg[8] - body, -np.pi / 2), min(-leg[7] - body, np.pi / 2)
    knee_low, knee_high = leg[9], leg[10]
    lowest, highest = np.inf, -np.inf
    for pose in range(_POSES):
        if pose < 2:
            beta = beta_low if pose == 0 else beta_high
            sine = (shank * np.sin(beta) - ahead) / thigh
            if abs(sine) > 1.0:
                continue
            gamma = np.arcsin(sine)
            height = shank * np.cos(beta) + thigh * np.sqrt(1.0 - sine * sine)
        elif pose < 4:
            gamma = gamma_low if pose == 2 else gamma_high
            sine = (ahead + thigh * np.sin(gamma)) / shank
            if abs(sine) > 1.0:
                continue
            beta = np.arcsin(sine)
            height = shank * np.sqrt(1.0 - sine * sine) + thigh * np.cos(gamma)
        else:
            if pose == 6 and not knee_low < 0.0 < knee_high:
                continue
            knee = knee_low if pose == 4 else (knee_high if pose == 5 else 0.0)
            sine, cosine = np.sin(knee), np.cos(knee)
            square = shank * shank + thigh * thigh + 2.0 * shank * thigh * cosine - ahead * ahead
            if square < 0.0:
                continue
            height = np.sqrt(square)
            # The shank leans as the line from ankle to hip does, and by the angle between the two.
            beta = np.arctan2(ahead, height) + np.arctan2(thigh * sine, shank + thigh * cosine)
            gamma = knee - beta
        knee = beta + gamma
        fits = (
            beta_low - _ROUNDING <= beta <= beta_high + _ROUNDING
            and gamma_low - _ROUNDING <= gamma <= gamma_high + _ROUNDING
            and knee_low - _ROUNDING <= knee <= knee_high + _ROUNDING
        )
        if fits:
            lowest, highest = min(lowest, rest + height), max(highest, rest + height)
    return lowest, highest


@routine
def bounds_at_times(
    leg: Array, signs: Array, feet: Array, turns: Array, toes: Array, torso: Array, upper_body: Array
) -> Array:
    """Lowest and highest torso over both legs (4, k): of the right leg, of the left leg.

    feet (2, k, 3), turns (2, k, 4): their frames; toes (2, k): joint angles; signs (2,): of the angle that lifts
    the heel; torso (k, 2): its x and y; upper_body (k, 4).
    """
    count = len(torso)
    result = np.empty((4, count))
    for k in range(count):
        w, x, y, z = upper_body[k, 0], upper_body[k, 1], upper_body[k, 2], upper_body[k, 3]
        ux, uy, uz = 1.0 - 2.0 * (y * y + z * z), 2.0 * (w * z + x * y), 2.0 * (x * z - w * y)
        level = np.sqrt(ux * ux + uy * uy)
        cosine, sine = (ux / level, uy / level) if level > 1e-9 else (1.0, 0.0)
        body = np.arctan2(-uz, level)
        for side in range(2):
            w, x, y, z = turns[side, k, 0], turns[side, k, 1], turns[side, k, 2], turns[side, k, 3]
            fx, fy, fz = 1.0 - 2.0 * (y * y + z * z), 2.0 * (w * z + x * y), 2.0 * (x * z - w * y)
            pitch = np.arctan2(-fz, cosine * fx + sine * fy)
            low, high = planar_bounds(
                leg,
                cosine * feet[side, k, 0] + sine * feet[side, k, 1],
                feet[side, k, 2],
                pitch,
                -signs[side] * toes[side, k],
                cosine * torso[k, 0] + sine * torso[k, 1],
                body,
            )
            result[2 * side, k], result[2 * side + 1, k] = low, high
    return result


class LegBounds:
    """Bounds of the torso's height for a robot's legs: made once, used for many times."""

    def __init__(self, model: ReducedModel) -> None:
        self.leg = leg_lengths_and_limits(model.leg)
        self.signs = np.array(model.toe_signs, dtype=np.float64)
        self.hip_width = model.hip_width
        self.longest = longest_leg(model.leg)

    def __call__(self, feet: Array, turns: Array, toes: Array, torso: Array, upper_body: Array) -> Array:
        """Lowest and highest torso of the right leg, then of the left (4, k), m; (inf, -inf) out of reach.

        feet (2, k, 3) and turns (2, k, 4): poses of the right and left foot frame; toes (2, k): joint angles, rad;
        torso (k, 2): its place; upper_body (k, 4): its orientation.
        """
        return bounds_at_times(self.leg, self.signs, feet, turns, toes, torso, upper_body)

    def in_space(self, feet: Array, turns: Array, toes: Array, torso: Array, upper_body: Array) -> Array:
        """The same, with the highest torso lowered where a leg that leans sideways is stretched (4, k), m."""
        limits = self(feet, turns, toes, torso, upper_body)
        numbers = (self.leg, self.signs, self.hip_width, self.longest)
        lower_to_stretched_legs(feet, turns, toes, upper_body, torso, *numbers, limits)
        return limits


def longest_leg(leg: PlanarLeg) -> float:
    """From hip to ankle when the leg is stretched as far as its knee allows, m."""
    knee = max(leg.knee_limits[0], 0.0)
    square = leg.lower_leg**2 + leg.upper_leg**2 + 2 * leg.lower_leg * leg.upper_leg * np.cos(knee)
    return float(np.sqrt(square))


def leg_angles(leg: PlanarLeg, foot: Array, pitch: Array, toe: Array, torso: Array, body: Array) -> Array:
    """Angles (3, k) of hip, knee and ankle, rad, for a torso above a foot, in their plane; NaN out of reach.

    foot, torso (k, 2): x and z, m; pitch of the foot, planar angle of the toe joint (negative if the heel lifts) and
    pitch of the upper body (k,), rad. 003c (E.1)-(E.4), solved for the angles.
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
