"""Records of an MCAP file in the order of the file, as far as they are whole.

The index at the end of the file is not used: a process that was killed has not written it.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from footfall.errors import DamagedRecording, MissingFile, RecordingTooLarge, UnsupportedRecording

if TYPE_CHECKING:
    from mcap.records import Chunk, McapRecord

_MAGIC = b"\x89MCAP0\r\n"
_PREFIX = struct.Struct("<BQ")  # opcode and length of a record


class Scan:
    """Walks through a file. `damage` says afterwards why it ended early, None if the file is whole.

    limit: most bytes, after decompression, that are read. record_limit: most bytes of one record or chunk.
    """

    def __init__(self, path: Path, *, limit: int, record_limit: int) -> None:
        self.path = path
        self.damage: str | None = None
        self._limit = limit
        self._record_limit = record_limit
        self._read = 0

    def records(self) -> Iterator[McapRecord]:
        """All records, those inside chunks in place of the chunks."""
        from mcap.exceptions import McapError
        from mcap.records import Chunk, Footer

        if not self.path.is_file():
            raise MissingFile(f"no file {str(self.path)!r}")
        with self.path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise DamagedRecording(f"{str(self.path)!r} is no MCAP file")
            for offset, opcode, content in self._raw_records(file):
                try:
                    record = _parsed(opcode, content)
                    parts = self._chunk_records(record) if isinstance(record, Chunk) else [record]
                except (DamagedRecording, McapError, struct.error, UnicodeDecodeError) as problem:
                    self.damage = f"byte {offset}: {problem or type(problem).__name__}"
                    return
                yield from (part for part in parts if part is not None)
                if isinstance(record, Footer):
                    return
        if self.damage is None:
            self.damage = "ends without a footer"

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
            self._account(length, f"record of {length} bytes")
            content = file.read(length)
            if len(content) < length:  # the file has become shorter
                self.damage = f"byte {offset}: the file ends within a record"
                return
            yield offset, opcode, content

    def _account(self, size: int, what: str) -> None:
        self._read += size
        if size > self._record_limit:
            raise RecordingTooLarge(f"{str(self.path)!r}: {what}; the limit is {self._record_limit}")
        if self._read > self._limit:
            raise RecordingTooLarge(
                f"{str(self.path)!r} holds more than {self._limit} bytes; read_recording(limit=...) allows more"
            )

    def _chunk_records(self, chunk: Chunk) -> list[McapRecord | None]:
        self._account(chunk.uncompressed_size, f"chunk of {chunk.uncompressed_size} bytes")
        content = _decompressed(chunk)
        if chunk.uncompressed_crc and zlib.crc32(content) != chunk.uncompressed_crc:
            raise DamagedRecording("checksum of a chunk is wrong")
        records, at = [], 0
        while at < len(content):
            opcode, length = _PREFIX.unpack_from(content, at)
            at += _PREFIX.size
            if length > len(content) - at:
                raise DamagedRecording("a record reaches beyond its chunk")
            records.append(_parsed(opcode, content[at : at + length]))
            at += length
        return records


def _decompressed(chunk: Chunk) -> bytes:
    if chunk.compression == "":
        return chunk.data
    if chunk.compression != "zstd":
        raise UnsupportedRecording(f"compression {chunk.compression!r}; footfall writes 'zstd'")
    import zstandard

    try:
        declared = zstandard.get_frame_parameters(chunk.data).content_size
        if declared not in (chunk.uncompressed_size, zstandard.CONTENTSIZE_UNKNOWN):
            raise DamagedRecording(f"a chunk of {chunk.uncompressed_size} bytes unpacks to {declared}")
        content: bytes = zstandard.ZstdDecompressor().decompress(
            chunk.data, max_output_size=chunk.uncompressed_size
        )
    except zstandard.ZstdError as problem:
        raise DamagedRecording(f"a chunk does not unpack: {problem}") from None
    return content


def _parsed(opcode: int, content: bytes) -> McapRecord | None:
    """The record, None for kinds that a reader from front to end has no use for."""
    from mcap.data_stream import ReadDataStream
    from mcap.opcode import Opcode
    from mcap.records import Attachment, Channel, Chunk, Footer, Header, Message, Metadata

    if opcode == Opcode.MESSAGE:
        message: McapRecord = Message.read(ReadDataStream(BytesIO(content)), len(content))
        return message
    if opcode == Opcode.ATTACHMENT and zlib.crc32(content[:-4]) != int.from_bytes(content[-4:], "little"):
        raise DamagedRecording("checksum of an attachment is wrong")
    readers: dict[int, Any] = {
        Opcode.ATTACHMENT: Attachment,
        Opcode.CHANNEL: Channel,
        Opcode.CHUNK: Chunk,
        Opcode.FOOTER: Footer,
        Opcode.HEADER: Header,
        Opcode.METADATA: Metadata,
    }
    if opcode not in readers:
        return None
    record: McapRecord = readers[opcode].read(ReadDataStream(BytesIO(content)))
    return record
