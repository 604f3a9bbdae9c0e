"""Sharing, folding and algebra in the graph, and how programs are cut into segments."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from footfall.compiler import build_kernel, repeat, trace, where
from footfall.compiler.schedule import LARGE_SEGMENT_SIZE, Repetition, Segment, schedule


def operations(function, **inputs) -> int:
    return schedule(trace(function, inputs)).work


def test_equal_terms_are_computed_once() -> None:
    assert operations(lambda x: np.array([x[0] * x[1], x[1] * x[0], -(x[0] * x[1])]), x=2) == 2
    assert operations(lambda x: np.array([(-x[0]) * x[1], x[0] * x[1] * 1.0]), x=2) == 2
    assert operations(lambda x: np.sin(x[0]) * np.sin(x[0]), x=1) == 2


def test_structural_zeros_and_ones_vanish() -> None:
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert operations(lambda x: turn.T @ (turn @ x), x=3) == 0
    assert operations(lambda x: np.eye(3) @ x + np.zeros(3), x=3) == 0
    assert operations(lambda x: x - x, x=3) == 0


def test_products_and_sums_fuse() -> None:
    assert operations(lambda x: x[0] * x[1] + x[2], x=3) == 1
    assert operations(lambda x: x[2] - x[0] * x[1], x=3) == 1
    assert operations(lambda x: x @ x, x=3) == 3


def test_what_nobody_needs_is_not_computed() -> None:
    def function(x):
        np.sin(x[0])
        return x[1] * 2.0

    assert operations(function, x=2) == 1


def test_terms_that_do_not_change_leave_the_loop() -> None:
    plan = schedule(trace(lambda x: repeat(lambda y: y * np.exp(x[0]), x[1], count=10), {"x": 2}))
    loops = [piece for piece in plan.pieces if isinstance(piece, Repetition)]
    inside = [index for piece in loops[0].pieces for index in piece.nodes]
    assert [plan.program.graph.nodes[index][0] for index in inside] == ["mul"]


def chain(length: int):
    """x -> sin-free chaotic map, `length` dependent steps that also use a value from far before."""

    def function(x):
        values = [x[0], x[1]]
        for k in range(length // 2):
            values.append(values[-1] * 0.75 - values[max(0, k - 500)] * x[1])
        return np.array([values[-1], values[length // 4]])

    return function


@pytest.mark.parametrize("segment_size", [3, 50, 1500])
def test_cut_programs_compute_the_same(segment_size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values that cross segments and loops go through slots that are used again; results do not depend on cuts."""
    monkeypatch.setattr("footfall.compiler.schedule.schedule.__kwdefaults__", {"segment_size": segment_size})

    def function(x):
        y = [np.sin(x[k % 4]) * x[k % 3] for k in range(40)]
        before = [a * b - 1.0 for a, b in pairwise(y)]

        def body(p, s):
            for k in range(20):
                p = where(p > 2.0, p - before[k], p + before[-k] * s)
            inner = repeat(lambda z: z * 0.5 + p * before[3], s, count=3)
            return p * 0.5, s + inner

        p, s = repeat(body, (x[0], x[1]), count=4)
        return np.array([p, s, *before, p * before[0], y[7] * s])

    kernel = build_kernel(function, {"x": 4}, name=f"cut{segment_size}", key=None)
    x = np.random.default_rng(0).normal(size=(20, 4))
    with np.errstate(all="ignore"):
        expected = np.array([np.asarray(function(row), dtype=float) for row in x])
    got = np.array([kernel(row) for row in x])
    assert np.abs(got - expected).max() <= 1e-12 * np.abs(expected).max()
    assert (kernel.batch(x) == got).all()


@pytest.mark.parametrize("length", [80_000, 320_000])
def test_large_graphs_are_cut_into_small_segments(length: int) -> None:
    """Compiling a segment takes longer than in proportion to its size; so the time stays linear in the graph's."""
    plan = schedule(trace(chain(length), {"x": 2}))
    sizes = [len(piece.nodes) for piece in plan.pieces if isinstance(piece, Segment)]
    assert plan.work > 0.9 * length
    assert max(sizes) <= LARGE_SEGMENT_SIZE
    assert len(sizes) < 1.5 * plan.work / LARGE_SEGMENT_SIZE
    assert plan.size < 1200  # values that wait in memory for other segments do not become more


def test_large_graphs_are_right(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(tmp_path))
    kernel = build_kernel(chain(80_000), {"x": 2}, name="chain")
    x = np.array([0.3, 0.2])
    assert np.abs(kernel(x) - chain(80_000)(x)).max() < 1e-12


def test_slots_are_used_again() -> None:
    plan = schedule(trace(chain(20_000), {"x": 2}))
    assert len([piece for piece in plan.pieces if isinstance(piece, Segment)]) > 5
    assert plan.size < 1200
