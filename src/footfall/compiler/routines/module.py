"""A module of LLVM with all functions that a routine calls, each for the types that it is called with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from footfall.compiler.routines.memory import MEMORY
from footfall.compiler.routines.numbers import float_text
from footfall.compiler.routines.statements import Function
from footfall.compiler.routines.types import DTYPES, FLOAT, Type
from footfall.errors import RoutineError

_MOST_PASSES = 30


class Translated(NamedTuple):
    """A function in the module. written: which machine values among its arguments lead to memory that it changes;
    given: for each machine value of the result, in whose memory it may lie. fails, grows: see `Instructions`."""

    name: str
    result: Type
    written: frozenset[int]
    given: tuple[frozenset[int], ...]
    fails: bool
    grows: bool


class RoutineModule:
    """Functions that call one another, each for the types that it is called with.

    fused: whether products and sums may become one instruction. sites: places in the source that failures name.
    errors: what routines may raise, class and message.
    """

    def __init__(self, *, fused: bool = False) -> None:
        self.fused = fused
        self.functions: dict[tuple[Callable[..., Any], tuple[Type, ...]], Translated | None] = {}
        self.texts: list[str] = []
        self.declarations: set[str] = set()
        self.tables: dict[tuple[str, bytes], str] = {}
        self.sites: list[str] = []
        self.errors: list[tuple[type[Exception], str]] = []

    def translated(self, function: Callable[..., Any], types: tuple[Type, ...]) -> Translated:
        key = (function, types)
        if key not in self.functions:
            self.functions[key] = None
            self.functions[key] = self._translate(function, types)
        found = self.functions[key]
        if found is None:
            raise RoutineError(f"{function.__name__} calls itself, which routines cannot")
        return found

    def text(self) -> str:
        return "\n".join([*sorted(self.declarations), MEMORY, *self.tables.values(), *self.texts])

    def site(self, place: str) -> int:
        if place not in self.sites:
            self.sites.append(place)
        return self.sites.index(place)

    def error(self, kind: type[Exception], message: str) -> int:
        if (kind, message) not in self.errors:
            self.errors.append((kind, message))
        return self.errors.index((kind, message))

    def table(self, values: np.ndarray[Any, Any]) -> str:
        """The name of a constant array."""
        kind = DTYPES[values.dtype.type]
        key = (kind.stored, np.ascontiguousarray(values).tobytes())
        if key not in self.tables:
            texts = [
                f"{kind.stored} {float_text(number) if kind is FLOAT else int(number)}"
                for number in values.flat
            ]
            self.tables[key] = (
                f"@table{len(self.tables)} = internal constant [{values.size} x {kind.stored}] "
                f"[{', '.join(texts)}], align 64"
            )
        return f"@table{list(self.tables).index(key)}"

    def _translate(self, function: Callable[..., Any], types: tuple[Type, ...]) -> Translated:
        name = f"routine{len(self.functions)}_{function.__name__}"
        body = Function(self, function, types)
        for _ in range(_MOST_PASSES):
            body.translate()
            if not body.changed:
                break
        else:
            raise RoutineError(f"the types of the variables of {function.__name__} do not settle")
        if body.unclear >= 0:
            message = "nothing is known of what this list holds: annotate it, `items: list[float] = []`"
            raise RoutineError(f"{self.sites[body.unclear]}: {message}", located=True)
        self.texts.append(body.text(name))
        return Translated(
            name,
            body.types["return"],
            frozenset(body.written),
            body.roots.get("return", ()),
            body.fails,
            body.grows,
        )
