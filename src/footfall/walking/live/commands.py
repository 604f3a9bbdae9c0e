"""Signals from other processes: a running walk shares its broker on this machine, and `footfall signal` joins it (see
`footfall.walking.live.command_link`)."""

from __future__ import annotations

import json
import os
import queue
import secrets
from types import TracebackType

import msgspec

from footfall.errors import FootfallError, InvalidInput
from footfall.messages import LinkOptions, Signal, SignalBroker, share_signals
from footfall.walking import signals as kinds
from footfall.walking.hardware import Stage
from footfall.walking.live.capture import CaptureServer
from footfall.walking.live.command_link import (
    ANSWER,
    COMMAND,
    KINDS,
    OK,
    STATE,
    WAITING,
    Address,
    private_files,
    walks_folder,
)
from footfall.walking.live.session import LiveSession
from footfall.walking.live.window import Window
from footfall.walking.session import WalkSession
from footfall.whole_file import write_text


class CommandServer:
    """Takes commands for a session; use it as a context manager. port: 0 takes a free one.

    Commands are checked where they arrive and carried out by `serve`, which the loop calls. window: where the walk
    shows what it does. capture: what sees its bodies. token: that others must show; by default a new one.
    """

    def __init__(
        self,
        name: str,
        *,
        port: int = 0,
        window: Window | None = None,
        capture: CaptureServer | None = None,
        token: str | None = None,
    ) -> None:
        token = secrets.token_urlsafe(16) if token is None else token
        self._waiting: queue.Queue[tuple[str, kinds.AnySignal]] = queue.Queue(WAITING)
        self._broker = SignalBroker(KINDS)
        self._broker.listen(self._take, COMMAND)
        options = LinkOptions(waiting=WAITING, token=token)
        self._listener = share_signals(self._broker, port=port, options=options)
        self.address = Address(
            os.getpid(),
            self._listener.address[1],
            token,
            name,
            "" if window is None else window.name,
            0 if capture is None else capture.port,
        )
        self._window, self._capture = window, capture
        if window is not None:
            window.clients = lambda: len(self._listener.peers)
            if capture is not None:
                window.captures = lambda: capture.followers
        self._place = walks_folder() / f"{os.getpid()}.json"
        with private_files():
            write_text(self._place, msgspec.json.encode(self.address).decode())
        self._published = ("", 0)

    def serve(self, session: WalkSession) -> None:
        """Carry out what has come, and tell all that listen how the robot is if that has changed. Never waits."""
        for each in (self._window, self._capture):
            if each is not None:
                each.serve()
        while True:
            try:
                mark, signal = self._waiting.get_nowait()
            except queue.Empty:
                break
            try:
                session.send(msgspec.structs.replace(signal, time=session.time))
                self._publish(ANSWER, f"{mark} {OK}")
            except FootfallError as problem:
                self._publish(ANSWER, f"{mark} {problem}")
        kinds = state_of(session), len(self._listener.peers)  # who comes anew wants to know it too
        if kinds != self._published:
            self._published = kinds
            self._publish(STATE, kinds[0])

    def close(self) -> None:
        """No more is taken."""
        self._place.unlink(missing_ok=True)
        self._listener.close()

    def __enter__(self) -> CommandServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take(self, signal: Signal) -> None:
        mark, _, text = str(signal.payload).partition(" ")
        try:
            values = json.loads(text)
            if not isinstance(values, dict):
                raise InvalidInput(f"a command is {text[:40]!r}; it must be an object with 'do'")
            self._waiting.put_nowait((mark, kinds.command(str(values.pop("do", "")), values)))
        except queue.Full:
            self._publish(ANSWER, f"{mark} too many commands wait; send fewer")
        except (FootfallError, ValueError) as problem:
            self._publish(ANSWER, f"{mark} {problem}")

    def _publish(self, name: str, text: str) -> None:
        self._broker.publish(name, text[:250])


def state_of(session: WalkSession) -> str:
    """In a word or a few, what the robot does, and who is not there."""
    parts = [_doing(session)]
    if isinstance(session, LiveSession):
        parts += [] if session.planner_up else ["planner gone"]
        parts += [] if session.sees else ["vision silent"]
    return "; ".join(parts)


def _doing(session: WalkSession) -> str:
    if session.fallen:
        return "fallen"
    if session.operator.stage is not Stage.ACTIVE:
        return session.operator.stage.name.lower()
    if session.problem is not None:
        return f"no way: {session.problem}"
    return "standing" if session.pilot.rests(session.time) else "walking"
