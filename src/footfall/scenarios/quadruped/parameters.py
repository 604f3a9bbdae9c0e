"""Parameters of the quadruped's scenarios, as their TOML files have them.

What the source leaves open, Ayit 2015, stands in the files with a remark.
"""

from __future__ import annotations

import math
import os
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import msgspec

from footfall.contact.penalty import PenaltyLaw
from footfall.errors import InvalidInput, RobotError, UnknownName
from footfall.robot.toml_parts import read_schema

_LARGEST_FILE = 2**20  # bytes
Kind = Literal["trot", "fall", "jump"]


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of the file."""


class RobotPart(_Part, frozen=True):
    """foot_height: of the feet's boxes, m. hip_height: at the start, m."""

    foot_height: float
    hip_height: float


class GroundPart(_Part, frozen=True):
    """friction: Coulomb coefficient. viscous_friction: N s/m. restitution: in [0, 1]."""

    friction: float
    viscous_friction: float
    restitution: float


class ControlPart(_Part, frozen=True):
    """Gains of hip roll, hip pitch, knee and ankle: kp N m/rad, ki N m/(rad s), kd N m s/rad.

    gains: "explicit" as the source has it, "implicit" acts at the end of the step, "auto" is explicit as long as the
    step is small enough for the stiffest mode.
    """

    kp: tuple[float, float, float, float]
    ki: tuple[float, float, float, float]
    kd: tuple[float, float, float, float]
    gains: Literal["auto", "explicit", "implicit"]


class StepPart(_Part, frozen=True):
    """dt: s. gap_term, newton_steps, tolerance: see `footfall.simulation.step_values.StepOptions`. sweeps: at most,
    where contacts are solved one after the other: impacts, and exact contact if newton_steps is 0."""

    dt: float
    gap_term: Literal["gap", "source"]
    newton_steps: int
    sweeps: int
    tolerance: float


class PenaltyPart(_Part, frozen=True):
    """See `footfall.contact.penalty.PenaltyLaw`; integrator: of penalty contact."""

    normal_stiffness: float
    normal_damping: float
    tangential_stiffness: float
    tangential_damping: float
    integral: float
    integrator: Literal["semi-implicit", "explicit", "rk4"]

    @property
    def law(self) -> PenaltyLaw:
        """The law of a contact point."""
        names = (
            "normal_stiffness",
            "normal_damping",
            "tangential_stiffness",
            "tangential_damping",
            "integral",
        )
        return PenaltyLaw(**{name: getattr(self, name) for name in names})


class TrotPart(_Part, frozen=True):
    """Reference of a trot.

    stride: the body's way in a half cycle, m. half_cycle: s. clearance: of swinging feet, m. stand: time before the
    first step, s. centering: part, 0 to 1, by which the centre of mass, 2.6 cm before the torso's middle, is brought
    back over the middle of the feet. lateral_offset: of the body to the left of that middle from the first step on, m.
    first_pair: the diagonal that swings first, 0 is right back with left front. preview_*: see
    `footfall.gait.preview.CartTable`.
    """

    stride: float
    half_cycle: float
    clearance: float
    stand: float
    centering: float
    first_pair: Literal[0, 1]
    preview_step: float
    preview_horizon: float
    preview_error_weight: float
    preview_jerk_weight: float
    lateral_offset: float = 0.0


class FallPart(_Part, frozen=True):
    """height: clearance of the feet at release, m. roll, pitch: tilt of the body at release, rad."""

    height: float
    roll: float
    pitch: float


class JumpPart(_Part, frozen=True):
    """Heights of the hips above the feet, m, durations, s, and the speed at which the legs are extended, m/s."""

    stand: float
    crouch_height: float
    crouch_time: float
    hold: float
    extended_height: float
    extension_speed: float
    retract_time: float


class Scenario(_Part, frozen=True):
    """Everything that one run depends on, besides the contact model. duration: s."""

    kind: Kind
    duration: float
    robot: RobotPart
    ground: GroundPart
    control: ControlPart
    step: StepPart
    penalty: PenaltyPart
    trot: TrotPart | None = None
    fall: FallPart | None = None
    jump: JumpPart | None = None

    def __post_init__(self) -> None:
        if getattr(self, self.kind) is None:
            raise InvalidInput(f"a scenario of kind {self.kind!r} needs a table [{self.kind}]")
        for name, value in _numbers(msgspec.to_builtins(self)):
            if not math.isfinite(value):
                raise InvalidInput(f"{name} is {value}; it must be finite")
            if name in _POSITIVE and not value > 0.0:
                raise InvalidInput(f"{name} is {value}; it must be above zero")
            if name in _NOT_NEGATIVE and value < 0.0:
                raise InvalidInput(f"{name} is {value}; it must not be negative")
        if self.duration < self.step.dt:
            raise InvalidInput(
                f"duration is {self.duration} s, less than one step of {self.step.dt} s; it must be longer"
            )

    @property
    def label(self) -> str:
        """Name for files: the kind, of a fall with its height."""
        return f"fall-{self.fall.height:g}m" if self.kind == "fall" and self.fall is not None else self.kind

    def changed(self, **changes: Any) -> Scenario:
        """The scenario with other values: `changed(step__dt=0.002, duration=1.0)`."""
        tables = msgspec.to_builtins(self)
        for name, value in changes.items():
            *table, key = name.split("__")
            target = tables[table[0]] if table else tables
            if target is None or key not in target:
                raise UnknownName("parameter", name, _parameter_names(tables), f"scenario {self.kind!r}")
            target[key] = value
        return _converted(tables, f"scenario {self.kind!r}")


_POSITIVE = (
    "duration",
    "step.dt",
    "step.sweeps",
    "step.tolerance",
    "robot.hip_height",
    "trot.half_cycle",
    "trot.preview_step",
    "jump.crouch_time",
    "jump.retract_time",
)
_NOT_NEGATIVE = (
    "step.newton_steps",
    "fall.height",
    "trot.stand",
    "trot.clearance",
    "jump.stand",
    "jump.hold",
)


def scenario_names() -> tuple[str, ...]:
    """The scenarios that are shipped."""
    folder = files(__package__)
    return tuple(sorted(Path(entry.name).stem for entry in folder.iterdir() if entry.name.endswith(".toml")))


def load_scenario(source: str | os.PathLike[str]) -> Scenario:
    """A shipped scenario ("trot", "fall", "jump"), or one of a TOML file."""
    if isinstance(source, str) and not source.endswith(".toml"):
        if source not in scenario_names():
            raise UnknownName("scenario", source, scenario_names())
        path = Path(str(files(__package__).joinpath(f"{source}.toml")))
    else:
        path = Path(source)
    try:
        return read_schema(path, Scenario, limit=_LARGEST_FILE)
    except RobotError as problem:
        raise InvalidInput(str(problem)) from None


def _converted(tables: Any, source: str) -> Scenario:
    try:
        return msgspec.convert(tables, Scenario)
    except msgspec.ValidationError as problem:
        raise InvalidInput(f"{source}: {problem}") from None


def _numbers(tables: dict[str, Any]) -> list[tuple[str, float]]:
    """All numbers of a scenario with their names."""
    found: list[tuple[str, float]] = []
    for name, value in tables.items():
        if isinstance(value, dict):
            found += [(f"{name}.{key}", number) for key, number in _numbers(value)]
        else:
            numbers = value if isinstance(value, (list, tuple)) else [value]
            found += [(name, float(each)) for each in numbers if isinstance(each, (int, float))]
    return found


def _parameter_names(tables: dict[str, Any]) -> list[str]:
    names = []
    for name, value in tables.items():
        names += [f"{name}__{key}" for key in value] if isinstance(value, dict) else [name]
    return names
