"""Native loops that tell how much room a planned motion leaves: soles, feet that push, legs in space."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.routines import routine
from footfall.math.polygons import border_distance
from footfall.motion.five_mass_loops import limb_terms
from footfall.motion.sample_layout import ZMP
from footfall.motion.stretched_leg import torso_above_leg, turned

_SAME_TIME = 1e-9  # s


@routine
def balance_room(
    times: Array,
    values: Array,
    rotations: Array,
    torso: Array,
    borders: Array,
    corners: Array,
    sizes: Integers,
    numbers: Array,
    result: Array,
) -> None:
    """Fill result (2, k) at increasing times (k,): distance of the zero-moment point of the five masses from the border
    of the support area, m, negative outside, and the vertical force of the feet as a part of the weight.

    values, rotations: samples. torso (3, k, 3): its motion. borders (P + 1,), corners (P, 8, 2), sizes (P,): of the
    phases; where one ends and the next begins, the smaller area counts. numbers: of the masses.
    """
    phase = 0
    for k in range(len(times)):
        while phase < len(sizes) - 1 and times[k] >= borders[phase + 1] - _SAME_TIME:
            phase += 1
        c1x, c1y, c1z, c2x, c2y, _, mass, flow = limb_terms(values, rotations, k, numbers)
        px = mass * torso[2, k, 0] + flow * torso[1, k, 0]
        py = mass * torso[2, k, 1] + flow * torso[1, k, 1]
        pz = mass * torso[2, k, 2] + flow * torso[1, k, 2]
        lift = pz + mass * numbers[3]
        tx = torso[0, k, 1] * lift - torso[0, k, 2] * py + c2x
        ty = torso[0, k, 2] * px - torso[0, k, 0] * lift + c2y
        height, force = values[k, 0, ZMP + 2], pz + c1z
        result[1, k] = force / (numbers[0] * numbers[3])
        if force <= 0.0:
            result[0, k] = -np.inf
            continue
        x, y = -(ty - height * (px + c1x)) / force, (tx + height * (py + c1y)) / force
        point = np.array([x, y])
        result[0, k] = border_distance(corners[phase, : sizes[phase]], point)
        if phase > 0 and times[k] <= borders[phase] + _SAME_TIME:
            before = border_distance(corners[phase - 1, : sizes[phase - 1]], point)
            result[0, k] = min(result[0, k], before)


@routine
def legs_in_space(
    feet: Array,
    turns: Array,
    toes: Array,
    upper_body: Array,
    torso: Array,
    leg: Array,
    signs: Array,
    hip_width: float,
    longest: float,
    leans: Array,
    result: Array,
) -> None:
    """Fill result (3, k) with the room that the worse leg has: its length when stretched minus the distance of hip and
    ankle, m; how far the line between them is from leaning outward too much, rad, against the upper body and the foot.

    feet (2, k, 3), turns (2, k, 4), toes (2, k), upper_body (k, 4): as `LegBounds` takes them. torso (k, 3). leg (14,):
    lengths and limits. signs (2,): of the toe angles that lift the heel. leans (2, 2): that hip and ankle allow.
    """
    for k in range(len(torso)):
        for kind in range(3):
            result[kind, k] = np.inf
        for side in range(2):
            outward = -1.0 if side == 0 else 1.0
            x, y, z = torso_above_leg(
                feet[side, k],
                turns[side, k],
                signs[side] * toes[side, k],
                upper_body[k],
                leg,
                0.5 * outward * hip_width,
            )
            dx, dy, dz = torso[k, 0] - x, torso[k, 1] - y, torso[k, 2] - z
            result[0, k] = min(result[0, k], longest - np.sqrt(dx * dx + dy * dy + dz * dz))
            _, across, up = turned(upper_body[k], dx, dy, dz, -1.0)
            lean = np.arctan2(-outward * across, up)
            result[1, k] = min(result[1, k], lean - leans[0, 0], leans[0, 1] - lean)
            _, across, up = turned(turns[side, k], dx, dy, dz, -1.0)
            lean = np.arctan2(outward * across, up)
            result[2, k] = min(result[2, k], lean - leans[1, 0], leans[1, 1] - lean)


@routine
def mark_near(rooms: Array, least: Array, flags: Flags) -> int:
    """Mark the times (k,) at which one of the rooms (n, k) is less than its least (n,), or no number; how many."""
    count = 0
    for k in range(rooms.shape[1]):
        near = False
        for n in range(rooms.shape[0]):
            near = near or not rooms[n, k] >= least[n]
        flags[k] = near
        count += near
    return count


@routine
def height_room(torso: Array, lowest: Array, highest: Array, margin: float, result: Array) -> None:
    """Fill result (k,) with the distance of the torso (k, 3) from bounds of its height that have a margin, m."""
    for k in range(len(torso)):
        result[k] = min(torso[k, 2] - lowest[k], highest[k] - torso[k, 2]) + margin
