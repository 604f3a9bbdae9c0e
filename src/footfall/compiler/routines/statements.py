"""Statements of routines, and the functions that they make up, as LLVM IR."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.compiler.routines.annotations import hint_of
from footfall.compiler.routines.expressions import signature_of
from footfall.compiler.routines.loops import Loops
from footfall.compiler.routines.memory import RAISED
from footfall.compiler.routines.source_analysis import (
    counters_of,
    definition,
    gives_something,
    is_merged,
    stores_of,
)
from footfall.compiler.routines.types import (
    DTYPES,
    NOTHING,
    ArrayType,
    Type,
    Value,
    has_lists,
    has_memory,
    machine_types,
    roots_of,
)
from footfall.errors import RoutineError

if TYPE_CHECKING:
    from footfall.compiler.routines.module import RoutineModule


# Instructions from which on a function is not merged into those that call it: a call costs some nanoseconds of the many
# that it takes, and merging costs a third of the time to compile.
_LARGE = 350


class Function(Loops):
    """A function for some types of its arguments."""

    def __init__(self, module: RoutineModule, function: Callable[..., Any], types: tuple[Type, ...]) -> None:
        tree = definition(function)
        self.arguments = list(signature_of(function).parameters)
        names = {**function.__globals__, **_closure(function)}
        self.module, self.function, self.tree = module, function, tree
        self.given = types
        self.line = tree.lineno
        self.exits = []
        super().__init__(names, {*stores_of(tree), *self.arguments}, counters_of(tree), fused=module.fused)

    def declare(self, line: str) -> None:
        self.module.declarations.add(line)

    def table(self, values: np.ndarray[Any, Any]) -> Value:
        if values.dtype.type not in DTYPES:
            raise RoutineError(f"no arrays of {values.dtype} in routines")
        lengths = [str(length) for length in values.shape]
        kind = ArrayType(DTYPES[values.dtype.type], values.ndim)
        return self.array_value(kind, self.module.table(values), lengths)

    def place_in_source(self) -> str:
        return f"{self.function.__code__.co_filename}:{self.line} in {self.function.__name__}"

    def site(self) -> int:
        return self.module.site(self.place_in_source())

    def translate(self) -> None:
        """One pass over the function."""
        self.begin()
        if "return" not in self.types and not gives_something(self.tree):
            self.types["return"], self.roots["return"] = NOTHING, ()
        first = 0
        for name, given in zip(self.arguments, self.given, strict=True):
            machines = machine_types(given)
            numbers = range(first, first + len(machines))
            roots = tuple(
                frozenset([n]) if machine == "ptr" else frozenset[int]()
                for n, machine in zip(numbers, machines, strict=True)
            )
            self.assign(name, Value(given, tuple(f"%a{n}" for n in numbers), roots))
            first += len(machines)
        self.block(self.tree.body)
        self.jump("exit")
        if "return" not in self.types:
            raise RoutineError(f"{self.function.__name__} never returns anything")

    def text(self, name: str, *, linkage: str) -> str:
        """The whole function, after the last pass."""
        result = self.types["return"]
        parts = machine_types(result)
        kind = f"{{ {', '.join(parts)} }}" if parts else "void"
        arguments = [part for given in self.given for part in machine_types(given)]
        listed = ", ".join(["ptr %arena", *(f"{part} %a{n}" for n, part in enumerate(arguments))])
        opening, closing = [], ["exit:"]
        keeps = has_memory(result) or (self.grows and any(has_lists(given) for given in self.given))
        if self.allocates and not keeps:  # nobody sees what it has allocated
            opening = [
                "  %mark = load ptr, ptr %arena",
                "  %used_p = getelementptr i64, ptr %arena, i64 1",
                "  %mark_used = load i64, ptr %used_p",
            ]
            closing.append("  call fastcc void @release(ptr %arena, ptr %mark, i64 %mark_used)")
        answer = "undef"
        places = self.slot("return") if parts else []
        for n, (part, place) in enumerate(zip(parts, places, strict=True)):
            closing.append(f"  %r{n} = load {part}, ptr {place}")
            closing.append(f"  %s{n} = insertvalue {kind} {answer}, {part} %r{n}, {n}")
            answer = f"%s{n}"
        closing.append(f"  ret {kind} {answer}" if parts else "  ret void")
        merged = "noinline" if len(self.lines) > _LARGE else "inlinehint"
        merged = "alwaysinline" if is_merged(self.function) else merged
        head = f"define {linkage}fastcc {kind} @{name}({listed}) nounwind {merged} {{"
        return "\n".join([head, *self.stack, *opening, *self.lines, *closing, "}", ""])

    # Statements

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            method = getattr(self, f"_{type(statement).__name__}", None)
            self.line = statement.lineno
            try:
                if method is None:
                    raise RoutineError(f"cannot translate `{ast.unparse(statement)}`")
                method(statement)
            except RoutineError as error:
                if error.located:
                    raise
                self.line = statement.lineno
                raise RoutineError(f"{self.place_in_source()}: {error}", located=True) from error

    def _Pass(self, node: ast.Pass) -> None:
        pass

    def _Assert(self, node: ast.Assert) -> None:
        pass  # for type checkers

    def _Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.expression(node.value)

    def _Raise(self, node: ast.Raise) -> None:
        """An error of a known class with a known message."""
        call = node.exc
        if not isinstance(call, ast.Call) or not all(isinstance(a, ast.Constant) for a in call.args):
            raise RoutineError("routines raise errors with a message that is known beforehand")
        kind = self.resolved(call.func)
        message = "".join(str(a.value) for a in call.args if isinstance(a, ast.Constant))
        self.fail(RAISED + self.module.error(kind, message), str(self.site()))
        self.place(self.label())

    def _If(self, node: ast.If) -> None:
        known = self.known_condition(node.test)
        if known is not None:
            self.block(node.body if known else node.orelse)
            return
        then, other, end = self.label(), self.label(), self.label()
        self.branch(self.condition(node.test), then, other)
        for label, statements in ((then, node.body), (other, node.orelse)):
            self.place(label)
            self.block(statements)
            self.jump(end)
        self.place(end)

    def _Return(self, node: ast.Return) -> None:
        if node.value is not None:
            hint = hint_of(self.function.__annotations__.get("return"), self.names)
            self.assign("return", self.fitted(self.expression(node.value), hint))
        self.leave("exit")

    # Calls

    def call(self, function: Callable[..., Any], arguments: list[Value]) -> Value:
        """Another routine, or a plain function that is translated like one."""
        arguments = [self.fitted_argument(function, k, value) for k, value in enumerate(arguments)]
        found = self.module.translated(function, tuple(value.type for value in arguments))
        flat = [roots for value in arguments for roots in roots_of(value)]
        for k in found.written:
            self.written |= flat[k]
        if found.grows:
            self.note(
                allocates=True, grows=any(all_roots for value in arguments for all_roots in roots_of(value))
            )
        parts = machine_types(found.result)
        kind = f"{{ {', '.join(parts)} }}" if parts else "void"
        listed = ["ptr %arena"]
        for value in arguments:
            typed = zip(machine_types(value.type), value.parts, strict=True)
            listed += [f"{machine} {part}" for machine, part in typed]
        call = f"call fastcc {kind} @{found.name}({', '.join(listed)})"
        values: tuple[str, ...] = ()
        if parts:
            answer = self.operation(call)
            values = tuple(self.operation(f"extractvalue {kind} {answer}, {n}") for n in range(len(parts)))
        else:
            self.do(call)
        if has_memory(found.result):
            self.note(allocates=True)
        if found.fails:
            self.leave_if_failed()
        roots = tuple(frozenset[int]().union(*(flat[k] for k in given)) for given in found.given)
        return Value(found.result, values, roots)


def _closure(function: Callable[..., Any]) -> dict[str, Any]:
    """Values of the names that a function has from the function around it."""
    cells = function.__closure__ or ()
    return {name: cell.cell_contents for name, cell in zip(function.__code__.co_freevars, cells, strict=True)}
