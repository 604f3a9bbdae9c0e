"""Recorded perception: containers of vision in an MCAP file, to be played again as if vision sent them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from footfall.environment.vision.codec import VISION_TO_CONTROL, container_message, read_container
from footfall.environment.vision.containers import VisionToControl
from footfall.errors import InvalidMessage, RecordingError
from footfall.messages.frames import Message
from footfall.recording.scan import Message as Recorded
from footfall.recording.scan import Scan

_TOPIC, _SCHEMA = "/vision", "footfall.VisionToControl"
_LIMIT = 2**32  # bytes


class PerceptionRecorder:
    """Writes containers of vision to a new .mcap file; use it as a context manager."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        from mcap.writer import Writer

        self.path = Path(path)
        self._file = open(self.path, "xb")  # noqa: SIM115 (until `close`)
        self._writer = Writer(self._file, chunk_size=2**20)
        self._writer.start("footfall", "footfall perception")
        schema = self._writer.register_schema(_SCHEMA, "", b"")
        self._channel = self._writer.register_channel(_TOPIC, "msgpack", schema)

    def add(self, container: VisionToControl) -> None:
        """Keep a container."""
        stamp = max(0, int(1e9 * container.acquired))
        self._writer.add_message(self._channel, stamp, container_message(container).content, stamp)

    def close(self) -> None:
        """Finish the file."""
        try:
            self._writer.finish()  # type: ignore[no-untyped-call]
        finally:
            self._file.close()

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
