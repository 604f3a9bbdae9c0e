"""Stages 6 and 10: how upper body and head turn (spec 003c sections 5.4 and 5.8)."""

from __future__ import annotations

import numpy as np

from footfall.gait.poses import PoseRow
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.motion.courses import turns_and_rests
from footfall.motion.schedule import Schedule
from footfall.motion.stage_loops import body_turns

_WHOLE = np.array([0.0, 1.0])
_BLEND = np.array([[6.0, -15.0, 10.0, 0.0, 0.0, 0.0]])  # from 0 to 1, at rest at both ends


def plan_upper_body(schedule: Schedule) -> QuaternionTrajectory:
    """Rotation of the upper body in the world: it turns in motion phases, at rest at their ends."""
    return _turning(schedule, 4, PoseRow.UPPER_BODY)


def plan_head(schedule: Schedule) -> QuaternionTrajectory:
    """Rotation of the head in the world."""
    return _turning(schedule, 5, PoseRow.HEAD)


def _turning(schedule: Schedule, part: int, columns: slice) -> QuaternionTrajectory:
    owner = schedule.motion_transition
    controls, which = np.empty((len(owner), 4, 4)), np.empty(len(owner), dtype=np.int64)
    count = body_turns(
        schedule.begin, schedule.end, schedule.moving, owner, part, columns.start, controls, which
    )
    initial = schedule.begin[0, columns]
    return turns_and_rests(schedule, initial, controls[:count], which[:count], _WHOLE, _BLEND)
