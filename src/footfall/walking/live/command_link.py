"""The other end of a walk's commands: `footfall signal` and panels find a running walk, and tell it something.

A command is a signal of a walk as JSON, with a mark by which its answer is known. Where a walk listens, and the token
that it asks for, stand in a file that only the same user can read. Little is imported here: who stops a robot does not
want to wait for a planner to load.
"""

from __future__ import annotations

import json
import os
import queue
import secrets
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from footfall.errors import InvalidInput, PeerGone
from footfall.messages import LinkOptions, Signal, SignalBroker, join_signals
from footfall.walking import signals as kinds

COMMAND, ANSWER, STATE = "command", "answer", "state"
KINDS: dict[str, type | None] = {COMMAND: str, ANSWER: str, STATE: str}
OK = "ok"
WAITING = 256  # commands that wait for the next border of the loop
_MOST_BYTES = 4096  # bytes of a file that says where a walk listens
_PATIENCE = 5.0  # s, until an answer must be there
_LOOK = 0.005  # s, between two looks for it


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


def running_walks() -> Iterator[Address]:
    """Walks of this user that listen; what others have left behind is cleared away."""
    for path in sorted(walks_folder().glob("*.json")):
        try:
            with path.open("rb") as file:
                owned = os.fstat(file.fileno()).st_uid == os.geteuid()
                address = msgspec.json.decode(file.read(_MOST_BYTES), type=Address)
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
        self._broker = SignalBroker(KINDS)
        self._broker.listen(self._hear, ANSWER)
        self._broker.listen(lambda heard: self.states.put(str(heard.payload)), STATE)
        options = LinkOptions(waiting=WAITING, token=address.token)
        self._link = join_signals(self._broker, ("127.0.0.1", address.port), options=options)

    def send(self, signal: kinds.AnySignal) -> None:
        """Send a signal; never waits."""
        mark = secrets.token_hex(4)
        values = {name: value for name, value in msgspec.to_builtins(signal).items() if name != "time"}
        self._sent[mark] = signal.word
        try:
            self._broker.publish(COMMAND, f"{mark} {json.dumps(values)}")
        except InvalidInput:
            raise InvalidInput(f"signal {signal.word!r} is too long to be sent; shorten its texts") from None

    def refusals(self) -> list[str]:
        """Why signals were refused, since this was asked last."""
        found = []
        while not self._answers.empty():
            word, text = self._answers.get()
            if text != OK:
                found.append(f"the walk refuses {word!r}: {text}")
        return found

    def wait(self, patience: float = _PATIENCE) -> None:
        """Until a signal has been taken; raises what it is refused for."""
        until = time.monotonic() + patience
        while self._answers.empty():
            if not self._link.open or time.monotonic() > until:
                problem = self._link.problem or f"it is busy, and may obey later ({patience:g} s are over)"
                raise PeerGone(f"the walk of process {self.address.pid} has not answered: {problem}")
            time.sleep(_LOOK)
        word, text = self._answers.get()
        if text != OK:
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
    (walks_folder() / f"{pid}.json").unlink(missing_ok=True)


def send_command(address: Address, signal: kinds.AnySignal, *, patience: float = _PATIENCE) -> None:
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


def walks_folder() -> Path:
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


class private_files:
    """Files that are made here can be read by this user alone."""

    def __enter__(self) -> None:
        self._before = os.umask(0o077)

    def __exit__(self, *_: object) -> None:
        os.umask(self._before)
