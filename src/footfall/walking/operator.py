"""What an operator switches: power, activity, the emergency stop, force control, and sensors that are tared.

The states are those of the source's panel (Seiwald 2023, sections 4.7 and 7.6), in an order that cannot be left out:

    off --power on--> ready --activate--> active --deactivate--> ready --power off--> off
    any --emergency stop, failure--> error --reset--> off

A robot that is not active takes no orders. In states without power nothing moves its joints: where drives are simulated
(full mode) it sinks; where joints are prescribed they stand still.
"""

from __future__ import annotations

from typing import Any

from footfall.errors import InvalidInput
from footfall.walking import signals as told
from footfall.walking.hardware import Stage, Trouble, fail
from footfall.walking.settings import WalkSettings
from footfall.walking.walker import Walker

_AVERAGED = 0.2  # s, of readings that a tare takes the mean of
_HANDS = slice(12, 18)  # places of hands in the offsets of sensors
_NAMES = {Stage.OFF: "off", Stage.READY: "ready", Stage.ACTIVE: "active", Stage.ERROR: "in error"}
_NEXT = {
    Stage.OFF: "give it power by `power` with on = true",
    Stage.READY: "activate it by `activate`",
    Stage.ACTIVE: "let it stop and deactivate it by `deactivate`",
    Stage.ERROR: "reset it by `reset`",
}


class Operator:
    """The state that a robot is in, and what signals do to it."""

    def __init__(self, walker: Walker, settings: WalkSettings) -> None:
        self._walker = walker
        self._waits = False  # it is ready, and the operator has not activated it
        self._moving = False  # it was moving when its power went
        gains = settings.gains
        self._rates = {"gains.force_rate": gains.force_rate, "gains.hand_rate": gains.hand_rate}

    @property
    def stage(self) -> Stage:
        """Of the robot; it begins active."""
        found = Stage(int(self._walker.hardware.state.stage[0]))
        if found is Stage.READY and not self._waits:
            return Stage.ACTIVE  # servos answer with the first tick
        return Stage.READY if self._waits and found is Stage.ACTIVE else found

    def require_active(self, word: str) -> None:
        """Orders are for robots that are active."""
        if self.stage is not Stage.ACTIVE:
            raise InvalidInput(f"{word!r} is refused: the robot is {_NAMES[self.stage]}; {_NEXT[self.stage]}")

    def operate(self, signal: told.AnySignal, *, rests: bool) -> None:
        """Carry out what an operator says; refused where the state does not allow it. rests: whether the robot's motion
        is over."""
        state = self._walker.hardware.state
        match signal:
            case told.EmergencyStop():
                self._moving = self._moving or not rests
                fail(state, Trouble.EMERGENCY, 0)
            case told.Reset():
                self._require(signal, Stage.ERROR)
                self._go(Stage.OFF)
            case told.Power(on=True):
                self._require(signal, Stage.OFF)
                if self._moving:
                    raise InvalidInput(
                        "'power' is refused: the robot lost its power in the middle of a motion and does not stand "
                        "as it should; begin another walk"
                    )
                self._waits = True
                self._hold()
                self._go(Stage.READY)
            case told.Power():
                self._require(signal, Stage.READY)
                self._go(Stage.OFF)
            case told.Activate():
                self._require(signal, Stage.READY)
                self._waits = False
                self._go(Stage.ACTIVE)
            case told.Deactivate():
                self._require(signal, Stage.ACTIVE)
                if not rests:
                    raise InvalidInput("'deactivate' is refused: the robot walks; tell it to `stop` first")
                self._waits = True
            case told.Tare():
                self._tare()

    def forces(self, factor: float) -> dict[str, Any]:
        """Parameters by which force control has a share of its strength."""
        return {name: factor * rate for name, rate in self._rates.items()}

    def _require(self, signal: told.AnySignal, stage: Stage) -> None:
        if self.stage is not stage:
            raise InvalidInput(
                f"{signal.word!r} is refused: the robot is {_NAMES[self.stage]}, not {_NAMES[stage]}; "
                f"{_NEXT[self.stage]}"
            )

    def _go(self, stage: Stage) -> None:
        self._walker.hardware.state.stage[0] = stage

    def _hold(self) -> None:
        """Set points begin where joints are."""
        state, settings = self._walker.hardware.state, self._walker.hardware.settings
        if settings.ticks > 0:
            state.target[:] = state.measured

    def _tare(self) -> None:
        """Let hands that touch nothing measure nothing."""
        walker = self._walker
        rows = max(1, round(_AVERAGED / walker.row_time))
        log = walker.log_from(max(walker.rows - rows, 0))
        touching = any(log.signals[name].any() for name in ("right_hand", "left_hand"))
        if len(log.q) < rows or touching:
            raise InvalidInput(
                "'tare' is refused: hands must have touched nothing for 0.2 s; let the robot stand free"
            )
        walker.brain.noise.offsets[_HANDS] -= log.sensors.hands.mean(axis=0).reshape(6)
