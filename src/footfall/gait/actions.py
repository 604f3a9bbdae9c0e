"""What a robot can be asked for, as steps or as transitions: straight, curve, sideways, turn, stairs, and motions that
are no gait: idle, bow, balancing with a hand or on one leg, looking around, waving."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from dataclasses import replace
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.gait.plan import Action, Transition, TransitionSequence
from footfall.gait.poses import (
    Foot,
    FootContact,
    Hand,
    HandState,
    RobotPose,
    Vector,
    other_foot,
    to_world,
    yaw_quaternion,
)
from footfall.gait.walking_transitions import (
    GaitDimensions,
    HandTarget,
    WalkingTransition,
    default_hand_position,
    final_transition,
)
from footfall.math.rotations import quaternion_product, rotate_by_quaternion
from footfall.option_checks import require_above_zero

MOST_STEPS = 10_000  # in one go


def straight(
    distance: float,
    *,
    shortest: float = 0.1,
    longest: float = 0.4,
    gradient: float = 0.1,
    duration: float | None = None,
) -> list[WalkingTransition]:
    """Steps along a straight line, m; backward if the distance is negative.

    The length grows by `gradient` a step from `shortest` to at most `longest` and falls again; all are scaled so that
    they sum up to the distance. duration: of each step, s.
    """
    require_above_zero({"shortest": shortest, "longest": longest, "gradient": gradient})
    if longest < shortest:
        raise InvalidInput(f"longest step is {longest} m, it must be at least the shortest, {shortest} m")
    lengths = _ramped(abs(distance), shortest, longest, gradient)
    return [
        WalkingTransition(forward=float(np.copysign(length, distance)), duration=duration)
        for length in lengths
    ]


def _ramped(total: float, shortest: float, longest: float, gradient: float) -> list[float]:
    """The fewest lengths up the ramp, along the top and down again whose sum is at least the total, scaled to it."""

    def ramp(count: int) -> list[float]:
        return [min(shortest + gradient * min(k, count - 1 - k), longest) for k in range(count)]

    least = _count(total / longest)
    if least == 0:
        return []
    slopes = 2.0 * np.ceil((longest - shortest) / gradient)  # steps that may be shorter than the longest
    most = int(min(MOST_STEPS, least + 1 + slopes))
    rising = ramp(bisect_left(range(most), total, lo=least, key=lambda count: sum(ramp(count))))
    if sum(rising) < total:
        raise InvalidInput(
            f"a distance of {total} m needs more than {MOST_STEPS} steps of at most {longest} m; plan it in parts"
        )
    scale = total / sum(rising)
    return [scale * length for length in rising]


def _count(parts: float) -> int:
    """Number of steps that cover so many times the longest one."""
    if not parts <= MOST_STEPS:
        raise InvalidInput(
            f"the way is {parts:g} times the longest step; at most {MOST_STEPS} steps are made"
        )
    return int(np.ceil(parts - 1e-9))


def curve(
    length: float, angle: float, *, longest: float = 0.2, sharpest: float = 0.2
) -> list[WalkingTransition]:
    """Steps along an arc of a length, m, that turns by an angle, rad, to the left. sharpest: turn of a step, rad."""
    require_above_zero({"longest": longest, "sharpest": sharpest})
    count = _count(float(np.maximum(abs(length) / longest, abs(angle) / sharpest)))
    return [WalkingTransition(forward=length / count, yaw=angle / count)] * count if count else []


def sideways(distance: float, *, longest: float = 0.1) -> list[WalkingTransition]:
    """Steps to the left (to the right if negative), m: the outer foot steps out, the other one follows.

    The outer foot must swing first: `first_swing="LF"` to the left.
    """
    require_above_zero({"longest": longest})
    count = _count(abs(distance) / longest)
    return [
        step for _ in range(count) for step in (WalkingTransition(left=distance / count), WalkingTransition())
    ]


def turn_in_place(angle: float, *, sharpest: float = 0.15) -> list[WalkingTransition]:
    """Steps that turn the robot to the left, rad. The outer foot must swing first: `first_swing="LF"` to the left."""
    require_above_zero({"sharpest": sharpest})
    count = _count(abs(angle) / sharpest)
    return [
        step for _ in range(count) for step in (WalkingTransition(yaw=angle / count), WalkingTransition())
    ]


def stairs(
    count: int,
    rise: float,
    tread: float,
    *,
    duration: float | None = 1.2,
    contact: FootContact | None = None,
    together: bool = True,
) -> list[WalkingTransition]:
    """Steps up (down if rise is negative) a staircase, m. together: both feet come onto each stair.

    contact: of the foot that comes onto a new stair; by default whole soles up and tiptoe down, since legs hardly reach
    a lower stair with a whole sole.
    """
    _whole(count)
    if contact is None:
        contact = FootContact.TIPTOE if rise < 0.0 else FootContact.FULL
    onto = WalkingTransition(forward=tread, up=rise, duration=duration, swing_timing=0.5, contact=contact)
    beside = WalkingTransition(duration=duration, swing_timing=0.5)
    return [onto, beside] * count if together else [onto] * count


def stamping(count: int) -> list[WalkingTransition]:
    """Steps on the spot."""
    _whole(count)
    return [WalkingTransition()] * count


def tiptoe(steps: list[WalkingTransition]) -> list[WalkingTransition]:
    """The same steps, on tiptoe."""
    return [replace(step, contact=FootContact.TIPTOE) for step in steps]


# Motions that are no gait


def idle(begin: RobotPose, *, duration: float | None = None) -> TransitionSequence:
    """Stand, s."""
    return TransitionSequence(Action.IDLE, (replace(final_transition(begin), duration=duration),))


def bow(begin: RobotPose, *, angle: float = np.deg2rad(15.0), hold: float = 1.0) -> TransitionSequence:
    """Tilt the upper body forward by an angle, rad, hold it, s, and come back."""
    nod = np.array([np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0])
    bowed = replace(
        begin,
        upper_body=_tuple(quaternion_product(np.array(begin.upper_body), nod)),
        head=_tuple(quaternion_product(_relative(begin, nod), np.array(begin.head))),
    )
    return _there_and_back(begin, bowed, hold)


def balance(
    begin: RobotPose,
    dimensions: GaitDimensions,
    *,
    hand: Hand,
    position: Vector,
    force: Vector,
    torque: Vector = (0.0, 0.0, 0.0),
    hold: float = 2.0,
) -> TransitionSequence:
    """Put a hand on something, lean on it, s, and come back. position, force, torque: in the frame of the stance foot,
    m, N, Nm; the wrench acts on the robot."""
    reached = lean(begin, hand, HandTarget(position, force, torque))
    rest = default_hand_position(hand, begin.right_foot, begin.left_foot, dimensions.hand_offset)
    end = _with_hand(reached, hand, HandState(_tuple(rest)))
    return _there_and_back(begin, reached, hold, end=end)


def lean(begin: RobotPose, hand: Hand, target: HandTarget) -> RobotPose:
    """The pose with a hand on its target, that is given in the frame of the stance foot."""
    if target.position is None:
        raise InvalidInput(f"{hand} shall be put on something; its target needs a position")
    foot = begin.stance_foot
    turn = np.array(foot.rotation)
    parts = [
        rotate_by_quaternion(turn, np.array(part, dtype=float)) for part in (target.force, target.torque)
    ]
    wrench = np.concatenate(parts)
    closed = target.closed or bool(np.any(wrench))
    return _with_hand(
        begin, hand, HandState(_tuple(to_world(foot, target.position)), True, closed, _tuple(wrench))
    )


def look_around(begin: RobotPose, *, pan: float = 0.5, hold: float = 0.5) -> TransitionSequence:
    """Turn the head to the left and back, rad and s."""
    turned = quaternion_product(
        quaternion_product(np.array(begin.upper_body), yaw_quaternion(pan)),
        _relative_head(begin),
    )
    return _there_and_back(begin, replace(begin, head=_tuple(turned)), hold)


def stand_on_one_leg(
    begin: RobotPose, *, foot: Foot = "RF", lift: float = 0.08, hold: float = 2.0
) -> TransitionSequence:
    """Lift a foot, m, balance on the other leg, s, and put it down again."""
    require_above_zero({"lift": lift, "hold": hold})
    standing = begin.with_stance(other_foot(foot))
    state = begin.foot(foot)
    x, y, z = state.position
    lifted = replace(state, position=(x, y, z + lift), closed=False)
    raised = replace(standing, right_foot=lifted) if foot == "RF" else replace(standing, left_foot=lifted)
    return _there_and_back(standing, raised, hold)


def wave(
    begin: RobotPose,
    *,
    hand: Hand = "RH",
    raised: Vector = (0.05, 0.1, 0.35),
    swing: float = 0.15,
    times: int = 3,
) -> TransitionSequence:
    """Raise a hand, wave to both sides and come back.

    raised: how far the hand goes ahead, outwards and up from where it is at rest, m. swing: to each side, m. times: how
    often it swings there and back. The hand is in task space and touches nothing.
    """
    require_above_zero({"swing": swing})
    _whole(times)
    out = -1.0 if hand == "RH" else 1.0
    body, rest = np.array(begin.upper_body), np.array(begin.hand(hand).position)

    def pose(aside: float) -> RobotPose:
        way = np.array([raised[0], out * (raised[1] + aside), raised[2]])
        return _with_hand(begin, hand, HandState(_tuple(rest + rotate_by_quaternion(body, way)), True))

    poses = [
        begin,
        pose(0.0),
        *(pose(side) for _ in range(times) for side in (swing, -swing)),
        pose(0.0),
        begin,
    ]
    moved = [
        Transition(before, after, enforced=frozenset({"pose"})) for before, after in itertools.pairwise(poses)
    ]
    return TransitionSequence(Action.SPECIAL, (*moved, final_transition(begin)))


def _there_and_back(
    begin: RobotPose, pose: RobotPose, hold: float, *, end: RobotPose | None = None
) -> TransitionSequence:
    end = begin if end is None else end
    transitions = (
        Transition(begin, pose, enforced=frozenset({"pose"})),
        Transition(pose, pose, duration=hold, enforced=frozenset({"pose"})),
        Transition(pose, end, enforced=frozenset({"pose"})),
        final_transition(end),
    )
    return TransitionSequence(Action.SPECIAL, transitions)


def _with_hand(pose: RobotPose, hand: Hand, state: HandState) -> RobotPose:
    return replace(pose, right_hand=state) if hand == "RH" else replace(pose, left_hand=state)


def _relative(pose: RobotPose, turn: Array) -> Array:
    """A turn in axes of the upper body as a turn in world axes."""
    body = np.array(pose.upper_body)
    return quaternion_product(quaternion_product(body, turn), body * [1.0, -1.0, -1.0, -1.0])


def _relative_head(pose: RobotPose) -> Array:
    body = np.array(pose.upper_body)
    return quaternion_product(body * [1.0, -1.0, -1.0, -1.0], np.array(pose.head))


def _whole(count: int) -> None:
    if not 0 <= count <= MOST_STEPS or count != int(count):
        raise InvalidInput(f"count is {count}; it must be a whole number from 0 to {MOST_STEPS}")


def _tuple(values: Array) -> Any:
    return tuple(values.tolist())
