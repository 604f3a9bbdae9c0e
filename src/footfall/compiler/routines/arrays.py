"""Arrays in routines: elements, rows, slices and new ones; `whole_arrays` has arithmetic of all elements.

New arrays come from an arena that belongs to the call from Python: see `memory`. Negative indices count from the end;
indices are checked only if FOOTFALL_CHECKED_ROUTINES is set, as our tests do.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence
from typing import NamedTuple

from footfall.compiler.routines.annotations import ArrayHint, Hint, OptionalHint, element_type
from footfall.compiler.routines.memory import OUTSIDE
from footfall.compiler.routines.types import (
    FLOAT,
    INT,
    LANES,
    NONE,
    NOTHING,
    READ_AS,
    WIDTH,
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
    layout,
    leaves,
    size_of,
)
from footfall.compiler.routines.vectors import Vectors
from footfall.errors import RoutineError


def checked() -> bool:
    """Whether routines that are translated now check their indices."""
    return os.environ.get("FOOTFALL_CHECKED_ROUTINES", "") not in ("", "0")


class Place(NamedTuple):
    """Where something is in memory. roots: see `Value`."""

    type: Type
    address: str
    roots: frozenset[int]


class Arrays(Vectors):
    """Operations on values of the type `ArrayType`."""

    # Types

    def converted(self, value: Value, type: Type) -> Value:
        if isinstance(value.type, ArrayType) and value.type != type:
            if isinstance(type, Fixed):
                return self.loaded(value, type)
            if type is LANES and value.type == ArrayType(FLOAT, 1):
                self.check_lengths(value.parts[1], str(WIDTH))
                return self.load(Place(LANES, value.parts[0], NONE))
            if isinstance(type, ArrayType):
                return self.viewed(value, type)
        return super().converted(value, type)

    def loaded(self, array: Value, type: Fixed) -> Value:
        """The numbers of an array as a small vector or matrix."""
        kind = array.type
        assert isinstance(kind, ArrayType)
        inner = kind.element.shape if isinstance(kind.element, Fixed) else ()
        if isinstance(kind.element, RecordType) or kind.axes + len(inner) != len(type.shape):
            raise RoutineError(f"{kind} where a {type} is needed")
        for length, wanted in zip(array.parts[1:], type.shape, strict=False):
            self.check_lengths(length, str(wanted))
        element = kind.element.element if isinstance(kind.element, Fixed) else kind.element
        flat = Value(ArrayType(element, 1), (array.parts[0], str(type.count)))
        numbers = [self.load(self.at(flat, str(k))) for k in range(type.count)]
        return self.converted(self.gathered(type.shape, numbers), type)

    def viewed(self, array: Value, type: ArrayType) -> Value:
        """An array (n, 3) of numbers as one (n,) of vectors, or the other way round."""
        given = array.type
        assert isinstance(given, ArrayType)
        array = self.as_numbers(array)
        assert isinstance(array.type, ArrayType)
        parts, roots, given = array.parts, array.roots, array.type
        if isinstance(type.element, Fixed | Number) and given.element is _plain(type.element):
            shape = inner_shape(type.element)
            if given.axes - len(shape) == type.axes:
                for length, wanted in zip(parts[1 + type.axes :], shape, strict=True):
                    self.check_lengths(length, str(wanted))
                return Value(type, parts[: 1 + type.axes], roots[: 1 + type.axes])
        if given != type:
            raise RoutineError(f"{array.type} where {type} is needed")
        return Value(type, parts, roots)

    @staticmethod
    def as_numbers(array: Value) -> Value:
        """An array of vectors as one of numbers with more axes."""
        kind = array.type
        assert isinstance(kind, ArrayType)
        inner = inner_shape(kind.element)
        if not inner or isinstance(kind.element, RecordType):
            return array
        parts = (*array.parts, *(str(length) for length in inner))
        roots = array.roots and (*array.roots, *([NONE] * len(inner)))
        return Value(ArrayType(_plain(kind.element), kind.axes + len(inner)), parts, roots)

    def reshaped(self, array: Value, lengths: list[str]) -> Value:
        """The same elements with other axes."""
        array = self.as_numbers(array)
        assert isinstance(array.type, ArrayType)
        self.check_lengths(self.elements_in(lengths), self.elements_in(array.parts[1:]))
        return self.array_value(
            ArrayType(array.type.element, len(lengths)), array.parts[0], lengths, all_roots(array)
        )

    def fitted(self, value: Value, hint: Hint) -> Value:
        """A value as an annotation wants it."""
        if isinstance(hint, OptionalHint):
            return value if value.type == NOTHING else self.fitted(value, hint.given)
        if isinstance(hint, Number):
            return self.converted(value, hint)
        if isinstance(hint, Fixed):
            if isinstance(value.type, TupleType):
                value = self.stacked(items_of(value))
            return self.converted(value, hint)
        if isinstance(hint, ArrayHint) and isinstance(value.type, ArrayType):
            element = element_type(hint)
            if value.type.element == element or isinstance(element, RecordType):
                return self.converted(value, ArrayType(element, value.type.axes))
            given = value.type.element
            if isinstance(given, Number):
                if isinstance(element, Fixed) and element.element is not LANES:
                    element = Fixed(element.shape, given)
                return self.viewed(value, ArrayType(element, value.type.axes - len(inner_shape(element))))
        return value

    # Parts

    def part(self, array: Value, indices: list[ast.expr]) -> Value | Place:
        """A view: indices for the first axes, then perhaps a slice; or the place of an element."""
        kind, (data, *lengths) = array.type, array.parts
        assert isinstance(kind, ArrayType)
        if len(indices) > kind.axes:
            raise RoutineError(f"{len(indices)} indices for {kind}")
        offset, kept = "0", list(lengths)
        for axis, index in enumerate(indices):
            if axis:
                offset = self.operation(f"mul nsw i64 {offset}, {lengths[axis]}")
            if isinstance(index, ast.Slice):
                if axis + 1 < len(indices):
                    raise RoutineError("in routines a slice is the last index, so that views stay contiguous")
                begin, kept[0] = self.bounds(index, lengths[axis])
            else:
                begin = self.index(index, lengths[axis])
                kept = kept[1:]
            offset = self.operation(f"add nsw i64 {offset}, {begin}")
        for length in lengths[len(indices) :]:
            offset = self.operation(f"mul nsw i64 {offset}, {length}")
        place = self.operation(f"getelementptr inbounds {layout(kind.element)}, ptr {data}, i64 {offset}")
        roots = all_roots(array)
        if not kept:
            return Place(kind.element, place, roots)
        return self.array_value(ArrayType(kind.element, len(kept)), place, kept, roots)

    @staticmethod
    def array_value(
        type: ArrayType, address: str, lengths: Sequence[str], roots: frozenset[int] = frozenset()
    ) -> Value:
        return Value(type, (address, *lengths), (roots, *([frozenset()] * len(lengths))) if roots else ())

    def index(self, node: ast.expr, length: str) -> str:
        number = self.integer(self.expression(node))
        if not self.never_negative(node):
            number = self.from_end(number, length)
        self.check_index(number, length)
        return number

    def expression(self, node: ast.expr) -> Value:
        raise NotImplementedError

    def never_negative(self, node: ast.expr) -> bool:
        raise NotImplementedError

    def site(self) -> int:
        """Number of the place in the source that is being translated."""
        raise NotImplementedError

    def check_index(self, number: str, length: str) -> None:
        if checked():
            inside = self.operation(f"icmp ult i64 {number}, {length}")
            self.fail_unless(inside, OUTSIDE, str(self.site()), number)

    def check_lengths(self, length: str, wanted: str) -> None:
        if checked() and length != wanted:
            same = self.operation(f"icmp eq i64 {length}, {wanted}")
            self.fail_unless(same, OUTSIDE, str(self.site()), length)

    def bounds(self, node: ast.Slice, length: str) -> tuple[str, str]:
        """Begin and length of a slice, clamped as Python does."""
        if node.step is not None:
            raise RoutineError("slices of arrays have no step in routines")
        ends = []
        for given, usual in ((node.lower, "0"), (node.upper, length)):
            if given is None:
                ends.append(usual)
                continue
            number = self.integer(self.expression(given))
            if not self.never_negative(given):
                number = self.from_end(number, length)
            number = self.intrinsic("smax.i64", "i64", number, "0")
            ends.append(self.intrinsic("smin.i64", "i64", number, length))
        size = self.operation(f"sub i64 {ends[1]}, {ends[0]}")
        return ends[0], self.intrinsic("smax.i64", "i64", size, "0")

    def at(self, array: Value, k: str) -> Place:
        """The place of element k, counted from the begin."""
        assert isinstance(array.type, ArrayType)
        element = array.type.element
        address = self.operation(f"getelementptr inbounds {layout(element)}, ptr {array.parts[0]}, i64 {k}")
        return Place(element, address, all_roots(array))

    # Memory

    def load(self, place: Place) -> Value:
        parts = []
        for leaf in leaves(place.type):
            address = self.leaf_address(place, leaf.path)
            if leaf.machine == LANES.llvm:
                parts.append(self.operation(f"load {leaf.machine}, ptr {address}, align 8"))
                continue
            part = self.operation(f"load {leaf.stored}, ptr {address}")
            parts.append(self.from_stored(part, leaf.machine, leaf.stored))
        type = READ_AS.get(place.type, place.type) if isinstance(place.type, Number) else place.type
        return Value(type, tuple(parts))

    def from_stored(self, part: str, machine: str, stored: str) -> str:
        if machine == stored:
            return part
        if machine == "i1":
            return self.operation(f"icmp ne i8 {part}, 0")
        instruction = {"float": "fpext", "i8": "zext", "i16": "sext", "i32": "sext"}[stored]
        return self.operation(f"{instruction} {stored} {part} to {machine}")

    def store(self, place: Place, value: Value) -> None:
        value = self.converted(value, place.type)
        for leaf, part in zip(leaves(place.type), value.parts, strict=True):
            if leaf.machine == LANES.llvm:
                self.do(f"store {leaf.machine} {part}, ptr {self.leaf_address(place, leaf.path)}, align 8")
                continue
            if leaf.machine != leaf.stored:
                instruction = (
                    "zext" if leaf.machine == "i1" else "fptrunc" if leaf.stored == "float" else "trunc"
                )
                part = self.operation(f"{instruction} {leaf.machine} {part} to {leaf.stored}")
            self.do(f"store {leaf.stored} {part}, ptr {self.leaf_address(place, leaf.path)}")
        self.written |= place.roots

    def field_place(self, place: Place, number: int) -> Place:
        """Where a field of a record in memory is."""
        assert isinstance(place.type, RecordType)
        address = self.operation(
            f"getelementptr inbounds {layout(place.type)}, ptr {place.address}, i32 0, i32 {number}"
        )
        return Place(place.type.items[number], address, place.roots)

    def leaf_address(self, place: Place, path: tuple[int, ...]) -> str:
        if not path:
            return place.address
        indices = ", ".join(f"i32 {k}" for k in (0, *path))
        return self.operation(f"getelementptr inbounds {layout(place.type)}, ptr {place.address}, {indices}")

    # New arrays

    def elements_in(self, lengths: Sequence[str]) -> str:
        count = "1"
        for length in lengths:
            count = length if count == "1" else self.operation(f"mul i64 {count}, {length}")
        return count

    def new_array(self, element: Number | Fixed | RecordType, shape: Value) -> Value:
        """An array of a shape (an int or a tuple of them) with any content."""
        given = items_of(shape) if isinstance(shape.type, TupleType) else [shape]
        lengths = [self.intrinsic("smax.i64", "i64", self.integer(length), "0") for length in given]
        return self.new_array_of(element, lengths)

    def new_array_of(self, element: Number | Fixed | RecordType, lengths: Sequence[str]) -> Value:
        self.declare("declare {i64, i1} @llvm.umul.with.overflow.i64(i64, i64)")
        size, absurd = str(size_of(element)), "false"
        for length in lengths:  # more than there is, rather than a small number by overflow
            both = self.operation(f"call {{i64, i1}} @llvm.umul.with.overflow.i64(i64 {size}, i64 {length})")
            size = self.operation(f"extractvalue {{i64, i1}} {both}, 0")
            over = self.operation(f"extractvalue {{i64, i1}} {both}, 1")
            absurd = self.operation(f"or i1 {absurd}, {over}")
        size = self.operation(f"select i1 {absurd}, i64 {1 << 62}, i64 {size}")
        return self.array_value(ArrayType(element, len(lengths)), self.allocated(size), lengths)

    def size_in_bytes(self, array: Value) -> str:
        assert isinstance(array.type, ArrayType)
        return self.elements_in([str(size_of(array.type.element)), *array.parts[1:]])

    def clear(self, array: Value) -> None:
        self.declare("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        size = self.size_in_bytes(array)
        self.do(f"call void @llvm.memset.p0.i64(ptr {array.parts[0]}, i8 0, i64 {size}, i1 false)")
        self.written |= all_roots(array)

    def copy(self, array: Value) -> Value:
        if not isinstance(array.type, ArrayType):
            return array  # all others are values
        new = self.new_array_of(array.type.element, array.parts[1:])
        places = f"ptr {new.parts[0]}, ptr {array.parts[0]}"
        self.do(f"call void @llvm.memcpy.p0.p0.i64({places}, i64 {self.size_in_bytes(new)}, i1 false)")
        return new

    def shape_value(self, value: Value) -> list[Value]:
        """`value.shape`."""
        if isinstance(value.type, Fixed):
            return [Value(INT, (str(length),)) for length in value.type.shape]
        assert isinstance(value.type, ArrayType)
        inner = inner_shape(value.type.element)
        return [Value(INT, (length,)) for length in (*value.parts[1:], *map(str, inner))]


def _plain(element: Fixed | Number | RecordType) -> Number:
    """The numbers that vectors and lanes are made of."""
    number = element.element if isinstance(element, Fixed) else element
    assert isinstance(number, Number)
    return FLOAT if number is LANES else number
