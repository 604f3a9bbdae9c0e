"""What names in the source of a routine mean, and what is known of its numbers before anything is computed."""

from __future__ import annotations

import ast
import builtins
import enum
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

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


class Scope:
    """names: the function's global names; locals: its variables; counters: those that are never negative.

    fixed: those whose value is known where the translation stands: of loops over tuples of known ints.
    """

    def __init__(self, names: dict[str, Any], locals: set[str], counters: set[str]) -> None:
        self.names, self.locals, self.counters = names, locals, counters
        self.fixed: dict[str, int] = {}

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

    def never_negative(self, node: ast.expr) -> bool:
        """Whether an int is not negative, from the source; only saves an instruction or two."""
        if isinstance(node, ast.Name) and node.id in self.counters:
            return True
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mult):
            return self.never_negative(node.left) and self.never_negative(node.right)
        number = self.known_int(node)
        return number is not None and number >= 0
