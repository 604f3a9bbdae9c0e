"""Robot poses: where feet and hands are or shall be, what they touch, and the orientation of upper body and head.

All of it is held in world axes, so that poses can be compared whichever foot counts as the stance foot. The values
relative to that foot, in which steps are described, are given by `in_stance_frame` (Seiwald 2023).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Any, Literal

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import record_dtype
from footfall.errors import InvalidInput
from footfall.gait.pose_records import PoseRecord, pose_array, same_poses
from footfall.math.rotations import (
    matrix_from_quaternion,
    normalised,
    quaternion_inverse,
    quaternion_product,
    rotate_by_quaternion,
)

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Wrench = tuple[float, float, float, float, float, float]
Foot = Literal["RF", "LF"]
Hand = Literal["RH", "LH"]

FEET: tuple[Foot, Foot] = ("RF", "LF")
HANDS: tuple[Hand, Hand] = ("RH", "LH")
UPRIGHT: Quaternion = (1.0, 0.0, 0.0, 0.0)
NO_WRENCH: Wrench = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class FootContact(Enum):
    """What of a foot touches the ground: the whole sole, the toe pad of a flat foot, the toe pad with the heel up."""

    FULL = "full"
    PARTIAL = "partial"
    TIPTOE = "tiptoe"


CONTACT_TYPES = tuple(FootContact)  # numbered in records of poses


def other_foot(foot: Foot) -> Foot:
    """The foot on the other side."""
    return "LF" if foot == "RF" else "RF"


@dataclass(frozen=True)
class FootState:
    """A foot: position (m) and unit quaternion of its frame in the world, whether and how it touches the ground."""

    position: Vector
    rotation: Quaternion = UPRIGHT
    closed: bool = True
    contact: FootContact = FootContact.FULL

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", _numbers(self.position, 3, "position of a foot"))
        object.__setattr__(self, "rotation", _unit(self.rotation, "rotation of a foot"))


@dataclass(frozen=True)
class HandState:
    """A hand: position (m) of its centre in the world; task_space: whether the position counts; closed: whether it
    touches something; wrench: [force; torque] (N, Nm) on the robot at the hand, world axes."""

    position: Vector
    task_space: bool = False
    closed: bool = False
    wrench: Wrench = NO_WRENCH

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", _numbers(self.position, 3, "position of a hand"))
        object.__setattr__(self, "wrench", _numbers(self.wrench, 6, "wrench on a hand"))
        if self.closed and not self.task_space:
            raise InvalidInput("a hand touches something, but its position does not count: set task_space")


@dataclass(frozen=True)
class RobotPose:
    """What a transition begins and ends with (Seiwald 2023 table 5.1), in world axes.

    stance: the foot that carries the robot while the other one swings. upper_body, head: unit quaternions.
    com_height: wanted height of the centre of mass in the world, m.
    """

    stance: Foot
    right_foot: FootState
    left_foot: FootState
    right_hand: HandState
    left_hand: HandState
    com_height: float
    upper_body: Quaternion = UPRIGHT
    head: Quaternion = UPRIGHT

    def __post_init__(self) -> None:
        if self.stance not in FEET:
            raise InvalidInput(f"stance foot is {self.stance!r}; it must be 'RF' or 'LF'")
        object.__setattr__(self, "upper_body", _unit(self.upper_body, "rotation of the upper body"))
        object.__setattr__(self, "head", _unit(self.head, "rotation of the head"))
        if not np.isfinite(self.com_height):
            raise InvalidInput(f"com_height is {self.com_height}; it must be a number of metres")

    # Parts by name

    def foot(self, name: Foot) -> FootState:
        """The foot RF or LF."""
        return self.right_foot if name == "RF" else self.left_foot

    def hand(self, name: Hand) -> HandState:
        """The hand RH or LH."""
        return self.right_hand if name == "RH" else self.left_hand

    @property
    def feet(self) -> tuple[FootState, FootState]:
        """RF and LF."""
        return self.right_foot, self.left_foot

    @property
    def hands(self) -> tuple[HandState, HandState]:
        """RH and LH."""
        return self.right_hand, self.left_hand

    @property
    def stance_foot(self) -> FootState:
        """The foot that carries the robot."""
        return self.foot(self.stance)

    @property
    def swing(self) -> Foot:
        """Name of the foot that is not the stance foot."""
        return other_foot(self.stance)

    @property
    def double_support(self) -> bool:
        """Whether both feet touch the ground."""
        return self.right_foot.closed and self.left_foot.closed

    def with_stance(self, stance: Foot) -> RobotPose:
        """The equivalent pose with this stance foot; both feet must touch the ground."""
        if stance == self.stance:
            return self
        if not self.double_support:
            raise InvalidInput(
                f"the stance cannot change to {stance}: {self.swing} does not touch the ground; set it down first"
            )
        return replace(self, stance=stance)

    # Comparison

    def equals(self, other: RobotPose) -> bool:
        """Whether all is the same, within tolerances."""
        return self.stance == other.stance and self._same_in_world(other)

    def equivalent(self, other: RobotPose) -> bool:
        """Whether all is the same once both have the same stance foot; that may change if both feet are down."""
        swappable = self.double_support and other.double_support
        return (self.stance == other.stance or swappable) and self._same_in_world(other)

    def _same_in_world(self, other: RobotPose) -> bool:
        return same_poses(pose_array([self.record]), pose_array([other.record]))

    # As a record

    @cached_property
    def record(self) -> bytes:
        """All of it as a `PoseRecord` in memory, see `pose_array`."""
        feet = [
            (foot.position, foot.rotation, foot.closed, CONTACT_TYPES.index(foot.contact))
            for foot in self.feet
        ]
        hands = [
            (hand.position, hand.task_space, hand.closed, hand.wrench[:3], hand.wrench[3:])
            for hand in self.hands
        ]
        values = (self.stance == "LF", *feet, *hands, self.upper_body, self.head, self.com_height)
        return np.array(values, dtype=record_dtype(PoseRecord)).tobytes()

    def in_stance_frame(self) -> StanceView:
        """Positions, rotations and wrenches as seen from the stance foot."""
        return StanceView.of(self)


@dataclass(frozen=True)
class StanceView:
    """A pose as seen from its stance foot: the fields of Seiwald 2023 table 5.1. com_height is above that foot."""

    stance: Foot
    stance_position: Vector
    stance_rotation: Quaternion
    swing_position: Vector
    swing_rotation: Quaternion
    hand_positions: tuple[Vector, Vector]
    wrenches: tuple[Wrench, Wrench]
    upper_body: Quaternion
    head: Quaternion
    com_height: float

    @staticmethod
    def of(pose: RobotPose) -> StanceView:
        """The view of a pose."""
        foot = pose.stance_foot
        origin, turn = np.array(foot.position), np.array(foot.rotation)
        back = quaternion_inverse(turn)
        inward = matrix_from_quaternion(back)
        swing = pose.foot(pose.swing)
        wrenches = [np.array(pose.hand(name).wrench) for name in HANDS]
        return StanceView(
            pose.stance,
            foot.position,
            foot.rotation,
            _tuple(inward @ (np.array(swing.position) - origin)),
            _tuple(quaternion_product(back, np.array(swing.rotation))),
            tuple(_tuple(inward @ (np.array(pose.hand(name).position) - origin)) for name in HANDS),
            tuple(_tuple(np.concatenate([inward @ w[:3], inward @ w[3:]])) for w in wrenches),
            _tuple(quaternion_product(back, np.array(pose.upper_body))),
            _tuple(quaternion_product(back, np.array(pose.head))),
            pose.com_height - foot.position[2],
        )


def mean_foot_frame(right: FootState, left: FootState) -> tuple[Array, Array]:
    """Position (3,) and quaternion (4,) midway between both feet, Seiwald 2023, (5.1)."""
    a, b = np.array(right.rotation), np.array(left.rotation)
    middle = a + (b if a @ b >= 0.0 else -b)  # SLERP at one half is the normalised sum
    return (np.array(right.position) + np.array(left.position)) / 2, normalised(middle)


def yaw_quaternion(angle: float) -> Array:
    """Unit quaternion (4,) of a turn about z, rad."""
    return np.array([np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)])


def to_world(foot: FootState, point: Sequence[float]) -> Array:
    """Position in the world (3,) of a point (3,) that is given in the frame of a foot, m."""
    return np.array(foot.position) + rotate_by_quaternion(
        np.array(foot.rotation), np.array(point, dtype=float)
    )


def _tuple(values: Array) -> Any:
    return tuple(values.tolist())


def _numbers(values: Any, count: int, what: str) -> tuple[float, ...]:
    numbers = tuple(float(value) for value in values)
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise InvalidInput(f"{what} is {numbers}; it must be {count} finite numbers")
    return numbers


def _unit(values: Any, what: str) -> tuple[float, ...]:
    numbers = _numbers(values, 4, what)
    norm = sum(value * value for value in numbers) ** 0.5
    if abs(norm - 1.0) > 1e-6:
        raise InvalidInput(
            f"{what} is {numbers} with norm {norm:.6g}; it must be a unit quaternion (w, x, y, z)"
        )
    # Keep what is a unit quaternion to rounding as it is, so that equal poses stay equal.
    return numbers if abs(norm - 1.0) < 1e-14 else tuple(value / norm for value in numbers)
