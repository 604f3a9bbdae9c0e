"""What hardware is asked for in a walk: how good its bus is, and what breaks when."""

from __future__ import annotations

import math
from typing import Literal, cast, get_args

import msgspec

from footfall.errors import InvalidInput

FaultName = Literal["bus", "motor", "encoder", "force"]
_KINDS = get_args(FaultName)


class BusQuality(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The bus to the servos, with 4 frames in a period of the controller. latency: frames that one takes, 0 to 3.
    jitter: probability that it takes one more. dropped: probability that it is lost. tolerated: how many in a row may
    be missing before the hardware stops."""

    latency: int = 1
    jitter: float = 0.0
    dropped: float = 0.0
    tolerated: int = 8

    def __post_init__(self) -> None:
        if not 0 <= self.latency <= 3 or not 0 <= self.tolerated <= 10_000:
            raise InvalidInput(
                f"a frame of the bus takes {self.latency} ticks and {self.tolerated} may be missing; it must be 0 to 3 "
                "and 0 to 10000"
            )
        if not (0.0 <= self.jitter <= 1.0 and 0.0 <= self.dropped <= 1.0):
            raise InvalidInput("probabilities of late and lost frames must be from 0 to 1")


def read_bus(text: str) -> BusQuality:
    """A bus as it is typed: LATENCY,JITTER,DROPPED."""
    try:
        latency, jitter, dropped = text.split(",")
        return BusQuality(int(latency), float(jitter), float(dropped))
    except ValueError:
        raise InvalidInput(
            f"bus {text!r} must be LATENCY,JITTER,DROPPED, such as 1,0.1,0.01 (ticks of 0.25 ms, probabilities)"
        ) from None


class HardwareFault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that breaks at a time, s, for some seconds. kind: bus, motor, encoder or force. name: of a joint, or RF
    or LF for force sensors. size: rad, by which an encoder jumps."""

    kind: FaultName
    start: float
    seconds: float = 1e4
    name: str = ""
    size: float = 0.5

    def __post_init__(self) -> None:
        if not all(math.isfinite(each) for each in (self.start, self.seconds, self.size)):
            raise InvalidInput(f"the fault of {self.name or self.kind!r} holds a number that is not finite")
        if self.start < 0.0 or not 0.0 < self.seconds <= 1e4:
            raise InvalidInput(
                f"the fault of {self.name or self.kind!r} begins at {self.start:g} s and lasts {self.seconds:g} s; it "
                "must not begin before 0 and must last"
            )

    @property
    def end(self) -> float:
        """s."""
        return self.start + self.seconds


def read_fault(text: str) -> HardwareFault:
    """A fault as it is typed: KIND[:NAME],START,SECONDS."""
    what, *numbers = text.split(",")
    kind, _, name = what.strip().partition(":")
    try:
        start, seconds = (float(number) for number in numbers)
    except ValueError:
        start = math.nan
    if math.isnan(start) or kind not in _KINDS:
        raise InvalidInput(
            f"fault {text!r} must be KIND,START,SECONDS or KIND:NAME,START,SECONDS, such as bus,3,0.01 or "
            f"motor:kfr,3,0.2 (s); kinds are {', '.join(_KINDS)}"
        )
    return HardwareFault(cast(FaultName, kind), start, seconds, name)
