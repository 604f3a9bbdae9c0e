"""Inverse kinematics in closed form: arms and legs with six hinges, three of which meet in a point or are parallel.

The geometry is read from the robot: any chain of six hinges that fits one of the patterns below is solved, all of its
(up to eight) configurations are given. RSL 2022, chapter 2; the patterns are those of Elias and Wen's decomposition.

- three axes at the end meet (a spherical wrist), the second and third are parallel: most industrial arms;
- three axes at the end meet, the first two meet too: shoulders that pan and tilt;
- the second, third and fourth axis are parallel, the last two meet: arms like the UR series.

A leg with a spherical hip is the second pattern seen from the foot. Points instead of poses: arms with a shoulder of
three axes and an elbow, and the planar arm.

All of them are made of the subproblems of Paden and Kahan: turns about unit axes that bring points and directions
together, in rad, floats only. Where no angle does it exactly, the one that comes closest is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import frame_attachment, frame_pose, link_poses
from footfall.errors import InvalidInput, NoSolution
from footfall.math.rotations import boxminus, matrix_from_rotation_vector
from footfall.math.spatial import cross
from footfall.math.transform import Transform
from footfall.robot.model import Robot

_NO_AMPLITUDE = 1e-12


def turn(axis: Array, angle: float) -> Array:
    """Rotation matrix (3, 3) of a turn about a unit axis (3,)."""
    return matrix_from_rotation_vector(angle * axis)


def angle_between(axis: Array, start: Array, end: Array) -> float:
    """The angle that turns start (3,) about axis as close to end (3,) as can be."""
    sine = float(cross(axis, start) @ end)
    cosine = float(start @ end - (axis @ start) * (axis @ end))
    return float(np.arctan2(sine, cosine))


def angles_to_height(axis: Array, point: Array, normal: Array, height: float) -> list[float]:
    """Angles with `normal . turn(axis, angle) point = height`: two, or one where it is only touched or missed."""
    along = float((normal @ axis) * (axis @ point))
    cosine = float(normal @ point) - along
    sine = float(normal @ cross(axis, point))
    amplitude = float(np.hypot(cosine, sine))
    if amplitude < _NO_AMPLITUDE:
        return [0.0]
    middle = float(np.arctan2(sine, cosine))
    ratio = (height - along) / amplitude
    if abs(ratio) >= 1.0:
        return [middle if ratio > 0.0 else middle + np.pi]
    spread = float(np.arccos(ratio))
    return [middle + spread, middle - spread]


def angles_to_distance(axis: Array, point: Array, offset: Array, distance: float) -> list[float]:
    """Angles with `|offset + turn(axis, angle) point| = distance`."""
    height = (distance**2 - float(offset @ offset) - float(point @ point)) / 2
    return angles_to_height(axis, point, offset, height)


def two_angles_between(first: Array, second: Array, start: Array, end: Array) -> list[tuple[float, float]]:
    """Angles (a, b) with `turn(first, a) turn(second, b) start = end`, for axes that are not parallel."""
    # What the second turn leaves of start along `first` must be what end has there.
    pairs = []
    for b in angles_to_height(second, start, first, float(first @ end)):
        moved = turn(second, b) @ start
        pairs.append((angle_between(first, moved, end), b))
    return pairs


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
        raise InvalidInput(
            f"the axes of {', '.join(chain.joints[:3])} do not meet in one point; use solve_ik"
        )
    upper, fore = p[3] - shoulder, chain.tip.translation - p[3]
    reach = np.asarray(target, dtype=np.float64) - shoulder
    found = []
    for elbow in angles_to_distance(h[3], fore, upper, float(np.linalg.norm(reach))):
        hand = turn(h[2], third) @ (upper + turn(h[3], elbow) @ fore)
        found += [np.array([a, b, third, elbow]) for a, b in two_angles_between(h[0], h[1], hand, reach)]
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


_MEETING_DISTANCE = 1e-7  # m: axes that pass closer meet
_PARALLEL = 1e-9


@dataclass(frozen=True, eq=False)
class Chain:
    """Hinges between a base and a tip at zero angles, in the axes of the base.

    axes (n, 3); points (n, 3): one on each axis, m; tip: pose of the tip frame; joints: their names.
    """

    joints: tuple[str, ...]
    axes: Array
    points: Array
    tip: Transform

    def pose(self, angles: Array) -> Transform:
        """Pose of the tip in the base at angles (n,), by the product of exponentials."""
        pose = Transform(np.eye(3), np.zeros(3))
        for axis, point, angle in zip(self.axes, self.points, angles, strict=True):
            rotation = turn(axis, angle)
            pose = pose @ Transform(rotation, point - rotation @ point)
        return pose @ self.tip

    def reversed(self) -> Chain:
        """The same hinges from the tip to the base, with the same angles: both axes and order change sign."""
        inverse = self.tip.inverse()
        points = np.array([inverse.apply(point) for point in self.points[::-1]])
        return Chain(self.joints[::-1], -(self.axes[::-1] @ self.tip.rotation), points, inverse)


def chain_between(robot: Robot, base: str, tip: str, *, fixed: dict[str, float] | None = None) -> Chain:
    """The hinges that carry frame `tip` beyond frame `base`; others on the way stand at the angles in `fixed`."""
    fixed = fixed or {}
    start, end = frame_attachment(robot, base), frame_attachment(robot, tip)
    path = []
    for index in robot.tree.path(end.link):
        if index == start.link:
            break
        path.append(index)
    else:
        if start.link >= 0:
            raise InvalidInput(f"frame {base!r} does not carry frame {tip!r}; they must lie on one chain")
    q = np.zeros(robot.nq)
    for link in robot.tree.links:
        if link.kind == "spherical":
            q[link.q.start] = 1.0
    for joint, angle in fixed.items():
        q[robot.q_slice(joint)] = angle
    poses = link_poses(robot.tree, q)
    origin = frame_pose.textbook(robot, q, base).inverse()
    names = {robot.v_slice(joint.name).start: joint.name for joint in robot.joints if joint.type.velocities}
    joints, axes, points = [], [], []
    for index in reversed(path):
        link = robot.tree.links[index]
        name = names.get(link.v.start, link.body)
        if name in fixed:
            continue
        if link.kind != "revolute":
            raise InvalidInput(
                f"joint {name!r} is {link.kind}; closed forms are for hinges, hold it with `fixed`"
            )
        pose = origin @ poses[index]
        joints.append(name)
        axes.append(pose.rotation[:, 2])
        points.append(pose.translation)
    tip_pose = origin @ frame_pose.textbook(robot, q, tip)
    return Chain(tuple(joints), np.array(axes).reshape(-1, 3), np.array(points).reshape(-1, 3), tip_pose)


def solve_chain(chain: Chain, target: Transform, *, tolerance: float = 1e-7) -> list[Array]:
    """All angles (6,) in [-pi, pi] that bring the tip of six hinges to target, a pose in the base.

    Raises `InvalidInput` for a chain of none of the patterns, `NoSolution` where no configuration comes within
    tolerance, m and rad.
    """
    found = _candidates(chain, target)
    errors = [_distance(chain.pose(angles), target) for angles in found]
    good: list[Array] = []
    for angles, error in zip(found, errors, strict=True):
        wrapped = np.remainder(angles + np.pi, 2 * np.pi) - np.pi
        if error <= tolerance and all(_apart(wrapped, other) > 1e-6 for other in good):
            good.append(wrapped)
    if not good:
        closest = min(errors)
        raise NoSolution(
            f"no angles of {', '.join(chain.joints)} reach the pose: the closest stay off by {closest:.3g}",
            {"pose": closest},
            evidence=found[int(np.argmin(errors))],
        )
    return good


def within_limits(robot: Robot, chain: Chain, solutions: Sequence[Array]) -> list[Array]:
    """Those solutions that the joints' limits allow, with whole turns added where that helps."""
    lower = np.array([robot.lower_limits[robot.q_slice(joint)][0] for joint in chain.joints])
    upper = np.array([robot.upper_limits[robot.q_slice(joint)][0] for joint in chain.joints])
    allowed = []
    for angles in solutions:
        turns = 2 * np.pi * np.arange(-1, 2)[:, None]
        options = angles + turns
        inside = (options >= lower - 1e-9) & (options <= upper + 1e-9)
        if inside.any(axis=0).all():
            size = np.where(inside, np.abs(options), np.inf)
            allowed.append(options[np.argmin(size, axis=0), np.arange(len(angles))])
    return allowed


def _candidates(chain: Chain, target: Transform) -> list[Array]:
    if len(chain.joints) != 6:
        raise InvalidInput(
            f"the chain has {len(chain.joints)} hinges ({', '.join(chain.joints)}); it must have six, "
            "hold others with `fixed`"
        )
    for candidate, goal, backwards in (
        (chain, target, False),
        (chain.reversed(), target.inverse(), True),
    ):
        solve = _pattern(candidate)
        if solve is not None:
            solutions = solve(candidate, goal)
            return [angles[::-1] for angles in solutions] if backwards else solutions
    raise InvalidInput(
        f"the chain {', '.join(chain.joints)} has neither three axes that meet nor three that are parallel "
        "in the places where a closed form is known; use solve_ik"
    )


def _pattern(chain: Chain) -> Any:
    h, p = chain.axes, chain.points
    if common_point(h[3:], p[3:]) is not None:
        if _parallel(h[1], h[2]):
            return _wrist_and_parallel
        if common_point(h[:2], p[:2]) is not None:
            return _wrist_and_meeting
    if _parallel(h[1], h[2]) and _parallel(h[2], h[3]) and common_point(h[4:], p[4:]) is not None:
        return _three_parallel
    return None


def _wrist_and_parallel(chain: Chain, target: Transform) -> list[Array]:
    """Spherical wrist, axes 2 and 3 parallel."""
    h, p = chain.axes, chain.points
    rotation, wrist, center = _wrist(chain, target)
    shoulder = p[0]
    upper, fore = p[2] - p[1], center - p[2]
    offset = float(h[1] @ (center - shoulder))
    results = []
    for a in angles_to_height(-h[0], wrist - shoulder, h[1], offset):
        seen = turn(-h[0], a) @ (wrist - shoulder) - (p[1] - shoulder)
        for c in angles_to_distance(h[2], fore, upper, float(np.linalg.norm(seen))):
            b = angle_between(h[1], upper + turn(h[2], c) @ fore, seen)
            results += _with_wrist(h, [a, b, c], rotation)
    return results


def _wrist_and_meeting(chain: Chain, target: Transform) -> list[Array]:
    """Spherical wrist, axes 1 and 2 meet."""
    h, p = chain.axes, chain.points
    rotation, wrist, center = _wrist(chain, target)
    shoulder = common_point(h[:2], p[:2])
    assert shoulder is not None
    upper, fore = p[2] - shoulder, center - p[2]
    reach = wrist - shoulder
    results = []
    for c in angles_to_distance(h[2], fore, upper, float(np.linalg.norm(reach))):
        for a, b in two_angles_between(h[0], h[1], upper + turn(h[2], c) @ fore, reach):
            results += _with_wrist(h, [a, b, c], rotation)
    return results


def _three_parallel(chain: Chain, target: Transform) -> list[Array]:
    """Axes 2, 3 and 4 parallel, axes 5 and 6 meet."""
    h, p = chain.axes, chain.points
    meeting = common_point(h[4:], p[4:])
    assert meeting is not None
    rotation = target.rotation @ chain.tip.rotation.T
    center = target.translation + rotation @ (meeting - chain.tip.translation)
    results = []
    for a in angles_to_height(-h[0], center - p[0], h[1], float(h[1] @ (meeting - p[0]))):
        back = turn(-h[0], a)
        for e in angles_to_height(h[4], h[5], h[1], float(h[1] @ back @ rotation @ h[5])):
            # The three parallel turns act as one on directions.
            whole = angle_between(h[1], turn(h[4], e) @ h[5], back @ rotation @ h[5])
            f = angle_between(-h[5], turn(-h[4], e) @ h[1], rotation.T @ back.T @ h[1])
            reach = back @ (center - p[0]) - (p[1] - p[0]) - turn(h[1], whole) @ (meeting - p[3])
            for c in angles_to_distance(h[2], p[3] - p[2], p[2] - p[1], float(np.linalg.norm(reach))):
                b = angle_between(h[1], (p[2] - p[1]) + turn(h[2], c) @ (p[3] - p[2]), reach)
                signs = [float(np.sign(h[1] @ h[k])) for k in (2, 3)]
                d = signs[1] * (whole - b - signs[0] * c)
                results.append(np.array([a, b, c, d, e, f]))
    return results


def _wrist(chain: Chain, target: Transform) -> tuple[Array, Array, Array]:
    """Rotation of all hinges together, where the wrist's centre must be, and where it is at zero angles."""
    center = common_point(chain.axes[3:], chain.points[3:])
    assert center is not None
    rotation = target.rotation @ chain.tip.rotation.T
    return rotation, target.translation + rotation @ (center - chain.tip.translation), center


def _with_wrist(h: Array, arm: list[float], rotation: Array) -> list[Array]:
    """The angles of three hinges, and those of the other three that give the rotation."""
    before = turn(h[0], arm[0]) @ turn(h[1], arm[1]) @ turn(h[2], arm[2])
    rest = before.T @ rotation
    results = []
    for e in angles_to_height(h[4], h[5], h[3], float(h[3] @ rest @ h[5])):
        bent = turn(h[4], e)
        if np.linalg.norm(np.cross(h[3], bent @ h[5])) < 1e-9:  # axes 4 and 6 coincide: their sum counts
            d = 0.0
        else:
            d = angle_between(h[3], bent @ h[5], rest @ h[5])
        across = np.cross(h[5], h[4])
        f = angle_between(h[5], across, (turn(h[3], d) @ bent).T @ rest @ across)
        results.append(np.array([*arm, d, e, f]))
    return results


def _parallel(a: Array, b: Array) -> bool:
    return bool(np.linalg.norm(np.cross(a, b)) < _PARALLEL)


def common_point(axes: Array, points: Array) -> Array | None:
    """The point (3,) in which all axes meet, or None."""
    across = [np.eye(3) - np.outer(axis, axis) for axis in axes]
    matrix = np.sum(across, axis=0)
    right = np.sum([a @ point for a, point in zip(across, points, strict=True)], axis=0)
    if np.linalg.cond(matrix) > 1e10:
        return None
    meeting: Array = np.linalg.solve(matrix, right)
    distances = [np.linalg.norm(a @ (meeting - point)) for a, point in zip(across, points, strict=True)]
    return meeting if max(distances) < _MEETING_DISTANCE else None


def _distance(pose: Transform, target: Transform) -> float:
    away = np.linalg.norm(pose.translation - target.translation)
    return float(np.hypot(away, np.linalg.norm(boxminus(target.rotation, pose.rotation))))


def _apart(a: Array, b: Array) -> float:
    return float(np.abs(np.remainder(a - b + np.pi, 2 * np.pi) - np.pi).max())
