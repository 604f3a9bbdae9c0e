"""The machine that kernels are compiled for, and loading them into this process."""

from __future__ import annotations

import ctypes
import itertools
import os
import threading
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import llvmlite
import llvmlite.binding as llvm
from llvmlite.binding import ffi

from footfall.compiler.threads import Task
from footfall.errors import InvalidInput

_LOCK = threading.Lock()
_NAMES = itertools.count()


@cache
def _initialised() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _new_target_machine(level: int = 2) -> Any:
    """LLVM's description of this CPU; level: of optimisation while machine code is made, 0 to 3."""
    _initialised()
    target = llvm.Target.from_default_triple()
    # Position-independent code in the small model reaches constants relative to the program counter; what the JIT's
    # own default does takes two more instructions for each.
    return target.create_target_machine(
        cpu=cpu_name(), features=cpu_features(), opt=level, reloc="pic", codemodel="small"
    )


# Levels of x86-64 that code can be shipped for, and the features that each adds (psABI).
_LEVELS = {
    "x86-64-v3": ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
}


@cache
def cpu_name() -> str:
    return chosen_level() or str(llvm.get_host_cpu_name())


@cache
def cpu_features() -> str:
    return "" if chosen_level() else str(llvm.get_host_cpu_features().flatten())


def chosen_level() -> str:
    """The level that FOOTFALL_LEVEL asks code to be made for, to be shipped; empty if it is made for this CPU."""
    level = os.environ.get("FOOTFALL_LEVEL", "")
    if level and level not in _LEVELS:
        raise InvalidInput(f"FOOTFALL_LEVEL is {level!r}; it must be one of {', '.join(_LEVELS)}")
    return level


@cache
def best_level() -> str | None:
    """Of this CPU, if it has one that code is shipped for."""
    features, best = llvm.get_host_cpu_features(), None
    for level, added in _LEVELS.items():
        if not all(features.get(name) for name in added):
            break
        best = level
    return best


@cache
def widest_lanes() -> int:
    """Doubles in the widest vector register."""
    features = llvm.get_host_cpu_features()
    if features.get("avx512f"):
        return 8
    return 4 if features.get("avx") else 2


@cache
def identity() -> str:
    """All that compiled code depends on besides its IR."""
    if chosen_level():
        return _shipped_identity(chosen_level())
    return repr(
        (llvmlite.__version__, llvm.llvm_version_info, llvm.get_default_triple(), cpu_name(), cpu_features())
    )


def identities() -> tuple[str, ...]:
    """Of code that runs here: that made on this machine first, then what comes with the package."""
    level = best_level()
    return (identity(),) if level is None else tuple(dict.fromkeys((identity(), _shipped_identity(level))))


def _shipped_identity(level: str) -> str:
    """Object code does not depend on which LLVM has made it."""
    return repr(("shipped", llvm.get_default_triple(), level))


def compile_objects(texts: Sequence[str], level: int) -> list[bytes]:
    """Object code of modules in LLVM's textual form, see `_new_target_machine`. Ctrl-C is answered at once; a module or
    two are then finished."""
    tasks = {
        text: Task(partial(_compile_object, text, level)) for text in sorted(texts, key=len, reverse=True)
    }
    try:
        return [tasks[text].result() for text in texts]
    except BaseException:
        for task in tasks.values():
            task.cancel()
        raise


def _compile_object(text: str, level: int) -> bytes:
    """Each in a context of its own, so that threads do not meet."""
    module = llvm.parse_assembly(text, context=llvm.create_context())
    return _emitted(_new_target_machine(level), module)


def _emitted(target: Any, module: Any) -> bytes:
    """`target.emit_object(module)` without llvmlite's lock, which lets one thread at a time into LLVM.

    LLVM itself asks only that threads have contexts and targets of their own.
    """
    emit = getattr(ffi.lib.LLVMPY_TargetMachineEmitToMemory, "_cfn", None)
    if emit is None:
        return bytes(target.emit_object(module))
    with ffi.OutputString() as error:
        buffer = emit(target, module, 1, error)
        if not buffer:
            raise RuntimeError(str(error))
    try:
        return ctypes.string_at(ffi.lib.LLVMPY_GetBufferStart(buffer), ffi.lib.LLVMPY_GetBufferSize(buffer))
    finally:
        ffi.lib.LLVMPY_DisposeMemoryBuffer(buffer)


def compile_optimised(text: str, *, quick: bool = False) -> bytes:
    """The same of one module that leaves all optimisation to LLVM, in this thread; quick: it shall not take long."""
    module = llvm.parse_assembly(text, context=llvm.create_context())
    target = _new_target_machine()
    # Without it an int behind a flag would lie where no other compiler, nor NumPy, puts it.
    module.data_layout = str(target.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=1 if quick else 2)
    options.loop_vectorization = options.slp_vectorization = not quick
    builder = llvm.create_pass_builder(target, options)
    manager = builder.getModulePassManager()
    run = getattr(ffi.lib.LLVMPY_RunNewModulePassManager, "_cfn", None)  # see `_emitted`
    if run is None:
        manager.run(module, builder)
    else:
        run(manager, module, builder)
    return _emitted(target, module)


@cache
def _linker() -> Any:
    return llvm.create_lljit_compiler(_new_target_machine())


def load_objects(
    codes: Sequence[bytes], exports: tuple[str, ...], imports: dict[str, int]
) -> tuple[dict[str, int], Any]:
    """Addresses of exported functions, and the object that keeps them alive. imports: addresses of external names."""
    builder = llvm.JITLibraryBuilder().add_current_process()
    for code in codes:
        builder.add_object_img(code)
    for name, address in imports.items():
        builder.import_symbol(name, address)
    for name in exports:
        builder.export_symbol(name)
    with _LOCK:
        library = builder.link(_linker(), f"footfall{next(_NAMES)}")
    return {name: library[name] for name in exports}, library
