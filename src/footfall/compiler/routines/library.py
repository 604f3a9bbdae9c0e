"""Functions of Python, `math`, NumPy and the tracing compiler that routines may call."""

from __future__ import annotations

import ast
import math
import typing
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from footfall.compiler import functions as traced
from footfall.compiler.routines import hardware, teams
from footfall.compiler.routines.annotations import as_records, new_records, plain_record
from footfall.compiler.routines.arrays import (
    clear_array,
    copied,
    elements_in,
    new_array,
    new_array_of,
    shape_value,
    store,
)
from footfall.compiler.routines.dense import matrix_product
from footfall.compiler.routines.hardware import Given
from footfall.compiler.routines.instructions import Instructions
from footfall.compiler.routines.lists import list_array, list_length
from footfall.compiler.routines.numbers import as_float, common, lane, number_constant, with_lane
from footfall.compiler.routines.operations import arithmetic, call, compare, selected
from footfall.compiler.routines.types import (
    BOOL,
    DTYPES,
    FLOAT,
    INT,
    LANES,
    WIDTH,
    ArrayType,
    Fixed,
    FunctionType,
    ListType,
    Number,
    TupleType,
    Value,
    all_roots,
    items_of,
    leaves,
    tuple_of,
)
from footfall.compiler.routines.values import array_value, as_numbers, converted, element_place
from footfall.compiler.routines.vectors import any_of, cross, elementwise, flattened, stacked
from footfall.compiler.routines.whole_arrays import (
    Lazy,
    each,
    folded,
    lazy_arithmetic,
    lazy_map,
    put_all,
    settled,
    sum_of,
)
from footfall.errors import RoutineError

Translator = Callable[..., Given]


def _of_numbers(operation: Callable[..., Value]) -> Translator:
    """A function of numbers, also of the numbers in small arrays, and of one array element by element."""

    def translate(code: Instructions, *values: Given) -> Given:
        if len(values) == 1 and isinstance(values[0].type, ArrayType):
            return lazy_map(code, lambda value: operation(code, value), values[0])
        there = [settled(code, value) for value in values]
        return elementwise(code, lambda *numbers: operation(code, *numbers), *there)

    return translate


def _intrinsic(name: str) -> Translator:
    def operation(code: Instructions, value: Value) -> Value:
        if value.type is LANES:
            return Value(LANES, (code.intrinsic(f"{name}.v{WIDTH}f64", LANES.llvm, value.parts[0]),))
        return Value(FLOAT, (code.intrinsic(f"{name}.f64", "double", as_float(code, value)),))

    return _of_numbers(operation)


def _library(name: str) -> Translator:
    """A function of the C library."""

    def operation(code: Instructions, *values: Value) -> Value:
        if any(value.type is LANES for value in values):
            wide = [converted(code, value, LANES) for value in values]
            result = converted(code, number_constant(0.0), LANES)
            for k in map(str, range(WIDTH)):
                result = with_lane(
                    code, result, k, operation(code, *(lane(code, value, k) for value in wide))
                )
            return result
        parts = [f"double {as_float(code, value)}" for value in values]
        code.declare(f"declare double @{name}({', '.join(['double'] * len(parts))}) nounwind readnone")
        return Value(FLOAT, (code.operation(f"call double @{name}({', '.join(parts)})"),))

    return _of_numbers(operation)


def _better(operator: ast.cmpop) -> Callable[..., Value]:
    def operation(code: Instructions, *values: Value) -> Value:
        _, (best, *others) = common(code, list(values))
        for value in others:
            best = selected(code, compare(code, operator, value, best), value, best)
        return best

    return operation


def _extreme(operator: ast.cmpop) -> Translator:
    """`min`, `max` of numbers."""
    operation = _better(operator)

    def translate(code: Instructions, *values: Value) -> Value:
        if len(values) == 1:
            return folded(code, values[0], lambda a, b: operation(code, a, b), empty=None)
        return operation(code, *values)

    return translate


def _absolute(code: Instructions, value: Value) -> Value:
    number, (value,) = common(code, [value])
    if number in (FLOAT, LANES):
        suffix = f"v{WIDTH}f64" if number is LANES else "f64"
        return Value(number, (code.intrinsic(f"fabs.{suffix}", number.llvm, value.parts[0]),))
    negative = code.operation(f"sub nsw i64 0, {value.parts[0]}")
    return Value(INT, (code.intrinsic("smax.i64", "i64", value.parts[0], negative),))


def _is_finite(code: Instructions, value: Value) -> Value:
    return compare(code, ast.Lt(), _absolute(code, converted(code, value, FLOAT)), number_constant(math.inf))


def _is_nan(code: Instructions, value: Value) -> Value:
    value = converted(code, value, FLOAT)
    return compare(code, ast.NotEq(), value, value)


def _tangent(code: Instructions, value: Value) -> Value:
    code.declare("declare double @tan(double) nounwind readnone")
    return Value(FLOAT, (code.operation(f"call double @tan(double {as_float(code, value)})"),))


def _number(kind: Number) -> Translator:
    def translate(code: Instructions, value: Value) -> Value:
        return converted(code, value, kind)

    return translate


def _length(code: Instructions, value: Given) -> Value:
    if isinstance(value.type, ListType):
        return Value(INT, (list_length(code, settled(code, value)),))
    if isinstance(value.type, TupleType):
        return number_constant(len(value.type.items))
    if not isinstance(value.type, ArrayType | Fixed):
        raise RoutineError(f"{value.type} has no length")
    if isinstance(value, Lazy):
        return Value(INT, (value.lengths[0],))
    return shape_value(value)[0]


# New arrays


def _empty(code: Instructions, shape: Value, *, dtype: Any = np.float64) -> Value:
    if dtype not in DTYPES:
        raise RoutineError(f"no arrays of {dtype} in routines")
    return new_array(code, DTYPES[dtype], shape)


def _zeros(code: Instructions, shape: Value, *, dtype: Any = np.float64) -> Value:
    array = _empty(code, shape, dtype=dtype)
    clear_array(code, array)
    return array


def _full(code: Instructions, shape: Value, value: Value, *, dtype: Any = None) -> Value:
    kind = DTYPES[dtype] if dtype is not None else value.type
    if not isinstance(kind, Number):
        raise RoutineError(f"{value.type} is no number to fill an array with")
    array = new_array(code, kind, shape)
    put_all(code, array, value)
    return array


def _ones(code: Instructions, shape: Value) -> Value:
    return _full(code, shape, number_constant(1.0))


def _identity(code: Instructions, size: Value) -> Value:
    array = _zeros(code, tuple_of([size, size]))
    (length,) = size.parts
    step = code.operation(f"add nsw i64 {length}, 1")

    def one(k: str) -> None:
        store(
            code, element_place(code, array, code.operation(f"mul nsw i64 {k}, {step}")), number_constant(1.0)
        )

    each(code, length, one)
    return array


def _count_up(code: Instructions, length: Value) -> Value:
    array = new_array(code, INT, length)
    each(code, array.parts[1], lambda k: store(code, element_place(code, array, k), Value(INT, (k,))))
    return array


def _like(code: Instructions, array: Given, *, clear: bool) -> Value:
    if not isinstance(array.type, ArrayType):
        raise RoutineError(f"{array.type} is no array")
    new = new_array_of(
        code, array.type.element, array.lengths if isinstance(array, Lazy) else array.parts[1:]
    )
    if clear:
        clear_array(code, new)
    return new


def _new_records(code: Instructions, record: Value, count: Value) -> Value:
    assert isinstance(record.type, FunctionType)
    array = new_array(code, plain_record(record.type.function), count)
    clear_array(code, array)
    return array


def _as_records(code: Instructions, record: Value, numbers: Given) -> Value:
    assert isinstance(record.type, FunctionType)
    kind, floats = plain_record(record.type.function), settled(code, numbers)
    if not isinstance(floats.type, ArrayType) or any(leaf.stored != FLOAT.stored for leaf in leaves(kind)):
        raise RoutineError(f"{floats.type} as records {kind}: possible with floats on both sides")
    floats = as_numbers(floats)
    if not isinstance(floats.type, ArrayType) or floats.type.element is not FLOAT:
        raise RoutineError(f"{floats.type} as records {kind}: possible with floats on both sides")
    count = code.operation(f"sdiv i64 {elements_in(code, floats.parts[1:])}, {len(leaves(kind))}")
    return array_value(ArrayType(kind, 1), floats.parts[0], [count], all_roots(floats))


# Arrays of given values


def _array(code: Instructions, values: Given) -> Value:
    """`np.array` of a list of values, or a copy of an array or list."""
    if isinstance(values.type, TupleType):
        return _stacked(code, settled(code, values))
    if isinstance(values.type, ListType):
        return list_array(code, settled(code, values))
    return settled(code, values) if isinstance(values, Lazy) else copied(code, values)


def _stacked(code: Instructions, values: Value) -> Value:
    items = items_of(values)
    return stacked(
        code, [_stacked(code, item) if isinstance(item.type, TupleType) else item for item in items]
    )


def _concatenated(code: Instructions, values: Given) -> Value:
    return flattened(code, items_of(settled(code, values)))


def _same(code: Instructions, value: Given, **options: Any) -> Given:
    """`np.asarray` and the like: what is an array already."""
    return value


def _sum(code: Instructions, value: Given) -> Value:
    return sum_of(code, value)


def _norm(code: Instructions, value: Given) -> Value:
    squares = lazy_arithmetic(code, ast.Mult(), value, value)
    return Value(FLOAT, (code.intrinsic("sqrt.f64", "double", as_float(code, sum_of(code, squares))),))


def _cross(code: Instructions, a: Given, b: Given) -> Value:
    pair = [settled(code, value) for value in (a, b)]
    three = Fixed((3,))
    return cross(code, *(converted(code, v, three) if isinstance(v.type, ArrayType) else v for v in pair))


def _dot(code: Instructions, a: Given, b: Given) -> Value:
    one, other = settled(code, a), settled(code, b)
    if isinstance(one.type, Fixed) or isinstance(other.type, Fixed):
        return arithmetic(code, ast.MatMult(), one, other)
    return call(code, matrix_product(False, (1, 1)), [one, other])


def _where(code: Instructions, condition: Value, yes: Value, no: Value) -> Value:
    """Both are computed."""
    if isinstance(condition.type, Number) and not isinstance(yes.type, Fixed | Number):
        return selected(code, condition, yes, no)
    return elementwise(code, partial(selected, code), condition, yes, no)


def _comparison(operator: ast.cmpop) -> Translator:
    return lambda code, a, b: compare(code, operator, a, b)


def _cast(code: Instructions, kind: Given, value: Given) -> Given:
    """`typing.cast` is for type checkers."""
    return value


# These take a list of values side by side.
SHAPERS: dict[Any, Translator] = {
    np.array: _array,
    np.concatenate: _concatenated,
    np.stack: _array,
}
TRANSLATORS: dict[Any, Translator] = {
    **hardware.TRANSLATORS,
    **teams.TRANSLATORS,
    abs: _of_numbers(_absolute),
    as_records: _as_records,
    bool: _number(BOOL),
    float: _number(FLOAT),
    int: _number(INT),
    len: _length,
    max: _extreme(ast.Gt()),
    min: _extreme(ast.Lt()),
    new_records: _new_records,
    typing.cast: _cast,
    np.abs: _of_numbers(_absolute),
    np.all: lambda code, value: any_of(code, value, every=True),
    np.any: lambda code, value: any_of(code, value, every=False),
    np.arange: _count_up,
    np.arccos: _library("acos"),
    np.arcsin: _library("asin"),
    np.arctan: _library("atan"),
    np.arctan2: _library("atan2"),
    np.asarray: _same,
    np.ceil: _intrinsic("ceil"),
    np.cos: _library("cos"),
    np.cross: _cross,
    np.dot: _dot,
    np.empty: _empty,
    np.empty_like: lambda code, array: _like(code, array, clear=False),
    np.exp: _library("exp"),
    np.eye: _identity,
    np.floor: _intrinsic("floor"),
    np.full: _full,
    np.hypot: _library("hypot"),
    np.isfinite: _of_numbers(_is_finite),
    np.isnan: _of_numbers(_is_nan),
    np.linalg.norm: _norm,
    np.log: _library("log"),
    np.max: _extreme(ast.Gt()),
    np.maximum: _of_numbers(_better(ast.Gt())),
    np.min: _extreme(ast.Lt()),
    np.minimum: _of_numbers(_better(ast.Lt())),
    np.ones: _ones,
    np.sin: _library("sin"),
    np.sqrt: _intrinsic("sqrt"),
    np.sum: _sum,
    np.tan: _of_numbers(_tangent),
    np.where: _where,
    np.zeros: _zeros,
    np.zeros_like: lambda code, array: _like(code, array, clear=True),
    traced.absolute: _of_numbers(_absolute),
    traced.acos: _library("acos"),
    traced.asin: _library("asin"),
    traced.atan: _library("atan"),
    traced.atan2: _library("atan2"),
    traced.cos: _library("cos"),
    traced.equal: _comparison(ast.Eq()),
    traced.exp: _library("exp"),
    traced.floor: _intrinsic("floor"),
    traced.greater: _comparison(ast.Gt()),
    traced.greater_equal: _comparison(ast.GtE()),
    traced.less: _comparison(ast.Lt()),
    traced.less_equal: _comparison(ast.LtE()),
    traced.log: _library("log"),
    traced.maximum: _of_numbers(_better(ast.Gt())),
    traced.minimum: _of_numbers(_better(ast.Lt())),
    traced.sin: _library("sin"),
    traced.sqrt: _intrinsic("sqrt"),
    traced.where: _where,
}
TRANSLATORS.update(
    {
        getattr(math, name): TRANSLATORS[getattr(np, other)]
        for name, other in {
            "acos": "arccos",
            "asin": "arcsin",
            "atan": "arctan",
            "atan2": "arctan2",
            "ceil": "ceil",
            "cos": "cos",
            "exp": "exp",
            "fabs": "abs",
            "hypot": "hypot",
            "isfinite": "isfinite",
            "isnan": "isnan",
            "log": "log",
            "sin": "sin",
            "sqrt": "sqrt",
            "tan": "tan",
        }.items()
    }
)


def _whole(translate: Translator) -> Translator:
    """`math.floor`, `math.ceil`: an int."""
    return lambda code, value: converted(code, settled(code, translate(code, value)), INT)


TRANSLATORS[math.floor] = _whole(TRANSLATORS[np.floor])
TRANSLATORS[math.ceil] = _whole(TRANSLATORS[np.ceil])
