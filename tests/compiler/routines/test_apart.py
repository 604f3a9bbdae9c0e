"""Routines that are compiled apart from those that call them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.compiler import machine
from footfall.compiler.routines import routine
from footfall.errors import RoutineFailed


class Line(NamedTuple):
    slope: float
    offset: float


@routine(fused=False, apart=True)
def height(line: Line, x: Array, result: Array) -> float:
    """Writes to an array that the caller has, allocates, and may fail."""
    if len(x) != len(result):
        raise ValueError("x and result differ in length")
    doubled = 2.0 * x
    total = 0.0
    for k in range(len(x)):
        result[k] = line.slope * doubled[k] + line.offset
        total += result[k]
    return total


@routine
def twice(line: Line, x: Array, result: Array) -> float:
    first = height(line, x, result)
    return first + height(Line(-line.slope, 0.0), x, result)


@routine
def unequal(line: Line, x: Array) -> float:
    return height(line, x, np.zeros(len(x) + 1))


LINE, X = Line(3.0, 0.5), np.linspace(-1.0, 2.0, 7)


def test_it_does_what_it_says_by_itself_and_in_others() -> None:
    result, expected = np.zeros(7), np.zeros(7)
    assert height(LINE, X, result) == height.python(LINE, X, expected)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(result, expected)
    assert twice(LINE, X, result) == twice.python(LINE, X, expected)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(result, expected)


def test_its_errors_reach_the_caller() -> None:
    with pytest.raises(ValueError, match="x and result differ"):
        unequal(LINE, X)


def test_its_code_is_kept_once_and_made_again_if_it_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(tmp_path))

    def fresh(function: object) -> object:
        return routine(function.python)  # type: ignore[attr-defined]

    result = np.zeros(7)
    fresh(height)(LINE, X, result)  # type: ignore[operator]
    alone = {path.name for path in tmp_path.glob("*.kernel")}
    assert len(alone) == 2  # its code, and the way into it
    fresh(twice)(LINE, X, result)  # type: ignore[operator]
    both = {path.name for path in tmp_path.glob("*.kernel")}
    assert len(both - alone) == 1
    for path in tmp_path.glob("*.kernel"):
        if path.name in alone:
            path.unlink()
    expected = twice(LINE, X, np.zeros(7))
    assert fresh(twice)(LINE, X, result) == expected  # type: ignore[operator]


def test_its_places_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTFALL_CHECKED_ROUTINES", "1")
    checked = routine(_outside)
    with pytest.raises(RoutineFailed, match=r"test_apart\.py:\d+.*: 9 is outside"):
        checked(X)


def _outside(x: Array) -> float:
    return _at(x, 9)


def _at(x: Array, k: int) -> float:
    return float(x[k])


routine(fused=False, apart=True)(_at)


def test_threads_that_need_it_at_the_same_time_wait_for_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(tmp_path))
    made: list[int] = []
    compiled = machine.compile_optimised

    def counted(text: str, **options: Any) -> bytes:
        made.append("define fastcc" in text)
        return compiled(text, **options)

    monkeypatch.setattr(machine, "compile_optimised", counted)
    twins = [routine(function.python) for function in (height, twice)]  # type: ignore[attr-defined]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda each: each.prepare(LINE, X, np.zeros(7)), twins))
    assert sum(made) == 1
    assert twins[1](LINE, X, np.zeros(7)) == twice(LINE, X, np.zeros(7))
