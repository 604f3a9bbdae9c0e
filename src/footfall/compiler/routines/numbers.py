"""Numbers in routines: constants, conversions, arithmetic, comparisons."""

from __future__ import annotations

import ast
import enum
import struct
from typing import Any

import numpy as np

from footfall.compiler.routines.instructions import Instructions
from footfall.compiler.routines.types import (
    BOOL,
    FLOAT,
    INT,
    LANE_FLAGS,
    LANES,
    NUMBERS,
    READ_AS,
    WIDTH,
    Number,
    TupleType,
    Type,
    Value,
    items_of,
    joined,
    tuple_of,
)
from footfall.errors import RoutineError

_FLOAT_ARITHMETIC = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
_INT_ARITHMETIC = {
    ast.Add: "add nsw",
    ast.Sub: "sub nsw",
    ast.Mult: "mul nsw",
    ast.LShift: "shl",
    ast.RShift: "ashr",
}
_BITS = {ast.BitOr: "or", ast.BitAnd: "and", ast.BitXor: "xor"}
_COMPARISONS = {
    ast.Lt: ("slt", "olt"),
    ast.LtE: ("sle", "ole"),
    ast.Gt: ("sgt", "ogt"),
    ast.GtE: ("sge", "oge"),
    ast.Eq: ("eq", "oeq"),
    ast.NotEq: ("ne", "une"),
}


def number_constant(value: Any) -> Value:
    """A number that is known beforehand."""
    if isinstance(value, enum.Enum) and not isinstance(value, int):
        value = value.value
    if isinstance(value, bool | np.bool_):
        return Value(BOOL, ("true" if value else "false",))
    if isinstance(value, int | np.integer):
        return Value(INT, (str(int(value)),))
    if isinstance(value, float | np.floating):
        return Value(FLOAT, (float_text(value),))
    raise RoutineError(f"{value!r} is no number")


def float_text(value: Any) -> str:
    return f"0x{struct.unpack('<Q', struct.pack('<d', float(value)))[0]:016X}"


class Numbers(Instructions):
    """Instructions on numbers."""

    def converted(self, value: Value, type: Type) -> Value:
        if value.type == type:
            return value
        if isinstance(value.type, TupleType) and isinstance(type, TupleType):
            pairs = zip(items_of(value), type.items, strict=True)
            return tuple_of([self.converted(item, wanted) for item, wanted in pairs])
        if not isinstance(value.type, Number) or not isinstance(type, Number):
            raise RoutineError(f"{value.type} where {type} is needed")
        (part,) = value.parts
        type = READ_AS.get(type, type)
        if value.type in (LANES, LANE_FLAGS):
            raise RoutineError(f"{value.type} where {type} is needed")
        if type in (LANES, LANE_FLAGS):
            return self.spread_over_lanes(value, type)
        if type is BOOL:
            return self.truth(value)
        if value.type is BOOL:
            instruction = "uitofp" if type is FLOAT else "zext"
            return Value(type, (self.operation(f"{instruction} i1 {part} to {type.llvm}"),))
        if value.type is type:
            return value
        if type is FLOAT:
            return Value(FLOAT, (self.operation(f"sitofp i64 {part} to double"),))
        self.declare("declare i64 @llvm.fptosi.sat.i64.f64(double)")  # 0 for NaN, the last int beyond it
        return Value(INT, (self.operation(f"call i64 @llvm.fptosi.sat.i64.f64(double {part})"),))

    def spread_over_lanes(self, value: Value, type: Number) -> Value:
        """The same number in all lanes."""
        inner = self.converted(value, FLOAT if type is LANES else BOOL)
        kind = f"{inner.type.llvm} {inner.parts[0]}"  # type: ignore[union-attr]
        first = self.operation(f"insertelement {type.llvm} poison, {kind}, i64 0")
        places = f"<{WIDTH} x i32> zeroinitializer"
        return Value(
            type, (self.operation(f"shufflevector {type.llvm} {first}, {type.llvm} poison, {places}"),)
        )

    def lane(self, value: Value, index: str) -> Value:
        """One of the numbers side by side."""
        assert value.type is LANES
        return Value(FLOAT, (self.operation(f"extractelement {LANES.llvm} {value.parts[0]}, i64 {index}"),))

    def with_lane(self, value: Value, index: str, number: Value) -> Value:
        """Numbers side by side, one of them replaced."""
        given = f"{LANES.llvm} {value.parts[0]}, double {self.float(number)}, i64 {index}"
        return Value(LANES, (self.operation(f"insertelement {given}"),))

    def sum_of_lanes(self, value: Value) -> Value:
        """Halves are added to halves."""
        total, width = value.parts[0], WIDTH
        while width > 1:
            half = width // 2
            kind, small = f"<{width} x double>", f"<{half} x double>"
            parts = []
            for first in (0, half):
                places = ", ".join(f"i32 {first + k}" for k in range(half))
                parts.append(
                    self.operation(f"shufflevector {kind} {total}, {kind} poison, <{half} x i32> <{places}>")
                )
            total, width = self.operation(f"fadd {small} {parts[0]}, {parts[1]}"), half
        return Value(FLOAT, (self.operation(f"extractelement <1 x double> {total}, i64 0"),))

    def truth(self, value: Value) -> Value:
        if value.type is BOOL:
            return value
        if value.type is INT:
            return Value(BOOL, (self.operation(f"icmp ne i64 {value.parts[0]}, 0"),))
        if value.type is FLOAT:
            return Value(BOOL, (self.operation(f"fcmp une double {value.parts[0]}, 0.0"),))
        if value.type is LANE_FLAGS:
            raise RoutineError("conditions of several lanes differ: use np.where, np.any or np.all")
        raise RoutineError(f"{value.type} is neither true nor false")

    def branch(self, condition: Value, then: str, other: str) -> None:
        self.do(f"br i1 {self.truth(condition).parts[0]}, label %{then}, label %{other}")

    def common(self, values: list[Value]) -> tuple[Number, list[Value]]:
        """Numbers as the widest type among them, at least an int."""
        type: Type = INT
        for value in values:
            type = joined(type, value.type)
        assert isinstance(type, Number)
        return type, [self.converted(value, type) for value in values]

    def integer(self, value: Value) -> str:
        if value.type not in NUMBERS[:2]:
            raise RoutineError(f"{value.type} where an int is needed")
        return self.converted(value, INT).parts[0]

    def float(self, value: Value) -> str:
        return self.converted(value, FLOAT).parts[0]

    def negative(self, value: Value) -> Value:
        number, (value,) = self.common([value])
        if number in (FLOAT, LANES):
            return Value(number, (self.operation(f"fneg {number.llvm} {value.parts[0]}"),))
        return Value(INT, (self.operation(f"sub nsw i64 0, {value.parts[0]}"),))

    def opposite(self, value: Value) -> Value:
        """`not value`."""
        if value.type is LANE_FLAGS:
            ones = ", ".join(["i1 true"] * WIDTH)
            return Value(LANE_FLAGS, (self.operation(f"xor {LANE_FLAGS.llvm} {value.parts[0]}, <{ones}>"),))
        return Value(BOOL, (self.operation(f"xor i1 {self.truth(value).parts[0]}, true"),))

    def arithmetic(self, operator: ast.operator, left: Value, right: Value) -> Value:
        kind = type(operator)
        if kind in _BITS and {left.type, right.type} <= {BOOL, LANE_FLAGS}:
            flags = joined(left.type, right.type)
            assert isinstance(flags, Number)
            a, b = self.converted(left, flags).parts[0], self.converted(right, flags).parts[0]
            return Value(flags, (self.operation(f"{_BITS[kind]} {flags.llvm} {a}, {b}"),))
        number, (left, right) = self.common([left, right])
        a, b = left.parts[0], right.parts[0]
        if number in (FLOAT, LANES) or kind is ast.Div:
            if kind not in _FLOAT_ARITHMETIC:
                raise RoutineError(f"no {kind.__name__} of floats in routines")
            number = LANES if number is LANES else FLOAT
            a, b = self.converted(left, number).parts[0], self.converted(right, number).parts[0]
            return Value(number, (self.operation(f"{self.float_instruction(kind)} {number.llvm} {a}, {b}"),))
        if kind in (ast.FloorDiv, ast.Mod):
            return Value(INT, (self.floor_division(a, b)[kind is ast.Mod],))
        instruction = _INT_ARITHMETIC.get(kind) or _BITS.get(kind)
        if instruction is None:
            raise RoutineError(f"no {kind.__name__} of ints in routines")
        return Value(INT, (self.operation(f"{instruction} i64 {a}, {b}"),))

    def float_instruction(self, kind: type[ast.operator]) -> str:
        """Products and sums may become one instruction where the routine says so."""
        fused = " contract" if self.fused and kind is not ast.Div else ""
        return f"{_FLOAT_ARITHMETIC[kind]}{fused}"

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
            raise RoutineError(
                f"a power of {ast.unparse(exponent)}: only 2, 3 and 4 are possible in routines"
            )
        square = self.arithmetic(ast.Mult(), base, base)
        if exponent.value == 2:
            return square
        return self.arithmetic(ast.Mult(), square, base if exponent.value == 3 else square)

    def compare(self, operator: ast.cmpop, left: Value, right: Value) -> Value:
        if type(operator) not in _COMPARISONS:
            raise RoutineError(f"no comparison {type(operator).__name__} in routines")
        number, (left, right) = self.common([left, right])
        floating = number in (FLOAT, LANES)
        predicate = _COMPARISONS[type(operator)][floating]
        instruction = "fcmp" if floating else "icmp"
        operands = f"{number.llvm} {left.parts[0]}, {right.parts[0]}"
        flags = LANE_FLAGS if number is LANES else BOOL
        return Value(flags, (self.operation(f"{instruction} {predicate} {operands}"),))

    def selected(self, condition: Value, yes: Value, no: Value) -> Value:
        """One of two numbers, both of which have been computed."""
        wide = condition.type is LANE_FLAGS
        if {yes.type, no.type} <= {BOOL, LANE_FLAGS}:
            number = LANE_FLAGS if wide else joined(yes.type, no.type)
        else:
            number = LANES if wide else self.common([yes, no])[0]
        assert isinstance(number, Number)
        flag = condition if wide else self.truth(condition)
        a, b = self.converted(yes, number).parts[0], self.converted(no, number).parts[0]
        pair = f"{number.llvm} {a}, {number.llvm} {b}"
        return Value(number, (self.operation(f"select {flag.type.llvm} {flag.parts[0]}, {pair}"),))  # type: ignore[union-attr]
