"""Poses in another frame of the plane."""

from __future__ import annotations

import numpy as np

from footfall.gait.actions import straight
from footfall.gait.moved import moved_pose, moved_sequence
from footfall.gait.poses import HandState
from footfall.gait.walking_transitions import GaitDimensions, idle_pose, walking_sequence
from footfall.math.rotations import matrix_from_quaternion, rotation_z
from footfall.math.transform import Transform

DIMENSIONS = GaitDimensions(0.9, 0.275, (0.2, 0.2, 0.97), 0.4, 0.87)
MOTION = Transform(rotation_z(0.7), np.array([1.0, -2.0, 0.0]))


def test_a_pose_comes_back_and_its_parts_keep_their_places_to_each_other() -> None:
    """Distances, and directions in the frame of the stance foot, do not change with the frame of the world."""
    held = HandState((0.3, -0.6, 1.2), True, True, (0.0, 50.0, 0.0, 0.0, 0.0, 0.0))
    pose = idle_pose(DIMENSIONS, position=(0.2, 0.1, 0.0), yaw=0.4)
    pose = type(pose)(**{**pose.__dict__, "right_hand": held})
    moved = moved_pose(pose, MOTION)
    assert moved_pose(moved, MOTION.inverse()).equals(pose)
    assert not moved.equals(pose)
    one, other = pose.in_stance_frame(), moved.in_stance_frame()
    for name in ("swing_position", "hand_positions", "wrenches"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-12)
    np.testing.assert_allclose(
        matrix_from_quaternion(np.array(moved.upper_body)),
        MOTION.rotation @ matrix_from_quaternion(np.array(pose.upper_body)),
        atol=1e-12,
    )


def test_steps_from_a_moved_pose_are_the_moved_steps() -> None:
    """A walk knows no place and no direction: moved before or after it is made, it is the same."""
    begin = idle_pose(DIMENSIONS)
    steps = straight(1.0, longest=0.3)
    there = walking_sequence(steps, moved_pose(begin, MOTION), DIMENSIONS)
    moved = moved_sequence(walking_sequence(steps, begin, DIMENSIONS), MOTION)
    assert len(there.transitions) == len(moved.transitions) > 3
    for one, other in zip(there.transitions, moved.transitions, strict=True):
        assert one.end.equals(other.end)
    assert moved.transitions[0].end is moved.transitions[1].begin
