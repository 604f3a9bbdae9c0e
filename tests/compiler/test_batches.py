"""Batches and rollouts in pieces: the same bits as in one, however they are cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from footfall.compiler import Kernel, batches, build_kernel
from footfall.compiler.batches import BatchCode
from footfall.errors import InvalidInput


@pytest.fixture(scope="module")
def drift() -> Kernel:
    """Two states, a command and a result of its own."""

    def step(x: Any, v: Any, command: Any, gain: Any) -> dict[str, Any]:
        faster = v + 0.01 * (command - gain * np.sin(x) - 0.1 * v)
        return {"energy": v @ v + x @ x, "v": faster, "x": x + 0.01 * faster}

    return build_kernel(step, {"x": 5, "v": 5, "command": 5, "gain": ()}, name="drift")


@pytest.fixture
def tiny_pieces(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int, int]]:
    """Rows and steps of the pieces that were run; all are as small as can be."""
    run, seen = BatchCode.run, list[tuple[int, int, int]]()

    def watched(code: BatchCode, table: Any, begin: int, end: int, steps: int) -> bool:
        seen.append((begin, end, steps))
        not_finite = run(code, table, begin, end, steps)
        code.pace, code.piece = 1.0, 30.0  # after this piece, thirty rows times steps at a time
        return not_finite

    monkeypatch.setattr(BatchCode, "run", watched)
    monkeypatch.setattr(batches, "_WORTH_A_THREAD", 1.0)
    monkeypatch.setattr(batches, "_MEASURABLE", np.inf)
    return seen


def starts(rows: int) -> list[Any]:
    rng = np.random.default_rng(3)
    return [rng.normal(size=(rows, 5)), rng.normal(size=(rows, 5))]


OPTIONS: list[dict[str, Any]] = [
    {},
    {"only": ("energy",)},
    {"only": ("x",)},
    {"last_only": ("x",)},
    {"last_only": ("x", "v", "energy")},
    {"only": ("energy", "x"), "last_only": ("x",)},
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("rows", [1, 2, 9, 40])
def test_cutting_changes_no_bit(
    drift: Kernel, tiny_pieces: Any, options: dict[str, Any], threads: int, rows: int
) -> None:
    steps = 67
    rng = np.random.default_rng(4)
    command = rng.normal(size=(rows, steps, 5))  # another one each step
    gain = rng.uniform(1.0, 2.0, size=(rows, 1))
    x, v = starts(rows)
    # One step after another, by calls: nothing is cut there.
    expected: dict[str, list[Any]] = {"energy": [], "v": [], "x": []}
    for s in range(steps):
        given = zip(x, v, command[:, s], gain[:, 0], strict=True)
        energy, v, x = (np.array(part) for part in zip(*(drift(*row) for row in given), strict=True))
        for name, value in (("energy", energy), ("v", v), ("x", x)):
            expected[name].append(value)
    tiny_pieces.clear()
    found = drift.rollout(*starts(rows), command, gain, threads=threads, **options)
    tiny_pieces.clear()
    found = drift.rollout(*starts(rows), command, gain, threads=threads, **options)
    assert len(tiny_pieces) >= rows * steps / 8 / 30  # it was cut
    assert sum((end - begin) * count for begin, end, count in tiny_pieces) == rows * steps
    names = [name for name, _ in drift.signature.outputs if name in options.get("only", expected)]
    for name, array in zip(names, found if isinstance(found, tuple) else (found,), strict=True):
        value = np.array(expected[name]).swapaxes(0, 1)
        assert (array == (value[:, -1] if name in options.get("last_only", ()) else value)).all()


def test_an_interruption_is_forgotten(drift: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    """A piece during which another process ran for a second says nothing about the next ones: a row would go to
    threads for ever."""
    x, v = starts(1)
    monkeypatch.setattr(batches, "_MEASURABLE", np.inf)
    drift._one_lane.pace = 1e9
    drift.batch(x, v, np.zeros(5), 1.0)
    drift.batch(x, v, np.zeros(5), 1.0)
    assert drift._one_lane.pace < 1e8  # ns; a hundred operations, and a call


def test_rows_are_shared(drift: Kernel, tiny_pieces: Any) -> None:
    x, v = starts(200)
    whole = [drift(a, b, np.zeros(5), 1.0) for a, b in zip(x, v, strict=True)]
    for _ in range(2):
        tiny_pieces.clear()
        energy, faster, moved = drift.batch(x, v, np.zeros(5), 1.0, threads=2)
    assert len(tiny_pieces) > 5
    for k, (a, b, c) in enumerate(whole):
        assert energy[k] == a
        assert (faster[k] == b).all()
        assert (moved[k] == c).all()


def test_bound_batches_read_and_write_the_same_arrays(drift: Kernel, tiny_pieces: Any) -> None:
    rng = np.random.default_rng(7)
    x, v, command = (rng.normal(size=(61, 5)) for _ in range(3))
    gain = np.array([2.0])
    out = [np.zeros((61, *shape)) for _, shape in drift.signature.outputs]
    again = drift.bind_batch(x, v, command, gain, out=out, threads=2)
    for _ in range(2):
        again()
        for expected, found in zip(drift.batch(x, v, command, gain, threads=1), out, strict=True):
            np.testing.assert_array_equal(found, expected)
        x[:], command[:] = rng.normal(size=(2, 61, 5))
    with pytest.raises(InvalidInput, match="output v shares memory with v"):
        drift.bind_batch(x, v, command, gain, out=[out[0], v, out[2]])
    with pytest.raises(InvalidInput, match="must be a contiguous float64 array, not list"):
        drift.bind_batch(x, v, command, [2.0], out=out)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="bind_batch needs"):
        drift.bind_batch(x[0], v[0], command[0], np.array(2.0), out=out)


def test_wrong_numbers_are_found_in_any_piece(drift: Kernel, tiny_pieces: Any) -> None:
    x, v = starts(200)
    v[137, 2] = np.nan
    for _ in range(2):
        with pytest.raises(InvalidInput, match=r"drift: v\[137, 2\] is nan"):
            drift.batch(x, v, np.zeros(5), 1.0, threads=2)


def test_states_that_diverge_are_not_inputs(drift: Kernel, tiny_pieces: Any) -> None:
    """They are read again where a rollout is cut, and hold what they hold."""
    x, v = starts(4)
    v[2] = 1e200
    for _ in range(2):
        energy, _, last = drift.rollout(x, v, np.zeros(5), 1.0, steps=60, last_only=("x",))
    assert not np.isfinite(energy[2]).any()
    assert np.isfinite(energy[[0, 1, 3]]).all()
    assert last.shape == (4, 5)


def test_no_memory(drift: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    x, v = starts(3)
    drift.batch(x, v, np.zeros(5), 1.0)
    code = drift._many_lanes()
    monkeypatch.setattr(code, "_function", lambda *_: -1)
    with pytest.raises(MemoryError, match="no memory for the workspace"):
        drift.batch(x, v, np.zeros(5), 1.0)
