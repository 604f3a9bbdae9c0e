"""Disks that run full: old files stay, what was said to be kept can be read, nothing is left behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.attack import full_disks


@pytest.fixture(scope="module", autouse=True)
def example() -> None:
    full_disks.prepare()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.parametrize("name", full_disks.WAYS)
def test_saving_is_cut_off(name: str) -> None:
    assert full_disks.run(name, points=5) == []


def test_the_check_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """A way of saving that writes where the old file is."""

    def careless(path: Path) -> None:
        path.write_bytes(b"x" * 1000)

    monkeypatch.setitem(full_disks.WAYS, "careless", (careless, "file"))
    assert "the old file is gone" in [problem for _, problem in full_disks.run("careless", points=5)]
