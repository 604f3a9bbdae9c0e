"""Stage 7: how the feet move (spec 003c section 5.5)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.gait.poses import PoseRow
from footfall.math.quaternion_splines import CubicQuaternionSpline
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.parameters import FootParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.schedule import Schedule
from footfall.motion.stage_loops import rests_between, stretched, swing_phases, turn_timing
from footfall.motion.swing_foot import swing_constants, swing_kernel, tilt_timing

Array = np.ndarray[Any, np.dtype[np.float64]]
_SINGLY = 40  # phases up to which calls one by one are faster than a batch


class FootMotion(NamedTuple):
    """Position (3,) in m and rotation of RF and LF in the world."""

    positions: tuple[PolynomialTrajectory, PolynomialTrajectory]
    rotations: tuple[QuaternionTrajectory, QuaternionTrajectory]


def plan_feet(schedule: Schedule, model: ReducedModel, parameters: FootParameters) -> FootMotion:
    """Motion of both feet: swings in motion phases, rest otherwise."""
    constants = swing_constants(parameters, model.sole)
    timing = tilt_timing(parameters)
    shares = np.array([[0.0, parameters.lift_off_share, parameters.strike_share, 1.0]])
    heights = np.where(np.isnan(schedule.step_height), parameters.step_height_m, schedule.step_height)
    first, last = float(schedule.times[0]), float(schedule.times[-1])
    starts, stops = schedule.motion_begin, schedule.motion_end
    positions, rotations = [], []
    for foot in range(2):
        phases, which = swing_phases(
            schedule.begin,
            schedule.end,
            schedule.moving,
            schedule.motion_transition,
            heights,
            schedule.swing_timing,
            foot,
        )
        borders, pieces, controls = _swings(phases, constants)
        initial = schedule.begin[0, PoseRow.FOOT_POSITION[foot]]
        course = rests_between(
            initial, stretched(borders, which, starts, stops), pieces, phases[:, 7:10], first, last
        )
        positions.append(PolynomialTrajectory.unchecked(*course))
        turn = schedule.begin[0, PoseRow.FOOT_ROTATION[foot]]
        rotations.append(
            turns_and_rests(turn, stretched(shares, which, starts, stops), timing, controls, first, last)
        )
    return FootMotion((positions[0], positions[1]), (rotations[0], rotations[1]))


def turns_and_rests(
    initial: Array, borders: Array, timing: Array, controls: Array, first: float, last: float
) -> QuaternionTrajectory:
    """A rotation that rests except for n turns of s segments each, from a first to a last time, s.

    initial (4,): before the first turn. borders (n, s + 1): of the segments, s. timing (s, 6): parameter of each turn
    from 0 to 1. controls (n, 4, 4): quaternions of each turn; their signs are changed.
    """
    parameter = PolynomialTrajectory.unchecked(*turn_timing(controls, borders, timing, first, last))
    if len(controls) == 0:
        controls = np.tile(initial, (1, 4, 1))
    return QuaternionTrajectory(CubicQuaternionSpline.unchecked(controls), parameter)


def _swings(phases: Array, constants: Array) -> tuple[Array, Array, Array]:
    """Borders (n, 6), pieces (n, 5, 6, 3) and controls (n, 4, 4) of swings (n, 20)."""
    kernel, count = swing_kernel(), len(phases)
    if count > _SINGLY:
        borders, pieces, controls = kernel.batch(phases, constants, threads=1)
        return borders, pieces, controls
    borders, pieces, controls = np.empty((count, 6)), np.empty((count, 5, 6, 3)), np.empty((count, 4, 4))
    rows = np.empty(
        phases.shape
    )  # arrays of native loops have a type object of their own, which calls would convert
    rows[:] = phases
    for index in range(count):
        borders[index], pieces[index], controls[index] = kernel(rows[index], constants)
    return borders, pieces, controls
