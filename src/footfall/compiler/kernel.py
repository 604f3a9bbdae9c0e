"""Kernels: traced functions as native code that is called with arrays."""

from __future__ import annotations

import itertools
import logging
import math
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property, partial
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import cache as disk
from footfall.compiler import machine
from footfall.compiler.arrays import (
    Layout,
    Named,
    Places,
    arrange,
    forbid_overlap,
    new_outputs,
    plain_shapes,
    require_exact,
    require_finite,
)
from footfall.compiler.batches import Batch, BatchCode, run_batch
from footfall.compiler.builtin import WITH_ARGUMENTS, WITHOUT_ARGUMENTS, new_builtin
from footfall.compiler.emit import emit_core
from footfall.compiler.graph import NativeFunction
from footfall.compiler.interface import BOUND, CALL, NATIVE, single_functions
from footfall.compiler.lanes import BATCH, batch_declarations, batch_functions, feedback
from footfall.compiler.making_time import making_code
from footfall.compiler.schedule import Schedule, schedule
from footfall.compiler.sources import source_hash
from footfall.compiler.threads import InTurn, renew_lock_after_fork
from footfall.compiler.trace import Program, Shape, Signature, trace
from footfall.errors import InvalidInput

_LOG = logging.getLogger("footfall")
_LONG = 8.0  # s of compiling after which one wonders
_LAYOUTS = 64  # shapes of batches that a kernel remembers
_IN_TURN = InTurn()


class Kernel:
    """A compiled function. Made by `build_kernel`.

    Call it with one array per input, in order, each of its declared shape or with a batch axis in front; inputs
    without that axis hold for all of the batch. It gives a new array, or a tuple of them if there are several
    outputs. name, signature: what it is.
    """

    def __init__(
        self, name: str, source: Callable[[bool], Program], key: str | None, *, check_finite: bool = True
    ) -> None:
        self.name = name
        self._source = source
        self._key = key
        self._lock = threading.RLock()
        renew_lock_after_fork(self)
        self._check_finite = check_finite
        self._programs: dict[str, Program] = {}
        facts, addresses, library = self._load("single", (CALL, BOUND, NATIVE, BATCH))
        self.signature = Signature(*(_shapes(facts[kind]) for kind in ("inputs", "outputs")))
        self.operations: int = facts["operations"]  # executed in one call, loops at their limit
        self._addresses = addresses
        self._library = library
        self._call = self._builtin(CALL, WITH_ARGUMENTS)
        self._wide: BatchCode | None = None
        self._layouts: dict[tuple[Shape, ...], Layout] = {}
        self._recipe: Callable[[], Kernel] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """By what it was built from: code is for one machine, another finds it in its cache or compiles it."""
        if self._recipe is None:
            raise TypeError(f"kernel {self.name!r} was not made by build_kernel: it cannot be pickled")
        return self._recipe, ()

    def __copy__(self) -> Kernel:
        return self

    def __deepcopy__(self, memo: Any) -> Kernel:
        return self  # code does not change

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

    def bind(self, *arrays: Array) -> Callable[[], None]:
        """A function without arguments that reads and writes these arrays, inputs then outputs, and allocates nothing.

        Arrays are float64 and contiguous, of exactly the declared shapes. Contents are not checked when it runs.
        """
        inputs, outputs = self.signature.inputs, self.signature.outputs
        if len(arrays) != len(inputs) + len(outputs):
            names = ", ".join(name for name, _ in (*inputs, *outputs))
            count = len(inputs) + len(outputs)
            raise InvalidInput(
                f"{self.name}: bind takes {count} arrays ({names}), not {len(arrays)}; give one for each"
            )
        for k, ((name, shape), array) in enumerate(zip((*inputs, *outputs), arrays, strict=True)):
            require_exact(self.name, name, shape, array, writable=k >= len(inputs))
        named = [(name, array) for (name, _), array in zip((*inputs, *outputs), arrays, strict=True)]
        forbid_overlap(self.name, named[: len(inputs)], named[len(inputs) :])
        return self._builtin(BOUND, WITHOUT_ARGUMENTS, arrays)

    def batch(self, *arrays: Any, out: Sequence[Array] | None = None, threads: int | None = None) -> Any:
        """Evaluate a batch: like a call, with given output arrays and number of threads (default: all cores)."""
        inputs, layout = self._arranged(arrays)
        if layout.batch is None:
            raise InvalidInput(f"{self.name}.batch needs at least one input with a batch axis")
        return self._run_rows(inputs, layout, out, threads)

    def bind_batch(
        self, *arrays: Array, out: Sequence[Array], threads: int | None = None
    ) -> Callable[[], None]:
        """A function without arguments that computes a batch of these very arrays, which are checked now and not again.

        All are float64 and contiguous, inputs with a batch axis or without; those of `out` do not overlap with them.
        """
        for (name, _), array in zip(self.signature.inputs, arrays, strict=True):
            require_exact(self.name, name, np.shape(array), array, writable=False)
        inputs, layout = self._arranged(arrays)
        if layout.batch is None:
            raise InvalidInput(f"{self.name}.bind_batch needs at least one input with a batch axis")
        batch, _ = self._prepared(inputs, layout, out)
        code, table = self._code(batch.rows), batch.table()

        def again() -> None:
            run_batch(code, batch, threads, table)

        return again

    def rollout(
        self,
        *arrays: Any,
        steps: int | None = None,
        only: Collection[str] | None = None,
        last_only: Collection[str] = (),
        out: Sequence[Array] | None = None,
        threads: int | None = None,
    ) -> Any:
        """Run many steps in one native call: outputs with the name and shape of an input are it in the next step.

        Such inputs are states to start from, with or without a batch axis; others may also have an axis of steps
        after that of the batch, (batch, steps, n). Axes of length one hold for all of the batch or all steps.
        steps: how many, if no input says so. Gives outputs (batch, steps, ...), or only those of these names; those
        named in last_only are given after the last step only, as (batch, ...).
        """
        inputs, layout = arrange(self.name, self.signature.inputs, arrays, moving=self._moving)
        if steps is not None and layout.steps not in (None, 1, steps):
            raise InvalidInput(
                f"{self.name}: steps is {steps}, but inputs have {layout.steps}; leave steps out"
            )
        count = steps or layout.steps
        if not count:
            raise InvalidInput(f"{self.name}.rollout needs `steps`, or an input with an axis of steps")
        names = [name for name, _ in self.signature.outputs]
        for name in (*(only or ()), *last_only):
            if name not in names:
                raise InvalidInput(f"{self.name} has no output {name!r}; there are: {', '.join(names)}")
        rows = 1 if layout.batch is None else layout.batch
        wanted = [named for named in self.signature.outputs if only is None or named[0] in only]
        leading = [(rows,) if name in last_only else (rows, count) for name, _ in wanted]
        results = new_outputs(self.name, wanted, leading, out)
        if out is not None:
            self._forbid_overlap(inputs, results, wanted)
        given = {name: array for (name, _), array in zip(wanted, results, strict=True)}
        for k in self._feedback.values():  # states that nobody asked for are still needed, to go on from
            name, shape = self.signature.outputs[k]
            if name not in given:
                given[name] = np.empty((rows, *shape))
        sizes = [math.prod(shape) for _, shape in self.signature.outputs]
        each_step = [
            name in given and given[name].ndim == len(shape) + 2 for name, shape in self.signature.outputs
        ]
        places = Places(
            tuple(size * count if each else size for size, each in zip(sizes, each_step, strict=True)),
            tuple(size if each else -1 for size, each in zip(sizes, each_step, strict=True)),
        )
        outputs = [given.get(name) for name in names]
        return self._run(
            Batch(inputs, layout.places, outputs, places, self._feedback, rows, count), results, threads
        )

    def native_function(self) -> NativeFunction:
        """This kernel for `call` in the trace of another."""
        outputs = sum(math.prod(shape) for _, shape in self.signature.outputs)
        return NativeFunction(self.name, self._addresses[NATIVE], outputs, owner=self._library)

    # Loading

    def _traced(self, kind: str) -> Program:
        with self._lock:
            if kind not in self._programs:
                other = next(iter(self._programs.values()), None)
                shared = other is not None and not other.graph.forked
                self._programs[kind] = other if shared and other else self._source(kind == "batch")
            return self._programs[kind]

    @making_code()
    def _load(self, kind: str, exports: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, int], Any]:
        """Facts, addresses and library of the one-lane ("single") or many-lane ("batch") code."""
        entry = self._entry(kind)
        imports, owners = {}, []
        if entry.facts["external"]:  # tables and functions of this very trace
            graph = self._traced(kind).graph
            owners = [*graph.tables, *graph.functions]
            imports = {f"table{k}": table.ctypes.data for k, table in enumerate(graph.tables)}
            for k, function in enumerate(graph.functions):
                imports[f"native{k}"] = function.address
                if function.data is not None:
                    imports[f"data{k}"] = function.data.ctypes.data
        ends = list(itertools.accumulate(entry.facts["sizes"]))
        codes = [entry.code[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]
        addresses, library = machine.load_objects(codes, exports, imports)
        return entry.facts, addresses, (library, owners)

    def _entry(self, kind: str) -> disk.Entry:
        """From the cache, or compiled; a key only points to an entry, so that an equal graph serves many keys."""
        if self._key is None:
            return self._compiled(kind)[1]
        names = _places(self._key, kind)
        with _IN_TURN.of(names[0]):  # another thread may be at it, ahead of this one
            for name in names:
                pointer = disk.read(name)
                entry = None if pointer is None else disk.read(pointer.facts["entry"])
                if entry is not None:
                    return entry
            place, entry = self._compiled(kind)
            disk.write(names[0], disk.Entry({"entry": place}, b""))
        return entry

    def _compiled(self, kind: str) -> tuple[str, disk.Entry]:
        """Found in the cache by the graph, or compiled; and its place there."""
        places = _places(self._traced(kind).digest(), kind)
        for place in places:
            entry = disk.read(place)
            if entry is not None:
                return place, entry
        with _announced_if_long(self.name):
            entry = _compile(self._traced(kind), kind)
        disk.write(places[0], entry)
        return places[0], entry

    @cached_property
    def _feedback(self) -> dict[int, int]:
        """Inputs that outputs replace in the next step of a rollout."""
        return feedback(self.signature)

    @cached_property
    def _moving(self) -> frozenset[int]:
        """Inputs that may change from step to step of a rollout: all but the states."""
        return frozenset(range(len(self.signature.inputs))) - set(self._feedback)

    @cached_property
    def _row_places(self) -> Places:
        """Of outputs without an axis of steps."""
        sizes = tuple(math.prod(shape) for _, shape in self.signature.outputs)
        return Places(sizes, (-1,) * len(sizes))

    @cached_property
    def _one_lane(self) -> BatchCode:
        return BatchCode(self._addresses[BATCH], 1, self.operations, self._library)

    def _many_lanes(self) -> BatchCode:
        """Compiled when first needed."""
        if self._wide is None:
            with self._lock:
                if self._wide is None:
                    _, addresses, library = self._load("batch", (BATCH,))
                    self._wide = BatchCode(addresses[BATCH], machine.widest_lanes(), self.operations, library)
        return self._wide

    def _builtin(self, symbol: str, flags: int, arrays: Sequence[Array] = ()) -> Callable[..., Any]:
        return new_builtin(
            self.name,
            self._addresses[symbol],
            flags,
            fallback=self._general_call,
            check_finite=self._check_finite,
            arrays=arrays,
            owner=self._library,
        )

    # Batches, and whatever the emitted check of a call does not take

    def _converted_call(self, *arrays: Any) -> Any:
        inputs, layout = self._arranged(arrays)
        if layout.batch is not None:
            return self._run_rows(inputs, layout, None, None)
        if self._check_finite:
            self._require_finite(inputs)
        return self._call(*map(_copied, inputs))

    @cached_property
    def _general_call(self) -> Callable[..., Any]:
        return self._converted_call  # one object, whose address emitted code can hold

    def _arranged(self, arrays: Sequence[Any]) -> tuple[Sequence[Array], Layout]:
        """Inputs of a batch; for plain arrays it is enough to know their shapes."""
        shapes = plain_shapes(arrays)
        layout = None if shapes is None else self._layouts.get(shapes)
        if layout is not None:
            return arrays, layout
        inputs, layout = arrange(self.name, self.signature.inputs, arrays)
        if shapes is not None:
            if len(self._layouts) >= _LAYOUTS:
                self._layouts.clear()
            self._layouts[shapes] = layout
        return inputs, layout

    def _run_rows(
        self, inputs: Sequence[Array], layout: Layout, out: Sequence[Array] | None, threads: int | None
    ) -> Any:
        """Compute a batch of single steps, all outputs of them."""
        return self._run(*self._prepared(inputs, layout, out), threads)

    def _prepared(
        self, inputs: Sequence[Array], layout: Layout, out: Sequence[Array] | None
    ) -> tuple[Batch, list[Array]]:
        """A batch of single steps, and the outputs of them."""
        rows, named = layout.batch or 0, self.signature.outputs
        if out is None:
            results = [np.empty((rows, *shape)) for _, shape in named]
        else:
            results = new_outputs(self.name, named, [(rows,)] * len(named), out)
            self._forbid_overlap(inputs, results, named)
        return Batch(inputs, layout.places, results, self._row_places, self._feedback, rows, 1), results

    def _code(self, rows: int) -> BatchCode:
        # One lane is faster for few rows than many that repeat the last row.
        return self._one_lane if rows <= machine.widest_lanes() // 4 else self._many_lanes()

    def _run(self, batch: Batch, results: list[Array], threads: int | None) -> Any:
        if batch.rows and run_batch(self._code(batch.rows), batch, threads) and self._check_finite:
            self._require_finite(batch.inputs)
        return results[0] if len(results) == 1 else tuple(results)

    def _forbid_overlap(self, inputs: Sequence[Array], outputs: Sequence[Array], named: Named) -> None:
        given = [(name, array) for (name, _), array in zip(self.signature.inputs, inputs, strict=True)]
        forbid_overlap(
            self.name, given, [(name, array) for (name, _), array in zip(named, outputs, strict=True)]
        )

    def _require_finite(self, inputs: Sequence[Array]) -> None:
        for (name, _), array in zip(self.signature.inputs, inputs, strict=True):
            require_finite(self.name, name, array)


def _copied(array: Any) -> Any:
    """A copy with NumPy's own float64; an array that was pickled may have an equal type that is another object."""
    copy = np.empty(np.shape(array))
    copy[...] = array
    return copy


@making_code()
def build_kernel(
    function: Callable[..., Any],
    inputs: Mapping[str, Shape | int],
    *,
    name: str | None = None,
    key: str | None = None,
    module: str | None = None,
    labels: tuple[str, ...] | None = None,
    check_finite: bool = True,
) -> Kernel:
    """Trace and compile a function.

    inputs: shape of each argument. key: text that stands for all the function depends on, such as a robot's
    fingerprint, besides its code, the constants and functions that it names; with it a kernel in the cache is found
    without tracing. module: the name of its module, if it is not the function's own. labels: names of the inputs in
    messages, if other than the arguments'. check_finite: whether calls reject NaN and infinities.
    """
    name = name or str(getattr(function, "__name__", "kernel"))
    signature = repr([(argument, shape) for argument, shape in inputs.items()])
    module = module or str(getattr(function, "__module__", ""))
    meaning = None if key is None else _meaning(function, module)
    full_key = None if key is None or meaning is None else disk.key_of(name, signature, key, meaning)
    kernel = Kernel(
        name, lambda wide: trace(function, inputs, wide=wide), full_key, check_finite=check_finite
    )
    if labels is not None:
        shapes = (shape for _, shape in kernel.signature.inputs)
        kernel.signature = Signature(tuple(zip(labels, shapes, strict=True)), kernel.signature.outputs)
    options: dict[str, Any] = {"name": name, "key": key, "module": module}
    options |= {"labels": labels, "check_finite": check_finite}
    kernel._recipe = partial(build_kernel, function, dict(inputs), **options)
    return kernel


def _meaning(function: Callable[..., Any], module: str) -> str | None:
    """What a key leaves out. Of a function of footfall the source that it depends on; of one outside all that it names:
    its code, constants, globals, values around it and functions that it calls. None if that cannot be found out."""
    if module.split(".")[0] == "footfall":
        return source_hash(module)
    if not isinstance(function, FunctionType) or function.__module__ != module:
        return None
    from footfall.compiler.routines.dependencies import content_of  # rarely needed

    return content_of(function).key


@contextmanager
def _announced_if_long(name: str) -> Iterator[None]:
    """Say what takes so long, if it does."""
    message = f"still compiling {name!r} to native code; it is kept in {disk.directory()}, so that this happens once"
    timer = threading.Timer(_LONG, _LOG.warning, (message,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _places(what: str, kind: str) -> list[str]:
    """Of what is found by a key or a graph, in the cache: where it is kept if made here, and where if shipped."""
    lanes = str(machine.widest_lanes())
    return [disk.key_of(what, kind, each, lanes, _compiler_source()) for each in machine.identities()]


def _compile(program: Program, kind: str) -> disk.Entry:
    widest = machine.widest_lanes()
    lanes = 1 if kind == "single" else widest
    plan = schedule(program, lanes=lanes)
    core = emit_core(plan, lanes, widest)
    entries = batch_functions(plan, core, lanes)
    if kind == "single":
        entries += "\n" + single_functions(plan, core)
    codes = machine.compile_objects(core.modules(entries, batch_declarations(lanes)), _level(plan, lanes))
    facts = {
        "inputs": [[name, list(shape)] for name, shape in program.signature.inputs],
        "outputs": [[name, list(shape)] for name, shape in program.signature.outputs],
        "operations": plan.work,
        "external": bool(program.graph.tables or program.graph.functions),
        "sizes": [len(code) for code in codes],
    }
    return disk.Entry(facts, b"".join(codes))


def _level(plan: Schedule, lanes: int) -> int:
    """How hard LLVM works on a program. Graphs leave it little to find: one lane of level 1 runs as fast as of level 2
    and is there in two thirds of the time; of level 0 it is there in half of that, and runs a quarter slower, or, where
    its code outgrows the caches (derivatives of humanoids: twice the bytes), 2.7 times slower."""
    if lanes > 1:
        return 2
    return 0 if plan.huge else 1


def _shapes(pairs: list[Any]) -> tuple[tuple[str, Shape], ...]:
    return tuple((name, tuple(shape)) for name, shape in pairs)


@cache
def _compiler_source() -> str:
    """Hash of the compiler itself: another compiler, another kernel."""
    digest = sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
