"""Stages 9 and 11: how the hands move, and when they are in task space (spec 003c sections 5.7 and 5.9)."""

from __future__ import annotations

from functools import cache

import numpy as np

from footfall.arrays import Array
from footfall.math.interpolation import quintic_spline
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.courses import filled, room
from footfall.motion.parameters import HandParameters, SelectionParameters
from footfall.motion.schedule import Schedule
from footfall.motion.stage_loops import hand_course, selection_course


def plan_hand(schedule: Schedule, hand: int, parameters: HandParameters) -> PolynomialTrajectory:
    """Position (3,) of a hand in the world, m; hand: 0 for RH, 1 for LH.

    It leaves and reaches surfaces along the force that acts on it there.
    """
    times, pieces = room(schedule, 4 * len(schedule.motion_transition) + 1, 3)
    size = hand_course(
        schedule.begin,
        schedule.end,
        schedule.moving,
        schedule.motion_transition,
        schedule.motion_begin,
        schedule.motion_end,
        hand,
        _derivative_maps(parameters.time_share),
        np.array([parameters.time_share, parameters.way_share, parameters.clearance_m]),
        times,
        pieces,
    )
    return filled(times, pieces, size)


def plan_selection(schedule: Schedule, hand: int, parameters: SelectionParameters) -> PolynomialTrajectory:
    """Task-space selection factor (1,) of a hand, in [0, 1]; hand: 0 for RH, 1 for LH."""
    times, pieces = room(schedule, 2 * len(schedule.motion_transition) + 1, 1)
    size = selection_course(
        schedule.begin,
        schedule.end,
        schedule.motion_transition,
        schedule.motion_begin,
        schedule.motion_end,
        hand,
        np.array([parameters.into, parameters.out]),
        times,
        pieces,
    )
    return filled(times, pieces, size)


@cache
def _derivative_maps(share: float) -> Array:
    """Maps (4, 4 borders, 3 derivatives, 4 points): the smooth spline through the points that count, at the borders.

    First index: +1 if the second point counts, +2 if the third one does. Time runs from 0 to 1.
    """
    borders = np.array([0.0, share, 1.0 - share, 1.0])
    maps = np.zeros((4, 4, 3, 4))
    for case in range(4):
        counting = [0, *([1] if case & 1 else []), *([2] if case & 2 else []), 3]
        spline = quintic_spline(borders[counting], np.eye(4)[counting])
        maps[case] = spline.sample(borders, 2).transpose(1, 0, 2)
        maps[case][-1, 1:] = 0.0
    return maps
