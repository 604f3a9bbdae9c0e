"""Loops of routines: while, and for over ranges, arrays, lists and tuples."""

from __future__ import annotations

import ast
from collections.abc import Callable

from footfall.compiler.routines.arrays import elements_in
from footfall.compiler.routines.assignments import Assignments
from footfall.compiler.routines.lists import list_length, list_place
from footfall.compiler.routines.numbers import branch, integer, number_constant
from footfall.compiler.routines.types import (
    INT,
    ArrayType,
    Fixed,
    ListType,
    TupleType,
    Value,
    items_of,
    tuple_of,
)
from footfall.compiler.routines.values import array_value, element_place, load
from footfall.errors import RoutineError


class Loops:
    """Translates loops. block: writes the statements of a body."""

    def __init__(self, assignments: Assignments, block: Callable[[list[ast.stmt]], None]) -> None:
        self.expressions, self.bind, self.block = assignments.expressions, assignments.bind, block
        self.expression = self.expressions.expression
        self.code, self.scope = assignments.code, assignments.scope
        self._exits: list[tuple[str, str]] = []  # of the loops around, labels of continue and break

    def while_(self, node: ast.While) -> None:
        _refuse_else(node)
        head, body, end = self.code.label(), self.code.label(), self.code.label()
        self.code.jump(head)
        self.code.place(head)
        branch(self.code, self.expressions.condition(node.test), body, end)
        self.code.place(body)
        self._inside(node.body, head, end)
        self.code.jump(head)
        self.code.place(end)

    def for_(self, node: ast.For) -> None:
        _refuse_else(node)
        counted, iterables = False, [node.iter]
        if isinstance(node.iter, ast.Call) and not self.scope.is_local(node.iter.func):
            function = self.scope.resolved(node.iter.func)
            if function is range:
                self._over_range(node, node.iter)
                return
            if function in (enumerate, zip):
                counted, iterables = function is enumerate, node.iter.args
        values = [self.expression(iterable) for iterable in iterables]
        if all(isinstance(value.type, TupleType | Fixed) for value in values):
            self._over_items(node, values, counted=counted)
        else:
            self._over_elements(node, values, counted=counted)

    def continue_(self, node: ast.Continue) -> None:
        self.code.leave(self._exits[-1][0])

    def break_(self, node: ast.Break) -> None:
        self.code.leave(self._exits[-1][1])

    def _inside(self, statements: list[ast.stmt], following: str, end: str) -> None:
        self._exits.append((following, end))
        self.block(statements)
        self._exits.pop()

    def _over_range(self, node: ast.For, call: ast.Call) -> None:
        step = self._step(call)
        numbers = [integer(self.code, self.expression(argument)) for argument in call.args[:2]]
        start, stop = ("0", numbers[0]) if len(numbers) == 1 else numbers
        self._counted(node, start, stop, step, lambda k: Value(INT, (k,)))

    def _over_elements(self, node: ast.For, values: list[Value], *, counted: bool) -> None:
        """A loop over the elements of arrays and lists, side by side."""
        lengths = []
        for value in values:
            if isinstance(value.type, ListType):
                lengths.append(list_length(self.code, value))
            elif isinstance(value.type, ArrayType):
                lengths.append(value.parts[1])
            else:
                raise RoutineError(f"loops go over ranges, arrays, lists and tuples, not over {value.type}")
        stop = lengths[0]
        for length in lengths[1:]:
            stop = self.code.intrinsic("smin.i64", "i64", stop, length)

        def item(k: str) -> Value:
            items = [self._element_at(value, k) for value in values]
            return _side_by_side([Value(INT, (k,)), *items] if counted else items)

        self._counted(node, "0", stop, 1, item)

    def _element_at(self, value: Value, k: str) -> Value:
        if isinstance(value.type, ListType):
            return load(self.code, list_place(self.code, value, k))
        assert isinstance(value.type, ArrayType)
        if value.type.axes == 1:
            return load(self.code, element_place(self.code, value, k))
        rest = value.parts[2:]
        row = self.code.operation(f"mul nsw i64 {k}, {elements_in(self.code, rest)}")
        place = element_place(self.code, value, row)
        return array_value(ArrayType(value.type.element, len(rest)), place.address, rest, place.roots)

    def _counted(self, node: ast.For, start: str, stop: str, step: int, item: Callable[[str], Value]) -> None:
        """A loop with a counter of its own: what the body does to its variable does not disturb it."""
        counter = self.code.reserve("i64")
        head, body, following, end = (
            self.code.label(),
            self.code.label(),
            self.code.label(),
            self.code.label(),
        )
        self.code.do(f"store i64 {start}, ptr {counter}")
        self.code.jump(head)
        self.code.place(head)
        k = self.code.operation(f"load i64, ptr {counter}")
        comparison = "slt" if step > 0 else "sgt"
        self.code.do(
            f"br i1 {self.code.operation(f'icmp {comparison} i64 {k}, {stop}')}, label %{body}, label %{end}"
        )
        self.code.place(body)
        self.bind(node.target, item(k), node.iter)
        self._inside(node.body, following, end)
        self.code.jump(following)
        self.code.place(following)
        self.code.do(f"store i64 {self.code.operation(f'add nsw i64 {k}, {step}')}, ptr {counter}")
        self.code.jump(head)
        self.code.place(end)

    def _over_items(self, node: ast.For, values: list[Value], *, counted: bool) -> None:
        """A loop over tuples or small vectors, side by side, item by item; what is known of a tuple's ints, or of the
        numbers of items, is known in the body."""
        rows = [items_of(value) for value in values]
        if len({len(row) for row in rows}) > 1:
            raise RoutineError(f"{', '.join(str(len(row)) for row in rows)} items side by side")
        end = self.code.label()
        name, known = self._known_items(node, len(rows[0]), counted=counted)
        for k, items in enumerate(zip(*rows, strict=True)):
            following = self.code.label()
            numbered = [number_constant(k), *items] if counted else [*items]
            self.bind(node.target, _side_by_side(numbered), node.iter)
            if known:
                self.scope.fixed[name] = known[k]
            self._inside(node.body, following, end)
            self.code.jump(following)
            self.code.place(following)
        self.scope.fixed.pop(name, None)
        self.code.jump(end)
        self.code.place(end)

    def _known_items(self, node: ast.For, count: int, *, counted: bool) -> tuple[str, list[int]]:
        """The variable whose value is known in the body of a loop, which does not change it, and its values."""
        target: ast.expr = (
            node.target.elts[0] if counted and isinstance(node.target, ast.Tuple) else node.target
        )
        if not isinstance(target, ast.Name):
            return "", []
        items: list[int | None] = list(range(count))
        if not counted:
            items = (
                [self.scope.known_int(item) for item in node.iter.elts]
                if isinstance(node.iter, ast.Tuple)
                else []
            )
        stored = {
            inner.id
            for statement in node.body
            for inner in ast.walk(statement)
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
        }
        known = [item for item in items if item is not None]
        return target.id, known if len(known) == count and target.id not in stored else []

    def _step(self, node: ast.Call) -> int:
        if len(node.args) < 3:
            return 1
        step = self.scope.known_int(node.args[2])
        if not step:
            raise RoutineError(
                f"a step of {ast.unparse(node.args[2])} in `range`: only known ones are possible"
            )
        return step


def _side_by_side(values: list[Value]) -> Value:
    return values[0] if len(values) == 1 else tuple_of(values)


def _refuse_else(node: ast.While | ast.For) -> None:
    if node.orelse:
        raise RoutineError("loops with `else` are not possible in routines")
