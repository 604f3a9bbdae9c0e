"""What an operator switches: power, activity, the emergency stop, force control, and sensors that are tared.

The states are those of the source's panel (Seiwald 2023, sections 4.7 and 7.6), in an order that cannot be left out:

    off --power on--> ready --activate--> active --deactivate--> ready --power off--> off
    ready --home--> homing --all stops found--> ready
    any --emergency stop, failure--> error --reset--> off

A robot that is not active takes no orders. In states without power nothing moves its joints: where drives are simulated
(full mode) it sinks; where joints are prescribed they stand still.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from footfall.errors import InvalidInput, UnknownName
from footfall.robot.drives.homing import HomingState
from footfall.walking import signals as kinds
from footfall.walking.hardware import FaultKind, Stage, Trouble, fail
from footfall.walking.settings import WalkSettings
from footfall.walking.walker import Walker

_AVERAGED = 0.2  # s, of readings that a tare takes the mean of
_AWAY = 1e-6  # rad, from which on a joint counts as moved by hand
_HEADROOM = 0.6  # of a drive's velocity, that sweeps may use
_HANDS = slice(12, 18)  # places of hands in the offsets of sensors
_NAMES = {
    Stage.OFF: "off",
    Stage.READY: "ready",
    Stage.ACTIVE: "active",
    Stage.ERROR: "in error",
    Stage.HOMING: "homing",
}
_NEXT = {
    Stage.OFF: "give it power by `power` with on = true",
    Stage.READY: "activate it by `activate`",
    Stage.ACTIVE: "let it stop and deactivate it by `deactivate`",
    Stage.ERROR: "reset it by `reset`",
    Stage.HOMING: "wait until its joints have found their stops",
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
        if self.moved_by_hand:
            raise InvalidInput(
                f"{word!r} is refused: {', '.join(self.moved_by_hand)} moved by hand; give joints back by `joint` "
                'with name = "all" and wait until they are there'
            )

    @property
    def moved_by_hand(self) -> tuple[str, ...]:
        """Names of joints that are not where the controller wants them."""
        walker = self._walker
        hand, names = walker.hardware.hand, walker.code.body.joint_names
        away = tuple(name for name, offset in zip(names, hand.offsets, strict=True) if abs(offset) > _AWAY)
        return away or ((names[hand.sweep[0]["joint"]],) if hand.active[0] else ())

    def operate(self, signal: kinds.AnySignal, *, rests: bool) -> None:
        """Carry out what an operator says; refused where the state does not allow it. rests: whether the robot's motion
        is over."""
        state = self._walker.hardware.state
        match signal:
            case kinds.EmergencyStop():
                self._moving = self._moving or not rests
                fail(state, Trouble.EMERGENCY, 0)
            case kinds.Reset():
                self._require(signal, Stage.ERROR)
                self._go(Stage.OFF)
            case kinds.Power(on=True):
                self._require(signal, Stage.OFF)
                if self._moving:
                    raise InvalidInput(
                        "'power' is refused: the robot lost its power in the middle of a motion and does not stand "
                        "as it should; begin another walk"
                    )
                self._waits = True
                self._hold()
                self._go(Stage.READY)
            case kinds.Power():
                self._require(signal, Stage.READY)
                self._go(Stage.OFF)
            case kinds.Activate():
                self._require(signal, Stage.READY)
                self._waits = False
                self._go(Stage.ACTIVE)
            case kinds.Deactivate():
                self._require(signal, Stage.ACTIVE)
                if not rests:
                    raise InvalidInput("'deactivate' is refused: the robot walks; tell it to `stop` first")
                self._waits = True
            case kinds.Tare():
                self._tare()
            case kinds.Home():
                self._require(signal, Stage.READY)
                self._home()
            case kinds.Calibrate():
                self._require(signal, Stage.OFF)
                self._calibrate()
            case kinds.MoveJoint(name=name, offset=offset):
                self._require(signal, Stage.ACTIVE)
                self._move(name, offset, rests=rests)
            case kinds.SweepJoint():
                self._require(signal, Stage.ACTIVE)
                self._sweep(signal, rests=rests)
            case kinds.FeedVelocity(name=name, share=share):
                self._walker.hardware.settings.ahead[self._joints(name)] = share

    def forces(self, factor: float) -> dict[str, Any]:
        """Parameters by which force control has a share of its strength."""
        return {name: factor * rate for name, rate in self._rates.items()}

    def _require(self, signal: kinds.AnySignal, stage: Stage) -> None:
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
        hand = self._walker.hardware.hand
        hand.offsets[:], hand.wanted[:], hand.rates[:], hand.active[0] = 0.0, 0.0, 0.0, 0

    def _joints(self, name: str) -> list[int]:
        names = self._walker.code.body.joint_names
        if name != "all" and name not in names:
            raise UnknownName("joint", name, ("all", *names), "the robot")
        return [k for k, each in enumerate(names) if name in ("all", each)]

    def _require_still(self, word: str, *, rests: bool) -> None:
        left = float(self._walker.hardware.hand.sweep[0]["end"]) - self._walker.time
        if not rests:
            raise InvalidInput(f"{word!r} is refused: the robot walks; tell it to `stop` first")
        if left > 0.0:
            raise InvalidInput(f"{word!r} is refused: a sweep runs for another {left:.1f} s")

    def _move(self, name: str, offset: float, *, rests: bool) -> None:
        """Let joints go beside where the controller wants them."""
        self._require_still("joint", rests=rests)
        chosen = self._joints(name)
        for k in chosen:
            if offset != 0.0:
                self._require_room("joint", k, offset, offset)
        hand = self._walker.hardware.hand
        hand.wanted[chosen] = offset
        hand.active[0] = 1

    def _sweep(self, signal: kinds.SweepJoint, *, rests: bool) -> None:
        """Let a joint swing through frequencies."""
        walker, hand, words = self._walker, self._walker.hardware.hand, "'sweep' is refused: "
        if walker.options.mode != "full":
            raise InvalidInput(
                words + "joints are prescribed, there is no drive to listen to; choose mode full"
            )
        self._require_still("sweep", rests=rests)
        if signal.name == "all":
            raise InvalidInput(words + "one joint after the other, not all of them")
        (k,) = self._joints(signal.name)
        away = float(hand.wanted[k])
        self._require_room("sweep", k, away - signal.amplitude, away + signal.amplitude)
        peak = 2.0 * math.pi * max(signal.first, signal.last) * signal.amplitude
        most = _HEADROOM * float(walker.code.driven_limits.velocity[walker.code.body.driven[k]])
        if peak > most:
            raise InvalidInput(
                f"{words}{signal.name!r} would move with {peak:.2f} rad/s, its drive has {most:.2f} for this; "
                f"lower amplitude or last below {signal.amplitude * most / peak:.3f} rad or "
                f"{max(signal.first, signal.last) * most / peak:.1f} Hz"
            )
        begin = walker.time
        hand.sweep[0] = (k, begin, begin + signal.seconds, signal.amplitude, signal.first, signal.last)
        hand.known[0], hand.active[0] = 0, 1

    def _require_room(self, word: str, joint: int, low: float, high: float) -> None:
        """A joint that is by so much beside what the controller wants must keep its limits."""
        walker, body = self._walker, self._walker.code.body
        place = body.coordinates[joint]
        usual = float(np.array(walker.brain.state.q)[place])
        lower, upper = float(body.robot.lower_limits[place]), float(body.robot.upper_limits[place])
        if usual + low < lower or usual + high > upper:
            raise InvalidInput(
                f"{word!r} is refused: {body.joint_names[joint]!r} is at {usual:.2f} rad within {lower:.2f} to "
                f"{upper:.2f}; it can go from {lower - usual:.2f} to {upper - usual:.2f} rad beside that"
            )

    def _home(self) -> None:
        """Let joints without absolute encoder look for their stops."""
        hardware = self._walker.hardware
        if self._walker.options.mode != "full":
            raise InvalidInput("'home' is refused: joints are prescribed, no stop is felt; choose mode full")
        if len(hardware.homing) == 0:
            raise InvalidInput("'home' is refused: all joints of this robot have absolute encoders")
        for joint in hardware.homing:
            joint["state"] = HomingState()
        self._go(Stage.HOMING)

    def _calibrate(self) -> None:
        """Encoders that have jumped say again where joints are: the jig tells by how much they are off."""
        hardware = self._walker.hardware
        now = hardware.settings.tick * int(hardware.state.ticks[0])
        for fault in hardware.faults:
            if fault["kind"] == FaultKind.ENCODER and fault["start"] <= now < fault["end"]:
                hardware.state.measured[fault["number"]] -= fault["size"]
                fault["end"] = now

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
