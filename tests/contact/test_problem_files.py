"""Contact problems on disk: round trip and files that are none."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from benchmarks.lab.random_problems import pile_problem, random_problem
from footfall.contact.problem import load_problems, save_problems
from footfall.errors import InvalidInput, MissingFile


def test_round_trip(tmp_path: Path) -> None:
    problems = [
        pile_problem(3, seed=0),
        random_problem(0, limits=2, boxes=1, seed=1),
        pile_problem(1, seed=2),
    ]
    save_problems(tmp_path / "problems.npz", problems)
    again = load_problems(tmp_path / "problems.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["problems.npz"]
    assert len(again) == 3
    for ours, theirs in zip(problems, again, strict=True):
        for name in (field.name for field in fields(ours)):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


def test_no_problems(tmp_path: Path) -> None:
    save_problems(tmp_path / "none.npz", [])
    assert load_problems(tmp_path / "none.npz") == []


def test_wrong_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match=r"absent\.npz"):
        load_problems(tmp_path / "absent.npz")
    broken = tmp_path / "broken.npz"
    save_problems(broken, [pile_problem(2, seed=0)])
    broken.write_bytes(broken.read_bytes()[:200])
    with pytest.raises(InvalidInput, match=r"broken\.npz is no file of contact problems"):
        load_problems(broken)
    other = tmp_path / "other.npz"
    np.savez(other, x=np.zeros(3))
    with pytest.raises(InvalidInput, match=r"other\.npz"):
        load_problems(other)
