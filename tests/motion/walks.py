"""A straight walk of LOLA made by hand, without the pipeline: limbs and zero moment point of Seiwald 2023, section
6.14.2."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.math.interpolation import constant, polyline, rest_to_rest
from footfall.math.quaternion_splines import CubicQuaternionSpline
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.math.trajectories import PolynomialTrajectory, stack
from footfall.motion.draft import Draft
from footfall.motion.reduced_model import PlanarLeg, ReducedModel

HALF = 0.1375  # m, half the distance of the feet
SWITCH, MOTION = 0.16, 0.64  # s


def lola_model(**changes: Any) -> ReducedModel:
    """LOLA's constants as printed in Seiwald 2023, table 4.4, appendix E."""
    angle = np.deg2rad
    leg = PlanarLeg(
        toe_height=0.048,
        toe_shift=0.0145,
        mid_foot_length=0.1301,
        mid_foot_height=0.0605,
        lower_leg=0.43,
        upper_leg=0.44,
        hip_to_torso=0.2529,
        hip_limits=(angle(-86.3), angle(39.0)),
        knee_limits=(angle(0.6), angle(114.5)),
        ankle_limits=(angle(-43.0), angle(38.8)),
        hip_roll_limits=(angle(-33.1), angle(26.3)),
        ankle_roll_limits=(angle(-18.9), angle(18.0)),
    )
    values: dict[str, Any] = {
        "name": "lola",
        "mass": 67.3,
        "foot_share": 0.11,
        "hand_share": 0.02,
        "torso_inertia": np.array([[1.03, 0.0, -0.27], [0.0, 1.10, -0.01], [-0.27, -0.01, 0.27]]),
        "leg": leg,
        "sole": (-0.2336, 0.0425, -0.11, 0.11),
        "toe_sole": (-0.0425, 0.0425, -0.11, 0.11),
        "toe_limits": ((angle(-49.5), angle(14.3)), (angle(-15.8), angle(48.8))),
        "toe_signs": (-1.0, 1.0),
        "hip_width": 0.246,
        "shoulder_width": 0.446,
        "shoulder_height": 0.4823,
        "upper_arm": 0.383,
        "lower_arm": 0.345,
        "hand_radius": 0.05,
        "com_height": 0.9,
        "foot_distance": 0.275,
        "hand_offset": (0.22, 0.2025, 0.97),
        "head_tilt": angle(-25.0),
        "head_pan_limits": (angle(-113.0), angle(113.0)),
        "head_tilt_limits": (angle(-46.0), angle(6.0)),
        "frames": {},
    }
    return ReducedModel(**{**values, **changes})


def standing_turn(start: float, end: float) -> QuaternionTrajectory:
    upright = np.zeros((1, 4, 4))
    upright[..., 0] = 1.0
    return QuaternionTrajectory(CubicQuaternionSpline(upright), constant(0.0, start, end))


def walk_times(steps: int) -> Array:
    """Phase borders of `steps` steps and a closing one: load switch, motion, ..., load switch."""
    durations = [SWITCH, MOTION] * (steps + 1)
    return np.concatenate([[0.0], np.cumsum([3 * SWITCH, *durations[1:], 5 * SWITCH])])


def straight_walk(steps: int = 8, length: float = 0.4, *, height: float = 0.9) -> Draft:
    """Level ground, the right foot first; 19 phases and 8.32 s for 8 steps."""
    borders = walk_times(steps)
    end = borders[-1]
    places = {"right": [0.0], "left": [0.0]}
    controls: dict[str, list[tuple[float, float, float]]] = {
        "right": [(0.0, 0.0, 0.0)],
        "left": [(0.0, 0.0, 0.0)],
    }
    stances = []
    for step in range(steps + 1):
        foot, other = ("right", "left") if step % 2 == 0 else ("left", "right")
        begin, stop = borders[2 * step + 1], borders[2 * step + 2]
        reached = length * (step + 1) if step < steps else places[other][-1]
        controls[foot] += [(begin, places[foot][-1], 0.0), (stop, reached, 1.0)]
        places[foot].append(reached)
        stances.append((places[other][-1], HALF if other == "left" else -HALF))
    zmp = _zmp(borders, stances, places)
    feet = [_foot(controls[side], end, y) for side, y in (("right", -HALF), ("left", HALF))]
    hands = [constant([0.22, side * 0.34, 0.97], 0.0, end) for side in (-1.0, 1.0)]
    turn = standing_turn(0.0, end)
    transitions = np.concatenate([[0.0], borders[2::2], [end]])
    return Draft(
        zmp,
        *feet,
        *hands,
        *(constant(0.0, 0.0, end) for _ in range(4)),
        constant(np.zeros(16), 0.0, end),
        turn,
        turn,
        turn,
        turn,
        transitions,
        np.full(len(transitions), height),
        float(5 * SWITCH),
    )


def _foot(controls: list[tuple[float, float, float]], end: float, y: float) -> PolynomialTrajectory:
    """Rest to rest: forward until 8.75 % before the end, up and down over 45 % each, 3 cm high."""
    t = [0.0]
    x = [controls[0][1]]
    tz, z = [0.0], [0.0]
    for begin, stop in zip(controls[1::2], controls[2::2], strict=True):
        duration = stop[0] - begin[0]
        t += [begin[0], stop[0] - 0.0875 * duration]
        x += [begin[1], stop[1]]
        tz += [begin[0], begin[0] + 0.45 * duration, stop[0] - 0.45 * duration, stop[0]]
        z += [0.0, 0.03, 0.03, 0.0]
    forward = rest_to_rest([*t, end], [*x, x[-1]])
    upward = rest_to_rest([*tz, end], [*z, 0.0])
    return stack([forward, constant(y, 0.0, end), upward])


def _zmp(
    borders: Array, stances: list[tuple[float, float]], places: dict[str, list[float]]
) -> PolynomialTrajectory:
    """The control points of Seiwald 2023, section 6.5 for shrunk soles: 220.88 mm x 154 mm about x = -95.55 mm."""
    centre, reach = -0.09555, 0.11044
    points = [(places["left"][0] + centre, 0.0)]
    for index, (x, y) in enumerate(stances):
        inner = y - np.sign(y) * 0.077
        before = stances[index - 1][0] if index else None
        after = stances[index + 1][0] if index + 1 < len(stances) else None
        for other in (before, after):
            if other is None:
                points.append((x + centre, inner))
            else:
                middle = (x + other) / 2 + centre
                points.append((np.clip(middle, x + centre - reach, x + centre + reach), inner))
    points.append((points[-1][0], 0.0))
    flat = polyline(borders, points, rest_at_start=True, rest_at_end=True)
    return flat.mapped(np.eye(3, 2))
