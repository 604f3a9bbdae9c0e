"""Races with clocks that we turn ourselves: medians, quartiles, interleaving, and loops around statements."""

from __future__ import annotations

import gc
from collections.abc import Callable

import numpy as np
import pytest

from footfall.bench.measure import Contestant, Spread, race, sweep


class FakeClock:
    """Nanoseconds that pass only when a contestant runs."""

    def __init__(self) -> None:
        self.now = 0
        self.order: list[str] = []

    def runner(self, name: str, nanoseconds: Callable[[int], int]) -> Contestant:
        runs = 0

        def run() -> None:
            nonlocal runs
            self.now += nanoseconds(runs)
            runs += 1
            self.order.append(name)

        return Contestant(run, calls=10, clock=lambda: self.now)


def test_ratio_of_steady_contestants() -> None:
    clock = FakeClock()
    fast, slow = clock.runner("fast", lambda _: 1000), clock.runner("slow", lambda _: 4000)
    result = race({"fast": fast, "slow": slow}, blocks=5, block_seconds=1e-6)
    assert result.time("fast") == Spread(1e-7, 1e-7, 1e-7)  # 1000 ns for 10 calls
    assert result.ratio("slow", "fast").median == pytest.approx(4.0)


def test_drift_cancels_in_the_ratio() -> None:
    """Both slow down threefold on the way: times spread, their ratio does not."""
    clock = FakeClock()
    result = race(
        {
            "one": clock.runner("one", lambda k: 1000 * (1 + k)),
            "two": clock.runner("two", lambda k: 2000 * (1 + k)),
        },
        blocks=9,
        block_seconds=0.0,
    )
    times, ratios = result.time("one"), result.ratio("two", "one")
    assert times.upper > 1.5 * times.lower
    assert ratios == Spread(2.0, 2.0, 2.0)


def test_blocks_interleave_and_rotate() -> None:
    clock = FakeClock()
    contestants = {name: clock.runner(name, lambda _: 1000) for name in "abc"}
    race(contestants, blocks=3, block_seconds=0.0)
    assert clock.order[6:] == list("abcbcacab")  # after two runs each to warm up


def test_short_sweeps_are_repeated() -> None:
    clock = FakeClock()
    contestant = clock.runner("short", lambda _: 1000)
    race({"short": contestant}, blocks=2, block_seconds=9.5e-6)
    assert len(clock.order) == 2 + 2 * 10


def test_spread_is_quartiles() -> None:
    assert Spread.of(np.arange(5.0)) == Spread(1.0, 2.0, 3.0)


def test_garbage_collection_comes_back() -> None:
    assert gc.isenabled()
    states: list[bool] = []
    race({"a": Contestant(lambda: states.append(gc.isenabled()), 1)}, blocks=1, block_seconds=0.0)
    assert not any(states)
    assert gc.isenabled()


def test_sweep_runs_the_statement_on_each_row() -> None:
    seen: list[int] = []
    run = sweep("add(x + y * scale)", {"x": [1, 2], "y": [10, 20]}, {"add": seen.append, "scale": 2})
    run()
    run()
    assert seen == [21, 42, 21, 42]
    single: list[int] = []
    sweep("add(x)", {"x": [5, 6]}, {"add": single.append})()
    assert single == [5, 6]
    with pytest.raises(ValueError):
        sweep("x", {"x": [1], "y": [1, 2]}, {})
