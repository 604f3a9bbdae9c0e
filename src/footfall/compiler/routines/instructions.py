"""Instructions and variables of one routine, as LLVM IR.

A function is translated several times, until the types of its variables are known: a variable is a float if a float
is assigned to it anywhere. Results of `a if c else b` and of `and`, `or` are variables too, known by their place.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from footfall.compiler.routines.memory import FAILURE, FIRST_DETAIL
from footfall.compiler.routines.types import (
    FunctionType,
    Type,
    Value,
    joined,
    machine_types,
    roots_of,
)
from footfall.errors import RoutineError


class Instructions:
    """Writes the instructions of one function, and knows what it has found out about it.

    fused: whether products and sums may become one instruction, which rounds once. written: machine values among the
    arguments whose memory is changed. allocates: whether it takes memory of the arena. fails: whether it may end early,
    see `memory`. grows: whether it lets a list of its caller grow.
    """

    def __init__(self, *, fused: bool = False) -> None:
        self.fused = fused
        self.types: dict[Hashable, Type] = {}
        self.roots: dict[Hashable, tuple[frozenset[int], ...]] = {}
        self.written: set[int] = set()
        self.allocates = self.fails = self.grows = False
        self.begin()

    def begin(self) -> None:
        """Start from the top, with what is known of variables."""
        self.changed = False
        self.lines: list[str] = []
        self.slots: dict[Hashable, tuple[Type, list[str]]] = {}
        self.stack: list[str] = []  # allocations of the entry block
        self.unclear = -1  # where a list is read of which nothing is known, number of the place in the source
        self.count = 0

    def operation(self, text: str) -> str:
        """Append an instruction with a result; its name."""
        self.count += 1
        self.lines.append(f"  %t{self.count} = {text}")
        return f"%t{self.count}"

    def do(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def label(self) -> str:
        self.count += 1
        return f"b{self.count}"

    def place(self, label: str) -> None:
        self.lines.append(f"{label}:")

    def jump(self, label: str) -> None:
        self.do(f"br label %{label}")

    def declare(self, line: str) -> None:
        """Something that is defined elsewhere."""
        raise NotImplementedError

    def intrinsic(self, name: str, machine: str, *operands: str) -> str:
        self.declare(f"declare {machine} @llvm.{name}({', '.join([machine] * len(operands))})")
        given = ", ".join(f"{machine} {operand}" for operand in operands)
        return self.operation(f"call {machine} @llvm.{name}({given})")

    # Variables

    def assign(self, key: Hashable, value: Value) -> None:
        before = self.types.get(key)
        type = value.type if before is None else joined(before, value.type)
        value = self.converted(value, type)
        known = self.roots.get(key, ())
        mine = roots_of(value)
        roots = tuple(a | b for a, b in zip(known, mine, strict=True)) if len(known) == len(mine) else mine
        self.changed |= before is not None and (type != before or roots != known)
        self.types[key], self.roots[key] = type, roots
        for part, place, machine in zip(value.parts, self.slot(key), machine_types(type), strict=True):
            self.do(f"store {machine} {part}, ptr {place}")

    def read(self, key: Hashable) -> Value:
        if key not in self.types:
            raise RoutineError(f"{key!r} has no value here")
        return self.read_parts(key, self.types[key], 0)

    def read_parts(self, key: Hashable, type: Type, first: int) -> Value:
        """A value of some type among the machine values of a variable, from a number on."""
        machines = machine_types(type)
        chosen = slice(first, first + len(machines))
        places = zip(machines, self.slot(key)[chosen], strict=True)
        parts = tuple(self.operation(f"load {machine}, ptr {place}") for machine, place in places)
        return Value(type, parts, self.roots[key][chosen])

    def slot(self, key: Hashable) -> list[str]:
        """Where a variable is kept; LLVM makes registers of it."""
        type = self.types[key]
        if self.slots.get(key, (None,))[0] != type:
            self.slots[key] = (type, [self.reserve(machine) for machine in machine_types(type)])
        return self.slots[key][1]

    def reserve(self, machine: str) -> str:
        """Memory of the function's own frame."""
        self.count += 1
        alignment = 64 if machine.startswith("<") else 8  # as LLVM takes it to be where nothing else is said
        self.stack.append(f"  %v{self.count} = alloca {machine}, align {alignment}")
        return f"%v{self.count}"

    def converted(self, value: Value, type: Type) -> Value:
        raise NotImplementedError

    # What may go wrong

    def note(self, **facts: bool) -> None:
        """Take down what the function does; one more pass if that is new."""
        for name, holds in facts.items():
            if holds and not getattr(self, name):
                setattr(self, name, True)
                self.changed = True

    def leave_unless(self, condition: str) -> None:
        """Return at once, something has failed, unless a condition holds."""
        self.note(fails=True)
        good = self.label()
        self.do(f"br i1 {condition}, label %{good}, label %exit, !prof !0")
        self.place(good)

    def leave_if_failed(self) -> None:
        """Return at once if a function that was called has failed."""
        place = self.operation(f"getelementptr i64, ptr %arena, i64 {FAILURE}")
        failure = self.operation(f"load i64, ptr {place}")
        self.leave_unless(self.operation(f"icmp eq i64 {failure}, 0"))

    def fail_unless(self, condition: str, failure: int, *details: str) -> None:
        """Note a failure and return, unless a condition holds."""
        self.note(fails=True)
        good, bad = self.label(), self.label()
        self.do(f"br i1 {condition}, label %{good}, label %{bad}, !prof !0")
        self.place(bad)
        self.fail(failure, *details)
        self.place(good)

    def fail(self, failure: int, *details: str) -> None:
        self.note(fails=True)
        for k, number in ((FAILURE, str(failure)), *enumerate(details, FIRST_DETAIL)):
            place = self.operation(f"getelementptr i64, ptr %arena, i64 {k}")
            self.do(f"store i64 {number}, ptr {place}")
        self.jump("exit")

    def allocated(self, bytes: str) -> str:
        """The address of new memory."""
        self.note(allocates=True)
        place = self.operation(f"call fastcc ptr @allocate(ptr %arena, i64 {bytes})")
        self.leave_unless(self.operation(f"icmp ne ptr {place}, null"))
        return place

    @staticmethod
    def function_value(function: Any) -> Value:
        return Value(FunctionType(function), ())
