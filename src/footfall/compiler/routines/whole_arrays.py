"""Arithmetic of whole arrays in routines. It makes no arrays on the way: `x += a * (y - z)` is one loop."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, NamedTuple

from footfall.compiler.routines.arrays import copied, elements_in, new_array_of, store
from footfall.compiler.routines.instructions import Instructions
from footfall.compiler.routines.numbers import number_constant, sum_of_lanes
from footfall.compiler.routines.operations import arithmetic
from footfall.compiler.routines.types import (
    BOOL,
    FLOAT,
    INT,
    LANES,
    READ_AS,
    ArrayType,
    Fixed,
    Number,
    RecordType,
    TupleType,
    Type,
    Value,
    all_roots,
    inner_shape,
    items_of,
    size_of,
)
from footfall.compiler.routines.values import as_numbers, converted, element_place, load
from footfall.compiler.routines.vectors import numbers_of, shape_of, stacked
from footfall.errors import RoutineError


class Lazy(NamedTuple):
    """An array that is not there yet: its elements are computed one by one where they are needed."""

    type: ArrayType
    lengths: tuple[str, ...]
    element: Callable[[str], Value]


def put_records(code: Instructions, array: Value, records: Value) -> None:
    """Set a view to records of its kind: each at once, not field by field."""
    if records.type != array.type:
        raise RoutineError(f"{records.type} for {array.type}")
    assert isinstance(array.type, ArrayType)
    whole = f"<{size_of(array.type.element)} x i8>"

    def put(k: str) -> None:
        record = code.operation(f"load {whole}, ptr {element_place(code, records, k).address}, align 1")
        code.do(f"store {whole} {record}, ptr {element_place(code, array, k).address}, align 1")

    each(code, elements_in(code, array.parts[1:]), put)
    code.written |= all_roots(array)


# Element by element


def each(code: Instructions, count: str, body: Callable[[str], None]) -> None:
    """Do something for k from 0 to count - 1."""
    counter, head, inside, end = code.reserve("i64"), code.label(), code.label(), code.label()
    code.do(f"store i64 0, ptr {counter}")
    code.jump(head)
    code.place(head)
    k = code.operation(f"load i64, ptr {counter}")
    code.do(f"br i1 {code.operation(f'icmp slt i64 {k}, {count}')}, label %{inside}, label %{end}")
    code.place(inside)
    body(k)
    code.do(f"store i64 {code.operation(f'add nsw i64 {k}, 1')}, ptr {counter}")
    code.jump(head)
    code.place(end)


def elements(code: Instructions, value: Value | Lazy) -> Callable[[str], Value]:
    """What an array, or a value in place of one, has at each place."""
    if isinstance(value, Lazy):
        return value.element
    if isinstance(value.type, ArrayType):
        return lambda k: load(code, element_place(code, value, k))
    return lambda k: value


def put_all(code: Instructions, array: Value, value: Value | Lazy) -> None:
    """Set all elements of a view to those of an array of its shape, or to one value."""
    assert isinstance(array.type, ArrayType)
    if isinstance(value, Value) and isinstance(value.type, Fixed | TupleType):
        put_numbers(code, array, value)
        return
    if isinstance(value.type, ArrayType):
        if inner_shape(value.type.element) != inner_shape(array.type.element):
            array, value = as_numbers(array), as_numbers(settled(code, value))
        if len(_lengths(value)) != len(_lengths(array)):
            raise RoutineError(f"{value.type} for {array.type}")
        for length, wanted in zip(_lengths(value), _lengths(array), strict=True):
            code.check_lengths(length, wanted)
        if isinstance(value, Value) and _holds_records(value.type):
            put_records(code, array, value)
            return
    element = elements(code, value)
    each(
        code,
        elements_in(code, array.parts[1:]),
        lambda k: store(code, element_place(code, array, k), element(k)),
    )


def put_numbers(code: Instructions, array: Value, value: Value) -> None:
    """Set the elements of a view to those of a small vector or tuple."""
    assert isinstance(array.type, ArrayType)
    element = array.type.element
    if isinstance(value.type, TupleType):
        value = stacked(code, items_of(value))
    shape = shape_of(value)
    if isinstance(element, Fixed) and element.shape == shape:  # the same vector everywhere
        each(
            code,
            elements_in(code, array.parts[1:]),
            lambda k: store(code, element_place(code, array, k), value),
        )
        return
    if isinstance(element, Fixed) and len(shape) == array.type.axes + len(element.shape):
        array, element = as_numbers(array), element.element
    if not isinstance(element, Number) or len(shape) != len(array.parts) - 1:
        raise RoutineError(f"{value.type} for {array.type}")
    for length, wanted in zip(array.parts[1:], shape, strict=True):
        code.check_lengths(length, str(wanted))
    for k, number in enumerate(numbers_of(value)):
        store(code, element_place(code, array, str(k)), number)


def lazy_arithmetic(
    code: Instructions, operator: ast.operator, left: Value | Lazy, right: Value | Lazy
) -> Value | Lazy:
    """Arithmetic that may be of whole arrays: of arrays of one shape, or an array and one value."""
    arrays = [value for value in (left, right) if isinstance(value.type, ArrayType)]
    if not arrays:
        assert isinstance(left, Value)
        assert isinstance(right, Value)
        return arithmetic(code, operator, left, right)
    if any(value.type is LANES for value in (left, right)) and arrays[0].type == ArrayType(FLOAT, 1):
        return arithmetic(code, operator, *(converted(code, settled(code, v), LANES) for v in (left, right)))
    small = next((value.type for value in (left, right) if isinstance(value.type, Fixed)), None)
    if small is not None and same_rank(arrays[0].type, small):
        pair = [settled(code, value) for value in (left, right)]
        pair = [converted(code, one, small) if isinstance(one.type, ArrayType) else one for one in pair]
        return arithmetic(code, operator, *pair)
    kinds = [value.type for value in arrays if isinstance(value.type, ArrayType)]
    if len({kind.axes for kind in kinds}) > 1:
        raise RoutineError(f"{left.type} and {right.type} do not go together element by element")
    if len(arrays) == 2:
        for length, wanted in zip(_lengths(left), _lengths(right), strict=True):
            code.check_lengths(length, wanted)
    one, other_one = elements(code, left), elements(code, right)

    def element(k: str) -> Value:
        return arithmetic(code, operator, one(k), other_one(k))

    return Lazy(ArrayType(tried(code, element), kinds[0].axes), _lengths(arrays[0]), element)


def same_rank(array: Type, other: Type) -> bool:
    assert isinstance(array, ArrayType)
    assert isinstance(other, Fixed)
    return array.axes + len(inner_shape(array.element)) == len(other.shape)


def lazy_map(code: Instructions, operation: Callable[[Value], Value], value: Value | Lazy) -> Lazy:
    """A function of numbers, of all elements."""
    one = elements(code, value)

    def element(k: str) -> Value:
        return operation(one(k))

    assert isinstance(value.type, ArrayType)
    return Lazy(ArrayType(tried(code, element), value.type.axes), _lengths(value), element)


def tried(code: Instructions, element: Callable[[str], Value]) -> Any:
    """The type of an array's elements, found by computing one and forgetting it."""
    kept = code.lines, code.stack, code.count
    code.lines, code.stack = [], []
    type = element("0").type
    code.lines, code.stack, code.count = kept
    return type


def settled(code: Instructions, value: Value | Lazy) -> Value:
    """An array that is there."""
    if isinstance(value, Value):
        return value
    new = new_array_of(code, value.type.element, value.lengths)
    put_all(code, new, value)
    return new


def kept_array(code: Instructions, value: Value | Lazy) -> Value:
    """An array that stays as it is, whatever is written elsewhere."""
    return copied(code, value) if isinstance(value, Value) else settled(code, value)


def change_array(code: Instructions, operator: ast.operator, array: Value, value: Value | Lazy) -> None:
    """`array += value` and the like, in place."""
    if isinstance(value, Value) and isinstance(value.type, Fixed) and same_rank(array.type, value.type):
        put_numbers(code, array, arithmetic(code, operator, converted(code, array, value.type), value))
    else:
        put_all(code, array, lazy_arithmetic(code, operator, array, value))


def sum_of(code: Instructions, value: Value | Lazy) -> Value:
    """`np.sum`, from the first to the last."""
    if isinstance(value, Value) and value.type is LANES:
        return sum_of_lanes(code, value)
    return folded(code, value, lambda a, b: arithmetic(code, ast.Add(), a, b), empty=0)


def folded(
    code: Instructions,
    value: Value | Lazy,
    operation: Callable[[Value, Value], Value],
    *,
    empty: float | None,
) -> Value:
    """The elements of an array put together one after another; empty: what there is without any."""
    if isinstance(value, Value) and isinstance(value.type, Fixed | Number):
        numbers = numbers_of(value)
        total = numbers[0]
        for number in numbers[1:]:
            total = operation(total, number)
        return total
    if not (isinstance(value.type, ArrayType) and isinstance(value.type.element, Number)):
        raise RoutineError(f"no sum or extreme of {value.type}; give numbers one by one, or an array of them")
    element, kind = elements(code, value), value.type.element
    kind = READ_AS.get(kind, kind)
    kind = INT if kind is BOOL else kind
    slot = code.reserve(kind.llvm)
    start = (
        converted(code, number_constant(empty), kind)
        if empty is not None
        else converted(code, element("0"), kind)
    )
    code.do(f"store {kind.llvm} {start.parts[0]}, ptr {slot}")

    def step(k: str) -> None:
        so_far = Value(kind, (code.operation(f"load {kind.llvm}, ptr {slot}"),))
        total = converted(code, operation(so_far, element(k)), kind)
        code.do(f"store {kind.llvm} {total.parts[0]}, ptr {slot}")

    each(code, elements_in(code, _lengths(value)), step)
    return Value(kind, (code.operation(f"load {kind.llvm}, ptr {slot}"),))


def _holds_records(type: Type) -> bool:
    return isinstance(type, ArrayType) and isinstance(type.element, RecordType)


def _lengths(value: Value | Lazy) -> tuple[str, ...]:
    return value.lengths if isinstance(value, Lazy) else value.parts[1:]
