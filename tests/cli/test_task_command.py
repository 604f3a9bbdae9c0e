"""`footfall task`: the list, a run with its files, and what is said of unknown names."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from footfall.cli.application import app
from footfall.errors import UnknownName
from footfall.scenarios import hybrid
from footfall.scenarios.hybrid.wall import run_wall


def test_list() -> None:
    result = CliRunner().invoke(app, ["task"])
    assert result.exit_code == 0
    assert "docking-moving" in result.output


def test_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = hybrid.UseCase("a short one", lambda: run_wall(5.0, seconds=0.2))
    monkeypatch.setitem(hybrid.USE_CASES, "wall", short)
    result = CliRunner().invoke(app, ["task", "wall", "--output", str(tmp_path)])
    assert result.exit_code == 0
    assert "angle at the end, deg" in result.output
    assert "View it: footfall view" in result.output
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".mcap", ".npz", ".png"]


def test_unknown() -> None:
    result = CliRunner().invoke(app, ["task", "walls"])
    assert isinstance(result.exception, UnknownName)
