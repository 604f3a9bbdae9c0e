"""What a live walk shows to other processes of the same user: its latest rows in shared memory, and news of its plans.

A panel is such a process. It reads rows of the log from a channel, fifty a second, and hears of signals, plans and
states ten times a second over a socket of this machine; it tells the walk what to do by signals, as everybody does.
Nobody waits for it: who is too slow is left, and who dies is not missed.

The socket has an abstract name of Linux, which nothing is left of, and both ends look whether the other one is the same
user's. News are pickled: so they are taken only from a walk that this user has started.
"""

from __future__ import annotations

import os
import pickle
import queue
import secrets
import socket
import struct
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from footfall.errors import InvalidInput, PeerGone
from footfall.messages.channel import Channel
from footfall.motion.motion import Motion
from footfall.walking import signals as kinds
from footfall.walking.hardware import Stage
from footfall.walking.live.planner import decisions_of
from footfall.walking.live.session import LiveSession
from footfall.walking.pilot import PlanVersion
from footfall.walking.request import WalkRequest
from footfall.walking.settings import WalkSettings
from footfall.walking.walker import Walker

EVERY = 20  # periods between two rows
_ROWS = 32  # in the channel
_MOST_NEWS = 64  # that wait for a viewer
_MOST_VIEWERS = 8
_MOST_BYTES = 256 * 2**20  # bytes of news
_LENGTH = struct.Struct("<Q")
_CREDENTIALS = struct.Struct("3i")  # process, user and group of a peer


class Links(NamedTuple):
    """Who is connected to a walk: whether its planner is there, whether vision tells it anything (None: nobody leads
    it), how many command it, look at it and follow its motion capture."""

    planner: bool = True
    vision: bool | None = None
    clients: int = 0
    viewers: int = 0
    captures: int = 0


class Begin(NamedTuple):
    """What a viewer is told first: what is walked, and the channel of rows."""

    request: WalkRequest
    channel: str


class News(NamedTuple):
    """What is new since the last news. motion: that is walked by, if it is another one, without the robot."""

    signals: tuple[kinds.AnySignal, ...]
    versions: tuple[PlanVersion, ...]
    motion: Motion | None
    decisions: Mapping[str, Any]
    settings: WalkSettings
    stage: Stage
    fallen: bool
    lost: bool
    links: Links


def row_type(walker: Walker) -> np.dtype[Any]:
    """A row as it lies in the channel: all of a row of the log, and what is known beside it of the present."""
    log: Any = walker.log_from(walker.rows)
    fields: list[tuple[Any, ...]] = [
        ("period", "<i8"),
        ("q", "<f8", log.q.shape[1:]),
        ("v", "<f8", log.v.shape[1:]),
        ("wanted", "<f8", log.wanted.shape[1:]),
        ("signals", log.signals.dtype),
        *((name, "<f8", each.shape[1:]) for name, each in zip(log.sensors._fields, log.sensors, strict=True)),
    ]
    return np.dtype(fields + [(name, each.dtype, each.shape) for name, each in _present(walker).items()])


def _present(walker: Walker) -> dict[str, np.ndarray[Any, Any]]:
    """What panels show besides the log, as it is now; of a walk that runs it may be of two periods."""
    state, hardware = walker.brain.state, walker.hardware.state
    return {
        "believed": state.q,
        "effort": state.effort,
        "stage": hardware.stage,
        "trouble": hardware.trouble,
        "drives": walker.arrays[0].drives,
    }


def take_row(walker: Walker, row: Any) -> None:
    """Let a walker that does not walk by itself show a row of the channel."""
    log, place = walker.show(int(row["period"]))
    for name in ("q", "v", "wanted", "signals"):
        getattr(log, name)[place] = row[name]
    for name, values in zip(log.sensors._fields, log.sensors, strict=True):
        values[place] = row[name]
    walker.arrays[0].q[:], walker.arrays[0].v[:] = row["q"], row["v"]
    for name, values in _present(walker).items():
        values[...] = row[name]


class _Viewer:
    """One that looks on: a thread sends it what waits."""

    def __init__(self, link: socket.socket, first: bytes) -> None:
        self._link, self.open = link, True
        self.signals = self.versions = 0  # that it has been told
        self.motion: Motion | None = None
        self._waiting: queue.Queue[bytes | None] = queue.Queue(_MOST_NEWS)
        self._waiting.put(first)
        threading.Thread(target=self._run, name="viewer", daemon=True).start()

    def tell(self, news: News) -> None:
        try:
            self._waiting.put_nowait(pickle.dumps(news))
        except queue.Full:
            self.close()

    def close(self) -> None:
        self.open = False
        with suppress(OSError):
            self._link.shutdown(socket.SHUT_RDWR)

    def _run(self) -> None:
        try:
            while self.open:
                with suppress(queue.Empty):
                    content = self._waiting.get(timeout=0.5) or b""
                    self._link.sendall(_LENGTH.pack(len(content)) + content)
        except OSError:
            pass
        self.open = False
        self._link.close()


class Window:
    """Shows a walk to viewers; use it as a context manager. It follows the session for news (`follow`), and is asked at
    every border of the loop for rows (`serve`)."""

    def __init__(self, session: LiveSession) -> None:
        if sys.platform != "linux":
            raise InvalidInput("walks are shown to other processes on Linux only")
        self._session = session
        kind = row_type(session.walker)
        self._rows = np.zeros(_ROWS, kind)
        self._bytes = self._rows.view(np.uint8).reshape(_ROWS, kind.itemsize)
        self._channel = Channel.create(self._bytes.shape, np.uint8)
        self._count, self._shown = 0, -EVERY
        self._viewers: list[_Viewer] = []
        self.name = f"footfall-{os.getpid()}-{secrets.token_hex(8)}"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.bind(f"\0{self.name}")
        self._socket.listen(_MOST_VIEWERS)
        self.clients: Callable[[], int] = lambda: 0  # that command the walk
        self.captures: Callable[[], int] = lambda: 0  # that follow its motion capture
        threading.Thread(target=self._accept, name="window", daemon=True).start()
        session.follow(self)

    @property
    def links(self) -> Links:
        """Who is connected."""
        session = self._session
        vision = session.sees if session.asked.led else None
        return Links(session.planner_up, vision, self.clients(), len(self._viewers), self.captures())

    def serve(self) -> None:
        """Write the latest row of the log if anybody looks. Never waits."""
        walker = self._session.walker
        period = walker.period
        if not self._viewers or period < self._shown + EVERY:
            return
        self._shown = period
        log = walker.log_from((period - 1) // walker.options.log_every)
        row = self._rows[self._count % _ROWS]
        row["period"] = period
        for name in ("q", "v", "wanted", "signals"):
            row[name] = getattr(log, name)[0]
        for name, values in zip(log.sensors._fields, log.sensors, strict=True):
            row[name] = values[0]
        for name, values in _present(walker).items():
            row[name] = values
        self._count += 1
        self._channel.write(self._bytes)

    def follow(self, session: object) -> None:
        """Tell viewers what is new to them."""
        self._viewers = [each for each in self._viewers if each.open]
        walk = self._session
        for viewer in self._viewers:
            pilot, motion = walk.pilot, walk.pilot.motion
            sent, versions = tuple(walk.sent[viewer.signals :]), tuple(pilot.versions[viewer.versions :])
            viewer.signals += len(sent)
            viewer.versions += len(versions)
            fresh, viewer.motion = motion is not viewer.motion, motion
            viewer.tell(
                News(
                    sent,
                    versions,
                    replace(motion, body=None) if fresh else None,
                    decisions_of(pilot),
                    pilot.settings,
                    walk.operator.stage,
                    walk.walker.fallen,
                    walk.walker.lost,
                    self.links,
                )
            )

    def close(self) -> None:
        """Show nothing any more."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for each in self._viewers:
            each.close()
        self._channel.close()

    def __enter__(self) -> Window:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _accept(self) -> None:
        first = pickle.dumps(Begin(self._session.asked, self._channel.name))
        while True:
            try:
                link, _ = self._socket.accept()
            except OSError:
                return
            if len(self._viewers) >= _MOST_VIEWERS or not _same_user(link):
                link.close()
                continue
            link.settimeout(5.0)
            self._viewers = [*self._viewers, _Viewer(link, first)]


class WindowLink:
    """The other end: what a walk shows. begin: what it was told first. News wait in `news`."""

    def __init__(self, name: str) -> None:
        self._link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._link.connect(f"\0{name}")
        except OSError as error:
            raise PeerGone(f"the walk shows nothing any more: {error.strerror or error}") from None
        if not _same_user(self._link):
            raise PeerGone("who shows a walk there is another user")
        self.ended = False
        self.news: queue.SimpleQueue[News] = queue.SimpleQueue()
        begin = self._receive()
        assert isinstance(begin, Begin)
        self.begin = begin
        self.channel = Channel.open(begin.channel)
        self._count = 0
        threading.Thread(target=self._run, name="window of a walk", daemon=True).start()

    def rows(self, kind: np.dtype[Any]) -> Any:
        """Rows since this was asked last, as many as the channel still has; in their order."""
        found = self.channel.read(after=self._count)
        if found is None:
            return np.zeros(0, kind)
        count, content = found
        if content.shape[1] != kind.itemsize:
            raise PeerGone(
                "the walk shows rows of another version; start its panel from the same installation"
            )
        new = min(count - self._count, _ROWS, count)
        self._count = count
        places = np.arange(count - new, count) % _ROWS
        return np.ascontiguousarray(content[places]).view(kind)[:, 0]

    def close(self) -> None:
        """Look no more."""
        with suppress(OSError):
            self._link.shutdown(socket.SHUT_RDWR)
        self._link.close()
        self.channel.close()

    def _run(self) -> None:
        try:
            while True:
                self.news.put(self._receive())
        except (OSError, PeerGone, pickle.UnpicklingError):
            self.ended = True

    def _receive(self) -> Any:
        (length,) = _LENGTH.unpack(self._exactly(_LENGTH.size))
        if length > _MOST_BYTES:
            raise PeerGone(f"news of {length} bytes; there are none of more than {_MOST_BYTES}")
        return pickle.loads(self._exactly(length))

    def _exactly(self, length: int) -> bytes:
        parts = bytearray()
        while len(parts) < length:
            part = self._link.recv(min(length - len(parts), 2**20))
            if not part:
                raise PeerGone("the walk has ended")
            parts += part
        return bytes(parts)


def _same_user(link: socket.socket) -> bool:
    found = link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return int(_CREDENTIALS.unpack(found)[1]) == os.geteuid()
