"""Expressions in routines: from the syntax tree to values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from footfall.compiler.routines.calls import Calls
from footfall.compiler.routines.dense import matrix_product
from footfall.compiler.routines.instructions import Instructions
from footfall.compiler.routines.lists import new_list
from footfall.compiler.routines.numbers import branch, number_constant, opposite, truth
from footfall.compiler.routines.operations import arithmetic, call, compare, negative, power
from footfall.compiler.routines.parts import Parts
from footfall.compiler.routines.records import known
from footfall.compiler.routines.scope import Scope
from footfall.compiler.routines.types import (
    BOOL,
    NOTHING,
    ArrayType,
    Fixed,
    Number,
    Value,
    items_of,
    tuple_of,
)
from footfall.compiler.routines.values import converted
from footfall.compiler.routines.variables import Variables
from footfall.compiler.routines.vectors import transposed_small
from footfall.compiler.routines.whole_arrays import Lazy, lazy_arithmetic, settled
from footfall.errors import RoutineError


class Expressions:
    """Translates expressions of one function: code is where their instructions go. The table says what does which."""

    def __init__(self, code: Instructions, variables: Variables, scope: Scope) -> None:
        self.code, self.variables, self.scope = code, variables, scope
        self.parts, self.calls = Parts(self), Calls(self)
        self._translators: dict[type[ast.expr], Callable[[Any], Value | Lazy]] = {
            ast.Constant: lambda node: known(code, node.value),
            ast.Name: self._name,
            ast.Tuple: self._tuple,
            ast.List: self._list,
            ast.UnaryOp: self._unary,
            ast.BinOp: self._binary,
            ast.Compare: self._comparison,
            ast.BoolOp: self._conditions,
            ast.IfExp: self._choice,
            ast.Attribute: self.parts.attribute,
            ast.Subscript: self.parts.subscript,
            ast.Call: self.calls.call,
        }

    def expression(self, node: ast.expr) -> Value:
        return settled(self.code, self.lazy(node))

    def lazy(self, node: ast.expr) -> Value | Lazy:
        """An expression; arrays that it computes need not be there yet."""
        translate = self._translators.get(type(node))
        if translate is None:
            raise RoutineError(f"cannot translate `{ast.unparse(node)}`")
        return translate(node)

    def _name(self, node: ast.Name) -> Value:
        if node.id in self.scope.locals:
            return self.variables.read(node.id)
        return known(self.code, self.scope.resolved(node))

    def _tuple(self, node: ast.Tuple) -> Value:
        return tuple_of([self.expression(item) for item in node.elts])

    def _list(self, node: ast.List) -> Value:
        return new_list(self.code, [self.expression(item) for item in node.elts])

    def _unary(self, node: ast.UnaryOp) -> Value | Lazy:
        if isinstance(node.op, ast.Not):
            return opposite(self.code, self.condition(node.operand))
        value = self.lazy(node.operand)
        if isinstance(node.op, ast.USub):
            if isinstance(value.type, ArrayType):
                return lazy_arithmetic(self.code, ast.Mult(), number_constant(-1.0), value)
            assert isinstance(value, Value)
            return negative(self.code, value)
        if isinstance(node.op, ast.Invert):
            return arithmetic(self.code, ast.BitXor(), settled(self.code, value), number_constant(-1))
        if isinstance(node.op, ast.UAdd):
            return value
        raise RoutineError(f"cannot translate `{ast.unparse(node)}`")

    def _binary(self, node: ast.BinOp) -> Value | Lazy:
        decided = self.scope.known_int(node)
        if decided is not None:
            return number_constant(decided)
        if isinstance(node.op, ast.Pow):
            return power(self.code, self.expression(node.left), node.right)
        if isinstance(node.op, ast.MatMult):
            return self._matrix_product(node)
        return lazy_arithmetic(self.code, node.op, self.lazy(node.left), self.lazy(node.right))

    def _matrix_product(self, node: ast.BinOp) -> Value:
        """`left @ right`: of small arrays written out, of others by the routines of `dense`."""
        across = isinstance(node.left, ast.Attribute) and node.left.attr == "T"
        left = self.expression(
            node.left.value if across and isinstance(node.left, ast.Attribute) else node.left
        )
        right = self.parts.transposed_copy(node.right) or self.expression(node.right)
        pair = (left.type, right.type)
        if not all(isinstance(kind, ArrayType) and isinstance(kind.element, Number) for kind in pair):
            left, right = self._as_small(left, right, first=True), self._as_small(right, left, first=False)
            return arithmetic(self.code, ast.MatMult(), transposed_small(left) if across else left, right)
        axes = (left.type.axes, right.type.axes)  # type: ignore[union-attr]
        return call(self.code, matrix_product(across, axes), [left, right])

    def _as_small(self, value: Value, beside: Value, *, first: bool) -> Value:
        """A factor of a product as a small array, if the other factor is one; first: whether it is the left one."""
        if isinstance(value.type, ArrayType) and isinstance(beside.type, Fixed) and value.type.axes == 1:
            inner = beside.type.shape[0 if first else -1]
            return converted(self.code, value, Fixed((inner,)))
        if isinstance(value.type, ArrayType):
            raise RoutineError(f"{value.type} @ {beside.type}: annotate the array, as Matrix3 or the like")
        return value

    def _comparison(self, node: ast.Compare) -> Value:
        values = [self.expression(node.left)]

        def link(k: int) -> Callable[[], Value]:
            def compared() -> Value:
                values.append(self.expression(node.comparators[k]))
                return self._related(node.ops[k], values[k], values[k + 1])

            return compared

        return self._chain(node, [link(k) for k in range(len(node.ops))], until=False)

    def _related(self, relation: ast.cmpop, left: Value, right: Value) -> Value:
        if not isinstance(relation, ast.In | ast.NotIn):
            return compare(self.code, relation, left, right)
        total = "false"
        for item in items_of(right):
            total = self.code.operation(f"or i1 {total}, {compare(self.code, ast.Eq(), left, item).parts[0]}")
        found = Value(BOOL, (total,))
        return found if isinstance(relation, ast.In) else opposite(self.code, found)

    def condition(self, node: ast.expr) -> Value:
        """An expression of which only the truth counts: numbers are true if they are not zero."""
        if isinstance(node, ast.BoolOp):
            return self._combined(node, self.condition)
        return truth(self.code, self.expression(node))

    def _conditions(self, node: ast.BoolOp) -> Value:
        def operand(inner: ast.expr) -> Value:
            value = self.expression(inner)
            if value.type is not BOOL:
                raise RoutineError(f"`{ast.unparse(inner)}` is {value.type}, not a condition")
            return value

        return self._combined(node, operand)

    def _combined(self, node: ast.BoolOp, operand: Callable[[ast.expr], Value]) -> Value:
        until, open_ones = isinstance(node.op, ast.Or), []
        for inner in node.values:
            decided = self.known_condition(inner)
            if decided is None:
                open_ones.append(partial(operand, inner))
            elif decided is until:  # what comes behind it may not even be translatable
                open_ones.append(partial(number_constant, until))
                break
        return self._chain(node, open_ones or [partial(number_constant, not until)], until=until)

    def _chain(self, node: ast.expr, conditions: Sequence[Callable[[], Value]], *, until: bool) -> Value:
        """Evaluate conditions until one of them is `until`: those behind it may not be computable."""
        if len(conditions) == 1:
            return conditions[0]()
        end = self.code.label()
        for k, condition in enumerate(conditions):
            value = condition()
            self.variables.assign(node, value)
            following = self.code.label() if k + 1 < len(conditions) else end
            branch(self.code, value, *((end, following) if until else (following, end)))
            self.code.place(following)
        return self.variables.read(node)

    def known_condition(self, node: ast.expr) -> bool | None:
        """`x is None`, `x is not None`: known from what x is; also in front of `and` and `or`, if it decides."""
        if isinstance(node, ast.BoolOp):
            first = self.known_condition(node.values[0])
            return first if first is isinstance(node.op, ast.Or) else None
        if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Is | ast.IsNot):
            return None
        absent = [self.expression(side).type == NOTHING for side in (node.left, node.comparators[0])]
        if len(node.ops) > 1 or not absent[1]:
            raise RoutineError(f"`{ast.unparse(node)}`: routines ask `is None` only")
        return absent[0] is isinstance(node.ops[0], ast.Is)

    def _choice(self, node: ast.IfExp) -> Value | Lazy:
        decided = self.known_condition(node.test)
        if decided is not None:
            return self.lazy(node.body if decided else node.orelse)
        then, other, end = self.code.label(), self.code.label(), self.code.label()
        branch(self.code, self.condition(node.test), then, other)
        for label, value in ((then, node.body), (other, node.orelse)):
            self.code.place(label)
            self.variables.assign(node, self.expression(value))
            self.code.jump(end)
        self.code.place(end)
        return self.variables.read(node)
