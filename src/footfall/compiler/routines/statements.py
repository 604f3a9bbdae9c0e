"""Statements of routines, one after another."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from footfall.compiler.routines.annotations import hint_of
from footfall.compiler.routines.assignments import Assignments
from footfall.compiler.routines.expressions import Expressions
from footfall.compiler.routines.loops import Loops
from footfall.compiler.routines.memory import RAISED
from footfall.compiler.routines.numbers import branch
from footfall.compiler.routines.values import fitted
from footfall.errors import RoutineError


class Statements:
    """Translates statements of one function. The table says what does which."""

    def __init__(self, expressions: Expressions, tree: ast.FunctionDef, arguments: list[str]) -> None:
        self.expressions, self.expression = expressions, expressions.expression
        self.variables = expressions.variables
        self.code, self.scope = expressions.code, expressions.scope
        assignments = Assignments(expressions, tree, arguments)
        loops = Loops(assignments, self.block)
        self._translators: dict[type[ast.stmt], Callable[[Any], None]] = {
            ast.Assign: assignments.assign,
            ast.AnnAssign: assignments.annotated,
            ast.AugAssign: assignments.augmented,
            ast.For: loops.for_,
            ast.While: loops.while_,
            ast.Continue: loops.continue_,
            ast.Break: loops.break_,
            ast.If: self._if,
            ast.Return: self._return,
            ast.Raise: self._raise,
            ast.Expr: self._expression,
            ast.Pass: lambda node: None,
            ast.Assert: lambda node: None,  # for type checkers
        }

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            translate = self._translators.get(type(statement))
            self.code.line = statement.lineno
            try:
                if translate is None:
                    raise RoutineError(f"cannot translate `{ast.unparse(statement)}`")
                translate(statement)
            except RoutineError as error:
                if error.located:
                    raise
                self.code.line = statement.lineno
                raise RoutineError(f"{self.code.place_in_source()}: {error}", located=True) from error

    def _expression(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.expression(node.value)

    def _raise(self, node: ast.Raise) -> None:
        """An error of a known class with a known message."""
        call = node.exc
        if not isinstance(call, ast.Call) or not all(isinstance(a, ast.Constant) for a in call.args):
            raise RoutineError("routines raise errors with a message that is known beforehand")
        kind = self.scope.resolved(call.func)
        message = "".join(str(a.value) for a in call.args if isinstance(a, ast.Constant))
        self.code.fail(RAISED + self.code.module.error(kind, message), str(self.code.site()))
        self.code.place(self.code.label())

    def _if(self, node: ast.If) -> None:
        known = self.expressions.known_condition(node.test)
        if known is not None:
            self.block(node.body if known else node.orelse)
            return
        then, other, end = self.code.label(), self.code.label(), self.code.label()
        branch(self.code, self.expressions.condition(node.test), then, other)
        for label, statements in ((then, node.body), (other, node.orelse)):
            self.code.place(label)
            self.block(statements)
            self.code.jump(end)
        self.code.place(end)

    def _return(self, node: ast.Return) -> None:
        if node.value is not None:
            hint = hint_of(self.code.function.__annotations__.get("return"), self.scope.names)
            self.variables.assign("return", fitted(self.code, self.expression(node.value), hint))
        self.code.leave("exit")
