"""What replays a walk, written while it walks: a line for the request, one for each signal as it is sent, and the time.

Whatever ends a walk (a fall, an error, `kill -9`, a full disk), its journal replays what happened until half a second
before. Lines are JSON; one that was cut off in the end does not count.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import msgspec

from footfall.errors import CannotWrite, InvalidInput
from footfall.output_file import OutputFile
from footfall.walking.log import CHUNK
from footfall.walking.request import LARGEST, WalkRequest, beside, of_now
from footfall.walking.session import WalkSession
from footfall.walking.signals import AnySignal
from footfall.whole_file import open_file

ENDING = ".walk.jsonl"


class _Time(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="time", tag_field="do"):
    """Until when it has walked, s."""

    seconds: float


class Journal:
    """Follows a session and writes what replays it; `close` ends that, and nothing is lost if nobody calls it."""

    def __init__(self, path: Path | str) -> None:
        self._file = OutputFile(Path(path), overwrite=False)
        self._signals, self._time = 0, -1.0

    @property
    def path(self) -> Path:
        return self._file.path

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def follow(self, session: WalkSession) -> None:
        """Write signals that were sent since it was asked last, and the time if half a second is over."""
        values: list[WalkRequest | AnySignal | _Time] = []
        if self._time < 0.0:
            values.append(of_now(msgspec.structs.replace(session.replayed, signals=(), seconds=None)))
        values += session.sent[self._signals :]
        self._signals = len(session.sent)
        if values or session.time >= self._time + CHUNK - 1e-9:
            values.append(_Time(session.time))
            self._time = session.time
        if values:
            self._write(b"".join(msgspec.json.encode(each) + b"\n" for each in values))

    def close(self) -> None:
        """No more is written."""
        self._file.leave()

    def remove(self) -> None:
        """It is not needed: the walk has been written in another way."""
        self._file.remove()

    def _write(self, lines: bytes) -> None:
        try:
            self._file.stream.write(lines)
            self._file.stream.flush()
        except OSError as problem:
            raise CannotWrite(
                f"journal {str(self.path)!r} could not be written any further: {problem}; "
                f"it replays the walk until {self._time:g} s"
            ) from problem


def read_journal(path: Path | str) -> WalkRequest:
    """The walk of a journal, until when it was written."""
    place = Path(path)
    with open_file(place, "journal of a walk") as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise InvalidInput(f"{str(place)!r} has more than {LARGEST} bytes; a journal of a walk has not")
    first, *others = content.split(b"\n")[:-1] or [b""]  # the last line has not ended, or is empty
    try:
        request = msgspec.json.decode(first, type=WalkRequest)
        values = [msgspec.json.decode(line, type=_Time | AnySignal) for line in others]
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{str(place)!r} is no journal of a walk: {error}") from None
    times = [each.seconds for each in values if isinstance(each, _Time)]
    signals = tuple(each for each in values if not isinstance(each, _Time))
    seconds = max(times, default=0.0) or None
    return beside(msgspec.structs.replace(request, signals=signals, seconds=seconds), place)
