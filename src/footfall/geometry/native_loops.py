"""Numba for loops that cannot be traced, such as searches; import it only where such loops are defined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])

_pointer = numba.types.CPointer(numba.types.float64)  # type: ignore[no-untyped-call]
# What `footfall.compiler.NativeFunction` holds: inputs, outputs, data.
_NATIVE_SIGNATURE = numba.void(_pointer, _pointer, _pointer)


def native_loop(function: F) -> F:
    """Compile a function on first use and keep its code on disk; the GIL is released meanwhile."""
    return cast(F, numba.njit(cache=True, nogil=True, error_model="numpy")(function))


def native_callback(function: Callable[[Any, Any, Any], None]) -> Any:
    """A C function `void f(const double* inputs, double* outputs, const double* data)` with an `address`."""
    return numba.cfunc(_NATIVE_SIGNATURE, cache=True, error_model="numpy")(function)
