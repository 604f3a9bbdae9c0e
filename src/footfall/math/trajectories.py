"""Polynomial trajectories: chains of polynomials in time, and what is done with them (Seiwald 2023).

A trajectory of the whole plan is one value with the segments of all phases: it is built, sampled and changed by
a handful of array operations, however many phases there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine
from footfall.errors import InvalidInput
from footfall.math.polynomials import (
    CLOSE,
    PolynomialSpline,
    check_pieces,
    checked_coefficients,
    checked_order,
    one_or_many,
    pieces_between,
    raised,
    restrict,
    sample,
)


@dataclass(frozen=True, slots=True, eq=False)
class PolynomialTrajectory:
    """A chain of polynomials in time.

    times (n + 1,): break points in s, increasing. coefficients (n, degree + 1, dimension): highest power first,
    of eta = (t - t_i) / (t_i+1 - t_i). Outside its times it holds the values of its ends and does not move.
    At a break point the later segment counts.
    """

    times: Array
    coefficients: Array

    def __post_init__(self) -> None:
        times = np.array(self.times, dtype=np.float64)
        times.flags.writeable = False
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "coefficients", checked_coefficients(self.coefficients, 3))
        check_pieces(times, self.coefficients, "times")

    @classmethod
    def unchecked(cls, times: Array, coefficients: Array) -> PolynomialTrajectory:
        """The trajectory from arrays that are not shared and are valid: no copies, no checks."""
        trajectory = object.__new__(cls)
        times.flags.writeable = coefficients.flags.writeable = False
        object.__setattr__(trajectory, "times", times)
        object.__setattr__(trajectory, "coefficients", coefficients)
        return trajectory

    @property
    def start(self) -> float:
        """First time, s."""
        return float(self.times[0])

    @property
    def end(self) -> float:
        """Last time, s."""
        return float(self.times[-1])

    @property
    def duration(self) -> float:
        """End minus start, s."""
        return float(self.times[-1] - self.times[0])

    @property
    def durations(self) -> Array:
        """Of the segments (n,), s."""
        return np.diff(self.times)

    @property
    def degree(self) -> int:
        """Highest power."""
        return int(self.coefficients.shape[1]) - 1

    @property
    def dimension(self) -> int:
        """Number of components."""
        return int(self.coefficients.shape[2])

    def __call__(self, at: Any, derivative: int = 0) -> Array:
        """A derivative in time at one time (dimension,) or at several (..., dimension)."""
        return one_or_many(self.times, self.coefficients, at, derivative)

    def sample(self, at: Array, order: int = 2) -> Array:
        """Value and derivatives up to `order` (order + 1, k, dimension) at times (k,), in one native call."""
        at = np.ascontiguousarray(at, dtype=np.float64)
        if at.ndim != 1:
            raise InvalidInput(f"times have shape {at.shape}; they must be a list")
        order = checked_order(order)
        return sample(self.times, self.coefficients, at if at.flags.writeable else at.copy(), order)

    # Cutting and joining

    def cut(self, start: float, end: float) -> PolynomialTrajectory:
        """What lies between two of its times."""
        if not (self.start - CLOSE <= start and end <= self.end + CLOSE and end - start > CLOSE):
            raise InvalidInput(
                f"cannot cut from {start:g} s to {end:g} s; the trajectory lasts from {self.start:g} s to "
                f"{self.end:g} s"
            )
        return PolynomialTrajectory(*pieces_between(self.times, self.coefficients, start, end))

    def split(self, time: float) -> tuple[PolynomialTrajectory, PolynomialTrajectory]:
        """What lies before and after a time."""
        return self.cut(self.start, time), self.cut(time, self.end)

    def on(self, partition: Array) -> PolynomialTrajectory:
        """The same motion with further break points (all old ones must be among the new ones)."""
        partition = np.array(partition, dtype=np.float64)
        return PolynomialTrajectory(partition, restrict(self.times, self.coefficients, partition))

    # Other motions made from it

    def shifted(self, delay: float) -> PolynomialTrajectory:
        """The same motion, later by `delay` s."""
        return PolynomialTrajectory(self.times + delay, self.coefficients)

    def time_scaled(self, factor: float) -> PolynomialTrajectory:
        """The same path from the same start, slower by `factor`."""
        return PolynomialTrajectory(self.times[0] + factor * (self.times - self.times[0]), self.coefficients)

    def differentiated(self) -> PolynomialTrajectory:
        """Its rate."""
        powers = np.arange(self.degree, 0, -1.0)
        rates = powers[:, None] * self.coefficients[:, :-1] / self.durations[:, None, None]
        return PolynomialTrajectory(self.times, rates if self.degree else np.zeros_like(self.coefficients))

    def mapped(self, matrix: Array, offset: Array | None = None) -> PolynomialTrajectory:
        """matrix (e, dimension) times the components, plus offset (e,): exact, for a change of frame say."""
        coefficients = self.coefficients @ np.asarray(matrix, dtype=np.float64).T
        if offset is not None:
            coefficients[:, -1] += offset
        return PolynomialTrajectory(self.times, coefficients)

    def component(self, *indices: int) -> PolynomialTrajectory:
        """Some of the components, in this order."""
        return PolynomialTrajectory(self.times, self.coefficients[:, :, list(indices)])

    def __neg__(self) -> PolynomialTrajectory:
        return PolynomialTrajectory(self.times, -self.coefficients)

    def __add__(self, other: PolynomialTrajectory) -> PolynomialTrajectory:
        """The sum of two motions over the same times, on all break points of both."""
        times, (mine, others) = _common([self, other])
        return PolynomialTrajectory(times, mine + others)

    def __sub__(self, other: PolynomialTrajectory) -> PolynomialTrajectory:
        return self + (-other)


def over_time(spline: PolynomialSpline, start: float, duration: float) -> PolynomialTrajectory:
    """The spline run through in a time, both in s."""
    return PolynomialTrajectory(start + duration * spline.breaks, spline.coefficients)


def join(trajectories: Sequence[PolynomialTrajectory]) -> PolynomialTrajectory:
    """One after the other; each must begin when the one before ends."""
    if not trajectories:
        raise InvalidInput("there are no trajectories to join; give at least one")
    for before, after in pairwise(trajectories):
        if abs(after.start - before.end) > CLOSE:
            raise InvalidInput(
                f"a trajectory ends at {before.end:g} s, the next must begin there, not at {after.start:g} s"
            )
    powers = max(trajectory.degree for trajectory in trajectories) + 1
    times = np.concatenate([trajectories[0].times, *(part.times[1:] for part in trajectories[1:])])
    return PolynomialTrajectory(times, np.concatenate([raised(t.coefficients, powers) for t in trajectories]))


def stack(trajectories: Sequence[PolynomialTrajectory]) -> PolynomialTrajectory:
    """All components side by side, on all break points; all must last over the same times."""
    times, pieces = _common(trajectories)
    return PolynomialTrajectory(times, np.concatenate(pieces, axis=2))


def union_of_times(*times: Array) -> Array:
    """All times in order, those that differ by rounding only once."""
    return apart(np.sort(np.concatenate(times)), CLOSE)


@routine
def apart(ordered: Array, closeness: float) -> Array:
    """Sorted times without those closer than that to the one before."""
    kept = [ordered[0]]
    for time in ordered:
        if time - kept[-1] > closeness:
            kept.append(time)
    return np.array(kept)


def _common(trajectories: Sequence[PolynomialTrajectory]) -> tuple[Array, list[Array]]:
    first = trajectories[0]
    for other in trajectories[1:]:
        if abs(other.start - first.start) > CLOSE or abs(other.end - first.end) > CLOSE:
            raise InvalidInput(
                f"a trajectory lasts from {first.start:g} s to {first.end:g} s, another from {other.start:g} s "
                f"to {other.end:g} s; they must last over the same times"
            )
    times = union_of_times(*(trajectory.times for trajectory in trajectories))
    powers = max(trajectory.degree for trajectory in trajectories) + 1
    return times, [raised(restrict(t.times, t.coefficients, times), powers) for t in trajectories]
