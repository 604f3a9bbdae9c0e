"""How much room a standing robot takes: capsules around its body and its arms, from its own shapes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from footfall.arrays import Array
from footfall.math.transform import Transform
from footfall.motion.arms import arm_of
from footfall.motion.landmarks import has_hands
from footfall.motion.reduced_model import Bulk, CapsuleShape, Place
from footfall.motion.soles import shape_points
from footfall.motion.standing import placed_frame
from footfall.robot.model import Robot

_LOWEST = 0.23  # of the legs' length: what is lower may be beside things that the robot steps over
_ROOM = 0.02  # m beyond the standing robot: knees and elbows move


def robot_bulk(
    robot: Robot, poses: list[Transform], frames: Mapping[str, str], *, leg: float, hip_width: float
) -> Bulk | None:
    """The room that a robot takes whose links are at these poses; None if it has no shapes. leg: its length, m."""
    feet = [placed_frame(robot, poses, frames[foot]) for foot in ("RF", "LF")]
    middle = Transform(feet[0].rotation, (feet[0].translation + feet[1].translation) / 2)
    hands = ("RH", "LH") if has_hands(frames) else ()
    arms = [arm_of(robot, poses, frames, hand) for hand in hands]
    tree = robot.tree
    limbs = [{k for k in range(len(tree.links)) if arm.shoulder in tree.path(k)} for arm in arms]
    rest = set(range(len(tree.links))).difference(*limbs)
    body = _points(robot, poses, rest, middle)
    body = body[body[:, 2] > _LOWEST * leg]
    if len(body) == 0:
        return None
    around_body = _around_body(body, leg, hip_width / 2)
    if not arms:
        return Bulk(around_body, ())
    points, inward = _points(robot, poses, limbs[0], middle), middle.inverse()
    if len(points) == 0:
        return None
    joints = [inward.apply(poses[link].translation) for link in (arms[0].following, arms[0].elbow)]
    hand = inward.apply(placed_frame(robot, poses, frames["RH"]).translation)
    return Bulk(around_body, _around_arm(points, joints[0], joints[1], hand))


def _points(robot: Robot, poses: list[Transform], links: Iterable[int], frame: Transform) -> Array:
    """Points (k, 3) in a frame, whose hull is that of the shapes on some links."""
    wanted, found = set(links), [np.empty((0, 3))]
    for body in robot.bodies:
        carried = robot.tree.attachments[body.name]
        if carried.link in wanted:
            place = frame.inverse() @ poses[carried.link] @ carried.placement
            for shape in body.collisions or body.visuals:
                pose = place @ shape.placement
                found.append(shape_points(shape) @ pose.rotation.T + pose.translation)
    return np.concatenate(found)


def _around_body(points: Array, leg: float, aside: float) -> tuple[CapsuleShape, ...]:
    """Two upright capsules, above the hips, with all points in one of them but for their ends."""
    ahead = float((points[:, 0].min() + points[:, 0].max()) / 2)
    away = np.hypot(points[:, 0] - ahead, np.abs(points[:, 1]) - aside)
    radius = float(away.max()) + _ROOM
    low = _LOWEST * leg + radius
    high = max(float(points[:, 2].max()) + _ROOM - radius, low)
    return tuple(CapsuleShape((ahead, y, low), (ahead, y, high), radius) for y in (-aside, aside))


def _around_arm(points: Array, shoulder: Array, elbow: Array, hand: Array) -> tuple[CapsuleShape, ...]:
    """Upper arm and forearm: each has the points that are nearer to its line."""
    lines = ((shoulder, elbow), (elbow, hand))
    away = np.stack([_distance(points, *line) for line in lines])
    nearer = away.argmin(axis=0)
    capsules = []
    for k, (first, second) in enumerate(lines):
        own = away[k][nearer == k]
        radius = float(own.max(initial=0.0)) + _ROOM
        capsules.append(CapsuleShape(_place(first), _place(second), radius))
    return tuple(capsules)


def _distance(points: Array, first: Array, second: Array) -> Array:
    way = second - first
    share = np.clip((points - first) @ way / max(float(way @ way), 1e-12), 0.0, 1.0)
    return np.asarray(np.linalg.norm(points - first - share[:, None] * way, axis=1))


def _place(point: Array) -> Place:
    x, y, z = point.tolist()
    return x, y, z
