"""Numba for loops that need more of Python than `compiled_loops` knows; import it only where such loops are defined.

The code is kept in our own cache: Numba's writes an index and numbered files, which break if two processes compile
other types of one function at the same time, and cannot be read if they are damaged. Numba does not notice either when
a function in another file has changed that a function calls; so the content of all files here that have such loops is
part of an entry's key.
"""

from __future__ import annotations

import logging
import pickle
import sys
import threading
import time
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event
from numba.core.caching import NullCache
from numba.core.ccallback import CFunc
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps as _untyped_dumps

from footfall.compiler import cache as disk

F = TypeVar("F", bound=Callable[..., Any])

_dumps = cast(Callable[[Any], bytes], _untyped_dumps)
_LOG = logging.getLogger("footfall")
_LONG = 8.0  # s of compiling after which one wonders

_pointer = numba.types.CPointer(numba.types.float64)  # type: ignore[no-untyped-call]
# What `footfall.compiler.NativeFunction` holds: inputs, outputs, data.
_NATIVE_SIGNATURE = numba.void(_pointer, _pointer, _pointer)


def native_loop(function: F) -> F:
    """Compile a function on first use and keep its code on disk; the GIL is released meanwhile."""
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy")(function)
    dispatcher._cache = _KeptCode(function)
    return cast(F, dispatcher)


def native_callback(function: Callable[[Any, Any, Any], None]) -> Any:
    """A C function `void f(const double* inputs, double* outputs, const double* data)` with an `address`."""
    callback: Any = CFunc(
        function, (_NATIVE_SIGNATURE.args, _NATIVE_SIGNATURE.return_type), {}, {"error_model": "numpy"}
    )
    callback._cache = _KeptCode(function)
    callback.compile()
    return callback


class _KeptCode(NullCache):
    """What Numba asks for code of a function, and gives the code it has compiled."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        entry = disk.read(self._key(sig, target_context.codegen()))
        return entry and cast(Any, CompileResult)._rebuild(target_context, *pickle.loads(entry.code))

    def save_overload(self, sig: Any, cres: Any) -> None:
        if not cres.lifted and not cres.library.has_dynamic_globals:
            code = _dumps(cres._reduce())
            disk.write(self._key(sig, cres.library.codegen), disk.Entry({}, code))

    def _key(self, sig: Any, codegen: Any) -> str:
        function = self.function
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        return disk.key_of(
            "numba",
            f"{function.__module__} {function.__qualname__} {function.__code__.co_firstlineno}",
            sha256(function.__code__.co_code).hexdigest(),
            sha256(_dumps(cells)).hexdigest() if cells else "",
            repr(sig),
            repr(codegen.magic_tuple()),
            _sources(),
        )


@cache
def _sources() -> str:
    """Hash of all files with such loops, and of Numba's and Python's version."""
    package = Path(__file__).parent.parent
    digest = sha256(f"{numba.__version__} {sys.version}".encode())
    for path in sorted(package.rglob("*.py")):
        content = path.read_bytes()
        if b"native_loop" in content:
            digest.update(str(path.relative_to(package)).encode() + b"\0" + content)
    return digest.hexdigest()


class _Patience(event.Listener):
    """Says once what takes so long, when Numba has compiled for a while."""

    def __init__(self) -> None:
        self.depth, self.begin, self.spent, self.told = 0, 0.0, 0.0, False
        self.timer: threading.Timer | None = None

    def on_start(self, event: Any) -> None:
        if self.depth == 0 and not self.told:
            self.begin = time.perf_counter()
            self.timer = threading.Timer(max(_LONG - self.spent, 0.0), self.tell)
            self.timer.daemon = True
            self.timer.start()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0 and self.timer is not None:
            self.timer.cancel()
            self.spent += time.perf_counter() - self.begin

    def tell(self) -> None:
        self.told = True
        _LOG.warning(
            "still compiling loops to native code; it is kept in %s, so that this happens once",
            disk.directory(),
        )


event.register("numba:compile", _Patience())  # type: ignore[no-untyped-call]
