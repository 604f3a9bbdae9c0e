"""Named signals of a recording: numbers over time with their units, besides states and contacts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput, RecordingError
from footfall.recording import format as form

_ROWS = 1024  # in a block
_MOST_NUMBERS = 10_000  # in a row


class SignalTable(NamedTuple):
    """time (n,), s. values: by name, (n,) or (n, size). units: by name."""

    time: Array
    values: Mapping[str, Array]
    units: Mapping[str, str]


class SignalKinds(NamedTuple):
    """Which signals there are, the same in all blocks: names, how many numbers each has, and units."""

    names: list[str]
    sizes: list[int]
    units: list[str]


def kinds_of(block: form.SignalBlock) -> SignalKinds:
    """Those of a block."""
    return SignalKinds(block.names, block.sizes, block.units)


NO_SIGNALS = SignalTable(np.zeros(0), {}, {})


def signal_blocks(
    times: Any, values: Mapping[str, Any], units: Mapping[str, str]
) -> Iterator[form.SignalBlock]:
    """Signals in blocks of rows. times (n,), values by name (n,) or (n, size), units of all of them."""
    time = np.asarray(times, dtype=np.float64)
    if time.ndim != 1 or not np.isfinite(time).all() or (np.diff(time) < 0.0).any():
        raise InvalidInput("times of signals must be finite numbers (n,) that do not decrease")
    columns = []
    for name, given in values.items():
        array = np.asarray(given, dtype=np.float64)
        if array.shape[:1] != time.shape or array.ndim > 2:
            raise InvalidInput(
                f"signal {name!r} has shape {array.shape}; it must be ({len(time)},) or ({len(time)}, size)"
            )
        if name not in units:
            raise InvalidInput(f"signal {name!r} has no unit; give one, '' for a number")
        columns.append(array.reshape(len(time), -1))
    sizes = [column.shape[1] for column in columns]
    if not columns or sum(sizes) > _MOST_NUMBERS:
        raise InvalidInput(f"a row has {sum(sizes)} numbers of signals; it must have 1 to {_MOST_NUMBERS}")
    table = np.concatenate(columns, axis=1)
    names = list(values)
    texts = [str(units[name]) for name in names]
    for first in range(0, len(time), _ROWS):
        part = slice(first, first + _ROWS)
        rows = len(time[part])
        yield form.SignalBlock(rows, names, sizes, texts, form.packed(time[part]), form.packed(table[part]))


def joined_signals(blocks: Sequence[form.SignalBlock], source: str) -> SignalTable:
    """The signals of blocks, which must all have the same names."""
    if not blocks:
        return NO_SIGNALS
    first = blocks[0]
    kinds = kinds_of(first)
    if len({len(part) for part in kinds}) > 1 or len(set(first.names)) < len(first.names):
        raise RecordingError(f"{source}: signals have {[len(part) for part in kinds]} names, sizes and units")
    width = sum(first.sizes)
    if not 0 < width <= _MOST_NUMBERS:
        raise RecordingError(f"{source}: a row has {width} numbers of signals")
    times, rows = [], []
    for block in blocks:
        if kinds_of(block) != kinds:
            raise RecordingError(f"{source}: blocks of signals have different names")
        times.append(form.unpacked(block.time, (block.rows,), f"{source}: {form.SIGNALS} time"))
        rows.append(form.unpacked(block.values, (block.rows, width), f"{source}: {form.SIGNALS} values"))
    table, ends = np.concatenate(rows), np.cumsum([0, *first.sizes]).tolist()
    values = {
        name: table[:, a] if b == a + 1 else table[:, a:b]
        for name, a, b in zip(first.names, ends, ends[1:], strict=False)
    }
    return SignalTable(np.concatenate(times), values, dict(zip(first.names, first.units, strict=True)))
