"""Types in routines, and values as the machine holds them.

A value is a few machine values: a number is one, a small vector or matrix one for each of its numbers, an array an
address and the length of each axis, a list an address, a tuple or a record those of its items one after another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.errors import RoutineError


@dataclass(frozen=True)
class Number:
    """llvm, stored: its type in registers and in memory; size in bytes; code: NumPy's number of the type."""

    name: str
    llvm: str
    stored: str
    size: int
    code: int

    def __str__(self) -> str:
        return self.name


BOOL = Number("bool", "i1", "i8", 1, 0)
INT = Number("int", "i64", "i64", 8, 7)
FLOAT = Number("float", "double", "double", 8, 12)
# Eight floats side by side, in a vector register: arithmetic is of all of them at once.
WIDTH = 8
LANES = Number("8 floats", f"<{WIDTH} x double>", f"[{WIDTH} x double]", 8 * WIDTH, -1)
LANE_FLAGS = Number("8 flags", f"<{WIDTH} x i1>", f"[{WIDTH} x i8]", WIDTH, -1)
NUMBERS = (BOOL, INT, FLOAT, LANES)  # what comes later holds what comes before
# Short forms in memory: a number that is read is an int or a float.
BYTE = Number("uint8", "i64", "i8", 1, 2)
SHORT = Number("int32", "i64", "i32", 4, 5)
SHORTER = Number("int16", "i64", "i16", 2, 3)
SINGLE = Number("float32", "double", "float", 4, 11)
READ_AS = {BYTE: INT, SHORT: INT, SHORTER: INT, SINGLE: FLOAT}
DTYPES: dict[Any, Number] = {
    np.bool_: BOOL,
    bool: BOOL,
    np.int64: INT,
    int: INT,
    np.float64: FLOAT,
    float: FLOAT,
    np.uint8: BYTE,
    np.int32: SHORT,
    np.int16: SHORTER,
    np.float32: SINGLE,
}
SCALAR_TYPES: dict[Number, Any] = {
    BOOL: np.bool_,
    INT: np.int64,
    FLOAT: np.float64,
    BYTE: np.uint8,
    SHORT: np.int32,
    SHORTER: np.int16,
    SINGLE: np.float32,
}


@dataclass(frozen=True)
class Fixed:
    """A small vector or matrix whose shape is known: a value, of which each number is a machine value."""

    shape: tuple[int, ...]
    element: Number = FLOAT

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    def __str__(self) -> str:
        return f"{self.element} {'vector' if len(self.shape) == 1 else 'matrix'} {list(self.shape)}"


@dataclass(frozen=True)
class RecordType:
    """A named tuple or a frozen dataclass. items: of its fields, in their order."""

    record: type
    names: tuple[str, ...]
    items: tuple[Type, ...]

    def __str__(self) -> str:
        return self.record.__name__


@dataclass(frozen=True)
class ArrayType:
    """Contiguous, rows last: an address and the length of each axis. Elements may be small vectors or records."""

    element: Number | Fixed | RecordType
    axes: int

    def __str__(self) -> str:
        return f"{self.element} array with {self.axes} axes"


@dataclass(frozen=True)
class ListType:
    """A list that grows: the address of its header (address of the items, their number, room for how many)."""

    element: Type | None  # None as long as nothing has been put in

    def __str__(self) -> str:
        return f"list of {self.element}"


@dataclass(frozen=True)
class TupleType:
    items: tuple[Type, ...]

    def __str__(self) -> str:
        return f"({', '.join(str(item) for item in self.items)})"


@dataclass(frozen=True)
class FunctionType:
    """A function that is known beforehand, given to another one."""

    function: Any

    def __str__(self) -> str:
        return f"function {self.function.__name__}"


Type = Number | Fixed | RecordType | ArrayType | ListType | TupleType | FunctionType
NOTHING = TupleType(())  # what a function without `return` gives


class Value(NamedTuple):
    """parts: names of the machine values. roots: for each of them the machine values among a function's arguments in
    whose memory it may lie; empty where there are none at all. home: where in memory a record stands that is passed by
    its address; then parts may be left out."""

    type: Type
    parts: tuple[str, ...]
    roots: tuple[frozenset[int], ...] = ()
    home: str = ""


NONE: frozenset[int] = frozenset()


def roots_of(value: Value) -> tuple[frozenset[int], ...]:
    return value.roots or (NONE,) * len(value.parts)


def all_roots(value: Value) -> frozenset[int]:
    return NONE.union(*value.roots)


def inner_shape(element: Type) -> tuple[int, ...]:
    """Axes of NumPy's arrays that the elements of an array take up."""
    if isinstance(element, Fixed):
        return element.shape + inner_shape(element.element)
    return (WIDTH,) if element is LANES else ()


def machine_types(type: Type) -> list[str]:
    """LLVM's types of the parts of a value."""
    if isinstance(type, Number):
        return [type.llvm]
    if isinstance(type, Fixed):
        return [type.element.llvm] * type.count
    if isinstance(type, ArrayType):
        return ["ptr"] + ["i64"] * type.axes
    if isinstance(type, ListType):
        return ["ptr"]
    if isinstance(type, FunctionType):
        return []
    return [part for item in type.items for part in machine_types(item)]


# Machine values that a call hands over one by one. With 16 in place of 64 it is other products and sums that LLVM makes
# one instruction of: islands (46) would be solved with other bits.
_FEW = 64


def is_passed_by_address(type: Type) -> bool:
    """Whether a function is told where a value is: all that a step works on has 200 machine values, which each call
    would copy. They stand one after another, see `offsets`, and do not change while it runs."""
    return isinstance(type, RecordType) and len(machine_types(type)) > _FEW


def passed_types(type: Type) -> list[str]:
    """LLVM's types of what a function takes for a value."""
    return ["ptr"] if is_passed_by_address(type) else machine_types(type)


def offsets(machines: list[str]) -> list[int]:
    """Where machine values begin that stand one after another in memory, and where they end, bytes."""
    found = [0]
    for machine in machines:
        found.append(found[-1] + (8 * WIDTH if machine == LANES.llvm else 8))
    return found


class Leaf(NamedTuple):
    """A machine value in memory. path: its place in LLVM's structure of the value, by number."""

    path: tuple[int, ...]
    machine: str
    stored: str


def leaves(type: Type) -> list[Leaf]:
    """The parts of a value in memory, in their order."""
    if isinstance(type, Number):
        return [Leaf((), type.llvm, type.stored)]
    if isinstance(type, Fixed):
        return [Leaf((k,), type.element.llvm, type.element.stored) for k in range(type.count)]
    if isinstance(type, TupleType | RecordType):
        return [
            Leaf((k, *leaf.path), leaf.machine, leaf.stored)
            for k, item in enumerate(type.items)
            for leaf in leaves(item)
        ]
    return [Leaf((k,), machine, machine) for k, machine in enumerate(machine_types(type))]


def layout(type: Type) -> str:
    """LLVM's type of a value in memory, laid out as C (and NumPy, with align=True) would."""
    if isinstance(type, Number):
        return type.stored
    if isinstance(type, Fixed):
        return f"[{type.count} x {type.element.stored}]"
    if isinstance(type, TupleType | RecordType):
        return f"{{ {', '.join(layout(item) for item in type.items)} }}"
    return f"{{ {', '.join(machine_types(type))} }}"


def size_of(type: Type) -> int:
    """Bytes of a value in memory, in an array of them."""
    return _size_and_alignment(type)[0]


def _size_and_alignment(type: Type) -> tuple[int, int]:
    if isinstance(type, Number):
        return type.size, min(type.size, 8)
    if isinstance(type, Fixed):
        return type.count * type.element.size, min(type.element.size, 8)
    if not isinstance(type, TupleType | RecordType):
        return 8 * len(machine_types(type)), 8
    offset, widest = 0, 1
    for item in type.items:
        size, alignment = _size_and_alignment(item)
        offset, widest = -(-offset // alignment) * alignment + size, max(widest, alignment)
    return -(-offset // widest) * widest, widest


def joined(one: Type, other: Type) -> Type:
    """The type of a variable that is sometimes one, sometimes the other."""
    if one == other:
        return one
    if isinstance(one, Number) and isinstance(other, Number):
        if LANE_FLAGS in (one, other):
            if {one, other} <= {BOOL, LANE_FLAGS}:
                return LANE_FLAGS
            raise RoutineError(f"something is {one} at one place and {other} at another")
        return max(READ_AS.get(one, one), READ_AS.get(other, other), key=NUMBERS.index)
    if isinstance(one, Fixed) and isinstance(other, Fixed) and one.shape == other.shape:
        element = joined(one.element, other.element)
        assert isinstance(element, Number)
        return Fixed(one.shape, element)
    for small, array in ((one, other), (other, one)):  # the numbers of an array, where they meet a small one
        if isinstance(small, Fixed) and array == ArrayType(small.element, len(small.shape)):
            return small
    if isinstance(one, ListType) and isinstance(other, ListType):
        if one.element is None or other.element is None:
            return one if other.element is None else other
        return ListType(joined(one.element, other.element))
    if isinstance(one, TupleType) and isinstance(other, TupleType) and len(one.items) == len(other.items):
        return TupleType(_joined_items(one.items, other.items))
    if isinstance(one, RecordType) and isinstance(other, RecordType) and one.record is other.record:
        return RecordType(one.record, one.names, _joined_items(one.items, other.items))
    raise RoutineError(f"something is {one} at one place and {other} at another")


def _joined_items(one: tuple[Type, ...], other: tuple[Type, ...]) -> tuple[Type, ...]:
    return tuple(joined(a, b) for a, b in zip(one, other, strict=True))


def has_memory(type: Type) -> bool:
    """Whether a value refers to memory of its own: arrays and lists."""
    if isinstance(type, TupleType | RecordType):
        return any(has_memory(item) for item in type.items)
    return isinstance(type, ArrayType | ListType)


def has_lists(type: Type) -> bool:
    if isinstance(type, TupleType | RecordType):
        return any(has_lists(item) for item in type.items)
    return isinstance(type, ListType)


def is_plain(type: Type) -> bool:
    """Whether a value is nothing but numbers: it can be an element of an array."""
    return not has_memory(type) and not isinstance(type, FunctionType)


def items_of(value: Value) -> list[Value]:
    """The values in a tuple, a record, or along the first axis of a small vector or matrix."""
    if isinstance(value.type, Fixed):
        first, *rest = value.type.shape
        inner: Type = Fixed(tuple(rest), value.type.element) if rest else value.type.element
        kinds: tuple[Type, ...] = (inner,) * first
    elif isinstance(value.type, TupleType | RecordType):
        kinds = value.type.items
    else:
        raise RoutineError(f"{value.type} has no items")
    result, first = [], 0
    for item in kinds:
        end = first + len(machine_types(item))
        result.append(Value(item, value.parts[first:end], value.roots[first:end]))
        first = end
    return result


def _grouped(type: Type, values: list[Value]) -> Value:
    parts = tuple(part for value in values for part in value.parts)
    if not any(value.roots for value in values):
        return Value(type, parts)
    return Value(type, parts, tuple(roots for value in values for roots in roots_of(value)))


def tuple_of(values: list[Value]) -> Value:
    return _grouped(TupleType(tuple(value.type for value in values)), values)


def record_of(record: type, names: tuple[str, ...], values: list[Value]) -> Value:
    return _grouped(RecordType(record, names, tuple(value.type for value in values)), values)


def fixed_of(shape: tuple[int, ...], element: Number, parts: list[str]) -> Value:
    return Value(Fixed(shape, element), tuple(parts))
