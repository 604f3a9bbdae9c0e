"""Recorded perception: containers of vision in an MCAP file, to be played again as if vision sent them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from footfall.environment.vision.codec import VISION_TO_CONTROL, container_message, read_container
from footfall.environment.vision.containers import VisionToControl
from footfall.errors import CannotWrite, InvalidMessage, RecordingError, TooLate
from footfall.messages.frames import MOST_UNPACKED, Message, MessageReader, message_bytes
from footfall.output_file import OutputFile
from footfall.recording.scan import Message as Recorded
from footfall.recording.scan import Scan

_TOPIC, _SCHEMA = "/vision", "footfall.VisionToControl"
_FRAMED = "footfall-message"  # encoding: as it goes over sockets, compressed and with a checksum
_LIMIT = 2**32  # bytes


class PerceptionRecorder:
    """Writes containers of vision to a new .mcap file; use it as a context manager.

    Each container is in the file when `add` returns. If something cannot be written, every later call fails; what was
    written before can be read. overwrite: whether an old file is replaced.
    """

    def __init__(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        from mcap.writer import Writer

        self.path = Path(path)
        if overwrite:
            self.path.unlink(missing_ok=True)
        self._file = OutputFile(self.path, overwrite=False)
        self._failure: Exception | None = None
        self._closed = False
        try:
            self._writer = Writer(self._file.stream, use_chunking=False)
            self._writer.start("footfall", "footfall perception")
            schema = self._writer.register_schema(_SCHEMA, "", b"")
            self._channel = self._writer.register_channel(_TOPIC, _FRAMED, schema)
            self._file.stream.flush()
        except BaseException:
            self._file.remove()
            raise

    def add(self, container: VisionToControl, *, arrived: float | None = None) -> None:
        """Keep a container. arrived: when it was there, s of the clock of control; by default when its picture was
        taken."""
        self.add_message(container_message(container), container.acquired, arrived)

    def add_message(self, message: Message, acquired: float, arrived: float | None = None) -> None:
        """The same of a container as it came: to the bit, which it is not if its poses are written once more."""
        if self._closed or self._file.foreign:
            raise TooLate(f"{str(self.path)!r} is closed, or was opened by another process")
        taken = nanoseconds(acquired)
        logged = taken if arrived is None else nanoseconds(arrived)
        content = message_bytes(message)

        def write() -> None:
            self._writer.add_message(self._channel, logged, content, taken)
            self._file.stream.flush()

        self._do(write)

    def close(self) -> None:
        """Finish the file."""
        if self._closed or self._file.foreign:
            return
        self._closed = True
        self._do(self._finish)

    def _finish(self) -> None:
        self._writer.finish()  # type: ignore[no-untyped-call]
        self._file.finish()

    def _do(self, write: Callable[[], None]) -> None:
        if self._failure is None:
            try:
                write()
                return
            except Exception as failure:
                self._failure = failure
                self._file.leave()
        raise CannotWrite(
            f"{str(self.path)!r} could not be written any further: {self._failure}"
        ) from self._failure

    def __enter__(self) -> PerceptionRecorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def nanoseconds(time: float) -> int:
    """A time (s) as files have it."""
    return max(0, round(1e9 * time))


def read_perception(path: str | os.PathLike[str], *, limit: int = _LIMIT) -> Iterator[VisionToControl]:
    """Containers of a recording, one after the other; of a file that was cut off, those that are whole.

    limit: most bytes, after decompression, that are read.
    """
    return (container for _, container in read_arrivals(path, limit=limit))


def read_arrivals(
    path: str | os.PathLike[str], *, limit: int = _LIMIT
) -> Iterator[tuple[int, VisionToControl]]:
    """The same, each with the time at which it was there, ns of the clock of control."""
    from mcap.records import Channel

    source, found = str(path), False
    topics: dict[int, str] = {}
    framed: set[int] = set()
    scan = Scan(Path(path), limit=limit, wanted=lambda channel: topics.get(channel) == _TOPIC)
    try:
        for record in scan.records():
            if isinstance(record, Channel):
                topics[record.id] = record.topic
                if record.message_encoding == _FRAMED:
                    framed.add(record.id)
            elif isinstance(record, Recorded):
                message = Message(VISION_TO_CONTROL, record.data)
                if record.channel in framed:
                    message = _unframed(record.data, limit)
                container = read_container(message)
                if not isinstance(container, VisionToControl):
                    raise InvalidMessage(f"{source!r} holds a message of kind {message.kind} as vision's")
                found = True
                yield record.time, container
    except RecordingError as error:
        raise InvalidMessage(f"{source!r} is no recorded perception: {error}") from None
    if not found:
        raise InvalidMessage(f"{source!r} holds no containers of vision: {scan.damage or 'it is whole'}")


def _unframed(data: bytes, limit: int) -> Message:
    messages = list(MessageReader(unpacked=min(limit, MOST_UNPACKED)).feed(data))
    if len(messages) != 1:
        raise InvalidMessage("a record of perception holds no whole message, or several")
    return messages[0]
