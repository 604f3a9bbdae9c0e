"""The arms of a robot: where their shoulders and elbows are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.errors import UnsuitableRobot
from footfall.math.transform import Transform
from footfall.motion.standing import placed_frame
from footfall.robot.model import Robot


class Arm(NamedTuple):
    """Links: the first that no other part hangs on, the one after it, and the one farthest from both ends."""

    shoulder: int
    following: int
    elbow: int


def arm_of(robot: Robot, poses: list[Transform], frames: Mapping[str, str], hand: str) -> Arm:
    """The arm of a hand."""
    tree = robot.tree
    others = {
        index for name in frames if name != hand for index in tree.path(tree.attachments[frames[name]].link)
    }
    own = [index for index in sorted(tree.path(tree.attachments[frames[hand]].link)) if index not in others]
    if len(own) < 2:
        raise UnsuitableRobot(
            f"frame {frames[hand]!r} of robot {robot.name!r} has {len(own)} joints of its own; {hand} must have "
            "a shoulder and an elbow"
        )
    shoulder = on_axis(poses[own[0]], poses[own[1]].translation)
    end = placed_frame(robot, poses, frames[hand]).translation

    def between(index: int) -> float:
        place = poses[index].translation
        return float(min(np.linalg.norm(place - shoulder), np.linalg.norm(end - place)))

    return Arm(own[0], own[1], max(own, key=between))


def shoulder_place(robot: Robot, poses: list[Transform], frames: Mapping[str, str], hand: str) -> Array:
    """Where the shoulder of a hand's arm is in the world (3,), m."""
    arm = arm_of(robot, poses, frames, hand)
    return on_axis(poses[arm.shoulder], poses[arm.following].translation)


def on_axis(joint: Transform, point: Array) -> Array:
    """The point of a joint's axis that is closest to a point: where a joint is, whatever its frame's origin."""
    axis = joint.rotation[:, 2]
    return np.asarray(joint.translation + axis * (axis @ (point - joint.translation)))
