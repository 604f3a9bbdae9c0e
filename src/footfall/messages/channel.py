"""Channels in shared memory: the newest sample of an array, from one process to any number of others.

One writes, others read, and none waits for another. There are three places for samples: the writer fills the one that
was published longest ago, then makes it the newest. A reader copies the newest and looks afterwards whether the writer
came round to it meanwhile; then it takes the next one.

The memory is anonymous (memfd_create of Linux) and sealed: no process can make it shorter, so that a reader never finds
it gone, and the system frees it with the last process that has it, however that ends. Readers reach it through the
process that made it, which only the same user can, and map it so that they cannot write unless they ask for that.
"""

from __future__ import annotations

import math
import mmap
import os
import re
import secrets
import struct
import sys
from typing import Any, NamedTuple

import numpy as np

from footfall.errors import InvalidMessage

Sample = np.ndarray[Any, np.dtype[Any]]

_MARK = b"FFCHANL2"
_PLACES = 3
_LAYOUT = struct.Struct("<8s8s16s8q")  # mark, key, type, dimensions and lengths
_HEADER = 256  # bytes; the counter stands at _COUNTER
_COUNTER = 128
_MOST_BYTES = 2**30
_MOST_DIMENSIONS = 7
_TRIES = 1000  # a reader that is overtaken that often looks at a writer without pause
_KINDS = {
    f"{kind}{size}"
    for kind, sizes in (("f", "48"), ("i", "1248"), ("u", "1248"), ("b", "1"))
    for size in sizes
}
_NAME = re.compile(r"([0-9]{1,10})-([0-9]{1,10})-([0-9a-f]{16})")  # process, descriptor and key


class _Layout(NamedTuple):
    """What a channel holds, and how large its memory is."""

    kind: np.dtype[Any]
    shape: tuple[int, ...]

    @property
    def stride(self) -> int:
        """Bytes from one place to the next: a stamp in 64, then the sample."""
        return -(-self.kind.itemsize * math.prod(self.shape) // 64) * 64 + 64

    @property
    def total(self) -> int:
        return _HEADER + _PLACES * self.stride


def _checked(kind: Any, shape: Any) -> _Layout:
    """The one place that says what channels may be, for those who make them and for those who open one."""
    kind = np.dtype(kind)
    if kind.str[1:] not in _KINDS:
        raise InvalidMessage(f"type is {kind}; channels hold plain numbers")
    lengths = tuple(shape)
    if (
        len(lengths) > _MOST_DIMENSIONS
        or not all(type(length) is int and 0 < length <= _MOST_BYTES for length in lengths)
        or kind.itemsize * math.prod(lengths) > _MOST_BYTES
    ):
        raise InvalidMessage(
            f"shape is {str(lengths)[:200]}; up to {_MOST_DIMENSIONS} positive lengths, {_MOST_BYTES} bytes in all"
        )
    return _Layout(kind, lengths)


class Channel:
    """The writer's end, or a reader's; use it as a context manager.

    `Channel.create` makes a channel, `Channel.open` joins one by its name. name: by which other processes of the same
    user open it, as long as this one runs.
    """

    def __init__(
        self, name: str, memory: mmap.mmap, layout: _Layout, *, writes: bool, descriptor: int | None = None
    ) -> None:
        self.name = name
        self.kind, self.shape = layout
        self._memory, self._writes, self._descriptor = memory, writes, descriptor
        self._counter = np.ndarray(1, np.int64, memory, _COUNTER)
        starts = [_HEADER + place * layout.stride for place in range(_PLACES)]
        self._stamps = [np.ndarray(1, np.int64, memory, start) for start in starts]
        self._samples = [np.ndarray(layout.shape, layout.kind, memory, start + 64) for start in starts]
        self.overtaken = 0  # how often a reader had to look again

    @classmethod
    def create(cls, shape: tuple[int, ...], kind: Any = np.float64) -> Channel:
        """A channel for arrays of a shape and type."""
        layout = _checked(kind, shape)
        if sys.platform != "linux":
            raise InvalidMessage(
                "channels in shared memory need Linux; use sockets (footfall.messages.connect)"
            )
        import fcntl

        descriptor = os.memfd_create("footfall-channel", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            os.ftruncate(descriptor, layout.total)
            fcntl.fcntl(
                descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
            )
            memory = mmap.mmap(descriptor, layout.total)
        except OSError as error:
            os.close(descriptor)
            raise InvalidMessage(
                f"no memory for a channel of {layout.total} bytes: {error.strerror}"
            ) from None
        key = secrets.token_bytes(8)
        lengths = (*layout.shape, *(0 for _ in range(_MOST_DIMENSIONS - len(layout.shape))))
        kind_text = layout.kind.newbyteorder("<").str.encode()
        _LAYOUT.pack_into(memory, 0, _MARK, key, kind_text, len(layout.shape), *lengths)
        return cls(
            f"{os.getpid()}-{descriptor}-{key.hex()}", memory, layout, writes=True, descriptor=descriptor
        )

    @classmethod
    def open(cls, name: str, *, write: bool = False) -> Channel:
        """The channel of that name, to read. Only one that a process of the same user has made is taken.

        write: instead of the process that made it; one may.
        """
        found = _NAME.fullmatch(name)
        if found is None or sys.platform != "linux":
            raise InvalidMessage(f"no channel {name[:80]!r}; names are those that Channel.create gives")
        process, number, key = found.groups()
        try:
            access = os.O_RDWR if write else os.O_RDONLY
            descriptor = os.open(f"/proc/{process}/fd/{number}", access | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError as error:
            raise InvalidMessage(f"no channel {name!r}: {error.strerror}") from None
        try:
            layout = _read_layout(descriptor, bytes.fromhex(key), name)
            protection = mmap.PROT_READ | (mmap.PROT_WRITE if write else 0)
            memory = mmap.mmap(descriptor, layout.total, prot=protection)
        except (OSError, ValueError) as error:
            if isinstance(error, InvalidMessage):
                raise
            raise InvalidMessage(f"channel {name!r} cannot be mapped: {error}") from None
        finally:
            os.close(descriptor)
        return cls(name, memory, layout, writes=write)

    @property
    def count(self) -> int:
        """Samples written so far."""
        return int(self._counter[0])

    def write(self, sample: Any) -> int:
        """Publish a sample; its number, from 1. One process only may write."""
        sample = np.asarray(sample)
        if sample.shape != self.shape:
            raise InvalidMessage(f"a sample has shape {sample.shape}; the channel has {self.shape}")
        if not self._writes:
            raise InvalidMessage(f"channel {self.name!r} was opened to read; open it with write=True")
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
        raise InvalidMessage(
            "the writer overtook this reader again and again; samples are too large for their rate"
        )

    def close(self) -> None:
        """Leave the channel. Once its owner does, no reader can join any more; the memory goes with the last reader."""
        del self._counter, self._stamps, self._samples
        self._memory.close()
        if self._descriptor is not None:
            os.close(self._descriptor)

    def __enter__(self) -> Channel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _read_layout(descriptor: int, key: bytes, name: str) -> _Layout:
    """What a descriptor that somebody has named holds, looked at before anything of it is believed."""
    import fcntl

    status = os.fstat(descriptor)
    if status.st_uid != os.geteuid():
        raise InvalidMessage(f"channel {name!r} belongs to another user")
    try:
        seals = fcntl.fcntl(descriptor, fcntl.F_GET_SEALS)
    except OSError:
        raise InvalidMessage(f"{name!r} is no channel, but something else of that process") from None
    if not seals & fcntl.F_SEAL_SHRINK:
        raise InvalidMessage(f"the memory of channel {name!r} can be cut off; channels are sealed")
    if status.st_size < _HEADER:
        raise InvalidMessage(f"{name!r} is smaller than any channel")
    mark, found, text, dimensions, *lengths = _LAYOUT.unpack(os.pread(descriptor, _LAYOUT.size, 0))
    if mark != _MARK or found != key or not 0 <= dimensions <= _MOST_DIMENSIONS:
        raise InvalidMessage(f"{name!r} is no channel of this version, or the one of that name is gone")
    written = text.rstrip(b"\0").decode("ascii", "replace")
    if (
        written[:1] not in ("<", "|") or written[1:] not in _KINDS
    ):  # before NumPy reads it: "O8" would be objects
        raise InvalidMessage(f"channel {name!r} has type {written!r}; channels hold plain numbers")
    layout = _checked(written, lengths[:dimensions])
    if status.st_size < layout.total:
        raise InvalidMessage(f"the memory of channel {name!r} is smaller than it says")
    return layout
