"""Records of an MCAP file in the order of the file, as far as they are whole.

The index at the end of the file is not used: a process that was killed has not written it. A file may announce any
size and hold any number of records: both are counted before memory is asked for.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from footfall.errors import RecordingError
from footfall.whole_file import open_file

if TYPE_CHECKING:
    from mcap.records import Chunk, McapRecord

_MAGIC = b"\x89MCAP0\r\n"
_PREFIX = struct.Struct("<BQ")  # opcode and length of a record
_MESSAGE = struct.Struct("<HIQQ")  # channel, sequence, log time, publish time
_MESSAGE_OPCODE, _ATTACHMENT_OPCODE = 0x05, 0x09
_MOST_MESSAGES = 1_000_000  # a recording of an hour and a half
_MOST_OTHERS = 20_000  # channels, attachments, chunks
_RECORD_LIMIT = 64 * 2**20  # bytes; the writer's chunks have one or two MiB


class Message(NamedTuple):
    """A message of a channel. time: when it was written down, ns."""

    channel: int
    data: bytes
    time: int = 0


class Scan:
    """Walks through a file. `damage` says afterwards why it ended early, None if the file is whole.

    limit: most bytes, after decompression, that are read. wanted: whether messages of a channel are; others are passed
    over.
    """

    def __init__(self, path: Path, *, limit: int, wanted: Callable[[int], bool]) -> None:
        self.path = path
        self.damage: str | None = None
        self._limit = limit
        self._wanted = wanted
        self._read = 0
        self._messages = 0
        self._others = 0

    def records(self) -> Iterator[McapRecord | Message]:
        """All records, those inside chunks in place of the chunks."""
        from mcap.exceptions import McapError
        from mcap.records import Chunk, Footer

        with open_file(self.path, "recording") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise RecordingError(f"{str(self.path)!r} is no MCAP file")
            for offset, opcode, content in self._raw_records(file):
                try:
                    record = self._parsed(opcode, memoryview(content))
                    if isinstance(record, Chunk):
                        yield from self._chunk_records(record)
                    elif record is not None:
                        yield record
                except (
                    RecordingError,
                    McapError,
                    struct.error,
                    UnicodeDecodeError,
                    OverflowError,
                ) as problem:
                    self.damage = f"byte {offset}: {problem or type(problem).__name__}"
                    return
                if isinstance(record, Footer):
                    return
        if self.damage is None:
            self.damage = "ends without a footer"

    def account(self, size: int, what: str) -> None:
        """Count bytes, and refuse them if they are too many."""
        self._read += size
        if size > _RECORD_LIMIT:
            raise RecordingError(f"{str(self.path)!r}: {what}; the limit is {_RECORD_LIMIT}")
        if self._read > self._limit:
            raise RecordingError(
                f"{str(self.path)!r} holds more than {self._limit} bytes; read_recording(limit=...) allows more"
            )

    def _raw_records(self, file: IO[bytes]) -> Iterator[tuple[int, int, bytes]]:
        """Offset, opcode and content of each whole record."""
        size = self.path.stat().st_size
        while prefix := file.read(_PREFIX.size):
            offset = file.tell() - len(prefix)
            if len(prefix) < _PREFIX.size:
                self.damage = f"byte {offset}: the file ends within a record"
                return
            opcode, length = _PREFIX.unpack(prefix)
            if length > size - file.tell():
                self.damage = f"byte {offset}: the file ends within a record"
                return
            self.account(length, f"record of {length} bytes")
            content = file.read(length)
            if len(content) < length:  # the file has become shorter
                self.damage = f"byte {offset}: the file ends within a record"
                return
            yield offset, opcode, content

    def _chunk_records(self, chunk: Chunk) -> Iterator[McapRecord | Message]:
        """Records of a chunk, none of them if the chunk is damaged."""
        self.account(chunk.uncompressed_size, f"chunk of {chunk.uncompressed_size} bytes")
        content = _decompressed(chunk)
        if chunk.uncompressed_crc and zlib.crc32(content) != chunk.uncompressed_crc:
            raise RecordingError("checksum of a chunk is wrong")
        places: list[tuple[int, int, int]] = []
        at = 0
        while at < len(content):
            opcode, length = _PREFIX.unpack_from(content, at)
            at += _PREFIX.size
            if length > len(content) - at:
                raise RecordingError("a record reaches beyond its chunk")
            places.append((opcode, at, at + length))
            if len(places) > _MOST_MESSAGES:
                raise self._too_many(len(places))
            at += length
        whole = memoryview(content)
        for opcode, start, stop in places:
            if (record := self._parsed(opcode, whole[start:stop])) is not None:
                yield record

    def _parsed(self, opcode: int, content: memoryview) -> McapRecord | Message | None:
        """The record, None for those that a reader from front to end has no use for."""
        if opcode == _MESSAGE_OPCODE:
            self._messages += 1
            if self._messages > _MOST_MESSAGES:
                raise self._too_many(self._messages)
            channel: int
            channel, _, logged, _ = _MESSAGE.unpack_from(content)
            return (
                Message(channel, bytes(content[_MESSAGE.size :]), logged) if self._wanted(channel) else None
            )
        readers = _readers()
        self._others += 1
        if self._others > _MOST_MESSAGES or (opcode in readers and self._others > _MOST_OTHERS):
            raise self._too_many(self._others)
        if opcode not in readers:
            return None
        if opcode == _ATTACHMENT_OPCODE and zlib.crc32(content[:-4]) != int.from_bytes(
            content[-4:], "little"
        ):
            raise RecordingError("checksum of an attachment is wrong")
        record: McapRecord = readers[opcode](BytesIO(content))
        return record

    def _too_many(self, count: int) -> RecordingError:
        return RecordingError(
            f"{str(self.path)!r} holds {count} records and more; that is no recording of ours"
        )


@cache
def _readers() -> dict[int, Callable[[BytesIO], Any]]:
    """By opcode, of the records that are read."""
    from mcap.opcode import Opcode
    from mcap.records import Attachment, Channel, Chunk, Footer, Header, Metadata

    kinds: dict[int, Any] = {
        Opcode.ATTACHMENT: Attachment,
        Opcode.CHANNEL: Channel,
        Opcode.CHUNK: Chunk,
        Opcode.FOOTER: Footer,
        Opcode.HEADER: Header,
        Opcode.METADATA: Metadata,
    }
    return {int(opcode): partial(_read, kind) for opcode, kind in kinds.items()}


def _read(kind: Any, data: BytesIO) -> Any:
    from mcap.data_stream import ReadDataStream

    return kind.read(ReadDataStream(data))


def _decompressed(chunk: Chunk) -> bytes:
    if chunk.compression == "":
        return chunk.data
    if chunk.compression != "zstd":
        raise RecordingError(f"compression {chunk.compression!r}; footfall writes 'zstd'")
    import zstandard

    try:
        declared = zstandard.get_frame_parameters(chunk.data).content_size
        if declared not in (chunk.uncompressed_size, zstandard.CONTENTSIZE_UNKNOWN):
            raise RecordingError(f"a chunk of {chunk.uncompressed_size} bytes unpacks to {declared}")
        content: bytes = zstandard.ZstdDecompressor().decompress(
            chunk.data, max_output_size=chunk.uncompressed_size
        )
    except zstandard.ZstdError as problem:
        raise RecordingError(f"a chunk does not unpack: {problem}") from None
    return content
