"""A routine as the C function that traced kernels call: `void f(const double* inputs, double* outputs, data)`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from footfall.compiler import cache as disk
from footfall.compiler import machine
from footfall.compiler.routines.dependencies import content_of
from footfall.compiler.routines.linked_code import SHARED, known_entry
from footfall.compiler.routines.memory import ARENA
from footfall.compiler.routines.module import RoutineModule
from footfall.compiler.routines.routine import Routine, surroundings
from footfall.compiler.routines.types import DTYPES, FLOAT, ArrayType
from footfall.compiler.threads import Task

_ENTRY = "footfall_callback"
_UNKNOWN = 2**62  # length of arrays of which only the address is known


class RoutineCallback:
    """address: of the C function. Keep it as `owner` of a `NativeFunction`, so that its code stays."""

    def __init__(self, function: Callable[..., Any], *, data: type[np.generic] = np.float64) -> None:
        """function: a routine of three arrays (n,), inputs, outputs and data, that does not ask for their lengths.
        data: type of what the third array holds; inputs and outputs are floats."""
        assert isinstance(function, Routine)
        types = (ArrayType(FLOAT, 1), ArrayType(FLOAT, 1), ArrayType(DTYPES[data], 1))
        key = content_of(function.python).key
        place, entry = known_entry("callback", key, str(function.fused), data.__name__, *surroundings())
        if entry is None:
            module = RoutineModule(fused=function.fused)
            translated = module.translated(function.python, types)
            arrays = ", ".join(f"ptr %{name}, i64 {_UNKNOWN}" for name in ("inputs", "outputs", "data"))
            lines = [
                f"define void @{_ENTRY}(ptr %inputs, ptr %outputs, ptr %data) nounwind {{",
                f"  %arena = alloca {ARENA}, align 8",
                f"  store {ARENA} zeroinitializer, ptr %arena",
                f"  call fastcc void @{translated.name}(ptr %arena, {arrays})",
                "  call fastcc void @finish(ptr %arena)",
                "  ret void",
                "}",
            ]
            text = module.text() + "\n".join(lines)
            entry = disk.Entry(SHARED, Task(partial(machine.compile_optimised, text)).result())
            disk.write(place, entry)
        addresses, self._library = machine.load_objects([entry.code], (_ENTRY,), {})
        self.address: int = addresses[_ENTRY]
