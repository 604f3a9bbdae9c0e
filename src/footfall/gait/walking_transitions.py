"""Walking transitions: a step described by a few numbers relative to the foot that stands (Seiwald 2023)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.gait.plan import Action, MotionPlan, Transition, TransitionSequence
from footfall.gait.poses import (
    HANDS,
    Foot,
    FootContact,
    FootState,
    Hand,
    HandState,
    Quaternion,
    RobotPose,
    Vector,
    mean_foot_frame,
    to_world,
    yaw_quaternion,
)
from footfall.gait.step_parameters import next_stance
from footfall.math.rotations import (
    quaternion_from_roll_pitch_yaw,
    quaternion_product,
    rotate_by_quaternion,
    yaw_of,
)
from footfall.option_checks import require_above_zero


@dataclass(frozen=True)
class GaitDimensions:
    """What walking must know of a robot, m and rad.

    com_height: of the centre of mass above the feet at rest. foot_distance: lateral, of parallel feet. hand_offset: of
    the hands at rest, ahead of the opposite foot, outside of the own foot, above. head_tilt: at rest. leg_length: of
    the straight leg, hip to ankle.
    """

    com_height: float
    foot_distance: float
    hand_offset: Vector
    head_tilt: float
    leg_length: float

    def __post_init__(self) -> None:
        require_above_zero(self, "com_height", "foot_distance", "leg_length")


_EXTREME = 1e6  # m, rad, N: squares must not overflow, and no step goes so far


@dataclass(frozen=True)
class HandTarget:
    """Where a hand shall be at the end of a step, in the frame of the new stance foot.

    position: of the centre of the hand, m; None for the position it has at rest. force, torque: on the robot at the
    hand, N and Nm; a force or torque closes the contact. closed: touches something, also without force.
    """

    position: Vector | None = None
    force: Vector = (0.0, 0.0, 0.0)
    torque: Vector = (0.0, 0.0, 0.0)
    closed: bool = False

    def __post_init__(self) -> None:
        for name, values in (("position", self.position), ("force", self.force), ("torque", self.torque)):
            if values is not None and (len(values) != 3 or not all(abs(each) < _EXTREME for each in values)):
                raise InvalidInput(
                    f"{name} of a hand is {tuple(values)}; it must be 3 numbers, finite and below {_EXTREME:g}"
                )


_LENGTHS_AND_ANGLES = ("forward", "left", "up", "roll", "pitch", "yaw", "head_pan", "head_tilt", "com_shift")


@dataclass(frozen=True)
class WalkingTransition:
    """A quasi-planar step; every field may be left out.

    forward (along the arc), left, up: m. roll, pitch: of the new stance foot, rad. yaw: change, rad. duration: s.
    step_height: m. swing_timing: in [0, 1]. contact: of the new stance foot. right_hand, left_hand: None leaves the
    hand in null space. upper_body: quaternion in the frame of the new stance foot; None keeps it upright, turned as
    the feet. head_pan, head_tilt: rad; None for the tilt at rest. com_shift: of the height of the centre of mass, m.
    """

    forward: float = 0.0
    left: float = 0.0
    up: float = 0.0
    roll: float = 0.0
    pitch: float = 0.0
    yaw: float = 0.0
    duration: float | None = None
    step_height: float | None = None
    swing_timing: float = 0.0
    contact: FootContact = FootContact.FULL
    right_hand: HandTarget | None = None
    left_hand: HandTarget | None = None
    upper_body: Quaternion | None = None
    head_pan: float = 0.0
    head_tilt: float | None = None
    com_shift: float = 0.0

    def __post_init__(self) -> None:
        for name in _LENGTHS_AND_ANGLES:
            value = getattr(self, name)
            if value is not None and not abs(value) < _EXTREME:
                raise InvalidInput(
                    f"{name} of a step is {value}; it must be a finite number below {_EXTREME:g}"
                )

    def hand(self, name: Hand) -> HandTarget | None:
        """The target of RH or LH."""
        return self.right_hand if name == "RH" else self.left_hand


def idle_pose(
    dimensions: GaitDimensions,
    *,
    position: Sequence[float] = (0.0, 0.0, 0.0),
    yaw: float = 0.0,
    stance: Foot = "RF",
) -> RobotPose:
    """The pose at rest: feet parallel, position (3,) midway between them, m; heading yaw, rad."""
    turn = yaw_quaternion(yaw)
    half = dimensions.foot_distance / 2
    feet = [
        FootState(
            _tuple(np.array(position) + rotate_by_quaternion(turn, np.array([0.0, side, 0.0]))), _tuple(turn)
        )
        for side in (-half, half)
    ]
    return _completed(dimensions, stance, feet[0], feet[1], 0.0, WalkingTransition())


def apply_step(step: WalkingTransition, begin: RobotPose, dimensions: GaitDimensions) -> Transition:
    """The transition from a pose along a step: the foot that is not the stance foot of `begin` swings."""
    previous, moving = begin.stance_foot, begin.swing
    half = dimensions.foot_distance / 2 * (1.0 if begin.stance == "RF" else -1.0)
    position, angles = next_stance(
        previous.position,
        yaw_of(np.array(previous.rotation)),
        (step.forward, step.left, step.up),
        (step.roll, step.pitch, step.yaw),
        half,
    )
    landed = FootState(_tuple(position), _tuple(quaternion_from_roll_pitch_yaw(angles)), True, step.contact)
    feet = {moving: landed, begin.stance: previous}
    lowering = com_lowering(step.forward, dimensions.leg_length)
    end = _completed(dimensions, moving, feet["RF"], feet["LF"], lowering, step)
    return Transition(
        begin, end, step.duration, step.step_height, step.swing_timing, enforced=frozenset({"foot"})
    )


def closing_step(
    begin: RobotPose, dimensions: GaitDimensions, *, duration: float | None = None
) -> Transition:
    """The step that brings the swing foot beside the stance foot, on the plane of its sole, and all else to rest.
    duration: s."""
    stance = begin.stance_foot
    side = dimensions.foot_distance * (1.0 if begin.stance == "RF" else -1.0)
    # Beside a toe pad on a short tread there is ground for a toe pad: a heel that the plan leans on hangs in the air.
    contact = FootContact.PARTIAL if stance.contact is FootContact.PARTIAL else FootContact.FULL
    landed = FootState(_tuple(to_world(stance, (0.0, side, 0.0))), stance.rotation, True, contact)
    feet = {begin.swing: landed, begin.stance: stance}
    end = _completed(dimensions, begin.swing, feet["RF"], feet["LF"], 0.0, WalkingTransition())
    return Transition(begin, end, duration, enforced=frozenset({"foot"}))


def final_transition(begin: RobotPose) -> Transition:
    """The transition without motion that ends every sequence: the load comes to rest on both feet."""
    return Transition(begin, begin)


def walking_sequence(
    steps: Iterable[WalkingTransition],
    begin: RobotPose,
    dimensions: GaitDimensions,
    *,
    first_swing: Foot | None = None,
    action: Action = Action.STEPS,
) -> TransitionSequence:
    """Steps, a closing step and the final transition. first_swing: foot that moves first, by default the swing foot of
    `begin`."""
    pose = begin if first_swing is None else begin.with_stance("LF" if first_swing == "RF" else "RF")
    transitions = []
    for step in steps:
        transitions.append(apply_step(step, pose, dimensions))
        pose = transitions[-1].end
    if transitions:
        transitions += closing_transitions(pose, dimensions)
        return TransitionSequence(action, tuple(transitions))
    return TransitionSequence(action, (final_transition(pose),))


def closing_transitions(
    begin: RobotPose, dimensions: GaitDimensions, *, duration: float | None = None
) -> list[Transition]:
    """The fewest transitions that bring the robot to rest: a closing step, one more if the other foot does not stand
    on its whole sole, and the final transition. duration: of the closing steps, s."""
    transitions = [closing_step(begin, dimensions, duration=duration)]
    if begin.stance_foot.contact is not FootContact.FULL:
        transitions.append(closing_step(transitions[-1].end, dimensions, duration=duration))
    return [*transitions, final_transition(transitions[-1].end)]


def stop(plan: MotionPlan, now: float, dimensions: GaitDimensions) -> MotionPlan:
    """The plan that ends as soon as it can after `now`, s: the running transition is finished, then the robot closes
    its feet. Later sequences are dropped."""
    first, second = plan.at(now)
    running = plan.sequences[first]
    if not running.action.stoppable or second == len(running.transitions) - 1:
        return replace(plan, sequences=plan.sequences[: first + 1])
    kept = running.transitions[: second + 1]
    ending = closing_transitions(kept[-1].end, dimensions)
    stopped = replace(running, transitions=(*kept, *ending))
    return replace(plan, sequences=(*plan.sequences[:first], stopped))


def com_lowering(forward: float, leg_length: float) -> float:
    """How much the centre of mass is lowered for a step of that length, m; Seiwald 2023, (5.2)."""
    inside = leg_length**2 - 4 / 25 * forward**2
    return 0.5 * (leg_length - float(np.sqrt(max(inside, 0.0))))


def default_hand_position(hand: Hand, right: FootState, left: FootState, offset: Vector) -> Array:
    """Where a hand in null space swings, (3,) in the world, m: ahead of the opposite foot.

    Seiwald 2023, section 5.3.
    """
    origin, turn = mean_foot_frame(right, left)
    back = turn * [1.0, -1.0, -1.0, -1.0]
    feet = [rotate_by_quaternion(back, np.array(foot.position) - origin) for foot in (right, left)]
    own, opposite = feet if hand == "RH" else feet[::-1]
    side = -1.0 if hand == "RH" else 1.0
    ahead, outside, above = offset
    local = np.array([opposite[0] + ahead, own[1] + side * outside, opposite[2] + above])
    return origin + rotate_by_quaternion(turn, local)


def head_rotation(upper_body: Array, pan: float, tilt: float) -> Array:
    """Quaternion (4,) of the head from that of the upper body and the joint angles, rad; Seiwald 2023, (6.19)."""
    nod = np.array([np.cos(tilt / 2), 0.0, -np.sin(tilt / 2), 0.0])
    return quaternion_product(quaternion_product(upper_body, yaw_quaternion(pan)), nod)


def _completed(
    dimensions: GaitDimensions,
    stance: Foot,
    right: FootState,
    left: FootState,
    lowering: float,
    step: WalkingTransition,
) -> RobotPose:
    """The pose over two feet: upper body, head, hands and height as a step asks for."""
    foot = right if stance == "RF" else left
    if step.upper_body is None:
        upper_body = yaw_quaternion(float(yaw_of(mean_foot_frame(right, left)[1])))
    else:
        upper_body = quaternion_product(np.array(foot.rotation), np.array(step.upper_body))
    tilt = dimensions.head_tilt if step.head_tilt is None else step.head_tilt
    hands = [_hand_state(name, step.hand(name), foot, right, left, dimensions) for name in HANDS]
    return RobotPose(
        stance,
        right,
        left,
        hands[0],
        hands[1],
        foot.position[2] + dimensions.com_height - lowering + step.com_shift,
        _tuple(upper_body),
        _tuple(head_rotation(upper_body, step.head_pan, tilt)),
    )


def _hand_state(
    name: Hand,
    target: HandTarget | None,
    foot: FootState,
    right: FootState,
    left: FootState,
    dimensions: GaitDimensions,
) -> HandState:
    rest = default_hand_position(name, right, left, dimensions.hand_offset)
    if target is None:
        return HandState(_tuple(rest))
    position = rest if target.position is None else to_world(foot, target.position)
    turn = np.array(foot.rotation)
    wrench = np.concatenate(
        [rotate_by_quaternion(turn, np.array(part, dtype=float)) for part in (target.force, target.torque)]
    )
    return HandState(_tuple(position), True, target.closed or bool(np.any(wrench)), _tuple(wrench))


def _tuple(values: Array) -> Any:
    return tuple(np.asarray(values, dtype=np.float64).tolist())
