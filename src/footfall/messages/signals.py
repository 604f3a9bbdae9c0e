"""Signals: small typed news with a name, from whoever publishes to whoever listens, in one process or in several.

"start calibration" has no payload, "step height" a number. A signal is declared once with the type of its payload;
what is published under another name or type is refused where it is published. Brokers of other processes are linked by
`share_signals` and `join_signals`: what is published at one is heard at all.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from types import NoneType
from typing import NamedTuple

import msgspec

from footfall.errors import InvalidInput, InvalidMessage, UnknownName
from footfall.messages.connection import Connection, LinkOptions, connect
from footfall.messages.content import read_record, record_bytes
from footfall.messages.frames import Message
from footfall.messages.listener import Listener

SIGNAL = 1  # kind of the messages that carry signals
_LONGEST_TEXT = 256  # characters of names and texts
PAYLOADS = (NoneType, bool, int, float, str)

Payload = bool | int | float | str | None


class Signal(NamedTuple):
    """name: what it is. payload: a small value, or None."""

    name: str
    payload: Payload = None


class SignalRecord(msgspec.Struct, array_like=True, frozen=True):
    """A signal on its way."""

    name: str
    payload: bool | int | float | str | None = None


class SignalBroker:
    """Takes signals and gives them to all that listen; may be used from any thread.

    kinds: names and types of payload (None, bool, int, float or str).
    """

    def __init__(self, kinds: dict[str, type | None]) -> None:
        self._kinds: dict[str, type] = {}
        for name, kind in kinds.items():
            self.declare(name, kind)
        self._lock = threading.Lock()
        self._listeners: dict[str | None, list[Callable[[Signal], None]]] = {}
        self.published = 0

    @property
    def names(self) -> tuple[str, ...]:
        """Signals that are declared."""
        return tuple(self._kinds)

    def declare(self, name: str, payload: type | None = None) -> None:
        """Make a signal known. payload: its type."""
        kind = NoneType if payload is None else payload
        if kind not in PAYLOADS or not name or len(name) > _LONGEST_TEXT or not name.isprintable():
            raise InvalidInput(
                f"signal {name[:40]!r} with {kind!r}; payloads are None, bool, int, float or str"
            )
        if self._kinds.get(name, kind) is not kind:
            raise InvalidInput(
                f"signal {name!r} is declared with {self._kinds[name].__name__}, so it must not be with {kind.__name__}"
            )
        self._kinds[name] = kind

    def publish(self, name: str, payload: Payload = None) -> None:
        """Give a signal to all that listen to it, now and in this thread."""
        signal = self.checked(Signal(name, payload))
        with self._lock:
            self.published += 1
            listeners = [*self._listeners.get(name, ()), *self._listeners.get(None, ())]
        for listener in listeners:
            listener(signal)

    def checked(self, signal: Signal) -> Signal:
        """The signal, with whole numbers made floats where floats are declared."""
        name, payload = signal
        if name not in self._kinds:
            raise UnknownName("signal", name[:_LONGEST_TEXT], self._kinds, "the broker")
        kind = self._kinds[name]
        if kind is float and type(payload) is int:
            payload = float(payload)
        if type(payload) is not kind or (isinstance(payload, str) and len(payload) > _LONGEST_TEXT):
            raise InvalidInput(f"payload of {name!r} is {str(payload)[:40]!r}; it must be {kind.__name__}")
        if isinstance(payload, float) and payload != payload:
            raise InvalidInput(f"payload of {name!r} is NaN; it must be a number")
        return Signal(name, payload)

    def listen(self, listener: Callable[[Signal], None], name: str | None = None) -> Callable[[], None]:
        """Call `listener` with each signal of that name, or with all; what is given back ends that."""
        if name is not None and name not in self._kinds:
            raise UnknownName("signal", name, self._kinds, "the broker")
        with self._lock:
            self._listeners.setdefault(name, []).append(listener)

        def end() -> None:
            with self._lock:
                if listener in self._listeners.get(name, ()):
                    self._listeners[name].remove(listener)

        return end

    def mailbox(self, name: str | None = None, *, most: int = 256) -> Mailbox:
        """A box that keeps signals of that name, or all, until they are taken out."""
        box = Mailbox(most)
        box.end = self.listen(box.put, name)
        return box


class Mailbox:
    """Signals that wait for a loop to take them; the oldest go if there are too many, and are counted."""

    def __init__(self, most: int) -> None:
        self._waiting: deque[Signal] = deque(maxlen=most)
        self.dropped = 0
        self.end: Callable[[], None] = lambda: None

    def put(self, signal: Signal) -> None:
        """Keep a signal."""
        if len(self._waiting) == self._waiting.maxlen:
            self.dropped += 1
        self._waiting.append(signal)

    def take(self) -> list[Signal]:
        """All that came since the last call, in their order."""
        taken = []
        while self._waiting:
            taken.append(self._waiting.popleft())
        return taken


class _Passing(threading.local):
    """The peer whose signal is being published in this thread: it must not get it back."""

    peer: Connection | None = None

    def receiver(self, broker: SignalBroker) -> Callable[[Connection, Message], None]:
        """What a link does with a message of a peer: its signal is published, and known to be the peer's."""

        def receive(peer: Connection, message: Message) -> None:
            self.peer = peer
            try:
                _publish(broker, message)
            finally:
                self.peer = None

        return receive


def share_signals(
    broker: SignalBroker, *, host: str = "127.0.0.1", port: int = 0, options: LinkOptions | None = None
) -> Listener:
    """Let brokers of other processes join this one, which passes on what any of them publishes; close it to end."""
    passing = _Passing()
    listener = Listener(
        passing.receiver(broker), host=host, port=port, options=options or LinkOptions(waiting=256)
    )
    broker.listen(lambda signal: _spread(listener, signal, passing.peer))
    return listener


def _spread(listener: Listener, signal: Signal, source: Connection | None) -> None:
    listener.send(Message(SIGNAL, record_bytes(SignalRecord(*signal))), but=source)


def join_signals(
    broker: SignalBroker, address: tuple[str, int], *, options: LinkOptions | None = None
) -> Connection:
    """Link a broker to the one that shares its signals at (host, port); close the connection to end."""
    passing = _Passing()
    connection = connect(address, passing.receiver(broker), options or LinkOptions(waiting=256))

    def send(signal: Signal) -> None:
        if passing.peer is None and connection.open:
            connection.send(Message(SIGNAL, record_bytes(SignalRecord(*signal))))

    broker.listen(send)
    return connection


def _publish(broker: SignalBroker, message: Message) -> None:
    if message.kind != SIGNAL:
        raise InvalidMessage(f"is of kind {message.kind}; brokers exchange signals, kind {SIGNAL}")
    record = read_record(message.content, SignalRecord)
    try:
        broker.publish(record.name, record.payload)
    except (InvalidInput, UnknownName) as error:
        raise InvalidMessage(str(error)) from None
