"""Names in routines and parts of values: what is known beforehand, attributes, indices.

Of records and small arrays only those numbers are loaded that are asked for: modules stay short.
"""

from __future__ import annotations

import ast
import builtins
import enum
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from footfall.compiler.routines.annotations import is_record, record_fields
from footfall.compiler.routines.arrays import Place
from footfall.compiler.routines.numbers import number_constant
from footfall.compiler.routines.records import Records
from footfall.compiler.routines.types import (
    INT,
    LANES,
    NOTHING,
    WIDTH,
    ArrayType,
    Fixed,
    ListType,
    Number,
    RecordType,
    TupleType,
    Type,
    Value,
    items_of,
    machine_types,
    record_of,
    tuple_of,
)
from footfall.compiler.routines.whole_arrays import Lazy
from footfall.errors import RoutineError

# What ints that are known beforehand are put together by.
_KNOWN: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.Mod: operator.mod,
}
_SMALL_TABLE = 9  # numbers of a global array that is held in registers


class Routine:
    """A function that runs as native code. python: the function as it was written."""

    python: Callable[..., Any]


def as_written(function: Any) -> Any:
    """What is translated: of a routine the function behind it, of a function of many rows (`rowwise`) that of one."""
    return function.python if isinstance(function, Routine) else getattr(function, "one_row", function)


class Parts(Records):
    """names: the function's global names; locals: its variables; counters: those that are never negative.

    fixed: those whose value is known where the translation stands: of loops over tuples of known ints.
    """

    def __init__(
        self, names: dict[str, Any], locals: set[str], counters: set[str], *, fused: bool = False
    ) -> None:
        self.names, self.locals, self.counters = names, locals, counters
        self.fixed: dict[str, int] = {}
        super().__init__(fused=fused)

    def expression(self, node: ast.expr) -> Value:
        return self.settled(self.lazy(node))

    def lazy(self, node: ast.expr) -> Value | Lazy:
        """An expression; arrays that it computes need not be there yet."""
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            raise RoutineError(f"cannot translate `{ast.unparse(node)}`")
        return method(node)  # type: ignore[no-any-return]

    # Names

    def resolved(self, node: ast.expr) -> Any:
        """The object that a global name, or an attribute of one, stands for."""
        if isinstance(node, ast.Attribute):
            owner = self.resolved(node.value)
            if isinstance(owner, types.ModuleType | type | enum.Enum) and hasattr(owner, node.attr):
                return getattr(owner, node.attr)
        if isinstance(node, ast.Name) and node.id not in self.locals:
            if node.id in self.names:
                return self.names[node.id]
            if hasattr(builtins, node.id):
                return getattr(builtins, node.id)
        raise RoutineError(f"`{ast.unparse(node)}` is not known")

    def is_local(self, node: ast.expr) -> bool:
        """Whether an expression is one of values, rather than the name of something that is known beforehand."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return not isinstance(node, ast.Name) or node.id in self.locals

    def known(self, value: Any) -> Value:
        if value is None:
            return Value(NOTHING, ())
        value = as_written(value)
        if isinstance(value, types.FunctionType | types.BuiltinFunctionType | np.ufunc | type):
            return self.function_value(value)
        if is_record(type(value)):
            fields = record_fields(type(value))
            values = [self.fitted(self.known(getattr(value, name)), hint) for name, hint in fields.items()]
            return record_of(type(value), tuple(fields), values)
        if isinstance(value, tuple):
            return tuple_of([self.known(item) for item in value])
        if isinstance(value, np.ndarray) and value.ndim:
            small = value.dtype == np.float64 and 0 < value.size <= _SMALL_TABLE
            return self.constant_fixed(value.shape, list(value.flat)) if small else self.table(value)
        return number_constant(value)

    def table(self, values: np.ndarray[Any, Any]) -> Value:
        """A global array: its numbers as they are now."""
        raise NotImplementedError

    def constant_number(self, number: float, kind: Number) -> Value:
        return self.converted(number_constant(number), kind)

    def _Constant(self, node: ast.Constant) -> Value:
        return self.known(node.value)

    def _Name(self, node: ast.Name) -> Value:
        return self.read(node.id) if node.id in self.locals else self.known(self.resolved(node))

    def _Attribute(self, node: ast.Attribute) -> Value:
        if not self.is_local(node):
            return self.known_attribute(node)
        place = self.place_of(node)
        if place is not None:
            return self.load(place)
        return self.read_field(node) or self.attribute(self.expression(node.value), node)

    def place_of(self, node: ast.expr) -> Place | None:
        """Where a field of a record in an array or list is, so that nothing else of the record is loaded."""
        if isinstance(node, ast.Attribute):
            place = self.place_of(node.value)
            if place is None or not isinstance(place.type, RecordType) or node.attr not in place.type.names:
                return None
            return self.field_place(place, place.type.names.index(node.attr))
        plain = isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name | ast.Attribute)
        if not plain or not isinstance(node, ast.Subscript) or not self.is_local(node.value):
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
        return None if found is None else self.read_parts(*found)

    def variable_part(self, node: ast.expr) -> tuple[str, Type, int] | None:
        """A variable, or a field of one: its name, the type, and the number of its first machine value."""
        if isinstance(node, ast.Name):
            return (node.id, self.types[node.id], 0) if node.id in self.types else None
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
        if not isinstance(type, Fixed) or not all(self.is_known_index(index) for index in indices):
            return None
        whole = Value(type, tuple(str(k) for k in range(type.count)))
        numbered = self.fixed_part(whole, [self.fixed_index(index) for index in indices])
        slots = self.slot(name)
        return numbered.type, [slots[first + int(part)] for part in numbered.parts]

    def read_known_part(self, node: ast.Subscript) -> Value | None:
        """Such a part: nothing else of the array is loaded."""
        found = self.known_slots(node)
        if found is None:
            return None
        kind, slots = found
        machine = machine_types(kind)[0]
        return Value(kind, tuple(self.operation(f"load {machine}, ptr {slot}") for slot in slots))

    def known_attribute(self, node: ast.Attribute) -> Value:
        """Of a module or class, or a field of a record that is known beforehand."""
        try:
            return self.known(self.resolved(node))
        except RoutineError:
            if isinstance(node.value, ast.Name | ast.Attribute):
                return self.attribute(self.expression(node.value), node)
            raise

    def attribute(self, value: Value, node: ast.Attribute) -> Value:
        name, kind = node.attr, value.type
        if isinstance(kind, RecordType):
            if name in kind.names:
                return self.field(value, name)
            if isinstance(getattr(kind.record, name, None), property):
                function = self.method(value, name)
                assert function is not None
                return self.call(function, [value])
        if isinstance(kind, ArrayType | Fixed):
            if name == "shape":
                return tuple_of(self.shape_value(value))
            if name == "size":
                return Value(
                    INT, (self.elements_in([length.parts[0] for length in self.shape_value(value)]),)
                )
            if name == "T" and isinstance(kind, Fixed):
                return self.transposed(value)
            if name == "T":
                raise RoutineError(
                    f"`{ast.unparse(node)}` would be a view: use it in a product, or with .copy()"
                )
        raise RoutineError(f"`{ast.unparse(node.value)}` is {kind}, which has no {name}")

    # Groups

    def _Tuple(self, node: ast.Tuple) -> Value:
        return tuple_of([self.expression(item) for item in node.elts])

    def _List(self, node: ast.List) -> Value:
        return self.new_list([self.expression(item) for item in node.elts])

    def items_expression(self, node: ast.expr) -> Value | Lazy:
        """Of a list or tuple that is an argument of `np.array` and the like: its items, side by side."""
        if isinstance(node, ast.List | ast.Tuple):
            return tuple_of([self.settled(self.items_expression(item)) for item in node.elts])
        return self.lazy(node)

    # Parts

    def _Subscript(self, node: ast.Subscript) -> Value:
        if not self.is_local(node.value) and isinstance(self.resolved(node.value), type):
            raise RoutineError(f"cannot translate `{ast.unparse(node)}`")
        known = self.read_known_part(node)
        if known is not None:
            return known
        base = self.expression(node.value)
        indices = _indices(node)
        kind = base.type
        if isinstance(kind, TupleType | RecordType):
            return self.item(base, node.slice)
        if isinstance(kind, Fixed):
            return self.fixed_part(base, [self.fixed_index(index) for index in indices])
        if isinstance(kind, ListType):
            return self.load(self.list_item(base, node.slice))
        if kind is LANES:
            return self.lane(base, self.index(node.slice, str(WIDTH)))
        if not isinstance(kind, ArrayType):
            raise RoutineError(f"`{ast.unparse(node.value)}` is {kind}, which has no elements")
        place = self.part(base, indices[: kind.axes])
        value = self.load(place) if isinstance(place, Place) else place
        rest = indices[kind.axes :]
        if not rest:
            return value
        if value.type is LANES:
            return self.lane(value, self.index(rest[0], str(WIDTH)))
        if not isinstance(value.type, Fixed):
            raise RoutineError(f"{len(indices)} indices for {kind}")
        return self.fixed_part(value, [self.fixed_index(index) for index in rest])

    def list_item(self, base: Value, index: ast.expr) -> Place:
        if isinstance(index, ast.Slice | ast.Tuple):
            raise RoutineError("lists have one index and no slices in routines")
        return self.list_place(base, self.index(index, self.list_length(base)))

    def known_int(self, node: ast.expr | None) -> int | None:
        """An int that is known beforehand."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.known_int(node.operand)
            return None if inner is None else -inner
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value
        if isinstance(node, ast.Name) and node.id in self.fixed:
            return self.fixed[node.id]
        if isinstance(node, ast.BinOp) and type(node.op) in _KNOWN:
            one, other = self.known_int(node.left), self.known_int(node.right)
            if one is None or other is None or (isinstance(node.op, ast.Mod) and other == 0):
                return None
            return int(_KNOWN[type(node.op)](one, other))
        if isinstance(node, ast.Name | ast.Attribute) and not self.is_local(node):
            try:
                value = self.resolved(node)
            except RoutineError:
                return None
            return int(value) if isinstance(value, int | np.integer) else None
        return None

    def is_known_index(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Slice | ast.Constant) or self.known_int(node) is not None

    def fixed_index(self, node: ast.expr) -> Any:
        """An index of a small array: an int, a slice or None if it is known, else a value."""
        if isinstance(node, ast.Slice):
            ends = (node.lower, node.upper, node.step)
            known = [self.known_int(end) for end in ends]
            if any(end is not None and number is None for end, number in zip(ends, known, strict=True)):
                raise RoutineError(
                    f"the slice `{ast.unparse(node)}` of a small array is not known beforehand"
                )
            return slice(*known)
        if isinstance(node, ast.Constant) and node.value is None:
            return None
        number = self.known_int(node)
        return self.expression(node) if number is None else number

    def item(self, base: Value, index: ast.expr) -> Value:
        """An item of a tuple; which one is known beforehand, or all are numbers of one type."""
        items = items_of(base)
        number = self.known_int(index)
        if number is not None:
            if not -len(items) <= number < len(items):
                raise RoutineError(f"a tuple of {len(items)} has no item {number}")
            return items[number]
        kinds = {item.type for item in items}
        if len(kinds) != 1 or not isinstance(items[0].type, Number):
            raise RoutineError(f"items of {base.type} cannot be chosen while running")
        return self.chosen(self.stacked(items), [self.expression(index)])

    def never_negative(self, node: ast.expr) -> bool:
        """Whether an int is not negative, from the source; only saves an instruction or two."""
        if isinstance(node, ast.Name) and node.id in self.counters:
            return True
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mult):
            return self.never_negative(node.left) and self.never_negative(node.right)
        number = self.known_int(node)
        return number is not None and number >= 0


def _indices(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
