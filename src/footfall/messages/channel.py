"""Channels in shared memory: the newest sample of an array, from one process to any number of others.

One writes, others read, and nobody waits for anybody. There are three places for samples: the writer fills the one that
was published longest ago, then makes it the newest. A reader copies the newest and looks afterwards whether the writer
came round to it meanwhile; then it takes the next one.
"""

from __future__ import annotations

import struct
from multiprocessing import resource_tracker, shared_memory
from typing import Any, cast

import numpy as np

from footfall.errors import InvalidChannel

Sample = np.ndarray[Any, np.dtype[Any]]

_MARK = b"FFCHANL1"
_PLACES = 3
_LAYOUT = struct.Struct("<8s16s8q")  # mark, type, dimensions and lengths
_HEADER = 256  # bytes; the counter stands at _COUNTER
_COUNTER = 128
_MOST_BYTES = 2**30
_TRIES = 1000  # a reader that is overtaken that often looks at a writer without pause


class Channel:
    """The writer's end, or a reader's; use it as a context manager.

    `Channel.create` makes a channel, `Channel.open` joins one by its name.
    """

    def __init__(
        self, memory: shared_memory.SharedMemory, kind: Any, shape: tuple[int, ...], *, owner: bool
    ) -> None:
        self._memory, self._owner = memory, owner
        self.kind, self.shape = np.dtype(kind), shape
        size = self.kind.itemsize * int(np.prod(shape, dtype=np.int64))
        self._stride = -(-size // 64) * 64 + 64
        self._counter = np.ndarray(1, np.int64, memory.buf, _COUNTER)
        starts = [_HEADER + place * self._stride for place in range(_PLACES)]
        self._stamps = [np.ndarray(1, np.int64, memory.buf, start) for start in starts]
        self._samples = [np.ndarray(shape, self.kind, memory.buf, start + 64) for start in starts]
        self.overtaken = 0  # how often a reader had to look again

    @classmethod
    def create(cls, shape: tuple[int, ...], kind: Any = np.float64, *, name: str | None = None) -> Channel:
        """A channel for arrays of a shape and type. name: by which others open it; by default a free one."""
        kind = np.dtype(kind)
        size = kind.itemsize * int(np.prod(shape, dtype=np.int64))
        if kind.hasobject or kind.str[1:] not in (
            "f8",
            "f4",
            "i8",
            "i4",
            "i2",
            "i1",
            "u1",
            "u2",
            "u4",
            "u8",
            "b1",
        ):
            raise InvalidChannel(f"type is {kind}; channels hold plain numbers")
        if (
            len(shape) > 7
            or not all(type(length) is int and length > 0 for length in shape)
            or size > _MOST_BYTES
        ):
            raise InvalidChannel(f"shape is {shape}; up to 7 positive lengths, {_MOST_BYTES} bytes in all")
        total = _HEADER + _PLACES * (-(-size // 64) * 64 + 64)
        try:
            memory = shared_memory.SharedMemory(name, create=True, size=total)
        except (FileExistsError, OSError, ValueError) as error:
            raise InvalidChannel(f"no channel {name!r} can be made: {error}") from None
        buffer: Any = memory.buf
        buffer[:total] = bytes(total)
        lengths = (*shape, *(0 for _ in range(7 - len(shape))))
        _LAYOUT.pack_into(buffer, 0, _MARK, kind.newbyteorder("<").str.encode(), len(shape), *lengths)
        return cls(memory, kind, shape, owner=True)

    @classmethod
    def open(cls, name: str) -> Channel:
        """The channel of that name, to read."""
        try:
            memory = shared_memory.SharedMemory(name)
        except (FileNotFoundError, OSError, ValueError) as error:
            raise InvalidChannel(f"no channel {name!r}: {error}") from None
        # Python would remove the memory when this process ends, although another one owns it.
        resource_tracker.unregister(memory._name, "shared_memory")  # type: ignore[attr-defined]
        try:
            mark, kind, dimensions, *lengths = _LAYOUT.unpack_from(cast(Any, memory.buf), 0)
            shape = tuple(lengths[:dimensions]) if 0 <= dimensions <= 7 else ()
            if mark != _MARK or not all(length > 0 for length in shape):
                raise InvalidChannel(f"shared memory {name!r} is no channel of this version")
            kind = np.dtype(kind.rstrip(b"\0").decode("ascii"))
            size = kind.itemsize * int(np.prod(shape, dtype=np.int64))
            if memory.size < _HEADER + _PLACES * (-(-size // 64) * 64 + 64):
                raise InvalidChannel(f"shared memory {name!r} is smaller than its channel says")
        except (struct.error, TypeError, UnicodeDecodeError) as error:
            memory.close()
            raise InvalidChannel(f"shared memory {name!r} is no channel: {error}") from None
        except InvalidChannel:
            memory.close()
            raise
        return cls(memory, kind, shape, owner=False)

    @property
    def name(self) -> str:
        """By which other processes open it."""
        return self._memory.name

    @property
    def count(self) -> int:
        """Samples written so far."""
        return int(self._counter[0])

    def write(self, sample: Any) -> int:
        """Publish a sample; its number, from 1. One process only may write."""
        sample = np.asarray(sample)
        if sample.shape != self.shape:
            raise InvalidChannel(f"a sample has shape {sample.shape}; the channel has {self.shape}")
        number = int(self._counter[0]) + 1
        place = number % _PLACES
        self._stamps[place][0] = -number  # whoever reads it now sees that it changed
        self._samples[place][...] = sample
        self._stamps[place][0] = number
        self._counter[0] = number
        return number

    def read(self, *, after: int = 0) -> tuple[int, Sample] | None:
        """Number and copy of the newest sample, or None if there is none later than number `after`."""
        for _ in range(_TRIES):
            number = int(self._counter[0])
            if number <= after:
                return None
            place = number % _PLACES
            if int(self._stamps[place][0]) == number:
                sample = self._samples[place].copy()
                if int(self._stamps[place][0]) == number:
                    return number, sample
            self.overtaken += 1
        raise InvalidChannel(
            "the writer overtook this reader again and again; samples are too large for their rate"
        )

    def close(self) -> None:
        """Leave the channel; who made it removes it."""
        del self._counter, self._stamps, self._samples
        self._memory.close()
        if self._owner:
            self._memory.unlink()

    def __enter__(self) -> Channel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
