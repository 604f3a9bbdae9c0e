"""Where the torso moves horizontally so that the zero moment point is where it shall be (Seiwald 2023).

The five-mass model turns a wanted zero moment point into one linear differential equation of second order for the
torso's x and y, which share their left-hand side. Both ends of the motion are at rest (or continue a motion): more
conditions than the equation bears, see `footfall.math.collocation`.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.math.collocation import LinearEquation, collocate_banded
from footfall.math.least_squares_splines import equal_grid, equal_quadrature_times, least_squares_pieces
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.draft import Draft
from footfall.motion.five_mass import masses_of, torso_equation
from footfall.motion.parameters import TorsoParameters
from footfall.motion.reduced_model import ReducedModel

_MOST_POINTS = 100_000
_POINTS = 2  # at which the error counts in each segment; three make it 3 % smaller


def grid(draft: Draft, distance: float) -> Array:
    """Break points (n + 1,) at equal distances of about `distance` s."""
    begin, end = draft.begin_time, draft.end_time
    if not (end - begin) / distance <= _MOST_POINTS:
        raise InvalidInput(
            f"break points every {distance:g} s in a motion of {end - begin:g} s; at most {_MOST_POINTS} are taken"
        )
    count = max(2, round((end - begin) / distance))
    times = begin + (end - begin) / count * np.arange(count + 1.0)
    times[-1] = end
    return times


def horizontal_equation(
    draft: Draft, model: ReducedModel, height: PolynomialTrajectory, at: Array
) -> LinearEquation:
    """The equation of x and (signs reversed) of y at times (k,), Seiwald 2023, (6.26)-(6.29)."""
    return torso_equation(draft.masses.sample(at), height.sample(at), masses_of(model))


def end_conditions(draft: Draft, model: ReducedModel) -> tuple[Array, Array]:
    """Value, velocity and acceleration (3, 2) of the torso's x and y at the begin and at the end.

    At rest the equation is gamma r = tau: the static solution Seiwald 2023, (F.14).
    """
    height = np.zeros((3, 2, 1))
    height[0] = 1.0 + draft.zmp.coefficients[0, -1, 2]  # any height above the ground
    equation = torso_equation(draft.masses.sample(draft.pose_times[[0, -1]]), height, masses_of(model))
    start, end = np.zeros((3, 2)), np.zeros((3, 2))
    start[0], end[0] = equation.tau / equation.gamma[:, None]
    if draft.torso_start is not None:
        start = np.array(draft.torso_start[:, :2])
    return start, end


def horizontal_torso(
    draft: Draft,
    model: ReducedModel,
    parameters: TorsoParameters,
    *,
    height: PolynomialTrajectory,
    times: Array,
    ends: tuple[Array, Array],
) -> PolynomialTrajectory:
    """x and y (2,) of the torso as quintics (cubics by that method) between equally distant break points (n + 1,)."""
    if parameters.method == "least_squares":
        equation = horizontal_equation(draft, model, height, equal_quadrature_times(times, _POINTS))
        pieces = least_squares_pieces(equal_grid(times, _POINTS), equation, *ends)
        return PolynomialTrajectory.unchecked(times.copy(), pieces)
    equation = horizontal_equation(draft, model, height, times[1:-1].copy())
    return collocate_banded(times, equation, *ends, kind=parameters.method)
