"""A function of a routine for some types of its arguments, as LLVM IR."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from footfall.compiler.routines.expressions import Expressions
from footfall.compiler.routines.instructions import Instructions
from footfall.compiler.routines.operations import signature_of
from footfall.compiler.routines.scope import Scope
from footfall.compiler.routines.source_analysis import (
    counters_of,
    definition,
    gives_something,
    is_merged,
    stores_of,
)
from footfall.compiler.routines.statements import Statements
from footfall.compiler.routines.types import (
    NOTHING,
    Type,
    Value,
    has_lists,
    has_memory,
    is_passed_by_address,
    machine_types,
    offsets,
)
from footfall.compiler.routines.values import load_part, offset_place
from footfall.compiler.routines.variables import Variables
from footfall.errors import RoutineError

if TYPE_CHECKING:
    from footfall.compiler.routines.module import RoutineModule

# Instructions from which on a function is not merged into those that call it: a call costs some nanoseconds of the many
# that it takes, and merging costs a third of the time to compile.
_LARGE = 350


class Function:
    """What translates one function: its instructions, its variables, what names mean in it, and its statements."""

    def __init__(self, module: RoutineModule, function: Callable[..., Any], types: tuple[Type, ...]) -> None:
        self.function, self.given, self.tree = function, types, definition(function)
        self.arguments = list(signature_of(function).parameters)
        names = {**function.__globals__, **_closure(function)}
        self.code = Instructions(module, function, self.tree.lineno)
        self.variables = Variables(self.code)
        self.scope = Scope(names, {*stores_of(self.tree), *self.arguments}, counters_of(self.tree))
        expressions = Expressions(self.code, self.variables, self.scope)
        self.statements = Statements(expressions, self.tree, self.arguments)

    def translate(self) -> None:
        """One pass over the function."""
        self.code.begin()
        self.variables.begin()
        if "return" not in self.variables.types and not gives_something(self.tree):
            self.variables.types["return"], self.variables.roots["return"] = NOTHING, ()
        first = 0
        for name, given in zip(self.arguments, self.given, strict=True):
            self._take(name, given, first)
            first += len(machine_types(given))
        self.statements.block(self.tree.body)
        self.code.jump("exit")
        if "return" not in self.variables.types:
            raise RoutineError(f"{self.function.__name__} never returns anything")

    def _take(self, name: str, given: Type, first: int) -> None:
        """Let an argument be a variable; first: number of its first machine value."""
        machines, home = machine_types(given), f"%a{first}"
        roots = tuple(
            frozenset([n]) if machine == "ptr" else frozenset[int]()
            for n, machine in enumerate(machines, first)
        )
        if not is_passed_by_address(given):
            parts = tuple(f"%a{first + k}" for k in range(len(machines)))
        elif name in stores_of(self.tree) or has_lists(given):  # it becomes another one
            parts = tuple(
                load_part(self.code, machine, offset_place(self.code, home, place))
                for machine, place in zip(machines, offsets(machines), strict=False)
            )
        else:
            self.variables.stays(name, Value(given, (), roots, home))
            return
        self.variables.assign(name, Value(given, parts, roots))

    def text(self, name: str, *, linkage: str) -> str:
        """The whole function, after the last pass."""
        result = self.variables.types["return"]
        parts = machine_types(result)
        kind = f"{{ {', '.join(parts)} }}" if parts else "void"
        listed, first = ["ptr %arena"], 0
        for given in self.given:
            machines = machine_types(given)
            if is_passed_by_address(given):
                size = offsets(machines)[-1]
                listed.append(f"ptr noalias nocapture readonly dereferenceable({size}) %a{first}")
            else:
                listed += [f"{machine} %a{first + k}" for k, machine in enumerate(machines)]
            first += len(machines)
        opening, closing = [], ["exit:"]
        keeps = has_memory(result) or (self.code.grows and any(has_lists(given) for given in self.given))
        if self.code.allocates and not keeps:  # nobody sees what it has allocated
            opening = [
                "  %mark = load ptr, ptr %arena",
                "  %used_p = getelementptr i64, ptr %arena, i64 1",
                "  %mark_used = load i64, ptr %used_p",
            ]
            closing.append("  call fastcc void @release(ptr %arena, ptr %mark, i64 %mark_used)")
        answer = "undef"
        places = self.variables.slot("return") if parts else []
        for n, (part, place) in enumerate(zip(parts, places, strict=True)):
            closing.append(f"  %r{n} = load {part}, ptr {place}")
            closing.append(f"  %s{n} = insertvalue {kind} {answer}, {part} %r{n}, {n}")
            answer = f"%s{n}"
        closing.append(f"  ret {kind} {answer}" if parts else "  ret void")
        merged = "noinline" if len(self.code.lines) > _LARGE else "inlinehint"
        merged = "alwaysinline" if is_merged(self.function) else merged
        head = f"define {linkage}fastcc {kind} @{name}({', '.join(listed)}) nounwind {merged} {{"
        return "\n".join([head, *self.code.stack, *opening, *self.code.lines, *closing, "}", ""])


def _closure(function: Callable[..., Any]) -> dict[str, Any]:
    """Values of the names that a function has from the function around it."""
    cells = function.__closure__ or ()
    return {name: cell.cell_contents for name, cell in zip(function.__code__.co_freevars, cells, strict=True)}
