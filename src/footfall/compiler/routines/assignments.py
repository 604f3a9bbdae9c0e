"""Assignments of routines: to names, to several at once, to parts of arrays, and to numbers of small arrays."""

from __future__ import annotations

import ast

import numpy as np

from footfall.compiler.routines.annotations import hint_of
from footfall.compiler.routines.arrays import store
from footfall.compiler.routines.expressions import Expressions
from footfall.compiler.routines.numbers import number_constant, with_lane
from footfall.compiler.routines.operations import arithmetic
from footfall.compiler.routines.source_analysis import always_fresh, overlaps
from footfall.compiler.routines.types import (
    LANES,
    WIDTH,
    ArrayType,
    Fixed,
    ListType,
    Number,
    RecordType,
    Value,
    items_of,
    joined,
    machine_types,
)
from footfall.compiler.routines.values import Place, as_numbers, converted, fitted, load, loaded
from footfall.compiler.routines.vectors import constant_fixed, gathered, replaced, spread
from footfall.compiler.routines.whole_arrays import (
    Lazy,
    change_array,
    kept_array,
    lazy_arithmetic,
    put_all,
    settled,
)
from footfall.errors import RoutineError


class Assignments:
    """Translates assignments. tree: of the function. arguments: their names."""

    def __init__(self, expressions: Expressions, tree: ast.FunctionDef, arguments: list[str]) -> None:
        self.expressions, self.parts = expressions, expressions.parts
        self.expression, self.lazy = expressions.expression, expressions.lazy
        self.code, self.variables, self.scope = expressions.code, expressions.variables, expressions.scope
        self.tree, self.arguments = tree, arguments

    def assign(self, node: ast.Assign) -> None:
        value = self.lazy(node.value)
        for target in node.targets:
            self.bind(target, value, node.value)

    def annotated(self, node: ast.AnnAssign) -> None:
        if node.value is None:
            return
        hint = hint_of(ast.unparse(node.annotation), self.scope.names)
        value = self._new_small(node.value, hint) if isinstance(hint, Fixed) or hint is LANES else None
        if value is None:
            value = fitted(self.code, self.expression(node.value), hint)
        self.bind(node.target, value, node.value)

    def augmented(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            before, value = self.variables.read(node.target.id), self.lazy(node.value)
            if isinstance(before.type, ArrayType):
                change_array(self.code, node.op, before, value)
            else:
                self.variables.assign(
                    node.target.id, settled(self.code, lazy_arithmetic(self.code, node.op, before, value))
                )
            return
        if not isinstance(node.target, ast.Subscript):
            raise RoutineError(f"cannot assign to `{ast.unparse(node.target)}`")
        known = self.parts.read_known_part(node.target)
        if known is not None:
            changed = arithmetic(self.code, node.op, known, settled(self.code, self.lazy(node.value)))
            if not self._set_known(node.target, changed):
                self._set_number(node.target, self.expression(node.target.value), changed)
            return
        place = self._target(node.target)
        value = self.lazy(node.value)
        if isinstance(place, Place):
            store(
                self.code,
                place,
                settled(self.code, lazy_arithmetic(self.code, node.op, load(self.code, place), value)),
            )
        elif isinstance(place.type, Fixed | Number):
            before = self.expression(node.target)
            self._set_number(
                node.target, place, arithmetic(self.code, node.op, before, settled(self.code, value))
            )
        else:
            change_array(
                self.code,
                node.op,
                place,
                kept_array(self.code, value) if overlaps(node.target, node.value) else value,
            )

    def _new_small(self, node: ast.expr, kind: Fixed | Number) -> Value | None:
        """`np.zeros` and the like where a small array is wanted: in registers at once."""
        if not isinstance(node, ast.Call) or self.scope.is_local(node.func):
            return None
        function, shape = self.scope.resolved(node.func), kind.shape if isinstance(kind, Fixed) else ()
        if function is np.eye and len(shape) == 2 and shape[0] == shape[1]:
            numbers = [float(k % (shape[0] + 1) == 0) for k in range(shape[0] ** 2)]
            return converted(self.code, constant_fixed(self.code, shape, numbers), kind)
        if function in (np.zeros, np.empty, np.ones):
            one = number_constant(float(function is np.ones))
            if not isinstance(kind, Fixed):
                return converted(self.code, one, kind)
            return converted(self.code, gathered(self.code, shape, [one] * kind.count), kind)
        return None

    def bind(self, target: ast.expr, value: Value | Lazy, source: ast.expr) -> None:
        """Assign to a name, to several, or to a part of an array; source: the expression of the value."""
        if isinstance(target, ast.Name):
            if target.id != "_":  # nobody reads it, and it may be anything
                self.variables.assign(target.id, settled(self.code, value))
        elif isinstance(target, ast.Tuple):
            items = self._unpacked(settled(self.code, value), len(target.elts))
            for inner, item in zip(target.elts, items, strict=True):
                self.bind(inner, item, source)
        else:
            self._set_part(target, value, source)

    def _unpacked(self, value: Value, count: int) -> list[Value]:
        if isinstance(value.type, ArrayType):
            value = loaded(self.code, value, Fixed((count,), value.type.element))  # type: ignore[arg-type]
        items = items_of(value)
        if len(items) != count:
            raise RoutineError(f"{len(items)} values for {count} names")
        return items

    def _set_part(self, target: ast.expr, value: Value | Lazy, source: ast.expr) -> None:
        """`array[i] = value`, `array[i:j] = values`, `small[i] = value`, `items[i] = value`."""
        if not isinstance(target, ast.Subscript):
            raise RoutineError(
                f"cannot assign to `{ast.unparse(target)}`: records do not change, use _replace"
            )
        if self._set_known(target, value):
            return
        place = self._target(target)
        if isinstance(place, Place):
            number = settled(self.code, value)
            if isinstance(place.type, Fixed) and isinstance(number.type, Number):  # `points[i] = 0.0`
                kind = Fixed(place.type.shape, number.type)
                number = Value(kind, tuple(n.parts[0] for n in spread(number, kind.shape)))
            store(self.code, place, number)
        elif isinstance(place.type, Fixed | Number):
            self._set_number(target, place, settled(self.code, value))
        else:
            put_all(self.code, place, kept_array(self.code, value) if overlaps(target, source) else value)

    def _target(self, target: ast.Subscript) -> Value | Place:
        """Where to write: a place, a view, or the small array that gets another number."""
        base = self.expression(target.value)
        if isinstance(base.type, Fixed) or base.type is LANES:
            return base
        if isinstance(base.type, ListType):
            return self.parts.list_item(base, target.slice)
        if not isinstance(base.type, ArrayType):
            raise RoutineError(
                f"`{ast.unparse(target.value)}` is {base.type}, which has no elements to assign to"
            )
        indices = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
        if len(indices) > base.type.axes and not isinstance(base.type.element, RecordType):
            base = as_numbers(base)
        return self.parts.part(base, indices)

    def _set_known(self, target: ast.Subscript, value: Value | Lazy) -> bool:
        """Write only the numbers that change of a small array, if the indices are known. Whether that was done."""
        found = self.parts.known_slots(target)
        if found is None:
            return False
        kind, slots = found
        element = kind.element if isinstance(kind, Fixed) else kind
        numbers = spread(settled(self.code, value), kind.shape if isinstance(kind, Fixed) else ())
        if any(
            joined(element, number.type) != element for number in numbers
        ):  # the whole becomes another type
            return False
        self._own_variable(target)
        for number, slot in zip(numbers, slots, strict=True):
            (part,) = converted(self.code, number, element).parts
            self.code.do(f"store {machine_types(element)[0]} {part}, ptr {slot}")
        return True

    def _own_variable(self, target: ast.Subscript) -> str:
        """The name of a variable that holds a small array of its own."""
        name = target.value.id if isinstance(target.value, ast.Name) else ""
        if name not in self.scope.locals or name in self.arguments or not always_fresh(self.tree, name):
            raise RoutineError(
                f"`{ast.unparse(target.value)}` may be known by another name too, which would not see the change: "
                "set elements of small arrays right after they were made, or of a .copy()"
            )
        return name

    def _set_number(self, target: ast.Subscript, before: Value, value: Value) -> None:
        """Another number in a small array, which is a value: only the variable that holds it changes."""
        name = self._own_variable(target)
        if before.type is LANES:
            self.variables.assign(
                name, with_lane(self.code, before, self.parts.index(target.slice, str(WIDTH)), value)
            )
            return
        indices = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
        self.variables.assign(
            name, replaced(self.code, before, [self.parts.fixed_index(index) for index in indices], value)
        )
