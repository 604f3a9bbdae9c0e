"""Native loops: functions of numbers and arrays in plain Python, translated as they stand.

For what is a loop rather than a formula: its course depends on values, so that it cannot be traced. `compiled_loop`
takes a small part of Python, and compiles it ten times sooner than Numba does: numbers, contiguous arrays, tuples;
`for` over ranges, `while`, `if`; arithmetic, comparisons, elements and leading slices of arrays; what `loop_calls`
lists; other such functions. It is typed by its arguments, numbers by their annotations. Loops that need more are
`native_loop`s of Numba.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache, update_wrapper
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from footfall.compiler import cache as disk
from footfall.compiler import machine
from footfall.compiler.builtin import WITH_ARGUMENTS, new_builtin
from footfall.compiler.errors import LoopError
from footfall.compiler.loop_entry import ENTRY, entry_function
from footfall.compiler.loop_functions import Loop, LoopModule, argument_type
from footfall.compiler.loop_types import BOOL, DTYPES, FLOAT, INT, ArrayType, Number, Type

F = TypeVar("F", bound=Callable[..., Any])


def compiled_loop(function: F) -> F:
    """Compile a function on first use and keep its code on disk; the interpreter's lock is released meanwhile."""
    return cast(F, CompiledLoop(function))


class _Code(NamedTuple):
    """Native code for some types: what Python calls, the same without a way out, and which arguments change."""

    call: Callable[..., Any]
    strict: Callable[..., Any]
    written: tuple[int, ...]


class CompiledLoop(Loop):
    """A function that runs as native code; `python`, the function as it was written, gives the same."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.python = function
        self.name = function.__name__
        update_wrapper(self, function)
        self._codes: dict[tuple[Type, ...], _Code] = {}
        self._lock = threading.Lock()
        self._call: Callable[..., Any] = self._general

    def __call__(self, *arguments: Any) -> Any:
        return self._call(*arguments)

    def __reduce__(self) -> str:
        return self.python.__qualname__  # found in its module

    def _general(self, *arguments: Any) -> Any:
        """Whatever the code of the first types does not take: other types, arrays that must be copied, errors."""
        names = self.python.__code__.co_varnames[: self.python.__code__.co_argcount]
        if len(arguments) != len(names):
            raise LoopError(f"{self.name} takes {', '.join(names)}, not {len(arguments)} arguments")
        found = [
            self._type(k, name, value) for k, (name, value) in enumerate(zip(names, arguments, strict=True))
        ]
        code = self._code(tuple(found))
        exact = [_exact(value, type) for value, type in zip(arguments, found, strict=True)]
        for k in code.written:
            if not arguments[k].flags.writeable:
                raise LoopError(f"{self.name}: {names[k]} is written to, but is read-only")
        result = code.strict(*exact)
        for k in code.written:
            if exact[k] is not arguments[k]:
                arguments[k][...] = exact[k]
        return result

    def _type(self, number: int, name: str, value: Any) -> Type:
        if isinstance(value, np.ndarray) and value.ndim:
            element = DTYPES.get(value.dtype.type)
            if element is None:
                raise LoopError(
                    f"{self.name}: {name} has the type {value.dtype}; there are float64, int64, bool"
                )
            return ArrayType(element, value.ndim)
        given: Type
        if isinstance(value, bool | np.bool_):
            given = BOOL
        elif isinstance(value, int | np.integer):
            given = INT
        elif isinstance(value, float | np.floating) or (
            isinstance(value, np.ndarray) and value.dtype == float
        ):
            given = FLOAT
        else:
            raise LoopError(f"{self.name}: {name} is {type(value).__name__}, neither a number nor an array")
        wanted = argument_type(self.python, number, given)
        if wanted is INT and given is FLOAT:
            raise LoopError(f"{self.name}: {name} is {value!r}, not an int")
        return wanted

    def _code(self, types: tuple[Type, ...]) -> _Code:
        with self._lock:
            if types not in self._codes:
                code = self._codes[types] = self._load(types)
                if len(self._codes) == 1:
                    self._call = code.call
            return self._codes[types]

    def _load(self, types: tuple[Type, ...]) -> _Code:
        """From the cache, or compiled."""
        place = disk.key_of(
            "loop", _content(self.python), repr(types), machine.identity(), _translator_source()
        )
        entry = disk.read(place)
        if entry is None:
            module = LoopModule()
            function = module.translated(self.python, types)
            text = module.text() + entry_function(function, types)
            entry = disk.Entry({"written": sorted(function.written)}, machine.compile_optimised(text))
            disk.write(place, entry)
        addresses, library = machine.load_objects([entry.code], (ENTRY,), {})
        calls = [
            new_builtin(
                self.name,
                addresses[ENTRY],
                WITH_ARGUMENTS,
                fallback=way,
                check_finite=False,
                owner=library,
            )
            for way in (self._general, self._refuse)
        ]
        return _Code(calls[0], calls[1], tuple(entry.facts["written"]))

    def _refuse(self, *arguments: Any) -> Any:
        kinds = ", ".join(type(value).__name__ for value in arguments)
        raise LoopError(f"{self.name} cannot take {kinds}")


def _exact(value: Any, type: Type) -> Any:
    """As native code takes it; a copy of arrays that are not contiguous or whose type is another object."""
    if isinstance(type, Number):
        return {FLOAT: float, INT: int, BOOL: bool}[type](value)
    assert isinstance(type, ArrayType)
    own = np.dtype({FLOAT: np.float64, INT: np.int64, BOOL: np.bool_}[type.element])
    if value.__class__ is np.ndarray and value.dtype is own and value.flags.carray:
        return value
    copy = np.empty(value.shape, own)
    copy[...] = value
    return copy


def _content(function: Callable[..., Any]) -> str:
    """All that a function does: its code, that of the loops it calls, and the constants it uses."""
    parts: list[str] = []
    pending, seen = [function], set()
    while pending:
        one = pending.pop()
        if one in seen:
            continue
        seen.add(one)
        code = one.__code__
        parts.append(
            repr((code.co_code, code.co_consts, code.co_names, code.co_varnames, one.__annotations__))
        )
        for name in code.co_names:
            value = one.__globals__.get(name)
            if isinstance(value, CompiledLoop):
                pending.append(value.python)
            elif isinstance(value, bool | int | float | np.number):
                parts.append(f"{name}={value!r}")
    return sha256("\0".join(parts).encode()).hexdigest()


@cache
def _translator_source() -> str:
    """Another translator, other code."""
    digest = sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if "loop" in path.name or path.name in ("interface.py", "builtin.py", "machine.py"):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
