"""Operators, conditions and calls in routines: from the syntax tree to operations on values."""

from __future__ import annotations

import ast
import dataclasses
import types
from collections.abc import Callable, Sequence
from functools import cache, partial
from inspect import Parameter, Signature, signature
from typing import Any

from footfall.compiler.routines.annotations import hint_of, is_record, record_fields
from footfall.compiler.routines.dense import matrix_product, transposed
from footfall.compiler.routines.library import SHAPERS, TRANSLATORS
from footfall.compiler.routines.numbers import number_constant
from footfall.compiler.routines.parts import Parts, as_written
from footfall.compiler.routines.types import (
    BOOL,
    FLOAT,
    LANES,
    NOTHING,
    ArrayType,
    Fixed,
    FunctionType,
    ListType,
    Number,
    RecordType,
    Value,
    items_of,
)
from footfall.compiler.routines.whole_arrays import Lazy
from footfall.errors import RoutineError


class Expressions(Parts):
    """Expressions of routines."""

    # Operators

    def _UnaryOp(self, node: ast.UnaryOp) -> Value | Lazy:
        if isinstance(node.op, ast.Not):
            return self.opposite(self.condition(node.operand))
        value = self.lazy(node.operand)
        if isinstance(node.op, ast.USub):
            if isinstance(value.type, ArrayType):
                return self.lazy_arithmetic(ast.Mult(), number_constant(-1.0), value)
            assert isinstance(value, Value)
            return self.negative(value)
        if isinstance(node.op, ast.Invert):
            return self.arithmetic(ast.BitXor(), self.settled(value), number_constant(-1))
        if isinstance(node.op, ast.UAdd):
            return value
        raise RoutineError(f"cannot translate `{ast.unparse(node)}`")

    def _BinOp(self, node: ast.BinOp) -> Value | Lazy:
        known = self.known_int(node)
        if known is not None:
            return number_constant(known)
        if isinstance(node.op, ast.Pow):
            return self.power(self.expression(node.left), node.right)
        if isinstance(node.op, ast.MatMult):
            return self.matrix_product(node)
        return self.lazy_arithmetic(node.op, self.lazy(node.left), self.lazy(node.right))

    def matrix_product(self, node: ast.BinOp) -> Value:
        """`left @ right`: of small arrays written out, of others by the routines of `dense`."""
        across = isinstance(node.left, ast.Attribute) and node.left.attr == "T"
        left = self.expression(
            node.left.value if across and isinstance(node.left, ast.Attribute) else node.left
        )
        right = self.across(node.right) or self.expression(node.right)
        pair = (left.type, right.type)
        if not all(isinstance(kind, ArrayType) and isinstance(kind.element, Number) for kind in pair):
            left, right = self.as_small(left, right, first=True), self.as_small(right, left, first=False)
            return self.arithmetic(ast.MatMult(), self.transposed(left) if across else left, right)
        axes = (left.type.axes, right.type.axes)  # type: ignore[union-attr]
        return self.call(matrix_product(across, axes), [left, right])

    def across(self, node: ast.expr) -> Value | None:
        """An array's `.T`, written anew; None if it is something else."""
        if not isinstance(node, ast.Attribute) or node.attr != "T" or not self.is_local(node):
            return None
        value = self.expression(node.value)
        if isinstance(value.type, RecordType):
            return None  # a field of that name
        if isinstance(value.type, Fixed):
            return self.transposed(value)
        if value.type != ArrayType(FLOAT, 2):
            raise RoutineError(f"`{ast.unparse(node)}` is of {value.type}: needed are floats with 2 axes")
        return self.call(transposed, [value])

    def as_small(self, value: Value, beside: Value, *, first: bool) -> Value:
        """A factor of a product as a small array, if the other factor is one; first: whether it is the left one."""
        if isinstance(value.type, ArrayType) and isinstance(beside.type, Fixed) and value.type.axes == 1:
            inner = beside.type.shape[0 if first else -1]
            return self.converted(value, Fixed((inner,)))
        if isinstance(value.type, ArrayType):
            raise RoutineError(f"{value.type} @ {beside.type}: annotate the array, as Matrix3 or the like")
        return value

    def _Compare(self, node: ast.Compare) -> Value:
        values = [self.expression(node.left)]

        def link(k: int) -> Callable[[], Value]:
            def compared() -> Value:
                values.append(self.expression(node.comparators[k]))
                return self.related(node.ops[k], values[k], values[k + 1])

            return compared

        return self.chain(node, [link(k) for k in range(len(node.ops))], until=False)

    def related(self, relation: ast.cmpop, left: Value, right: Value) -> Value:
        if not isinstance(relation, ast.In | ast.NotIn):
            return self.compare(relation, left, right)
        total = "false"
        for item in items_of(right):
            total = self.operation(f"or i1 {total}, {self.compare(ast.Eq(), left, item).parts[0]}")
        found = Value(BOOL, (total,))
        return found if isinstance(relation, ast.In) else self.opposite(found)

    def condition(self, node: ast.expr) -> Value:
        """An expression of which only the truth counts: numbers are true if they are not zero."""
        if isinstance(node, ast.BoolOp):
            return self.combined_conditions(node, self.condition)
        return self.truth(self.expression(node))

    def _BoolOp(self, node: ast.BoolOp) -> Value:
        def operand(inner: ast.expr) -> Value:
            value = self.expression(inner)
            if value.type is not BOOL:
                raise RoutineError(f"`{ast.unparse(inner)}` is {value.type}, not a condition")
            return value

        return self.combined_conditions(node, operand)

    def combined_conditions(self, node: ast.BoolOp, operand: Callable[[ast.expr], Value]) -> Value:
        until, open_ones = isinstance(node.op, ast.Or), []
        for inner in node.values:
            known = self.known_condition(inner)
            if known is None:
                open_ones.append(partial(operand, inner))
            elif known is until:  # what comes behind it may not even be translatable
                open_ones.append(partial(number_constant, until))
                break
        return self.chain(node, open_ones or [partial(number_constant, not until)], until=until)

    def chain(self, node: ast.expr, conditions: Sequence[Callable[[], Value]], *, until: bool) -> Value:
        """Evaluate conditions until one of them is `until`: those behind it may not be computable."""
        if len(conditions) == 1:
            return conditions[0]()
        end = self.label()
        for k, condition in enumerate(conditions):
            value = condition()
            self.assign(node, value)
            following = self.label() if k + 1 < len(conditions) else end
            self.branch(value, *((end, following) if until else (following, end)))
            self.place(following)
        return self.read(node)

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

    def _IfExp(self, node: ast.IfExp) -> Value | Lazy:
        known = self.known_condition(node.test)
        if known is not None:
            return self.lazy(node.body if known else node.orelse)
        then, other, end = self.label(), self.label(), self.label()
        self.branch(self.condition(node.test), then, other)
        for label, value in ((then, node.body), (other, node.orelse)):
            self.place(label)
            self.assign(node, self.expression(value))
            self.jump(end)
        self.place(end)
        return self.read(node)

    # Calls

    def _Call(self, node: ast.Call) -> Value | Lazy:
        function = node.func
        if isinstance(function, ast.Attribute) and self.is_local(function):
            return self.method_call(node, function)
        if isinstance(function, ast.Name) and function.id in self.locals:
            kind = self.read(function.id).type
            if not isinstance(kind, FunctionType):
                raise RoutineError(f"`{function.id}` is {kind}, which cannot be called")
            callee = kind.function
        else:
            callee = as_written(self.resolved(function))
        if callee in SHAPERS:
            return SHAPERS[callee](self, *(self.items_expression(argument) for argument in node.args))
        translate = TRANSLATORS.get(callee)
        if translate is not None:
            options = {keyword.arg or "": self.option(keyword.value) for keyword in node.keywords}
            return translate(self, *(self.lazy(argument) for argument in node.args), **options)
        arguments = [self.expression(argument) for argument in node.args]
        named = {keyword.arg or "": self.expression(keyword.value) for keyword in node.keywords}
        return self.called(callee, arguments, named, ast.unparse(function))

    def called(self, callee: Any, arguments: list[Value], named: dict[str, Value], text: str) -> Value:
        if callee is dataclasses.replace:
            return self.changed_record(arguments[0], named)
        if is_record(callee):
            fields = list(record_fields(callee))
            return self.new_record(callee, {**dict(zip(fields, arguments, strict=False)), **named})
        if isinstance(callee, types.FunctionType):
            return self.call(callee, self.bound(callee, arguments, named))
        raise RoutineError(f"`{text}` cannot be called in a routine")

    def option(self, node: ast.expr) -> Any:
        """An argument by name of one of NumPy's functions: known beforehand."""
        return node.value if isinstance(node, ast.Constant) else self.resolved(node)

    def method_call(self, node: ast.Call, function: ast.Attribute) -> Value:
        if function.attr == "copy" and not node.args:
            new = self.across(function.value)
            if new is not None:
                return new
        value = self.expression(function.value)
        name, kind = function.attr, value.type
        if isinstance(kind, RecordType):
            arguments = [self.expression(argument) for argument in node.args]
            named = {keyword.arg or "": self.expression(keyword.value) for keyword in node.keywords}
            if name == "_replace":
                return self.changed_record(value, named)
            found = as_written(self.method(value, name))
            if isinstance(found, types.FunctionType):
                return self.call(found, self.bound(found, [value, *arguments], named))
        if isinstance(kind, ListType) and not node.keywords:
            if name == "append" and len(node.args) == 1:
                self.better_known(function.value, self.append(value, self.expression(node.args[0])))
                return Value(NOTHING, ())
            if name == "pop" and not node.args:
                return self.pop(value)
            if name == "clear" and not node.args:
                self.set_length(value, "0")
                return Value(NOTHING, ())
        if name == "reshape" and isinstance(kind, ArrayType) and not node.keywords:
            return self.reshaped(value, [self.integer(self.expression(argument)) for argument in node.args])
        if name == "copy" and not node.args and (isinstance(kind, ArrayType | Fixed) or kind is LANES):
            return self.copy(value)
        raise RoutineError(f"cannot translate `{ast.unparse(node)}`: {kind} has no such method")

    def better_known(self, node: ast.expr, value: Value) -> None:
        """Note of a variable, or of a field of one, a type that has just been found out."""
        if isinstance(node, ast.Name):
            self.assign(node.id, value)
        elif isinstance(node, ast.Attribute) and self.is_local(node):
            owner = self.expression(node.value)
            if isinstance(owner.type, RecordType):
                self.better_known(node.value, self.with_field(owner, node.attr, value))

    def bound(
        self, function: types.FunctionType, arguments: list[Value], named: dict[str, Value]
    ) -> list[Value]:
        """The arguments of a call in their order, with those that are left out."""
        parameters = signature_of(function).parameters
        given = {**dict(zip(parameters, arguments, strict=False)), **named}
        result = []
        for name, parameter in parameters.items():
            if name in given:
                result.append(given.pop(name))
            elif parameter.default is not Parameter.empty:
                result.append(self.known(parameter.default))
        if given or len(result) != len(parameters) or len(arguments) > len(parameters):
            raise RoutineError(f"{function.__name__} takes {', '.join(parameters)}")
        return result

    def fitted_argument(self, function: Callable[..., Any], number: int, value: Value) -> Value:
        """An argument as it is annotated."""
        name = list(signature_of(function).parameters)[number]
        return self.fitted(value, hint_of(function.__annotations__.get(name), function.__globals__))


@cache
def signature_of(function: Callable[..., Any]) -> Signature:
    found = signature(function)
    for parameter in found.parameters.values():
        if parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
            raise RoutineError(f"{function.__name__} takes any number of arguments, which routines cannot")
    return found
