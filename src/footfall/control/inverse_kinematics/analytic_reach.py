"""Closed forms for points instead of poses: arms with a shoulder of three axes and an elbow, and the planar arm."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.control.inverse_kinematics.analytic import Chain, common_point
from footfall.control.inverse_kinematics.subproblems import angles_to_distance, turn, two_angles_between
from footfall.errors import InvalidInput, NoSolution


def solve_reach(chain: Chain, target: Array, *, third: float = 0.0, tolerance: float = 1e-7) -> list[Array]:
    """All angles (4,) that bring the tip of a chain to target (3,), a position in the base, m.

    The first three axes meet in a shoulder, the fourth is an elbow: LOLA's arms. Four angles for three coordinates
    leave one free: `third` is the angle of the third joint, the turn of the upper arm about itself, rad.
    """
    if len(chain.joints) != 4:
        raise InvalidInput(
            f"the chain has {len(chain.joints)} hinges; an arm with shoulder and elbow has four"
        )
    h, p = chain.axes, chain.points
    shoulder = common_point(h[:3], p[:3])
    if shoulder is None:
        raise InvalidInput(f"the axes of {', '.join(chain.joints[:3])} do not meet in one point")
    upper, fore = p[3] - shoulder, chain.tip.translation - p[3]
    way = np.asarray(target, dtype=np.float64) - shoulder
    found = []
    for elbow in angles_to_distance(h[3], fore, upper, float(np.linalg.norm(way))):
        hand = turn(h[2], third) @ (upper + turn(h[3], elbow) @ fore)
        found += [np.array([a, b, third, elbow]) for a, b in two_angles_between(h[0], h[1], hand, way)]
    errors = [float(np.linalg.norm(chain.pose(angles).translation - target)) for angles in found]
    good = [angles for angles, error in zip(found, errors, strict=True) if error <= tolerance]
    if not good:
        raise NoSolution(
            f"no angles of {', '.join(chain.joints)} reach {np.asarray(target).tolist()} with the third at "
            f"{third:.3g} rad: the closest stay off by {min(errors):.3g} m",
            {"position": min(errors)},
            evidence=found[int(np.argmin(errors))],
        )
    return [np.remainder(angles + np.pi, 2 * np.pi) - np.pi for angles in good]


def solve_planar_arm(lengths: tuple[float, float, float], x: float, z: float, angle: float) -> list[Array]:
    """Angles (3,) of three links that turn about y, counted from the vertical, with the tip at x, z (m) and `angle`.

    RSL 2022, chapter 2: the wrist is known, the rest is a triangle; both elbows are given.
    """
    first, second, third = lengths
    across, up = x - third * np.sin(angle), z - third * np.cos(angle)
    cosine = (across**2 + up**2 - first**2 - second**2) / (2 * first * second)
    if abs(cosine) > 1.0 + 1e-12:
        distance = np.hypot(across, up)
        off = max(distance - first - second, abs(first - second) - distance)
        raise NoSolution(
            f"no angles reach ({x:g}, {z:g}) at {angle:g} rad: the wrist stays off by {off:.3g} m",
            {"wrist": off},
        )
    results = []
    for bend in (np.arccos(np.clip(cosine, -1.0, 1.0)), -np.arccos(np.clip(cosine, -1.0, 1.0))):
        lift = np.arctan2(across, up) - np.arctan2(second * np.sin(bend), first + second * np.cos(bend))
        results.append(np.array([lift, bend, angle - lift - bend]))
    return results
