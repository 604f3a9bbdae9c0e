"""A routine as the C function that traced kernels call: `void f(const double* inputs, double* outputs, data)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from footfall.compiler import cache as disk
from footfall.compiler import machine
from footfall.compiler.routines.annotations import dtype_of
from footfall.compiler.routines.dependencies import content_of
from footfall.compiler.routines.linked_code import SHARED, LinkedCode, codes_of, known_entry
from footfall.compiler.routines.memory import ARENA
from footfall.compiler.routines.module import RoutineModule
from footfall.compiler.routines.routine import Routine, surroundings
from footfall.compiler.routines.types import (
    DTYPES,
    FLOAT,
    ArrayType,
    Fixed,
    RecordType,
    TupleType,
    Type,
    is_passed_by_address,
    machine_types,
)
from footfall.errors import RoutineError

_ENTRY = "footfall_callback"
_UNKNOWN = 2**62  # length of arrays of which only the address is known


class RoutineCallback:
    """address: of the C function. Keep it as `owner` of a `NativeFunction`, so that its code stays. data: what that
    function is called with if it was made with a record, else None."""

    def __init__(
        self, function: Callable[..., Any], *, data: type[np.generic] = np.float64, record: Any = None
    ) -> None:
        """function: a routine of inputs, outputs and data: arrays (n,) whose lengths it does not ask for.
        data: type of what the third array holds; inputs and outputs are floats. record: what it takes as the third
        instead, with arrays in it that native code reads and writes where they are."""
        assert isinstance(function, Routine)
        third: Type = ArrayType(DTYPES[data], 1) if record is None else function.type_of_argument(2, record)
        types = (ArrayType(FLOAT, 1), ArrayType(FLOAT, 1), third)
        self.data = None if record is None else np.array(_machine_values(record, third), dtype=np.int64)
        self._record = record
        key = content_of(function.python).key
        named = data.__name__ if record is None else repr(third)
        place, entry = known_entry("callback", key, str(function.fused), named, *surroundings())
        codes = None if entry is None else codes_of(entry)
        if entry is None or codes is None:
            linked = LinkedCode()
            module = RoutineModule(fused=function.fused, finished=linked.begin)
            translated = module.translated(function.python, types)
            arrays = [f"ptr %{name}, i64 {_UNKNOWN}" for name in ("inputs", "outputs", "data")]
            loads: list[str] = []
            if record is not None:
                loads, arrays[2] = _loaded(third)
                if is_passed_by_address(third):  # as its machine values stand there
                    loads, arrays[2] = [], "ptr %data"
            lines = [
                f"define void @{_ENTRY}(ptr %inputs, ptr %outputs, ptr %data) nounwind {{",
                f"  %arena = alloca {ARENA}, align 8",
                f"  store {ARENA} zeroinitializer, ptr %arena",
                *loads,
                f"  call fastcc void @{translated.name}(ptr %arena, {', '.join(arrays)})",
                "  call fastcc void @finish(ptr %arena)",
                "  ret void",
                "}",
            ]
            apart, codes = linked.finish(module.text() + "\n".join(lines), quick=function.quick)
            entry = disk.Entry({**SHARED, "apart": apart}, codes[0])
            disk.write(place, entry)
        addresses, self._library = machine.load_objects(codes, (_ENTRY,), {})
        self.address: int = addresses[_ENTRY]


def _loaded(kind: Type) -> tuple[list[str], str]:
    """Code that loads the machine values of a record, eight bytes each, and the list of them as arguments."""
    lines, names = [], []
    for k, machine_type in enumerate(machine_types(kind)):
        stored = "i64" if machine_type == "i1" else machine_type
        lines += [
            f"  %place{k} = getelementptr i64, ptr %data, i64 {k}",
            f"  %loaded{k} = load {stored}, ptr %place{k}, align 8",
        ]
        if machine_type == "i1":
            lines.append(f"  %flag{k} = trunc i64 %loaded{k} to i1")
        names.append(f"{machine_type} %{'flag' if machine_type == 'i1' else 'loaded'}{k}")
    return lines, ", ".join(names)


def _machine_values(value: Any, kind: Type) -> list[int]:
    """The machine values of an object of Python, see `types.py`, each as an integer of eight bytes."""
    if isinstance(kind, RecordType | TupleType):
        items = [getattr(value, name) for name in kind.names] if isinstance(kind, RecordType) else value
        pairs = zip(items, kind.items, strict=True)
        return [each for item, inner in pairs for each in _machine_values(item, inner)]
    if isinstance(kind, ArrayType):
        if value.dtype != dtype_of(kind) or not value.flags.c_contiguous or not value.flags.aligned:
            raise RoutineError(
                f"an array of {value.dtype} is not as native code takes it: {kind}, contiguous"
            )
        return [value.ctypes.data, *value.shape[: kind.axes]]
    numbers = np.atleast_1d(np.asarray(value)).ravel()
    element = kind.element if isinstance(kind, Fixed) else kind
    if element is FLOAT:
        return [int(each) for each in numbers.astype(np.float64).view(np.int64)]
    return [int(each) for each in numbers]
