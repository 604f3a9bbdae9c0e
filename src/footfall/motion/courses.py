"""Trajectories as the stages put them together, segment by segment: they rest, move, and rest again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.math.interpolation import rest_to_rest_quintic, set_column
from footfall.math.trajectories import PolynomialTrajectory

SHORTEST = 1e-9  # s: segments that last less are left out


class Segments(NamedTuple):
    """A trajectory that is done. times (n + 1,): s. pieces (n, 6, dimension): coefficients, highest power first."""

    times: Array
    pieces: Array

    @property
    def trajectory(self) -> PolynomialTrajectory:
        """The same as a trajectory, which takes the arrays over."""
        return PolynomialTrajectory.unchecked(self.times, self.pieces)


class Course(NamedTuple):
    """A trajectory in the making. times: its begin, then the ends of its segments, s. pieces (room, 6, dimension): of
    the segments. value (dimension,): where it has come to."""

    times: list[float]
    pieces: Array
    value: Array

    @property
    def now(self) -> float:
        """Until when it goes, s."""
        return self.times[-1]

    @property
    def piece(self) -> Array:
        """Coefficients (6, dimension) of the last segment, to be filled."""
        return self.pieces[len(self.times) - 2]

    def segment_until(self, time: float) -> bool:
        """Begin a segment that ends then; False if it would last no time, and there is none."""
        lasts = time - self.times[-1] > SHORTEST
        if lasts:
            self.times.append(time)
        else:
            self.times[-1] = time
        return lasts

    def rest_until(self, time: float) -> None:
        """Stay where it is."""
        if self.segment_until(time):
            for d in range(len(self.value)):
                set_column(self.piece, d, rest_to_rest_quintic(self.value[d], self.value[d]))

    def blend_to(self, value: Array, until: float) -> None:
        """Move from rest to rest at a value (dimension,), Seiwald 2023, appendix G."""
        if self.segment_until(until):
            for d in range(len(value)):
                set_column(self.piece, d, rest_to_rest_quintic(self.value[d], value[d]))
        self.value[:] = value

    def follow(self, piece: Array, until: float) -> None:
        """Append coefficients (6, dimension); the value is the caller's to tell."""
        if self.segment_until(until):
            self.pieces[len(self.times) - 2] = piece

    def ended(self, time: float) -> Segments:
        """All of it, with a rest until a time."""
        self.rest_until(time)
        return Segments(np.array(self.times), self.pieces[: len(self.times) - 1])


def new_course(start: float, value: Array, room: int) -> Course:
    """One that begins at a time and a value (dimension,), with room for a number of segments."""
    times: list[float] = []
    times.append(start)
    held = np.empty(len(value))
    held[:] = value
    return Course(times, np.empty((room, 6, len(value))), held)
