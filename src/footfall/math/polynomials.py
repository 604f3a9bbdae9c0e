"""Polynomials as shapes without time: a curve, and a spline as a chain of curves (Seiwald 2023, 4, 8.4).

A shape runs over a parameter eta in [0, 1]. `footfall.math.trajectories` has shapes that run in time. Coefficients of
chains have the shape (segments, degree + 1, dimension), highest power first, in eta = (t - t_i) / h_i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine
from footfall.errors import InvalidInput

_MOST_DERIVATIVES = 64  # far beyond any that is not zero

CLOSE = 1e-9  # s, or a share: break points nearer than this are the same one


def checked_coefficients(coefficients: Any, axes: int) -> Array:
    """A read-only float array with that many axes; a missing last axis (one component) is added."""
    array = np.array(coefficients, dtype=np.float64, order="C")
    if array.ndim == axes - 1:
        array = array[..., None]
    if array.ndim != axes or 0 in array.shape:
        raise InvalidInput(
            f"coefficients have shape {array.shape}; "
            f"there must be {axes} axes: {'segments, ' * (axes - 2)}powers, components"
        )
    array.flags.writeable = False
    return array


def check_pieces(times: Array, coefficients: Array, what: str) -> None:
    """Raise unless the times increase, there is one more than segments, and all numbers are finite."""
    if times.shape != (len(coefficients) + 1,):
        raise InvalidInput(
            f"{what} of shape {times.shape} for {len(coefficients)} segments; "
            f"there must be {len(coefficients) + 1}"
        )
    fault = first_fault(times, coefficients)
    if fault == 1:
        raise InvalidInput(f"{what} {times} must be finite and increase")
    if fault == 2:
        raise InvalidInput(f"coefficients of the segments must be finite: {coefficients}")


@dataclass(frozen=True, slots=True, eq=False)
class PolynomialCurve:
    """One polynomial of eta in [0, 1]. coefficients (degree + 1, dimension), highest power first."""

    coefficients: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "coefficients", checked_coefficients(self.coefficients, 2))
        check_pieces(_UNIT, self.coefficients[None], "parameters")

    @property
    def degree(self) -> int:
        """Highest power."""
        return len(self.coefficients) - 1

    @property
    def dimension(self) -> int:
        """Number of components."""
        return int(self.coefficients.shape[1])

    def __call__(self, eta: Any, derivative: int = 0) -> Array:
        """A derivative at one (dimension,) or several (k, dimension) parameters."""
        return one_or_many(_UNIT, self.coefficients[None], eta, derivative)

    def split(self, eta: float) -> tuple[PolynomialCurve, PolynomialCurve]:
        """The curves before and after a parameter, each on [0, 1] again."""
        first, second = PolynomialSpline(np.ones(1), self.coefficients[None]).split(eta)
        return first.curve(0), second.curve(0)


_UNIT = np.array([0.0, 1.0])
_UNIT.flags.writeable = False


@dataclass(frozen=True, slots=True, eq=False)
class PolynomialSpline:
    """A chain of curves over [0, 1].

    proportions (n,): the share of each curve, sum 1. coefficients (n, degree + 1, dimension).
    """

    proportions: Array
    coefficients: Array
    breaks: Array = None  # type: ignore[assignment]  # (n + 1,) from 0 to 1, follows from the proportions

    def __post_init__(self) -> None:
        proportions = np.array(self.proportions, dtype=np.float64)
        if proportions.ndim != 1 or abs(proportions.sum() - 1.0) > 1e-9:
            raise InvalidInput(f"proportions {proportions} must be a list with the sum 1")
        breaks = np.concatenate([[0.0], np.cumsum(proportions)])
        breaks[-1] = 1.0
        for array in (proportions, breaks):
            array.flags.writeable = False
        object.__setattr__(self, "proportions", proportions)
        object.__setattr__(self, "breaks", breaks)
        object.__setattr__(self, "coefficients", checked_coefficients(self.coefficients, 3))
        check_pieces(breaks, self.coefficients, "breaks")

    @classmethod
    def chain(cls, curves: Sequence[PolynomialCurve], proportions: Any) -> PolynomialSpline:
        """A spline of curves; those of lower degree are raised to the highest one."""
        powers = max(len(curve.coefficients) for curve in curves)
        return cls(proportions, np.stack([raised(curve.coefficients, powers) for curve in curves]))

    @property
    def dimension(self) -> int:
        """Number of components."""
        return int(self.coefficients.shape[2])

    def curve(self, index: int) -> PolynomialCurve:
        """One of the curves."""
        return PolynomialCurve(self.coefficients[index])

    def __call__(self, eta: Any, derivative: int = 0) -> Array:
        """A derivative at one (dimension,) or several (k, dimension) parameters."""
        return one_or_many(self.breaks, self.coefficients, eta, derivative)

    def split(self, eta: float) -> tuple[PolynomialSpline, PolynomialSpline]:
        """The splines before and after a parameter in (0, 1), each on [0, 1] again."""
        if not 0.0 < eta < 1.0:
            raise InvalidInput(f"cannot split at {eta:g}; the parameter must lie between 0 and 1")
        (first, head), (second, tail) = (
            pieces_between(self.breaks, self.coefficients, *ends) for ends in ((0.0, eta), (eta, 1.0))
        )
        return (
            PolynomialSpline(np.diff(first) / eta, head),
            PolynomialSpline(np.diff(second) / (1.0 - eta), tail),
        )


def pieces_between(times: Array, coefficients: Array, start: float, end: float) -> tuple[Array, Array]:
    """Times and coefficients of what lies between two times."""
    inner = times[(times > start + CLOSE) & (times < end - CLOSE)]
    partition = np.concatenate([[start], inner, [end]])
    return partition, restrict(times, coefficients, partition)


def raised(coefficients: Array, powers: int) -> Array:
    """The same polynomials (..., powers, dimension) with zeros in front for higher powers."""
    missing = powers - coefficients.shape[-2]
    if missing == 0:
        return coefficients
    shape = (*coefficients.shape[:-2], missing, coefficients.shape[-1])
    return np.concatenate([np.zeros(shape), coefficients], axis=-2)


def checked_order(order: Any) -> int:
    """How many derivatives are asked for: a whole number."""
    if (
        isinstance(order, bool)
        or not isinstance(order, int | np.integer)
        or not 0 <= order <= _MOST_DERIVATIVES
    ):
        raise InvalidInput(
            f"derivative {order!r} asked for; it must be a whole number, 0 or more and {_MOST_DERIVATIVES} at most"
        )
    return int(order)


def one_or_many(times: Array, coefficients: Array, at: Any, derivative: int) -> Array:
    """A derivative at a number (dimension,) or at an array of any shape (..., dimension)."""
    derivative = checked_order(derivative)
    places = np.array(at, dtype=np.float64)
    samples: Array = sample(times, coefficients, places.reshape(-1), derivative)[derivative]
    return samples.reshape(*places.shape, coefficients.shape[2])


# Evaluation


class Jet(NamedTuple):
    """Something that changes in time: value, rate and second derivative. Numbers, or vectors of one shape."""

    value: Any
    rate: Any
    second: Any


class Instant(NamedTuple):
    """Where a time lies in a chain. eta: share of the segment, from 0 to 1. rate: of eta, 1/s; 0 beyond the ends, where
    all stands still."""

    segment: int
    eta: float
    rate: float


@routine
def segment_at(times: Array, time: float, guess: int) -> int:
    """The segment that holds a time, the later one at a break point; a guess and the one behind it are tried first."""
    count = len(times) - 1
    if times[guess] <= time:
        for near in range(guess, min(guess + 2, count)):
            if time < times[near + 1] or near == count - 1:
                return near
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        if times[middle] <= time:
            low = middle
        else:
            high = middle
    return low


@routine
def instant_of(times: Array, time: float, guess: int) -> Instant:
    """Where a time lies; guess: see `segment_at`."""
    inside = min(max(time, times[0]), times[-1])
    segment = segment_at(times, inside, guess)
    duration = times[segment + 1] - times[segment]
    return Instant(segment, (inside - times[segment]) / duration, 1.0 / duration if inside == time else 0.0)


@routine
def jet_at(piece: Array, component: int, at: Instant) -> Jet:
    """A component of polynomials (degree + 1, dimension) and its derivatives in time, by Horner's scheme."""
    value, slope, half = 0.0, 0.0, 0.0
    for power in range(len(piece)):
        half = half * at.eta + slope
        slope = slope * at.eta + value
        value = value * at.eta + piece[power, component]
    return Jet(value, slope * at.rate, 2.0 * half * at.rate * at.rate)


@routine
def sample(times: Array, coefficients: Array, at: Array, order: int) -> Array:
    """Values and derivatives (order + 1, len(at), dimension); beyond the ends they hold and do not move."""
    _, powers, dimension = coefficients.shape
    result = np.zeros((order + 1, len(at), dimension))
    instant = Instant(0, 0.0, 0.0)
    for k, time in enumerate(at):
        instant = instant_of(times, time, instant.segment)
        piece = coefficients[instant.segment]
        if order <= 2:  # by far the most common: three numbers in registers
            for d in range(dimension):
                jet = jet_at(piece, d, instant)
                result[0, k, d] = jet.value
                if order >= 1:
                    result[1, k, d] = jet.rate
                if order == 2:
                    result[2, k, d] = jet.second
            continue
        highest = min(order, powers - 1)
        for power in range(powers):
            for m in range(highest, 0, -1):
                for d in range(dimension):
                    result[m, k, d] = result[m, k, d] * instant.eta + result[m - 1, k, d]
            for d in range(dimension):
                result[0, k, d] = result[0, k, d] * instant.eta + piece[power, d]
        factor = 1.0
        for m in range(1, highest + 1):
            factor *= m * instant.rate
            for d in range(dimension):
                result[m, k, d] *= factor
    return result


@routine
def restrict(times: Array, coefficients: Array, partition: Array) -> Array:
    """The same polynomials on another partition, each of whose segments lies in one of the old ones."""
    _, powers, dimension = coefficients.shape
    count = len(partition) - 1
    result = np.zeros((count, powers, dimension))
    segment = 0
    for k in range(count):
        segment = segment_at(times, 0.5 * (partition[k] + partition[k + 1]), segment)
        duration = times[segment + 1] - times[segment]
        eta = (partition[k] - times[segment]) / duration
        ratio = (partition[k + 1] - partition[k]) / duration
        # Horner's scheme gives Taylor's coefficients about the new start: row `powers - 1 - m` for power m.
        for power in range(powers):
            for row in range(powers - 1 - power, powers - 1):
                for d in range(dimension):
                    result[k, row, d] = result[k, row, d] * eta + result[k, row + 1, d]
            for d in range(dimension):
                result[k, powers - 1, d] = result[k, powers - 1, d] * eta + coefficients[segment, power, d]
        factor = 1.0
        for m in range(1, powers):
            factor *= ratio
            for d in range(dimension):
                result[k, powers - 1 - m, d] *= factor
    return result


@routine
def first_fault(times: Array, coefficients: Array) -> int:
    """0: none. 1: times do not increase or are not finite. 2: a coefficient is not finite."""
    for k in range(len(times) - 1):
        if not (times[k + 1] > times[k] and np.isfinite(times[k + 1] - times[k])):
            return 1
    segments, powers, dimension = coefficients.shape
    for i in range(segments):
        for power in range(powers):
            for d in range(dimension):
                if not np.isfinite(coefficients[i, power, d]):
                    return 2
    return 0
