"""Stage 7: how the feet move (spec 003c section 5.5)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.gait.poses import PoseRow
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.courses import filled, room, turns_and_rests
from footfall.motion.parameters import FootParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.schedule import Schedule
from footfall.motion.stage_loops import swing_course, swing_phases
from footfall.motion.swing_foot import swing_constants, swing_kernel, tilt_timing

_SINGLY = 40  # phases up to which calls one by one are faster than a batch


class FootMotion(NamedTuple):
    """Position (3,) in m and rotation of RF and LF in the world."""

    positions: tuple[PolynomialTrajectory, PolynomialTrajectory]
    rotations: tuple[QuaternionTrajectory, QuaternionTrajectory]


def plan_feet(schedule: Schedule, model: ReducedModel, parameters: FootParameters) -> FootMotion:
    """Motion of both feet: swings in motion phases, rest otherwise."""
    constants = swing_constants(parameters, model.sole)
    timing = tilt_timing(parameters)
    shares = np.array([0.0, parameters.lift_off_share, parameters.strike_share, 1.0])
    heights = np.where(np.isnan(schedule.step_height), parameters.step_height_m, schedule.step_height)
    owner = schedule.motion_transition
    positions, rotations = [], []
    for foot in range(2):
        phases, which = np.empty((len(owner), 20)), np.empty(len(owner), dtype=np.int64)
        count = swing_phases(
            schedule.begin,
            schedule.end,
            schedule.moving,
            owner,
            heights,
            schedule.swing_timing,
            foot,
            phases,
            which,
        )
        phases, which = phases[:count], which[:count]
        borders, swings, controls = _swings(phases, constants)
        here = schedule.begin[0, PoseRow.FOOT_POSITION[foot]].copy()
        times, pieces = room(schedule, 6 * count + 1, 3)
        size = swing_course(
            phases,
            borders,
            swings,
            which,
            schedule.motion_begin,
            schedule.motion_end,
            here,
            times,
            pieces,
        )
        positions.append(filled(times, pieces, size))
        turn = schedule.begin[0, PoseRow.FOOT_ROTATION[foot]]
        rotations.append(turns_and_rests(schedule, turn, controls, which, shares, timing))
    return FootMotion((positions[0], positions[1]), (rotations[0], rotations[1]))


def _swings(phases: Array, constants: Array) -> tuple[Array, Array, Array]:
    """Borders (n, 6), pieces (n, 5, 6, 3) and controls (n, 4, 4) of swings (n, 20)."""
    kernel, count = swing_kernel(), len(phases)
    if count > _SINGLY:
        borders, pieces, controls = kernel.batch(phases, constants, threads=1)
        return borders, pieces, controls
    borders, pieces, controls = np.empty((count, 6)), np.empty((count, 5, 6, 3)), np.empty((count, 4, 4))
    for index in range(count):
        borders[index], pieces[index], controls[index] = kernel(phases[index], constants)
    return borders, pieces, controls
