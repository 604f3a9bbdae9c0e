"""Messages on a stream of bytes: a header with a mark, version, kind, length and checksum, then the content.

Little-endian: mark (4 bytes), version, kind, flags, 0 (one byte each), length of the content as it is sent, its CRC-32
(4 bytes each). Flag 1: the content is compressed by zlib. Nothing is taken for a message that is longer than allowed,
packed or unpacked.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from footfall.errors import InvalidMessage

MARK = b"FFMS"
VERSION = 1
MOST_BYTES = 64 * 2**20  # of a message as it is sent
MOST_UNPACKED = 256 * 2**20
_HEADER = struct.Struct("<4sBBBBII")
_COMPRESSED = 1
_WORTH_PACKING = 512  # bytes


class Message(NamedTuple):
    """kind: number from 0 to 255. content: bytes, unpacked."""

    kind: int
    content: bytes


def message_bytes(message: Message, *, compressed: bool = True) -> bytes:
    """A message as it is sent. compressed: where that makes it shorter."""
    kind, content = message
    if not 0 <= kind <= 255:
        raise InvalidMessage(f"kind is {kind}; it must be from 0 to 255")
    flags = 0
    if compressed and len(content) > _WORTH_PACKING:
        packed = zlib.compress(content, 1)
        if len(packed) < len(content):
            content, flags = packed, _COMPRESSED
    if len(message.content) > MOST_UNPACKED or len(content) > MOST_BYTES:
        raise InvalidMessage(f"has {len(content)} bytes to send; at most {MOST_BYTES} are sent at once")
    return _HEADER.pack(MARK, VERSION, kind, flags, 0, len(content), zlib.crc32(content)) + content


class MessageReader:
    """Messages of a stream that comes in pieces. most: bytes of a message as it is sent; unpacked: when unpacked."""

    def __init__(self, *, most: int = MOST_BYTES, unpacked: int = MOST_UNPACKED) -> None:
        self._most, self._unpacked = most, unpacked
        self._bytes = bytearray()

    @property
    def waiting(self) -> int:
        """Bytes of a message that is not whole yet."""
        return len(self._bytes)

    def feed(self, data: bytes) -> Iterator[Message]:
        """Take bytes, and give the messages that are whole now."""
        self._bytes += data
        while True:
            self._check_mark()
            if len(self._bytes) < _HEADER.size:
                return
            _, version, kind, flags, zero, length, checksum = _HEADER.unpack_from(self._bytes)
            if version != VERSION:
                raise InvalidMessage(f"is of version {version}; version {VERSION} is spoken here")
            if flags & ~_COMPRESSED or zero:
                raise InvalidMessage(f"has flags {flags} and {zero}; they mean nothing here")
            if length > self._most:
                raise InvalidMessage(f"says to have {length} bytes; at most {self._most} are taken")
            if len(self._bytes) < _HEADER.size + length:
                return
            content = bytes(self._bytes[_HEADER.size : _HEADER.size + length])
            del self._bytes[: _HEADER.size + length]
            if zlib.crc32(content) != checksum:
                raise InvalidMessage("is damaged: its checksum is wrong")
            yield Message(kind, self._plain(content) if flags else content)

    def _check_mark(self) -> None:
        """A wrong beginning is seen at its first byte, not when a whole header has come."""
        given = bytes(self._bytes[: len(MARK)])
        if not MARK.startswith(given):
            raise InvalidMessage(f"begins with {given!r}; messages begin with {MARK!r}")

    def _plain(self, content: bytes) -> bytes:
        stream = zlib.decompressobj()
        try:
            plain = stream.decompress(content, self._unpacked + 1)
        except zlib.error as error:
            raise InvalidMessage(f"cannot be decompressed: {error}") from None
        if len(plain) > self._unpacked:
            raise InvalidMessage(f"is more than {self._unpacked} bytes when decompressed")
        if not stream.eof or stream.unused_data:
            raise InvalidMessage("is compressed, and cut off or followed by something")
        return plain
