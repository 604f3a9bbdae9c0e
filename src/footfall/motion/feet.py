"""Stage 7: how the feet move (spec 003c section 5.5)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.gait.poses import PoseRow
from footfall.math.quaternion_splines import CubicQuaternionSpline
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.moves import moves_and_rests
from footfall.motion.parameters import FootParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.schedule import Schedule
from footfall.motion.swing_foot import swing_constants, swing_kernel, tilt_timing

Array = np.ndarray[Any, np.dtype[np.float64]]


class FootMotion(NamedTuple):
    """Position (3,) in m and rotation of RF and LF in the world."""

    positions: tuple[PolynomialTrajectory, PolynomialTrajectory]
    rotations: tuple[QuaternionTrajectory, QuaternionTrajectory]


def plan_feet(schedule: Schedule, model: ReducedModel, parameters: FootParameters) -> FootMotion:
    """Motion of both feet: swings in motion phases, rest otherwise."""
    owner = schedule.motion_transition
    constants = swing_constants(parameters, model.sole[:2])
    timing = tilt_timing(parameters)
    positions, rotations = [], []
    for foot in range(2):
        swings = schedule.moving[owner, foot]
        transitions = owner[swings]
        begin_times, durations = (
            schedule.motion_begin[swings],
            (schedule.motion_end - schedule.motion_begin)[swings],
        )
        begin = schedule.begin[transitions]
        end = schedule.end[transitions]
        where, turn = PoseRow.FOOT_POSITION[foot], PoseRow.FOOT_ROTATION[foot]
        whole = slice(where.start, turn.stop)
        initial = schedule.begin[0]
        if len(transitions) == 0:
            borders, coefficients, controls = np.empty((0, 6)), np.empty((0, 5, 6, 3)), np.empty((0, 4, 4))
        else:
            closed = PoseRow.CLOSED.start + foot
            height = np.where(np.isnan(schedule.step_height), parameters.step_height_m, schedule.step_height)
            # 003c (6.10): a foot that comes from the air or stays in it needs no clearance.
            height = height[transitions] * (begin[:, closed] * end[:, closed])
            phases = np.empty((len(transitions), 20))
            phases[:, :7], phases[:, 7:14] = begin[:, whole], end[:, whole]
            phases[:, 14:18] = begin[:, PoseRow.FOOT_ROTATION[1 - foot]]
            phases[:, 18], phases[:, 19] = height, schedule.swing_timing[transitions]
            borders, coefficients, controls = swing_kernel().batch(phases, constants, threads=1)
        positions.append(
            moves_and_rests(
                initial[where],
                begin_times[:, None] + durations[:, None] * borders,
                coefficients,
                end[:, where],
                schedule.times[0],
                schedule.times[-1],
            )
        )
        shares = np.array([0.0, parameters.lift_off_share, parameters.strike_share, 1.0])
        times = begin_times[:, None] + durations[:, None] * shares
        rotations.append(turns_and_rests(initial[turn], times, timing, controls, schedule.times))
    return FootMotion((positions[0], positions[1]), (rotations[0], rotations[1]))


def turns_and_rests(
    initial: Array, times: Array, timing: Array, controls: Array, phase_times: Array
) -> QuaternionTrajectory:
    """A rotation that rests except for n turns of s segments each.

    initial (4,): before the first turn. times (n, s + 1): borders of the segments, s. timing (s, 6): parameter of each
    turn from 0 to 1. controls (n, 4, 4): quaternions of each turn. phase_times: of which the first and last count.
    """
    count = len(controls)
    if count == 0:
        controls = np.broadcast_to(initial, (1, 4, 4))
        return QuaternionTrajectory(
            CubicQuaternionSpline(controls),
            moves_and_rests(
                np.zeros(1), times, np.empty((0, 1, 6, 1)), np.empty((0, 1)), phase_times[0], phase_times[-1]
            ),
        )
    # Of each quaternion the sign that goes on from the turn before, so that their numbers are continuous too.
    same = (controls[:-1, 3] * controls[1:, 0]).sum(axis=1) >= 0.0
    signs = np.cumprod(np.append(1.0, np.where(same, 1.0, -1.0)))
    controls = controls * signs[:, None, None]
    number = np.arange(float(count))
    pieces = np.broadcast_to(timing[None, :, :, None], (count, *timing.shape, 1)).copy()
    pieces[:, :, 5, 0] += number[:, None]
    parameter = moves_and_rests(
        np.zeros(1), times, pieces, number[:, None] + 1.0, phase_times[0], phase_times[-1]
    )
    return QuaternionTrajectory(CubicQuaternionSpline(controls), parameter)
