"""Python functions whose code is emitted: builtins, as an extension module would have them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from footfall.compiler.interface import CONTEXT, PYTHON_FUNCTIONS

WITH_ARGUMENTS, WITHOUT_ARGUMENTS = 0x0080, 0x0004  # METH_FASTCALL, METH_NOARGS
# Their places in NumPy's table, part of its ABI.
_NUMPY_FUNCTIONS = {
    "PyArray_New": 93,
    "PyArray_NewFromDescr": 94,
}


class _Context(np.ndarray[Any, np.dtype[np.int64]]):
    """Addresses that emitted code reads; owns what must stay alive as long as it may be called."""

    owner: object = None


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


# Kept for good, one for all functions with the same code. The interpreter reads a function's definition when the
# function goes, and a garbage collector that takes a cycle apart would have let go of one that belonged to the context.
_DEFINITIONS: dict[tuple[str, int, int], _MethodDef] = {}


def new_builtin(
    name: str,
    address: int,
    flags: int,
    *,
    fallback: Callable[..., Any],
    check_finite: bool,
    arrays: Sequence[np.ndarray[Any, Any]] = (),
    objects: Sequence[object] = (),
    owner: object,
) -> Callable[..., Any]:
    """A function with the code at `address`, see `interface.py`. owner: keeps that code alive.

    arrays, objects: those whose addresses the code finds behind the fields of the context.
    """
    values = {**_addresses(), "fallback": id(fallback), "check_finite": int(check_finite)}
    numbers = [values[field] for field in CONTEXT] + [array.ctypes.data for array in arrays]
    numbers += [id(value) for value in objects]
    context = np.array(numbers, dtype=np.int64).view(_Context)
    context.owner = (owner, fallback, arrays, objects)
    definition = _DEFINITIONS.setdefault(
        (name, address, flags), _MethodDef(name.encode(), address, flags, None)
    )
    return _new_function(ctypes.byref(definition), context, None)  # type: ignore[no-any-return]


@cache
def _addresses() -> dict[str, int]:
    """Addresses of the interpreter's and NumPy's functions and objects that emitted code uses."""
    api = ctypes.pythonapi
    found = {name: ctypes.cast(getattr(api, name), ctypes.c_void_p).value or 0 for name in PYTHON_FUNCTIONS}
    core = getattr(np, "_core", None) or np.core
    get_pointer = api.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = get_pointer(core._multiarray_umath._ARRAY_API, None)
    places = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))
    return {
        **found,
        **{name: places[place] or 0 for name, place in _NUMPY_FUNCTIONS.items()},
        "array_type": id(np.ndarray),
        "float64": id(np.dtype(np.float64)),
        "float_type": id(float),
        "float64_type": id(np.float64),
        "int_type": id(int),
        "none": id(None),
        "true": id(True),
        "false": id(False),
    }


_new_function = ctypes.pythonapi.PyCFunction_NewEx
_new_function.restype = ctypes.py_object
_new_function.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
