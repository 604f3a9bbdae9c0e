"""What controllers and tasks refuse: arrays of the wrong shape, not finite, without a direction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.robot.model import Robot


def checked_array(what: str, value: Any, shape: tuple[int, ...] | None) -> Array:
    """A read-only copy of finite numbers of that shape; None: any vector."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{what} is {value!r}; it must be numbers") from None
    if shape is None and array.ndim != 1:
        raise InvalidInput(f"{what} has shape {array.shape}; it must be a vector")
    if shape is not None and array.shape != shape:
        raise InvalidInput(f"{what} has shape {array.shape}; it must be {shape}")
    if not np.isfinite(array).all():
        raise InvalidInput(f"{what} is {array.tolist()}; all entries must be finite")
    array.flags.writeable = False
    return array


def checked_vectors(**values: Any) -> list[Array]:
    """Vectors (3,) of finite numbers, each by its name."""
    return [checked_array(name, value, (3,)) for name, value in values.items()]


def checked_values(what: str, given: Any, kind: type) -> tuple[Any, ...]:
    """Values of one kind; a single one will do for a list of one."""
    if isinstance(given, kind):
        return (given,)
    try:
        values = tuple(given)
    except TypeError:
        raise InvalidInput(
            f"{what} is {given!r}; it must be a list of values of type {kind.__name__}"
        ) from None
    for each in values:
        if not isinstance(each, kind):
            raise InvalidInput(f"{what} has {each!r}; it must have values of type {kind.__name__}")
    return values


def checked_state(robot: Robot, q: Any, v: Any) -> tuple[Array, Array]:
    """One state of a robot, q (nq,) and v (nv,), of finite numbers."""
    return checked_array("q", q, (robot.nq,)), checked_array("v", v, (robot.nv,))


def check_directions(label: str, directions: Sequence[int], count: int) -> None:
    """Refuse directions that are not some of the first few numbers, each once."""
    chosen = tuple(directions)
    if not chosen or not set(chosen) <= set(range(count)) or len(set(chosen)) != len(chosen):
        raise InvalidInput(
            f"{label}: directions are {chosen}; they must be some of 0 to {count - 1}, each once"
        )
