"""What a task is: an error that should vanish, and how the robot's velocities change it.

A task is an immutable value. Its `structure` (what it is about) decides which native code is made for it; its
`parameters` (targets, directions) are numbers that the code takes, so that a moving target compiles nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from footfall.control.inverse_kinematics.errors import InvalidTask
from footfall.robot.model import Robot

Array = np.ndarray[Any, np.dtype[Any]]


class TaskValue(NamedTuple):
    """error (m,): what is missing, target minus value; jacobian (m, nv): rate of the value = jacobian @ v.

    Errors of rotations are rotation vectors in the axes of the Jacobian. There the error's rate is minus the value's
    only at zero error; the rate of half the squared error is `-error @ jacobian @ v` always.
    """

    error: Array
    jacobian: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class Task(ABC):
    """Base of all tasks.

    weight: of the squared error among tasks of the same priority, a number or one for each row. priority: 0 comes
    first; tasks of one priority share it, and none disturbs those of a lower number. gain: what part of the error
    vanishes in a second (1/s) on velocity level. rate: velocity (m,) that the task should have beside.
    """

    weight: float | Array = 1.0
    priority: int = 0
    gain: float = 1.0
    rate: Array | None = None

    inequality: ClassVar[bool] = False  # the error may be negative: only what is above zero is missing
    rate_only: ClassVar[bool] = False  # there is a velocity to have but no position

    def __post_init__(self) -> None:
        weight = np.asarray(self.weight, dtype=np.float64)
        if not (np.isfinite(weight).all() and (weight >= 0.0).all() and weight.ndim <= 1):
            raise InvalidTask(f"{self.label}: weight is {self.weight}; weights are finite and at least zero")
        if not (np.isfinite(self.gain) and self.gain >= 0.0):
            raise InvalidTask(f"{self.label}: gain is {self.gain}; it must be finite and at least zero")
        if self.rate is not None:
            object.__setattr__(self, "rate", finite(self.rate, None, f"{self.label}: rate"))

    @property
    @abstractmethod
    def label(self) -> str:
        """The task in a few words, for reports."""

    @property
    @abstractmethod
    def structure(self) -> tuple[Any, ...]:
        """What the native code depends on, hashable."""

    @property
    @abstractmethod
    def parameters(self) -> Array:
        """Numbers (p,) that the native code takes."""

    @abstractmethod
    def size(self, robot: Robot) -> int:
        """Number of rows m."""

    @abstractmethod
    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        """Error and Jacobian at q (nq,), on floats or symbols; parameters (p,) as given by the property."""

    def with_rate(self, rate: Array) -> Self:
        """The same task that also moves: rate (m,), in the unit of the error a second."""
        return replace(self, rate=rate)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Task) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[Any, ...]:
        numbers = [np.asarray(x, dtype=np.float64) for x in (self.parameters, self.weight)]
        rate = None if self.rate is None else self.rate.tobytes()
        return (type(self), self.structure, *(x.tobytes() for x in numbers), self.priority, self.gain, rate)


def finite(value: Any, shape: tuple[int, ...] | None, what: str) -> Array:
    """A read-only array of finite numbers; shape None: any vector."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidTask(f"{what} is {value!r}; it must be numbers") from None
    if shape is None and array.ndim != 1:
        raise InvalidTask(f"{what} has shape {array.shape}; it must be a vector")
    if shape is not None and array.shape != shape:
        raise InvalidTask(f"{what} has shape {array.shape}; it must be {shape}")
    if not np.isfinite(array).all():
        raise InvalidTask(f"{what} is {array.tolist()}; all entries must be finite")
    array.flags.writeable = False
    return array


def direction(value: Any, what: str) -> Array:
    """A read-only unit vector (3,)."""
    vector = finite(value, (3,), what)
    norm = float(np.linalg.norm(vector))
    if norm < 1e-12:
        raise InvalidTask(f"{what} is {vector.tolist()}; it must have a direction, (0, 0, 1) say")
    return finite(vector / norm, (3,), what)


def chosen_rows(rows: str, what: str) -> list[int]:
    """Indices of axes named like "xz"."""
    indices = ["xyz".find(letter) for letter in rows]
    if not indices or -1 in indices or len(set(indices)) != len(indices):
        raise InvalidTask(f"{what}: rows are {rows!r}; they must be some of 'xyz', each once")
    return indices
