"""Signals from other processes: a running walk shares its broker on this machine, and `footfall signal` joins it.

A command is a signal of a walk as JSON, with a mark by which its answer is known. Where a walk listens, and the token
that it asks for, stand in a file that only the same user can read.
"""

from __future__ import annotations

import json
import os
import queue
import secrets
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from footfall.errors import FootfallError, InvalidInput, PeerGone, UnknownName
from footfall.messages import LinkOptions, Signal, SignalBroker, join_signals, share_signals
from footfall.walking import signals as told
from footfall.walking.hardware import Stage
from footfall.walking.live.capture import CaptureServer
from footfall.walking.live.session import LiveSession
from footfall.walking.live.window import Window
from footfall.walking.session import WalkSession
from footfall.walking.signal_effects import made_signal
from footfall.whole_file import write_text

_COMMAND, _ANSWER, _STATE = "command", "answer", "state"
_KINDS: dict[str, type | None] = {_COMMAND: str, _ANSWER: str, _STATE: str}
_OK = "ok"
_WAITING = 256  # commands that wait for the next border of the loop
_LARGEST = 4096  # bytes of a file that says where a walk listens
_PATIENCE = 5.0  # s, until an answer must be there


class Address(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a walk listens. pid: its process. port: on this machine. token: that it asks for. name: of the walk.
    window: where it shows what it does, see `footfall.walking.live.window`. capture: port of its motion capture, 0 if
    it has none."""

    pid: int
    port: int
    token: str
    name: str
    window: str = ""
    capture: int = 0


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
        self._waiting: queue.Queue[tuple[str, told.AnySignal]] = queue.Queue(_WAITING)
        self._broker = SignalBroker(_KINDS)
        self._broker.listen(self._take, _COMMAND)
        options = LinkOptions(waiting=_WAITING, token=token)
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
        self._place = _folder() / f"{os.getpid()}.json"
        with _private_files():
            write_text(self._place, msgspec.json.encode(self.address).decode())
        self._told = ("", 0)

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
                self._publish(_ANSWER, f"{mark} {_OK}")
            except FootfallError as problem:
                self._publish(_ANSWER, f"{mark} {problem}")
        told = state_of(session), len(self._listener.peers)  # who comes anew wants to know it too
        if told != self._told:
            self._told = told
            self._publish(_STATE, told[0])

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
            self._waiting.put_nowait((mark, command(str(values.pop("do", "")), values)))
        except queue.Full:
            self._publish(_ANSWER, f"{mark} too many commands wait; send fewer")
        except (FootfallError, ValueError) as problem:
            self._publish(_ANSWER, f"{mark} {problem}")

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


def command(word: str, values: dict[str, Any]) -> told.AnySignal:
    """A signal that a walk takes, by its name and fields, which are checked."""
    if word not in told.WORDS:
        raise UnknownName("signal", word[:40], told.WORDS)
    if "time" in values:
        raise InvalidInput("a command holds from now on; it has no time")
    found: told.AnySignal = made_signal(word, values)
    return found


def running_walks() -> Iterator[Address]:
    """Walks of this user that listen; what others have left behind is cleared away."""
    for path in sorted(_folder().glob("*.json")):
        try:
            with path.open("rb") as file:
                owned = os.fstat(file.fileno()).st_uid == os.geteuid()
                address = msgspec.json.decode(file.read(_LARGEST), type=Address)
            if owned and address.pid > 0 and _runs(address.pid):
                yield address
                continue
        except (OSError, msgspec.DecodeError):
            pass
        path.unlink(missing_ok=True)


class CommandLink:
    """A connection over which a running walk is told something; use it as a context manager. states: what the walk says
    of itself, the latest last."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.states: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._sent: dict[str, str] = {}  # words by marks
        self._answers: queue.SimpleQueue[tuple[str, str]] = queue.SimpleQueue()
        self._broker = SignalBroker(_KINDS)
        self._broker.listen(self._hear, _ANSWER)
        self._broker.listen(lambda heard: self.states.put(str(heard.payload)), _STATE)
        options = LinkOptions(waiting=_WAITING, token=address.token)
        self._link = join_signals(self._broker, ("127.0.0.1", address.port), options=options)

    def send(self, signal: told.AnySignal) -> None:
        """Send a signal; never waits."""
        mark = secrets.token_hex(4)
        values = {name: value for name, value in msgspec.to_builtins(signal).items() if name != "time"}
        self._sent[mark] = signal.word
        try:
            self._broker.publish(_COMMAND, f"{mark} {json.dumps(values)}")
        except InvalidInput:
            raise InvalidInput(f"signal {signal.word!r} is too long to be sent; shorten its texts") from None

    def refusals(self) -> list[str]:
        """Why signals were refused, since this was asked last."""
        found = []
        while not self._answers.empty():
            word, text = self._answers.get()
            if text != _OK:
                found.append(f"the walk refuses {word!r}: {text}")
        return found

    def wait(self, patience: float = _PATIENCE) -> None:
        """Until a signal has been taken; raises what it is refused for."""
        try:
            word, text = self._answers.get(timeout=patience)
        except queue.Empty:
            raise PeerGone(
                f"the walk of process {self.address.pid} has not answered: {self._link.problem or 'it is busy'}"
            ) from None
        if text != _OK:
            raise InvalidInput(f"the walk refuses {word!r}: {text}")

    def close(self) -> None:
        """Leave the walk."""
        self._link.close()

    def __enter__(self) -> CommandLink:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _hear(self, heard: Signal) -> None:
        mark, _, text = str(heard.payload).partition(" ")
        if mark in self._sent:
            self._answers.put((self._sent.pop(mark), text))


def forget_walk(pid: int) -> None:
    """Clear away what a walk that is gone has left: where it listened."""
    (_folder() / f"{pid}.json").unlink(missing_ok=True)


def send_command(address: Address, signal: told.AnySignal, *, patience: float = _PATIENCE) -> None:
    """Send a signal to a running walk, and wait until it has taken it; raises what it refuses it for."""
    with CommandLink(address) as link:
        link.send(signal)
        link.wait(patience)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _folder() -> Path:
    """Where walks say where they listen: a folder that is this user's alone."""
    base = os.environ.get("XDG_RUNTIME_DIR")
    folder = Path(base) / "footfall" if base else Path(tempfile.gettempdir()) / f"footfall-{os.geteuid()}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.lstat()  # a link may lead to another folder of this user
    if status.st_uid != os.geteuid() or status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise InvalidInput(
            f"folder {str(folder)!r} is a link or can be reached by others; make it a folder of yours alone (chmod 700)"
        )
    return folder


class _private_files:
    """Files that are made here can be read by this user alone."""

    def __enter__(self) -> None:
        self._before = os.umask(0o077)

    def __exit__(self, *_: object) -> None:
        os.umask(self._before)
