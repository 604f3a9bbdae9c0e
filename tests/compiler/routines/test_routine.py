"""Native loops give what Python gives, say what they cannot do, and are found again on disk."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from footfall.arrays import Array, Integers
from footfall.compiler import build_kernel, machine
from footfall.compiler import functions as traced
from footfall.compiler.routines import call_native, routine
from footfall.errors import RoutineError

SHIFT = 3
NUMBERS = st.floats(-1e6, 1e6) | st.sampled_from([0.0, -0.0, math.inf, -math.inf])


@routine
def whole_numbers(a: int, b: int) -> tuple[int, int, int, int, float, int]:
    return a // b, a % b, abs(a) + SHIFT, -a * b - (a > b), a / b, int(a / b)


@given(st.integers(-(10**6), 10**6), st.integers(-1000, 1000).filter(bool))
@example(-7, 2)
@example(7, -2)
@example(-6, 3)
def test_ints_divide_as_in_python(a: int, b: int) -> None:
    result = whole_numbers(a, b)
    assert result == whole_numbers.python(a, b)
    assert [type(number) for number in result] == [int, int, int, int, float, int]


@routine
def floats(x: float, y: float) -> tuple[float, ...]:
    least, most = min(x, y, 1), max(x, y, -1)
    larger = x if x > y else 0
    return least, most, larger, x**3, y**2, x**4, abs(x), -y, float(np.floor(x)), np.hypot(x, y)


@given(NUMBERS, NUMBERS)
def test_floats(x: float, y: float) -> None:
    with np.errstate(all="ignore"):
        expected = [float(value) for value in floats.python(x, y)]
    np.testing.assert_allclose(floats(x, y), expected, rtol=1e-15, atol=0.0)


@routine
def functions(x: float, y: float) -> tuple[float, float, float, float, float, float, bool, bool]:
    inside = x / (1.0 + abs(x))
    root = np.sqrt(abs(y))
    angles = np.arcsin(inside), np.arccos(inside), np.arctan2(x, y)
    return np.sin(x), np.cos(x), root, angles[0], angles[1], angles[2], np.isfinite(y), np.isnan(x - y)


@given(NUMBERS, NUMBERS)
def test_functions(x: float, y: float) -> None:
    with np.errstate(all="ignore"):
        expected = [float(value) for value in functions.python(x, y)]
    np.testing.assert_allclose(functions(x, y), expected, rtol=1e-15, atol=1e-300)


@routine
def conditions(values: Array, i: int) -> int:
    """Each right-hand side is out of bounds where the left-hand side says no."""
    result = 0
    if 0 <= i < len(values) and values[i] > 0.0:
        result += 1
    if i < 0 or i >= len(values) or values[i] != 2.0:
        result += 10
    if not 0 <= i < 2 <= len(values):
        result += 100
    result += 1000 if values[0] else 0
    return result


@pytest.mark.parametrize("i", [-5, -1, 0, 1, 2, 3, 10**9])
def test_conditions_stop_early(i: int) -> None:
    values = np.array([2.0, 1.0, -1.0])
    assert conditions(values, i) == conditions.python(values, i)


@routine
def jumps(count: int) -> tuple[int, float, int]:
    """`continue` and `break` in every kind of loop; `total` starts as an int and becomes a float."""
    total, seen, k = 0, 0, 0
    for i in range(count):
        if i % 3 == 1:
            continue
        for j in range(i, -1, -1):
            if j > 5:
                continue
            if j == 2:
                break
            total += 0.5 * j
        for factor in (1.0, 2, -1):
            if factor == 2:
                continue
            if i == 7:
                break
            total += factor * i
        i = 100  # does not disturb the loop
        seen += i // 100
    while True:
        k += 2
        if k > count:
            break
        if k == 4:
            continue
        total += k
    return seen, total, k


@pytest.mark.parametrize("count", [0, 1, 5, 12])
def test_jumps(count: int) -> None:
    assert jumps(count) == jumps.python(count)


@routine
def parts(table: Array, begin: int, end: int) -> tuple[Array, Array, float, float, int]:
    piece = table[begin:end]
    row = table[-1]
    corner = table[-2, 1:]
    return piece.copy(), corner, row[-1], table[0][1], len(piece)


@given(st.integers(-7, 7), st.integers(-7, 7))
def test_slices_are_clamped(begin: int, end: int) -> None:
    table = np.arange(15.0).reshape(5, 3)
    for ours, python in zip(parts(table, begin, end), parts.python(table, begin, end), strict=True):
        np.testing.assert_array_equal(ours, python)


@routine
def swapped(count: int) -> tuple[Array, Array]:
    """Arrays as variables, made anew again and again: hundreds of MB, were none given back."""
    one, other = np.zeros(3), np.full(3, 1.0)
    for k in range(count):
        one, other = other, one
        one[0] += weight(k)
    return one, other


@routine
def weight(k: int) -> float:
    scratch = np.zeros((10, 1000))
    scratch[k % 10, k % 1000] = k
    return scratch[k % 10, k % 1000]


def test_memory_is_given_back() -> None:
    for ours, python in zip(swapped(5000), swapped.python(5000), strict=True):
        np.testing.assert_array_equal(ours, python)
        assert ours.flags.owndata
    assert swapped(0)[0].tolist() == [0.0, 0.0, 0.0]


@routine
def repeated(address: int, x: Array, count: int) -> int:
    inputs, outputs = np.empty(2), np.empty(2)
    for _ in range(count):
        inputs[0], inputs[1] = x[0], x[1]
        call_native(address, inputs, outputs)
        x[0], x[1] = outputs[0], outputs[1]
    return count


def test_kernels_are_called_by_their_address() -> None:
    kernel = build_kernel(lambda a, b: (0.5 * a + b, -b), {"a": 1, "b": 1})
    address = kernel.native_function().address
    results = []
    for function in (repeated, repeated.python):
        x = np.array([3.0, 0.25])
        assert function(address, x, 5) == 5
        results.append(x.tolist())
    expected = np.array([3.0, 0.25])
    for _ in range(5):
        expected = np.concatenate(kernel(expected[:1], expected[1:]))
    assert results[0] == results[1] == expected.tolist()


@routine
def kinds(count: int) -> tuple[np.ndarray, np.ndarray, Array, Array]:
    flags, numbers = np.zeros((count, 2), dtype=np.bool_), np.zeros(count, dtype=np.int64)
    for k in range(count):
        flags[k, 0] = k % 2 == 0
        flags[k, 1] |= k > 2 or flags[k, 0]
        numbers[k] = k * k
    return flags, numbers, np.full((2, count), -0.5), np.empty((0, 3))


def test_types_of_arrays() -> None:
    for ours, python in zip(kinds(5), kinds.python(5), strict=True):
        assert ours.dtype == python.dtype
        np.testing.assert_array_equal(ours, python)


@routine
def chosen(k: int, far: bool) -> float:
    numbers = (1.5, 2.5, float(k))
    first, (second, third) = 0, (k, k + 0.5)
    state = (numbers[k], second) if far else (third, first)
    return state[0] + 10 * state[1]


@pytest.mark.parametrize("far", [False, True])
def test_tuples(far: bool) -> None:
    for k in range(3):
        assert chosen(k, far) == chosen.python(k, far)


@routine
def doubled(values: Array, factor: float, result: Array) -> None:
    for k in range(len(values)):
        result[k] = factor * values[k]


def test_arrays_that_must_be_copied_are_written_too() -> None:
    values, table = np.arange(4.0)[::-1], np.zeros((4, 2))
    assert doubled(values, 2, table[:, 1]) is None
    np.testing.assert_array_equal(table, np.column_stack([np.zeros(4), [6.0, 4.0, 2.0, 0.0]]))
    frozen = np.ones(4)
    frozen.flags.writeable = False
    doubled(frozen, np.float64(3.0), table[0:2].reshape(-1))
    assert table[:2].tolist() == [[3.0, 3.0], [3.0, 3.0]]
    unusual = pickle.loads(pickle.dumps(values.astype(">f8"))).astype(np.float64)
    doubled(unusual, np.int64(2), result := np.empty(4))
    assert result.tolist() == [6.0, 4.0, 2.0, 0.0]


@routine
def element_by_element(one: Array, other: Array, table: Array) -> tuple[Array, Array, Array, int]:
    """Arithmetic of whole arrays; `one` changes for the caller, `kept` does not."""
    kept = one.copy()
    one += 2.0 * other - one / 3
    one[1:] -= other[1:]
    table[0], table[-1] = one, 0.5
    square = np.eye(3) + np.ones((3, 3))
    kept[:] = -kept
    return kept, square, np.eye(0), table.size


def test_arrays_element_by_element() -> None:
    results = []
    for function in (element_by_element, element_by_element.python):
        one, other, table = np.arange(3.0), np.array([3.0, -1.0, 0.25]), np.zeros((3, 3))
        results.append([*function(one, other, table), one, other, table])
    for ours, python in zip(*results, strict=True):
        np.testing.assert_allclose(ours, python, rtol=1e-15)


def test_other_axes_are_other_code() -> None:
    @routine
    def size(values: Array) -> int:
        return len(values)

    assert [size(np.zeros((4, 3))), size(np.zeros(5)), size(np.zeros(2, dtype=bool))] == [4, 5, 2]


def test_threads_may_be_the_first_to_call() -> None:
    @routine
    def total(values: Array) -> float:
        result = 0.0
        for k in range(len(values)):
            result += values[k]
        return result

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(total, [np.ones(10_000)] * 64)) == {10_000.0}


def test_a_loop_is_pickled_by_name() -> None:
    assert pickle.loads(pickle.dumps(weight)) is weight
    assert weight.__name__ == "weight"


def refused(function: Any, *arguments: Any) -> str:
    with pytest.raises(RoutineError) as caught:
        function(*arguments)
    return str(caught.value)


def test_wrong_arguments_are_explained() -> None:
    result, frozen = np.empty(3), np.empty(3)
    frozen.flags.writeable = False
    assert "takes values, factor, result: missing a required argument" in refused(doubled, result, 1.0)
    assert "factor is str" in refused(doubled, result, "x", result)
    assert "values has the type complex128" in refused(doubled, np.ones(3, complex), 1.0, result)
    assert "result is written to, but is read-only" in refused(doubled, result, 1.0, frozen)
    assert "k is 0.5, not an int" in refused(weight, 0.5)
    with pytest.raises(OverflowError):
        weight(2**70)


def test_what_cannot_be_translated_is_named_with_its_place() -> None:
    @routine
    def strided(values: Array) -> Array:
        return values[::2]

    @routine
    def unknown(x: float) -> float:
        return np.tanh(x)

    @routine
    def two_types(x: float) -> float:
        y = x
        if x > 0.0:
            y = np.zeros(3)
        return y

    assert "slices of arrays have no step" in refused(strided, np.zeros(3))
    message = refused(unknown, 1.0)
    assert "`np.tanh` cannot be called" in message
    assert f"{Path(__file__).name}:" in message
    assert "in unknown" in message
    assert "float array with 1 axes" in refused(two_types, 1.0)
    assert "calls itself" in refused(endless, 1)
    assert "no sum or extreme of" in refused(least_of_a_tuple, 1.0)


@routine
def least_of_a_tuple(x: float) -> float:
    pair = (x, 2.0)
    return min(pair)


@routine
def endless(k: int) -> int:
    return endless(k - 1)


def test_a_function_without_source_is_refused() -> None:
    names: dict[str, Any] = {}
    exec("def typed_in(x):\n    return x + 1.0", names)
    assert "typed_in is a routine, which is translated from its source" in refused(
        routine(names["typed_in"]), 1.0
    )


def compiled_again(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    texts: list[str] = []
    original = machine.compile_optimised

    def counting(text: str, **options: Any) -> bytes:
        texts.append(text)
        return original(text, **options)

    monkeypatch.setattr(machine, "compile_optimised", counting)
    return texts


FACTOR = 2.0


def scaled(x: float) -> float:
    return FACTOR * x


def test_code_is_found_again_unless_something_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(tmp_path))
    texts = compiled_again(monkeypatch)
    for _ in range(2):
        assert routine(scaled)(1.5) == 3.0
    assert len(texts) == 1
    monkeypatch.setitem(scaled.__globals__, "FACTOR", 3.0)
    assert routine(scaled)(1.5) == 4.5
    assert len(texts) == 2
    for damage in (lambda content: content[:-9], lambda content: b"", lambda content: content[:-1] + b"x"):
        for file in tmp_path.glob("*.kernel"):
            file.write_bytes(damage(file.read_bytes()))
        assert routine(scaled)(1.5) == 4.5
    assert len(texts) == 5
    monkeypatch.setattr(machine, "identity", lambda: "another machine")
    assert routine(scaled)(1.5) == 4.5
    assert len(texts) == 6


ONE, OTHER, THIRD = 1, 2, 1


def counted() -> int:
    return 100 * ONE + 10 * OTHER + THIRD


def test_a_constant_may_become_equal_to_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal small ints are one object in Python; each still counts where it stands."""
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(tmp_path))
    assert routine(counted)() == 121
    monkeypatch.setitem(counted.__globals__, "ONE", 2)
    assert routine(counted)() == 221


CURVE = traced.sin


def curved(x: float) -> Any:
    return CURVE(x)


def test_a_function_of_the_compiler_may_become_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Known by name, as is what NumPy has; those that one factory makes are still told apart."""
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(tmp_path))
    assert routine(curved)(0.5) == pytest.approx(np.sin(0.5))
    for other, same in ((traced.exp, np.exp), (np.sqrt, np.sqrt), (np.exp, np.exp)):
        monkeypatch.setitem(curved.__globals__, "CURVE", other)
        assert routine(curved)(0.5) == pytest.approx(same(0.5))


def test_code_does_not_depend_on_where_footfall_is_installed() -> None:
    """What comes with a wheel was made elsewhere: no path is among what a routine depends on."""
    from footfall.compiler.routines import dependencies
    from footfall.simulation.world.run import run_world

    texts: list[bytes] = []

    class Listening:
        def update(self, text: bytes) -> None:
            texts.append(text)

        def hexdigest(self) -> str:
            return ""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dependencies, "sha256", lambda *_: Listening())
        dependencies.content_of(run_world.python)  # type: ignore[attr-defined]
    folder = str(Path(dependencies.__file__).parents[2])
    assert len(texts) > 1000
    assert [text for text in texts if folder.encode() in text] == []


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert routine(scaled)(1.5) == 3.0


def test_processes_share_the_code(tmp_path: Path) -> None:
    """Two processes that start at once on an empty folder, then one more."""
    command = [
        sys.executable,
        "-c",
        "import numpy as np; from footfall.math.polygons import centroid;"
        "print(centroid(np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])))",
    ]
    environment = {**__import__("os").environ, "FOOTFALL_CACHE_DIR": str(tmp_path)}
    starts = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [start.communicate()[0] for start in starts] == ["[1. 1.]\n"] * 2
    before = {path.name for path in tmp_path.iterdir()}
    assert subprocess.check_output(command, env=environment, text=True) == "[1. 1.]\n"
    assert {path.name for path in tmp_path.iterdir()} == before
    assert len(before) == 1


@routine
def sum_and_clear(values: Array) -> int:
    total = 0
    for k in range(len(values)):
        total += values[k]
        values[k] = -k
    return total


@pytest.mark.parametrize("kind", [np.int16, np.int32, np.uint8])
def test_short_whole_numbers_keep_their_sign(kind: type) -> None:
    values = np.array([np.iinfo(kind).min, -1 % 256 if kind is np.uint8 else -1, 7, np.iinfo(kind).max], kind)
    expected = int(values.astype(np.int64).sum())
    assert sum_and_clear(values) == expected
    assert values.tolist() == (-np.arange(4)).astype(kind).tolist()


@routine
def sum_of_rooms(sizes: Integers) -> float:
    """Each in memory of its own, which it returns."""
    total = 0.0
    for size in sizes:
        total += filled_room(size)
    return total


@routine
def filled_room(size: int) -> float:
    room = np.zeros(size)
    for k in range(size):
        room[k] += k
    return np.sum(room)


def test_memory_that_is_kept_at_hand_is_large_enough_and_clean() -> None:
    """Chunks that grow, shrink, and are taken again: each room holds zeros first, and nothing runs over."""
    sizes = np.array([10, 20_000, 5, 50_000, 20_000, 50_000, 0, 300_000, 7, 300_000])
    expected = float(np.sum(sizes * (sizes - 1) // 2))
    assert sum_of_rooms(sizes) == expected
    assert sum_of_rooms(sizes[::-1].copy()) == expected


@routine
def shift_numbers(numbers: Array) -> None:
    numbers[1:] = numbers[:-1]
    numbers[:-1] += numbers[1:]


def test_slices_that_overlap_are_copied_as_numpy_does() -> None:
    numbers, expected = np.arange(6.0), np.arange(6.0)
    shift_numbers(numbers)
    shift_numbers.python(expected)
    np.testing.assert_array_equal(numbers, expected)
    assert expected.tolist() == [0.0, 1.0, 3.0, 5.0, 7.0, 4.0]
