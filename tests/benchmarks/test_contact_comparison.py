"""The comparison with MuJoCo as a table and as a picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.lab.contact_comparison import HARD, comparison_table, plot_comparison

pytest.importorskip("mujoco")

CASES = (("ANYmal standing", "", HARD, 0.1), ("ANYmal standing", "trot", HARD, 0.1))


def test_table_has_a_row_a_case() -> None:
    head, rule, *rows = comparison_table(CASES).splitlines()
    assert head.count("|") == rule.count("|") == rows[0].count("|")
    assert [row.split("|")[1].strip() for row in rows] == [
        "ANYmal standing, 0.1 s",
        "ANYmal in a trot, 0.1 s",
    ]
    assert "5 ms" in rows[0]


def test_picture_has_both_curves(tmp_path: Path) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    plot_comparison(tmp_path / "runs.png", CASES)
    picture = pyplot.imread(tmp_path / "runs.png")[:, :, :3]
    for color in ((0.0, 0.4, 0.74), (0.85, 0.37, 0.01)):
        assert (abs(picture - color).max(axis=2) < 0.05).sum() > 100
