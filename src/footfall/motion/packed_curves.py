"""Trajectories one behind the other in flat arrays, as native loops take them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.math.polynomials import raised
from footfall.math.quaternion_splines import CubicQuaternionSpline
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.evaluation_loops import evaluate
from footfall.motion.sample_layout import ROTATION_COUNT, WIDTH


class PackedCurves(NamedTuple):
    """The arguments of `evaluate` that hold trajectories."""

    times: Array
    coefficients: Array
    layout: Integers
    controls: Array
    logarithms: Array

    def only(self, which: Integers) -> PackedCurves:
        """Some of the trajectories, by their numbers (n,)."""
        return self._replace(layout=self.layout[which])

    def sample(self, at: Array) -> tuple[Array, Array]:
        """Values (k, 3, 41) and rotations (k, 4, 10) at times (k,), s, zero where there is no trajectory."""
        values, rotations = np.zeros((len(at), 3, WIDTH)), np.zeros((len(at), ROTATION_COUNT, 10))
        evaluate(at, *self, values, rotations)
        return values, rotations


def packed(curves: Iterable[tuple[PolynomialTrajectory | QuaternionTrajectory, int]]) -> PackedCurves:
    """Trajectories of degree 5 at most, each with its column in a sample, or its row if it is a rotation."""
    times, coefficients, layout = [], [], []
    controls, logarithms = [np.empty((0, 4, 4))], [np.empty((0, 3, 3))]
    first, offset, piece = 0, 0, 0
    for curve, place in curves:
        pieces = 0
        if isinstance(curve, PolynomialTrajectory):
            course = curve
        else:
            course, shape = curve.timing, curve.shape
            assert isinstance(shape, CubicQuaternionSpline)
            pieces = len(shape.controls)
            controls.append(shape.controls)
            logarithms.append(shape.steps)
        own = course.coefficients
        segments, powers, dimension = own.shape
        layout.append((first, segments, offset, dimension, place, pieces, piece))
        times.append(course.times)
        coefficients.append((own if powers == 6 else raised(own, 6)).reshape(-1))
        first, offset, piece = first + segments + 1, offset + 6 * segments * dimension, piece + pieces
    return PackedCurves(
        np.concatenate(times),
        np.concatenate(coefficients),
        np.array(layout, dtype=np.int64),
        np.concatenate(controls),
        np.concatenate(logarithms),
    )
