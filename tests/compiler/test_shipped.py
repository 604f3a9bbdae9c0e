"""Native code that comes with the package is used where nothing else is there, and only if it is what was asked for."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.compiler import build_kernel, cache, kernel, machine
from footfall.compiler.kernel import Kernel
from footfall.compiler.routines import routine
from footfall.errors import InvalidInput

USE = """
from footfall.compiler import machine
from tests.compiler.test_shipped import half_sum

made = []
original = machine.compile_optimised
machine.compile_optimised = lambda text, **options: (made.append(1), original(text, **options))[1]
print(half_sum(3.0, 4.0), len(made), machine.cpu_name())
"""
needs_level = pytest.mark.skipif(machine.best_level() is None, reason="no level of x86-64 with AVX2")


KERNEL_USE = """
from tests.compiler.test_shipped import square_kernel

print(square_kernel()([3.0])[0])
"""


@routine
def half_sum(a: float, b: float) -> float:
    return 0.5 * (a + b)


def _square(x: Array) -> Array:
    return x * x


def square_kernel() -> Kernel:
    return build_kernel(_square, {"x": 1}, name="square")


def used(folder: Path, use: str = USE, **environment: str) -> list[str]:
    given = {**os.environ, "FOOTFALL_CACHE_DIR": str(folder), **environment}
    run = subprocess.run([sys.executable, "-c", use], env=given, capture_output=True, text=True, check=True)
    return run.stdout.split()


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of archives in place of the package's own."""
    folder = tmp_path / "shipped"
    folder.mkdir()
    monkeypatch.setattr(cache, "SHIPPED", folder)
    cache._packs.cache_clear()
    yield folder
    cache._packs.cache_clear()


@needs_level
def test_code_for_a_level_is_found_by_every_cpu_that_has_it(
    tmp_path: Path, shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    level = machine.best_level()
    assert level is not None
    assert used(tmp_path / "level", FOOTFALL_LEVEL=level) == ["3.5", "1", level]
    (kept,) = (tmp_path / "level").glob("*.kernel")
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(tmp_path / "empty"))
    assert cache.read(kept.stem) is None
    with zipfile.ZipFile(shipped / "code.zip", "w") as archive:
        archive.write(kept, kept.name)
    cache._packs.cache_clear()
    entry = cache.read(kept.stem)
    assert entry is not None
    assert entry.facts["shared"]
    compiled: list[str] = []
    monkeypatch.setattr(machine, "compile_optimised", lambda text, **_: compiled.append(text))
    fresh = routine(half_sum.python)  # type: ignore[attr-defined]
    assert fresh(3.0, 4.0) == 3.5
    assert compiled == []


@needs_level
def test_kernels_for_a_level_are_found_too(
    tmp_path: Path, shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert used(tmp_path / "level", KERNEL_USE, FOOTFALL_LEVEL=str(machine.best_level())) == ["9.0"]
    with zipfile.ZipFile(shipped / "code.zip", "w") as archive:
        for kept in (tmp_path / "level").glob("*.kernel"):
            archive.write(kept, kept.name)
    cache._packs.cache_clear()
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(tmp_path / "empty"))
    monkeypatch.setattr(kernel, "_compile", lambda program, kind: pytest.fail("it is compiled again"))
    assert square_kernel()(np.array([3.0]))[0] == 9.0


@needs_level
def test_what_is_damaged_or_of_another_key_is_not_used(tmp_path: Path, shipped: Path) -> None:
    used(tmp_path / "level", FOOTFALL_LEVEL=str(machine.best_level()))
    (kept,) = (tmp_path / "level").glob("*.kernel")
    other = "0" * 64
    with zipfile.ZipFile(shipped / "code.zip", "w") as archive:
        archive.writestr(kept.name, kept.read_bytes()[:-1])
        archive.writestr(f"{other}.kernel", kept.read_bytes())
    assert cache.read(kept.stem) is None
    assert cache.read(other) is None


def test_a_level_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTFALL_LEVEL", "x86-64-v9")
    with pytest.raises(InvalidInput, match="x86-64-v9"):
        machine.chosen_level()
