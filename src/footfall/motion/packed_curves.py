"""Trajectories one behind the other in flat arrays, all evaluated in one native call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Matrix3, Quaternion, record_dtype, routine
from footfall.math.polynomials import Instant, Jet, instant_of, jet_at, raised
from footfall.math.quaternion_splines import CubicQuaternionSpline, turning_at
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.samples import (
    MOVING,
    SIZE,
    TIME,
    TURNINGS,
    VALUES,
    WIDTH,
    MotionSamples,
    Sample,
    as_records,
)


class CurvePlace(NamedTuple):
    """Where a trajectory lies in `PackedCurves`, and where its values go in a sample."""

    first_time: int
    segments: int
    first_coefficient: int
    dimension: int
    first_piece: int
    pieces: int  # of a rotation; 0 for others
    column: int  # of a value, or of a rotation's quaternion


class PackedCurves(NamedTuple):
    """times, coefficients: of all trajectories, quintics. controls (n, 4, 4), steps (n, 3, 3): of the rotations, see
    `CubicQuaternionSpline`."""

    times: Array
    coefficients: Array
    places: ArrayOf[CurvePlace]
    controls: ArrayOf[Quaternion]
    steps: ArrayOf[Matrix3]

    def only(self, which: Integers) -> PackedCurves:
        """Some of the trajectories, by their numbers (n,)."""
        return self._replace(places=self.places[which])

    def sample(self, at: Array) -> ArrayOf[Sample]:
        """Samples (k,) at times (k,), s, zero where there is no trajectory."""
        return as_records(self.numbers(at))

    def numbers(self, at: Array) -> Array:
        """The same, as numbers (k, SIZE)."""
        result = np.zeros((len(at), SIZE))
        evaluate(at, self, result)
        return result


def own_types(curves: PackedCurves) -> PackedCurves:
    """The same curves in arrays of this process' own types. Types of arrays that came from another process are equal
    but other objects, and then every native call looks at all of its arguments in Python, which takes a millisecond.
    """
    places = np.empty(len(curves.places), record_dtype(CurvePlace))
    places[:] = curves.places
    numbers: list[Any] = [curves.times, curves.coefficients, curves.controls, curves.steps]
    # `np.array` would keep the type that it is given.
    times, coefficients, controls, steps = (0.0 + each for each in numbers)
    return PackedCurves(times, coefficients, places, controls, steps)


@routine
def evaluate(at: Array, curves: PackedCurves, numbers: Array) -> None:
    """Fill the numbers of samples at times (k,), s; beyond its ends all stands still."""
    for k in range(len(at)):
        numbers[k, TIME] = at[k]
    for n in range(len(curves.places)):
        place = curves.places[n]
        last, size = place.first_time + place.segments, 6 * place.dimension
        end = place.first_coefficient + place.segments * size
        times = curves.times[place.first_time : last + 1]
        pieces = curves.coefficients[place.first_coefficient : end].reshape(
            place.segments, 6, place.dimension
        )
        controls = curves.controls[place.first_piece : place.first_piece + place.pieces]
        steps = curves.steps[place.first_piece : place.first_piece + place.pieces]
        instant = Instant(0, 0.0, 0.0)
        for k in range(len(at)):
            instant = instant_of(times, at[k], instant.segment)
            piece = pieces[instant.segment]
            if place.pieces > 0:
                turning = turning_at(controls, steps, jet_at(piece, 0, instant))
                numbers[k, place.column : place.column + 4] = turning.quaternion
                numbers[k, place.column + 4 : place.column + 7] = turning.angular_velocity
                numbers[k, place.column + 7 : place.column + 10] = turning.angular_acceleration
                continue
            for d in range(place.dimension):
                jet = jet_at(piece, d, instant)
                put_jet(numbers[k], place.column + d, jet)


@routine(quick=True)
def snapshot(curves: PackedCurves, time: float) -> MotionSamples:
    """The sample at one time, s."""
    at, numbers = np.full(1, time), np.zeros((1, SIZE))
    evaluate(at, curves, numbers)
    row = numbers[0]
    return MotionSamples(
        row[:MOVING].reshape(VALUES[0], VALUES[1]), row[MOVING:].reshape(TURNINGS[0], TURNINGS[1])
    )


def put_jet(numbers: Array, column: int, jet: Jet) -> None:
    """Value, rate and second derivative lie in `Sample.value`, `Sample.rate` and `Sample.second`."""
    numbers[column], numbers[WIDTH + column], numbers[2 * WIDTH + column] = jet.value, jet.rate, jet.second


def packed(curves: Iterable[tuple[PolynomialTrajectory | QuaternionTrajectory, int]]) -> PackedCurves:
    """Trajectories of degree 5 at most, each with its column in the numbers of a sample."""
    times, coefficients, places = [], [], []
    controls, steps = [np.empty((0, 4, 4))], [np.empty((0, 3, 3))]
    first, offset, piece = 0, 0, 0
    for curve, column in curves:
        pieces = 0
        if isinstance(curve, PolynomialTrajectory):
            course = curve
        else:
            course, shape = curve.timing, curve.shape
            assert isinstance(shape, CubicQuaternionSpline)
            pieces = len(shape.controls)
            controls.append(shape.controls)
            steps.append(shape.steps)
        own = course.coefficients
        segments, powers, dimension = own.shape
        places.append(CurvePlace(first, segments, offset, dimension, piece, pieces, column))
        times.append(course.times)
        coefficients.append((own if powers == 6 else raised(own, 6)).reshape(-1))
        first, offset, piece = first + segments + 1, offset + 6 * segments * dimension, piece + pieces
    return PackedCurves(
        np.concatenate(times),
        np.concatenate(coefficients),
        np.array(places, dtype=record_dtype(CurvePlace)),
        np.concatenate(controls),
        np.concatenate(steps),
    )
