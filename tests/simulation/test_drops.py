"""A few of the random robots that `benchmarks/drop_study.py` drops by the thousand."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.lab.drops import drop_batch, random_walker
from footfall.robot.toml_writer import toml_text


@pytest.mark.parametrize("kind", [1, 3])
def test_random_robots_survive_a_fall(kind: int, tmp_path: Path) -> None:
    results = drop_batch(kind, count=8, seconds=1.0, folder=tmp_path)
    assert len(list(tmp_path.iterdir())) == 8
    for result in results:
        assert result.finite
        assert result.recorded
        assert result.gained < 1e-6
        assert result.unsolved < 0.2


def test_walkers_are_reproducible_and_different() -> None:
    assert toml_text(random_walker(3)) == toml_text(random_walker(3))
    assert len({random_walker(seed).nv for seed in range(20)}) > 3
