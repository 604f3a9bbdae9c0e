"""Calling kernels: conversion, batches, bound arrays, and what wrong input is told."""

from __future__ import annotations

import gc
import pickle
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footfall.compiler import Kernel, build_kernel, builtin, call, interface
from footfall.compiler import kernel as kernel_module
from footfall.errors import InvalidInput
from tests.eventually import eventually


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return build_kernel(
        lambda a, b: {"sum": a + b, "matrix": np.outer(a, b), "zero": np.zeros(2), "dot": a @ b},
        {"a": 3, "b": (3,)},
        name="pair",
    )


A, B = np.array([1.0, 2.0, 3.0]), np.array([0.5, -1.0, 4.0])


def test_one_call(kernel: Kernel) -> None:
    total, matrix, zero, dot = kernel(A, B)
    assert (total == A + B).all()
    assert (matrix == np.outer(A, B)).all()
    assert (zero == 0).all()
    assert dot == A @ B
    assert type(dot) is float


@pytest.mark.parametrize(
    "given",
    [
        [1, 2, 3],
        np.array([1, 2, 3]),
        np.array([1, 2, 3], dtype=np.float32),
        np.array([1.0, 0, 2, 0, 3])[::2],
        np.array([[1.0, 2, 3]])[0],
    ],
)
def test_other_types_are_converted(kernel: Kernel, given) -> None:
    assert (kernel(given, B)[0] == A + B).all()


def test_pickled_arrays(kernel: Kernel) -> None:
    """Their float64 is another object than NumPy's own; copies keep it."""
    again = pickle.loads(pickle.dumps(A))
    for array in (again, again.copy()):
        assert (kernel(array, B)[0] == A + B).all()


def test_batches_broadcast(kernel: Kernel) -> None:
    many = np.random.default_rng(0).normal(size=(200, 3))
    for a, b in ((many, B), (A, many), (many, many[::-1]), (many[:, ::-1], many)):
        total, matrix, zero, dot = kernel(a, b)
        assert (total == a + b).all()
        assert matrix.shape == (200, 3, 3)
        assert (
            matrix == np.broadcast_to(a, (200, 3))[:, :, None] * np.broadcast_to(b, (200, 3))[:, None]
        ).all()
        assert zero.shape == (200, 2)
        assert (zero == 0).all()
        assert np.abs(dot - (a * b).sum(axis=1)).max() < 1e-14 * 3


def test_single_numbers_as_inputs() -> None:
    kernel = build_kernel(lambda x, s: x * s, {"x": 2, "s": ()}, name="scale")
    for s in (3.0, 3, np.float64(3.0), np.array(3.0)):
        assert (kernel(np.ones(2), s) == [3.0, 3.0]).all()
        assert kernel(np.ones(2), s).shape == (2,)
    assert (kernel(np.ones(2), np.arange(9.0))[4] == [4.0, 4.0]).all()


def test_empty_batch(kernel: Kernel) -> None:
    assert kernel(np.empty((0, 3)), B)[1].shape == (0, 3, 3)


def test_rows_of_a_larger_array(kernel: Kernel) -> None:
    states = np.random.default_rng(1).normal(size=(50, 7))
    assert (kernel(states[:, 2:5], states[::1, 4:])[0] == states[:, 2:5] + states[:, 4:]).all()
    assert (kernel(states[::-1, 2:5], B)[0] == states[::-1, 2:5] + B).all()


@pytest.mark.parametrize(
    "arrays, message",
    [
        ((A,), "takes 2 arrays"),
        ((A, B, B), "takes 2 arrays"),
        ((A, np.ones(4)), r"b has shape \(4,\), needed is \(3,\) or \(batch, 3\)"),
        ((A, np.ones((2, 2, 3))), "b has shape"),
        ((A, np.float64(1.0)), "b has shape"),
        ((np.ones((2, 3)), np.ones((4, 3))), "b has 4 along the batch axis, but a has 2"),
        ((A, np.array([1.0, np.nan, 0.0])), r"b\[1\] is nan; inputs must be finite"),
        ((A, np.array([[1.0, 2.0, 0.0], [0.0, 0.0, -np.inf]])), r"b\[1, 2\] is -inf"),
        ((A, ["x", "y", "z"]), "real numbers"),
        ((A, np.array([1j, 2, 3])), "real numbers"),
        ((None, B), "real numbers"),
    ],
)
def test_wrong_input(kernel: Kernel, arrays, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        kernel(*arrays)


def test_the_check_can_be_switched_off() -> None:
    kernel = build_kernel(lambda x: x * 2.0, {"x": 2}, name="unchecked", check_finite=False)
    assert np.isnan(kernel(np.array([np.nan, 1.0]))[0])
    assert np.isnan(kernel(np.array([[np.nan, 1.0]]))[0, 0])


def test_bound_arrays(kernel: Kernel) -> None:
    a, b = A.copy(), B.copy()
    out = [np.empty(3), np.empty((3, 3)), np.empty(2), np.empty(())]
    run = kernel.bind(a, b, *out)
    for scale in (1.0, -3.0):
        a[:] = scale * A
        assert run() is None
        assert (out[0] == a + b).all()
        assert (out[1] == np.outer(a, b)).all()
        assert out[3] == a @ b


def test_bound_calls_allocate_nothing(kernel: Kernel) -> None:
    run = kernel.bind(A.copy(), B.copy(), np.empty(3), np.empty((3, 3)), np.empty(2), np.empty(()))
    run()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(1000):
        run()
    assert sys.getallocatedblocks() - before < 10


def test_bound_arrays_are_kept_alive() -> None:
    x, y = np.ones(1000), np.empty(1000)
    run = build_kernel(lambda x: 2.0 * x, {"x": 1000}, name="alive").bind(x, y)
    result = y
    del x, y
    gc.collect()
    run()
    assert (result == 2.0).all()


def test_binding_is_strict(kernel: Kernel) -> None:
    out = (np.empty(3), np.empty((3, 3)), np.empty(2), np.empty(()))
    with pytest.raises(InvalidInput, match="bind takes 6 arrays"):
        kernel.bind(A, B)
    with pytest.raises(InvalidInput, match="float64"):
        kernel.bind(A.astype(np.float32), B, *out)
    with pytest.raises(InvalidInput, match=r"needed is \(3, 3\)"):
        kernel.bind(A, B, out[0], np.empty((3, 2)), out[2], out[3])
    with pytest.raises(InvalidInput, match="contiguous"):
        kernel.bind(np.ones(6)[::2], B, *out)
    shared = A.copy()
    with pytest.raises(InvalidInput, match="output sum shares memory with a"):
        kernel.bind(shared, B, shared, *out[1:])


def test_batch_into_given_arrays(kernel: Kernel) -> None:
    a = np.random.default_rng(2).normal(size=(100, 3))
    out = (np.empty((100, 3)), np.empty((100, 3, 3)), np.empty((100, 2)), np.empty(100))
    result = kernel.batch(a, B, out=out)
    assert all(x is y for x, y in zip(result, out, strict=True))
    assert (out[0] == a + B).all()
    with pytest.raises(InvalidInput, match=r"needed is \(100, 3\)"):
        kernel.batch(a, B, out=(np.empty((99, 3)), *out[1:]))
    with pytest.raises(InvalidInput, match="shares memory"):
        kernel.batch(out[0], B, out=out)
    with pytest.raises(InvalidInput, match="batch axis"):
        kernel.batch(A, B)


@pytest.fixture(scope="module")
def walk() -> Kernel:
    """A state that moves under a control; tells its energy."""
    return build_kernel(
        lambda x, u, gain: {"x": x + 0.1 * np.sin(x[::-1]) * gain + u, "energy": x @ x},
        {"x": 3, "u": 3, "gain": ()},
        name="walk",
    )


@pytest.mark.parametrize("batch", [1, 2, 3, 20])
@pytest.mark.parametrize("threads", [1, 2])
def test_rollouts_repeat_a_step(walk: Kernel, batch: int, threads: int) -> None:
    """The same bits as calling the kernel again and again."""
    rng = np.random.default_rng(batch)
    x, u = rng.normal(size=(batch, 3)), rng.normal(size=(batch, 17, 3))
    states, energies = walk.rollout(x, u, 0.5, threads=threads)
    assert states.shape == (batch, 17, 3)
    assert energies.shape == (batch, 17)
    for k in range(batch):
        state = x[k]
        for step in range(17):
            state, energy = walk(state, u[k, step], np.array(0.5))
            assert (states[k, step] == state).all()
            assert energies[k, step] == energy


def test_rollouts_tile_axes_of_length_one(walk: Kernel) -> None:
    rng = np.random.default_rng(0)
    x, u = rng.normal(size=(9, 3)), rng.normal(size=(1, 6, 3))
    expected = walk.rollout(x, np.tile(u, (9, 1, 1)), np.full((9, 6), 2.0))[0]
    assert (walk.rollout(x, u, 2.0)[0] == expected).all()
    assert (walk.rollout(x, u, np.full((1, 6), 2.0))[0] == expected).all()
    assert (walk.rollout(x, u, np.full((9, 1), 2.0), steps=6)[0] == expected).all()
    last, energies = walk.rollout(x, u, 2.0, last_only=("x",))
    assert (last == expected[:, -1]).all()
    assert energies.shape == (9, 6)
    assert (walk.rollout(x, u, 2.0, only=("x",)) == expected).all()
    assert (walk.rollout(x, u, 2.0, only=("x",), last_only=("x",)) == expected[:, -1]).all()
    still = walk.rollout(x, np.zeros(3), 2.0, steps=4)[0]
    assert still.shape == (9, 4, 3)
    assert walk.rollout(x[0], u, 2.0)[0].shape == (1, 6, 3)
    out = (np.empty((9, 6, 3)), np.empty((9, 6)))
    assert walk.rollout(x, u, 2.0, out=out)[0] is out[0]
    assert (out[0] == expected).all()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda k: k.rollout(np.ones(3), np.ones(3), 1.0), "needs `steps`"),
        (lambda k: k.rollout(np.ones(3), np.ones((1, 5, 3)), 1.0, steps=4), "steps is 4, but inputs have 5"),
        (
            lambda k: k.rollout(np.ones((2, 5, 3)), np.ones((2, 5, 3)), 1.0),
            r"needed is \(3,\) or \(batch, 3\)",
        ),
        (
            lambda k: k.rollout(np.ones((2, 3)), np.ones((4, 5, 3)), 1.0),
            "u has 4 along the batch axis, but x has 2",
        ),
        (lambda k: k.rollout(np.ones((2, 3)), np.ones((2, 5, 3)), np.ones((2, 6))), "6 along the step axis"),
        (lambda k: k.rollout(np.ones(3), np.ones(3), 1.0, steps=3, last_only=("y",)), "no output 'y'"),
        (lambda k: k.rollout(np.ones(3), np.ones(3), 1.0, steps=3, only=("x", "z")), "no output 'z'"),
        (lambda k: k.rollout(np.ones(3), np.full((1, 4, 3), np.nan), 1.0), r"u\[0, 0, 0\] is nan"),
    ],
)
def test_wrong_rollouts(walk: Kernel, call, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call(walk)


def test_calls_from_many_threads(kernel: Kernel) -> None:
    a = np.random.default_rng(3).normal(size=(500, 3))
    wrong: list[int] = []

    def work(number: int) -> None:
        for row in a:
            if not (kernel(row, row * number)[0] == row + row * number).all():
                wrong.append(number)
        if not (kernel(a, B)[0] == a + B).all():
            wrong.append(-number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_reference_counts_stay(kernel: Kernel) -> None:
    a = A.copy()
    before = sys.getrefcount(a), sys.getrefcount(kernel.function)
    for _ in range(100):
        kernel(a, B)
        kernel(a[None], B)
    assert (sys.getrefcount(a), sys.getrefcount(kernel.function)) == before


def test_description(kernel: Kernel) -> None:
    assert repr(kernel).startswith("Kernel pair(a[3], b[3]) -> sum[3], matrix[3, 3], zero[2], dot[], ")


def test_long_compiling_is_told_of(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Once after some time, and never where it is quick."""
    compile_program = kernel_module._compile

    def slow(*given: Any) -> Any:
        assert eventually(lambda: caplog.records)
        return compile_program(*given)

    monkeypatch.setattr(kernel_module.disk, "read", lambda key: None)
    monkeypatch.setattr(kernel_module, "_LONG", 3600.0)
    build_kernel(lambda x: x + 1.0, {"x": 1}, name="quick")
    assert not caplog.records
    monkeypatch.setattr(kernel_module, "_compile", slow)
    monkeypatch.setattr(kernel_module, "_LONG", 0.05)
    build_kernel(lambda x: x + 2.0, {"x": 1}, name="slow")
    assert [record.getMessage()[:24] for record in caplog.records] == ["still compiling 'slow' t"]


def test_calls_without_memory_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workspaces that no machine has room for."""
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(interface, "STACK", 0)
    monkeypatch.setattr(interface, "BYTES", 2**50)
    kernel = build_kernel(lambda x: {"y": np.sin(x) * x[::-1], "s": np.sin(x) @ x}, {"x": 900})
    x, y, s = np.ones(900), np.ones(900), np.ones(())
    with pytest.raises(MemoryError):
        kernel(x)
    with pytest.raises(MemoryError):
        kernel.bind(x, y, s)()
    monkeypatch.undo()
    inner = kernel.native_function()
    outer = build_kernel(lambda x: call(inner, x), {"x": 900}, check_finite=False)
    assert np.isnan(outer(x)).all()


def test_definitions_outlive_functions() -> None:
    """The interpreter reads a definition when its function goes, which a collector may do after all else in a cycle."""
    made = build_kernel(lambda x: x + 1.0, {"x": 1}, name="short-lived")
    calls = [made.bind(np.zeros(1), np.zeros(1)) for _ in range(5)]
    known = [key for key in builtin._DEFINITIONS if key[0] == "short-lived"]
    assert len({key[1] for key in known}) == len(known) == 2  # one for calls, one for all that are bound
    del made, calls
    gc.collect()
    assert all(key in builtin._DEFINITIONS for key in known)
