"""Memory that is not there while something is saved: old files stay, what was said to be kept can be read."""

from __future__ import annotations

import os

import pytest

from benchmarks.attack import full_disks, no_memory

pytestmark = pytest.mark.skipif(
    not (hasattr(os, "fork") and no_memory.AVAILABLE), reason="needs fork and _testcapi"
)


@pytest.fixture(scope="module", autouse=True)
def example() -> None:
    full_disks.prepare()


@pytest.mark.parametrize("name", full_disks.WAYS)
def test_saving_goes_without_memory(name: str) -> None:
    assert no_memory.run(name, points=6) == []


def test_memory_is_missed() -> None:
    with pytest.raises(MemoryError), no_memory.without(0):
        assert list(range(1000))
