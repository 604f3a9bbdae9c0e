"""Stages 9 and 11: how the hands move, and when they are in task space (Seiwald 2023)."""

from __future__ import annotations

from functools import cache
from typing import Annotated

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.compiler.routines.types import Fixed
from footfall.gait.pose_records import HandRecord, far
from footfall.math.interpolation import quintic_between, quintic_spline
from footfall.math.polynomials import Jet
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.courses import Segments, new_course
from footfall.motion.parameters import HandParameters, SelectionParameters
from footfall.motion.schedule import Schedule

_NO_FORCE = 1e-6  # N: a force below has no direction
StateMap = Annotated[Array, Fixed((3, 4))]  # from four control points to value, velocity and acceleration


def plan_hand(schedule: Schedule, hand: int, parameters: HandParameters) -> PolynomialTrajectory:
    """Position (3,) of a hand in the world, m; hand: 0 for RH, 1 for LH.

    It leaves and reaches surfaces along the force that acts on it there.
    """
    return hand_course(schedule, hand, parameters, _derivative_maps(parameters.time_share)).trajectory


def plan_selection(schedule: Schedule, hand: int, parameters: SelectionParameters) -> PolynomialTrajectory:
    """Task-space selection factor (1,) of a hand, in [0, 1]; hand: 0 for RH, 1 for LH."""
    return selection_course(schedule, hand, parameters).trajectory


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


def direction(force: Vector3) -> Vector3:
    """Of a force; zero without one."""
    return force / max(np.sqrt(force @ force), _NO_FORCE)


def control_points(begin: HandRecord, end: HandRecord, shape: HandParameters) -> ArrayOf[Vector3]:
    """The four points (4, 3) that a hand passes, Seiwald 2023, (6.16), (6.17)."""
    offset = shape.way_share * (end.position - begin.position)
    return np.array(
        [
            begin.position,
            begin.position + offset + shape.clearance_m * direction(begin.force),
            end.position - offset + shape.clearance_m * direction(end.force),
            end.position,
        ]
    )


@routine(quick=True)
def hand_course(schedule: Schedule, hand: int, shape: HandParameters, maps: ArrayOf[StateMap]) -> Segments:
    """Course of a hand, Seiwald 2023, (6.16)-(6.18). maps (4, 4): see `_derivative_maps`."""
    course = new_course(
        schedule.times[0], schedule.begin[0].hand(hand).position, 4 * len(schedule.motion) + 1
    )
    for p in range(len(schedule.motion)):
        k = schedule.transition[p]
        begin, end = schedule.begin[k].hand(hand), schedule.end[k].hand(hand)
        # Hands in null space, which have no say, follow their poses too: so their course is continuous. One that stays
        # on what it touches must not: rounding of its place would take it off and put it back.
        stays = begin.closed and end.closed
        moves = schedule.moving[k].hand(hand) or (not stays and far(begin.position, end.position, 0.0))
        if not schedule.motion[p] or not moves:
            continue
        start, stop = schedule.times[p], schedule.times[p + 1]
        margin, middle = shape.time_share, 1.0 - 2.0 * shape.time_share
        borders = (start + margin * (stop - start), stop - margin * (stop - start), stop)
        states = maps[int(begin.closed) + 2 * int(end.closed)]
        points = control_points(begin, end, shape)
        course.rest_until(start)
        for s, share in enumerate((margin, middle, margin)):
            before, after = states[s] @ points, states[s + 1] @ points
            first, last = Jet(before[0], before[1], before[2]), Jet(after[0], after[1], after[2])
            course.follow(quintic_between(first, last, share), borders[s])
        course.value[:] = end.position
    return course.ended(schedule.times[-1])


@routine(quick=True)
def selection_course(schedule: Schedule, hand: int, shares: SelectionParameters) -> Segments:
    """Task-space selection of a hand, Seiwald 2023, (6.20)."""
    first = float(schedule.begin[0].hand(hand).task_space)
    course = new_course(schedule.times[0], np.array([first]), 2 * len(schedule.motion) + 1)
    for p in range(len(schedule.motion)):
        k = schedule.transition[p]
        before, after = schedule.begin[k].hand(hand).task_space, schedule.end[k].hand(hand).task_space
        if not schedule.motion[p] or before == after:
            continue
        lag, lead = shares.into if after else shares.out
        start, stop = schedule.times[p], schedule.times[p + 1]
        duration = stop - start
        course.rest_until(start + lag * duration)
        course.blend_to(np.array([float(after)]), stop - lead * duration)
    return course.ended(schedule.times[-1])
