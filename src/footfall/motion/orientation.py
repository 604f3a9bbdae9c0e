"""Stages 6 and 10: how upper body and head turn (spec 003c sections 5.4 and 5.8)."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.gait.poses import PoseRow
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.motion.feet import turns_and_rests
from footfall.motion.moves import REST_TO_REST
from footfall.motion.schedule import Schedule

Array = np.ndarray[Any, np.dtype[np.float64]]


def plan_upper_body(schedule: Schedule) -> QuaternionTrajectory:
    """Rotation of the upper body in the world: it turns in motion phases, at rest at their ends."""
    return _turning(schedule, 4, PoseRow.UPPER_BODY)


def plan_head(schedule: Schedule) -> QuaternionTrajectory:
    """Rotation of the head in the world."""
    return _turning(schedule, 5, PoseRow.HEAD)


def _turning(schedule: Schedule, part: int, columns: slice) -> QuaternionTrajectory:
    turns = schedule.moving[schedule.motion_transition, part]
    transitions = schedule.motion_transition[turns]
    begin, end = schedule.begin[transitions][:, columns], schedule.end[transitions][:, columns]
    opposite = (begin * end).sum(axis=1) < 0.0
    end = np.where(opposite[:, None], -end, end)
    controls = np.stack([begin, begin, end, end], axis=1)
    times = np.stack([schedule.motion_begin[turns], schedule.motion_end[turns]], axis=1)
    return turns_and_rests(schedule.begin[0, columns], times, REST_TO_REST[None], controls, schedule.times)
