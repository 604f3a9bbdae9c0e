"""Loops of one native call that several threads share: `together` runs a routine in all threads of a team at once.

The threads that help wait in `serve`, in native code, while the call runs that they help: what they are given is the
address of a function and its arguments. They take pieces of the work (`next_piece`) and write results to places that
were fixed before, so that the bits are the same whoever did what, and also if no helper came. A helper that comes late
finds nothing left; `together` returns when all that came have left.

The thread that calls takes pieces from the first on, others from the last one back: in one loop after the other each
finds what it has in its own caches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Integers
from footfall.compiler.routines.instructions import Instructions
from footfall.compiler.routines.memory import FAILURE
from footfall.compiler.routines.numbers import integer
from footfall.compiler.routines.operations import fitted_argument
from footfall.compiler.routines.source_analysis import merged
from footfall.compiler.routines.types import (
    BOOL,
    INT,
    NOTHING,
    FunctionType,
    RecordType,
    Type,
    Value,
    all_roots,
    is_passed_by_address,
    items_of,
    machine_types,
    passed_types,
    roots_of,
)
from footfall.compiler.routines.whole_arrays import Lazy, settled
from footfall.errors import RoutineError

Given = Value | Lazy

# Places in `Team.words`, in several lines of the cache: how many are inside of the job, and `_OPEN` as long as others
# may come; the number of the job; the function, its arguments and the arena of the thread that calls; whether the call
# is over; how many pieces are taken, how many of these from the first on, and from the last one back.
_INSIDE, _JOB, _FUNCTION, _ARGUMENTS, _ARENA, _OVER, _TAKEN, _FIRST, _LAST = 0, 8, 16, 17, 18, 24, 32, 33, 34
_OPEN = 1 << 32
TEAM_WORDS = 40
_FAILURE_WORDS = 3


class Team(NamedTuple):
    """threads: how many there are, with the one that calls; words: by which they know of each other, see `new_team`."""

    words: Integers
    threads: int

    def alone(self) -> Team:
        """One that shares nothing."""
        return self._replace(threads=1)


def new_team(threads: int) -> Team:
    """A team of so many threads; nobody helps until `footfall.compiler.threads.helped`."""
    return Team(np.zeros(TEAM_WORDS, dtype=np.int64), threads)


def end_team(team: Team) -> None:
    """Let all that serve return."""
    team.words[_OVER] = 1


def add_at_once(numbers: Integers, place: int, change: int) -> int:
    """Add to a number that other threads change too; what it was before."""
    before = int(numbers[place])
    numbers[place] = before + change
    return before


def _run(function: int, arguments: int) -> None:
    """Run what `together` gave, by its address."""


def _give_way() -> None:
    """Let others have this core for a moment, if any want it."""


def _is_helper(caller: int) -> bool:
    """Whether this is another thread than that with this arena."""
    return False


@merged
def next_piece(team: Team, before: int, count: int) -> int:
    """The number of a piece, of so many, that nobody has taken, or `count`; before: the one that this thread had, -1 at
    the start."""
    if team.threads == 1:
        return before + 1
    if add_at_once(team.words, _TAKEN, 1) >= count:
        return count
    if _is_helper(team.words[_ARENA]):
        return count - 1 - add_at_once(team.words, _LAST, 1)
    return add_at_once(team.words, _FIRST, 1)


def together(team: Team, function: Callable[..., None], *arguments: Any) -> None:
    """Run a routine that gives nothing, in this thread and in all of the team that come."""
    team.words[_TAKEN : _LAST + 1] = 0
    function(*arguments)


def run_job(words: Integers, last: int) -> int:
    """Help with the job that is open, if it is another one than the last that this thread knows; the job of now."""
    job = add_at_once(words, _JOB, 0)
    if job == last:
        _give_way()
    else:
        if add_at_once(words, _INSIDE, 1) >= _OPEN:
            _run(words[_FUNCTION], words[_ARGUMENTS])
        add_at_once(words, _INSIDE, -1)
    return job


def is_over(words: Integers) -> bool:
    """Whether the call has ended that the team serves."""
    return add_at_once(words, _OVER, 0) > 0


# Translation


def _add(code: Instructions, numbers: Value, place: Value, change: Value) -> Value:
    at, by = integer(code, place), integer(code, change)
    code.check_index(at, numbers.parts[1])
    code.written |= all_roots(numbers)
    return Value(INT, (_changed(code, numbers.parts[0], at, by),))


def _changed(code: Instructions, words: str, place: str | int, by: str | int) -> str:
    """Add to a word; what it was."""
    return code.operation(f"atomicrmw add ptr {_word(code, words, place)}, i64 {by} seq_cst")


def _word(code: Instructions, words: str, place: str | int) -> str:
    return code.operation(f"getelementptr i64, ptr {words}, i64 {place}")


def _helps(code: Instructions, caller: Value) -> Value:
    own = code.operation("ptrtoint ptr %arena to i64")
    return Value(BOOL, (code.operation(f"icmp ne i64 {own}, {integer(code, caller)}"),))


def _rest(code: Instructions) -> Value:
    code.declare("declare i32 @sched_yield() nounwind")
    code.do("call i32 @sched_yield()")
    return Value(NOTHING, ())


def _run_given(code: Instructions, function: Value, arguments: Value) -> Value:
    address, frame = (
        code.operation(f"inttoptr i64 {integer(code, value)} to ptr") for value in (function, arguments)
    )
    code.do(f"call void {address}(ptr {frame}, ptr %arena)")
    return Value(NOTHING, ())


def _together(code: Instructions, team: Given, function: Given, *given: Given) -> Value:
    """The arguments go into memory of this function's frame, whose address helpers are told."""
    crew, work = settled(code, team), function.type
    if not isinstance(crew.type, RecordType) or crew.type.record is not Team:
        raise RoutineError(f"the first argument of `together` is a Team, not {crew.type}")
    if not isinstance(work, FunctionType):
        raise RoutineError(f"the second argument of `together` is a routine, not {work}")
    callee = work.function
    arguments = [fitted_argument(code, callee, k, settled(code, value)) for k, value in enumerate(given)]
    types = tuple(value.type for value in arguments)
    found = code.module.translated(callee, types)
    machines = [machine for kind in types for machine in machine_types(kind)]
    if found.result != NOTHING or not set(machines) <= {"i1", "i64", "double", "ptr"}:
        raise RoutineError(f"{callee.__name__} cannot be shared: it gives something, or takes lanes")
    flat = [roots for value in arguments for roots in roots_of(value)]
    words = items_of(crew)[0]
    for k in found.written:
        code.written |= flat[k]
    code.written |= all_roots(words)
    count, base = len(machines), words.parts[0]
    frame = code.reserve(f"[{count + _FAILURE_WORDS} x i64]")
    for k, part in enumerate(part for value in arguments for part in value.parts):
        kept, machine = part, machines[k]
        if machine == "i1":
            kept, machine = code.operation(f"zext i1 {part} to i64"), "i64"
        code.do(f"store {machine} {kept}, ptr {_word(code, frame, k)}")
    failure = _word(code, frame, count)
    code.do(f"store i64 0, ptr {failure}")
    shared = _entry(code, found.name, types)
    for place, address in ((_FUNCTION, shared), (_ARGUMENTS, frame), (_ARENA, "%arena")):
        number = code.operation(f"ptrtoint ptr {address} to i64")
        code.do(f"store i64 {number}, ptr {_word(code, base, place)}")
    for place in (_TAKEN, _FIRST, _LAST):
        code.do(f"store i64 0, ptr {_word(code, base, place)}")
    _changed(code, base, _INSIDE, _OPEN)
    _changed(code, base, _JOB, 1)
    code.do(f"call void {shared}(ptr {frame}, ptr %arena)")
    _changed(code, base, _INSIDE, -_OPEN)
    look, wait, done = code.label(), code.label(), code.label()
    code.jump(look)
    code.place(look)
    inside = code.operation(f"load atomic i64, ptr {_word(code, base, _INSIDE)} seq_cst, align 8")
    left = code.operation(f"icmp eq i64 {inside}, 0")
    code.do(f"br i1 {left}, label %{done}, label %{wait}")
    code.place(wait)
    _rest(code)
    code.jump(look)
    code.place(done)
    if found.fails:
        for k in range(_FAILURE_WORDS):
            number = code.operation(f"load i64, ptr {_word(code, frame, count + k)}")
            code.do(f"store i64 {number}, ptr {_word(code, '%arena', FAILURE + k)}")
        code.leave_if_failed()
    return Value(NOTHING, ())


def _entry(code: Instructions, name: str, types: tuple[Type, ...]) -> str:
    """A function of the module that takes the arguments of another one from memory, and notes a failure behind them."""
    lines, listed, k = [], ["ptr %arena"], 0
    for kind in types:
        passed = passed_types(kind)
        for machine in passed:
            lines.append(f"  %place{k} = getelementptr i64, ptr %frame, i64 {k}")
            if is_passed_by_address(kind):
                listed.append(f"ptr %place{k}")
            else:
                lines.append(f"  %given{k} = load {machine}, ptr %place{k}, align 8")
                listed.append(f"{machine} %given{k}")
            k += 1
        k += len(machine_types(kind)) - len(passed)
    notes, count = [], k
    for k in range(_FAILURE_WORDS - 1, -1, -1):
        notes += [
            f"  %from{k} = getelementptr i64, ptr %arena, i64 {FAILURE + k}",
            f"  %to{k} = getelementptr i64, ptr %frame, i64 {count + k}",
            f"  %word{k} = load i64, ptr %from{k}",
            f"  store i64 %word{k}, ptr %to{k}",
        ]
    code.module.entries[name] = "\n".join(
        [
            f"define internal void @shared_{name}(ptr %frame, ptr %arena) nounwind noinline {{",
            *lines,
            f"  call fastcc void @{name}({', '.join(listed)})",
            f"  %failure_p = getelementptr i64, ptr %arena, i64 {FAILURE}",
            "  %failure = load i64, ptr %failure_p",
            "  %good = icmp eq i64 %failure, 0",
            "  br i1 %good, label %done, label %bad, !prof !0",
            "bad:",
            *notes,
            "  store i64 0, ptr %failure_p",  # the arena of a helper goes on
            "  br label %done",
            "done:",
            "  ret void",
            "}",
            "",
        ]
    )
    return f"@shared_{name}"


TRANSLATORS: dict[Any, Callable[..., Given]] = {
    add_at_once: _add,
    together: _together,
    _give_way: _rest,
    _is_helper: _helps,
    _run: _run_given,
}
