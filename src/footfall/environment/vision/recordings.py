"""Recorded perception: containers of vision in an MCAP file, to be played again as if vision sent them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from footfall.environment.vision.codec import VISION_TO_CONTROL, container_message, read_container
from footfall.environment.vision.containers import VisionToControl
from footfall.errors import CannotWrite, InvalidMessage, RecordingError, TooLate
from footfall.messages.frames import Message
from footfall.output_file import OutputFile
from footfall.recording.scan import Message as Recorded
from footfall.recording.scan import Scan

_TOPIC, _SCHEMA = "/vision", "footfall.VisionToControl"
_LIMIT = 2**32  # bytes


class PerceptionRecorder:
    """Writes containers of vision to a new .mcap file; use it as a context manager.

    If something cannot be written, every later call fails; what was written before can be read.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        from mcap.writer import Writer

        self.path = Path(path)
        self._file = OutputFile(self.path, overwrite=False)
        self._failure: Exception | None = None
        self._closed = False
        try:
            self._writer = Writer(self._file.stream, chunk_size=2**20)
            self._writer.start("footfall", "footfall perception")
            schema = self._writer.register_schema(_SCHEMA, "", b"")
            self._channel = self._writer.register_channel(_TOPIC, "msgpack", schema)
            self._file.stream.flush()
        except BaseException:
            self._file.remove()
            raise

    def add(self, container: VisionToControl) -> None:
        """Keep a container."""
        if self._closed or self._file.foreign:
            raise TooLate(f"{str(self.path)!r} is closed, or was opened by another process")
        stamp = max(0, int(1e9 * container.acquired))
        content = container_message(container).content
        self._do(lambda: self._writer.add_message(self._channel, stamp, content, stamp))

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


def read_perception(path: str | os.PathLike[str], *, limit: int = _LIMIT) -> Iterator[VisionToControl]:
    """Containers of a recording, one after the other; of a file that was cut off, those that are whole.

    limit: most bytes, after decompression, that are read.
    """
    from mcap.records import Channel

    source, found = str(path), False
    topics: dict[int, str] = {}
    scan = Scan(Path(path), limit=limit, wanted=lambda channel: topics.get(channel) == _TOPIC)
    try:
        for record in scan.records():
            if isinstance(record, Channel):
                topics[record.id] = record.topic
            elif isinstance(record, Recorded):
                container = read_container(Message(VISION_TO_CONTROL, record.data))
                assert isinstance(container, VisionToControl)
                found = True
                yield container
    except RecordingError as error:
        raise InvalidMessage(f"{source!r} is no recorded perception: {error}") from None
    if not found:
        raise InvalidMessage(f"{source!r} holds no containers of vision: {scan.damage or 'it is whole'}")
