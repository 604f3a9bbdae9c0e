"""A sample of benchmarks/fuzz_readers.py: mutated descriptions give robots or typed errors."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "fuzz_readers.py"


@pytest.fixture(scope="module")
def fuzzer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz_readers", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("kind", ["toml", "urdf", "mjcf"])
def test_only_typed_errors(
    kind: str, fuzzer: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "mjcf":
        pytest.importorskip("mujoco")
    monkeypatch.setattr(fuzzer, "BYTES", 2**40)  # the process has more to do than to read
    monkeypatch.setattr(fuzzer, "SECONDS", 1e9)
    monkeypatch.chdir(tmp_path)  # MuJoCo leaves a log where it runs
    complaints = {i: fuzzer.complaint(kind, fuzzer.mutated(kind, 7, i)) for i in range(300)}
    assert {i: complaint for i, complaint in complaints.items() if complaint} == {}


def test_an_untyped_error_is_seen(fuzzer: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(text: str) -> object:
        raise IndexError(text)

    monkeypatch.setitem(fuzzer.FORMATS, "toml", (broken, ""))
    assert "IndexError" in fuzzer.complaint("toml", "x")


def test_cases_are_reproducible_and_differ(fuzzer: ModuleType) -> None:
    texts = [fuzzer.mutated("urdf", 7, i) for i in range(50)]
    assert texts == [fuzzer.mutated("urdf", 7, i) for i in range(50)]
    assert len(set(texts)) > 45
