"""Poses: equality, equivalence, the frame of the stance foot (Seiwald 2023, table 5.1)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.compiler.routines import new_records
from footfall.errors import InvalidInput
from footfall.gait.pose_records import TIPTOE, TOE_PAD, WHOLE_SOLE, Changes, changed_parts, pose_array
from footfall.gait.poses import CONTACT_TYPES, FootContact, FootState, HandState, RobotPose, mean_foot_frame
from footfall.gait.walking_transitions import GaitDimensions, idle_pose
from footfall.math.rotations import quaternion_from_roll_pitch_yaw

LOLA = GaitDimensions(0.9, 0.275, (0.22, 0.2025, 0.97), float(np.deg2rad(-25.0)), 0.87)
number = st.floats(-2.0, 2.0)
angles = st.tuples(*[st.floats(-0.6, 0.6)] * 2, st.floats(-3.0, 3.0))


@st.composite
def poses(draw: st.DrawFn) -> RobotPose:
    def foot() -> FootState:
        rotation = tuple(quaternion_from_roll_pitch_yaw(draw(angles)).tolist())
        return FootState((draw(number), draw(number), draw(number)), rotation)

    def hand() -> HandState:
        wrench = tuple(draw(st.tuples(*[st.floats(-50, 50)] * 6)))
        return HandState((draw(number), draw(number), draw(number)), True, True, wrench)

    return RobotPose(draw(st.sampled_from(["RF", "LF"])), foot(), foot(), hand(), hand(), draw(number))


@given(poses())
def test_equivalent_after_a_change_of_stance_but_not_equal(pose: RobotPose) -> None:
    other = pose.with_stance(pose.swing)
    assert pose.equals(pose)
    assert pose.equivalent(other)
    assert not pose.equals(other)


@given(poses())
def test_sign_of_a_quaternion_does_not_matter(pose: RobotPose) -> None:
    turned = replace(pose.right_foot, rotation=tuple(-value for value in pose.right_foot.rotation))
    assert pose.equals(replace(pose, right_foot=turned))


@pytest.mark.parametrize("part", ["right_foot", "left_hand", "com_height", "upper_body", "wrench", "contact"])
def test_any_difference_counts(part: str) -> None:
    pose = idle_pose(LOLA)
    turned = (np.cos(5e-9), 0.0, np.sin(5e-9), 0.0)
    changes = {
        "right_foot": {"right_foot": FootState((1e-8, -0.1375, 0.0))},
        "left_hand": {"left_hand": replace(pose.left_hand, position=(0.22, 0.34, 0.97 + 1e-8))},
        "com_height": {"com_height": 0.9 + 1e-8},
        "upper_body": {"upper_body": turned},
        "wrench": {"left_hand": replace(pose.left_hand, wrench=(0.0, 1e-6, 0.0, 0.0, 0.0, 0.0))},
        "contact": {"left_foot": replace(pose.left_foot, closed=False)},
    }
    assert not pose.equivalent(replace(pose, **changes[part]))


def test_a_lifted_foot_cannot_become_the_stance() -> None:
    pose = idle_pose(LOLA)
    lifted = replace(pose, left_foot=replace(pose.left_foot, closed=False))
    with pytest.raises(InvalidInput, match="LF does not touch the ground"):
        lifted.with_stance("LF")


@given(poses())
def test_the_view_from_the_stance_foot_leads_back(pose: RobotPose) -> None:
    view = pose.in_stance_frame()
    w, *vector = view.stance_rotation
    for seen, real in (
        (view.swing_position, pose.foot(pose.swing).position),
        (view.hand_positions[0], pose.right_hand.position),
    ):
        half = np.cross(vector, seen)
        world = np.array(view.stance_position) + seen + 2 * (w * half + np.cross(vector, half))
        assert world == pytest.approx(np.array(real), abs=1e-12)
    assert view.com_height + view.stance_position[2] == pytest.approx(pose.com_height)
    assert np.linalg.norm(view.wrenches[0][:3]) == pytest.approx(np.linalg.norm(pose.right_hand.wrench[:3]))


def test_hands_in_null_space_do_not_count_as_motion() -> None:
    pose = idle_pose(LOLA)
    moved = replace(pose, right_hand=replace(pose.right_hand, position=(1.0, 0.0, 1.0)))
    assert moving_parts(pose, moved) == set()
    assert not pose.equals(moved)
    blended = replace(pose, right_hand=replace(pose.right_hand, task_space=True))
    assert moving_parts(pose, blended) == {"right_hand"}


def moving_parts(before: RobotPose, after: RobotPose) -> set[str]:
    """Names of what moves between two poses."""
    changes = new_records(Changes, 1)
    changed_parts(pose_array([before.record]), pose_array([after.record]), changes)
    return {name for name in Changes._fields if changes[name][0]}


def test_every_part_of_a_pose_is_compared() -> None:
    """With a difference of a millionth in one part only."""
    pose = idle_pose(LOLA)
    assert moving_parts(pose, pose) == set()
    turned = tuple(quaternion_from_roll_pitch_yaw([0.0, 0.0, 1e-6]).tolist())
    foot = replace(pose.left_foot, position=(pose.left_foot.position[0], pose.left_foot.position[1], 1e-6))
    assert moving_parts(pose, replace(pose, left_foot=foot)) == {"left_foot"}
    assert moving_parts(pose, replace(pose, right_foot=replace(pose.right_foot, rotation=turned))) == {
        "right_foot"
    }
    assert moving_parts(pose, replace(pose, upper_body=turned)) == {"upper_body"}
    assert moving_parts(pose, replace(pose, upper_body=(-1.0, 0.0, 0.0, 0.0))) == set()  # the same rotation
    assert moving_parts(pose, replace(pose, head=turned)) == {"head"}
    assert moving_parts(pose, replace(pose, com_height=pose.com_height + 1e-6)) == {"com_height"}


def test_records_hold_what_poses_say() -> None:
    pose = replace(idle_pose(LOLA), stance="LF")
    hand = replace(pose.left_hand, task_space=True, closed=True, wrench=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
    pose = replace(pose, left_hand=hand, right_foot=replace(pose.right_foot, contact=FootContact.TIPTOE))
    (record,) = pose_array([pose.record])
    assert record["stance"] == 1
    assert record["right_foot"]["contact"] == TIPTOE
    assert record["left_foot"]["position"].tolist() == list(pose.left_foot.position)
    assert (record["left_hand"]["closed"], record["right_hand"]["closed"]) == (True, False)
    assert record["left_hand"]["force"].tolist() == [1.0, 2.0, 3.0]
    assert record["left_hand"]["torque"].tolist() == [4.0, 5.0, 6.0]
    assert CONTACT_TYPES[WHOLE_SOLE] is FootContact.FULL
    assert CONTACT_TYPES[TOE_PAD] is FootContact.PARTIAL


def test_idle_pose_is_that_of_the_spec() -> None:
    """Seiwald 2023, chapter 4."""
    pose = idle_pose(LOLA)
    assert pose.right_hand.position == pytest.approx((0.22, -0.34, 0.97))
    assert pose.left_hand.position == pytest.approx((0.22, 0.34, 0.97))
    assert pose.left_foot.position == pytest.approx((0.0, 0.1375, 0.0))


def test_mean_of_feet_that_point_apart() -> None:
    right = FootState((0.0, -0.1, 0.0), tuple(quaternion_from_roll_pitch_yaw([0.0, 0.0, -0.3]).tolist()))
    left = FootState((0.2, 0.1, 0.1), tuple((-quaternion_from_roll_pitch_yaw([0.0, 0.0, 0.5])).tolist()))
    position, quaternion = mean_foot_frame(right, left)
    assert position == pytest.approx([0.1, 0.0, 0.05])
    assert abs(quaternion @ quaternion_from_roll_pitch_yaw([0.0, 0.0, 0.1])) == pytest.approx(1.0, abs=1e-12)


def test_bad_poses_are_refused() -> None:
    with pytest.raises(InvalidInput, match="norm 2"):
        FootState((0.0, 0.0, 0.0), (2.0, 0.0, 0.0, 0.0))
    with pytest.raises(InvalidInput, match="3 finite numbers"):
        FootState((0.0, np.nan, 0.0))
    with pytest.raises(InvalidInput, match="task_space"):
        HandState((0.0, 0.0, 0.0), closed=True)
