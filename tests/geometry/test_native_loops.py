"""Loops compiled by Numba: kept in our cache, whatever happens to its files, and announced if they take long."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footfall.compiler import native_loops

CODE = """
import sys
import numpy as np
from footfall.geometry.native_vectors import cross
one, other = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
if "frozen" in sys.argv:
    one.flags.writeable = False
print(cross(one, other).tolist(), sum(cross.stats.cache_hits.values()))
"""


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    surroundings = {**os.environ, "FOOTFALL_CACHE_DIR": str(folder)}
    command = [sys.executable, "-c", CODE, *arguments]
    return subprocess.Popen(command, env=surroundings, stdout=subprocess.PIPE, text=True)


def answer(process: subprocess.Popen[str]) -> str:
    text = process.communicate()[0].strip()
    assert process.returncode == 0
    return text


def test_code_is_kept_and_found_again_by_all(tmp_path: Path) -> None:
    """Two processes compile for different types at once; damaged entries are compiled anew."""
    both = [start(tmp_path), start(tmp_path, "frozen")]
    assert [answer(process) for process in both] == ["[0.0, 0.0, 1.0] 0"] * 2
    both = [start(tmp_path), start(tmp_path, "frozen")]
    assert [answer(process) for process in both] == ["[0.0, 0.0, 1.0] 1"] * 2
    for file in tmp_path.glob("*.kernel"):
        file.write_bytes(file.read_bytes()[:-100])
    assert answer(start(tmp_path)) == "[0.0, 0.0, 1.0] 0"


def test_what_takes_long_is_said_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(native_loops, "_LONG", 0.1)
    patience: Any = native_loops._Patience()
    for seconds in (0.06, 0.3, 0.3):  # no single one of the first two need be long
        patience.on_start(None)
        patience.on_start(None)  # one in another
        patience.on_end(None)
        time.sleep(seconds)
        patience.on_end(None)
    assert [record.message.partition(";")[0] for record in caplog.records] == [
        "still compiling loops to native code"
    ]


def test_vectors() -> None:
    from footfall.geometry.native_vectors import along, cross, dot, minus

    a, b = np.random.default_rng(0).normal(size=(2, 3))
    assert np.abs(cross(a, b) - np.cross(a, b)).max() < 1e-15
    assert abs(dot(a, b) - a @ b) < 1e-15
    assert (minus(a, b) == a - b).all()
    assert np.abs(along(a, 0.3, b) - (a + 0.3 * b)).max() < 1e-15
