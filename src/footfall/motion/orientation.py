"""Stages 6 and 10: how upper body and head turn (spec 003c sections 5.4 and 5.8)."""

from __future__ import annotations

import numpy as np

from footfall.gait.poses import PoseRow
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.motion.feet import turns_and_rests
from footfall.motion.schedule import Schedule
from footfall.motion.stage_loops import body_turns, stretched

_WHOLE = np.array([[0.0, 1.0]])
_BLEND = np.array([[6.0, -15.0, 10.0, 0.0, 0.0, 0.0]])  # from 0 to 1, at rest at both ends


def plan_upper_body(schedule: Schedule) -> QuaternionTrajectory:
    """Rotation of the upper body in the world: it turns in motion phases, at rest at their ends."""
    return _turning(schedule, 4, PoseRow.UPPER_BODY)


def plan_head(schedule: Schedule) -> QuaternionTrajectory:
    """Rotation of the head in the world."""
    return _turning(schedule, 5, PoseRow.HEAD)


def _turning(schedule: Schedule, part: int, columns: slice) -> QuaternionTrajectory:
    controls, which = body_turns(
        schedule.begin, schedule.end, schedule.moving, schedule.motion_transition, part, columns.start
    )
    borders = stretched(_WHOLE, which, schedule.motion_begin, schedule.motion_end)
    first, last = float(schedule.times[0]), float(schedule.times[-1])
    return turns_and_rests(schedule.begin[0, columns], borders, _BLEND, controls, first, last)
