"""Numba for loops that cannot be traced, such as searches; import it only where such loops are defined.

Numba keeps compiled code by the content of the file that a function stands in, and does not notice when a function
that it calls in another file has changed. So the code is kept in a folder named by the content of all files here
that have such loops.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from llvmlite import ir
from numba.extending import intrinsic

from footfall.compiler.cache import directory

F = TypeVar("F", bound=Callable[..., Any])

_KEPT = 30 * 24 * 3600.0  # s

_pointer = numba.types.CPointer(numba.types.float64)  # type: ignore[no-untyped-call]
# What `footfall.compiler.NativeFunction` holds: inputs, outputs, data.
_NATIVE_SIGNATURE = numba.void(_pointer, _pointer, _pointer)


def native_loop(function: F) -> F:
    """Compile a function on first use and keep its code on disk; the GIL is released meanwhile."""
    with _own_folder():
        try:
            return cast(F, numba.njit(cache=True, nogil=True, error_model="numpy")(function))
        except RuntimeError:  # no folder to keep code in
            return cast(F, numba.njit(nogil=True, error_model="numpy")(function))


def native_callback(function: Callable[[Any, Any, Any], None]) -> Any:
    """A C function `void f(const double* inputs, double* outputs, const double* data)` with an `address`."""
    with _own_folder():
        try:
            return numba.cfunc(_NATIVE_SIGNATURE, cache=True, error_model="numpy")(function)
        except RuntimeError:
            return numba.cfunc(_NATIVE_SIGNATURE, error_model="numpy")(function)


def _call_address(typing_context: Any, address: Any, inputs: Any, outputs: Any) -> Any:
    """Numba's type and code of `call_native`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = ir.DoubleType().as_pointer()
        function = ir.FunctionType(ir.VoidType(), [pointer] * 3).as_pointer()
        arrays = [context.make_array(signature.args[k])(context, builder, arguments[k]).data for k in (1, 2)]
        builder.call(builder.inttoptr(arguments[0], function), [*arrays, ir.Constant(pointer, None)])
        return context.get_dummy_value()

    return numba.void(address, inputs, outputs), emit


# In a loop: `call_native(address, inputs, outputs)` calls what a `NativeFunction` without data holds, with contiguous
# arrays of float64.
call_native = cast(Callable[[int, Any, Any], None], intrinsic(_call_address))


@contextmanager
def _own_folder() -> Iterator[None]:
    """Numba asks where to keep code when a function is declared."""
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(_folder())
    try:
        yield
    finally:
        config.CACHE_DIR = before


@cache
def _folder() -> Path:
    """Where the code is kept; folders of other versions that nobody has used for a month go."""
    package = Path(__file__).parent.parent
    digest = sha256(numba.__version__.encode())
    for path in sorted(package.rglob("*.py")):
        content = path.read_bytes()
        if b"native_loop" in content:
            digest.update(str(path.relative_to(package)).encode() + b"\0" + content)
    folder = directory() / "numba" / digest.hexdigest()[:16]
    with suppress(OSError):
        directory().mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.utime(folder)
        for other in folder.parent.iterdir():
            if time.time() - other.stat().st_mtime > _KEPT:
                shutil.rmtree(other, ignore_errors=True)
    return folder
