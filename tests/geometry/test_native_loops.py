"""Compiled loops: kept on disk by the content of all files with such loops."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

CODE = """
import numpy as np
from footfall.geometry.native_vectors import cross
print(cross(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])).tolist(), sum(cross.stats.cache_hits.values()))
"""


def run(folder: Path) -> str:
    surroundings = {**os.environ, "FOOTFALL_CACHE_DIR": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", CODE], env=surroundings, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_code_is_kept_and_found_again(tmp_path: Path) -> None:
    assert run(tmp_path) == "[0.0, 0.0, 1.0] 0"
    folders = list((tmp_path / "numba").iterdir())
    assert len(folders) == 1
    assert list(folders[0].rglob("*.nbi"))
    old = tmp_path / "numba" / "0123456789abcdef"
    old.mkdir()
    os.utime(old, (0, 0))
    assert run(tmp_path) == "[0.0, 0.0, 1.0] 1"
    assert not old.exists()
    assert folders[0].exists()


def test_vectors() -> None:
    from footfall.geometry.native_vectors import along, cross, dot, minus

    a, b = np.random.default_rng(0).normal(size=(2, 3))
    assert np.abs(cross(a, b) - np.cross(a, b)).max() < 1e-15
    assert abs(dot(a, b) - a @ b) < 1e-15
    assert (minus(a, b) == a - b).all()
    assert np.abs(along(a, 0.3, b) - (a + 0.3 * b)).max() < 1e-15
