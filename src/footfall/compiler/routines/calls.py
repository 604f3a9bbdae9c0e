"""Calls in routines: of other routines, of records, of methods, and of what `library` lists."""

from __future__ import annotations

import ast
import dataclasses
import types
from typing import TYPE_CHECKING, Any

from footfall.compiler.routines.annotations import is_record, record_fields
from footfall.compiler.routines.arrays import copied, reshaped
from footfall.compiler.routines.library import SHAPERS, TRANSLATORS
from footfall.compiler.routines.lists import append_item, popped_item, set_length
from footfall.compiler.routines.numbers import integer
from footfall.compiler.routines.operations import bound, call
from footfall.compiler.routines.records import changed_record, method_of, new_record, with_field
from footfall.compiler.routines.source_analysis import as_written
from footfall.compiler.routines.types import (
    LANES,
    NOTHING,
    ArrayType,
    Fixed,
    FunctionType,
    ListType,
    RecordType,
    Value,
    tuple_of,
)
from footfall.compiler.routines.whole_arrays import Lazy, settled
from footfall.errors import RoutineError

if TYPE_CHECKING:
    from footfall.compiler.routines.expressions import Expressions


class Calls:
    """Translates calls; expressions: what their arguments are."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self.expression, self.lazy = expressions.expression, expressions.lazy
        self.code, self.variables, self.scope = expressions.code, expressions.variables, expressions.scope

    def call(self, node: ast.Call) -> Value | Lazy:
        function = node.func
        if isinstance(function, ast.Attribute) and self.scope.is_local(function):
            return self._method_call(node, function)
        if isinstance(function, ast.Name) and function.id in self.scope.locals:
            kind = self.variables.read(function.id).type
            if not isinstance(kind, FunctionType):
                raise RoutineError(f"`{function.id}` is {kind}, which cannot be called")
            callee = kind.function
        else:
            callee = as_written(self.scope.resolved(function))
        if callee in SHAPERS:
            return SHAPERS[callee](self.code, *(self._items_expression(argument) for argument in node.args))
        translate = TRANSLATORS.get(callee)
        if translate is not None:
            options = {keyword.arg or "": self._option(keyword.value) for keyword in node.keywords}
            return translate(self.code, *(self.lazy(argument) for argument in node.args), **options)
        is_function = isinstance(callee, types.FunctionType) and callee is not dataclasses.replace
        given = self._argument if is_function else self.expression
        arguments = [given(argument) for argument in node.args]
        named = {keyword.arg or "": given(keyword.value) for keyword in node.keywords}
        return self._called(callee, arguments, named, ast.unparse(function))

    def _called(self, callee: Any, arguments: list[Value], named: dict[str, Value], text: str) -> Value:
        if callee is dataclasses.replace:
            return changed_record(self.code, arguments[0], named)
        if is_record(callee):
            fields = list(record_fields(callee))
            return new_record(self.code, callee, {**dict(zip(fields, arguments, strict=False)), **named})
        if isinstance(callee, types.FunctionType):
            return call(self.code, callee, bound(self.code, callee, arguments, named))
        raise RoutineError(f"`{text}` cannot be called in a routine")

    def _argument(self, node: ast.expr) -> Value:
        """What a function is called with; a record that is handed on by its address is not loaded."""
        found = self.expressions.parts.variable_part(node)
        value = None if found is None else self.variables.at_home(*found)
        return self.expression(node) if value is None else value

    def _option(self, node: ast.expr) -> Any:
        """An argument by name of one of NumPy's functions: known beforehand."""
        return node.value if isinstance(node, ast.Constant) else self.scope.resolved(node)

    def _items_expression(self, node: ast.expr) -> Value | Lazy:
        """Of a list or tuple that is an argument of `np.array` and the like: its items, side by side."""
        if isinstance(node, ast.List | ast.Tuple):
            return tuple_of([settled(self.code, self._items_expression(item)) for item in node.elts])
        return self.lazy(node)

    def _method_call(self, node: ast.Call, function: ast.Attribute) -> Value:
        if function.attr == "copy" and not node.args:
            new = self.expressions.parts.transposed_copy(function.value)
            if new is not None:
                return new
        value = self.expression(function.value)
        name, kind = function.attr, value.type
        if isinstance(kind, RecordType):
            arguments = [self.expression(argument) for argument in node.args]
            named = {keyword.arg or "": self.expression(keyword.value) for keyword in node.keywords}
            if name == "_replace":
                return changed_record(self.code, value, named)
            found = as_written(method_of(value, name))
            if isinstance(found, types.FunctionType):
                return call(self.code, found, bound(self.code, found, [value, *arguments], named))
        if isinstance(kind, ListType) and not node.keywords:
            if name == "append" and len(node.args) == 1:
                self._better_known(
                    function.value, append_item(self.code, value, self.expression(node.args[0]))
                )
                return Value(NOTHING, ())
            if name == "pop" and not node.args:
                return popped_item(self.code, value)
            if name == "clear" and not node.args:
                set_length(self.code, value, "0")
                return Value(NOTHING, ())
        if name == "reshape" and isinstance(kind, ArrayType) and not node.keywords:
            return reshaped(
                self.code,
                value,
                [integer(self.code, self.expression(argument)) for argument in node.args],
            )
        if name == "copy" and not node.args and (isinstance(kind, ArrayType | Fixed) or kind is LANES):
            return copied(self.code, value)
        raise RoutineError(f"cannot translate `{ast.unparse(node)}`: {kind} has no such method")

    def _better_known(self, node: ast.expr, value: Value) -> None:
        """Note of a variable, or of a field of one, a type that has just been found out."""
        if isinstance(node, ast.Name):
            self.variables.assign(node.id, value)
        elif isinstance(node, ast.Attribute) and self.scope.is_local(node):
            owner = self.expression(node.value)
            if isinstance(owner.type, RecordType):
                self._better_known(node.value, with_field(owner, node.attr, value))
