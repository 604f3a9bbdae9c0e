"""Variables of one routine: their types, and where they are kept.

A function is translated several times, until the types of its variables are known: a variable is a float if a float
is assigned to it anywhere. Results of `a if c else b` and of `and`, `or` are variables too, known by their place.
"""

from __future__ import annotations

from collections.abc import Hashable

from footfall.compiler.routines.instructions import Instructions
from footfall.compiler.routines.types import (
    Type,
    Value,
    is_passed_by_address,
    joined,
    machine_types,
    offsets,
    roots_of,
)
from footfall.compiler.routines.values import converted, load_part, offset_place
from footfall.errors import RoutineError


class Variables:
    """types, roots: of all variables, as found out so far; see `Value`."""

    def __init__(self, code: Instructions) -> None:
        self.code = code
        self.types: dict[Hashable, Type] = {}
        self.roots: dict[Hashable, tuple[frozenset[int], ...]] = {}
        self.homes: dict[
            Hashable, str
        ] = {}  # of records that stay where the function that calls has put them
        self.begin()

    def begin(self) -> None:
        """Start from the top, with what is known of variables."""
        self._slots: dict[Hashable, tuple[Type, list[str]]] = {}

    def assign(self, key: Hashable, value: Value) -> None:
        before = self.types.get(key)
        type = value.type if before is None else joined(before, value.type)
        value = converted(self.code, value, type)
        known = self.roots.get(key, ())
        mine = roots_of(value)
        roots = tuple(a | b for a, b in zip(known, mine, strict=True)) if len(known) == len(mine) else mine
        self.code.changed |= before is not None and (type != before or roots != known)
        self.types[key], self.roots[key] = type, roots
        for part, place, machine in zip(value.parts, self.slot(key), machine_types(type), strict=True):
            self.code.do(f"store {machine} {part}, ptr {place}")

    def stays(self, key: Hashable, value: Value) -> None:
        """Let a variable that nothing is assigned to be a record at its home."""
        self.types[key], self.roots[key], self.homes[key] = value.type, roots_of(value), value.home

    def read(self, key: Hashable) -> Value:
        if key not in self.types:
            raise RoutineError(f"{key!r} has no value here")
        return self.read_parts(key, self.types[key], 0)

    def read_parts(self, key: Hashable, type: Type, first: int) -> Value:
        """A value of some type among the machine values of a variable, from a number on."""
        machines = machine_types(type)
        parts = tuple(
            load_part(self.code, machine, self.place(key, first + k)) for k, machine in enumerate(machines)
        )
        return Value(type, parts, self.roots[key][first : first + len(machines)])

    def at_home(self, key: Hashable, type: Type, first: int) -> Value | None:
        """The same without its parts, if it is a record that is passed by its address and has one."""
        if key not in self.homes or not is_passed_by_address(type):
            return None
        roots = self.roots[key][first : first + len(machine_types(type))]
        return Value(type, (), roots, self.place(key, first))

    def place(self, key: Hashable, number: int) -> str:
        """Where a machine value of a variable is."""
        if key not in self.homes:
            return self.slot(key)[number]
        return offset_place(self.code, self.homes[key], offsets(machine_types(self.types[key]))[number])

    def slot(self, key: Hashable) -> list[str]:
        """Where a variable is kept; LLVM makes registers of it."""
        type = self.types[key]
        if self._slots.get(key, (None,))[0] != type:
            self._slots[key] = (type, [self.code.reserve(machine) for machine in machine_types(type)])
        return self._slots[key][1]
