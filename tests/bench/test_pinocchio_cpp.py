"""The C++ column: clear errors without a compiler or headers, and the right results where it has been built."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pinocchio")

from footfall.bench import pinocchio_cpp
from footfall.errors import MissingPackage


def test_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(pinocchio_cpp.shutil, "which", lambda name: None)
    with pytest.raises(MissingPackage, match=r"g\+\+"):
        pinocchio_cpp.build()


def test_no_eigen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CXX", "true")
    monkeypatch.setattr(Path, "is_dir", lambda path: path.name == "pinocchio")
    with pytest.raises(MissingPackage, match="libeigen3-dev"):
        pinocchio_cpp.build()


def test_a_failing_compiler_is_quoted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    compiler = tmp_path / "c++"
    compiler.write_text('#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "x.cpp:1: error: no" >&2\nexit 1\n')
    compiler.chmod(0o755)
    (tmp_path / "eigen" / "Eigen").mkdir(parents=True)
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setenv("EIGEN_INCLUDE_DIR", str(tmp_path / "eigen"))
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(tmp_path / "cache"))
    with pytest.raises(pinocchio_cpp.ProgramFailed, match=r"x\.cpp:1: error: no"):
        pinocchio_cpp.build()
    assert not list((tmp_path / "cache").iterdir())
