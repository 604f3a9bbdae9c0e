"""Points that tasks are about: frame origins, points on frames, centres of mass; where they are and how they move.

On floats and on symbols. A point is the name of a frame (its origin), a `FramePoint` or a `CenterOf`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.center_of_mass import center_of_mass, center_of_mass_bias, center_of_mass_jacobian
from footfall.dynamics.jacobians import frame_jacobian
from footfall.dynamics.kinematics import frame_motion, frame_pose
from footfall.errors import InvalidInput
from footfall.math.spatial import cross, skew
from footfall.robot.model import WORLD, Body, Robot


@dataclass(frozen=True, slots=True)
class FramePoint:
    """A point fixed to a body or frame; offset (3,) in the frame's axes, m."""

    frame: str
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        offset = tuple(float(x) for x in self.offset)
        if len(offset) != 3 or not np.isfinite(offset).all():
            raise InvalidInput(
                f"offset on frame {self.frame!r} is {self.offset}; it must be three finite numbers"
            )
        object.__setattr__(self, "offset", offset)


@dataclass(frozen=True, slots=True)
class CenterOf:
    """The centre of mass of some bodies, by their names; of the whole robot if there are none."""

    bodies: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "bodies", tuple(self.bodies))


Point = str | FramePoint | CenterOf


class Segment(NamedTuple):
    """The frame that something is fixed to, and the one that it is seen from; None: the world."""

    frame: str
    against: str | None


class PointKinematics(NamedTuple):
    """Position (3,) in the world, m, and Jacobian (3, nv) of a point."""

    position: Array
    jacobian: Array


def point_kinematics(robot: Robot, q: Array, point: Point) -> PointKinematics:
    """Where a point is at q (nq,) and how v (nv,) moves it, world axes."""
    if isinstance(point, CenterOf):
        if not point.bodies:
            return PointKinematics(
                center_of_mass.textbook(robot, q), center_of_mass_jacobian.textbook(robot, q)
            )
        return _center_of_bodies(robot, q, point)
    if isinstance(point, str):
        point = FramePoint(point)
    return fixed_point(robot, q, point.frame, np.array(point.offset))


def fixed_point(robot: Robot, q: Array, frame: str, offset: Array) -> PointKinematics:
    """Kinematics of a point at offset (3,) in the axes of a frame."""
    pose, jacobian = frame_pose.textbook(robot, q, frame), frame_jacobian.textbook(robot, q, frame)
    if not np.any(offset):
        return PointKinematics(pose.translation, jacobian[:3])
    arm = pose.rotation @ offset
    # RSL 2022, (2.151)-(2.167).
    return PointKinematics(pose.translation + arm, jacobian[:3] - skew(arm) @ jacobian[3:])


def point_bias(robot: Robot, q: Array, v: Array, point: Point) -> Array:
    """Acceleration (3,) of a point in constant v (nv,), m/s2, world axes; q (nq,)."""
    if isinstance(point, CenterOf):
        if not point.bodies:
            whole: Array = center_of_mass_bias.textbook(robot, q, v)
            return whole
        biases = [
            share * _fixed_point_bias(robot, q, v, body.name, body.center_of_mass)
            for share, body in _mass_shares(robot, point)
        ]
        return np.asarray(np.sum(biases, axis=0))
    if isinstance(point, str):
        point = FramePoint(point)
    return _fixed_point_bias(robot, q, v, point.frame, np.array(point.offset))


def point_segment(point: Point, against: str | None) -> Segment | None:
    """What a point is fixed to, seen from a frame; None for centres of mass."""
    if isinstance(point, CenterOf):
        return None
    return Segment(point if isinstance(point, str) else point.frame, against)


def point_arm(robot: Robot, q: Array, point: Point) -> Array:
    """From the origin of its frame to a point (3,), world axes, m."""
    if not isinstance(point, FramePoint):
        return np.zeros(3)
    arm: Array = frame_pose.textbook(robot, q, point.frame).rotation @ np.array(point.offset)
    return arm


def _fixed_point_bias(robot: Robot, q: Array, v: Array, frame: str, offset: Array) -> Array:
    if frame == WORLD:
        return np.zeros(3)
    motion = frame_motion(robot, q, v, np.zeros(robot.nv), frame)
    if not np.any(offset):
        return motion.acceleration[:3]
    arm, turning = frame_pose.textbook(robot, q, frame).rotation @ offset, motion.velocity[3:]
    return motion.acceleration[:3] + cross(motion.acceleration[3:], arm) + cross(turning, cross(turning, arm))


def _center_of_bodies(robot: Robot, q: Array, center: CenterOf) -> PointKinematics:
    shares = [
        (share, fixed_point(robot, q, body.name, body.center_of_mass))
        for share, body in _mass_shares(robot, center)
    ]
    return PointKinematics(
        np.sum([share * each.position for share, each in shares], axis=0),
        np.sum([share * each.jacobian for share, each in shares], axis=0),
    )


def _mass_shares(robot: Robot, center: CenterOf) -> list[tuple[float, Body]]:
    bodies = [robot.body(name) for name in center.bodies]
    mass = sum(body.mass for body in bodies)
    if mass <= 0.0:
        raise InvalidInput(
            f"bodies {', '.join(center.bodies)} have no mass and so no centre of mass; choose others"
        )
    return [(body.mass / mass, body) for body in bodies]


def label_of(point: Point) -> str:
    """The point in words, for reports."""
    if isinstance(point, CenterOf):
        return f"centre of mass of {', '.join(point.bodies)}" if point.bodies else "centre of mass"
    return point if isinstance(point, str) else point.frame
