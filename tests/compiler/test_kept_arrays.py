"""Arrays that are kept on disk are those that were made, and are made again where anything has changed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from footfall.compiler.kept_arrays import kept_arrays

HERE = __name__
CONTENT = bytes(range(256)) * 8


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Maker:
    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> tuple[np.ndarray, ...]:
        self.calls += 1
        return np.array([[0.1, -0.0], [np.pi, 1e-310]]), np.arange(3), np.zeros((0, 3)), np.array(0.3)


def same(one: tuple[np.ndarray, ...], other: tuple[np.ndarray, ...]) -> bool:
    return all(
        a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
        for a, b in zip(one, other, strict=True)
    )


def test_arrays_come_back_to_the_bit_and_are_made_once() -> None:
    make = Maker()
    first = kept_arrays(make, HERE, CONTENT)
    assert same(first, kept_arrays(make, HERE, CONTENT))
    assert make.calls == 1
    kept_arrays(make, HERE, CONTENT[1:])  # of something else
    kept_arrays(make, HERE, CONTENT[:100], CONTENT[100:])
    assert make.calls == 3
    kept_arrays(make, kept_arrays.__module__, CONTENT)
    assert make.calls == 4  # of another module


def test_what_is_small_is_not_kept(folder: Path) -> None:
    make = Maker()
    for _ in range(2):
        kept_arrays(make, HERE, b"few")
    assert make.calls == 2
    assert not folder.exists()


def test_a_file_that_is_damaged_is_made_again(folder: Path) -> None:
    make = Maker()
    first = kept_arrays(make, HERE, CONTENT)
    (file,) = folder.glob("*.kernel")
    file.write_bytes(file.read_bytes()[:-8])
    assert same(first, kept_arrays(make, HERE, CONTENT))
    assert make.calls == 2


def test_a_mesh_is_read_again_without_the_packages_that_read_them(tmp_path: Path) -> None:
    """The second process gives the same bits and imports neither trimesh nor SciPy."""
    import trimesh

    trimesh.creation.icosphere(subdivisions=3, radius=0.1).export(tmp_path / "ball.stl")
    code = (
        "import sys\n"
        "from footfall.geometry.mesh import load_mesh\n"
        "from footfall.contact.detection.hulls import simpler_hull\n"
        "mesh = load_mesh('ball.stl'); hull, lost = simpler_hull(mesh.vertices, 64)\n"
        "from hashlib import sha256\n"
        "parts = [mesh.vertices, mesh.triangles, hull.points, hull.normals, *hull.faces]\n"
        "print(sha256(b''.join(part.tobytes() for part in parts)).hexdigest(), lost, len(hull.faces))\n"
        "print('trimesh' in sys.modules, 'scipy.spatial' in sys.modules)\n"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    first, second = (run.stdout.splitlines() for run in runs)
    assert first[0] == second[0]
    assert first[1] == "True True"
    assert second[1] == "False False"
