"""Arrays in routines: written, copied, made; `whole_arrays` has arithmetic of all elements.

New arrays come from an arena that belongs to the call from Python: see `memory`. Negative indices count from the end;
indices are checked only if FOOTFALL_CHECKED_ROUTINES is set, as our tests do.
"""

from __future__ import annotations

from collections.abc import Sequence

from footfall.compiler.routines.instructions import Instructions
from footfall.compiler.routines.numbers import integer
from footfall.compiler.routines.types import (
    INT,
    LANES,
    ArrayType,
    Fixed,
    Number,
    RecordType,
    TupleType,
    Value,
    all_roots,
    inner_shape,
    items_of,
    leaves,
    size_of,
)
from footfall.compiler.routines.values import Place, array_value, as_numbers, converted, leaf_address


def reshaped(code: Instructions, array: Value, lengths: list[str]) -> Value:
    """The same elements with other axes."""
    array = as_numbers(array)
    assert isinstance(array.type, ArrayType)
    code.check_lengths(elements_in(code, lengths), elements_in(code, array.parts[1:]))
    return array_value(ArrayType(array.type.element, len(lengths)), array.parts[0], lengths, all_roots(array))


def store(code: Instructions, place: Place, value: Value) -> None:
    value = converted(code, value, place.type)
    for leaf, part in zip(leaves(place.type), value.parts, strict=True):
        if leaf.machine == LANES.llvm:
            code.do(f"store {leaf.machine} {part}, ptr {leaf_address(code, place, leaf.path)}, align 8")
            continue
        if leaf.machine != leaf.stored:
            instruction = "zext" if leaf.machine == "i1" else "fptrunc" if leaf.stored == "float" else "trunc"
            part = code.operation(f"{instruction} {leaf.machine} {part} to {leaf.stored}")
        code.do(f"store {leaf.stored} {part}, ptr {leaf_address(code, place, leaf.path)}")
    code.written |= place.roots


def elements_in(code: Instructions, lengths: Sequence[str]) -> str:
    count = "1"
    for length in lengths:
        count = length if count == "1" else code.operation(f"mul i64 {count}, {length}")
    return count


def new_array(code: Instructions, element: Number | Fixed | RecordType, shape: Value) -> Value:
    """An array of a shape (an int or a tuple of them) with any content."""
    given = items_of(shape) if isinstance(shape.type, TupleType) else [shape]
    lengths = [code.intrinsic("smax.i64", "i64", integer(code, length), "0") for length in given]
    return new_array_of(code, element, lengths)


def new_array_of(code: Instructions, element: Number | Fixed | RecordType, lengths: Sequence[str]) -> Value:
    code.declare("declare {i64, i1} @llvm.umul.with.overflow.i64(i64, i64)")
    size, absurd = str(size_of(element)), "false"
    for length in lengths:  # more than there is, rather than a small number by overflow
        both = code.operation(f"call {{i64, i1}} @llvm.umul.with.overflow.i64(i64 {size}, i64 {length})")
        size = code.operation(f"extractvalue {{i64, i1}} {both}, 0")
        over = code.operation(f"extractvalue {{i64, i1}} {both}, 1")
        absurd = code.operation(f"or i1 {absurd}, {over}")
    size = code.operation(f"select i1 {absurd}, i64 {1 << 62}, i64 {size}")
    return array_value(ArrayType(element, len(lengths)), code.allocated(size), lengths)


def size_in_bytes(code: Instructions, array: Value) -> str:
    assert isinstance(array.type, ArrayType)
    return elements_in(code, [str(size_of(array.type.element)), *array.parts[1:]])


def clear_array(code: Instructions, array: Value) -> None:
    code.declare("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
    size = size_in_bytes(code, array)
    code.do(f"call void @llvm.memset.p0.i64(ptr {array.parts[0]}, i8 0, i64 {size}, i1 false)")
    code.written |= all_roots(array)


def copied(code: Instructions, array: Value) -> Value:
    if not isinstance(array.type, ArrayType):
        return array  # all others are values
    new = new_array_of(code, array.type.element, array.parts[1:])
    places = f"ptr {new.parts[0]}, ptr {array.parts[0]}"
    code.do(f"call void @llvm.memcpy.p0.p0.i64({places}, i64 {size_in_bytes(code, new)}, i1 false)")
    return new


def shape_value(value: Value) -> list[Value]:
    """`value.shape`."""
    if isinstance(value.type, Fixed):
        return [Value(INT, (str(length),)) for length in value.type.shape]
    assert isinstance(value.type, ArrayType)
    inner = inner_shape(value.type.element)
    return [Value(INT, (length,)) for length in (*value.parts[1:], *map(str, inner))]
