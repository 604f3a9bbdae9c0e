"""Functions of Python, `math` and NumPy that native loops may call."""

from __future__ import annotations

import ast
import ctypes
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from footfall.compiler.errors import LoopError
from footfall.compiler.loop_arrays import Arrays
from footfall.compiler.loop_types import (
    BOOL,
    DTYPES,
    FLOAT,
    INT,
    NOTHING,
    ArrayType,
    Number,
    Value,
    constant,
    tuple_of,
)

Translator = Callable[..., Value]


def _intrinsic(name: str) -> Translator:
    def translate(body: Arrays, value: Value) -> Value:
        part = body.converted(value, FLOAT).parts[0]
        return Value(FLOAT, (body.intrinsic(f"{name}.f64", "double", part),))

    return translate


def _library(name: str) -> Translator:
    """A function of the C library."""

    def translate(body: Arrays, *values: Value) -> Value:
        parts = [f"double {body.converted(value, FLOAT).parts[0]}" for value in values]
        body.declare(f"declare double @{name}({', '.join(['double'] * len(parts))}) nounwind readnone")
        return Value(FLOAT, (body.operation(f"call double @{name}({', '.join(parts)})"),))

    return translate


def _extreme(operator: ast.cmpop) -> Translator:
    def translate(body: Arrays, *values: Value) -> Value:
        number, (best, *others) = body.common(list(values))
        for value in others:
            better = body.compare(operator, value, best).parts[0]
            pair = f"{number.llvm} {value.parts[0]}, {number.llvm} {best.parts[0]}"
            best = Value(number, (body.operation(f"select i1 {better}, {pair}"),))
        return best

    return translate


def _absolute(body: Arrays, value: Value) -> Value:
    number, (value,) = body.common([value])
    if number is FLOAT:
        return _intrinsic("fabs")(body, value)
    negative = body.operation(f"sub nsw i64 0, {value.parts[0]}")
    return Value(INT, (body.intrinsic("smax.i64", "i64", value.parts[0], negative),))


def _is_finite(body: Arrays, value: Value) -> Value:
    size = _intrinsic("fabs")(body, value)
    return body.compare(ast.Lt(), size, constant(math.inf))


def _is_nan(body: Arrays, value: Value) -> Value:
    value = body.converted(value, FLOAT)
    return body.compare(ast.NotEq(), value, value)


def _number(kind: Number) -> Translator:
    def translate(body: Arrays, value: Value) -> Value:
        return body.converted(value, kind)

    return translate


def _length(body: Arrays, value: Value) -> Value:
    if not isinstance(value.type, ArrayType) or not value.type.axes:
        raise LoopError(f"{value.type} has no length")
    return Value(INT, (value.parts[1],))


def _empty(body: Arrays, shape: Value, *, dtype: Any = np.float64) -> Value:
    if dtype not in DTYPES:
        raise LoopError(f"no arrays of {dtype} in native loops")
    return body.new_array(DTYPES[dtype], shape)


def _zeros(body: Arrays, shape: Value, *, dtype: Any = np.float64) -> Value:
    array = _empty(body, shape, dtype=dtype)
    body.clear(array)
    return array


def _full(body: Arrays, shape: Value, value: Value) -> Value:
    if not isinstance(value.type, Number):
        raise LoopError(f"{value.type} is no number to fill an array with")
    array = body.new_array(value.type, shape)
    body.put(array, value)
    return array


def _ones(body: Arrays, shape: Value) -> Value:
    return _full(body, shape, constant(1.0))


def _identity(body: Arrays, size: Value) -> Value:
    array = _zeros(body, tuple_of([size, size]))
    (length,) = size.parts
    row = Value(ArrayType(FLOAT, 1), (array.parts[0], length))
    step = body.operation(f"add nsw i64 {length}, 1")

    def place(k: str) -> Value:
        return body.at(array, body.operation(f"mul nsw i64 {k}, {step}"))

    body.each(row, lambda k: constant(1.0), place)
    return array


def call_native(address: int, inputs: Any, outputs: Any) -> None:
    """Call what a `NativeFunction` without data holds, by its address; all its inputs and outputs in an array each."""
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    prototype(address)(inputs.ctypes.data, outputs.ctypes.data, None)


def _native(body: Arrays, address: Value, inputs: Value, outputs: Value) -> Value:
    function = body.operation(f"inttoptr i64 {body.integer(address)} to ptr")
    body.do(f"call void {function}(ptr {inputs.parts[0]}, ptr {outputs.parts[0]}, ptr null)")
    body.written |= outputs.roots
    return Value(NOTHING, ())


TRANSLATORS: dict[Any, Translator] = {
    abs: _absolute,
    bool: _number(BOOL),
    call_native: _native,
    float: _number(FLOAT),
    int: _number(INT),
    len: _length,
    max: _extreme(ast.Gt()),
    min: _extreme(ast.Lt()),
    math.hypot: _library("hypot"),
    np.arccos: _library("acos"),
    np.arcsin: _library("asin"),
    np.arctan2: _library("atan2"),
    np.cos: _library("cos"),
    np.empty: _empty,
    np.eye: _identity,
    np.floor: _intrinsic("floor"),
    np.full: _full,
    np.hypot: _library("hypot"),
    np.isfinite: _is_finite,
    np.isnan: _is_nan,
    np.ones: _ones,
    np.sin: _library("sin"),
    np.sqrt: _intrinsic("sqrt"),
    np.zeros: _zeros,
}
