"""Kernels: traced functions as native code that is called with arrays."""

from __future__ import annotations

import ctypes
import math
import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from footfall.compiler import cache as disk
from footfall.compiler import machine
from footfall.compiler.emit import emit_core
from footfall.compiler.errors import KernelInputError
from footfall.compiler.graph import NativeFunction
from footfall.compiler.interface import BOUND, CALL, CONTEXT, NATIVE, emit_single
from footfall.compiler.lanes import BATCH, emit_batch
from footfall.compiler.schedule import schedule
from footfall.compiler.trace import Program, Shape, Signature, trace

Array = np.ndarray[Any, np.dtype[np.float64]]
_ROWS_PER_TASK = 64  # below, a second thread costs more than it brings


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


_FASTCALL, _NOARGS = 0x0080, 0x0004


class Kernel:
    """A compiled function. Made by `build_kernel`.

    Call it with one array per input, in order, each of its declared shape or with a batch axis in front; inputs
    without that axis hold for all of the batch. It gives a new array, or a tuple of them if there are several
    outputs. name, signature: what it is.
    """

    def __init__(
        self, name: str, source: Callable[[], Program], key: str | None, *, check_finite: bool = True
    ) -> None:
        self.name = name
        self._source = source
        self._key = key
        self._lock = threading.RLock()
        self._check_finite = check_finite
        self._program: Program | None = None
        facts, addresses, library = self._load("single", (CALL, BOUND, NATIVE))
        self.signature = Signature(*(_shapes(facts[kind]) for kind in ("inputs", "outputs")))
        self.operations: int = facts["operations"]  # executed in one call, loops at their limit
        self._addresses = addresses
        self._library = library
        self._call = self._python_function(CALL, _FASTCALL, (), check_finite)

    def __call__(self, *arrays: Any) -> Any:
        return self._call(*arrays)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name}{list(shape)}" for name, shape in self.signature.inputs)
        outputs = ", ".join(f"{name}{list(shape)}" for name, shape in self.signature.outputs)
        return f"Kernel {self.name}({inputs}) -> {outputs}, {self.operations} operations"

    @property
    def function(self) -> Callable[..., Any]:
        """The bare native function behind a call, for the last 50 ns."""
        return self._call

    def bind(self, *arrays: Array, check: bool = True) -> Callable[[], None]:
        """A function without arguments that reads and writes these arrays, inputs then outputs, and allocates nothing.

        Arrays are float64 and contiguous, of exactly the declared shapes. Contents are not checked when it runs.
        """
        named = [*self.signature.inputs, *self.signature.outputs]
        if len(arrays) != len(named):
            names = ", ".join(name for name, _ in named)
            raise KernelInputError(
                f"{self.name}: bind takes {len(named)} arrays ({names}), not {len(arrays)}"
            )
        for (name, shape), array in zip(named, arrays, strict=True):
            _require_exact(self.name, name, shape, array)
        count = len(self.signature.inputs)
        _forbid_overlap(self.name, named, arrays[:count], arrays[count:])
        return self._python_function(BOUND, _NOARGS, arrays, False)

    def batch(self, *arrays: Any, out: tuple[Array, ...] | None = None, threads: int | None = None) -> Any:
        """Evaluate a batch: like a call, with given output arrays and number of threads (default: all cores)."""
        inputs, count = self._batch_inputs(arrays)
        outputs = self._batch_outputs(out, count)
        if out is not None:
            _forbid_overlap(self.name, [*self.signature.inputs, *self.signature.outputs], inputs, outputs)
        if count:
            self._run_batch(inputs, outputs, count, threads)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def native_function(self) -> NativeFunction:
        """This kernel for `call` in the trace of another."""
        outputs = sum(math.prod(shape) for _, shape in self.signature.outputs)
        return NativeFunction(self.name, self._addresses[NATIVE], outputs, owner=self._library)

    # Loading

    def _traced(self) -> Program:
        with self._lock:
            if self._program is None:
                self._program = self._source()
            return self._program

    def _load(self, kind: str, exports: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, int], Any]:
        """Facts, addresses and library of the one-lane ("single") or many-lane ("batch") code."""
        key = self._key or self._traced().digest()
        key = disk.key_of(key, kind, machine.identity(), _compiler_source())
        entry = disk.read(key)
        if entry is None:
            entry = _compile(self._traced(), kind)
            disk.write(key, entry)
        imports, owners = {}, []
        if entry.facts["external"]:  # tables and functions of this very trace
            graph = self._traced().graph
            owners = [*graph.tables, *graph.functions]
            imports = {f"table{k}": table.ctypes.data for k, table in enumerate(graph.tables)}
            for k, function in enumerate(graph.functions):
                imports[f"native{k}"] = function.address
                if function.data is not None:
                    imports[f"data{k}"] = function.data.ctypes.data
        addresses, library = machine.load_object(entry.code, exports, imports)
        return entry.facts, addresses, (library, owners)

    @cached_property
    def _batch_function(self) -> tuple[Any, Any]:
        with self._lock:
            _, addresses, library = self._load("batch", (BATCH,))
        prototype = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 4, ctypes.c_int64, ctypes.c_int64)
        return prototype(addresses[BATCH]), library

    def _python_function(
        self, symbol: str, flags: int, arrays: tuple[Array, ...], check_finite: bool
    ) -> Callable[..., Any]:
        """A builtin function whose code is the emitted one."""
        values = {
            **_python_addresses(),
            "fallback": id(self._fallback_function),
            "check_finite": int(check_finite),
        }
        context = np.array(
            [values[name] for name in CONTEXT] + [array.ctypes.data for array in arrays], dtype=np.int64
        ).view(_Context)
        definition = _MethodDef(self.name.encode(), self._addresses[symbol], flags, None)
        context.owner = (self._library, self._fallback_function, definition, arrays)
        return _new_function(ctypes.byref(definition), context, None)  # type: ignore[no-any-return]

    # What the emitted check does not take

    @cached_property
    def _fallback_function(self) -> Callable[..., Any]:
        return self._convert_and_call

    def _convert_and_call(self, *arrays: Any) -> Any:
        inputs, count = self._batch_inputs(arrays, single=True)
        if count is not None:
            outputs = self._batch_outputs(None, count)
            if count:
                self._run_batch(inputs, outputs, count, None)
            return outputs[0] if len(outputs) == 1 else tuple(outputs)
        return self._call(*(np.ascontiguousarray(array).view(np.ndarray) for array in inputs))

    def _batch_inputs(self, arrays: tuple[Any, ...], single: bool = False) -> tuple[list[Array], Any]:
        """Inputs as float64 with contiguous rows, and the size of the batch; errors name what is wrong."""
        expected = self.signature.inputs
        if len(arrays) != len(expected):
            names = ", ".join(name for name, _ in expected)
            raise KernelInputError(
                f"{self.name} takes {len(expected)} arrays ({names}), but {len(arrays)} were given"
            )
        count: int | None = None
        inputs = []
        for (name, shape), given in zip(expected, arrays, strict=True):
            array = _as_floats(self.name, name, given)
            batched = array.ndim == len(shape) + 1
            if array.shape[int(batched) :] != shape or array.ndim > len(shape) + 1:
                raise KernelInputError(
                    f"{self.name}: {name} has shape {array.shape}, needed is {shape} "
                    f"or {('batch', *shape)}".replace("'", "")
                )
            if batched:
                if count not in (None, len(array)):
                    raise KernelInputError(
                        f"{self.name}: {name} has a batch of {len(array)}, another input one of {count}"
                    )
                count = len(array)
            elif self._check_finite:
                _require_finite(self.name, name, array)
            inputs.append(array)
        if count is None and not single:
            raise KernelInputError(f"{self.name}.batch needs at least one input with a batch axis")
        return inputs, count

    def _batch_outputs(self, out: tuple[Array, ...] | None, count: int) -> list[Array]:
        expected = self.signature.outputs
        if out is None:
            return [np.empty((count, *shape)) for _, shape in expected]
        if len(out) != len(expected):
            raise KernelInputError(f"{self.name}: out needs {len(expected)} arrays, not {len(out)}")
        for (name, shape), array in zip(expected, out, strict=True):
            _require_exact(self.name, name, (count, *shape), array)
        return list(out)

    def _run_batch(self, inputs: list[Array], outputs: list[Array], count: int, threads: int | None) -> None:
        function, _ = self._batch_function
        shapes = [shape for _, shape in self.signature.inputs]
        rows = [_contiguous_rows(array, shape) for array, shape in zip(inputs, shapes, strict=True)]
        pointers = [
            np.array([array.ctypes.data for array in side], dtype=np.int64) for side in (rows, outputs)
        ]
        strides = [
            np.array(
                [_row_stride(array, shape) for array, shape in zip(rows, shapes, strict=True)], dtype=np.int64
            ),
            np.array([math.prod(shape) for _, shape in self.signature.outputs], dtype=np.int64),
        ]
        addresses = [
            pointers[0].ctypes.data,
            strides[0].ctypes.data,
            pointers[1].ctypes.data,
            strides[1].ctypes.data,
        ]
        workers = threads or _available_cores()
        lanes = machine.widest_lanes()
        size = max(_ROWS_PER_TASK, -(-count // workers))
        size = -(-size // lanes) * lanes
        ranges = [(begin, min(begin + size, count)) for begin in range(0, count, size)]
        if len(ranges) == 1:
            states = [function(*addresses, 0, count)]
        else:
            states = list(_pool().map(lambda span: function(*addresses, *span), ranges))
        if -1 in states:
            raise MemoryError(f"{self.name}: no memory for the workspace of a batch")
        if self._check_finite and any(states):
            for (name, _), array in zip(self.signature.inputs, inputs, strict=True):
                _require_finite(self.name, name, array)


def build_kernel(
    function: Callable[..., Any],
    inputs: Mapping[str, Shape | int],
    *,
    name: str | None = None,
    key: str | None = None,
    labels: tuple[str, ...] | None = None,
    check_finite: bool = True,
) -> Kernel:
    """Trace and compile a function.

    inputs: shape of each argument. key: text that stands for all the function depends on, such as a robot's
    fingerprint; with it a kernel in the cache is found without tracing. labels: names of the inputs in messages, if
    other than the arguments'. check_finite: whether calls reject NaN and infinities.
    """
    name = name or str(getattr(function, "__name__", "kernel"))
    signature = repr([(argument, shape) for argument, shape in inputs.items()])
    full_key = None if key is None else f"{name} {signature} {key} {_package_source()}"
    kernel = Kernel(name, lambda: trace(function, inputs), full_key, check_finite=check_finite)
    if labels is not None:
        shapes = (shape for _, shape in kernel.signature.inputs)
        kernel.signature = Signature(tuple(zip(labels, shapes, strict=True)), kernel.signature.outputs)
    return kernel


def _compile(program: Program, kind: str) -> disk.Entry:
    plan = schedule(program)
    widest = machine.widest_lanes()
    if kind == "single":
        text = emit_single(plan, emit_core(plan, 1, widest))
    else:
        text = emit_batch(plan, emit_core(plan, widest, widest), widest)
    facts = {
        "inputs": [[name, list(shape)] for name, shape in program.signature.inputs],
        "outputs": [[name, list(shape)] for name, shape in program.signature.outputs],
        "operations": plan.work,
        "external": bool(program.graph.tables or program.graph.functions),
    }
    return disk.Entry(facts, machine.compile_object(text))


def _shapes(pairs: list[Any]) -> tuple[tuple[str, Shape], ...]:
    return tuple((name, tuple(shape)) for name, shape in pairs)


@cache
def _compiler_source() -> str:
    """Hash of the compiler itself: another compiler, another kernel."""
    return _hash_sources(Path(__file__).parent)


@cache
def _package_source() -> str:
    """Hash of all of footfall's source, for kernels that are found by key."""
    return _hash_sources(Path(__file__).parent.parent)


def _hash_sources(folder: Path) -> str:
    digest = sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_available_cores(), thread_name_prefix="footfall")


def _available_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _python_addresses() -> dict[str, int]:
    """Addresses of the interpreter's and NumPy's functions and objects that emitted code uses."""
    api = ctypes.pythonapi
    names = (
        "PyObject_Vectorcall",
        "PyTuple_New",
        "PyTuple_SetItem",
        "PyFloat_FromDouble",
        "PyEval_SaveThread",
        "PyEval_RestoreThread",
        "Py_IncRef",
    )
    addresses = {name: ctypes.cast(getattr(api, name), ctypes.c_void_p).value or 0 for name in names}
    core = getattr(np, "_core", None) or np.core
    get_pointer = api.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = get_pointer(core._multiarray_umath._ARRAY_API, None)
    array_new = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))[93]  # PyArray_New in NumPy's C interface
    return {
        **addresses,
        "PyArray_New": array_new or 0,
        "array_type": id(np.ndarray),
        "float64": id(np.dtype(np.float64)),
        "none": id(None),
    }


_new_function = ctypes.pythonapi.PyCFunction_NewEx
_new_function.restype = ctypes.py_object
_new_function.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]


def _as_floats(kernel: str, name: str, given: Any) -> Array:
    array = np.asarray(given)
    if array.dtype == np.float64:
        return array
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    raise KernelInputError(f"{kernel}: {name} has type {array.dtype}, needed are real numbers")


def _require_exact(kernel: str, name: str, shape: Shape, array: Any) -> None:
    if not isinstance(array, np.ndarray) or array.dtype != np.float64 or not array.flags.carray:
        raise KernelInputError(
            f"{kernel}: {name} must be a contiguous, writable float64 array"
            + (f", not {array.dtype}" if isinstance(array, np.ndarray) else f", not {type(array).__name__}")
        )
    if array.shape != shape:
        raise KernelInputError(f"{kernel}: {name} has shape {array.shape}, needed is {shape}")


def _require_finite(kernel: str, name: str, array: Array) -> None:
    finite = np.isfinite(array)
    if not finite.all():
        where = tuple(int(k) for k in np.argwhere(~finite)[0])
        raise KernelInputError(f"{kernel}: {name}{list(where)} is {array[where]}; inputs must be finite")


def _forbid_overlap(kernel: str, named: list[tuple[str, Shape]], inputs: Any, outputs: Any) -> None:
    """Outputs are written before all inputs are read, so they must not share memory."""
    names = [name for name, _ in named]
    for k, output in enumerate(outputs):
        for j, other in enumerate([*inputs, *outputs[:k]]):
            if np.may_share_memory(output, other):
                other_name = names[j] if j < len(inputs) else names[len(inputs) + j - len(inputs)]
                raise KernelInputError(
                    f"{kernel}: output {names[len(inputs) + k]} shares memory with {other_name}; give it its own array"
                )


def _contiguous_rows(array: Array, shape: Shape) -> Array:
    """The array itself if each row is contiguous, else a copy."""
    row = array[0] if array.ndim > len(shape) else array
    step = array.strides[0] if array.ndim > len(shape) else 0
    if row.flags.c_contiguous and array.flags.aligned and step % 8 == 0 and step >= 0:
        return array
    return np.ascontiguousarray(array)


def _row_stride(array: Array, shape: Shape) -> int:
    return array.strides[0] // 8 if array.ndim > len(shape) else 0
