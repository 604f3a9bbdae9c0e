"""Homing of joints without absolute encoder: drive slowly into a stop whose position is known (Seiwald 2023, 3.7)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum

from footfall.errors import RobotError
from footfall.option_checks import require_above_zero


class HomingPhase(StrEnum):
    """What a homing joint does."""

    SEEKING = "seeking"  # moves towards the stop
    LEAVING = "leaving"  # has found it and moves off
    HOMED = "homed"
    FAILED = "failed"  # no stop within the joint's range, or no motion off it


@dataclass(frozen=True, slots=True)
class HomingState:
    """phase, how long it lasts (s), how long the joint has been standing still against the motor (s), the count of the
    incremental encoder where the phase began (rad at the joint), and what to add to a count for the joint's position
    (rad, NaN until known)."""

    phase: HomingPhase = HomingPhase.SEEKING
    elapsed: float = 0.0
    standing: float = 0.0
    began: float = math.nan
    offset: float = math.nan


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

    def step(
        self, state: HomingState, period: float, *, count: float, velocity: float, current: float
    ) -> HomingState:
        """The state after `period` (s) with this encoder count (rad), velocity (rad/s) and current (A)."""
        if state.phase in (HomingPhase.HOMED, HomingPhase.FAILED):
            return state
        began = count if math.isnan(state.began) else state.began
        state = replace(state, elapsed=state.elapsed + period, began=began)
        if state.elapsed > self.timeout:
            return replace(state, phase=HomingPhase.FAILED)
        if state.phase is HomingPhase.SEEKING:
            return self._seek(state, period, count, velocity, current)
        if abs(count - state.began) >= self.release:
            return replace(state, phase=HomingPhase.HOMED)
        return state

    def command(self, state: HomingState) -> float:
        """Velocity to command, rad/s."""
        return {HomingPhase.SEEKING: self.speed, HomingPhase.LEAVING: -self.speed}.get(state.phase, 0.0)

    def _seek(
        self, state: HomingState, period: float, count: float, velocity: float, current: float
    ) -> HomingState:
        if abs(count - state.began) > self.travel:
            return replace(state, phase=HomingPhase.FAILED)
        pushing = current * math.copysign(1.0, self.speed) >= self.current
        standing = state.standing + period if pushing and abs(velocity) <= self.stall_speed else 0.0
        if standing < self.stall_time:
            return replace(state, standing=standing)
        return HomingState(HomingPhase.LEAVING, 0.0, 0.0, count, self.stop - count)
