"""Functions of Python, `math`, NumPy and the tracing compiler that routines may call."""

from __future__ import annotations

import ast
import ctypes
import math
import typing
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.compiler import functions as traced
from footfall.compiler.routines.annotations import as_records, new_records, plain_record
from footfall.compiler.routines.clock import CLOCK_TRANSLATORS
from footfall.compiler.routines.lane_memory import lanes_at, put_lanes, read_lanes, write_lanes
from footfall.compiler.routines.numbers import number_constant
from footfall.compiler.routines.prefetch import PREFETCH_TRANSLATORS
from footfall.compiler.routines.types import (
    BOOL,
    DTYPES,
    FLOAT,
    INT,
    LANES,
    NOTHING,
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
from footfall.compiler.routines.whole_arrays import Lazy
from footfall.errors import RoutineError

if TYPE_CHECKING:
    from footfall.compiler.routines.expressions import Expressions as Body

Given = Value | Lazy
Translator = Callable[..., Given]


def _of_numbers(operation: Callable[..., Value]) -> Translator:
    """A function of numbers, also of the numbers in small arrays, and of one array element by element."""

    def translate(body: Body, *values: Given) -> Given:
        if len(values) == 1 and isinstance(values[0].type, ArrayType):
            return body.lazy_map(lambda value: operation(body, value), values[0])
        settled = [body.settled(value) for value in values]
        return body.elementwise(lambda *numbers: operation(body, *numbers), *settled)

    return translate


def _intrinsic(name: str) -> Translator:
    def operation(body: Body, value: Value) -> Value:
        if value.type is LANES:
            return Value(LANES, (body.intrinsic(f"{name}.v{WIDTH}f64", LANES.llvm, value.parts[0]),))
        return Value(FLOAT, (body.intrinsic(f"{name}.f64", "double", body.float(value)),))

    return _of_numbers(operation)


def _library(name: str) -> Translator:
    """A function of the C library."""

    def operation(body: Body, *values: Value) -> Value:
        if any(value.type is LANES for value in values):
            wide = [body.converted(value, LANES) for value in values]
            result = body.converted(number_constant(0.0), LANES)
            for k in map(str, range(WIDTH)):
                result = body.with_lane(result, k, operation(body, *(body.lane(value, k) for value in wide)))
            return result
        parts = [f"double {body.float(value)}" for value in values]
        body.declare(f"declare double @{name}({', '.join(['double'] * len(parts))}) nounwind readnone")
        return Value(FLOAT, (body.operation(f"call double @{name}({', '.join(parts)})"),))

    return _of_numbers(operation)


def _better(operator: ast.cmpop) -> Callable[..., Value]:
    def operation(body: Body, *values: Value) -> Value:
        _, (best, *others) = body.common(list(values))
        for value in others:
            best = body.selected(body.compare(operator, value, best), value, best)
        return best

    return operation


def _extreme(operator: ast.cmpop) -> Translator:
    """`min`, `max` of numbers."""
    operation = _better(operator)

    def translate(body: Body, *values: Value) -> Value:
        if len(values) == 1:
            return body.folded(values[0], lambda a, b: operation(body, a, b), empty=None)
        return operation(body, *values)

    return translate


def _absolute(body: Body, value: Value) -> Value:
    number, (value,) = body.common([value])
    if number in (FLOAT, LANES):
        suffix = f"v{WIDTH}f64" if number is LANES else "f64"
        return Value(number, (body.intrinsic(f"fabs.{suffix}", number.llvm, value.parts[0]),))
    negative = body.operation(f"sub nsw i64 0, {value.parts[0]}")
    return Value(INT, (body.intrinsic("smax.i64", "i64", value.parts[0], negative),))


def _is_finite(body: Body, value: Value) -> Value:
    return body.compare(ast.Lt(), _absolute(body, body.converted(value, FLOAT)), number_constant(math.inf))


def _is_nan(body: Body, value: Value) -> Value:
    value = body.converted(value, FLOAT)
    return body.compare(ast.NotEq(), value, value)


def _tangent(body: Body, value: Value) -> Value:
    body.declare("declare double @tan(double) nounwind readnone")
    return Value(FLOAT, (body.operation(f"call double @tan(double {body.float(value)})"),))


def _number(kind: Number) -> Translator:
    def translate(body: Body, value: Value) -> Value:
        return body.converted(value, kind)

    return translate


def _length(body: Body, value: Given) -> Value:
    if isinstance(value.type, ListType):
        return Value(INT, (body.list_length(body.settled(value)),))
    if isinstance(value.type, TupleType):
        return number_constant(len(value.type.items))
    if not isinstance(value.type, ArrayType | Fixed):
        raise RoutineError(f"{value.type} has no length")
    if isinstance(value, Lazy):
        return Value(INT, (value.lengths[0],))
    return body.shape_value(value)[0]


# New arrays


def _empty(body: Body, shape: Value, *, dtype: Any = np.float64) -> Value:
    if dtype not in DTYPES:
        raise RoutineError(f"no arrays of {dtype} in routines")
    return body.new_array(DTYPES[dtype], shape)


def _zeros(body: Body, shape: Value, *, dtype: Any = np.float64) -> Value:
    array = _empty(body, shape, dtype=dtype)
    body.clear(array)
    return array


def _full(body: Body, shape: Value, value: Value, *, dtype: Any = None) -> Value:
    kind = DTYPES[dtype] if dtype is not None else value.type
    if not isinstance(kind, Number):
        raise RoutineError(f"{value.type} is no number to fill an array with")
    array = body.new_array(kind, shape)
    body.put(array, value)
    return array


def _ones(body: Body, shape: Value) -> Value:
    return _full(body, shape, number_constant(1.0))


def _identity(body: Body, size: Value) -> Value:
    array = _zeros(body, tuple_of([size, size]))
    (length,) = size.parts
    step = body.operation(f"add nsw i64 {length}, 1")

    def one(k: str) -> None:
        body.store(body.at(array, body.operation(f"mul nsw i64 {k}, {step}")), number_constant(1.0))

    body.each(length, one)
    return array


def _count_up(body: Body, length: Value) -> Value:
    array = body.new_array(INT, length)
    body.each(array.parts[1], lambda k: body.store(body.at(array, k), Value(INT, (k,))))
    return array


def _like(body: Body, array: Given, *, clear: bool) -> Value:
    if not isinstance(array.type, ArrayType):
        raise RoutineError(f"{array.type} is no array")
    new = body.new_array_of(array.type.element, array.lengths if isinstance(array, Lazy) else array.parts[1:])
    if clear:
        body.clear(new)
    return new


def _new_records(body: Body, record: Value, count: Value) -> Value:
    assert isinstance(record.type, FunctionType)
    array = body.new_array(plain_record(record.type.function), count)
    body.clear(array)
    return array


def _as_records(body: Body, record: Value, numbers: Given) -> Value:
    assert isinstance(record.type, FunctionType)
    kind, floats = plain_record(record.type.function), body.settled(numbers)
    if not isinstance(floats.type, ArrayType) or any(leaf.stored != FLOAT.stored for leaf in leaves(kind)):
        raise RoutineError(f"{floats.type} as records {kind}: possible with floats on both sides")
    floats = body.as_numbers(floats)
    if not isinstance(floats.type, ArrayType) or floats.type.element is not FLOAT:
        raise RoutineError(f"{floats.type} as records {kind}: possible with floats on both sides")
    count = body.operation(f"sdiv i64 {body.elements_in(floats.parts[1:])}, {len(leaves(kind))}")
    return body.array_value(ArrayType(kind, 1), floats.parts[0], [count], all_roots(floats))


# Arrays of given values


def _array(body: Body, values: Given) -> Value:
    """`np.array` of a list of values, or a copy of an array or list."""
    if isinstance(values.type, TupleType):
        return _stacked(body, body.settled(values))
    if isinstance(values.type, ListType):
        return body.list_array(body.settled(values))
    return body.settled(values) if isinstance(values, Lazy) else body.copy(values)


def _stacked(body: Body, values: Value) -> Value:
    items = items_of(values)
    return body.stacked(
        [_stacked(body, item) if isinstance(item.type, TupleType) else item for item in items]
    )


def _concatenated(body: Body, values: Given) -> Value:
    return body.flattened(items_of(body.settled(values)))


def _same(body: Body, value: Given, **options: Any) -> Given:
    """`np.asarray` and the like: what is an array already."""
    return value


def _sum(body: Body, value: Given) -> Value:
    return body.sum_of(value)


def _norm(body: Body, value: Given) -> Value:
    squares = body.lazy_arithmetic(ast.Mult(), value, value)
    return Value(FLOAT, (body.intrinsic("sqrt.f64", "double", body.float(body.sum_of(squares))),))


def _cross(body: Body, a: Given, b: Given) -> Value:
    pair = [body.settled(value) for value in (a, b)]
    three = Fixed((3,))
    return body.cross(*(body.converted(v, three) if isinstance(v.type, ArrayType) else v for v in pair))


def _dot(body: Body, a: Given, b: Given) -> Value:
    from footfall.compiler.routines.dense import matrix_product

    one, other = body.settled(a), body.settled(b)
    if isinstance(one.type, Fixed) or isinstance(other.type, Fixed):
        return body.arithmetic(ast.MatMult(), one, other)
    return body.call(matrix_product(False, (1, 1)), [one, other])


def _where(body: Body, condition: Value, yes: Value, no: Value) -> Value:
    """Both are computed."""
    if isinstance(condition.type, Number) and not isinstance(yes.type, Fixed | Number):
        return body.selected(condition, yes, no)
    return body.elementwise(body.selected, condition, yes, no)


def _comparison(operator: ast.cmpop) -> Translator:
    return lambda body, a, b: body.compare(operator, a, b)


def call_native(address: int, inputs: Any, outputs: Any) -> None:
    """Call what a `NativeFunction` without data holds, by its address; all its inputs and outputs in an array each."""
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    prototype(address)(inputs.ctypes.data, outputs.ctypes.data, None)


def _native(body: Body, address: Value, inputs: Value, outputs: Value) -> Value:
    function = body.operation(f"inttoptr i64 {body.integer(address)} to ptr")
    body.do(f"call void {function}(ptr {inputs.parts[0]}, ptr {outputs.parts[0]}, ptr null)")
    body.written |= all_roots(outputs)
    return Value(NOTHING, ())


def _cast(body: Body, kind: Given, value: Given) -> Given:
    """`typing.cast` is for type checkers."""
    return value


# These take a list of values side by side.
SHAPERS: dict[Any, Translator] = {
    np.array: _array,
    np.concatenate: _concatenated,
    np.stack: _array,
}
TRANSLATORS: dict[Any, Translator] = {
    **CLOCK_TRANSLATORS,
    **PREFETCH_TRANSLATORS,
    abs: _of_numbers(_absolute),
    as_records: _as_records,
    bool: _number(BOOL),
    call_native: _native,
    float: _number(FLOAT),
    int: _number(INT),
    lanes_at: read_lanes,
    len: _length,
    max: _extreme(ast.Gt()),
    min: _extreme(ast.Lt()),
    new_records: _new_records,
    put_lanes: write_lanes,
    typing.cast: _cast,
    np.abs: _of_numbers(_absolute),
    np.all: lambda body, value: body.any_of(value, every=True),
    np.any: lambda body, value: body.any_of(value, every=False),
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
    np.empty_like: lambda body, array: _like(body, array, clear=False),
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
    np.zeros_like: lambda body, array: _like(body, array, clear=True),
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
    return lambda body, value: body.converted(body.settled(translate(body, value)), INT)


TRANSLATORS[math.floor] = _whole(TRANSLATORS[np.floor])
TRANSLATORS[math.ceil] = _whole(TRANSLATORS[np.ceil])
