"""The bus: frames that are late or lost."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.compiler.routines import routine
from footfall.errors import InvalidInput
from footfall.walking.bus import LOSSES, LOST, BusSettings, BusState, new_bus, receive_frame, send_frame
from footfall.walking.hardware_request import BusQuality, read_bus


@routine
def came(settings: BusSettings, bus: BusState, tick: int, cut: bool) -> int:
    """The tick that a frame was sent at which comes now, or LOST."""
    place = send_frame(settings, bus, tick, cut)
    bus.position[place, 0] = tick
    found = receive_frame(bus, tick)
    return LOST if found == LOST else int(bus.position[found, 0])


def run(settings: BusSettings, ticks: int, *, seed: int = 0) -> tuple[list[int], BusState]:
    bus = new_bus(1, seed)
    return [came(settings, bus, k, False) for k in range(ticks)], bus


def test_frames_come_after_their_latency() -> None:
    found, bus = run(BusSettings(2, 0.0, 0.0, 0), 10)
    assert found == [LOST, LOST, 0, 1, 2, 3, 4, 5, 6, 7]
    assert bus.counts[LOSSES] == 0


def test_late_frames_are_overtaken_and_none_comes_twice() -> None:
    found, _ = run(BusSettings(1, 0.5, 0.0, 0), 2000)
    there = [frame for frame in found if frame != LOST]
    assert there == sorted(set(there))
    ages = {tick - frame for tick, frame in enumerate(found) if frame != LOST}
    assert ages == {1, 2}
    assert found.count(LOST) > 200  # so that the comparison above had something to find


def test_as_many_are_lost_as_was_asked_for() -> None:
    n, p = 20_000, 0.1
    found, bus = run(BusSettings(0, 0.0, p, 0), n, seed=3)
    # Binomial: n p with a deviation of sqrt(n p (1 - p)); four of them.
    assert abs(bus.counts[LOSSES] - n * p) < 4.0 * np.sqrt(n * p * (1.0 - p))
    assert bus.counts[LOSSES] == found.count(LOST)
    assert run(BusSettings(0, 0.0, p, 0), n, seed=3)[0] == found
    assert run(BusSettings(0, 0.0, p, 0), n, seed=4)[0] != found


def test_a_bus_is_read_and_refused() -> None:
    assert read_bus("2,0.1,0.01") == BusQuality(2, 0.1, 0.01)
    for text in ("2,0.1", "x,0,0", "9,0,0", "1,2,0"):
        with pytest.raises(InvalidInput):
            read_bus(text)
