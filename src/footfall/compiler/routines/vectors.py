"""Small vectors and matrices in routines: values whose numbers are all in registers, every operation written out."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Callable
from typing import Any

from footfall.compiler.routines.instructions import Instructions
from footfall.compiler.routines.numbers import (
    converted_number,
    integer,
    number_arithmetic,
    number_constant,
    truth,
)
from footfall.compiler.routines.types import (
    BOOL,
    LANE_FLAGS,
    WIDTH,
    Fixed,
    Number,
    TupleType,
    Type,
    Value,
    items_of,
    joined,
)
from footfall.errors import RoutineError

LARGEST = 64  # numbers in a small matrix: every operation on it is written out


"""Operations on values of the type `Fixed`, as NumPy has them."""


def numbers_of(value: Value) -> list[Value]:
    """The numbers in a small vector or matrix, row by row; a number is one."""
    if isinstance(value.type, Number):
        return [value]
    assert isinstance(value.type, Fixed)
    return [Value(value.type.element, (part,)) for part in value.parts]


def shape_of(value: Value) -> tuple[int, ...]:
    return value.type.shape if isinstance(value.type, Fixed) else ()


def stacked(code: Instructions, values: list[Value]) -> Value:
    """`np.array` of a list of numbers, or of small vectors of one shape."""
    if not values:
        raise RoutineError("an array without numbers")
    shapes = {shape_of(value) for value in values}
    if len(shapes) > 1 or not all(isinstance(value.type, Number | Fixed) for value in values):
        raise RoutineError(f"{', '.join(str(value.type) for value in values)} make no array")
    return gathered(code, (len(values), *shapes.pop()), [n for value in values for n in numbers_of(value)])


def gathered(code: Instructions, shape: tuple[int, ...], numbers: list[Value]) -> Value:
    """A small array of numbers that may be of several types."""
    if len(numbers) > LARGEST:
        raise RoutineError(f"{len(numbers)} numbers are too many for a value: use np.zeros or np.empty")
    kind: Type = numbers[0].type
    for number in numbers[1:]:
        kind = joined(kind, number.type)
    assert isinstance(kind, Number)
    parts = tuple(converted_number(code, number, kind).parts[0] for number in numbers)
    return Value(Fixed(shape, kind), parts)


def elementwise(code: Instructions, operation: Callable[..., Value], *values: Value) -> Value:
    """An operation on numbers, for each of those in small arrays whose shapes go together as NumPy says."""
    shape = _common_shape([shape_of(value) for value in values])
    rows = [spread(value, shape) for value in values]
    results = [operation(*numbers) for numbers in zip(*rows, strict=True)]
    return gathered(code, shape, results) if shape else results[0]


def spread(value: Value, shape: tuple[int, ...]) -> list[Value]:
    """The numbers of a value as those of an array of that shape."""
    numbers, own = numbers_of(value), shape_of(value)
    if own == shape:
        return numbers
    padded = (1,) * (len(shape) - len(own)) + own
    result = []
    for index in itertools.product(*(range(length) for length in shape)):
        place = 0
        for k, length in zip(index, padded, strict=True):
            place = place * length + (k if length > 1 else 0)
        result.append(numbers[place])
    return result


def product(code: Instructions, left: Value, right: Value) -> Value:
    """`left @ right`; sums go from left to right."""
    one, other = shape_of(left), shape_of(right)
    if (
        not one
        or not other
        or one[-1] != other[0 if len(other) == 1 else -2]
        or max(len(one), len(other)) > 2
    ):
        raise RoutineError(f"{left.type} @ {right.type}: the shapes do not fit")
    inner, columns = one[-1], other[1] if len(other) == 2 else 1
    a, b = numbers_of(left), numbers_of(right)
    results = []
    for row in range(len(a) // inner):
        for column in range(columns):
            terms = [(a[row * inner + k], b[k * columns + column]) for k in range(inner)]
            results.append(sum_of_products(code, terms))
    shape = one[:-1] + other[1:]
    return gathered(code, shape, results) if shape else results[0]


def sum_of_products(code: Instructions, terms: list[tuple[Value, Value]]) -> Value:
    total: Value | None = None
    for a, b in terms:
        term = number_arithmetic(code, ast.Mult(), a, b)
        total = term if total is None else number_arithmetic(code, ast.Add(), total, term)
    assert total is not None
    return total


def cross(code: Instructions, a: Value, b: Value) -> Value:
    if shape_of(a) != (3,) or shape_of(b) != (3,):
        raise RoutineError(f"{a.type} x {b.type}: vector products are of 3-vectors")
    x, y = numbers_of(a), numbers_of(b)

    def minor(i: int, j: int) -> Value:
        one = number_arithmetic(code, ast.Mult(), x[i], y[j])
        return number_arithmetic(code, ast.Sub(), one, number_arithmetic(code, ast.Mult(), x[j], y[i]))

    return gathered(code, (3,), [minor(1, 2), minor(2, 0), minor(0, 1)])


def transposed_small(value: Value) -> Value:
    shape = shape_of(value)
    if len(shape) != 2:
        return value
    rows, columns = shape
    parts = [value.parts[i * columns + j] for j in range(columns) for i in range(rows)]
    assert isinstance(value.type, Fixed)
    return Value(Fixed((columns, rows), value.type.element), tuple(parts))


# Indices


def fixed_part(code: Instructions, value: Value, indices: list[Any]) -> Value:
    """`value[indices]`; each is a number, a slice, None (a new axis) or, chosen while running, a value."""
    assert isinstance(value.type, Fixed)
    shape, element = value.type.shape, value.type.element
    if sum(index is not None for index in indices) > len(shape):
        raise RoutineError(f"{len(indices)} indices for {value.type}")
    if any(isinstance(index, Value) for index in indices):
        return chosen(code, value, indices)
    kept: list[range] = []
    lengths: list[int] = []
    axes = iter(shape)
    for index in indices:
        if index is None:
            lengths.append(1)
            continue
        length = next(axes)
        if isinstance(index, slice):
            kept.append(range(length)[index])
            lengths.append(len(kept[-1]))
        elif -length <= index < length:
            kept.append(range(index % length, index % length + 1))
        else:
            raise RoutineError(f"{value.type} has no element {index}")
    for length in axes:
        kept.append(range(length))
        lengths.append(length)
    places = [_place(index, shape) for index in itertools.product(*kept)]
    parts = tuple(value.parts[place] for place in places)
    if not lengths:
        return Value(element, parts)
    if not parts:
        raise RoutineError(f"nothing is left of {value.type}")
    return Value(Fixed(tuple(lengths), element), parts)


def chosen(code: Instructions, value: Value, indices: list[Any]) -> Value:
    """A part that is known only while running: the numbers go to memory and back."""
    assert isinstance(value.type, Fixed)
    place, rest = chosen_place(code, value.type, indices)
    memory, kind = spilled(code, value)
    count = math.prod(rest)
    parts = []
    for k in range(count):
        at = code.operation(f"add nsw i64 {place}, {k}") if k else place
        address = code.operation(f"getelementptr inbounds {kind}, ptr {memory}, i64 {at}")
        parts.append(code.operation(f"load {kind}, ptr {address}"))
    return Value(Fixed(rest, value.type.element) if rest else value.type.element, tuple(parts))


def spilled(code: Instructions, value: Value) -> tuple[str, str]:
    """A small array in memory: its address and the type of its numbers."""
    assert isinstance(value.type, Fixed)
    kind = value.type.element.llvm
    memory = code.reserve(f"[{value.type.count} x {kind}]")
    for k, part in enumerate(value.parts):
        address = code.operation(f"getelementptr inbounds {kind}, ptr {memory}, i64 {k}")
        code.do(f"store {kind} {part}, ptr {address}")
    return memory, kind


def chosen_place(code: Instructions, kind: Fixed, indices: list[Any]) -> tuple[str, tuple[int, ...]]:
    """Number of the first element of a part, and the part's shape; the first axes have one index each."""
    place = "0"
    for axis, index in enumerate(indices):
        if index is None or isinstance(index, slice):
            raise RoutineError("slices of small arrays are known beforehand")
        length = kind.shape[axis]
        number = str(index % length) if isinstance(index, int) else integer(code, index)
        if isinstance(index, Value):
            number = from_end(code, number, str(length))
            code.check_index(number, str(length))
        scaled = code.operation(f"mul nsw i64 {place}, {length}")
        place = code.operation(f"add nsw i64 {scaled}, {number}")
    rest = kind.shape[len(indices) :]
    return code.operation(f"mul nsw i64 {place}, {math.prod(rest)}"), rest


def replaced(code: Instructions, value: Value, indices: list[Any], new: Value) -> Value:
    """The small array with other numbers at some place."""
    assert isinstance(value.type, Fixed)
    kind = value.type
    if any(isinstance(index, Value) for index in indices):
        if not isinstance(new.type, Number) or len(indices) < len(kind.shape):
            raise RoutineError("one number at a time is set at a place that is known only while running")
        place, _ = chosen_place(code, kind, indices)
        memory, machine = spilled(code, value)
        address = code.operation(f"getelementptr inbounds {machine}, ptr {memory}, i64 {place}")
        code.do(f"store {machine} {converted_number(code, new, kind.element).parts[0]}, ptr {address}")
        parts = []
        for k in range(kind.count):
            address = code.operation(f"getelementptr inbounds {machine}, ptr {memory}, i64 {k}")
            parts.append(code.operation(f"load {machine}, ptr {address}"))
        return Value(kind, tuple(parts))
    numbered = Value(kind, tuple(str(k) for k in range(kind.count)))
    places = fixed_part(code, numbered, indices)
    numbers = spread(new, shape_of(places))
    result = numbers_of(value)
    for place, number in zip(places.parts, numbers, strict=True):
        result[int(place)] = number
    return gathered(code, kind.shape, result)


def from_end(code: Instructions, number: str, length: str) -> str:
    """Negative indices count from the end."""
    negative = code.operation(f"icmp slt i64 {number}, 0")
    turned = code.operation(f"add i64 {number}, {length}")
    return code.operation(f"select i1 {negative}, i64 {turned}, i64 {number}")


def flattened(code: Instructions, values: list[Value]) -> Value:
    """`np.concatenate` of small vectors, and lists of numbers."""
    numbers = [number for value in values for item in _rows(value) for number in numbers_of(item)]
    shapes = {shape_of(item) for value in values for item in _rows(value)}
    if len(shapes) != 1:
        raise RoutineError("np.concatenate of values whose shapes do not fit")
    rest = shapes.pop()
    return gathered(code, (len(numbers) // math.prod(rest), *rest), numbers)


def constant_fixed(code: Instructions, shape: tuple[int, ...], numbers: list[Any]) -> Value:
    return gathered(code, shape, [number_constant(number) for number in numbers])


def any_of(code: Instructions, value: Value, *, every: bool) -> Value:
    """`np.any`, `np.all`."""
    instruction = "and" if every else "or"
    total = "true" if every else "false"
    for number in numbers_of(value):
        if number.type is LANE_FLAGS:
            name = f"vector.reduce.{instruction}.v{WIDTH}i1"
            code.declare(f"declare i1 @llvm.{name}({LANE_FLAGS.llvm})")
            part = code.operation(f"call i1 @llvm.{name}({LANE_FLAGS.llvm} {number.parts[0]})")
        else:
            part = truth(code, number).parts[0]
        total = code.operation(f"{instruction} i1 {total}, {part}")
    return Value(BOOL, (total,))


def _rows(value: Value) -> list[Value]:
    return items_of(value) if isinstance(value.type, Fixed | TupleType) else [value]


def _place(index: tuple[int, ...], shape: tuple[int, ...]) -> int:
    place = 0
    for k, length in zip(index, shape, strict=True):
        place = place * length + k
    return place


def _common_shape(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    result: list[int] = []
    for lengths in itertools.zip_longest(*(reversed(shape) for shape in shapes), fillvalue=1):
        longest = max(lengths)
        if any(length not in (1, longest) for length in lengths):
            raise RoutineError(f"shapes {' and '.join(str(list(shape)) for shape in shapes)} do not fit")
        result.append(longest)
    return tuple(reversed(result))
