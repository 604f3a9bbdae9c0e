"""Gains of second-order error dynamics, RSL 2022, (3.79)-(3.80): `x'' = stiffness (x* - x) + damping (x*' - x')`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput

Gain = float | Sequence[float] | Array


@dataclass(frozen=True, slots=True)
class Gains:
    """Of a unit mass: stiffness in 1/s2, damping in 1/s; of a joint: N m/rad and N m s/rad.

    Each is a number, or several: one a joint, one a row of a task, or six for a frame, linear before angular. Several
    are kept as tuples, so that gains can be compared and hashed.
    """

    stiffness: Any
    damping: Any

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping"):
            object.__setattr__(self, name, checked_gain(name, getattr(self, name)))
        sizes = {len(each) for each in (self.stiffness, self.damping) if isinstance(each, tuple)}
        if len(sizes) > 1:
            raise InvalidInput(
                f"there are {len(self.stiffness)} stiffnesses and {len(self.damping)} dampings; give as many of "
                "each, or one"
            )

    @property
    def size(self) -> int | None:
        """How many there are; None: one for everything."""
        several = [len(each) for each in (self.stiffness, self.damping) if isinstance(each, tuple)]
        return several[0] if several else None

    @property
    def frequency(self) -> Any:
        """Of the undamped oscillation of a unit mass, Hz, RSL 2022, (3.79); as many as there are stiffnesses."""
        return _each(lambda stiffness: math.sqrt(stiffness) / (2.0 * math.pi), self.stiffness)

    @property
    def damping_ratio(self) -> Any:
        """One is critical, RSL 2022, (3.80); infinite without stiffness."""
        return _each(
            lambda stiffness, damping: (
                damping / (2.0 * math.sqrt(stiffness)) if stiffness > 0.0 else math.inf
            ),
            self.stiffness,
            self.damping,
        )

    def for_axis(self, axis: int) -> Gains:
        """Those of one axis or row."""
        chosen = (each[axis] if isinstance(each, tuple) else each for each in (self.stiffness, self.damping))
        return Gains(*chosen)


class GainArrays(NamedTuple):
    """stiffness and damping, one for each axis."""

    stiffness: Array
    damping: Array


def checked_gain(name: str, value: Any) -> Any:
    """A number of at least zero, or a tuple of such."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} is {value!r}; it must be a number, or some of them") from None
    if array.ndim > 1 or array.size == 0:
        raise InvalidInput(f"{name} has shape {array.shape}; it must be a number, or a list of them")
    if not (np.isfinite(array) & (array >= 0.0)).all():
        raise InvalidInput(f"{name} is {array.tolist()}; it must be finite and not negative")
    return float(array) if array.ndim == 0 else tuple(array.tolist())


def check_gains(what: str, gains: object, *counts: int) -> None:
    """Refuse anything but `Gains`: a number alone might mean a frequency, a stiffness or a decay.

    counts: how many they may be, beside one for all.
    """
    if not isinstance(gains, Gains):
        raise InvalidInput(
            f"{what}: gains are {gains!r}; give Gains(stiffness, damping), or gains_from(2.0) for 2 Hz"
        )
    if counts and gains.size is not None and gains.size not in counts:
        right = " or ".join(str(count) for count in dict.fromkeys(counts))
        raise InvalidInput(f"{what}: there are {gains.size} gains; give one for all, or {right}")


def gain_arrays(gains: Gains, count: int) -> GainArrays:
    """Gains of `count` axes each, read-only."""
    stiffness, damping = (np.broadcast_to(each, (count,)) for each in (gains.stiffness, gains.damping))
    return GainArrays(stiffness, damping)


def gains_from(frequency: Gain, *, damping_ratio: Gain = 1.0) -> Gains:
    """Gains of a unit mass that oscillates with a frequency (Hz) and damping ratio (one: critical); one, or several."""
    hertz = checked_gain("frequency", frequency)
    if not (np.asarray(hertz) > 0.0).all():
        raise InvalidInput(f"frequency is {hertz} Hz; it must be finite and above zero")
    ratio = checked_gain("damping_ratio", damping_ratio)
    stiffness = _each(lambda each: (2.0 * math.pi * each) * (2.0 * math.pi * each), hertz)
    return Gains(stiffness, _each(lambda each, part: 2.0 * part * (2.0 * math.pi * each), hertz, ratio))


def _each(function: Any, *values: Any) -> Any:
    """A function of numbers, or of each of several."""
    if not any(isinstance(value, tuple) for value in values):
        return function(*values)
    count = max(len(value) for value in values if isinstance(value, tuple))
    several = (value if isinstance(value, tuple) else (value,) * count for value in values)
    return tuple(function(*each) for each in zip(*several, strict=True))
