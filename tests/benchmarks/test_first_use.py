"""First use is measured in processes that start without compiled code."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from benchmarks.lab import first_use


def test_the_second_use_finds_what_the_first_has_compiled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each use says how many entries it finds, and makes one."""
    log = tmp_path / "log"
    code = (
        "from footfall.compiler import build_kernel, cache; "
        f"print(cache.usage()[0], file=open({str(log)!r}, 'a')); "
        "build_kernel(lambda x: x + 1.0, {'x': 1})"
    )
    monkeypatch.setattr(first_use, "USES", {"kernel": code})
    (use,) = first_use.measure_first_use(["kernel"])
    assert log.read_text().split() == ["0", "1"]
    assert use.name == "kernel"
    assert min(use[1:]) > 0.0


def test_a_use_that_fails_is_no_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_use, "USES", {"broken": "sys.exit(3)"})
    with pytest.raises(subprocess.CalledProcessError):
        list(first_use.measure_first_use(["broken"]))
