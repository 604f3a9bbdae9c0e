"""What a walk is asked for: scene, robot, route, disturbances and seed, and what it is told on the way. A few lines say
all of it, and replay it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

import msgspec

from footfall.environment.vision.tracking import TrackingQuality
from footfall.errors import InvalidInput, RobotError
from footfall.motion.parameters import Generator
from footfall.option_checks import require_choice
from footfall.robot.toml_parts import read_schema
from footfall.walking.hardware_request import BusQuality, HardwareFault
from footfall.walking.signals import AnySignal
from footfall.whole_file import open_file, write_text

Sight = Literal["exact", "noisy", "camera"]
WALKS = 10  # version: raise it with each change after which a request that was written walks otherwise
Localisation = Literal["exact", "camera", "none"]
LARGEST = 32_000_000  # bytes of a file: a mouse that pulls for an hour
_LONGEST_REST = 3600.0  # s
_MOST_PUSHES = 1000
_MOST_SIGNALS = 200_000

WalkMode = Literal["reduced", "full"]


class Push(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A force on a body, N, and a torque about its origin, Nm, world axes, from a time on, s, for some seconds."""

    body: str
    force: tuple[float, float, float]
    start: float
    seconds: float
    torque: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        numbers = (*self.force, *self.torque, self.start, self.seconds)
        if not all(math.isfinite(each) for each in numbers):
            raise InvalidInput(f"the push on {self.body!r} holds a number that is not finite")
        if self.start < 0.0 or not 0.0 < self.seconds <= 1e4:
            raise InvalidInput(
                f"the push on {self.body!r} begins at {self.start:g} s and lasts {self.seconds:g} s; it must not begin "
                "before 0 and must last"
            )

    @property
    def end(self) -> float:
        """s."""
        return self.start + self.seconds


def read_push(text: str) -> Push:
    """A push as it is typed: BODY,FX,FY,FZ,START,SECONDS."""
    body, *numbers = text.split(",")
    try:
        fx, fy, fz, start, seconds = (float(number) for number in numbers)
    except ValueError:
        raise InvalidInput(
            f"push {text!r} must be BODY,FX,FY,FZ,START,SECONDS, such as torso,0,200,0,3,0.1 (N and s)"
        ) from None
    return Push(body.strip(), (fx, fy, fz), start, seconds)


class WalkRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A walk.

    scene: a shipped name or a file. robot: likewise. lenient: whether impossible inertias of the robot are taken with
    a warning. frames: names of the robot's frames for RF, LF, RH, LH, UB and VTCP, where its own names do not show
    them. sole: (rear, front, right, left) in the frame of a foot, m, where its shapes do not show it. route: name or
    file of a plan of steps; without one the robot is asked to come to the goal. goal: x, y in m and yaw in rad, that
    of the scene by default; goal_height: about how high the ground is there, m, which tells storeys apart.
    speed: m/s, at most. noise: whether sensors have errors. seed: of all that is random.
    rest: s, how long it stands in the end. substeps: steps of the plant in a period of the controller; by default 2,
    and 4 in full mode. mode: "reduced": joints follow their set points exactly; "full": servos, motors, gears and a
    bus move them. bus, faults: of the hardware in full mode. sight: how it sees the scene: exactly, with errors, or by
    the depth camera in its head while it walks; by default exactly, with noise with errors. localisation: how it knows
    where it is in what it sees: exactly, by a tracking camera of the quality `tracking` (by default if it sees by a
    camera), or not at all. vision: HOST:PORT of a process that sees for it. perception: file of what such a process
    has sent: read instead of one, or written if there is one. seconds: how long it goes
    on, by default until all is done. drop: m, how far above the ground it begins. sensor_delay: s, by which all sensors
    are later than they are anyway. generator: the reduced model by which
    its centre of mass is planned, see `footfall.motion.GENERATORS`; by default five masses with the angular momentum of
    all bodies. scan: whether it looks around with its head before it walks, if
    it sees bit by bit. signals: what it is told, and what
    happens around it, at their times; a robot that is told nothing stands. live: plans are made beside the walk, in
    a process of their own; its signals say when they were there. version: of the walks (`WALKS`) that wrote it, None of
    one that was not walked yet.
    """

    scene: str = "platform"
    robot: str = "lola"
    route: str | None = None
    goal: tuple[float, float, float] | None = None
    goal_height: float | None = None
    speed: float | None = None
    noise: bool = False
    seed: int = 0
    pushes: tuple[Push, ...] = ()
    rest: float = 1.0
    period: float = 1e-3
    substeps: int | None = None
    mode: WalkMode = "reduced"
    bus: BusQuality = BusQuality()
    faults: tuple[HardwareFault, ...] = ()
    sight: Sight | None = None
    localisation: Localisation | None = None
    tracking: TrackingQuality = TrackingQuality()
    vision: str | None = None
    perception: str | None = None
    seconds: float | None = None
    drop: float = 0.0
    sensor_delay: float = 0.0
    lenient: bool = False
    frames: dict[str, str] = msgspec.field(default_factory=dict)
    sole: tuple[float, float, float, float] | None = None
    generator: Generator = "whole_body"
    scan: bool = False
    live: bool = False
    version: int | None = None
    signals: tuple[AnySignal, ...] = msgspec.field(name="signal", default=())

    @property
    def seen(self) -> str:
        """How the scene is seen."""
        return self.sight or ("noisy" if self.noise else "exact")

    @property
    def located(self) -> Localisation:
        """How it knows where it is."""
        return self.localisation or ("camera" if self.seen == "camera" else "exact")

    @property
    def led(self) -> bool:
        """Whether another process sees for it, or did when its perception was recorded."""
        return self.vision is not None or self.perception is not None

    def __post_init__(self) -> None:
        self._check_script()
        if self.sole is not None:
            rear, front, right, left = self.sole
            if not all(map(math.isfinite, self.sole)) or rear >= front or right >= left:
                raise InvalidInput(f"the sole is {self.sole}; it must be rear < front and right < left, in m")
        if self.goal is not None and not all(math.isfinite(each) for each in self.goal):
            raise InvalidInput(f"the goal is {self.goal}; it must be x, y, yaw, in m and rad")
        if self.goal_height is not None and not math.isfinite(self.goal_height):
            raise InvalidInput(f"the height of the goal is {self.goal_height}; it must be a number, m")
        if self.goal is not None and self.route is not None:
            raise InvalidInput(f"there are a route, {self.route!r}, and a goal; give one of them")
        if self.speed is not None and not 0.0 < self.speed <= 10.0:
            raise InvalidInput(f"speed is {self.speed:g} m/s; it must be above 0")
        if not 1e-4 <= self.period <= 5e-3 or (self.substeps is not None and not 1 <= self.substeps <= 100):
            raise InvalidInput("a period must be from 0.1 to 5 ms, with 1 to 100 steps")
        if not 0 <= self.seed < 2**63:
            raise InvalidInput("the seed must be a whole number from 0 to 2^63 - 1")
        if not 0.0 <= self.rest <= _LONGEST_REST:
            raise InvalidInput(f"rest is {self.rest:g} s; it must be from 0 to {_LONGEST_REST:g}")
        if len(self.pushes) > _MOST_PUSHES:
            raise InvalidInput(f"there are {len(self.pushes)} pushes; at most {_MOST_PUSHES} are possible")
        if self.mode == "full" and self.substeps is not None and self.substeps % 4:
            raise InvalidInput(
                f"{self.substeps} steps in a period; in full mode it must be a multiple of 4, since servos run 4 times"
            )
        if len(self.faults) > _MOST_PUSHES:
            raise InvalidInput(f"there are {len(self.faults)} faults; at most {_MOST_PUSHES} are possible")
        if self.mode == "reduced" and (self.faults or self.bus != BusQuality()):
            raise InvalidInput("bus and faults are those of drives: they want mode 'full'")

    def _check_script(self) -> None:
        require_choice(self, mode=WalkMode, generator=Generator)
        if self.sight is not None:
            require_choice(self, sight=Sight)
        if self.localisation is not None:
            require_choice(self, localisation=Localisation)
        if self.led and (self.sight is not None or self.localisation is not None):
            raise InvalidInput(
                "another process sees for the robot (vision, perception); it has no sight or localisation of its own: "
                "say them to `footfall perceive --serve`"
            )
        if self.vision is not None:
            vision_address(self.vision)
        if self.seconds is not None and not 0.0 < self.seconds <= 1e5:
            raise InvalidInput(f"seconds is {self.seconds:g}; it must be above 0 and at most 100 000 s")
        if not 0.0 <= self.drop <= 1.0:
            raise InvalidInput(f"drop is {self.drop:g} m; it must be from 0 to 1")
        if not 0.0 <= self.sensor_delay <= 1.0:
            raise InvalidInput(f"sensor_delay is {self.sensor_delay:g} s; it must be from 0 to 1")
        if len(self.signals) > _MOST_SIGNALS:
            raise InvalidInput(f"there are {len(self.signals)} signals; at most {_MOST_SIGNALS} are taken")

    @property
    def ordered_signals(self) -> tuple[AnySignal, ...]:
        """Signals by their times; those of one time as they stand."""
        return tuple(sorted(self.signals, key=lambda each: each.time))


def vision_address(text: str) -> tuple[str, int]:
    """Host and port as they are typed: HOST:PORT."""
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 2**16:
        raise InvalidInput(f"vision is {text!r}; it must be HOST:PORT, such as 127.0.0.1:5265")
    return host, int(port)


def write_request(request: WalkRequest, path: Path | str) -> None:
    """Write a walk as JSON, whole or not at all."""
    write_text(Path(path), request_text(request) + "\n")


def request_text(request: WalkRequest) -> str:
    """A walk as JSON, with the version of walks that it is of."""
    return msgspec.json.format(msgspec.json.encode(of_now(request)), indent=2).decode()


def of_now(request: WalkRequest) -> WalkRequest:
    """The request as what walks it now writes it down."""
    return msgspec.structs.replace(request, version=WALKS)


def other_version(request: WalkRequest) -> str | None:
    """What to say of a walk that was written by another version of walks, None if it was by this one."""
    if request.version == WALKS:
        return None
    known = (
        "before walks had versions" if request.version is None else f"by version {request.version} of walks"
    )
    return f"written {known}, this is version {WALKS}: it may walk otherwise than it did"


def read_request(path: Path | str) -> WalkRequest:
    """Read a walk: a script (`.toml`), or what `write_request` has written."""
    place = Path(path)
    if place.suffix == ".toml":
        try:
            return beside(read_schema(place, WalkRequest, limit=LARGEST), place)
        except RobotError as error:
            raise InvalidInput(str(error)) from None
    with open_file(place, "request of a walk") as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise InvalidInput(f"{str(place)!r} is too large for the request of a walk")
    try:
        return beside(msgspec.json.decode(content, type=WalkRequest), place)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{str(place)!r} is no request of a walk: {error}") from None


def beside(request: WalkRequest, place: Path) -> WalkRequest:
    """The request of a file with its recorded perception beside that file, if it is not where it was written."""
    if request.perception is None or request.vision is not None or Path(request.perception).exists():
        return request
    near = place.parent / Path(request.perception).name
    return msgspec.structs.replace(request, perception=str(near)) if near.exists() else request
