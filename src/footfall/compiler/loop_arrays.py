"""Arrays in native loops: elements, rows, slices, and new ones.

New arrays come from an arena that belongs to the call from Python: see `loop_memory`. Indices are not checked;
negative ones count from the end.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, cast

from footfall.compiler.errors import LoopError
from footfall.compiler.loop_expressions import Expressions
from footfall.compiler.loop_types import (
    FLOAT,
    INT,
    ArrayType,
    Number,
    TupleType,
    Value,
    constant,
    items_of,
)


class Arrays(Expressions):
    """Expressions with subscripts."""

    def _Subscript(self, node: ast.Subscript) -> Value:
        base = self.expression(node.value)
        if isinstance(base.type, TupleType):
            return self.item(base, node.slice)
        if not isinstance(base.type, ArrayType):
            raise LoopError(f"`{ast.unparse(node.value)}` is {base.type}, which has no elements")
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        place = self.part(base, indices)
        return place if len(place.parts) > 1 else self.load(place)

    def item(self, base: Value, index: ast.expr) -> Value:
        """An item of a tuple; which one is known beforehand, or all are numbers of one type."""
        items = items_of(base)
        if isinstance(index, ast.Constant) and isinstance(index.value, int):
            if not -len(items) <= index.value < len(items):
                raise LoopError(f"a tuple of {len(items)} has no item {index.value}")
            return items[index.value]
        kinds = {item.type for item in items}
        kind = next(iter(kinds), None)
        if len(kinds) != 1 or not isinstance(kind, Number):
            raise LoopError(f"items of {base.type} cannot be chosen while running")
        where = self.integer(self.expression(index))
        memory = self.reserve(f"[{len(items)} x {kind.llvm}]")
        for k, item in enumerate(items):
            place = self.operation(f"getelementptr inbounds {kind.llvm}, ptr {memory}, i64 {k}")
            self.do(f"store {kind.llvm} {item.parts[0]}, ptr {place}")
        place = self.operation(f"getelementptr inbounds {kind.llvm}, ptr {memory}, i64 {where}")
        return Value(kind, (self.operation(f"load {kind.llvm}, ptr {place}"),))

    def part(self, array: Value, indices: list[ast.expr]) -> Value:
        """A view: numbers for the first axes, then perhaps a slice. An element is a view without axes."""
        kind, (data, *lengths) = array.type, array.parts
        assert isinstance(kind, ArrayType)
        if len(indices) > kind.axes:
            raise LoopError(f"{len(indices)} indices for {kind}")
        offset, kept = constant(0).parts[0], list(lengths)
        for axis, index in enumerate(indices):
            if axis:
                offset = self.operation(f"mul nsw i64 {offset}, {lengths[axis]}")
            if isinstance(index, ast.Slice):
                if axis + 1 < len(indices):
                    raise LoopError(
                        "in native loops a slice is the last index, so that views stay contiguous"
                    )
                begin, kept[0] = self.bounds(index, lengths[axis])
            else:
                begin = self.index(index, lengths[axis])
                kept = kept[1:]
            offset = self.operation(f"add nsw i64 {offset}, {begin}")
        for length in lengths[len(indices) :]:
            offset = self.operation(f"mul nsw i64 {offset}, {length}")
        place = self.operation(f"getelementptr inbounds {kind.element.stored}, ptr {data}, i64 {offset}")
        return Value(ArrayType(kind.element, len(kept)), (place, *kept), array.roots)

    def index(self, node: ast.expr, length: str) -> str:
        number = self.integer(self.expression(node))
        if plainly_positive(node, self.counters, self.constants):
            return number
        return self.from_end(number, length)

    def from_end(self, number: str, length: str) -> str:
        negative = self.operation(f"icmp slt i64 {number}, 0")
        turned = self.operation(f"add i64 {number}, {length}")
        return self.operation(f"select i1 {negative}, i64 {turned}, i64 {number}")

    def bounds(self, node: ast.Slice, length: str) -> tuple[str, str]:
        """Begin and length of a slice, clamped as Python does."""
        if node.step is not None:
            raise LoopError("slices in native loops have no step")
        ends = []
        for given, usual in ((node.lower, "0"), (node.upper, length)):
            if given is None:
                ends.append(usual)
                continue
            number = self.index(given, length)
            number = self.intrinsic("smax.i64", "i64", number, "0")
            ends.append(self.intrinsic("smin.i64", "i64", number, length))
        size = self.operation(f"sub i64 {ends[1]}, {ends[0]}")
        return ends[0], self.intrinsic("smax.i64", "i64", size, "0")

    def load(self, place: Value) -> Value:
        assert isinstance(place.type, ArrayType)
        kind = place.type.element
        part = self.operation(f"load {kind.stored}, ptr {place.parts[0]}, align {kind.size}")
        if kind.stored != kind.llvm:
            part = self.operation(f"icmp ne {kind.stored} {part}, 0")
        return Value(kind, (part,))

    def store(self, place: Value, value: Value) -> None:
        """Write an element, or all those of a view."""
        assert isinstance(place.type, ArrayType)
        if place.type.axes:
            self.put(place, value)
            return
        kind = place.type.element
        part = self.converted(value, kind).parts[0]
        if kind.stored != kind.llvm:
            part = self.operation(f"zext {kind.llvm} {part} to {kind.stored}")
        self.do(f"store {kind.stored} {part}, ptr {place.parts[0]}, align {kind.size}")
        self.written |= place.roots

    def intrinsic(self, name: str, machine: str, *operands: str) -> str:
        self.declare(f"declare {machine} @llvm.{name}({', '.join([machine] * len(operands))})")
        given = ", ".join(f"{machine} {operand}" for operand in operands)
        return self.operation(f"call {machine} @llvm.{name}({given})")

    def declare(self, line: str) -> None:
        """Something that is defined elsewhere."""
        raise NotImplementedError

    # New arrays

    def size_in_bytes(self, array: Value) -> str:
        assert isinstance(array.type, ArrayType)
        size = str(array.type.element.size)
        for length in array.parts[1:]:
            size = self.operation(f"mul i64 {size}, {length}")
        return size

    def new_array(self, element: Number, shape: Value) -> Value:
        """An array of a shape (an int or a tuple of them) with any content."""
        given = items_of(shape) if isinstance(shape.type, TupleType) else [shape]
        lengths = [self.intrinsic("smax.i64", "i64", self.integer(length), "0") for length in given]
        array = Value(ArrayType(element, len(lengths)), ("", *lengths))
        self.note_allocation()
        data = self.operation(f"call fastcc ptr @allocate(ptr %arena, i64 {self.size_in_bytes(array)})")
        return array._replace(parts=(data, *lengths))

    def note_allocation(self) -> None:
        self.changed |= not self.allocates
        self.allocates = True

    def clear(self, array: Value) -> None:
        self.declare("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        size = self.size_in_bytes(array)
        self.do(f"call void @llvm.memset.p0.i64(ptr {array.parts[0]}, i8 0, i64 {size}, i1 false)")

    def copy(self, array: Value) -> Value:
        if not isinstance(array.type, ArrayType):
            raise LoopError(f"{array.type} cannot be copied")
        lengths = [Value(INT, (length,)) for length in array.parts[1:]]
        new = self.new_array(array.type.element, _lengths(lengths))
        self.declare("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
        size = self.size_in_bytes(new)
        places = f"ptr {new.parts[0]}, ptr {array.parts[0]}"
        self.do(f"call void @llvm.memcpy.p0.p0.i64({places}, i64 {size}, i1 false)")
        return new

    def each(
        self, array: Value, value: Callable[[str], Value], place: Callable[[str], Value] | None = None
    ) -> None:
        """Set all elements; value: that at a place, counted from the begin. place: where else to set it."""
        assert isinstance(array.type, ArrayType)
        count = "1"
        for length in array.parts[1:]:
            count = self.operation(f"mul i64 {count}, {length}")
        counter, head, body, end = self.reserve("i64"), self.label(), self.label(), self.label()
        self.do(f"store i64 0, ptr {counter}")
        self.jump(head)
        self.place(head)
        k = self.operation(f"load i64, ptr {counter}")
        self.do(f"br i1 {self.operation(f'icmp slt i64 {k}, {count}')}, label %{body}, label %{end}")
        self.place(body)
        self.store(place(k) if place else self.at(array, k), value(k))
        self.do(f"store i64 {self.operation(f'add nsw i64 {k}, 1')}, ptr {counter}")
        self.jump(head)
        self.place(end)

    def at(self, array: Value, k: str) -> Value:
        """The place of element k, counted from the begin."""
        assert isinstance(array.type, ArrayType)
        element = array.type.element
        place = self.operation(f"getelementptr inbounds {element.stored}, ptr {array.parts[0]}, i64 {k}")
        return Value(ArrayType(element, 0), (place,), array.roots)

    def elements(self, value: Value) -> Callable[[str], Value]:
        """What an array, or a number in place of one, has at each place."""
        if isinstance(value.type, ArrayType):
            return lambda k: self.load(self.at(value, k))
        return lambda k: value

    def put(self, array: Value, value: Value) -> None:
        """Set all elements of a view to those of an array of its shape, or to a number."""
        if isinstance(value.type, ArrayType) and value.type.axes != cast(ArrayType, array.type).axes:
            raise LoopError(f"{value.type} for {array.type}")
        self.each(array, self.elements(value))

    def arithmetic(self, operator: ast.operator, left: Value, right: Value) -> Value:
        """Also of arrays of one shape, or an array and numbers, element by element."""
        arrays = [value for value in (left, right) if isinstance(value.type, ArrayType)]
        if not arrays:
            return super().arithmetic(operator, left, right)
        if len({cast(ArrayType, value.type).axes for value in arrays}) > 1:
            raise LoopError(f"{left.type} and {right.type} do not go together element by element")
        lengths = [Value(INT, (length,)) for length in arrays[0].parts[1:]]
        new = self.new_array(FLOAT, _lengths(lengths))
        one, other = self.elements(left), self.elements(right)
        self.each(new, lambda k: super(Arrays, self).arithmetic(operator, one(k), other(k)))
        return new

    def change(self, operator: ast.operator, array: Value, value: Value) -> None:
        """`array += value` and the like, in place."""
        other = self.elements(value)
        self.each(
            array, lambda k: super(Arrays, self).arithmetic(operator, self.load(self.at(array, k)), other(k))
        )


def plainly_positive(node: ast.expr, counters: set[str], names: dict[str, Any]) -> bool:
    """Whether an int is not negative, from the source; only saves an instruction or two."""
    if isinstance(node, ast.Name):
        value = names.get(node.id)
        return node.id in counters or (isinstance(value, int) and value >= 0)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int) and node.value >= 0
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mult):
        return all(plainly_positive(side, counters, names) for side in (node.left, node.right))
    return False


def _lengths(values: list[Value]) -> Value:
    return Value(TupleType(tuple(INT for _ in values)), tuple(value.parts[0] for value in values))
