"""Stages 6 and 10: how upper body and head turn (Seiwald 2023)."""

from __future__ import annotations

import numpy as np

from footfall.compiler.routines import routine
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.motion.schedule import Schedule
from footfall.motion.turns import TurnSegments, TurnTiming, new_turns

# From 0 to 1, at rest at both ends.
_BLEND = TurnTiming(np.array([0.0, 1.0]), np.array([[6.0, -15.0, 10.0, 0.0, 0.0, 0.0]]))


def plan_upper_body(schedule: Schedule) -> QuaternionTrajectory:
    """Rotation of the upper body in the world: it turns in motion phases, at rest at their ends."""
    return turning_course(schedule, False).trajectory


def plan_head(schedule: Schedule) -> QuaternionTrajectory:
    """Rotation of the head in the world."""
    return turning_course(schedule, True).trajectory


@routine(quick=True)
def turning_course(schedule: Schedule, head: bool) -> TurnSegments:
    """Rotation of the head, or of the upper body."""
    turns = new_turns(schedule.times[0], 2 * len(schedule.motion) + 1)
    for p in range(len(schedule.motion)):
        k = schedule.transition[p]
        begin, end, moving = schedule.begin[k], schedule.end[k], schedule.moving[k]
        if schedule.motion[p] and (moving.head if head else moving.upper_body):
            before, after = (begin.head, end.head) if head else (begin.upper_body, end.upper_body)
            after = -after if before @ after < 0.0 else after
            controls = np.array([before, before, after, after])
            turns.turn(controls, _BLEND, schedule.times[p], schedule.times[p + 1])
    initial = schedule.begin[0].head if head else schedule.begin[0].upper_body
    return turns.ended(schedule.times[-1], initial)
