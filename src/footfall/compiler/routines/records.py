"""Records in routines (fields, new ones, changed copies, methods), and all values that are known beforehand."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from footfall.compiler.routines.annotations import is_record, is_struct, record_fields
from footfall.compiler.routines.instructions import Instructions
from footfall.compiler.routines.numbers import number_constant
from footfall.compiler.routines.source_analysis import as_written
from footfall.compiler.routines.types import (
    DTYPES,
    NOTHING,
    ArrayType,
    FunctionType,
    RecordType,
    Value,
    items_of,
    record_of,
    tuple_of,
)
from footfall.compiler.routines.values import array_value, fitted
from footfall.compiler.routines.vectors import constant_fixed
from footfall.errors import RoutineError

_SMALL_TABLE = 9  # numbers of a global array that is held in registers


def field_of(value: Value, name: str) -> Value:
    assert isinstance(value.type, RecordType)
    return items_of(value)[value.type.names.index(name)]


def known(code: Instructions, value: Any) -> Value:
    """A value that is known beforehand."""
    if value is None:
        return Value(NOTHING, ())
    value = as_written(value)
    if isinstance(value, types.FunctionType | types.BuiltinFunctionType | np.ufunc | type):
        return Value(FunctionType(value), ())
    if is_record(type(value)):
        fields = record_fields(type(value))
        values = [fitted(code, known(code, getattr(value, name)), hint) for name, hint in fields.items()]
        return record_of(type(value), tuple(fields), values)
    if isinstance(value, tuple):
        return tuple_of([known(code, item) for item in value])
    if isinstance(value, np.ndarray) and value.ndim:
        small = value.dtype == np.float64 and 0 < value.size <= _SMALL_TABLE
        return constant_fixed(code, value.shape, list(value.flat)) if small else _table(code, value)
    return number_constant(value)


def _table(code: Instructions, values: np.ndarray[Any, Any]) -> Value:
    """A global array: its numbers as they are now."""
    if values.dtype.type not in DTYPES:
        raise RoutineError(f"no arrays of {values.dtype} in routines")
    lengths = [str(length) for length in values.shape]
    return array_value(ArrayType(DTYPES[values.dtype.type], values.ndim), code.module.table(values), lengths)


def new_record(code: Instructions, record: type, given: dict[str, Value]) -> Value:
    """A record of values by name."""
    values = []
    for name, hint in record_fields(record).items():
        if name in given:
            value = given.pop(name)
        else:
            default = _default(record, name)
            if default is dataclasses.MISSING:
                raise RoutineError(f"{record.__name__} needs {name}")
            value = known(code, default)
        values.append(fitted(code, value, hint))
    if given:
        raise RoutineError(f"{record.__name__} has no {', '.join(given)}")
    return record_of(record, tuple(record_fields(record)), values)


def changed_record(code: Instructions, value: Value, given: dict[str, Value]) -> Value:
    """`value._replace(...)`, `dataclasses.replace(value, ...)`."""
    assert isinstance(value.type, RecordType)
    fields = dict(zip(value.type.names, items_of(value), strict=True))
    return new_record(code, value.type.record, {**fields, **given})


def with_field(value: Value, name: str, new: Value) -> Value:
    """A record with another value in a field."""
    assert isinstance(value.type, RecordType)
    fields = dict(zip(value.type.names, items_of(value), strict=True))
    return record_of(value.type.record, value.type.names, [*{**fields, name: new}.values()])


def method_of(value: Value, name: str) -> Callable[..., Any] | None:
    """The function behind a method or property of a record."""
    assert isinstance(value.type, RecordType)
    found = getattr(value.type.record, name, None)
    return found.fget if isinstance(found, property) else found


def _default(record: type, name: str) -> Any:
    if dataclasses.is_dataclass(record):
        return next(field.default for field in dataclasses.fields(record) if field.name == name)
    if is_struct(record):
        return dataclasses.MISSING  # routines take these, they make none
    return record._field_defaults.get(name, dataclasses.MISSING)  # type: ignore[attr-defined]
