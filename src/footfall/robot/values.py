"""The values inside a robot, checked and made read-only where they enter."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, Self, TypeVar, cast

import numpy as np

from footfall.arrays import Array
from footfall.errors import RobotError
from footfall.math.transform import Transform

Subject = tuple[str, str]
Part = TypeVar("Part")

_GREATEST = 1e30  # what is beyond overflows sooner or later
_ROTATION_TOLERANCE = 1e-6  # farther from orthonormal than this is no rotation but a mistake
_ROTATION_EXACT = 1e-13  # closer than this stays as it is, so that exact zeros and ones survive


class Value:
    """Base of immutable dataclasses: pickled by their fields, so that what is read is read-only again.

    A copy is the value itself, with the native code that was made for it.
    """

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(_plain(getattr(self, each.name)) for each in fields(cast(Any, self)))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self


def finite_number(value: float, what: str, subject: Subject, *, minimum: float = -math.inf) -> float:
    """`value` as a finite float that is at least `minimum`."""
    number = _float(value, what, subject)
    if not abs(number) <= _GREATEST:
        raise RobotError(f"{what} is {number}; it must be finite (and below 1e30)", subject=subject)
    if number < minimum:
        raise RobotError(f"{what} is {number:g}; it must be at least {minimum:g}", subject=subject)
    return number


def finite_array(value: Any, shape: tuple[int, ...], what: str, subject: Subject) -> Array:
    """A read-only float64 copy of `value` with the given shape and finite entries."""
    if isinstance(value, np.ndarray) and value.dtype == np.float64 and not value.flags.writeable:
        array = value if value.base is None else value.copy()
    else:
        try:
            array = np.array(value, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise RobotError(f"{what} is {value!r}; it must be numbers", subject=subject) from None
    if array.shape != shape:
        raise RobotError(f"{what} has shape {array.shape}; it must be {shape}", subject=subject)
    if not (np.abs(array) <= _GREATEST).all():
        wrong = array[~(np.abs(array) <= _GREATEST)][0]
        message = f"{what} has the entry {wrong}; all must be finite (and below 1e30)"
        raise RobotError(message, subject=subject)
    array.flags.writeable = False
    return array


def parts(value: Any, kind: type[Part], what: str, subject: Subject) -> tuple[Part, ...]:
    """`value` as a tuple of parts of one kind."""
    members = tuple(value) if isinstance(value, Iterable) else (value,)
    for member in members:
        if not isinstance(member, kind):
            raise RobotError(f"{what} has {member!r}; each must be a {kind.__name__}", subject=subject)
    return members


def vector(value: Any, size: int, what: str, subject: Subject) -> tuple[float, ...]:
    """`value` as a tuple of `size` finite floats."""
    return tuple(finite_array(value, (size,), what, subject).tolist())


def unit_vector(value: Any, what: str, subject: Subject) -> tuple[float, float, float]:
    """`value` scaled to length one."""
    array = finite_array(value, (3,), what, subject)
    largest = float(np.abs(array).max())
    if largest == 0.0:
        raise RobotError(f"{what} is zero; it must have a direction, (0, 0, 1) say", subject=subject)
    norm = float(np.linalg.norm(array))
    if abs(norm - 1.0) > 1e-15:
        scaled = array / largest  # before the norm, which else under- or overflows
        array = scaled / np.linalg.norm(scaled)
    x, y, z = array.tolist()
    return (x, y, z)


def placement(value: Any, what: str, subject: Subject) -> Transform:
    """A pose with read-only arrays and an orthonormal rotation."""
    if not isinstance(value, Transform):
        message = f"placement of the {what} is {value!r}; it must be a Transform(rotation, translation)"
        raise RobotError(message, subject=subject)
    rotation = finite_array(value.rotation, (3, 3), f"rotation of the {what}", subject)
    translation = finite_array(value.translation, (3,), f"position of the {what}", subject)
    error = float(np.abs(rotation @ rotation.T - np.eye(3)).max())
    if error > _ROTATION_TOLERANCE or np.linalg.det(rotation) < 0.0:
        raise RobotError(
            f"rotation of the {what} is {rotation.tolist()}; it must be orthonormal and right-handed",
            subject=subject,
        )
    if error > _ROTATION_EXACT:
        left, _, right = np.linalg.svd(rotation)
        rotation = finite_array(left @ right, (3, 3), what, subject)
    return Transform(rotation, translation)


def per_velocity(
    values: float | Iterable[float], count: int, what: str, subject: Subject, *, minimum: float = -math.inf
) -> tuple[float, ...]:
    """Limits of a joint: none, one for each velocity, or one number for all; infinite ones are allowed."""
    if isinstance(values, (int, float)):
        values = (values,) * count
    numbers = tuple(_float(value, what, subject) for value in values)
    if len(numbers) not in (0, count):
        raise RobotError(f"{what} has {len(numbers)} values; it must have none or {count}", subject=subject)
    for number in numbers:
        if math.isnan(number) or number < minimum:
            bound = f" and at least {minimum:g}" if minimum > -math.inf else ""
            raise RobotError(f"{what} is {number}; it must be a number{bound}", subject=subject)
    return numbers


def _plain(value: Any) -> Any:
    """Mapping proxies as dictionaries, which can be pickled."""
    return {key: _plain(item) for key, item in value.items()} if isinstance(value, Mapping) else value


def _float(value: Any, what: str, subject: Subject) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise RobotError(f"{what} is {value!r}; it must be a number", subject=subject) from None
