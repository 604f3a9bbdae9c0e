"""Stage 7: how the feet move (Seiwald 2023)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import call_native, new_records, routine
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.courses import Segments, new_course
from footfall.motion.parameters import FootParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.schedule import Schedule
from footfall.motion.swing_foot import (
    SEGMENTS,
    Swing,
    SwingCourse,
    SwingInputs,
    SwingShape,
    swing_kernel,
    swing_shape,
    tilt_timing,
)
from footfall.motion.turns import TurnSegments, TurnTiming, new_turns


class FootMotion(NamedTuple):
    """Position (3,) in m and rotation of RF and LF in the world."""

    positions: tuple[PolynomialTrajectory, PolynomialTrajectory]
    rotations: tuple[QuaternionTrajectory, QuaternionTrajectory]


def plan_feet(schedule: Schedule, model: ReducedModel, parameters: FootParameters) -> FootMotion:
    """Motion of both feet: swings in motion phases, rest otherwise."""
    code = SwingCode(
        swing_kernel().native_function().address,
        swing_shape(parameters, model.sole),
        tilt_timing(parameters),
        parameters.step_height_m,
    )
    right, left = foot_course(schedule, 0, code), foot_course(schedule, 1, code)
    return FootMotion(
        (right.position.trajectory, left.position.trajectory),
        (right.rotation.trajectory, left.rotation.trajectory),
    )


class SwingCode(NamedTuple):
    """How feet swing: the address of the native code of `swing_foot`, what it needs, and the usual step height, m."""

    address: int
    shape: SwingShape
    tilt: TurnTiming
    step_height: float


class FootCourse(NamedTuple):
    """The motion of a foot."""

    position: Segments
    rotation: TurnSegments


@routine(quick=True)
def foot_course(schedule: Schedule, foot: int, code: SwingCode) -> FootCourse:
    """A foot rests except for its swings."""
    start = schedule.begin[0].foot(foot)
    phases = len(schedule.motion)
    position = new_course(schedule.times[0], start.position, (SEGMENTS + 1) * phases + 1)
    rotation = new_turns(schedule.times[0], (len(code.tilt.pieces) + 1) * phases + 1)
    inputs, found = new_records(SwingInputs, 1), new_records(SwingCourse, 1)
    for p in range(phases):
        k = schedule.transition[p]
        if not schedule.motion[p] or not schedule.moving[k].foot(foot):
            continue
        begin, end = schedule.begin[k].foot(foot), schedule.end[k].foot(foot)
        stance = schedule.begin[k].foot(1 - foot).rotation
        height = code.step_height if np.isnan(schedule.step_height[k]) else schedule.step_height[k]
        # Seiwald 2023, (6.10): a foot that comes from the air or stays in it needs no clearance.
        height = height if begin.closed and end.closed else 0.0
        timing = schedule.swing_timing[k]
        swing = Swing(begin.position, begin.rotation, end.position, end.rotation, stance, height, timing)
        inputs[0] = SwingInputs(swing, code.shape)
        call_native(code.address, inputs, found)
        opening, closing = schedule.times[p], schedule.times[p + 1]
        borders = found[0].borders
        position.rest_until(opening + (closing - opening) * borders[0])
        for s in range(SEGMENTS):
            position.follow(found[0].pieces[s], opening + (closing - opening) * borders[s + 1])
        position.value[:] = end.position
        rotation.turn(found[0].controls, code.tilt, opening, closing)
    last = schedule.times[-1]
    return FootCourse(position.ended(last), rotation.ended(last, start.rotation))
