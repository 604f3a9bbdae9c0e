"""Homing of joints without absolute encoder: drive slowly into a stop whose position is known (Seiwald 2023, 3.7).

Plain functions on numbers, which walks run natively; `Homing` checks what it is made of.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from footfall.errors import RobotError
from footfall.option_checks import require_above_zero


class HomingPhase(IntEnum):
    """What a homing joint does."""

    SEEKING = 0  # moves towards the stop
    LEAVING = 1  # has found it and moves off
    HOMED = 2
    FAILED = 3  # no stop within the joint's range, or no motion off it


class HomingState(NamedTuple):
    """phase, how long it lasts (s), how long the joint has been standing still against the motor (s), the count of the
    incremental encoder where the phase began (rad at the joint), and what to add to a count for the joint's position
    (rad, NaN until known)."""

    phase: int = HomingPhase.SEEKING
    elapsed: float = 0.0
    standing: float = 0.0
    began: float = math.nan
    offset: float = math.nan


class HomingCourse(NamedTuple):
    """The numbers of `Homing`."""

    stop: float
    speed: float
    current: float
    travel: float
    stall_speed: float
    stall_time: float
    release: float
    timeout: float


def homing_step(
    course: HomingCourse, state: HomingState, period: float, count: float, velocity: float, current: float
) -> HomingState:
    """The state after a period, s, with this encoder count (rad), velocity (rad/s) and current (A)."""
    if state.phase == HomingPhase.HOMED or state.phase == HomingPhase.FAILED:
        return state
    began = count if np.isnan(state.began) else state.began
    state = state._replace(elapsed=state.elapsed + period, began=began)
    if state.elapsed > course.timeout:
        return state._replace(phase=HomingPhase.FAILED)
    if state.phase == HomingPhase.LEAVING:
        away = abs(count - began) >= course.release
        return state._replace(phase=HomingPhase.HOMED) if away else state
    if abs(count - began) > course.travel:
        return state._replace(phase=HomingPhase.FAILED)
    towards = current if course.speed > 0.0 else -current
    stands = towards >= course.current and abs(velocity) <= course.stall_speed
    standing = state.standing + period if stands else 0.0
    if standing < course.stall_time:
        return state._replace(standing=standing)
    return HomingState(HomingPhase.LEAVING, 0.0, 0.0, count, course.stop - count)


def homing_rate(course: HomingCourse, state: HomingState) -> float:
    """Velocity to command, rad/s."""
    if state.phase == HomingPhase.SEEKING:
        return course.speed
    return -course.speed if state.phase == HomingPhase.LEAVING else 0.0


@dataclass(frozen=True, slots=True)
class Homing:
    """How to home a joint.

    stop: its known position, rad. speed: towards the stop, rad/s, negative if it is the lower one. current: A at which
    a joint that stands has met it. stall_speed: rad/s below which it stands. stall_time: s that it must stand.
    release: rad to move off the stop. travel: greatest way to the stop, rad. timeout: s for each phase.
    """

    stop: float
    speed: float
    current: float
    travel: float
    stall_speed: float = 0.005
    stall_time: float = 0.1
    release: float = 0.05
    timeout: float = 60.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.stop) and math.isfinite(self.speed)):
            raise RobotError(f"stop {self.stop} rad and speed {self.speed} rad/s of homing must be finite")
        names = ("current", "travel", "stall_speed", "stall_time", "release", "timeout")
        require_above_zero(self, *names, of=" of homing", error=RobotError)
        if abs(self.speed) <= self.stall_speed:
            raise RobotError(
                f"speed of homing is {self.speed} rad/s; it must be above stall_speed, {self.stall_speed}, in amount"
            )

    @property
    def course(self) -> HomingCourse:
        """As plain numbers."""
        return HomingCourse(*(getattr(self, each.name) for each in fields(self)))

    def step(
        self, state: HomingState, period: float, *, count: float, velocity: float, current: float
    ) -> HomingState:
        """The state after `period` (s) with this encoder count (rad), velocity (rad/s) and current (A)."""
        return homing_step(self.course, state, period, count, velocity, current)

    def command(self, state: HomingState) -> float:
        """Velocity to command, rad/s."""
        return homing_rate(self.course, state)
