"""Timed signals: commands to a robot, and events around it, while it walks.

Each is a value with its time and a name, as it stands in files: `do = "drive"`. Lengths are in m, times in s, angles in
rad, forces in N. Numbers are checked when a signal is made; names of bodies, objects and parameters when it is sent.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from footfall.errors import InvalidInput, UnknownName

Vector = tuple[float, float, float]
Positive = Annotated[float, Meta(gt=0.0, le=1e6)]
NotNegative = Annotated[float, Meta(ge=0.0, le=1e9)]
Count = Annotated[int, Meta(ge=1, le=1000)]
_LARGEST_VALUE = 1e4  # m, N and the like, of a signal
_FULL_TURN = 2.0 * math.pi


class Signal(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="do"):
    """time: s, from when on it holds."""

    time: NotNegative = 0.0

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            for number in value if isinstance(value, tuple) else (value,):
                if isinstance(number, float) and not abs(number) <= _LARGEST_VALUE and name != "stiffness":
                    raise InvalidInput(
                        f"{name} of signal {self.word!r} is {value}; it must be finite and at most {_LARGEST_VALUE:g}"
                    )
        for name in ("yaw", "turn", "angle", "pan"):
            value = getattr(self, name, None)
            if value is not None and not abs(value) <= _FULL_TURN:
                raise InvalidInput(
                    f"{name} of signal {self.word!r} is {value:g}; angles are in rad, at most a full turn"
                )

    @property
    def word(self) -> str:
        """Its name in files."""
        return str(self.__struct_config__.tag)


# What the robot is to do


class Drive(Signal, frozen=True, tag="drive"):
    """Walk with a velocity until something else is asked for. forward, left: m/s. turn: rad/s, to the left."""

    forward: float = 0.0
    left: float = 0.0
    turn: float = 0.0


class WalkTo(Signal, frozen=True, tag="walk_to"):
    """Walk to a place, around and over what is in the way. x, y: m. yaw: rad."""

    x: float
    y: float = 0.0
    yaw: float = 0.0


class WalkStraight(Signal, frozen=True, tag="walk"):
    """Walk straight ahead, m; backward if negative. longest: of steps, m."""

    distance: float
    longest: Positive = 0.4


class Follow(Signal, frozen=True, tag="follow"):
    """Make the steps of a plan: shipped name or file. It begins where the robot stands."""

    plan: str


class Stamp(Signal, frozen=True, tag="stamp"):
    """Step on the spot, so many times."""

    steps: Count = 6


class Stop(Signal, frozen=True, tag="stop"):
    """Come to rest as soon as possible. What was asked for before is forgotten."""


class Bow(Signal, frozen=True, tag="bow"):
    """Tilt the upper body ahead, rad, hold it, s, and come back."""

    angle: float = math.radians(15.0)
    hold: Positive = 1.0


class LookAround(Signal, frozen=True, tag="look_around"):
    """Turn the head to the left, rad, hold it, s, and come back."""

    pan: float = 0.5
    hold: Positive = 0.5


class OneLeg(Signal, frozen=True, tag="one_leg"):
    """Lift a foot, m, stand on the other leg, s, and put it down again."""

    foot: Literal["RF", "LF"] = "RF"
    lift: Positive = 0.08
    hold: Positive = 2.0


class Balance(Signal, frozen=True, tag="balance"):
    """Put a hand on something, lean on it, s, and come back. position: of the hand, m; force: on it, N; both in the
    axes of the stance foot, from which the position counts."""

    hand: Literal["RH", "LH"]
    position: Vector
    force: Vector
    hold: Positive = 2.0


class Wave(Signal, frozen=True, tag="wave"):
    """Raise a hand and wave, so many times."""

    hand: Literal["RH", "LH"] = "RH"
    times: Count = 3


class Set(Signal, frozen=True, tag="set"):
    """Let a parameter have a value from now on; `footfall walk --parameters` lists names and values."""

    name: str
    value: float | int | bool | str | list[float]


# What its operator switches


class Power(Signal, frozen=True, tag="power"):
    """Give motors power, or take it; a robot that is off becomes ready, one that is ready off."""

    on: bool


class Activate(Signal, frozen=True, tag="activate"):
    """Let a robot that is ready take orders."""


class Deactivate(Signal, frozen=True, tag="deactivate"):
    """Let a robot that is active and stands take no more orders."""


class EmergencyStop(Signal, frozen=True, tag="emergency_stop"):
    """Cut the power of all motors at once: joints are free, and the robot sinks."""


class Reset(Signal, frozen=True, tag="reset"):
    """Leave the error state, without power."""


class Tare(Signal, frozen=True, tag="tare"):
    """Let the force sensors of hands that touch nothing show nothing."""


class Home(Signal, frozen=True, tag="home"):
    """Let joints that have no absolute encoder find their stops, and count from there; for robots that are ready."""


class Calibrate(Signal, frozen=True, tag="calibrate"):
    """Take out of encoders by how much they are off: joints are where a jig holds them. For robots without power."""


class ForceControl(Signal, frozen=True, tag="force_control"):
    """Control contact forces by a factor of the usual strength, 0 to 1: 0 is position control alone."""

    factor: Annotated[float, Meta(ge=0.0, le=1.0)]


class MoveJoint(Signal, frozen=True, tag="joint"):
    """Move a joint by hand, rad, beside what the controller wants of it; 0 gives it back. "all" means all of them."""

    name: str
    offset: Annotated[float, Meta(ge=-3.2, le=3.2)] = 0.0


class SweepJoint(Signal, frozen=True, tag="sweep"):
    """Let a joint swing, rad, through frequencies, Hz, for some seconds, and listen to its drive; in full mode."""

    name: str
    amplitude: Annotated[float, Meta(gt=0.0, le=0.5)] = 0.03
    first: Annotated[float, Meta(gt=0.0, le=50.0)] = 0.5
    last: Annotated[float, Meta(gt=0.0, le=50.0)] = 8.0
    seconds: Annotated[float, Meta(ge=2.0, le=30.0)] = 8.0


class FeedVelocity(Signal, frozen=True, tag="feed_velocity"):
    """Tell the servo of a joint this share of its velocity; it adds it to what its position control wants."""

    name: str
    share: Annotated[float, Meta(ge=0.0, le=2.0)] = 1.0


# What happens around it


class PushBody(Signal, frozen=True, tag="push"):
    """A force on a body, N, and a torque about its origin, Nm, world axes, for some seconds."""

    body: str
    force: Vector
    torque: Vector = (0.0, 0.0, 0.0)
    seconds: Positive = 0.1


class Load(Signal, frozen=True, tag="load"):
    """Hang a weight on a body of the robot, kg, which it does not know of; 0 takes it away, and below zero it is what
    the body is lighter by. Only its weight acts, not its inertia. at: m, where on the body, in its axes."""

    body: str
    mass: Annotated[float, Meta(ge=-1e4, le=1e4)]
    at: Vector = (0.0, 0.0, 0.0)


class Frame(Signal, frozen=True, tag="frame"):
    """A safety frame follows the robot, and its rope catches it. slack: m, by which it may sink before; below zero the
    frame lifts it. on: whether there is one."""

    slack: Annotated[float, Meta(ge=-0.5, le=0.5)] = 0.04
    on: bool = True


class Move(Signal, frozen=True, tag="move"):
    """Put an object somewhere else. position: m. yaw: rad; as it was by default."""

    object: str
    position: Vector
    yaw: float | None = None


class Add(Signal, frozen=True, tag="add"):
    """Put a box into the scene. size: of its edges, m; position: of its middle. visible: whether the robot sees it.
    kind: its class, "wall" say, on which hands may lean. stiffness: N/m of a contact point, for soft ground."""

    name: str
    size: tuple[Positive, Positive, Positive]
    position: Vector
    yaw: float = 0.0
    kind: str = "obstacle"
    visible: bool = True
    friction: NotNegative = 0.8
    stiffness: Positive | None = None
    damping: NotNegative | None = None


class Remove(Signal, frozen=True, tag="remove"):
    """Take an object out of the scene."""

    object: str


class Surface(Signal, frozen=True, tag="surface"):
    """Let an object, or all of them, have another surface; what is left out stays. stiffness, damping: of a contact
    point, N/m and N s/m: soft ground has 1e4 or less."""

    object: str = "all"
    friction: NotNegative | None = None
    stiffness: Positive | None = None
    damping: NotNegative | None = None


# What a live walk notes of its own course, so that it can be replayed


class Served(Signal, frozen=True, tag="served"):
    """The planner's answer was there. asked: s, when it was asked. holds: s, from when on the controller knew of the
    surroundings that it told. late: its motion was to be taken up before. cancelled: it gave up what it planned, and
    looks: when it had looked so often whether to."""

    asked: NotNegative
    holds: NotNegative
    late: bool = False
    cancelled: bool = False
    looks: Annotated[int, Meta(ge=0)] = 0


class Halted(Signal, frozen=True, tag="halted"):
    """The loop itself has planned how to come to rest; the planner goes on from there. keeps: what was asked for before
    is done from there, it was only too late."""

    keeps: bool = False


class PlannerLost(Signal, frozen=True, tag="planner_lost"):
    """The planner's process ended; the robot comes to rest."""


class PlannerBack(Signal, frozen=True, tag="planner_back"):
    """A new planner has taken over."""


AnySignal = (
    Drive
    | WalkTo
    | WalkStraight
    | Follow
    | Stamp
    | Stop
    | Bow
    | LookAround
    | OneLeg
    | Balance
    | Wave
    | Set
    | Power
    | Activate
    | Deactivate
    | EmergencyStop
    | Reset
    | Tare
    | Home
    | Calibrate
    | ForceControl
    | MoveJoint
    | SweepJoint
    | FeedVelocity
    | PushBody
    | Load
    | Frame
    | Move
    | Add
    | Remove
    | Surface
    | Served
    | Halted
    | PlannerLost
    | PlannerBack
)
MOTIONS = (WalkStraight, Follow, Stamp, Bow, LookAround, OneLeg, Balance, Wave)  # that begin and end at rest
BY_HAND = (MoveJoint, SweepJoint, FeedVelocity)  # of single joints
OPERATOR = (
    Power,
    Activate,
    Deactivate,
    EmergencyStop,
    Reset,
    Tare,
    Home,
    Calibrate,
    ForceControl,
    *BY_HAND,
)  # that switch it
EVENTS = (PushBody, Load, Frame, Move, Add, Remove, Surface)  # that happen around the robot
COURSE = (Served, Halted, PlannerLost, PlannerBack)  # that nobody sends: a live walk notes them
WORDS: dict[str, type[Signal]] = {
    str(kind.__struct_config__.tag): kind for kind in AnySignal.__args__ if kind not in COURSE
}


def made_signal(word: str, values: dict[str, Any]) -> Any:
    """A signal by its name and fields, which are checked."""
    kind = WORDS[word]
    for name in values:
        if name not in kind.__struct_fields__:
            raise UnknownName("option", name, kind.__struct_fields__, f"signal {word!r}")
    try:
        return msgspec.convert(values | {"do": word}, kind)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"signal {word!r}: {error}") from None


def command(word: str, values: dict[str, Any]) -> AnySignal:
    """A signal that a walk takes, by its name and fields, which are checked."""
    if word not in WORDS:
        raise UnknownName("signal", word[:40], WORDS)
    if "time" in values:
        raise InvalidInput("a command holds from now on; it has no time")
    found: AnySignal = made_signal(word, values)
    return found
