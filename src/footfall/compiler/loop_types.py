"""Types in native loops: numbers, contiguous arrays of numbers, tuples; each is a few machine values."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.compiler.errors import LoopError


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
NUMBERS = (BOOL, INT, FLOAT)  # what comes later holds what comes before
DTYPES: dict[Any, Number] = {
    np.bool_: BOOL,
    bool: BOOL,
    np.int64: INT,
    int: INT,
    np.float64: FLOAT,
    float: FLOAT,
}


@dataclass(frozen=True)
class ArrayType:
    """Contiguous, rows last: an address and the length of each axis."""

    element: Number
    axes: int

    def __str__(self) -> str:
        return f"{self.element} array with {self.axes} axes"


@dataclass(frozen=True)
class TupleType:
    items: tuple[Type, ...]

    def __str__(self) -> str:
        return f"({', '.join(str(item) for item in self.items)})"


Type = Number | ArrayType | TupleType
NOTHING = TupleType(())  # what a function without `return` gives


class Value(NamedTuple):
    """Names of the machine values. roots: numbers of the arguments whose memory it may be."""

    type: Type
    parts: tuple[str, ...]
    roots: frozenset[int] = frozenset()


def machine_types(type: Type) -> list[str]:
    """LLVM's types of the parts of a value."""
    if isinstance(type, Number):
        return [type.llvm]
    if isinstance(type, ArrayType):
        return ["ptr"] + ["i64"] * type.axes
    return [part for item in type.items for part in machine_types(item)]


def joined(one: Type, other: Type) -> Type:
    """The type of a variable that is sometimes one, sometimes the other."""
    if one == other:
        return one
    if isinstance(one, Number) and isinstance(other, Number):
        return max(one, other, key=NUMBERS.index)
    if isinstance(one, TupleType) and isinstance(other, TupleType) and len(one.items) == len(other.items):
        return TupleType(tuple(joined(a, b) for a, b in zip(one.items, other.items, strict=True)))
    raise LoopError(f"something is {one} at one place and {other} at another")


def has_arrays(type: Type) -> bool:
    if isinstance(type, TupleType):
        return any(has_arrays(item) for item in type.items)
    return isinstance(type, ArrayType)


def items_of(value: Value) -> list[Value]:
    """The values in a tuple."""
    if not isinstance(value.type, TupleType):
        raise LoopError(f"{value.type} is no tuple")
    result, first = [], 0
    for item in value.type.items:
        count = len(machine_types(item))
        result.append(Value(item, value.parts[first : first + count], value.roots))
        first += count
    return result


def tuple_of(values: list[Value]) -> Value:
    return Value(
        TupleType(tuple(value.type for value in values)),
        tuple(part for value in values for part in value.parts),
        frozenset().union(*(value.roots for value in values)),
    )


def constant(value: Any) -> Value:
    """A number that is known beforehand."""
    if isinstance(value, bool | np.bool_):
        return Value(BOOL, ("true" if value else "false",))
    if isinstance(value, int | np.integer):
        return Value(INT, (str(int(value)),))
    if isinstance(value, float | np.floating):
        return Value(FLOAT, (f"0x{struct.unpack('<Q', struct.pack('<d', float(value)))[0]:016X}",))
    raise LoopError(f"{value!r} is no number")
