"""Poses as routines take them: records of numbers and vectors, many of them in one array.

`RobotPose` is what people write and read; `RobotPose.record` is such a record of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import ArrayOf, Quaternion, Vector3, record_dtype, routine

# Two poses are the same if they differ by less, Seiwald 2023, section 6.3.
POSITION_TOLERANCE = 1e-9  # m
ANGLE_TOLERANCE = 1e-9  # rad
WRENCH_TOLERANCE = 1e-9  # N, Nm

WHOLE_SOLE, TOE_PAD, TIPTOE = range(3)  # what of a foot touches the ground, in the order of `FootContact`


class FootRecord(NamedTuple):
    """A foot: its frame in the world, whether it touches the ground, and what of it then does."""

    position: Vector3  # m
    rotation: Quaternion
    closed: bool
    contact: int


class HandRecord(NamedTuple):
    """A hand: where it is in the world, whether that counts, whether it touches something, and what acts on it."""

    position: Vector3  # m
    task_space: bool
    closed: bool
    force: Vector3  # N, world axes
    torque: Vector3  # Nm


class PoseRecord(NamedTuple):
    """A pose, in world axes. stance: 0 for RF, 1 for LF."""

    stance: int
    right_foot: FootRecord
    left_foot: FootRecord
    right_hand: HandRecord
    left_hand: HandRecord
    upper_body: Quaternion
    head: Quaternion
    com_height: float  # m

    def foot(self, side: int) -> FootRecord:
        """RF for 0, LF for 1."""
        return self.right_foot if side == 0 else self.left_foot

    def hand(self, side: int) -> HandRecord:
        """RH for 0, LH for 1."""
        return self.right_hand if side == 0 else self.left_hand


class Changes(NamedTuple):
    """Which parts of a pose change, or move."""

    right_foot: bool
    left_foot: bool
    right_hand: bool
    left_hand: bool
    upper_body: bool
    head: bool
    com_height: bool

    def foot(self, side: int) -> bool:
        """RF for 0, LF for 1."""
        return self.right_foot if side == 0 else self.left_foot

    def hand(self, side: int) -> bool:
        """RH for 0, LH for 1."""
        return self.right_hand if side == 0 else self.left_hand

    def any(self) -> bool:
        """Whether anything does."""
        feet, hands = self.right_foot or self.left_foot, self.right_hand or self.left_hand
        return feet or hands or self.upper_body or self.head or self.com_height


def pose_array(records: Iterable[bytes]) -> ArrayOf[PoseRecord]:
    """Poses one after the other; each as `RobotPose.record` gives it."""
    return np.frombuffer(b"".join(records), dtype=record_dtype(PoseRecord))


def far(before: Vector3, after: Vector3, tolerance: float) -> bool:
    """Whether any of the numbers differs by more than a tolerance."""
    return bool(np.max(np.abs(after - before)) > tolerance)


def turned(before: Quaternion, after: Quaternion) -> bool:
    """Whether unit quaternions of either sign are further apart than the tolerance; accurate for small angles."""
    chord = after + before if before @ after < 0.0 else after - before
    return bool(np.sqrt(chord @ chord) > ANGLE_TOLERANCE / 2.0)


def foot_moves(before: FootRecord, after: FootRecord) -> bool:
    """Whether the foot is elsewhere."""
    return far(before.position, after.position, POSITION_TOLERANCE) or turned(before.rotation, after.rotation)


def hand_moves(before: HandRecord, after: HandRecord) -> bool:
    """Whether the hand is elsewhere; its place only counts where it is or will be in task space."""
    counts = before.task_space or after.task_space
    moved = far(before.position, after.position, POSITION_TOLERANCE)
    return (moved and counts) or before.task_space != after.task_space


def changes_between(before: PoseRecord, after: PoseRecord) -> Changes:
    """What moves from one pose to another."""
    return Changes(
        foot_moves(before.right_foot, after.right_foot),
        foot_moves(before.left_foot, after.left_foot),
        hand_moves(before.right_hand, after.right_hand),
        hand_moves(before.left_hand, after.left_hand),
        turned(before.upper_body, after.upper_body),
        turned(before.head, after.head),
        abs(after.com_height - before.com_height) > POSITION_TOLERANCE,
    )


@routine(quick=True)
def changed_parts(before: ArrayOf[PoseRecord], after: ArrayOf[PoseRecord], result: ArrayOf[Changes]) -> None:
    """Fill in which parts of poses differ, pose by pose."""
    for k in range(len(before)):
        result[k] = changes_between(before[k], after[k])


def same_foot(one: FootRecord, other: FootRecord) -> bool:
    """Whether contacts are the same too."""
    same_contact = one.closed == other.closed and one.contact == other.contact
    return same_contact and not foot_moves(one, other)


def same_hand(one: HandRecord, other: HandRecord) -> bool:
    """Whether contacts and wrenches are the same too, and places whether they count or not."""
    same_use = one.task_space == other.task_space and one.closed == other.closed
    same_place = not far(one.position, other.position, POSITION_TOLERANCE)
    pushed = far(one.force, other.force, WRENCH_TOLERANCE) or far(one.torque, other.torque, WRENCH_TOLERANCE)
    return same_use and same_place and not pushed


@routine(quick=True)
def same_poses(one: ArrayOf[PoseRecord], other: ArrayOf[PoseRecord]) -> bool:
    """Whether all is the same, whichever foot counts as the stance foot."""
    for a, b in zip(one, other, strict=True):
        feet = same_foot(a.right_foot, b.right_foot) and same_foot(a.left_foot, b.left_foot)
        hands = same_hand(a.right_hand, b.right_hand) and same_hand(a.left_hand, b.left_hand)
        if not (feet and hands) or changes_between(a, b).any():
            return False
    return True
