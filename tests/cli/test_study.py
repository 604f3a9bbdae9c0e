"""`footfall study`: a file, a function of one's own, going on, and what goes wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from footfall.cli import app
from footfall.errors import InvalidInput, UnknownName

RUNNER = CliRunner()
STUDY = """
name = "roots"
seeds = 2
[vary]
x = [1.0, 4.0, -1.0]
"""
FUNCTION = """
import math

def root(x, seed):
    return {"success": x > 0, "root": math.sqrt(x) + seed}
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "roots.toml").write_text(STUDY)
    (tmp_path / "own.py").write_text(FUNCTION)
    return tmp_path


def test_a_study_of_a_function_of_ones_own(place: Path) -> None:
    done = RUNNER.invoke(app, ["study", "roots.toml", "--function", "own.py:root", "-j", "1"])
    assert done.exit_code == 1  # the root of -1 is an error, which the table has
    assert "6 runs in roots (complete)" in done.output
    assert (
        "2 runs ended with an error (column `error`), the first with ValueError: math domain error"
        in done.output
    )
    assert (place / "roots" / "cells.png").read_bytes().startswith(b"\x89PNG")
    table = (place / "roots" / "cells.csv").read_text().splitlines()
    assert table[2].startswith("1,4.0,2,0,1.0")
    again = RUNNER.invoke(app, ["study", "roots.toml", "--function", "own.py:root", "-j", "1"])
    assert "6 runs in roots (complete)" in again.output


def test_lists_and_help_say_what_there_is() -> None:
    listing = RUNNER.invoke(app, ["study", "list"])
    assert "push_map" in listing.output
    assert "direction_deg" in listing.output
    assert "footfall study replay" in RUNNER.invoke(app, ["study", "--help"]).output


def test_wrong_words_are_told(place: Path) -> None:
    wrong = RUNNER.invoke(app, ["study", "rotos", "-j", "1"])
    assert isinstance(wrong.exception, UnknownName)
    missing = RUNNER.invoke(app, ["study", "replay", "nowhere", "0"])
    assert isinstance(missing.exception, InvalidInput)
    RUNNER.invoke(app, ["study", "roots.toml", "--function", "own.py:root", "-j", "1"])
    assert "is no walk" in str(RUNNER.invoke(app, ["study", "replay", "roots", "0"]).exception)


def test_the_worst_walks_are_all_walked_although_each_of_them_failed(place: Path) -> None:
    (place / "hard.toml").write_text(
        'name = "hard"\nexperiment = "push"\nseeds = 3\n[fixed]\nimpulse = 300.0\nspeed = 0.3\n'
    )
    assert RUNNER.invoke(app, ["study", "hard.toml", "-j", "1", "--no-plot"]).exit_code == 0
    done = RUNNER.invoke(app, ["study", "worst", "hard", "--count", "2", "--no-video"])
    assert done.exit_code == 0
    assert len(list((place / "worst").glob("hard-*.walk.json"))) == 2
    row = next((place / "worst").glob("hard-*.walk.json")).name.split("-")[1].split(".")[0]
    assert RUNNER.invoke(app, ["study", "replay", "hard", row]).exit_code == 1  # that walk has failed


def test_a_search_prints_what_it_found_and_whether_it_is_better(place: Path) -> None:
    (place / "search.toml").write_text(
        'name = "bowl"\nseeds = 2\n[search]\nevaluations = 12\ncost = { value = 1.0 }\n'
        "[search.parameters]\nx = { from = 0.0, to = 4.0 }\n"
    )
    (place / "own.py").write_text(
        "def bowl(x=4.0, *, seed):\n    return {'success': x < 2, 'value': x * x}\n"
    )
    done = RUNNER.invoke(app, ["study", "search.toml", "--function", "own.py:bowl", "-j", "1"])
    assert done.exit_code == 0
    assert "It is better." in " ".join(done.output.split())
    assert (place / "search" / "candidates.csv").is_file()
    wrong = RUNNER.invoke(app, ["study", "search.toml", "--function", "own.py:bowl", "--most", "3"])
    assert "without a search" in str(wrong.exception)
