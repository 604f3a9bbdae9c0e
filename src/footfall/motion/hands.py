"""Stages 9 and 11: how the hands move, and when they are in task space (spec 003c sections 5.7 and 5.9)."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from footfall.gait.poses import PoseRow
from footfall.math.interpolation import quintic_spline
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.moves import hermite_pieces, moves_and_rests, rest_to_rest_pieces
from footfall.motion.parameters import HandParameters, SelectionParameters
from footfall.motion.schedule import Schedule

Array = np.ndarray[Any, np.dtype[np.float64]]
_NO_FORCE = 1e-6  # N: a force below has no direction


def plan_hand(schedule: Schedule, hand: int, parameters: HandParameters) -> PolynomialTrajectory:
    """Position (3,) of a hand in the world, m; hand: 0 for RH, 1 for LH.

    It leaves and reaches surfaces along the force that acts on it there, 003c (6.16)-(6.18).
    """
    columns, closed = PoseRow.HAND_POSITION[hand], PoseRow.CLOSED.start + 2 + hand
    owner = schedule.motion_transition
    # Hands in null space, which have no say, follow their poses too: so their course is continuous.
    moves = (schedule.begin[owner, columns] != schedule.end[owner, columns]).any(axis=1)
    moves |= schedule.moving[owner, 2 + hand]
    transitions = owner[moves]
    begin, end = schedule.begin[transitions], schedule.end[transitions]
    start, goal = begin[:, columns], end[:, columns]
    way = goal - start
    share = parameters.time_share
    times = schedule.motion_begin[moves][:, None] + (schedule.motion_end - schedule.motion_begin)[moves][
        :, None
    ] * np.array([0.0, share, 1.0 - share, 1.0])
    force = slice(PoseRow.WRENCH[hand].start, PoseRow.WRENCH[hand].start + 3)
    opening, closing = begin[:, closed] > 0.5, end[:, closed] > 0.5
    points = np.stack(
        [
            start,
            start + parameters.way_share * way + parameters.clearance_m * _direction(begin[:, force]),
            goal - parameters.way_share * way + parameters.clearance_m * _direction(end[:, force]),
            goal,
        ],
        axis=1,
    )
    # Which of the inner points count decides on the spline; its derivatives are linear in the points.
    maps = _derivative_maps(share)[opening.astype(int) + 2 * closing.astype(int)]
    states = np.einsum("nksp,npd->nksd", maps, points)
    pieces = hermite_pieces(states, np.broadcast_to([share, 1.0 - 2 * share, share], (len(points), 3)))
    return moves_and_rests(
        schedule.begin[0, columns], times, pieces, goal, schedule.times[0], schedule.times[-1]
    )


def plan_selection(schedule: Schedule, hand: int, parameters: SelectionParameters) -> PolynomialTrajectory:
    """Task-space selection factor (1,) of a hand, in [0, 1]; hand: 0 for RH, 1 for LH."""
    column = PoseRow.SELECTION.start + hand
    owner = schedule.motion_transition
    begin, end = schedule.begin[owner, column], schedule.end[owner, column]
    blends = begin != end
    begin, end = begin[blends], end[blends]
    lag, lead = np.where((end > begin)[:, None], parameters.into, parameters.out).T
    start, duration = schedule.motion_begin[blends], (schedule.motion_end - schedule.motion_begin)[blends]
    times = start[:, None] + duration[:, None] * np.stack([lag, 1.0 - lead], axis=1)
    pieces = rest_to_rest_pieces(np.stack([begin, end], axis=1)[:, :, None])
    return moves_and_rests(
        schedule.begin[0, column : column + 1],
        times,
        pieces,
        end[:, None],
        schedule.times[0],
        schedule.times[-1],
    )


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
    maps.flags.writeable = False
    return maps


def _direction(force: Array) -> Array:
    """Unit vectors (n, 3) of forces (n, 3); zero where there is none."""
    size = np.sqrt((force * force).sum(axis=1))[:, None]
    return np.asarray(force / np.maximum(size, _NO_FORCE))
