"""Polynomials as shapes without time: a curve, and a spline as a chain of curves (spec 003c sections 3, 4, 8.4).

A shape runs over a parameter eta in [0, 1]. `footfall.math.trajectories` has shapes that run in time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidPolynomial
from footfall.math.polynomial_loops import first_fault, restrict, sample

CLOSE = 1e-9  # s, or a share: break points nearer than this are the same one


def checked_coefficients(coefficients: Any, axes: int) -> Array:
    """A read-only float array with that many axes; a missing last axis (one component) is added."""
    array = np.array(coefficients, dtype=np.float64, order="C")
    if array.ndim == axes - 1:
        array = array[..., None]
    if array.ndim != axes or 0 in array.shape:
        raise InvalidPolynomial(
            f"coefficients have shape {array.shape}; "
            f"there must be {axes} axes: {'segments, ' * (axes - 2)}powers, components"
        )
    array.flags.writeable = False
    return array


def check_pieces(times: Array, coefficients: Array, what: str) -> None:
    """Raise unless the times increase, there is one more than segments, and all numbers are finite."""
    if times.shape != (len(coefficients) + 1,):
        raise InvalidPolynomial(
            f"{what} of shape {times.shape} for {len(coefficients)} segments; "
            f"there must be {len(coefficients) + 1}"
        )
    fault = first_fault(times, coefficients)
    if fault == 1:
        raise InvalidPolynomial(f"{what} {times} must be finite and increase")
    if fault == 2:
        raise InvalidPolynomial(
            f"coefficients of the segments have entries that are not finite: {coefficients}"
        )


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
            raise InvalidPolynomial(f"proportions {proportions} must be a list with the sum 1")
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
            raise InvalidPolynomial(f"cannot split at {eta:g}; the parameter must lie between 0 and 1")
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


def one_or_many(times: Array, coefficients: Array, at: Any, derivative: int) -> Array:
    """A derivative at a number (dimension,) or at an array of any shape (..., dimension)."""
    if derivative < 0:
        raise InvalidPolynomial(f"derivative {derivative} asked for; it must be 0 or more")
    places = np.array(at, dtype=np.float64)
    samples: Array = sample(times, coefficients, places.reshape(-1), derivative)[derivative]
    return samples.reshape(*places.shape, coefficients.shape[2])
