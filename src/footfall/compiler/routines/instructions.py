"""Instructions of one routine, as LLVM IR, and what is found out about the routine while they are written."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from footfall.compiler.routines.memory import FAILURE, FIRST_DETAIL, OUTSIDE

if TYPE_CHECKING:
    from footfall.compiler.routines.module import RoutineModule


def checked() -> bool:
    """Whether routines that are translated now check their indices."""
    return os.environ.get("FOOTFALL_CHECKED_ROUTINES", "") not in ("", "0")


class Instructions:
    """Writes the instructions of one function of a module.

    fused: whether products and sums may become one instruction, which rounds once. line: of the source, that is being
    translated. written: machine values among the arguments whose memory is changed. allocates: whether it takes memory
    of the arena. fails: whether it may end early, see `memory`. grows: whether it lets a list of its caller grow.
    changed: whether this pass has found out something that the next one needs.
    """

    def __init__(self, module: RoutineModule, function: Callable[..., Any], line: int) -> None:
        self.module, self.function, self.line = module, function, line
        self.fused = module.fused
        self.written: set[int] = set()
        self.allocates = self.fails = self.grows = False
        self.begin()

    def begin(self) -> None:
        """Start from the top."""
        self.changed = False
        self.lines: list[str] = []
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

    def leave(self, label: str) -> None:
        """Jump; what follows in this block is never reached."""
        self.jump(label)
        self.place(self.label())

    def declare(self, line: str) -> None:
        """Something that is defined elsewhere."""
        self.module.declarations.add(line)

    def intrinsic(self, name: str, machine: str, *operands: str) -> str:
        self.declare(f"declare {machine} @llvm.{name}({', '.join([machine] * len(operands))})")
        given = ", ".join(f"{machine} {operand}" for operand in operands)
        return self.operation(f"call {machine} @llvm.{name}({given})")

    def reserve(self, machine: str) -> str:
        """Memory of the function's own frame."""
        self.count += 1
        alignment = 64 if machine.startswith("<") else 8  # as LLVM takes it to be where nothing else is said
        self.stack.append(f"  %v{self.count} = alloca {machine}, align {alignment}")
        return f"%v{self.count}"

    # What may go wrong

    def place_in_source(self) -> str:
        return f"{self.function.__code__.co_filename}:{self.line} in {self.function.__name__}"

    def site(self) -> int:
        """Number of the place in the source that is being translated."""
        return self.module.site(self.place_in_source())

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

    def check_index(self, number: str, length: str) -> None:
        if checked():
            inside = self.operation(f"icmp ult i64 {number}, {length}")
            self.fail_unless(inside, OUTSIDE, str(self.site()), number)

    def check_lengths(self, length: str, wanted: str) -> None:
        if checked() and length != wanted:
            same = self.operation(f"icmp eq i64 {length}, {wanted}")
            self.fail_unless(same, OUTSIDE, str(self.site()), length)

    def allocated(self, bytes: str) -> str:
        """The address of new memory."""
        self.note(allocates=True)
        place = self.operation(f"call fastcc ptr @allocate(ptr %arena, i64 {bytes})")
        self.leave_unless(self.operation(f"icmp ne ptr {place}, null"))
        return place
