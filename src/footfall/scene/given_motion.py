"""A motion that is given: poses at times, and a smooth curve through them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import floor, gather, maximum, minimum, where
from footfall.errors import SceneError
from footfall.math.rotations import matrix_from_quaternion, quaternion_inverse, quaternion_product
from footfall.math.transform import Transform
from footfall.robot.values import Value, finite_array
from footfall.scene.checks import scene_errors

_MOST_WAYPOINTS = 100_000


@dataclass(frozen=True, eq=False)
class GivenMotion(Value):
    """Poses at times, passed with a continuous velocity.

    times: (n,) s, ascending. positions: (n, 3) m. quaternions: (n, 4), normalised here; without them the
    orientation stays. periodic: whether it starts again after the last time; then the last waypoint must be the
    first one. Else it rests before the first and after the last time. Between waypoints every coordinate is a
    cubic whose slope at a waypoint is the mean of the neighbouring ones (zero at the ends of a path that rests).
    Works on numbers and on symbols.
    """

    times: Array
    positions: Array
    quaternions: Array | None = None
    periodic: bool = False

    def __post_init__(self) -> None:
        count = len(self.times)
        subject = ("motion", "waypoints")
        if not 2 <= count <= _MOST_WAYPOINTS:
            raise _wrong(f"has {count} times; there must be from 2 to {_MOST_WAYPOINTS}")
        turns = [[1.0, 0.0, 0.0, 0.0]] * count if self.quaternions is None else self.quaternions
        with scene_errors(subject):
            times = finite_array(self.times, (count,), "times", subject)
            positions = finite_array(self.positions, (count, 3), "positions", subject)
            quaternions = np.array(finite_array(turns, (count, 4), "quaternions", subject))
        if not (np.diff(times) > 0.0).all():
            where_wrong = int(np.argmax(np.diff(times) <= 0.0))
            raise _wrong(
                f"times {times[where_wrong]:g} and {times[where_wrong + 1]:g} do not ascend; each must be later"
            )
        norms = np.linalg.norm(quaternions, axis=1)
        norms[np.abs(norms - 1.0) < 1e-15] = 1.0  # such as those of a pickle keep their bits
        if norms.min() < 1e-9:
            raise _wrong(f"quaternion {int(norms.argmin())} is zero; it must have a direction")
        quaternions /= norms[:, None]
        for k in range(1, count):  # the same rotation, the short way
            if quaternions[k] @ quaternions[k - 1] < 0.0:
                quaternions[k] *= -1.0
        if self.periodic:
            same_turn = abs(abs(quaternions[0] @ quaternions[-1]) - 1.0) < 1e-9
            if not same_turn or np.abs(positions[0] - positions[-1]).max() > 1e-9:
                raise _wrong("is periodic, but its last pose is not its first; repeat the first at the end")
        quaternions.flags.writeable = False
        for name, array in (("times", times), ("positions", positions), ("quaternions", quaternions)):
            object.__setattr__(self, name, array)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.times, self.positions, self.quaternions, self.periodic)

    def pose(self, time: Any) -> Transform:
        """Pose at a time in s."""
        values, _ = self._curve(time)
        q = values[3:]
        return Transform(matrix_from_quaternion(q / np.sqrt(q @ q)), values[:3])

    def velocity(self, time: Any) -> Array:
        """Linear (m/s) and angular (rad/s) velocity (6,) at a time, in world axes at the origin of the object."""
        values, rates = self._curve(time)
        q, rate = values[3:], rates[3:]
        # The part of the rate along q only changes its norm, which the product's scalar part takes up.
        angular = 2.0 * quaternion_product(rate, quaternion_inverse(q))[1:] / (q @ q)
        return np.concatenate([rates[:3], angular])

    def _curve(self, time: Any) -> tuple[Array, Array]:
        """Coordinates (7,) and their rates: a Hermite cubic between two waypoints."""
        start, end = float(self.times[0]), float(self.times[-1])
        if self.periodic:
            period = end - start
            clock = time - period * floor((time - start) / period)
        else:
            clock = minimum(maximum(time, start), end)
        index = self._search(clock)
        rows = [[gather(column, index + shift) for column in self._columns] for shift in (0.0, 1.0)]
        (t0, *first), (t1, *second) = rows
        length = t1 - t0
        s = (clock - t0) / length
        p0, m0 = np.array(first[:7]), np.array(first[7:]) * length
        p1, m1 = np.array(second[:7]), np.array(second[7:]) * length
        return cubic(s, p0, m0, p1, m1), cubic_rate(s, p0, m0, p1, m1) / length

    def _search(self, clock: Any) -> Any:
        """Index of the last waypoint but one that is not later, by halving, on numbers and symbols."""
        index: Any = 0.0
        step = 1 << (len(self.times) - 1).bit_length()
        last = len(self.times) - 2.0
        while step := step // 2:
            further = minimum(index + step, last)
            index = where(gather(self._columns[0], further) <= clock, further, index)
        return index

    @cached_property
    def _columns(self) -> list[Array]:
        """For `gather`."""
        return [np.ascontiguousarray(column) for column in self.table.T]

    @cached_property
    def table(self) -> Array:
        """Times, coordinates [position; quaternion] and slopes of these (n, 15)."""
        assert self.quaternions is not None
        coordinates = np.column_stack([self.positions, self.quaternions])
        slopes = np.zeros_like(coordinates)
        secants = np.diff(coordinates, axis=0) / np.diff(self.times)[:, None]
        slopes[1:-1] = (secants[:-1] + secants[1:]) / 2
        if self.periodic:
            sign = np.ones(7)  # the quaternion may come back as its negative
            sign[3:] = np.sign(coordinates[0, 3:] @ coordinates[-1, 3:])
            slopes[0] = (sign * secants[-1] + secants[0]) / 2
            slopes[-1] = sign * slopes[0]
        return np.column_stack([self.times, coordinates, slopes])


def cubic(s: Any, p0: Any, m0: Any, p1: Any, m1: Any) -> Any:
    """At s from 0 to 1 between p0 and p1, with slopes m0 and m1 a unit of s; for numbers, arrays and symbols."""
    rest = p0 - p1
    return p0 + s * (m0 + s * ((-3.0 * rest - 2.0 * m0 - m1) + s * (2.0 * rest + m0 + m1)))


def cubic_rate(s: Any, p0: Any, m0: Any, p1: Any, m1: Any) -> Any:
    """The slope there, written so that it is exactly zero at the ends of a motion that rests there."""
    return 6.0 * s * (s - 1.0) * (p0 - p1) + (1.0 - s) * (1.0 - 3.0 * s) * m0 + s * (3.0 * s - 2.0) * m1


def _wrong(message: str) -> SceneError:
    return SceneError(message, subject=("motion", "waypoints"))
