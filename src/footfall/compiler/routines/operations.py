"""Calls and operators, on values of any kind: numbers, small vectors, records with operators of their own."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from inspect import Parameter, Signature, signature
from typing import Any

from footfall.compiler.routines.annotations import hint_of
from footfall.compiler.routines.instructions import Instructions
from footfall.compiler.routines.numbers import (
    compared_numbers,
    negative_number,
    number_arithmetic,
    selected_number,
)
from footfall.compiler.routines.records import known
from footfall.compiler.routines.types import (
    Fixed,
    RecordType,
    Value,
    has_memory,
    is_passed_by_address,
    items_of,
    machine_types,
    passed_types,
    record_of,
    roots_of,
)
from footfall.compiler.routines.values import converted, fitted, home_of
from footfall.compiler.routines.vectors import elementwise, product
from footfall.errors import RoutineError


@cache
def signature_of(function: Callable[..., Any]) -> Signature:
    found = signature(function)
    for parameter in found.parameters.values():
        if parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
            raise RoutineError(f"{function.__name__} takes any number of arguments, which routines cannot")
    return found


def bound(
    code: Instructions, function: Callable[..., Any], arguments: list[Value], named: dict[str, Value]
) -> list[Value]:
    """The arguments of a call in their order, with those that are left out."""
    parameters = signature_of(function).parameters
    given = {**dict(zip(parameters, arguments, strict=False)), **named}
    result = []
    for name, parameter in parameters.items():
        if name in given:
            result.append(given.pop(name))
        elif parameter.default is not Parameter.empty:
            result.append(known(code, parameter.default))
    if given or len(result) != len(parameters) or len(arguments) > len(parameters):
        raise RoutineError(f"{function.__name__} takes {', '.join(parameters)}")
    return result


def call(code: Instructions, function: Callable[..., Any], arguments: list[Value]) -> Value:
    """Another routine, or a plain function that is translated like one."""
    arguments = [fitted_argument(code, function, k, value) for k, value in enumerate(arguments)]
    found = code.module.translated(function, tuple(value.type for value in arguments))
    flat = [roots for value in arguments for roots in roots_of(value)]
    for k in found.written:
        code.written |= flat[k]
    if found.grows:
        code.note(allocates=True, grows=any(flat))
    results = machine_types(found.result)
    kind = f"{{ {', '.join(results)} }}" if results else "void"
    listed = ["ptr %arena"]
    for value in arguments:
        parts = (home_of(code, value),) if is_passed_by_address(value.type) else value.parts
        typed = zip(passed_types(value.type), parts, strict=True)
        listed += [f"{machine} {part}" for machine, part in typed]
    instruction = f"call fastcc {kind} @{found.name}({', '.join(listed)})"
    values: tuple[str, ...] = ()
    if results:
        answer = code.operation(instruction)
        values = tuple(code.operation(f"extractvalue {kind} {answer}, {n}") for n in range(len(results)))
    else:
        code.do(instruction)
    if has_memory(found.result):
        code.note(allocates=True)
    if found.fails:
        code.leave_if_failed()
    roots = tuple(frozenset[int]().union(*(flat[k] for k in given)) for given in found.given)
    return Value(found.result, values, roots)


def fitted_argument(code: Instructions, function: Callable[..., Any], number: int, value: Value) -> Value:
    """An argument as it is annotated."""
    name = list(signature_of(function).parameters)[number]
    return fitted(code, value, hint_of(function.__annotations__.get(name), function.__globals__))


_OF_RECORDS: dict[type, str] = {
    ast.Add: "__add__",
    ast.Sub: "__sub__",
    ast.Mult: "__mul__",
    ast.Div: "__truediv__",
    ast.MatMult: "__matmul__",
}


def arithmetic(code: Instructions, operator: ast.operator, left: Value, right: Value) -> Value:
    if isinstance(left.type, RecordType):
        name = _OF_RECORDS.get(type(operator), "")
        function = getattr(left.type.record, name, None)
        if function is None or isinstance(left.type.record.__dict__.get(name), type(tuple.__add__)):
            raise RoutineError(f"{left.type} has no {type(operator).__name__}")
        return call(code, function, [left, right])
    if not isinstance(left.type, Fixed) and not isinstance(right.type, Fixed):
        return number_arithmetic(code, operator, left, right)
    if isinstance(operator, ast.MatMult):
        return product(code, left, right)
    return elementwise(code, lambda a, b: number_arithmetic(code, operator, a, b), left, right)


def negative(code: Instructions, value: Value) -> Value:
    if isinstance(value.type, Fixed):
        return elementwise(code, lambda number: negative_number(code, number), value)
    return negative_number(code, value)


def power(code: Instructions, base: Value, exponent: ast.expr) -> Value:
    if not isinstance(exponent, ast.Constant) or exponent.value not in (2, 3, 4):
        raise RoutineError(f"a power of {ast.unparse(exponent)}: only 2, 3 and 4 are possible in routines")
    square = arithmetic(code, ast.Mult(), base, base)
    if exponent.value == 2:
        return square
    return arithmetic(code, ast.Mult(), square, base if exponent.value == 3 else square)


def compare(code: Instructions, operator: ast.cmpop, left: Value, right: Value) -> Value:
    if not isinstance(left.type, Fixed) and not isinstance(right.type, Fixed):
        return compared_numbers(code, operator, left, right)
    return elementwise(code, lambda a, b: compared_numbers(code, operator, a, b), left, right)


def selected(code: Instructions, condition: Value, yes: Value, no: Value) -> Value:
    """One of two numbers or records, both of which have been computed."""
    if not isinstance(yes.type, RecordType):
        return selected_number(code, condition, yes, no)
    no = converted(code, no, yes.type)
    pairs = zip(items_of(yes), items_of(no), strict=True)
    values = [selected(code, condition, one, other) for one, other in pairs]
    chosen = record_of(yes.type.record, yes.type.names, values)
    roots = tuple(a | b for a, b in zip(roots_of(yes), roots_of(no), strict=True))
    return chosen._replace(roots=roots)
