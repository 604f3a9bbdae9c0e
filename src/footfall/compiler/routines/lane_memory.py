"""Vectors of arrays side by side in lanes: eight are read from anywhere, eight in a row are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from footfall.compiler.routines.whole_arrays import Lazy
from footfall.errors import RoutineError

if TYPE_CHECKING:
    from footfall.compiler.routines.expressions import Expressions as Body

    Given = Value | Lazy


def lanes_at(points: Any, places: Any) -> Any:
    """The vectors (n, 3) at eight places (8,), or the numbers (n,), as lanes."""
    return points[places].T


def put_lanes(points: Any, first: int, lanes: Any) -> None:
    """Write lanes to eight vectors (n, 3) or numbers (n,) in a row, from the first place on."""
    points[first : first + WIDTH] = lanes.T


def read_lanes(body: Body, points: Given, places: Given) -> Value:
    """Translates `lanes_at`."""
    array, numbers = body.settled(points), body.settled(places)
    if numbers.type != Fixed((WIDTH,), INT):
        raise RoutineError(f"lanes at {numbers.type}: possible at a vector of {WIDTH} ints")
    size, length = _size(array), array.parts[1]
    lanes = ["poison"] * size
    for k, place in enumerate(numbers.parts):
        body.check_index(place, length)
        for i, number in enumerate(body.load(body.at(array, place)).parts):
            lanes[i] = body.operation(f"insertelement {LANES.llvm} {lanes[i]}, double {number}, i64 {k}")
    return Value(Fixed((size,), LANES) if size > 1 else LANES, tuple(lanes))


def write_lanes(body: Body, points: Given, first: Given, lanes: Given) -> Value:
    """Translates `put_lanes`."""
    array, value = body.settled(points), body.settled(lanes)
    size, place = _size(array), body.integer(body.settled(first))
    if len(value.parts) != size or LANES.llvm not in (part.llvm for part in _kinds(value)):
        raise RoutineError(f"{value.type} do not go into {array.type}")
    body.check_index(body.operation(f"add i64 {place}, {WIDTH - 1}"), array.parts[1])
    row, kind = value.parts[0], LANES.llvm
    if size == 3:
        both, third = f"<{2 * WIDTH} x double>", range(WIDTH)
        first_two = _shuffled(body, kind, value.parts[0], value.parts[1], range(2 * WIDTH))
        # As many as there are of the others: what is behind the eight of them is never taken.
        last = _shuffled(body, kind, value.parts[2], "poison", [*third, *third])
        order = [k + WIDTH * i for k in third for i in range(3)]
        row, kind = _shuffled(body, both, first_two, last, order), f"<{3 * WIDTH} x double>"
    body.do(f"store {kind} {row}, ptr {body.at(array, place).address}, align 8")
    body.written |= all_roots(array)
    return Value(NOTHING, ())


def _shuffled(body: Body, kind: str, one: str, other: str, places: Any) -> str:
    """Numbers of two vectors, those of the second counted on behind the first, in another order."""
    mask = ", ".join(f"i32 {k}" for k in places)
    return body.operation(f"shufflevector {kind} {one}, {kind} {other}, <{len(places)} x i32> <{mask}>")


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
