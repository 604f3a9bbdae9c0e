"""How a live walk reaches its planner: in a process of its own, or in this one when a walk is replayed.

Messages go through a pipe to a process that this one has started, and through nothing else.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from multiprocessing.synchronize import Event
from typing import Protocol

from footfall.errors import PeerGone
from footfall.walking.live.command_link import forget_walk
from footfall.walking.live.planner import Answer, Handover, PlannerSession, Question
from footfall.walking.request import WalkRequest
from footfall.walking.walker import WalkingCode

_LEAVE = 2.0  # s, that a planner has to end by itself
_START = 300.0  # s, that a planner may take to start: native code is made
_PREFERRED = -10  # nice value, by which others leave a planner nine tenths of what they want too


class PlannerPort(Protocol):
    """A planner that answers one question at a time."""

    def ask(self, question: Question) -> None:
        """Ask; the answer comes later."""

    def answer(self) -> Answer | None:
        """The answer, None if it is not there yet; raises `PeerGone` if there will be none."""

    def cancel(self) -> None:
        """Let it give up what it plans, if it does."""

    def inform(self, handover: Handover) -> None:
        """Let it go on from what the loop has decided by itself."""

    def replace(self, handover: Handover) -> bool:
        """Let a new planner take over from one that is gone; whether it is there already."""

    def close(self) -> None:
        """End it."""


class InlinePlanner:
    """A planner in this process: it answers when it is asked for its answer. gives_up_at: the look at which it gives
    up, as it did in the walk that is replayed."""

    def __init__(self, request: WalkRequest, code: WalkingCode) -> None:
        self._make: Callable[[], PlannerSession] = lambda: PlannerSession(
            request, code=code, gives_up=self._gives_up
        )
        self.gives_up_at: int | None = None
        self._session: PlannerSession = self._make()
        self._question: Question | None = None

    def ask(self, question: Question) -> None:
        """Keep the question."""
        self._question = question

    def answer(self) -> Answer | None:
        """The answer to the question that was kept."""
        if self._question is None:
            return None
        question, self._question = self._question, None
        return self._session.answer(question)

    def cancel(self) -> None:
        """It answers at once: there is nothing to give up."""

    def inform(self, handover: Handover) -> None:
        """Go on from there."""
        self._session.take_over(handover)

    def replace(self, handover: Handover) -> bool:
        """A new one takes over."""
        self._session.close()
        self._session, self._question = self._make(), None
        self._session.take_over(handover)
        return True

    def close(self) -> None:
        """Leave vision, if it leads."""
        self._session.close()

    def _gives_up(self, looks: int) -> bool:
        return self.gives_up_at is not None and looks >= self.gives_up_at


class PlannerProcess:
    """A planner in a process of its own, which ends with this one however that ends. preferred: to other programs of
    the machine, if the system allows it."""

    def __init__(self, request: WalkRequest, *, preferred: bool = False) -> None:
        self._request, self._preferred = request, preferred
        self._context = multiprocessing.get_context("spawn")
        self._ready = self._replacing = False
        self._pipe, self._cancelled, self._process = self._begin()

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid or 0

    @property
    def ready(self) -> bool:
        """Whether it can be asked."""
        if not self._ready:
            self._ready = self._pipe.poll(0.0) and self._receive() is True
        return self._ready

    def wait(self, seconds: float = _START) -> None:
        """Wait until it can be asked."""
        if not self._ready and not (self._pipe.poll(seconds) and self._receive() is True):
            raise PeerGone(f"the planner did not start within {seconds:g} s")
        self._ready = True

    def ask(self, question: Question) -> None:
        """Send the question."""
        self._cancelled.clear()
        self._send(question)

    def answer(self) -> Answer | None:
        """The answer if it is there; never waits."""
        if not self._pipe.poll(0.0):
            if not self._process.is_alive():
                raise PeerGone("the planner's process has ended")
            return None
        found = self._receive()
        assert isinstance(found, Answer)
        return found

    def cancel(self) -> None:
        """Let it give up what it plans."""
        self._cancelled.set()

    def inform(self, handover: Handover) -> None:
        """Let it go on from there."""
        self._send(handover)

    def replace(self, handover: Handover) -> bool:
        """Start a new one, and let it take over when it is up; whether it is."""
        if not self._replacing:
            self.close()
            self._pipe, self._cancelled, self._process = self._begin()
            self._ready, self._replacing = False, True
        try:
            if not self.ready:
                return False
            self._send(handover)
        except PeerGone:  # this one has died too: the next call starts another
            self._replacing = False
            return False
        self._replacing = False
        return True

    def close(self) -> None:
        """End the process."""
        self._pipe.close()
        self._process.join(_LEAVE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

    def _begin(self) -> tuple[Connection, Event, SpawnProcess]:
        pipe, other = self._context.Pipe()
        cancelled = self._context.Event()
        process = self._context.Process(
            target=run_planner,
            args=(self._request, other, cancelled, self._preferred),
            name="footfall planner",
            daemon=True,
        )
        process.start()
        other.close()
        return pipe, cancelled, process

    def _send(self, message: Question | Handover) -> None:
        try:
            self._pipe.send(message)
        except OSError as error:
            raise PeerGone(f"the planner's process has ended: {error.strerror or error}") from None

    def _receive(self) -> object:
        try:
            return self._pipe.recv()
        except (EOFError, OSError):
            raise PeerGone("the planner's process has ended") from None


def run_planner(request: WalkRequest, pipe: Connection, cancelled: Event, preferred: bool) -> None:
    """What the planner's process does: answer until its walk is gone."""
    if preferred:
        with suppress(PermissionError):
            os.nice(_PREFERRED)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the walk, and that ends the planner
    begun, walk = time.monotonic(), os.getppid()

    def gives_up(looks: int) -> bool:
        # What a walking robot is told late, it cannot follow: better that it stops in time.
        late = time.monotonic() - begun > session.patience
        return cancelled.is_set() or late or os.getppid() != walk

    session = PlannerSession(request, gives_up=gives_up, waits=False)
    threading.current_thread().name = "planner"
    pipe.send(True)
    while True:
        try:
            asked = pipe.recv()
        except (EOFError, OSError):
            session.close()
            forget_walk(walk)
            return
        if isinstance(asked, Handover):
            session.take_over(asked)
            continue
        begun = time.monotonic()
        answer = session.answer(asked)
        try:
            pipe.send(answer)
        except OSError:  # nobody wants it any more
            return
