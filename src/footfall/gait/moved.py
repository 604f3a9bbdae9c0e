"""Poses and transitions as they are in another frame of the plane: a robot's own world against the true one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.gait.plan import TransitionSequence
from footfall.gait.poses import FootState, HandState, RobotPose, yaw_quaternion
from footfall.math.rotations import quaternion_product
from footfall.math.transform import Transform


def moved_pose(pose: RobotPose, motion: Transform) -> RobotPose:
    """The pose after a motion in the plane: a turn about z and a translation. Hands come along with what they touch."""
    turn = yaw_quaternion(float(np.arctan2(motion.rotation[1, 0], motion.rotation[0, 0])))

    def foot(each: FootState) -> FootState:
        return replace(
            each,
            position=_tuple(motion.apply(np.array(each.position))),
            rotation=_tuple(quaternion_product(turn, np.array(each.rotation))),
        )

    def hand(each: HandState) -> HandState:
        wrench = np.array(each.wrench).reshape(2, 3) @ motion.rotation.T
        return replace(
            each, position=_tuple(motion.apply(np.array(each.position))), wrench=_tuple(wrench.reshape(6))
        )

    return replace(
        pose,
        right_foot=foot(pose.right_foot),
        left_foot=foot(pose.left_foot),
        right_hand=hand(pose.right_hand),
        left_hand=hand(pose.left_hand),
        upper_body=_tuple(quaternion_product(turn, np.array(pose.upper_body))),
        head=_tuple(quaternion_product(turn, np.array(pose.head))),
        com_height=pose.com_height + float(motion.translation[2]),
    )


def moved_sequence(sequence: TransitionSequence, motion: Transform) -> TransitionSequence:
    """All poses of a sequence after a motion in the plane."""
    return with_poses(sequence, lambda pose: moved_pose(pose, motion))


def with_poses(sequence: TransitionSequence, changed: Callable[[RobotPose], RobotPose]) -> TransitionSequence:
    """The sequence with other poses; those that transitions share stay shared."""
    known: dict[int, RobotPose] = {}

    def once(pose: RobotPose) -> RobotPose:
        if id(pose) not in known:
            known[id(pose)] = changed(pose)
        return known[id(pose)]

    transitions = [replace(each, begin=once(each.begin), end=once(each.end)) for each in sequence.transitions]
    return replace(sequence, transitions=tuple(transitions))


def _tuple(values: Array) -> Any:
    return tuple(values.tolist())
