"""Records in routines: fields, new ones, changed copies, methods."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable
from typing import Any

from footfall.compiler.routines.annotations import Hint, TupleHint, is_record, is_struct, record_fields
from footfall.compiler.routines.lists import Lists
from footfall.compiler.routines.types import (
    RecordType,
    TupleType,
    Type,
    Value,
    items_of,
    record_of,
    roots_of,
    tuple_of,
)
from footfall.errors import RoutineError

_OPERATORS: dict[type, str] = {
    ast.Add: "__add__",
    ast.Sub: "__sub__",
    ast.Mult: "__mul__",
    ast.Div: "__truediv__",
    ast.MatMult: "__matmul__",
}


class Records(Lists):
    """Operations on values of the type `RecordType`."""

    def converted(self, value: Value, type: Type) -> Value:
        if value.type is type or value.type == type:
            return value
        if isinstance(value.type, RecordType) and isinstance(type, RecordType):
            if value.type.record is not type.record:
                raise RoutineError(f"{value.type} where {type} is needed")
            pairs = zip(items_of(value), type.items, strict=True)
            return record_of(type.record, type.names, [self.converted(item, kind) for item, kind in pairs])
        return super().converted(value, type)

    def fitted(self, value: Value, hint: Hint) -> Value:
        if isinstance(hint, TupleHint) and isinstance(value.type, TupleType):
            items = items_of(value)
            if len(items) != len(hint.items):
                raise RoutineError(f"{value.type} where a tuple of {len(hint.items)} is needed")
            return tuple_of([self.fitted(item, each) for item, each in zip(items, hint.items, strict=True)])
        if is_record(hint) and not (isinstance(value.type, RecordType) and value.type.record is hint):
            raise RoutineError(f"{value.type} where {hint.__name__} is needed")  # type: ignore[union-attr]
        return super().fitted(value, hint)

    def field(self, value: Value, name: str) -> Value:
        assert isinstance(value.type, RecordType)
        return items_of(value)[value.type.names.index(name)]

    def new_record(self, record: type, given: dict[str, Value]) -> Value:
        """A record of values by name."""
        values = []
        for name, hint in record_fields(record).items():
            if name in given:
                value = given.pop(name)
            else:
                default = _default(record, name)
                if default is dataclasses.MISSING:
                    raise RoutineError(f"{record.__name__} needs {name}")
                value = self.known(default)
            values.append(self.fitted(value, hint))
        if given:
            raise RoutineError(f"{record.__name__} has no {', '.join(given)}")
        return record_of(record, tuple(record_fields(record)), values)

    def changed_record(self, value: Value, given: dict[str, Value]) -> Value:
        """`value._replace(...)`, `dataclasses.replace(value, ...)`."""
        assert isinstance(value.type, RecordType)
        fields = dict(zip(value.type.names, items_of(value), strict=True))
        return self.new_record(value.type.record, {**fields, **given})

    @staticmethod
    def with_field(value: Value, name: str, new: Value) -> Value:
        """A record with another value in a field."""
        assert isinstance(value.type, RecordType)
        fields = dict(zip(value.type.names, items_of(value), strict=True))
        return record_of(value.type.record, value.type.names, [*{**fields, name: new}.values()])

    def known(self, value: Any) -> Value:
        """A value that is known beforehand."""
        raise NotImplementedError

    def method(self, value: Value, name: str) -> Callable[..., Any] | None:
        """The function behind a method or property of a record."""
        assert isinstance(value.type, RecordType)
        found = getattr(value.type.record, name, None)
        return found.fget if isinstance(found, property) else found

    def call(self, function: Callable[..., Any], arguments: list[Value]) -> Value:
        raise NotImplementedError

    def arithmetic(self, operator: ast.operator, left: Value, right: Value) -> Value:
        if isinstance(left.type, RecordType):
            name = _OPERATORS.get(type(operator), "")
            function = getattr(left.type.record, name, None)
            if function is None or isinstance(left.type.record.__dict__.get(name), type(tuple.__add__)):
                raise RoutineError(f"{left.type} has no {type(operator).__name__}")
            return self.call(function, [left, right])
        return super().arithmetic(operator, left, right)

    def selected(self, condition: Value, yes: Value, no: Value) -> Value:
        if not isinstance(yes.type, RecordType):
            return super().selected(condition, yes, no)
        no = self.converted(no, yes.type)
        pairs = zip(items_of(yes), items_of(no), strict=True)
        values = [self.selected(condition, one, other) for one, other in pairs]
        chosen = record_of(yes.type.record, yes.type.names, values)
        roots = tuple(a | b for a, b in zip(roots_of(yes), roots_of(no), strict=True))
        return chosen._replace(roots=roots)


def _default(record: type, name: str) -> Any:
    if dataclasses.is_dataclass(record):
        return next(field.default for field in dataclasses.fields(record) if field.name == name)
    if is_struct(record):
        return dataclasses.MISSING  # routines take these, they make none
    return record._field_defaults.get(name, dataclasses.MISSING)  # type: ignore[attr-defined]
