"""The machine that kernels are compiled for, and loading them into this process."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm

_LOCK = threading.Lock()
_NAMES = itertools.count()


@cache
def _initialised() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _new_target_machine() -> Any:
    """LLVM's description of this CPU."""
    _initialised()
    target = llvm.Target.from_default_triple()
    # Position-independent code in the small model reaches constants relative to the program counter; what the JIT's
    # own default does takes two more instructions for each.
    return target.create_target_machine(
        cpu=cpu_name(), features=cpu_features(), opt=2, reloc="pic", codemodel="small"
    )


@cache
def cpu_name() -> str:
    return str(llvm.get_host_cpu_name())


@cache
def cpu_features() -> str:
    return str(llvm.get_host_cpu_features().flatten())


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
    return repr(
        (llvmlite.__version__, llvm.llvm_version_info, llvm.get_default_triple(), cpu_name(), cpu_features())
    )


def compile_objects(texts: Sequence[str]) -> list[bytes]:
    """Object code of modules in LLVM's textual form, several at a time."""
    if len(texts) == 1:
        return [_compile_object(texts[0])]
    with ThreadPoolExecutor(len(texts)) as pool:
        return list(pool.map(_compile_object, texts))


def _compile_object(text: str) -> bytes:
    """Each in a context of its own, so that threads do not meet."""
    module = llvm.parse_assembly(text, context=llvm.create_context())
    return bytes(_new_target_machine().emit_object(module))


def compile_optimised(text: str) -> bytes:
    """Object code of a module that leaves all optimisation to LLVM."""
    module = llvm.parse_assembly(text, context=llvm.create_context())
    target = _new_target_machine()
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = True
    builder = llvm.create_pass_builder(target, options)
    builder.getModulePassManager().run(module, builder)
    return bytes(target.emit_object(module))


def available_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
