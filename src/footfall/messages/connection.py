"""A peer at the other end of a socket: messages to and fro, without ever keeping the caller waiting.

What is sent waits in a queue of bounded length; of a peer that is too slow the oldest messages are dropped and counted.
Threads of their own do the work. A peer that sends nonsense, stops in the middle of a message or takes nothing for
too long is left, with the reason in `problem` and in the log `footfall.messages`.

Who connects introduces itself first, with the token if there is one. Where peers are accepted, one that says nothing,
or takes too long for a message however steadily it drips, gives its place to others.
"""

from __future__ import annotations

import hmac
import logging
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from footfall.errors import InvalidMessage, PeerGone
from footfall.messages.frames import MOST_BYTES, MOST_UNPACKED, Message, MessageReader, message_bytes

log = logging.getLogger("footfall.messages")

Receive = Callable[["Connection", Message], None]
HELLO = 255  # kind of the message by which a peer introduces itself; its content is the token


@dataclass(frozen=True)
class LinkOptions:
    """What is asked of a peer.

    waiting: messages that may wait to be sent. patience: s that a started message may make no progress, either way.
    first: s until a peer that was accepted must have sent its first message. whole: s that a message may take from its
    first byte to its last. token: a secret that both ends know; without it a peer is left at its first message, and is
    sent nothing. most: bytes of a message as it is sent, unpacked: when unpacked. compressed: what is sent.
    """

    waiting: int = 16
    patience: float = 5.0
    first: float = 5.0
    whole: float = 60.0
    token: str = field(default="", repr=False)
    most: int = MOST_BYTES
    unpacked: int = MOST_UNPACKED
    compressed: bool = True


@dataclass
class LinkCounts:
    """What went over a connection: messages sent, received and dropped; bytes sent and received."""

    sent: int = 0
    received: int = 0
    dropped: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0


class Connection:
    """A connected peer; use it as a context manager.

    receive: called with each message, by the thread that reads. If it raises `InvalidMessage` the peer is left.
    accepted: whether the peer connected to us and has to introduce itself, or we to it.
    """

    def __init__(
        self,
        link: socket.socket,
        receive: Receive,
        options: LinkOptions | None = None,
        *,
        accepted: bool = False,
        closed: Callable[[Connection], None] | None = None,
    ) -> None:
        self.options = options or LinkOptions()
        self.counts = LinkCounts()
        self.problem: Exception | None = None
        self.name = _name(link)
        self._link, self._receive, self._closed = link, receive, closed
        self._news = threading.Condition()
        self._queue: deque[Message] = deque()
        self._open, self._silent = True, accepted
        if not accepted:
            self._queue.append(Message(HELLO, self.options.token.encode()))
        link.settimeout(0.2)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._threads = [
            threading.Thread(target=self._guarded, args=(work,), name=f"{title} {self.name}", daemon=True)
            for work, title in ((self._write, "write to"), (self._read, "read from"))
        ]
        for thread in self._threads:
            thread.start()

    @property
    def open(self) -> bool:
        """Whether messages still go to and fro."""
        return self._open

    @property
    def trusted(self) -> bool:
        """Whether the peer may be sent something: it has shown the token, if there is one."""
        return not (self._silent and self.options.token)

    def send(self, message: Message) -> bool:
        """Leave a message to be sent; whether none had to be dropped for it. Never waits."""
        with self._news:
            if not self._open:
                raise PeerGone(f"{self.name} is gone: {self.problem or 'the connection was closed'}")
            news = [each for each in self._queue if each.kind != HELLO]
            full = len(news) >= self.options.waiting
            if full:
                self._queue.remove(news[0])
                self.counts.dropped += 1
            self._queue.append(message)
            self._news.notify()
        return not full

    def flush(self, timeout: float = 5.0) -> bool:
        """Wait (s) until all that was left to be sent is sent; whether it is."""
        with self._news:
            return self._news.wait_for(lambda: not self._queue or not self._open, timeout) and self._open

    def close(self) -> None:
        """Leave the peer; what waits to be sent is lost."""
        self._leave(None)
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as problem:
            # The peer, the network, or a receiver that fails: all end this connection only.
            self._leave(problem)

    def _leave(self, problem: Exception | None, *, usual: bool = False) -> None:
        with self._news:
            if not self._open:
                return
            self._open, self.problem = False, problem
            self._news.notify_all()
        if problem is not None:
            log.log(logging.INFO if usual else logging.WARNING, "left %s: %s", self.name, problem)
        try:
            self._link.shutdown(socket.SHUT_RDWR)
        except OSError:
            log.debug("%s was gone already", self.name)
        self._link.close()
        if self._closed is not None:
            self._closed(self)

    def _write(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._queue or not self._open)
                if not self._open:
                    return
                message = self._queue[0]
            data = memoryview(message_bytes(message, compressed=self.options.compressed))
            self._send_all(data)
            with self._news:
                self.counts.sent += message.kind != HELLO
                self.counts.bytes_sent += len(data)
                # It may have been dropped while it was on its way.
                if self._queue and self._queue[0] is message:
                    self._queue.popleft()
                self._news.notify_all()

    def _send_all(self, data: memoryview) -> None:
        progress = time.monotonic()
        while data and self._open:
            try:
                count = self._link.send(data)
            except TimeoutError:
                if time.monotonic() - progress > self.options.patience:
                    raise PeerGone(f"took nothing for {self.options.patience:g} s") from None
                continue
            data, progress = data[count:], time.monotonic()

    def _read(self) -> None:
        reader = MessageReader(most=self.options.most, unpacked=self.options.unpacked)
        accepted = progress = began = time.monotonic()
        while self._open:
            try:
                data = self._link.recv(2**18)
            except TimeoutError:
                data = None
            except OSError as error:
                raise PeerGone(f"connection broke: {error}") from None  # of no matter if it was closed here
            now, waiting = time.monotonic(), reader.waiting
            if data == b"":
                if waiting:
                    raise PeerGone("closed the connection in the middle of a message")
                self._leave(PeerGone("closed the connection"), usual=True)
                return
            if data is None:
                if waiting and now - progress > self.options.patience:
                    raise PeerGone(f"stopped in the middle of a message, {waiting} bytes of which had come")
            else:
                progress, began = now, began if waiting else now
                self.counts.bytes_received += len(data)
                for message in reader.feed(data):
                    began = now  # what is left belongs to the next one
                    self._take(message)
            if reader.waiting and now - began > self.options.whole:
                raise PeerGone(f"took more than {self.options.whole:g} s for a message")
            if self._silent and now - accepted > self.options.first:
                raise PeerGone(f"did not introduce itself within {self.options.first:g} s")

    def _take(self, message: Message) -> None:
        if self._silent:
            shown = message.content if message.kind == HELLO else b""
            if self.options.token and not hmac.compare_digest(shown, self.options.token.encode()):
                raise InvalidMessage("does not show the token")
            self._silent = False
        if message.kind != HELLO:
            self.counts.received += 1
            self._receive(self, message)


def connect(
    address: tuple[str, int],
    receive: Receive,
    options: LinkOptions | None = None,
    *,
    timeout: float = 5.0,
    closed: Callable[[Connection], None] | None = None,
) -> Connection:
    """Connect to a listener at (host, port), which may take a while to come up. timeout: s to try."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            link = socket.create_connection(address, timeout=max(0.1, min(1.0, timeout)))
            return Connection(link, receive, options, closed=closed)
        except OSError as error:
            if time.monotonic() > deadline:
                raise PeerGone(
                    f"no listener at {address[0]}:{address[1]} within {timeout:g} s: {error}"
                ) from None
            time.sleep(0.02)


def _name(link: socket.socket) -> str:
    try:
        host, port = link.getpeername()[:2]
    except OSError:
        return "peer that left at once"
    return f"{host}:{port}"
