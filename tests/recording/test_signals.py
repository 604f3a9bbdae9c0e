"""Named signals in recordings."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

import footfall
from footfall.errors import InvalidInput, RecordingError
from footfall.recording import format as form
from footfall.recording.reader import read_recording
from footfall.recording.signals import joined_signals, signal_blocks
from footfall.recording.writer import RecordingWriter


def test_signals_come_back_with_their_units(tmp_path: Path) -> None:
    path, rng = tmp_path / "signals.mcap", np.random.default_rng(0)
    times = np.arange(2500) * 1e-3
    values = {"height": rng.standard_normal(2500), "force": rng.standard_normal((2500, 3))}
    with RecordingWriter(path, footfall.load("lola")) as writer:
        writer.signals(times, values, {"height": "m", "force": "N"})
    found = read_recording(path).signals
    assert found.units == {"height": "m", "force": "N"}
    np.testing.assert_array_equal(found.time, times)
    for name, array in values.items():
        np.testing.assert_array_equal(found.values[name], array)


def test_calls_that_do_not_fit_together_are_refused_and_the_file_is_whole(tmp_path: Path) -> None:
    path, times = tmp_path / "signals.mcap", np.arange(3.0)
    with RecordingWriter(path, footfall.load("lola")) as writer:
        writer.signals(times, {"height": times}, {"height": "m"})
        with pytest.raises(InvalidInput, match="the same in every call"):
            writer.signals(times + 3.0, {"width": times}, {"width": "m"})
        with pytest.raises(InvalidInput, match="decrease"):
            writer.signals(times, {"height": times}, {"height": "m"})
        writer.signals(times + 3.0, {"height": 2.0 * times}, {"height": "m"})
    found = read_recording(path)
    assert found.complete
    np.testing.assert_array_equal(found.signals.time, np.arange(6.0))
    np.testing.assert_array_equal(found.signals.values["height"], [0.0, 1.0, 2.0, 0.0, 2.0, 4.0])


def test_wrong_signals_are_refused() -> None:
    times = np.arange(3.0)
    with pytest.raises(InvalidInput, match="unit"):
        list(signal_blocks(times, {"height": times}, {}))
    with pytest.raises(InvalidInput, match="shape"):
        list(signal_blocks(times, {"height": np.zeros(4)}, {"height": "m"}))
    with pytest.raises(InvalidInput, match="decrease"):
        list(signal_blocks(times[::-1], {"height": times}, {"height": "m"}))
    (block,) = signal_blocks(times, {"height": times}, {"height": "m"})
    for change in ({"sizes": [2]}, {"names": ["a", "b"]}, {"rows": 4}, {"sizes": []}):
        with pytest.raises(RecordingError):
            joined_signals([msgspec.structs.replace(block, **change)], "file")
    other = form.SignalBlock(3, ["other"], [1], ["m"], block.time, block.values)
    with pytest.raises(RecordingError, match="different"):
        joined_signals([block, other], "file")
