"""The walk's end of the vision interface: it connects to the process that sees, again and again if it must.

Threads of their own connect and read. What is wrong with a message is found where it arrives: it is refused and
counted, and a peer that sends nothing else is left.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections import deque
from typing import NamedTuple

import numpy as np

from footfall.environment.vision.alignment import PoseHistory, tilt_between
from footfall.environment.vision.codec import container_message, read_container
from footfall.environment.vision.containers import ControlToVision, MotionCapture, VisionToControl
from footfall.errors import InvalidMessage, PeerGone
from footfall.math.transform import Transform
from footfall.messages.connection import Connection, LinkOptions, connect
from footfall.messages.frames import Message
from footfall.walking.request import vision_address

BEGIN = "begin"  # signal to vision: begin a map, the camera is told where it is in the world of that map
TOKEN = "FOOTFALL_VISION_TOKEN"  # variable that holds the secret of both ends
LIMITS = LinkOptions(waiting=64, whole=10.0, most=32 * 2**20, unpacked=128 * 2**20)
_AGAIN = 0.2  # s, between two tries to connect
_FIRST, _PROMPT, _SLOW = (
    10.0,
    2.0,
    0.2,
)  # s, that an answer is waited for: the first, of a peer that answers, of others
_REMEMBERED = 60.0  # s, for which it is known what vision was told
_BEHIND, _SELDOM = 3.0, 1.0  # s, of its answers, from which on it is asked so seldom
_MOST_WAITING = 64  # containers that wait to be taken
_REFUSED = 100  # containers one after the other: then the peer is left
_ECHO_M, _ECHO_RAD = 0.05, 0.1  # that the pose which vision sends back may differ from the one it was told
_TILTED = math.radians(10.0)  # of the worlds against each other


class Arrived(NamedTuple):
    """A container of vision, and the message that it came in."""

    container: VisionToControl
    message: Message | None = None


class VisionLink:
    """A connection to vision that comes back. waits: whether `take` waits for the answer to what was asked last, as
    walks that do not run in real time do: simulated time stands still meanwhile."""

    def __init__(self, address: str, *, waits: bool = True, token: str | None = None) -> None:
        self.address, self._waits = address, waits
        self._place = vision_address(address)
        secret = os.environ.get(TOKEN, "") if token is None else token
        self._options = LinkOptions(
            LIMITS.waiting, whole=LIMITS.whole, token=secret, most=LIMITS.most, unpacked=LIMITS.unpacked
        )
        self.refused = self.connections = 0
        self.problem = "never connected"
        self._history, self._begun = PoseHistory(seconds=_REMEMBERED), math.inf  # s, when it was asked first
        self._news = threading.Condition()
        self._arrived: deque[Arrived] = deque()
        self._connection: Connection | None = None
        self._greeted: Connection | None = None
        self._asked, self._answered, self._prompt = -math.inf, -math.inf, True
        self._row = 0  # refused one after the other
        self._open = True
        self._keeper = threading.Thread(target=self._keep, name="vision", daemon=True)
        self._keeper.start()
        with self._news:
            self._news.wait_for(lambda: self._connection is not None, _FIRST if waits else _SLOW)

    @property
    def up(self) -> bool:
        """Whether vision is connected."""
        connection = self._connection
        return connection is not None and connection.open

    @property
    def status(self) -> str:
        """What is known of the connection."""
        state = "connected, but silent" if self.up else self.problem
        return f"vision at {self.address}: {state}" + (f", {self.refused} refused" if self.refused else "")

    def renewed(self) -> bool:
        """Whether there is a new connection since this was asked last."""
        connection = self._connection
        if connection is None or not connection.open or connection is self._greeted:
            return False
        self._greeted, self._begun = connection, math.inf
        self._history = PoseHistory(seconds=_REMEMBERED)
        return True

    def skip(self, time: float) -> None:
        """A connection begins with the whole map: nothing of it is another's."""

    def ask(self, report: ControlToVision, truth: MotionCapture) -> None:
        """Send both; never waits, and does nothing while nobody is connected."""
        connection = self._connection
        if connection is None or connection is not self._greeted:
            return
        if self._is_behind(report):
            return
        if not any(each.name == BEGIN for each in report.signals):
            self._history.add(report)
        try:
            connection.send(container_message(truth))
            connection.send(container_message(report))
        except PeerGone:
            return
        self._asked = report.acquired
        if self._begun == math.inf:
            self._begun = report.acquired

    def _is_behind(self, report: ControlToVision) -> bool:
        """Whether vision has so much to do that it is not asked for a while: answers would come in heaps."""
        behind = report.acquired - max(self._answered, self._begun) > _BEHIND
        return behind and not self._waits and not report.signals and report.acquired < self._asked + _SELDOM

    def take(self, now: float) -> list[Arrived]:
        """What has arrived."""
        with self._news:
            if self._waits:
                limit = (
                    (_FIRST if self._answered == -math.inf else _PROMPT)
                    if self._prompt and self.up
                    else _SLOW
                )
                self._prompt = self._news.wait_for(
                    lambda: self._answered >= self._asked or not self._open or not self.up, limit
                ) and (self._answered >= self._asked and self.up)
                if not self.up:
                    self._news.wait(_SLOW)  # time of the walk goes on as fast as that of the wall
            taken = list(self._arrived)
            self._arrived.clear()
        return taken

    def close(self) -> None:
        """Leave vision."""
        self._open = False
        connection = self._connection
        if connection is not None:
            connection.close()
        self._keeper.join()

    def _keep(self) -> None:
        while self._open:
            try:
                made = connect(self._place, self._take, self._options, timeout=0.0, closed=self._closed)
                with self._news:
                    self._connection, self._row = made, 0
                    self.connections += 1
                    self._news.notify_all()
                while self._open and made.open:
                    time.sleep(0.05)
            except PeerGone as problem:
                self.problem = str(problem)
            time.sleep(_AGAIN)

    def _closed(self, connection: Connection) -> None:
        self.problem = f"left: {connection.problem}"
        with self._news:
            self._news.notify_all()

    def _take(self, peer: Connection, message: Message) -> None:
        try:
            container = read_container(message)
            if not isinstance(container, VisionToControl):
                raise InvalidMessage("is none of vision's")
            self._check(container)
        except InvalidMessage as problem:
            self.refused += 1
            self._row += 1
            self.problem = str(problem)
            if self._row >= _REFUSED:
                raise InvalidMessage(
                    f"{self._row} messages in a row were refused, the last: {problem}"
                ) from None
            return
        self._row = 0
        with self._news:
            if len(self._arrived) >= _MOST_WAITING:
                # Updates build on each other: none can be left out. A new connection begins with the whole map.
                raise InvalidMessage(f"more than {_MOST_WAITING} messages wait to be taken")
            self._arrived.append(Arrived(container, message))
            self._answered = max(self._answered, container.acquired)
            self._news.notify_all()

    def _check(self, container: VisionToControl) -> None:
        """That it belongs to what vision was told."""
        report = self._history.at(container.acquired)
        away = float(np.linalg.norm(report.translation - container.planning_camera.translation))
        turned = _angle(report, container.planning_camera)
        if away > _ECHO_M or turned > _ECHO_RAD:
            raise InvalidMessage(
                f"the camera was told to be {away:g} m and {turned:g} rad from where vision says it was told to be"
            )
        tilt = tilt_between(container.planning_camera, container.vision_camera)
        if tilt > _TILTED:
            raise InvalidMessage(f"its world is tilted by {tilt:g} rad; both have z up")


def _angle(one: Transform, other: Transform) -> float:
    trace = float(np.trace(np.asarray(one.rotation).T @ np.asarray(other.rotation)))
    return math.acos(max(-1.0, min(1.0, 0.5 * (trace - 1.0))))
