"""A module of LLVM with all functions that a routine calls, each for the types that it is called with."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from footfall.compiler.routines.function import Function
from footfall.compiler.routines.memory import MEMORY
from footfall.compiler.routines.numbers import float_text
from footfall.compiler.routines.types import DTYPES, FLOAT, Type, machine_types, passed_types
from footfall.errors import RoutineError

_MOST_PASSES = 30


class Manner(NamedTuple):
    """How a function is compiled that is compiled apart; see `routine`."""

    fused: bool
    quick: bool


APART: dict[Callable[..., Any], Manner] = {}  # functions that are compiled apart from what calls them


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

    fused: whether products and sums may become one instruction. sites: places in the source that failures name, by
    number. errors: what routines may raise, class and message, by number. apart: modules of functions that are compiled
    apart, by their name. own: the function that this is such a module of. finished: is called with the text of each of
    these as soon as it stands.
    """

    def __init__(
        self,
        *,
        fused: bool = False,
        own: Callable[..., Any] | None = None,
        finished: Callable[[str, Manner], None] = lambda text, manner: None,
    ) -> None:
        self.fused = fused
        self.own = own
        self.finished = finished
        self.apart: dict[str, RoutineModule] = {}
        self.functions: dict[tuple[Callable[..., Any], tuple[Type, ...]], Translated | None] = {}
        self.texts: list[str] = []
        self.entries: dict[str, str] = {}  # of functions that threads share, see `teams.py`
        self.declarations: set[str] = set()
        self.tables: dict[tuple[str, bytes], str] = {}
        self.sites: dict[int, str] = {}
        self.errors: dict[int, tuple[type[Exception], str]] = {}

    def translated(self, function: Callable[..., Any], types: tuple[Type, ...]) -> Translated:
        key = (function, types)
        if key not in self.functions:
            self.functions[key] = None
            inside = function not in APART or function is self.own
            self.functions[key] = self._translate(function, types) if inside else self._apart(function, types)
        found = self.functions[key]
        if found is None:
            raise RoutineError(f"{function.__name__} calls itself, which routines cannot")
        return found

    def text(self) -> str:
        return "\n".join(
            [*sorted(self.declarations), MEMORY, *self.tables.values(), *self.texts, *self.entries.values()]
        )

    def site(self, place: str) -> int:
        number = _number(place)
        self.sites[number] = place
        return number

    def error(self, kind: type[Exception], message: str) -> int:
        number = _number(f"{kind.__module__}.{kind.__qualname__}: {message}")
        self.errors[number] = (kind, message)
        return number

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

    def _apart(self, function: Callable[..., Any], types: tuple[Type, ...]) -> Translated:
        """A function in a module of its own, which this one is linked to."""
        name = apart_name(function, types)
        if name not in self.apart:
            manner = APART[function]
            module = RoutineModule(fused=manner.fused, own=function, finished=self.finished)
            module.apart, module.sites, module.errors = self.apart, self.sites, self.errors
            self.apart[name] = module
            module.translated(function, types)
            self.finished(module.text(), manner)
        found = self.apart[name].functions[(function, types)]
        if found is None:
            raise RoutineError(f"{function.__name__} calls itself, which routines cannot")
        parts = machine_types(found.result)
        kind = f"{{ {', '.join(parts)} }}" if parts else "void"
        listed = ", ".join(["ptr", *(part for given in types for part in passed_types(given))])
        self.declarations.add(f"declare fastcc {kind} @{name}({listed}) nounwind")
        return found

    def _translate(self, function: Callable[..., Any], types: tuple[Type, ...]) -> Translated:
        name = f"routine{len(self.functions)}_{function.__name__}"
        linkage = "internal "
        if function is self.own:
            name, linkage = apart_name(function, types), ""
        body = Function(self, function, types)
        code, variables = body.code, body.variables
        for _ in range(_MOST_PASSES):
            body.translate()
            if not code.changed:
                break
        else:
            raise RoutineError(f"the types of the variables of {function.__name__} do not settle")
        if code.unclear >= 0:
            message = "nothing is known of what this list holds: annotate it, `items: list[float] = []`"
            raise RoutineError(f"{self.sites[code.unclear]}: {message}", located=True)
        self.texts.append(body.text(name, linkage=linkage))
        return Translated(
            name,
            variables.types["return"],
            frozenset(code.written),
            variables.roots.get("return", ()),
            code.fails,
            code.grows,
        )


def apart_name(function: Callable[..., Any], types: tuple[Type, ...]) -> str:
    """What others know a function by that is compiled apart, for some types."""
    kinds = sha256(f"{function.__module__} {types!r}".encode()).hexdigest()[:16]
    return f"apart_{function.__name__}_{kinds}"


def _number(text: str) -> int:
    """A number for a text, the same in all modules."""
    return int.from_bytes(sha256(text.encode()).digest()[:5], "little")
