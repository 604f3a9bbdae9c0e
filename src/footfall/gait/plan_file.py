"""Plans in TOML: what a robot shall do, one table `[[action]]` after the other, and the plans we ship.

Consecutive walking actions (steps, straight, curve, sideways, turn, stairs, stamping) are one sequence: the robot does
not stop in between. All else (idle, bow, balance, look_around, one_leg, wave) is a sequence of its own. SI units and
radians.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal, Union

import msgspec
from msgspec import Meta

from footfall.errors import InvalidInput, RobotError, UnknownName
from footfall.gait import actions
from footfall.gait.plan import Action, MotionPlan, TransitionSequence
from footfall.gait.poses import Foot, FootContact, Quaternion, RobotPose, Vector
from footfall.gait.walking_transitions import (
    GaitDimensions,
    HandTarget,
    WalkingTransition,
    idle_pose,
    walking_sequence,
)
from footfall.robot.toml_parts import read_schema
from footfall.whole_file import is_file

_LARGEST_FILE = 2**20  # bytes

_MOST_STEPS = 1000  # of all actions: a quarter of an hour of walking, made in seconds

Count = Annotated[int, Meta(ge=1, le=1000)]
Positive = Annotated[float, Meta(gt=0.0)]


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind"):
    """A table of a plan file."""


class HandEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Target of a hand in the frame of the new stance foot; m, N, Nm."""

    position: Vector | None = None
    force: Vector = (0.0, 0.0, 0.0)
    torque: Vector = (0.0, 0.0, 0.0)
    closed: bool = False

    def target(self) -> HandTarget:
        """As used by steps."""
        return HandTarget(self.position, self.force, self.torque, self.closed)


class StepEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A step, `repeat` times: the fields of `WalkingTransition`."""

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
    right_hand: HandEntry | None = None
    left_hand: HandEntry | None = None
    upper_body: Quaternion | None = None
    head_pan: float = 0.0
    head_tilt: float | None = None
    com_shift: float = 0.0
    repeat: Count = 1

    def steps(self) -> list[WalkingTransition]:
        """The step, as often as it is repeated."""
        values = {name: getattr(self, name) for name in self.__struct_fields__ if name != "repeat"}
        for hand in ("right_hand", "left_hand"):
            values[hand] = None if values[hand] is None else values[hand].target()
        return [WalkingTransition(**values)] * self.repeat


class StepsEntry(_Entry, frozen=True, tag="steps"):
    """Steps one by one."""

    step: list[StepEntry]

    def steps(self) -> list[WalkingTransition]:
        """All of them."""
        return [step for entry in self.step for step in entry.steps()]


class StraightEntry(_Entry, frozen=True, tag="straight"):
    """Straight ahead, backward if negative."""

    distance: float
    shortest: Positive = 0.1
    longest: Positive = 0.4
    gradient: Positive = 0.1
    duration: float | None = None

    def steps(self) -> list[WalkingTransition]:
        """Steps that ramp up and down."""
        return actions.straight(
            self.distance,
            shortest=self.shortest,
            longest=self.longest,
            gradient=self.gradient,
            duration=self.duration,
        )


class CurveEntry(_Entry, frozen=True, tag="curve"):
    """Along an arc to the left."""

    length: float
    angle: float
    longest: Positive = 0.2
    sharpest: Positive = 0.2

    def steps(self) -> list[WalkingTransition]:
        """Equal steps."""
        return actions.curve(self.length, self.angle, longest=self.longest, sharpest=self.sharpest)


class SidewaysEntry(_Entry, frozen=True, tag="sideways"):
    """To the left, to the right if negative."""

    distance: float
    longest: Positive = 0.1

    def steps(self) -> list[WalkingTransition]:
        """Pairs of steps."""
        return actions.sideways(self.distance, longest=self.longest)


class TurnEntry(_Entry, frozen=True, tag="turn"):
    """Turn in place to the left."""

    angle: float
    sharpest: Positive = 0.15

    def steps(self) -> list[WalkingTransition]:
        """Pairs of steps."""
        return actions.turn_in_place(self.angle, sharpest=self.sharpest)


class StairsEntry(_Entry, frozen=True, tag="stairs"):
    """Up a staircase, down if the rise is negative."""

    count: Count
    rise: float
    tread: float
    duration: float | None = 1.2
    contact: FootContact | None = None
    together: bool = True

    def steps(self) -> list[WalkingTransition]:
        """One or two steps a stair."""
        return actions.stairs(
            self.count,
            self.rise,
            self.tread,
            duration=self.duration,
            contact=self.contact,
            together=self.together,
        )


class StampingEntry(_Entry, frozen=True, tag="stamping"):
    """On the spot."""

    count: Count

    def steps(self) -> list[WalkingTransition]:
        """Steps of no length."""
        return actions.stamping(self.count)


class IdleEntry(_Entry, frozen=True, tag="idle"):
    """Stand."""

    duration: Positive = 1.0


class BowEntry(_Entry, frozen=True, tag="bow"):
    """Tilt the upper body and come back."""

    angle: float = 0.2617993877991494
    hold: Positive = 1.0


class BalanceEntry(_Entry, frozen=True, tag="balance"):
    """Lean on a hand and come back; position and force in the frame of the stance foot."""

    hand: Literal["RH", "LH"]
    position: Vector
    force: Vector
    torque: Vector = (0.0, 0.0, 0.0)
    hold: Positive = 2.0


class LookEntry(_Entry, frozen=True, tag="look_around"):
    """Turn the head to the left and back."""

    pan: float = 0.5
    hold: Positive = 0.5


class OneLegEntry(_Entry, frozen=True, tag="one_leg"):
    """Balance on one leg; foot: the one that is lifted."""

    foot: Literal["RF", "LF"] = "RF"
    lift: Positive = 0.08
    hold: Positive = 2.0


class WaveEntry(_Entry, frozen=True, tag="wave"):
    """Wave with a hand."""

    hand: Literal["RH", "LH"] = "RH"
    raised: Vector = (0.05, 0.1, 0.35)
    swing: Positive = 0.15
    times: Count = 3


Walking = StepsEntry | StraightEntry | CurveEntry | SidewaysEntry | TurnEntry | StairsEntry | StampingEntry
Special = IdleEntry | BowEntry | BalanceEntry | LookEntry | OneLegEntry | WaveEntry


class StartEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the robot is at rest: middle between its feet, m, and heading, rad."""

    position: Vector = (0.0, 0.0, 0.0)
    yaw: float = 0.0


class PlanDescription(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a plan file says. robot: name or file of the robot. first_swing: foot that moves first in each sequence.
    start: where it begins, at rest; by default in the origin."""

    action: Annotated[list[Union[Walking, Special]], Meta(min_length=1)]  # noqa: UP007
    robot: str = "lola"
    description: str = ""
    first_swing: Literal["RF", "LF"] = "RF"
    start: StartEntry = StartEntry()


def plan_names() -> list[str]:
    """Names of the plans we ship."""
    return sorted(
        entry.name.removesuffix(".toml") for entry in files(__package__).joinpath("library").iterdir()
    )


def read_plan_description(source: Path | str) -> PlanDescription:
    """The content of a plan file, given by its path or, for a shipped one, by its name."""
    path = Path(source)
    if not is_file(path) and path.suffix != ".toml":
        if str(source) not in plan_names():
            raise UnknownName("plan", str(source), plan_names())
        path = Path(str(files(__package__).joinpath("library", f"{source}.toml")))
    try:
        return read_schema(path, PlanDescription, limit=_LARGEST_FILE)
    except RobotError as error:
        raise InvalidInput(str(error)) from None


def build_plan(
    description: PlanDescription, dimensions: GaitDimensions, *, begin: RobotPose | None = None
) -> MotionPlan:
    """The plan of a robot with these dimensions, from a pose, by default at rest where the description says."""
    start = description.start
    pose = idle_pose(dimensions, position=start.position, yaw=start.yaw) if begin is None else begin
    sequences: list[TransitionSequence] = []
    steps: list[WalkingTransition] = []
    kinds: set[str] = set()

    def walk() -> None:
        nonlocal pose
        walked = sum(len(sequence.transitions) for sequence in sequences)
        if walked + len(steps) > _MOST_STEPS:
            raise InvalidInput(f"{walked + len(steps)} steps; a plan has at most {_MOST_STEPS}")
        if steps:
            action = Action.STRAIGHT if kinds == {"StraightEntry"} else Action.STEPS
            first: Foot = description.first_swing
            sequences.append(walking_sequence(steps, pose, dimensions, first_swing=first, action=action))
            pose = sequences[-1].end
            steps.clear()
            kinds.clear()

    for entry in description.action:
        if isinstance(entry, Walking):
            steps.extend(entry.steps())
            if len(steps) > _MOST_STEPS:
                break
            kinds.add(type(entry).__name__)
        else:
            walk()
            sequences.append(_special(entry, pose, dimensions))
            pose = sequences[-1].end
    walk()
    return MotionPlan(tuple(sequences))


def _special(entry: Special, pose: RobotPose, dimensions: GaitDimensions) -> TransitionSequence:
    match entry:
        case IdleEntry(duration=duration):
            return actions.idle(pose, duration=duration)
        case BowEntry(angle=angle, hold=hold):
            return actions.bow(pose, angle=angle, hold=hold)
        case LookEntry(pan=pan, hold=hold):
            return actions.look_around(pose, pan=pan, hold=hold)
        case OneLegEntry(foot=foot, lift=lift, hold=hold):
            return actions.stand_on_one_leg(pose, foot=foot, lift=lift, hold=hold)
        case WaveEntry(hand=hand, raised=raised, swing=swing, times=times):
            return actions.wave(pose, hand=hand, raised=raised, swing=swing, times=times)
    return actions.balance(
        pose,
        dimensions,
        hand=entry.hand,
        position=entry.position,
        force=entry.force,
        torque=entry.torque,
        hold=entry.hold,
    )
