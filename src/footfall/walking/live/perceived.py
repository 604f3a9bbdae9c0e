"""What vision told the planner of a live walk, on its way into a file: the planner's process takes it, answers carry it
to the loop's, and a thread there writes it. So one file has all of it, whatever becomes of planners."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from footfall.environment.vision.recordings import PerceptionRecorder
from footfall.messages.frames import Message
from footfall.walking.request import WalkRequest
from footfall.walking.vision.led_sight import perception_keeper


class Perceived(NamedTuple):
    """A container of vision as it came. acquired: when its picture was taken, arrived: when the robot took it, s."""

    message: Message
    acquired: float
    arrived: float


class PerceivedBox:
    """Keeps what was taken until it is asked for it."""

    def __init__(self) -> None:
        self._kept: list[Perceived] = []

    def add_message(self, message: Message, acquired: float, arrived: float) -> None:
        """Keep a container."""
        self._kept.append(Perceived(message, acquired, arrived))

    def take(self) -> tuple[Perceived, ...]:
        """What came since the last call."""
        kept, self._kept = tuple(self._kept), []
        return kept

    def close(self) -> None:
        """Nothing is open."""


class PerceptionWriter:
    """Follows a session and writes what it was given, if its request names a file for it."""

    def __init__(self, request: WalkRequest) -> None:
        self._recorder: PerceptionRecorder | None = perception_keeper(request)
        self._waiting: deque[Perceived] = deque()

    def put(self, perceived: Iterable[Perceived]) -> None:
        """Leave something to be written."""
        if self._recorder is not None:
            self._waiting.extend(perceived)

    def follow(self, session: object) -> None:
        """Write what waits."""
        while self._recorder is not None and self._waiting:
            self._recorder.add_message(*self._waiting.popleft())

    def close(self) -> None:
        """Finish the file."""
        if self._recorder is not None:
            self.follow(None)
            self._recorder.close()
