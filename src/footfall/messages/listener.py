"""A place where peers connect: it takes them in, sends to all of them, and lets none of them disturb the others."""

from __future__ import annotations

import logging
import socket
import threading

from footfall.errors import PeerGone
from footfall.messages.connection import Connection, LinkOptions, Receive
from footfall.messages.frames import Message

log = logging.getLogger("footfall.messages")


class Listener:
    """Takes connections; use it as a context manager.

    receive: called with the peer and each of its messages. host, port: where to listen, by default on this machine only
    and at a free port. most: peers at a time; more are refused, and silent ones give their places up after
    `options.first` seconds.
    """

    def __init__(
        self,
        receive: Receive,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        options: LinkOptions | None = None,
        most: int = 8,
    ) -> None:
        self._receive, self._options, self._most = receive, options or LinkOptions(), most
        self._lock = threading.Lock()
        self._peers: list[Connection] = []
        self.left: list[str] = []  # why peers were left, the last hundred
        self._socket = socket.create_server((host, port))
        self._socket.settimeout(0.2)
        self.address: tuple[str, int] = self._socket.getsockname()[:2]  # host and port
        self._open = True
        self._thread = threading.Thread(target=self._accept, name="listener", daemon=True)
        self._thread.start()

    @property
    def peers(self) -> tuple[Connection, ...]:
        """Those that are connected."""
        with self._lock:
            return tuple(peer for peer in self._peers if peer.open)

    def send(self, message: Message, *, but: Connection | None = None) -> int:
        """Leave a message for all peers, but one; how many there are."""
        count = 0
        for peer in self.peers:
            if peer is but or not peer.trusted:
                continue
            try:
                peer.send(message)
                count += 1
            except PeerGone:  # it left meanwhile; its connection has told why
                continue
        return count

    def close(self) -> None:
        """Leave all peers and listen no more."""
        self._open = False
        self._thread.join()
        self._socket.close()
        for peer in self.peers:
            peer.close()

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _accept(self) -> None:
        while self._open:
            try:
                link, address = self._socket.accept()
            except TimeoutError:
                continue
            except OSError as error:
                log.warning("listening ended: %s", error)
                return
            with self._lock:
                self._peers = [peer for peer in self._peers if peer.open]
                if len(self._peers) >= self._most:
                    log.warning("refused %s:%s: there are %d peers already", *address[:2], self._most)
                    link.close()
                    continue
                try:
                    peer = Connection(link, self._receive, self._options, accepted=True, closed=self._gone)
                    self._peers.append(peer)
                except OSError as error:
                    log.warning("a peer left before it was taken in: %s", error)

    def _gone(self, peer: Connection) -> None:
        self.left = [*self.left[-99:], f"{peer.name}: {peer.problem or 'closed'}"]
