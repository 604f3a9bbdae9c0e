"""Expressions of native loops as LLVM IR.

A function is translated several times, until the types of its variables are known: a variable is a float if a float
is assigned to it anywhere. Results of `a if c else b` and of `and`, `or` are variables too, known by their place.
"""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from footfall.compiler.errors import LoopError
from footfall.compiler.loop_types import (
    BOOL,
    FLOAT,
    INT,
    NUMBERS,
    ArrayType,
    Number,
    TupleType,
    Type,
    Value,
    constant,
    items_of,
    joined,
    machine_types,
    tuple_of,
)

_FLOAT_ARITHMETIC = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
_INT_ARITHMETIC = {ast.Add: "add nsw", ast.Sub: "sub nsw", ast.Mult: "mul nsw"}
_BITS = {ast.BitOr: "or", ast.BitAnd: "and", ast.BitXor: "xor"}
_COMPARISONS = {
    ast.Lt: ("slt", "olt"),
    ast.LtE: ("sle", "ole"),
    ast.Gt: ("sgt", "ogt"),
    ast.GtE: ("sge", "oge"),
    ast.Eq: ("eq", "oeq"),
    ast.NotEq: ("ne", "une"),
}


class Expressions:
    """Writes the instructions of one function. names: its global names; counters: variables that are never negative."""

    def __init__(self, names: dict[str, Any], locals: set[str], counters: set[str]) -> None:
        self.names, self.locals, self.counters = names, locals, counters
        self.constants = {name: value for name, value in names.items() if name not in locals}
        self.types: dict[Hashable, Type] = {}
        self.roots: dict[Hashable, frozenset[int]] = {}
        self.written: set[int] = set()
        self.allocates = False
        self.begin()

    def begin(self) -> None:
        """Start from the top, with what is known of variables."""
        self.changed = False
        self.lines: list[str] = []
        self.slots: dict[Hashable, tuple[Type, list[str]]] = {}
        self.stack: list[str] = []  # allocations of the entry block
        self.count = 0

    # Instructions

    def operation(self, text: str) -> str:
        """Append an instruction with a result; its name."""
        self.count += 1
        self.lines.append(f"  %t{self.count} = {text}")
        return f"%t{self.count}"

    def do(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def label(self) -> str:
        self.count += 1
        return f"b{self.count}"

    def place(self, label: str) -> None:
        self.lines.append(f"{label}:")

    def jump(self, label: str) -> None:
        self.do(f"br label %{label}")

    def branch(self, condition: Value, then: str, other: str) -> None:
        self.do(f"br i1 {self.truth(condition).parts[0]}, label %{then}, label %{other}")

    # Variables

    def assign(self, key: Hashable, value: Value) -> None:
        before = self.types.get(key)
        type = value.type if before is None else joined(before, value.type)
        roots = self.roots.get(key, frozenset()) | value.roots
        self.changed |= before is not None and (type != before or roots != self.roots[key])
        self.types[key], self.roots[key] = type, roots
        for part, place, machine in zip(
            self.converted(value, type).parts, self.slot(key), machine_types(type), strict=True
        ):
            self.do(f"store {machine} {part}, ptr {place}")

    def read(self, key: Hashable) -> Value:
        if key not in self.types:
            raise LoopError(f"{key!r} has no value here")
        type = self.types[key]
        places = zip(machine_types(type), self.slot(key), strict=True)
        parts = tuple(self.operation(f"load {machine}, ptr {place}") for machine, place in places)
        return Value(type, parts, self.roots[key])

    def slot(self, key: Hashable) -> list[str]:
        """Where a variable is kept; LLVM makes registers of it."""
        type = self.types[key]
        if self.slots.get(key, (None,))[0] != type:
            self.slots[key] = (type, [self.reserve(machine) for machine in machine_types(type)])
        return self.slots[key][1]

    def reserve(self, machine: str) -> str:
        """Memory of the function's own frame."""
        self.count += 1
        self.stack.append(f"  %v{self.count} = alloca {machine}, align 8")
        return f"%v{self.count}"

    # Conversions

    def converted(self, value: Value, type: Type) -> Value:
        if value.type == type:
            return value
        if isinstance(value.type, TupleType) and isinstance(type, TupleType):
            pairs = zip(items_of(value), type.items, strict=True)
            return tuple_of([self.converted(item, wanted) for item, wanted in pairs])
        if not isinstance(value.type, Number) or not isinstance(type, Number):
            raise LoopError(f"{value.type} where {type} is needed")
        (part,) = value.parts
        if type is BOOL:
            return self.truth(value)
        if value.type is BOOL:
            instruction = "uitofp" if type is FLOAT else "zext"
            return Value(type, (self.operation(f"{instruction} i1 {part} to {type.llvm}"),))
        instruction = "sitofp" if type is FLOAT else "fptosi"
        return Value(type, (self.operation(f"{instruction} {value.type.llvm} {part} to {type.llvm}"),))

    def truth(self, value: Value) -> Value:
        if value.type is BOOL:
            return value
        if value.type is INT:
            return Value(BOOL, (self.operation(f"icmp ne i64 {value.parts[0]}, 0"),))
        if value.type is FLOAT:
            return Value(BOOL, (self.operation(f"fcmp une double {value.parts[0]}, 0.0"),))
        raise LoopError(f"{value.type} is neither true nor false")

    def common(self, values: list[Value]) -> tuple[Number, list[Value]]:
        """Numbers as the widest type among them, at least an int."""
        type: Type = INT
        for value in values:
            type = joined(type, value.type)
        assert isinstance(type, Number)
        return type, [self.converted(value, type) for value in values]

    def integer(self, value: Value) -> str:
        if value.type not in NUMBERS[:2]:
            raise LoopError(f"{value.type} where an int is needed")
        return self.converted(value, INT).parts[0]

    # Expressions

    def expression(self, node: ast.expr) -> Value:
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            raise LoopError(f"cannot translate `{ast.unparse(node)}`")
        return method(node)  # type: ignore[no-any-return]

    def resolved(self, node: ast.expr) -> Any:
        """The object that a global name, or an attribute of one, stands for."""
        if isinstance(node, ast.Attribute) and any(self.resolved(node.value) is m for m in (np, math)):
            return getattr(self.resolved(node.value), node.attr)
        if isinstance(node, ast.Name) and node.id not in self.locals:
            found = self.names.get(node.id, getattr(builtins, node.id, None))
            if found is not None:
                return found
        raise LoopError(f"`{ast.unparse(node)}` is not known")

    def is_local(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
            node = node.func if isinstance(node, ast.Call) else node.value
        return isinstance(node, ast.Name) and node.id in self.locals

    def _Constant(self, node: ast.Constant) -> Value:
        return constant(node.value)

    def _Name(self, node: ast.Name) -> Value:
        return self.read(node.id) if node.id in self.locals else constant(self.resolved(node))

    def _Attribute(self, node: ast.Attribute) -> Value:
        if not self.is_local(node):
            return constant(self.resolved(node))
        value = self.expression(node.value)
        if node.attr == "shape" and isinstance(value.type, ArrayType):
            return tuple_of([Value(INT, (length,)) for length in value.parts[1:]])
        if node.attr == "size" and isinstance(value.type, ArrayType):
            size = "1"
            for length in value.parts[1:]:
                size = self.operation(f"mul i64 {size}, {length}")
            return Value(INT, (size,))
        raise LoopError(f"cannot translate `{ast.unparse(node)}`")

    def _Tuple(self, node: ast.Tuple) -> Value:
        return tuple_of([self.expression(item) for item in node.elts])

    def _UnaryOp(self, node: ast.UnaryOp) -> Value:
        value = self.expression(node.operand)
        if isinstance(node.op, ast.Not):
            return Value(BOOL, (self.operation(f"xor i1 {self.truth(value).parts[0]}, true"),))
        if isinstance(node.op, ast.USub) and isinstance(value.type, ArrayType):
            return self.arithmetic(ast.Mult(), constant(-1.0), value)
        type, (value,) = self.common([value])
        if isinstance(node.op, ast.USub) and type is FLOAT:
            return Value(FLOAT, (self.operation(f"fneg double {value.parts[0]}"),))
        if isinstance(node.op, ast.USub):
            return Value(INT, (self.operation(f"sub nsw i64 0, {value.parts[0]}"),))
        raise LoopError(f"cannot translate `{ast.unparse(node)}`")

    def _BinOp(self, node: ast.BinOp) -> Value:
        if isinstance(node.op, ast.Pow):
            return self.power(self.expression(node.left), node.right)
        return self.arithmetic(node.op, self.expression(node.left), self.expression(node.right))

    def arithmetic(self, operator: ast.operator, left: Value, right: Value) -> Value:
        kind = type(operator)
        if kind in _BITS and left.type is BOOL and right.type is BOOL:
            return Value(BOOL, (self.operation(f"{_BITS[kind]} i1 {left.parts[0]}, {right.parts[0]}"),))
        number, (left, right) = self.common([left, right])
        a, b = left.parts[0], right.parts[0]
        if number is FLOAT or kind is ast.Div:
            if kind not in _FLOAT_ARITHMETIC:
                raise LoopError(f"no {kind.__name__} of floats in native loops")
            a, b = self.converted(left, FLOAT).parts[0], self.converted(right, FLOAT).parts[0]
            return Value(FLOAT, (self.operation(f"{_FLOAT_ARITHMETIC[kind]} double {a}, {b}"),))
        if kind in (ast.FloorDiv, ast.Mod):
            return Value(INT, (self.floor_division(a, b)[kind is ast.Mod],))
        instruction = _INT_ARITHMETIC.get(kind) or _BITS.get(kind)
        if instruction is None:
            raise LoopError(f"no {kind.__name__} of ints in native loops")
        return Value(INT, (self.operation(f"{instruction} i64 {a}, {b}"),))

    def floor_division(self, a: str, b: str) -> tuple[str, str]:
        """Python's quotient and remainder of ints; 0 and a if b is 0, as processors have no answer."""
        zero = self.operation(f"icmp eq i64 {b}, 0")
        divisor = self.operation(f"select i1 {zero}, i64 1, i64 {b}")
        quotient = self.operation(f"sdiv i64 {a}, {divisor}")
        product = self.operation(f"mul i64 {quotient}, {divisor}")
        remainder = self.operation(f"sub i64 {a}, {product}")
        uneven = self.operation(f"icmp ne i64 {remainder}, 0")
        signs = self.operation(f"xor i64 {remainder}, {divisor}")
        opposite = self.operation(f"icmp slt i64 {signs}, 0")
        below = self.operation(f"and i1 {uneven}, {opposite}")
        step = self.operation(f"zext i1 {below} to i64")
        shift = self.operation(f"select i1 {below}, i64 {divisor}, i64 0")
        floor = self.operation(f"sub i64 {quotient}, {step}")
        rest = self.operation(f"add i64 {remainder}, {shift}")
        return (
            self.operation(f"select i1 {zero}, i64 0, i64 {floor}"),
            self.operation(f"select i1 {zero}, i64 {a}, i64 {rest}"),
        )

    def power(self, base: Value, exponent: ast.expr) -> Value:
        if not isinstance(exponent, ast.Constant) or exponent.value not in (2, 3, 4):
            raise LoopError(
                f"a power of {ast.unparse(exponent)}: only 2, 3 and 4 are possible in native loops"
            )
        square = self.arithmetic(ast.Mult(), base, base)
        return (
            square
            if exponent.value == 2
            else self.arithmetic(ast.Mult(), square, base if exponent.value == 3 else square)
        )

    def compare(self, operator: ast.cmpop, left: Value, right: Value) -> Value:
        if type(operator) not in _COMPARISONS:
            raise LoopError(f"no comparison {type(operator).__name__} in native loops")
        number, (left, right) = self.common([left, right])
        predicate = _COMPARISONS[type(operator)][number is FLOAT]
        instruction = "fcmp" if number is FLOAT else "icmp"
        operands = f"{number.llvm} {left.parts[0]}, {right.parts[0]}"
        return Value(BOOL, (self.operation(f"{instruction} {predicate} {operands}"),))

    def _Compare(self, node: ast.Compare) -> Value:
        values = [self.expression(node.left)]

        def link(k: int) -> Callable[[], Value]:
            def compared() -> Value:
                values.append(self.expression(node.comparators[k]))
                return self.compare(node.ops[k], values[k], values[k + 1])

            return compared

        return self.chain(node, [link(k) for k in range(len(node.ops))], until=False)

    def _BoolOp(self, node: ast.BoolOp) -> Value:
        def operand(k: int) -> Callable[[], Value]:
            def evaluated() -> Value:
                value = self.expression(node.values[k])
                if value.type is not BOOL:
                    raise LoopError(f"`{ast.unparse(node.values[k])}` is {value.type}, not a condition")
                return value

            return evaluated

        thunks = [operand(k) for k in range(len(node.values))]
        return self.chain(node, thunks, until=isinstance(node.op, ast.Or))

    def chain(self, node: ast.expr, conditions: list[Callable[[], Value]], *, until: bool) -> Value:
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

    def _IfExp(self, node: ast.IfExp) -> Value:
        then, other, end = self.label(), self.label(), self.label()
        self.branch(self.expression(node.test), then, other)
        for label, value in ((then, node.body), (other, node.orelse)):
            self.place(label)
            self.assign(node, self.expression(value))
            self.jump(end)
        self.place(end)
        return self.read(node)
