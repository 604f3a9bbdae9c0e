"""Arithmetic of whole arrays in routines. It makes no arrays on the way: `x += a * (y - z)` is one loop."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, NamedTuple

from footfall.compiler.routines.arrays import Arrays
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
from footfall.errors import RoutineError


class Lazy(NamedTuple):
    """An array that is not there yet: its elements are computed one by one where they are needed."""

    type: ArrayType
    lengths: tuple[str, ...]
    element: Callable[[str], Value]


class WholeArrays(Arrays):
    """Operations on all elements of arrays."""

    def put_records(self, array: Value, records: Value) -> None:
        """Set a view to records of its kind: each at once, not field by field."""
        if records.type != array.type:
            raise RoutineError(f"{records.type} for {array.type}")
        assert isinstance(array.type, ArrayType)
        whole = f"<{size_of(array.type.element)} x i8>"

        def put(k: str) -> None:
            record = self.operation(f"load {whole}, ptr {self.at(records, k).address}, align 1")
            self.do(f"store {whole} {record}, ptr {self.at(array, k).address}, align 1")

        self.each(self.elements_in(array.parts[1:]), put)
        self.written |= all_roots(array)

    # Element by element

    def each(self, count: str, body: Callable[[str], None]) -> None:
        """Do something for k from 0 to count - 1."""
        counter, head, inside, end = self.reserve("i64"), self.label(), self.label(), self.label()
        self.do(f"store i64 0, ptr {counter}")
        self.jump(head)
        self.place(head)
        k = self.operation(f"load i64, ptr {counter}")
        self.do(f"br i1 {self.operation(f'icmp slt i64 {k}, {count}')}, label %{inside}, label %{end}")
        self.place(inside)
        body(k)
        self.do(f"store i64 {self.operation(f'add nsw i64 {k}, 1')}, ptr {counter}")
        self.jump(head)
        self.place(end)

    def elements(self, value: Value | Lazy) -> Callable[[str], Value]:
        """What an array, or a value in place of one, has at each place."""
        if isinstance(value, Lazy):
            return value.element
        if isinstance(value.type, ArrayType):
            return lambda k: self.load(self.at(value, k))
        return lambda k: value

    def put(self, array: Value, value: Value | Lazy) -> None:
        """Set all elements of a view to those of an array of its shape, or to one value."""
        assert isinstance(array.type, ArrayType)
        if isinstance(value, Value) and isinstance(value.type, Fixed | TupleType):
            self.put_numbers(array, value)
            return
        if isinstance(value.type, ArrayType):
            if inner_shape(value.type.element) != inner_shape(array.type.element):
                array, value = self.as_numbers(array), self.as_numbers(self.settled(value))
            if len(_lengths(value)) != len(_lengths(array)):
                raise RoutineError(f"{value.type} for {array.type}")
            for length, wanted in zip(_lengths(value), _lengths(array), strict=True):
                self.check_lengths(length, wanted)
            if isinstance(value, Value) and _holds_records(value.type):
                self.put_records(array, value)
                return
        element = self.elements(value)
        self.each(self.elements_in(array.parts[1:]), lambda k: self.store(self.at(array, k), element(k)))

    def put_numbers(self, array: Value, value: Value) -> None:
        """Set the elements of a view to those of a small vector or tuple."""
        assert isinstance(array.type, ArrayType)
        element = array.type.element
        if isinstance(value.type, TupleType):
            value = self.stacked(items_of(value))
        shape = self.shape_of(value)
        if isinstance(element, Fixed) and element.shape == shape:  # the same vector everywhere
            self.each(self.elements_in(array.parts[1:]), lambda k: self.store(self.at(array, k), value))
            return
        if isinstance(element, Fixed) and len(shape) == array.type.axes + len(element.shape):
            array, element = self.as_numbers(array), element.element
        if not isinstance(element, Number) or len(shape) != len(array.parts) - 1:
            raise RoutineError(f"{value.type} for {array.type}")
        for length, wanted in zip(array.parts[1:], shape, strict=True):
            self.check_lengths(length, str(wanted))
        for k, number in enumerate(self.numbers(value)):
            self.store(self.at(array, str(k)), number)

    def lazy_arithmetic(
        self, operator: ast.operator, left: Value | Lazy, right: Value | Lazy
    ) -> Value | Lazy:
        """Arithmetic that may be of whole arrays: of arrays of one shape, or an array and one value."""
        arrays = [value for value in (left, right) if isinstance(value.type, ArrayType)]
        if not arrays:
            assert isinstance(left, Value)
            assert isinstance(right, Value)
            return self.arithmetic(operator, left, right)
        if any(value.type is LANES for value in (left, right)) and arrays[0].type == ArrayType(FLOAT, 1):
            return self.arithmetic(operator, *(self.converted(self.settled(v), LANES) for v in (left, right)))
        small = next((value.type for value in (left, right) if isinstance(value.type, Fixed)), None)
        if small is not None and self.same_rank(arrays[0].type, small):
            pair = [self.settled(value) for value in (left, right)]
            pair = [self.converted(one, small) if isinstance(one.type, ArrayType) else one for one in pair]
            return self.arithmetic(operator, *pair)
        kinds = [value.type for value in arrays if isinstance(value.type, ArrayType)]
        if len({kind.axes for kind in kinds}) > 1:
            raise RoutineError(f"{left.type} and {right.type} do not go together element by element")
        if len(arrays) == 2:
            for length, wanted in zip(_lengths(left), _lengths(right), strict=True):
                self.check_lengths(length, wanted)
        one, other_one = self.elements(left), self.elements(right)

        def element(k: str) -> Value:
            return self.arithmetic(operator, one(k), other_one(k))

        return Lazy(ArrayType(self.tried(element), kinds[0].axes), _lengths(arrays[0]), element)

    @staticmethod
    def same_rank(array: Type, other: Type) -> bool:
        assert isinstance(array, ArrayType)
        assert isinstance(other, Fixed)
        return array.axes + len(inner_shape(array.element)) == len(other.shape)

    def lazy_map(self, operation: Callable[[Value], Value], value: Value | Lazy) -> Lazy:
        """A function of numbers, of all elements."""
        one = self.elements(value)

        def element(k: str) -> Value:
            return operation(one(k))

        assert isinstance(value.type, ArrayType)
        return Lazy(ArrayType(self.tried(element), value.type.axes), _lengths(value), element)

    def tried(self, element: Callable[[str], Value]) -> Any:
        """The type of an array's elements, found by computing one and forgetting it."""
        kept = self.lines, self.stack, self.count
        self.lines, self.stack = [], []
        type = element("0").type
        self.lines, self.stack, self.count = kept
        return type

    def settled(self, value: Value | Lazy) -> Value:
        """An array that is there."""
        if isinstance(value, Value):
            return value
        new = self.new_array_of(value.type.element, value.lengths)
        self.put(new, value)
        return new

    def kept(self, value: Value | Lazy) -> Value:
        """An array that stays as it is, whatever is written elsewhere."""
        return self.copy(value) if isinstance(value, Value) else self.settled(value)

    def change(self, operator: ast.operator, array: Value, value: Value | Lazy) -> None:
        """`array += value` and the like, in place."""
        if (
            isinstance(value, Value)
            and isinstance(value.type, Fixed)
            and self.same_rank(array.type, value.type)
        ):
            self.put_numbers(array, self.arithmetic(operator, self.converted(array, value.type), value))
        else:
            self.put(array, self.lazy_arithmetic(operator, array, value))

    def sum_of(self, value: Value | Lazy) -> Value:
        """`np.sum`, from the first to the last."""
        if isinstance(value, Value) and value.type is LANES:
            return self.sum_of_lanes(value)
        return self.folded(value, lambda a, b: self.arithmetic(ast.Add(), a, b), empty=0)

    def folded(
        self, value: Value | Lazy, operation: Callable[[Value, Value], Value], *, empty: float | None
    ) -> Value:
        """The elements of an array put together one after another; empty: what there is without any."""
        if isinstance(value, Value) and isinstance(value.type, Fixed | Number):
            numbers = self.numbers(value)
            total = numbers[0]
            for number in numbers[1:]:
                total = operation(total, number)
            return total
        if not (isinstance(value.type, ArrayType) and isinstance(value.type.element, Number)):
            raise RoutineError(
                f"no sum or extreme of {value.type}; give numbers one by one, or an array of them"
            )
        element, kind = self.elements(value), value.type.element
        kind = READ_AS.get(kind, kind)
        kind = INT if kind is BOOL else kind
        slot = self.reserve(kind.llvm)
        start = self.constant_number(empty, kind) if empty is not None else self.converted(element("0"), kind)
        self.do(f"store {kind.llvm} {start.parts[0]}, ptr {slot}")

        def step(k: str) -> None:
            so_far = Value(kind, (self.operation(f"load {kind.llvm}, ptr {slot}"),))
            total = self.converted(operation(so_far, element(k)), kind)
            self.do(f"store {kind.llvm} {total.parts[0]}, ptr {slot}")

        self.each(self.elements_in(_lengths(value)), step)
        return Value(kind, (self.operation(f"load {kind.llvm}, ptr {slot}"),))

    def constant_number(self, number: float, kind: Number) -> Value:
        raise NotImplementedError


def _holds_records(type: Type) -> bool:
    return isinstance(type, ArrayType) and isinstance(type.element, RecordType)


def _lengths(value: Value | Lazy) -> tuple[str, ...]:
    return value.lengths if isinstance(value, Lazy) else value.parts[1:]
