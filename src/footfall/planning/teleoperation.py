"""Walking by hand: from wanted velocities to steps that feet can make, on level ground.

Seiwald 2023, section 5.4, names the mode and its limits; how commands become steps is ours. Two steps make the way of
two: the motion of a pair is the exponential of the velocity (a twist of the plane) over its time, so that a command
that holds is a true arc. Both feet go ahead and turn by half of it each; aside goes the outer foot for both, and the
other one follows. What steps cannot do is clipped, not refused: a command is scaled until the steps of a pair keep
their limits, and feet that turn stand wider until there is room between their soles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.gait.poses import Foot, RobotPose, other_foot
from footfall.gait.step_parameters import step_displacement, step_lengths
from footfall.gait.walking_transitions import WalkingTransition
from footfall.motion.pose_checks import sole_gap
from footfall.motion.reduced_model import Rectangle, ReducedModel
from footfall.planning.parameters import PlannerParameters
from footfall.planning.step_set import sole_corners

STEPS_AHEAD = 4  # planned with a command: while the first of them runs there is time for the next command
_TURN_DEG = 18.5  # of a step, 0.4 rad/s on the spot; the planner's are smaller, since it has the choice
_GAP = 0.015  # m between soles
_WIDEN = 0.005  # m by which steps are made wider at a time
_WIDEST = 0.15  # m


@dataclass(frozen=True)
class VelocityCommand:
    """What an operator wants: forward and left in m/s, turn to the left in rad/s."""

    forward: float = 0.0
    left: float = 0.0
    turn: float = 0.0

    def __post_init__(self) -> None:
        for name in ("forward", "left", "turn"):
            if not math.isfinite(getattr(self, name)):
                raise InvalidInput(
                    f"{name} of a command is {getattr(self, name)}; it must be a finite number"
                )

    @property
    def stands(self) -> bool:
        """Whether nothing is wanted."""
        return self.forward == self.left == self.turn == 0.0

    def towards(self, other: VelocityCommand, share: float) -> VelocityCommand:
        """The command that is so much of the way to another one."""
        return VelocityCommand(
            self.forward + share * (other.forward - self.forward),
            self.left + share * (other.left - self.left),
            self.turn + share * (other.turn - self.turn),
        )

    def __str__(self) -> str:
        return f"{self.forward:.2f}, {self.left:.2f} m/s, {self.turn:.2f} rad/s"


class PairOfSteps(NamedTuple):
    """Steps of the left and the right foot that are repeated for a command."""

    left: WalkingTransition
    right: WalkingTransition

    def step(self, moving: Foot) -> WalkingTransition:
        """Of a foot."""
        return self.left if moving == "LF" else self.right


def clipped_command(command: VelocityCommand, parameters: PlannerParameters | None = None) -> VelocityCommand:
    """The nearest command that steps can do: turns are clipped, then the way is scaled; `command` itself if they can do
    all of it."""
    parameters = PlannerParameters() if parameters is None else parameters
    limits, seconds = parameters.step, parameters.timing.transition_s
    most = math.radians(_TURN_DEG) / seconds
    turn = min(max(command.turn, -most), most)
    # Forward and aside bound each other; the planner, which has the choice, keeps within the straight line.
    longest = limits.forward_m if command.forward >= 0.0 else max(limits.backward_m, 1e-9)
    share = math.hypot(seconds * command.forward / longest, 2.0 * seconds * command.left / limits.outward_m)
    scale = 1.0 / share if share > 1.0 else 1.0
    if scale == 1.0 and turn == command.turn:
        return command
    return VelocityCommand(scale * command.forward, scale * command.left, turn)


def pair_of_steps(
    command: VelocityCommand,
    parameters: PlannerParameters | None = None,
    *,
    sole: Rectangle | None = None,
    foot_distance: float = 0.0,
) -> PairOfSteps:
    """The two steps of a command that holds, clipped to what they can do. sole, foot_distance: of the robot, m; without
    them overlapping soles are not looked for."""
    parameters = PlannerParameters() if parameters is None else parameters
    wanted, seconds = clipped_command(command, parameters), parameters.timing.transition_s
    twist = seconds * np.array([wanted.forward, wanted.left, wanted.turn])
    # The outer foot goes aside for both; what is left of the motion of the pair the other one does.
    outer: Foot = first_outer(wanted)
    inner_motion = plane_motion(np.array([twist[0], 0.0, twist[2]]))
    pair = plane_motion(2.0 * twist)
    motions: dict[Foot, Array]
    if outer == "LF":
        motions = {"LF": combined(pair, inverted(inner_motion)), "RF": inner_motion}
    else:
        motions = {"LF": inner_motion, "RF": combined(pair, inverted(inner_motion))}
    steps = {foot: _step(motion) for foot, motion in motions.items()}
    if sole is not None:
        wider = _wider(steps, sole, foot_distance)
        steps = {foot: _aside(step, wider, foot) for foot, step in steps.items()}
    return PairOfSteps(steps["LF"], steps["RF"])


def first_outer(command: VelocityCommand) -> Foot:
    """The foot that goes aside for both: to the left the left one; on the spot the one that turns outwards."""
    wanted = command.left if command.left != 0.0 else command.turn
    return "RF" if wanted < 0.0 else "LF"


def plane_motion(twist: Array) -> Array:
    """Motion (3,) x, y, angle that a twist (3,) leads to in unit time: the exponential of SE(2)."""
    x, y, angle = twist.tolist()
    along, across = np.sinc(angle / np.pi), np.sinc(angle / (2 * np.pi)) * math.sin(angle / 2)
    return np.array([along * x - across * y, across * x + along * y, angle])


def plane_twist(motion: Array) -> Array:
    """The twist (3,) that leads to a motion (3,) in unit time; the angle is below half a turn."""
    x, y, angle = motion.tolist()
    along, across = np.sinc(angle / np.pi), np.sinc(angle / (2 * np.pi)) * math.sin(angle / 2)
    square = along * along + across * across
    return np.array([(along * x + across * y) / square, (along * y - across * x) / square, angle])


def combined(first: Array, second: Array) -> Array:
    """Motion (3,) that is one after the other."""
    c, s = math.cos(first[2]), math.sin(first[2])
    return np.array(
        [
            first[0] + c * second[0] - s * second[1],
            first[1] + s * second[0] + c * second[1],
            first[2] + second[2],
        ]
    )


def inverted(motion: Array) -> Array:
    """The motion (3,) that leads back."""
    c, s = math.cos(motion[2]), math.sin(motion[2])
    return np.array(
        [-c * motion[0] - s * motion[1], s * motion[0] - c * motion[1], -motion[2]],
    )


def _step(motion: Array) -> WalkingTransition:
    """The step that moves the middle between the feet so."""
    x, y, angle = motion.tolist()
    forward, left, _ = step_lengths(np.array([x, y, 0.0]), angle, 0.0).tolist()
    return WalkingTransition(forward=forward, left=left, yaw=angle)


def _aside(step: WalkingTransition, wider: float, foot: Foot) -> WalkingTransition:
    outward = 1.0 if foot == "LF" else -1.0
    return WalkingTransition(step.forward, step.left + outward * wider, yaw=step.yaw)


def _wider(steps: dict[Foot, WalkingTransition], sole: Rectangle, distance: float) -> float:
    """By how much both steps have to lead outwards for soles that do not come nearer than they may, m."""
    wider = 0.0
    while wider < _WIDEST and any(
        _gap(_aside(step, wider, foot), foot, sole, distance) < _GAP for foot, step in steps.items()
    ):
        wider += _WIDEN
    return wider


def _gap(step: WalkingTransition, foot: Foot, sole: Rectangle, distance: float) -> float:
    """Distance of the soles after a step, m."""
    half = distance / 2 if foot == "LF" else -distance / 2
    place = step_displacement((step.forward, step.left, 0.0), step.yaw, half)[:2]
    c, s = math.cos(step.yaw), math.sin(step.yaw)
    standing = sole_corners(sole)
    landed = standing @ np.array([[c, s], [-s, c]]) + place
    return float(sole_gap(standing, np.ascontiguousarray(landed)))


def commanded_step(
    command: VelocityCommand,
    moving: Foot,
    parameters: PlannerParameters | None = None,
    *,
    model: ReducedModel | None = None,
) -> WalkingTransition:
    """The step of a foot that comes nearest to a command that holds. model: of the robot whose soles must not
    overlap."""
    if model is None:
        return pair_of_steps(command, parameters).step(moving)
    pair = pair_of_steps(command, parameters, sole=model.sole, foot_distance=model.foot_distance)
    return pair.step(moving)


def commanded_steps(
    command: VelocityCommand,
    moving: Foot,
    parameters: PlannerParameters | None = None,
    *,
    count: int = STEPS_AHEAD,
    model: ReducedModel | None = None,
) -> list[WalkingTransition]:
    """Steps for a command that holds, the first of them with a foot; none if it wants to stand. model: as for
    `commanded_step`."""
    if count < 0:
        raise InvalidInput(f"count of steps is {count}; it must not be negative")
    if command.stands:
        return []
    steps = {
        foot: commanded_step(command, foot, parameters, model=model) for foot in (moving, other_foot(moving))
    }
    return [steps[moving if k % 2 == 0 else other_foot(moving)] for k in range(count)]


def first_foot(command: VelocityCommand, begin: RobotPose) -> Foot:
    """The foot that moves first from rest: the outer one of a way aside or a turn, else the swing foot."""
    for wanted in (command.left, command.turn):
        if wanted != 0.0:
            return "LF" if wanted > 0.0 else "RF"
    return begin.swing
