"""Recorded perception: containers of vision in an MCAP file, to be played again as if vision sent them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from footfall.environment.vision.codec import VISION_TO_CONTROL, container_message, read_container
from footfall.environment.vision.containers import VisionToControl
from footfall.errors import InvalidMessage
from footfall.messages.frames import MOST_UNPACKED, Message

_TOPIC, _SCHEMA = "/vision", "footfall.VisionToControl"


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


def read_perception(path: str | os.PathLike[str]) -> Iterator[VisionToControl]:
    """Containers of a recording, one after the other; of a file that was cut off, those that are whole."""
    from mcap.exceptions import McapError
    from mcap.stream_reader import StreamReader

    source, found = str(path), False
    with open(path, "rb") as file:
        records = iter(StreamReader(file, record_size_limit=MOST_UNPACKED).records)
        topics: dict[int, str] = {}
        while True:
            try:
                record: Any = next(records)
            except StopIteration:
                break
            except (McapError, EOFError) as error:
                if found:
                    break  # cut off
                raise InvalidMessage(f"{source!r} is no recorded perception: {error}") from None
            except Exception as error:  # of decompression and of damaged records
                raise InvalidMessage(f"{source!r} is damaged: {type(error).__name__}: {error}") from None
            match type(record).__name__:
                case "Channel":
                    topics[record.id] = record.topic
                case "Message" if topics.get(record.channel_id) == _TOPIC:
                    container = read_container(Message(VISION_TO_CONTROL, record.data))
                    assert isinstance(container, VisionToControl)
                    found = True
                    yield container
    if not found:
        raise InvalidMessage(f"{source!r} holds no containers of vision")
