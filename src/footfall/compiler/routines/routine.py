"""Routines: functions of numbers, arrays and records in plain Python, translated as they stand.

For what is a loop rather than a formula: its course depends on values, so that it cannot be traced. A routine is
written in a small part of Python: numbers, small vectors and matrices, contiguous arrays, tuples, records (named tuples
and frozen dataclasses, with their methods), lists that grow; `for`, `while`, `if`; arithmetic, comparisons; what
`library` lists; other routines and plain functions of that kind. It is typed by its arguments and their annotations,
translated by LLVM on first use, and kept on disk.
"""

from __future__ import annotations

import builtins
import threading
from collections.abc import Callable
from functools import cache, update_wrapper
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast, overload

import numpy as np

from footfall.compiler import cache as disk
from footfall.compiler import machine
from footfall.compiler.builtin import WITH_ARGUMENTS, new_builtin
from footfall.compiler.making_time import making_code
from footfall.compiler.routines.annotations import (
    dtype_of,
    hint_of,
    is_struct,
    record_dtype,
    record_fields,
    record_of_dtype,
    type_of,
)
from footfall.compiler.routines.dependencies import Content, content_of, full_name
from footfall.compiler.routines.entry import ENTRY, TUPLE_ITEMS, entry_function
from footfall.compiler.routines.instructions import checked
from footfall.compiler.routines.linked_code import SHARED, LinkedCode, codes_of, known_entry
from footfall.compiler.routines.memory import NO_MEMORY, OUTSIDE, RAISED
from footfall.compiler.routines.module import APART, Manner, RoutineModule
from footfall.compiler.routines.operations import signature_of
from footfall.compiler.routines.source_analysis import Translatable
from footfall.compiler.routines.types import (
    BOOL,
    FLOAT,
    INT,
    NOTHING,
    ArrayType,
    Fixed,
    Number,
    RecordType,
    TupleType,
    Type,
    machine_types,
)
from footfall.errors import RoutineError, RoutineFailed

F = TypeVar("F", bound=Callable[..., Any])


@overload
def routine(function: F) -> F: ...
@overload
def routine(*, fused: bool = False, apart: bool = False, quick: bool = False) -> Callable[[F], F]: ...
def routine(
    function: F | None = None, *, fused: bool = False, apart: bool = False, quick: bool = False
) -> F | Callable[[F], F]:
    """Compile a function on first use and keep its code on disk; the interpreter's lock is released while it runs.

    fused: whether a product and a sum, here and in all that it calls, may become one instruction that rounds once:
    faster, but not with the bits of the function as it was written. apart: whether routines that call it are linked to
    its code instead of taking it in: it is compiled once for all of them, at the same time as they are. quick: whether
    to compile it in two thirds of the time, for what has few steps and is called seldom.
    """
    if function is None:
        return lambda later: cast(F, Routine(later, fused=fused, apart=apart, quick=quick))
    return cast(F, Routine(function, fused=fused, apart=apart, quick=quick))


class _Code(NamedTuple):
    """Native code for some types: what Python calls, the same without a way out, and which arrays change.

    written: numbers of the machine values that lead to them.
    """

    call: Callable[..., Any]
    strict: Callable[..., Any]
    written: frozenset[int]


class Routine(Translatable):
    """A function that runs as native code; `python`, the function as it was written, gives the same."""

    def __init__(
        self, function: Callable[..., Any], *, fused: bool = False, apart: bool = False, quick: bool = False
    ) -> None:
        if apart:
            APART[function] = Manner(fused, quick)
        self.python = function
        self.fused = fused
        self.quick = quick
        self.name = function.__name__
        update_wrapper(self, function)
        self._codes: dict[tuple[Type, ...], _Code] = {}
        self._lock = threading.Lock()
        self._calls: list[Callable[..., Any]] = []  # of all of these
        self._call: Callable[..., Any] = self._general

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._general(*arguments, **named) if named else self._call(*arguments)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """A method of a record, like any function."""
        return self if instance is None else self.python.__get__(instance, owner)

    def __reduce__(self) -> str:
        return self.python.__qualname__  # found in its module

    def __repr__(self) -> str:
        return f"<routine {self.name}>"

    def _general(self, *arguments: Any, **named: Any) -> Any:
        """Whatever the code of the first types does not take: other types, arrays that must be copied, errors."""
        signature = signature_of(self.python)
        try:
            given = signature.bind(*arguments, **named)
        except TypeError as error:
            raise RoutineError(f"{self.name} takes {', '.join(signature.parameters)}: {error}") from error
        given.apply_defaults()
        names, values = list(given.arguments), list(given.arguments.values())
        types = tuple(self._type(name, value) for name, value in zip(names, values, strict=True))
        code = self._code(types)
        fitting = _Fitting(code.written)
        exact = [
            fitting.exact(value, kind, name) for name, value, kind in zip(names, values, types, strict=True)
        ]
        if fitting.frozen:
            raise RoutineError(f"{self.name}: {fitting.frozen} is written to, but is read-only")
        result = code.strict(*exact)
        for original, copy in fitting.copies:
            original[...] = copy
        return result

    def prepare(self, *arguments: Any) -> None:
        """Load or compile the code for arguments such as these, without running it."""
        names = list(signature_of(self.python).parameters)
        self._code(tuple(self._type(name, value) for name, value in zip(names, arguments, strict=True)))

    def type_of_argument(self, number: int, value: Any) -> Type:
        """The type of what is given as an argument, by its number."""
        return self._type(list(signature_of(self.python).parameters)[number], value)

    def _type(self, name: str, value: Any) -> Type:
        hint = hint_of(self.python.__annotations__.get(name), self.python.__globals__)
        try:
            return type_of(value, hint, name)
        except RoutineError as error:
            raise RoutineError(f"{self.name}: {error}") from None

    def _code(self, types: tuple[Type, ...]) -> _Code:
        with self._lock:
            if types not in self._codes:
                code = self._codes[types] = self._load(types)
                self._calls.append(code.call)
                self._call = self._calls[0]
            return self._codes[types]

    def _otherwise(self, number: int) -> Callable[..., Any]:
        """What a code calls for arguments that it does not take: the code of the next types, if there is one."""

        def others(*arguments: Any) -> Any:
            following = self._calls[number + 1 : number + 2]
            return following[0](*arguments) if following else self._general(*arguments)

        return others

    @making_code()
    def _load(self, types: tuple[Type, ...]) -> _Code:
        """From the cache, or compiled."""
        content = content_of(self.python)
        place, entry = known_entry(
            "routine", content.key, repr(types), str(self.fused), str(self.quick), *surroundings()
        )
        codes = None if entry is None else codes_of(entry)
        if entry is None or codes is None:
            linked = LinkedCode()
            module = RoutineModule(fused=self.fused, finished=linked.begin)
            try:
                function = module.translated(self.python, types)
            except RoutineError as error:  # the way through the translator says nothing to its user
                raise RoutineError(str(error), located=error.located) from None
            objects: list[object] = [None]  # the first is `failed`
            text = entry_function(function, types, objects)
            facts: dict[str, Any] = {
                **SHARED,
                "written": sorted(function.written),
                "sites": {str(number): place for number, place in module.sites.items()},
                "errors": {
                    str(n): [full_name(kind), message] for n, (kind, message) in module.errors.items()
                },
                "objects": [_description(value) for value in objects[1:]],
            }
            facts["apart"], codes = linked.finish(module.text() + text, quick=self.quick)
            entry = disk.Entry(facts, codes[0])
            disk.write(place, entry)
        addresses, library = machine.load_objects(codes, (ENTRY,), {})
        failed = _failure(self.name, content, entry.facts)
        objects = [failed, *(_described(value, content) for value in entry.facts["objects"])]
        calls = [
            new_builtin(
                self.name,
                addresses[ENTRY],
                WITH_ARGUMENTS,
                fallback=way,
                check_finite=False,
                objects=objects,
                owner=library,
            )
            for way in (self._otherwise(len(self._codes)), self._refuse)
        ]
        return _Code(calls[0], calls[1], frozenset(entry.facts["written"]))

    def _refuse(self, *arguments: Any) -> Any:
        kinds = ", ".join(type(value).__name__ for value in arguments)
        raise RoutineError(f"{self.name} cannot take {kinds}")


class _Fitting:
    """Makes arguments exactly what native code takes.

    written: see `_Code`. copies: arrays that are written to, with the copies that native code gets. frozen: the name
    of one that must not be written to.
    """

    def __init__(self, written: frozenset[int]) -> None:
        self.written = written
        self.next = 0
        self.copies: list[tuple[Any, Any]] = []
        self.frozen = ""

    def exact(self, value: Any, kind: Type, name: str) -> Any:
        """A copy of arrays that are not contiguous or whose type is another object."""
        if isinstance(kind, RecordType):
            fields = [
                self.exact(getattr(value, field), item, f"{name}.{field}")
                for field, item in zip(kind.names, kind.items, strict=True)
            ]
            same = all(new is getattr(value, field) for new, field in zip(fields, kind.names, strict=True))
            return value if same else _new_record(kind.record, fields)
        if kind == NOTHING:
            return value
        if isinstance(kind, TupleType):
            return tuple(self.exact(item, each, name) for item, each in zip(value, kind.items, strict=True))
        first = self.next
        self.next += len(machine_types(kind))
        if isinstance(kind, Number):
            return {FLOAT: float, INT: int, BOOL: bool}[kind](value)
        if isinstance(kind, Fixed):
            return np.ascontiguousarray(value, dtype=np.float64)
        assert isinstance(kind, ArrayType)
        if first in self.written and not value.flags.writeable:
            self.frozen = name
        own = dtype_of(kind)
        flags = value.flags
        if value.__class__ is np.ndarray and value.dtype is own and flags.c_contiguous and flags.aligned:
            return value
        copy = np.empty(value.shape, own)
        copy[...] = value
        if first in self.written:
            self.copies.append((value, copy))
        return copy


def _new_record(record: type, fields: list[Any]) -> Any:
    if issubclass(record, tuple):
        return tuple.__new__(record, fields)
    if is_struct(record):
        return record(**dict(zip(record_fields(record), fields, strict=True)))
    made = object.__new__(record)
    for name, value in zip(record_fields(record), fields, strict=True):
        object.__setattr__(made, name, value)
    return made


def _description(value: object) -> list[str]:
    """An object that an entry needs, as text."""
    if isinstance(value, str):
        return ["name", value]
    if isinstance(value, np.dtype):
        return (
            ["dtype", value.name] if value.names is None else ["records", full_name(record_of_dtype(value))]
        )
    assert isinstance(value, type)
    return ["class", full_name(value)]


def _described(text: list[str], content: Content) -> object:
    """The object that such a text stands for."""
    kind, name = text
    if kind == "name":
        return name
    if kind == "dtype":
        return np.dtype(name)
    if kind == "records":
        return record_dtype(content.classes[name])
    return tuple if name == "builtins.tuple" else content.classes[name]


def _failure(name: str, content: Content, facts: dict[str, Any]) -> Callable[[int, int, int], None]:
    """What raises the error of a routine that has failed."""

    def failed(failure: int, detail: int, number: int) -> None:
        if failure == NO_MEMORY:
            raise MemoryError(f"{name}: no memory for {detail} bytes")
        if failure == OUTSIDE:
            raise RoutineFailed(f"{facts['sites'][str(detail)]}: {number} is outside")
        kind, message = facts["errors"][str(failure - RAISED)]
        known: Any = content.classes.get(kind) or getattr(builtins, kind.rpartition(".")[2], RoutineFailed)
        raise known(message)

    return failed


def surroundings() -> tuple[str, ...]:
    """What the code of a routine depends on besides the routine and the machine."""
    return _translator_source(), str(TUPLE_ITEMS), f"checked {checked()}"


@cache
def _translator_source() -> str:
    """Another translator, other code."""
    here = Path(__file__).parent
    digest = sha256()
    beside = [here.parent / name for name in ("interface.py", "builtin.py", "machine.py", "functions.py")]
    for path in sorted([*here.glob("*.py"), *beside]):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
