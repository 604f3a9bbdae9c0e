"""Logs of streams of samples: whoever logs only copies a sample; a thread writes, and what it cannot keep up with is
dropped and counted. The file is MCAP, which Foxglove and `read_log` open, also if it was cut off.
"""

from __future__ import annotations

import json
import os
import threading
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.errors import CannotWrite, DroppedSamples, InvalidMessage
from footfall.output_file import OutputFile

_MOST_STREAMS = 1000
_MOST_RECORDS = 400_000  # in a file that is read
_MOST_IN_CHUNK, _MOST_BYTES = 2**26, 2**31  # bytes of a chunk and of all, after decompression


class LogStream:
    """A stream of rows of numbers. columns: their names. room: rows that may wait to be written. enabled: whether rows
    are kept; switch it at any time. failed: nothing can be written any more; rows are dropped."""

    def __init__(self, name: str, columns: tuple[str, ...], room: int) -> None:
        self.name, self.columns, self.enabled = name, columns, True
        self.failed = False
        self.written = self.dropped = 0
        self._times, self._rows = np.empty(room), np.empty((room, len(columns)))
        self._first = self._last = 0  # rows put in and taken out so far: one thread each

    def put(self, time: float, row: Any) -> bool:
        """Keep a row at a time (s); whether there was room. Never waits. One thread only may put."""
        if not self.enabled:
            return True
        if self.failed or self._last - self._first >= len(self._times):
            self.dropped += 1
            return False
        place = self._last % len(self._times)
        self._times[place] = time
        self._rows[place] = row
        self._last += 1
        return True

    def take(self) -> tuple[Array, Array]:
        """Times (n,) and rows (n, columns) that wait; they are taken out."""
        places = np.arange(self._first, self._last) % len(self._times)
        times, rows = self._times[places], self._rows[places]
        self._first += len(places)
        return times, rows


class StreamLog:
    """Writes streams to an MCAP file; use it as a context manager.

    streams: names, and the names of the numbers of a row. room: rows of a stream that may wait. interval: s between
    looks for rows to write. compressed: by zstd.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        streams: Mapping[str, tuple[str, ...]],
        *,
        room: int = 4096,
        interval: float = 0.05,
        compressed: bool = True,
    ) -> None:
        from mcap.writer import CompressionType, Writer

        if not 0 < len(streams) <= _MOST_STREAMS or not 1 <= room <= 10**7 or not 0.0 < interval <= 60.0:
            message = (
                f"{len(streams)} streams, room {room}, interval {interval:g}; up to {_MOST_STREAMS} streams"
            )
            raise InvalidMessage(f"{message}, 1 row and above, up to 60 s")
        self.path = Path(path)
        self.streams = {name: LogStream(name, tuple(columns), room) for name, columns in streams.items()}
        self.problem: Exception | None = None
        self._file = OutputFile(self.path, overwrite=False)
        kind = CompressionType.ZSTD if compressed else CompressionType.NONE
        self._channels = {}
        try:
            self._writer = Writer(self._file.stream, compression=kind, chunk_size=2**16)
            self._writer.start("footfall", "footfall stream log")
            for name, stream in self.streams.items():
                columns = json.dumps({"columns": stream.columns})
                schema = self._writer.register_schema("footfall.Rows", "jsonschema", columns.encode())
                self._channels[name] = self._writer.register_channel(name, "footfall.rows", schema)
            self._file.stream.flush()
        except BaseException:
            self._file.remove()
            raise
        self._interval = interval
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="stream log", daemon=True)
        self._thread.start()

    def put(self, stream: str, time: float, row: Any) -> bool:
        """Keep a row of a stream; see `LogStream.put`."""
        return self.streams[stream].put(time, row)

    @property
    def dropped(self) -> int:
        """Rows that were lost, of all streams."""
        return sum(stream.dropped for stream in self.streams.values())

    def close(self) -> None:
        """Write what waits, and warn of what was dropped. If writing has failed, at any time, it says so."""
        if self._file.foreign:  # forked: it belongs to another process
            return
        self._ending.set()
        self._thread.join()
        if self.problem is None:
            try:
                self._write()
                self._writer.finish()  # type: ignore[no-untyped-call]
                self._file.finish()
            except Exception as problem:
                self._fail(problem)
        if self.problem is not None:
            raise CannotWrite(
                f"log {str(self.path)!r} could not be written to its end: {self.problem}; its first rows can be read"
            ) from self.problem
        lost = {name: stream.dropped for name, stream in self.streams.items() if stream.dropped}
        if lost:
            rows = ", ".join(f"{count} of {name!r}" for name, count in lost.items())
            warnings.warn(
                f"{str(self.path)!r} lacks rows: {rows}; give more room", DroppedSamples, stacklevel=2
            )

    def __enter__(self) -> StreamLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        while not self._ending.wait(self._interval):
            try:
                self._write()
            except Exception as problem:
                self._fail(problem)
                return

    def _fail(self, problem: Exception) -> None:
        """A full disk: rows are dropped from now on, and counted; those who log go on."""
        self.problem = problem
        for stream in self.streams.values():
            stream.failed = True
        self._file.leave()

    def _write(self) -> None:
        for name, stream in self.streams.items():
            times, rows = stream.take()
            if not len(times):
                continue
            content = np.column_stack([times, rows]).astype("<f8").tobytes()
            stamp = max(0, int(1e9 * float(times[-1]))) if np.isfinite(times[-1]) else 0
            self._writer.add_message(self._channels[name], stamp, content, stamp)
            stream.written += len(times)


class LoggedStream(NamedTuple):
    """columns: names of the numbers. time: (n,) s. rows: (n, columns)."""

    columns: tuple[str, ...]
    time: Array
    rows: Array


def read_log(path: str | os.PathLike[str]) -> dict[str, LoggedStream]:
    """Streams of a log, by name; of a file that was cut off or damaged, what is whole before that."""
    schemas: dict[int, tuple[str, ...]] = {}
    channels: dict[int, tuple[str, tuple[str, ...]]] = {}
    blocks: dict[str, list[Array]] = {}
    try:
        with open(path, "rb") as file:
            for record in _records(file):
                kind = type(record).__name__
                if kind == "Schema":
                    schemas[record.id] = tuple(json.loads(record.data)["columns"])
                elif kind == "Channel":
                    columns = schemas[record.schema_id]
                    channels[record.id] = (record.topic, columns)
                    blocks.setdefault(record.topic, [])
                elif kind == "Message":
                    name, columns = channels[record.channel_id]
                    rows = np.frombuffer(record.data, "<f8").reshape(-1, 1 + len(columns))
                    blocks[name].append(rows)
    except OSError:
        raise
    except Exception as error:  # cut off or damaged: what came before stays
        if not any(blocks.values()):
            raise InvalidMessage(f"{str(path)!r} is no stream log: {type(error).__name__}: {error}") from None
    found = {}
    for name, columns in channels.values():
        rows = np.concatenate([np.empty((0, 1 + len(columns))), *blocks[name]])
        found[name] = LoggedStream(columns, rows[:, 0], rows[:, 1:])
    return found


def _records(file: IO[bytes]) -> Iterator[Any]:
    """Records of an MCAP file, those of chunks in their place; refuses more of them, and more bytes, than logs have."""
    import zstandard
    from mcap.records import Chunk
    from mcap.stream_reader import StreamReader, breakup_chunk, get_chunk_data_stream

    count = size = 0
    for record in StreamReader(file, emit_chunks=True, record_size_limit=_MOST_IN_CHUNK).records:
        count += 1
        if isinstance(record, Chunk):
            size += record.uncompressed_size
            if record.uncompressed_size > _MOST_IN_CHUNK or size > _MOST_BYTES:
                raise InvalidMessage(f"chunks of {size} bytes; logs have less")
            if record.compression == "zstd" and zstandard.frame_content_size(record.data) > _MOST_IN_CHUNK:
                raise InvalidMessage("a chunk unpacks to more than it says")
            stream, length = get_chunk_data_stream(record)
            count += _count(stream.read(length), _MOST_RECORDS - count)
        if count > _MOST_RECORDS:
            raise InvalidMessage(f"more than {_MOST_RECORDS} records; logs have less")
        yield from breakup_chunk(record) if isinstance(record, Chunk) else (record,)


def _count(content: bytes, most: int) -> int:
    """Number of records in a chunk, at most one more than asked for."""
    count = at = 0
    while at + 9 <= len(content) and count <= most:
        at += 9 + int.from_bytes(content[at + 1 : at + 9], "little")
        count += 1
    return count
