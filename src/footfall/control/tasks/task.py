"""What a task is: an error that should vanish, how the robot moves it, and how much it counts.

A task is an immutable value. Its `structure` (what it is about) decides which native code is made for it; its
`parameters` (targets, directions) are numbers that the code takes, so that a moving target compiles nothing.

    value'  = J v + drift            error = target - value
    value'' = J a + bias

Inverse kinematics asks for `value' = rate + k error`, torque control for
`value'' = acceleration + stiffness error + damping (rate - value')`; both get J, error, drift and bias from here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from footfall.arrays import Array
from footfall.compiler import rate_of
from footfall.control.gains import Gains, checked_gain, gains_from
from footfall.control.references import MovingFrame
from footfall.control.requests import checked_array
from footfall.control.tasks.points import Segment
from footfall.control.tasks.rows import chosen_rows, row_places
from footfall.dynamics.configuration import configuration_rate
from footfall.errors import InvalidInput
from footfall.math.spatial import skew
from footfall.robot.model import Robot


class TaskValue(NamedTuple):
    """error (m,): what is missing, target minus value; jacobian (m, nv): rate of the value = jacobian @ v.

    Errors of rotations are rotation vectors in the axes of the Jacobian. There the error's rate is minus the value's
    only at zero error; the rate of half the squared error is `-error @ jacobian @ v` always, if all three axes count.
    """

    error: Array
    jacobian: Array


class RowMotion(NamedTuple):
    """What the rows of a task do: error (m,), and speed (m,) of the value."""

    error: Array
    speed: Array


class RowNumbers(NamedTuple):
    """Numbers of the rows of a task, (m,) each: rate, acceleration, stiffness and damping."""

    rate: Array
    acceleration: Array
    stiffness: Array
    damping: Array


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Task(ABC):
    """Base of all tasks.

    weight: of the squared error among tasks of the same priority, a number or one for each row. priority: 0 comes
    first; tasks of one priority share it, and none disturbs those of a lower number.
    """

    weight: float | Array = 1.0
    priority: int = 0

    def __post_init__(self) -> None:
        weight = checked_array(f"{self.label}: weight", np.atleast_1d(self.weight), None)
        if (weight < 0.0).any():
            raise InvalidInput(f"{self.label}: weight is {self.weight}; weights are at least zero")
        if isinstance(self.priority, bool) or not isinstance(self.priority, (int, np.integer)):
            raise InvalidInput(
                f"{self.label}: priority is {self.priority!r}; it must be a whole number, 0 comes first"
            )

    @property
    @abstractmethod
    def label(self) -> str:
        """The task in a few words, for reports."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[Any, ...]:
        return (type(self), *(_comparable(getattr(self, each.name)) for each in fields(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        given = {each.name: getattr(self, each.name) for each in fields(self) if each.init}
        plain = {name: dict(value) if isinstance(value, Mapping) else value for name, value in given.items()}
        return _made, (type(self), plain)  # checked and read-only again

    def __repr__(self) -> str:
        own = sorted(fields(self), key=lambda each: bool(each.kw_only))  # what it is about first
        shown = [
            f"{each.name}={_printed(getattr(self, each.name))}"
            for each in own
            if each.init and not _is_default(each, getattr(self, each.name))
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MotionTask(Task):
    """A task about motion, for inverse kinematics, whole-body control and hybrid control alike.

    gains: how errors vanish. A number k (1/s): as exp(-k t), and critically damped where accelerations are asked for.
    `Gains`: stiffness (1/s2) and damping (1/s) of their own. Both for all rows, or one a row. None: as the solver
    thinks right, k = 1 in inverse kinematics, 2 Hz for torques (`usual`). rate (m,), acceleration (m,): that the value
    should have beside.
    """

    gains: Gains | float | Sequence[float] | None = None
    rate: Array | None = None
    acceleration: Array | None = None

    inequality: ClassVar[bool] = False  # the error may be negative: only what is above zero is missing
    # Lowest derivative that it says something about: 0 position, 1 velocity, 2 acceleration.
    order: ClassVar[int] = 0
    row_names: ClassVar[tuple[str, ...]] = ()  # what `rows` of a task chooses from, if it has such a field
    usual: ClassVar[Gains] = gains_from(2.0)  # for torques, where no gains are given

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_gains()
        for name in ("rate", "acceleration"):
            if getattr(self, name) is not None:
                self._set(name, self._array(name, getattr(self, name), None))
        if self.row_names:
            self._set("rows", chosen_rows(self._row_names, self.row_names, self.label))
        if hasattr(self, "target") and not self.moving:
            self._settle(self._target)

    def _check_gains(self) -> None:
        if self.gains is None or isinstance(self.gains, Gains):
            return
        try:
            self._set("gains", checked_gain("gains", self.gains))
        except InvalidInput:
            raise InvalidInput(
                f"{self.label}: gains are {self.gains!r}; they must be a number of at least zero (1/s), one a row, or "
                "Gains"
            ) from None

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _array(self, what: str, value: Any, shape: tuple[int, ...] | None) -> Array:
        return checked_array(f"{self.label}: {what}", value, shape)

    @property
    @abstractmethod
    def structure(self) -> tuple[Any, ...]:
        """What the native code depends on, hashable."""

    @property
    def parameters(self) -> Array:
        """Numbers (p,) that the native code takes; of a settled task."""
        return np.zeros(0) if self.order > 0 else np.ravel(self._target)

    def size(self, robot: Robot) -> int:
        """Number of rows m."""
        return len(self._row_names)

    @property
    def _row_names(self) -> tuple[str, ...]:
        return getattr(self, "rows", ())

    @property
    def _target(self) -> Any:
        return getattr(self, "target", ())

    @property
    def places(self) -> list[int]:
        """Where the chosen rows stand among all."""
        return row_places(self._row_names, self.row_names)

    @abstractmethod
    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        """Error and Jacobian at q (nq,), on floats or symbols; parameters (p,) as given by the property."""

    @property
    def drifting(self) -> bool:
        """Whether the value moves while the robot rests, such as a place seen from a moving object."""
        return False

    def drift(self, robot: Robot, q: Array, parameters: Array) -> Array:
        """Rate (m,) of the value while the robot rests."""
        return np.zeros(self.size(robot))

    def bias(self, robot: Robot, q: Array, v: Array, parameters: Array) -> Array:
        """Acceleration (m,) of the value in constant v, `dJ/dt v`; derived by differentiation, so only in a trace."""
        speed = self.evaluate(robot, q, parameters).jacobian @ v
        return rate_of(speed, q, configuration_rate.textbook(robot, q, v))

    def law(self, motion: RowMotion, numbers: RowNumbers, parameters: Array) -> Array:
        """Acceleration (m,) that is asked of the value: of a unit mass on a spring and a damper, RSL 2022, (3.91)."""
        asked = numbers.acceleration
        if self.order < 1:
            asked = asked + numbers.stiffness * motion.error
        if self.order < 2:
            asked = asked + numbers.damping * (numbers.rate - motion.speed)
        return asked

    def asked(self, error: Array, speed: Array, usual: Gains | None = None) -> Array:
        """The same (m,) of a settled task, by its own numbers; usual: gains if it has none, instead of its own."""
        count = len(error)
        self.check_row_gains(count)
        stiffness, damping = (np.broadcast_to(gain, count) for gain in self.row_gains(usual))
        numbers = RowNumbers(self.fed("rate", count), self.fed("acceleration", count), stiffness, damping)
        return self.law(RowMotion(error, speed), numbers, self.parameters)

    def fed(self, name: str, count: int) -> Array:
        """Its rate or acceleration (count,)."""
        given = getattr(self, name)
        if given is None:
            return np.zeros(count)
        if given.shape != (count,):
            raise InvalidInput(
                f"{self.label}: {name} has {len(given)} rows; it must have {count}, as the task"
            )
        return given  # type: ignore[no-any-return]

    def seen_from(self, frames: Mapping[str, MovingFrame]) -> Self:
        """The task with what it is seen from outside the robot, if that is among the frames given by name."""
        return self

    def check(self, level: Literal["position", "velocity", "acceleration"]) -> None:
        """Refuse a solver that asks for positions, velocities or accelerations if the task says nothing about them."""
        if self.order > 0 and level == "position":
            raise InvalidInput(f"{self.label} has no position, only a rate; use it with build_ik")
        if self.order > 1 and level == "velocity":
            raise InvalidInput(f"{self.label} has no velocity; it is for solvers that ask for accelerations")

    # For hybrid control, whose constraints are on single segments

    def segment(self, robot: Robot) -> Segment | None:
        """What the task is about, if that is one frame and maybe one more that it is seen from."""
        return None

    def directions(self, robot: Robot, q: Array, parameters: Array) -> Array:
        """Directions (6, m) [linear; angular] of its rows, world axes, at the origin of the segment's frame:
        `jacobian = directions.T @ J`, where J is that of the frame seen from the other one."""
        raise NotImplementedError

    # Targets that move

    @property
    def moving(self) -> bool:
        """Whether its target is a function of time."""
        return callable(self._target)

    def settled(self, robot: Robot, time: float = 0.0) -> Self:
        """The task for a robot at a time, s, with numbers for what depends on them."""
        if not self.moving:
            return self
        task = self._copied()
        task._settle(self._target(time))
        return task

    def _copied(self) -> Self:
        task = object.__new__(type(self))
        vars(task).update(vars(self))  # as it was checked before
        return task

    def _settle(self, target: Any) -> None:
        """Take a target or a reference: check it, and keep its velocity and acceleration as rate and acceleration."""
        raise NotImplementedError

    def _settle_motion(self, velocity: Array, acceleration: Array) -> None:
        """Keep the chosen rows of a reference's motion."""
        count = (len(self.row_names),)
        self._set("rate", self._array("velocity", velocity, count)[self.places])
        self._set("acceleration", self._array("acceleration", acceleration, count)[self.places])

    def with_rate(self, rate: Array) -> Self:
        """The same task that also moves: rate (m,), in the unit of the error a second."""
        return replace(self, rate=rate)

    # Feedback

    @property
    def decay(self) -> Any:
        """k (1/s), or one a row: part of the error that vanishes in a second where velocities are asked for."""
        if self.gains is None:
            return 1.0
        return np.sqrt(self.gains.stiffness) if isinstance(self.gains, Gains) else self.gains

    def feedback(self, usual: Gains | None = None) -> Gains:
        """Stiffness and damping where accelerations are asked for; usual: if the task has none, instead of its own."""
        if self.gains is None:
            return self.usual if usual is None else usual
        if isinstance(self.gains, Gains):
            return self.gains
        return Gains(np.square(self.gains), np.multiply(2.0, self.gains))

    def check_row_gains(self, count: int) -> None:
        """Refuse gains that are neither one nor as many as there are rows."""
        gains = self.gains
        given = gains.size if isinstance(gains, Gains) else len(gains) if isinstance(gains, tuple) else None
        if given not in (None, 1, count):
            raise InvalidInput(
                f"{self.label}: there are {given} gains; give one for all, or {count} for its rows"
            )

    def row_gains(self, usual: Gains | None = None) -> tuple[Any, Any]:
        """The same for the rows: numbers, or (m,) each."""
        gains = self.feedback(usual)
        return gains.stiffness, gains.damping


def is_number(value: Any) -> bool:
    """Whether it is a number that fits a float, and no flag."""
    if isinstance(value, int):  # of any length
        return not isinstance(value, bool) and abs(value) < 2**1023
    return isinstance(value, (float, np.integer, np.floating))


def check_bound(what: str, value: Any) -> None:
    """Refuse bounds of forces and speeds that are no numbers above zero."""
    if not (is_number(value) and value > 0.0):
        raise InvalidInput(f"{what} is {value!r}; it must be a number above zero")


def axis_directions(rotation: Array, arm: Array) -> Array:
    """Directions (6, 6) of unit forces along and about axes (3, 3) that act arm (3,) away from where they count."""
    return np.block([[rotation, np.zeros((3, 3))], [skew(arm) @ rotation, rotation]])


def _made(kind: type[Task], given: dict[str, Any]) -> Task:
    return kind(**given)


def _comparable(value: Any) -> Any:
    """A hashable stand-in for a field."""
    if isinstance(value, np.ndarray):
        return value.shape, value.astype(np.float64).tobytes()
    if isinstance(value, tuple):
        return tuple(_comparable(each) for each in value)
    if isinstance(value, Mapping):
        return tuple(value.items())
    return value


def _is_default(entry: Any, value: Any) -> bool:
    default = entry.default_factory() if entry.default_factory is not MISSING else entry.default
    return default is not MISSING and bool(_comparable(value) == _comparable(default))


def _printed(value: Any) -> str:
    if isinstance(value, np.ndarray):
        shown = np.array2string(value, precision=6, separator=", ", suppress_small=True)
        return " ".join(shown.split())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        parts = zip(value._fields, value, strict=True)
        return f"{type(value).__name__}({', '.join(f'{name}={_printed(part)}' for name, part in parts)})"
    return dict(value).__repr__() if isinstance(value, Mapping) else repr(value)
