"""Parts of values in routines: attributes and indices.

Of records and small arrays only those numbers are loaded that are asked for: modules stay short.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from footfall.compiler.routines.arrays import elements_in, shape_value
from footfall.compiler.routines.dense import transposed
from footfall.compiler.routines.lists import list_length, list_place
from footfall.compiler.routines.numbers import integer, lane
from footfall.compiler.routines.operations import call
from footfall.compiler.routines.records import field_of, known, method_of
from footfall.compiler.routines.types import (
    FLOAT,
    INT,
    LANES,
    WIDTH,
    ArrayType,
    Fixed,
    ListType,
    Number,
    RecordType,
    TupleType,
    Type,
    Value,
    all_roots,
    items_of,
    layout,
    machine_types,
    tuple_of,
)
from footfall.compiler.routines.values import Place, array_value, field_place, load
from footfall.compiler.routines.vectors import chosen, fixed_part, from_end, stacked, transposed_small
from footfall.errors import RoutineError

if TYPE_CHECKING:
    from footfall.compiler.routines.expressions import Expressions


class Parts:
    """Translates `value.name` and `value[indices]`; expressions: what values and indices are."""

    def __init__(self, expressions: Expressions) -> None:
        self.expression = expressions.expression
        self.code, self.variables, self.scope = expressions.code, expressions.variables, expressions.scope

    def attribute(self, node: ast.Attribute) -> Value:
        if not self.scope.is_local(node):
            return self.known_attribute(node)
        place = self.place_of(node)
        if place is not None:
            return load(self.code, place)
        return self.read_field(node) or self.attribute_of(self.expression(node.value), node)

    def attribute_of(self, value: Value, node: ast.Attribute) -> Value:
        name, kind = node.attr, value.type
        if isinstance(kind, RecordType):
            if name in kind.names:
                return field_of(value, name)
            if isinstance(getattr(kind.record, name, None), property):
                function = method_of(value, name)
                assert function is not None
                return call(self.code, function, [value])
        if isinstance(kind, ArrayType | Fixed):
            if name == "shape":
                return tuple_of(shape_value(value))
            if name == "size":
                return Value(
                    INT, (elements_in(self.code, [length.parts[0] for length in shape_value(value)]),)
                )
            if name == "T" and isinstance(kind, Fixed):
                return transposed_small(value)
            if name == "T":
                raise RoutineError(
                    f"`{ast.unparse(node)}` would be a view: use it in a product, or with .copy()"
                )
        raise RoutineError(f"`{ast.unparse(node.value)}` is {kind}, which has no {name}")

    def known_attribute(self, node: ast.Attribute) -> Value:
        """Of a module or class, or a field of a record that is known beforehand."""
        try:
            return known(self.code, self.scope.resolved(node))
        except RoutineError:
            if isinstance(node.value, ast.Name | ast.Attribute):
                return self.attribute_of(self.expression(node.value), node)
            raise

    def place_of(self, node: ast.expr) -> Place | None:
        """Where a field of a record in an array or list is, so that nothing else of the record is loaded."""
        if isinstance(node, ast.Attribute):
            place = self.place_of(node.value)
            if place is None or not isinstance(place.type, RecordType) or node.attr not in place.type.names:
                return None
            return field_place(self.code, place, place.type.names.index(node.attr))
        plain = isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name | ast.Attribute)
        if not plain or not isinstance(node, ast.Subscript) or not self.scope.is_local(node.value):
            return None
        base = self.expression(node.value)
        if isinstance(base.type, ListType) and isinstance(base.type.element, RecordType):
            return self.list_item(base, node.slice)
        if not isinstance(base.type, ArrayType) or not isinstance(base.type.element, RecordType):
            return None
        found = self.part(base, _indices(node))
        return found if isinstance(found, Place) else None

    def read_field(self, node: ast.Attribute) -> Value | None:
        """A field of a variable that is a record, or of a record in it: only its own numbers are loaded."""
        found = self.variable_part(node)
        return None if found is None else self.variables.read_parts(*found)

    def variable_part(self, node: ast.expr) -> tuple[str, Type, int] | None:
        """A variable, or a field of one: its name, the type, and the number of its first machine value."""
        if isinstance(node, ast.Name):
            return (node.id, self.variables.types[node.id], 0) if node.id in self.variables.types else None
        if not isinstance(node, ast.Attribute):
            return None
        found = self.variable_part(node.value)
        if found is None:
            return None
        name, type, first = found
        if not isinstance(type, RecordType) or node.attr not in type.names:
            return None
        place = type.names.index(node.attr)
        return name, type.items[place], first + sum(len(machine_types(item)) for item in type.items[:place])

    def known_slots(self, node: ast.Subscript) -> tuple[Type, list[str]] | None:
        """A part of a variable that is a small array, if the indices are known: its type, and where its numbers are."""
        found = self.variable_part(node.value)
        if found is None:
            return None
        name, type, first = found
        indices = _indices(node)
        if not isinstance(type, Fixed) or not all(self.scope.is_known_index(index) for index in indices):
            return None
        whole = Value(type, tuple(str(k) for k in range(type.count)))
        numbered = fixed_part(self.code, whole, [self.fixed_index(index) for index in indices])
        return numbered.type, [self.variables.place(name, first + int(part)) for part in numbered.parts]

    def read_known_part(self, node: ast.Subscript) -> Value | None:
        """Such a part: nothing else of the array is loaded."""
        found = self.known_slots(node)
        if found is None:
            return None
        kind, slots = found
        machine = machine_types(kind)[0]
        return Value(kind, tuple(self.code.operation(f"load {machine}, ptr {slot}") for slot in slots))

    def transposed_copy(self, node: ast.expr) -> Value | None:
        """An array's `.T`, written anew; None if it is something else."""
        if not isinstance(node, ast.Attribute) or node.attr != "T" or not self.scope.is_local(node):
            return None
        value = self.expression(node.value)
        if isinstance(value.type, RecordType):
            return None  # a field of that name
        if isinstance(value.type, Fixed):
            return transposed_small(value)
        if value.type != ArrayType(FLOAT, 2):
            raise RoutineError(f"`{ast.unparse(node)}` is of {value.type}: needed are floats with 2 axes")
        return call(self.code, transposed, [value])

    # Indices

    def subscript(self, node: ast.Subscript) -> Value:
        if not self.scope.is_local(node.value) and isinstance(self.scope.resolved(node.value), type):
            raise RoutineError(f"cannot translate `{ast.unparse(node)}`")
        found = self.read_known_part(node)
        if found is not None:
            return found
        base = self.expression(node.value)
        indices = _indices(node)
        kind = base.type
        if isinstance(kind, TupleType | RecordType):
            return self.item(base, node.slice)
        if isinstance(kind, Fixed):
            return fixed_part(self.code, base, [self.fixed_index(index) for index in indices])
        if isinstance(kind, ListType):
            return load(self.code, self.list_item(base, node.slice))
        if kind is LANES:
            return lane(self.code, base, self.index(node.slice, str(WIDTH)))
        if not isinstance(kind, ArrayType):
            raise RoutineError(f"`{ast.unparse(node.value)}` is {kind}, which has no elements")
        place = self.part(base, indices[: kind.axes])
        value = load(self.code, place) if isinstance(place, Place) else place
        rest = indices[kind.axes :]
        if not rest:
            return value
        if value.type is LANES:
            return lane(self.code, value, self.index(rest[0], str(WIDTH)))
        if not isinstance(value.type, Fixed):
            raise RoutineError(f"{len(indices)} indices for {kind}")
        return fixed_part(self.code, value, [self.fixed_index(index) for index in rest])

    def part(self, array: Value, indices: list[ast.expr]) -> Value | Place:
        """A view: indices for the first axes, then perhaps a slice; or the place of an element."""
        kind, (data, *lengths) = array.type, array.parts
        assert isinstance(kind, ArrayType)
        if len(indices) > kind.axes:
            raise RoutineError(f"{len(indices)} indices for {kind}")
        offset, kept = "0", list(lengths)
        for axis, index in enumerate(indices):
            if axis:
                offset = self.code.operation(f"mul nsw i64 {offset}, {lengths[axis]}")
            if isinstance(index, ast.Slice):
                if axis + 1 < len(indices):
                    raise RoutineError("in routines a slice is the last index, so that views stay contiguous")
                begin, kept[0] = self.bounds(index, lengths[axis])
            else:
                begin = self.index(index, lengths[axis])
                kept = kept[1:]
            offset = self.code.operation(f"add nsw i64 {offset}, {begin}")
        for length in lengths[len(indices) :]:
            offset = self.code.operation(f"mul nsw i64 {offset}, {length}")
        place = self.code.operation(
            f"getelementptr inbounds {layout(kind.element)}, ptr {data}, i64 {offset}"
        )
        roots = all_roots(array)
        if not kept:
            return Place(kind.element, place, roots)
        return array_value(ArrayType(kind.element, len(kept)), place, kept, roots)

    def index(self, node: ast.expr, length: str) -> str:
        number = integer(self.code, self.expression(node))
        if not self.scope.never_negative(node):
            number = from_end(self.code, number, length)
        self.code.check_index(number, length)
        return number

    def bounds(self, node: ast.Slice, length: str) -> tuple[str, str]:
        """Begin and length of a slice, clamped as Python does."""
        if node.step is not None:
            raise RoutineError("slices of arrays have no step in routines")
        ends = []
        for given, usual in ((node.lower, "0"), (node.upper, length)):
            if given is None:
                ends.append(usual)
                continue
            number = integer(self.code, self.expression(given))
            if not self.scope.never_negative(given):
                number = from_end(self.code, number, length)
            number = self.code.intrinsic("smax.i64", "i64", number, "0")
            ends.append(self.code.intrinsic("smin.i64", "i64", number, length))
        size = self.code.operation(f"sub i64 {ends[1]}, {ends[0]}")
        return ends[0], self.code.intrinsic("smax.i64", "i64", size, "0")

    def list_item(self, base: Value, index: ast.expr) -> Place:
        if isinstance(index, ast.Slice | ast.Tuple):
            raise RoutineError("lists have one index and no slices in routines")
        return list_place(self.code, base, self.index(index, list_length(self.code, base)))

    def fixed_index(self, node: ast.expr) -> Any:
        """An index of a small array: an int, a slice or None if it is known, else a value."""
        if isinstance(node, ast.Slice):
            ends = (node.lower, node.upper, node.step)
            known = [self.scope.known_int(end) for end in ends]
            if any(end is not None and number is None for end, number in zip(ends, known, strict=True)):
                raise RoutineError(
                    f"the slice `{ast.unparse(node)}` of a small array is not known beforehand"
                )
            return slice(*known)
        if isinstance(node, ast.Constant) and node.value is None:
            return None
        number = self.scope.known_int(node)
        return self.expression(node) if number is None else number

    def item(self, base: Value, index: ast.expr) -> Value:
        """An item of a tuple; which one is known beforehand, or all are numbers of one type."""
        items = items_of(base)
        number = self.scope.known_int(index)
        if number is not None:
            if not -len(items) <= number < len(items):
                raise RoutineError(f"a tuple of {len(items)} has no item {number}")
            return items[number]
        kinds = {item.type for item in items}
        if len(kinds) != 1 or not isinstance(items[0].type, Number):
            raise RoutineError(f"items of {base.type} cannot be chosen while running")
        return chosen(self.code, stacked(self.code, items), [self.expression(index)])


def _indices(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
