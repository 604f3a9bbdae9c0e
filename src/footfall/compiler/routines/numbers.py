"""Numbers in routines: constants, conversions, arithmetic, comparisons. `operators` has the same of all values."""

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
    Type,
    Value,
    joined,
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


"""Instructions on numbers."""


def converted_number(code: Instructions, value: Value, type: Type) -> Value:
    """A number as one of another type."""
    if value.type == type:
        return value
    if not isinstance(value.type, Number) or not isinstance(type, Number):
        raise RoutineError(f"{value.type} where {type} is needed")
    (part,) = value.parts
    type = READ_AS.get(type, type)
    if value.type in (LANES, LANE_FLAGS):
        raise RoutineError(f"{value.type} where {type} is needed")
    if type in (LANES, LANE_FLAGS):
        return spread_over_lanes(code, value, type)
    if type is BOOL:
        return truth(code, value)
    if value.type is BOOL:
        instruction = "uitofp" if type is FLOAT else "zext"
        return Value(type, (code.operation(f"{instruction} i1 {part} to {type.llvm}"),))
    if value.type is type:
        return value
    if type is FLOAT:
        return Value(FLOAT, (code.operation(f"sitofp i64 {part} to double"),))
    code.declare("declare i64 @llvm.fptosi.sat.i64.f64(double)")  # 0 for NaN, the last int beyond it
    return Value(INT, (code.operation(f"call i64 @llvm.fptosi.sat.i64.f64(double {part})"),))


def spread_over_lanes(code: Instructions, value: Value, type: Number) -> Value:
    """The same number in all lanes."""
    inner = converted_number(code, value, FLOAT if type is LANES else BOOL)
    kind = f"{inner.type.llvm} {inner.parts[0]}"  # type: ignore[union-attr]
    first = code.operation(f"insertelement {type.llvm} poison, {kind}, i64 0")
    places = f"<{WIDTH} x i32> zeroinitializer"
    return Value(type, (code.operation(f"shufflevector {type.llvm} {first}, {type.llvm} poison, {places}"),))


def lane(code: Instructions, value: Value, index: str) -> Value:
    """One of the numbers side by side."""
    assert value.type is LANES
    return Value(FLOAT, (code.operation(f"extractelement {LANES.llvm} {value.parts[0]}, i64 {index}"),))


def with_lane(code: Instructions, value: Value, index: str, number: Value) -> Value:
    """Numbers side by side, one of them replaced."""
    given = f"{LANES.llvm} {value.parts[0]}, double {as_float(code, number)}, i64 {index}"
    return Value(LANES, (code.operation(f"insertelement {given}"),))


def sum_of_lanes(code: Instructions, value: Value) -> Value:
    """Halves are added to halves."""
    total, width = value.parts[0], WIDTH
    while width > 1:
        half = width // 2
        kind, small = f"<{width} x double>", f"<{half} x double>"
        parts = []
        for first in (0, half):
            places = ", ".join(f"i32 {first + k}" for k in range(half))
            parts.append(
                code.operation(f"shufflevector {kind} {total}, {kind} poison, <{half} x i32> <{places}>")
            )
        total, width = code.operation(f"fadd {small} {parts[0]}, {parts[1]}"), half
    return Value(FLOAT, (code.operation(f"extractelement <1 x double> {total}, i64 0"),))


def truth(code: Instructions, value: Value) -> Value:
    if value.type is BOOL:
        return value
    if value.type is INT:
        return Value(BOOL, (code.operation(f"icmp ne i64 {value.parts[0]}, 0"),))
    if value.type is FLOAT:
        return Value(BOOL, (code.operation(f"fcmp une double {value.parts[0]}, 0.0"),))
    if value.type is LANE_FLAGS:
        raise RoutineError("conditions of several lanes differ: use np.where, np.any or np.all")
    raise RoutineError(f"{value.type} is neither true nor false")


def branch(code: Instructions, condition: Value, then: str, other: str) -> None:
    code.do(f"br i1 {truth(code, condition).parts[0]}, label %{then}, label %{other}")


def common(code: Instructions, values: list[Value]) -> tuple[Number, list[Value]]:
    """Numbers as the widest type among them, at least an int."""
    type: Type = INT
    for value in values:
        type = joined(type, value.type)
    assert isinstance(type, Number)
    return type, [converted_number(code, value, type) for value in values]


def integer(code: Instructions, value: Value) -> str:
    if value.type not in NUMBERS[:2]:
        raise RoutineError(f"{value.type} where an int is needed")
    return converted_number(code, value, INT).parts[0]


def as_float(code: Instructions, value: Value) -> str:
    return converted_number(code, value, FLOAT).parts[0]


def negative_number(code: Instructions, value: Value) -> Value:
    number, (value,) = common(code, [value])
    if number in (FLOAT, LANES):
        return Value(number, (code.operation(f"fneg {number.llvm} {value.parts[0]}"),))
    return Value(INT, (code.operation(f"sub nsw i64 0, {value.parts[0]}"),))


def opposite(code: Instructions, value: Value) -> Value:
    """`not value`."""
    if value.type is LANE_FLAGS:
        ones = ", ".join(["i1 true"] * WIDTH)
        return Value(LANE_FLAGS, (code.operation(f"xor {LANE_FLAGS.llvm} {value.parts[0]}, <{ones}>"),))
    return Value(BOOL, (code.operation(f"xor i1 {truth(code, value).parts[0]}, true"),))


def number_arithmetic(code: Instructions, operator: ast.operator, left: Value, right: Value) -> Value:
    kind = type(operator)
    if kind in _BITS and {left.type, right.type} <= {BOOL, LANE_FLAGS}:
        flags = joined(left.type, right.type)
        assert isinstance(flags, Number)
        a, b = converted_number(code, left, flags).parts[0], converted_number(code, right, flags).parts[0]
        return Value(flags, (code.operation(f"{_BITS[kind]} {flags.llvm} {a}, {b}"),))
    number, (left, right) = common(code, [left, right])
    a, b = left.parts[0], right.parts[0]
    if number in (FLOAT, LANES) or kind is ast.Div:
        if kind not in _FLOAT_ARITHMETIC:
            raise RoutineError(f"no {kind.__name__} of floats in routines")
        number = LANES if number is LANES else FLOAT
        a, b = converted_number(code, left, number).parts[0], converted_number(code, right, number).parts[0]
        return Value(number, (code.operation(f"{float_instruction(code, kind)} {number.llvm} {a}, {b}"),))
    if kind in (ast.FloorDiv, ast.Mod):
        return Value(INT, (floor_division(code, a, b)[kind is ast.Mod],))
    instruction = _INT_ARITHMETIC.get(kind) or _BITS.get(kind)
    if instruction is None:
        raise RoutineError(f"no {kind.__name__} of ints in routines")
    return Value(INT, (code.operation(f"{instruction} i64 {a}, {b}"),))


def float_instruction(code: Instructions, kind: type[ast.operator]) -> str:
    """Products and sums may become one instruction where the routine says so."""
    fused = " contract" if code.fused and kind is not ast.Div else ""
    return f"{_FLOAT_ARITHMETIC[kind]}{fused}"


def floor_division(code: Instructions, a: str, b: str) -> tuple[str, str]:
    """Python's quotient and remainder of ints; 0 and a if b is 0, as processors have no answer."""
    zero = code.operation(f"icmp eq i64 {b}, 0")
    divisor = code.operation(f"select i1 {zero}, i64 1, i64 {b}")
    quotient = code.operation(f"sdiv i64 {a}, {divisor}")
    product = code.operation(f"mul i64 {quotient}, {divisor}")
    remainder = code.operation(f"sub i64 {a}, {product}")
    uneven = code.operation(f"icmp ne i64 {remainder}, 0")
    signs = code.operation(f"xor i64 {remainder}, {divisor}")
    opposite = code.operation(f"icmp slt i64 {signs}, 0")
    below = code.operation(f"and i1 {uneven}, {opposite}")
    step = code.operation(f"zext i1 {below} to i64")
    shift = code.operation(f"select i1 {below}, i64 {divisor}, i64 0")
    floor = code.operation(f"sub i64 {quotient}, {step}")
    rest = code.operation(f"add i64 {remainder}, {shift}")
    return (
        code.operation(f"select i1 {zero}, i64 0, i64 {floor}"),
        code.operation(f"select i1 {zero}, i64 {a}, i64 {rest}"),
    )


def compared_numbers(code: Instructions, operator: ast.cmpop, left: Value, right: Value) -> Value:
    if type(operator) not in _COMPARISONS:
        raise RoutineError(f"no comparison {type(operator).__name__} in routines")
    number, (left, right) = common(code, [left, right])
    floating = number in (FLOAT, LANES)
    predicate = _COMPARISONS[type(operator)][floating]
    instruction = "fcmp" if floating else "icmp"
    operands = f"{number.llvm} {left.parts[0]}, {right.parts[0]}"
    flags = LANE_FLAGS if number is LANES else BOOL
    return Value(flags, (code.operation(f"{instruction} {predicate} {operands}"),))


def selected_number(code: Instructions, condition: Value, yes: Value, no: Value) -> Value:
    """One of two numbers, both of which have been computed."""
    wide = condition.type is LANE_FLAGS
    if {yes.type, no.type} <= {BOOL, LANE_FLAGS}:
        number = LANE_FLAGS if wide else joined(yes.type, no.type)
    else:
        number = LANES if wide else common(code, [yes, no])[0]
    assert isinstance(number, Number)
    flag = condition if wide else truth(code, condition)
    a, b = converted_number(code, yes, number).parts[0], converted_number(code, no, number).parts[0]
    pair = f"{number.llvm} {a}, {number.llvm} {b}"
    return Value(number, (code.operation(f"select {flag.type.llvm} {flag.parts[0]}, {pair}"),))  # type: ignore[union-attr]
