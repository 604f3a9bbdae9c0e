"""What routines may ask of the machine: native code at an address, lanes of vectors, memory ahead of time, the clock.

Each is a function of Python that does the same, and what translates it.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from typing import Any

from footfall.arrays import Integers
from footfall.compiler.routines.instructions import Instructions
from footfall.compiler.routines.numbers import integer
from footfall.compiler.routines.types import (
    FLOAT,
    INT,
    LANES,
    NOTHING,
    WIDTH,
    ArrayType,
    Fixed,
    Number,
    Value,
    all_roots,
)
from footfall.compiler.routines.values import element_place, load
from footfall.compiler.routines.whole_arrays import Lazy, settled
from footfall.errors import RoutineError

Given = Value | Lazy
_MONOTONIC, _ABSOLUTE = 1, 1  # CLOCK_MONOTONIC and TIMER_ABSTIME of Linux
_SECOND = 10**9  # ns
_TO_WRITE, _KEEP, _DATA = 1, 3, 1  # of LLVM's prefetch: read and changed, kept in all caches, no instructions


def call_native(address: int, inputs: Any, outputs: Any) -> None:
    """Call what a `NativeFunction` without data holds, by its address; all its inputs and outputs in an array each."""
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    prototype(address)(inputs.ctypes.data, outputs.ctypes.data, None)


def _native(code: Instructions, address: Value, inputs: Value, outputs: Value) -> Value:
    function = code.operation(f"inttoptr i64 {integer(code, address)} to ptr")
    code.do(f"call void {function}(ptr {inputs.parts[0]}, ptr {outputs.parts[0]}, ptr null)")
    code.written |= all_roots(outputs)
    return Value(NOTHING, ())


def lanes_at(points: Any, places: Any) -> Any:
    """The vectors (n, 3) at eight places (8,), or the numbers (n,), as lanes."""
    return points[places].T


def put_lanes(points: Any, first: int, lanes: Any) -> None:
    """Write lanes to eight vectors (n, 3) or numbers (n,) in a row, from the first place on."""
    points[first : first + WIDTH] = lanes.T


def _read_lanes(code: Instructions, points: Given, places: Given) -> Value:
    """Translates `lanes_at`."""
    array, numbers = settled(code, points), settled(code, places)
    if numbers.type != Fixed((WIDTH,), INT):
        raise RoutineError(f"lanes at {numbers.type}: possible at a vector of {WIDTH} ints")
    size, length = _size(array), array.parts[1]
    lanes = ["poison"] * size
    for k, place in enumerate(numbers.parts):
        code.check_index(place, length)
        for i, number in enumerate(load(code, element_place(code, array, place)).parts):
            lanes[i] = code.operation(f"insertelement {LANES.llvm} {lanes[i]}, double {number}, i64 {k}")
    return Value(Fixed((size,), LANES) if size > 1 else LANES, tuple(lanes))


def _write_lanes(code: Instructions, points: Given, first: Given, lanes: Given) -> Value:
    """Translates `put_lanes`."""
    array, value = settled(code, points), settled(code, lanes)
    size, place = _size(array), integer(code, settled(code, first))
    if len(value.parts) != size or LANES.llvm not in (part.llvm for part in _kinds(value)):
        raise RoutineError(f"{value.type} do not go into {array.type}")
    code.check_index(code.operation(f"add i64 {place}, {WIDTH - 1}"), array.parts[1])
    row, kind = value.parts[0], LANES.llvm
    if size == 3:
        both, third = f"<{2 * WIDTH} x double>", range(WIDTH)
        first_two = _shuffled(code, kind, value.parts[0], value.parts[1], range(2 * WIDTH))
        # As many as there are of the others: what is behind the eight of them is never taken.
        last = _shuffled(code, kind, value.parts[2], "poison", [*third, *third])
        order = [k + WIDTH * i for k in third for i in range(3)]
        row, kind = _shuffled(code, both, first_two, last, order), f"<{3 * WIDTH} x double>"
    code.do(f"store {kind} {row}, ptr {element_place(code, array, place).address}, align 8")
    code.written |= all_roots(array)
    return Value(NOTHING, ())


def _shuffled(code: Instructions, kind: str, one: str, other: str, places: Any) -> str:
    """Numbers of two vectors, those of the second counted on behind the first, in another order."""
    mask = ", ".join(f"i32 {k}" for k in places)
    return code.operation(f"shufflevector {kind} {one}, {kind} {other}, <{len(places)} x i32> <{mask}>")


def _size(array: Value) -> int:
    """How many numbers a vector of an array has: 1 or 3."""
    kind = array.type
    if isinstance(kind, ArrayType) and kind.axes == 1 and kind.element in (FLOAT, Fixed((3,))):
        return 3 if isinstance(kind.element, Fixed) else 1
    raise RoutineError(f"lanes of {kind}: possible with floats (n,) and ArrayOf[Vector3]")


def _kinds(value: Value) -> list[Number]:
    if isinstance(value.type, Fixed):
        return [value.type.element]
    return [value.type] if isinstance(value.type, Number) else []


def prefetch(array: Any, place: int) -> None:
    """Bring what stands at a place of an array into the caches, since it is read and changed soon."""


def _prefetch(code: Instructions, array: Value, place: Value) -> Value:
    if not isinstance(array.type, ArrayType) or array.type.axes != 1:
        raise RoutineError(f"prefetch of {array.type}: possible with arrays of one axis")
    code.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
    index = integer(code, place)
    code.check_index(index, array.parts[1])
    address = element_place(code, array, index).address
    code.do(f"call void @llvm.prefetch.p0(ptr {address}, i32 {_TO_WRITE}, i32 {_KEEP}, i32 {_DATA})")
    return Value(NOTHING, ())


def read_clock(stamp: Integers) -> None:
    """Write the time of the monotonic clock into (2,): seconds, and nanoseconds of the second."""
    stamp[:] = divmod(time.monotonic_ns(), _SECOND)


def sleep_until(stamp: Integers) -> None:
    """Sleep until the monotonic clock shows (2,): seconds, and nanoseconds of the second."""
    time.sleep(max(0, int(stamp[0]) * _SECOND + int(stamp[1]) - time.monotonic_ns()) / _SECOND)


def _read_clock(code: Instructions, stamp: Value) -> Value:
    code.declare("declare i32 @clock_gettime(i32, ptr) nounwind")
    code.do(f"call i32 @clock_gettime(i32 {_MONOTONIC}, ptr {stamp.parts[0]})")
    code.written |= all_roots(stamp)
    return Value(NOTHING, ())


def _sleep_until(code: Instructions, stamp: Value) -> Value:
    code.declare("declare i32 @clock_nanosleep(i32, i32, ptr, ptr) nounwind")
    code.do(f"call i32 @clock_nanosleep(i32 {_MONOTONIC}, i32 {_ABSOLUTE}, ptr {stamp.parts[0]}, ptr null)")
    return Value(NOTHING, ())


TRANSLATORS: dict[Any, Callable[..., Given]] = {
    call_native: _native,
    lanes_at: _read_lanes,
    prefetch: _prefetch,
    put_lanes: _write_lanes,
    read_clock: _read_clock,
    sleep_until: _sleep_until,
}
