"""Kernels found by a key depend on the source that they use, and on nothing else of footfall."""

from __future__ import annotations

from pathlib import Path

import pytest

from footfall.compiler import sources


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package like footfall: dynamics uses math, and in a function robot; the viewer uses dynamics."""
    files = {
        "math/rotations.py": "import numpy as np",
        "robot/tree.py": "from footfall.math import rotations",
        "dynamics/energy.py": "from footfall.math.rotations import (\n    turn,\n)",
        "dynamics/lazily.py": "def f():\n    from footfall.robot.tree import Tree",
        "viewer/show.py": "from footfall.dynamics.energy import energy",
        "compiler/graph.py": "",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(sources, "_PACKAGE", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "same"),
    [
        ("viewer/show.py", True),
        ("compiler/graph.py", True),
        ("dynamics/energy.py", False),
        ("dynamics/lazily.py", False),
        ("math/rotations.py", False),
        ("robot/tree.py", False),
    ],
)
def test_only_what_is_imported_counts(package: Path, changed: str, same: bool) -> None:
    sources._package_hash.cache_clear()
    before = sources.source_hash("footfall.dynamics.energy")
    (package / changed).write_text((package / changed).read_text() + "\n# another line")
    sources._package_hash.cache_clear()
    assert (sources.source_hash("footfall.dynamics.energy") == before) is same
    sources._package_hash.cache_clear()


def test_real_packages() -> None:
    """An edit in the viewer traces nothing anew: no package before it imports it."""
    names = set(sources._modules("footfall.dynamics"))
    assert "footfall.dynamics.forward_dynamics" in names
    assert sources.source_hash("footfall.dynamics.energy") == sources.source_hash(
        "footfall.dynamics.kinematics"
    )
    assert sources.source_hash("footfall.dynamics.energy") != sources.source_hash("footfall.control.balance")
    assert sources.source_hash("somebody.elses.module") == sources.source_hash("somebody.elses")
