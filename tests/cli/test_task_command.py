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


def test_file_of_tasks(tmp_path: Path) -> None:
    """Round a post on a tray that moves, from a file; rows that contradict each other are told."""
    text = """
[[frame]]
name = "tray"
position = [0.5, 0.1, 0.4]
rotation = [0.0, 0.0, 0.3]
velocity = [0.05, 0.0, 0.02]
turning = [0.0, 0.1, 0.4]
[[features]]
name = "post"
frame = "tip"
relative_to = "tray"
chain = { angle = "rz", distance = "x", height = "z", turn = "rz", tilt = "ry", lean = "rx" }
targets = { angle = 0.4, distance = 0.2, height = 0.1 }
near = { distance = 0.3 }
stiffness = 400.0
damping = 40.0
"""
    (tmp_path / "post.toml").write_text(text)
    robot = ["--robot", "arm-7r", "--output", str(tmp_path / "out"), "--no-plots"]
    result = CliRunner().invoke(app, ["task", str(tmp_path / "post.toml"), *robot])
    assert result.exit_code == 0, result.output
    assert "rank 3 of 3 rows" in result.output
    assert " no " not in result.output
    assert (tmp_path / "out" / "post.mcap").exists()
    nobody = CliRunner().invoke(app, ["task", str(tmp_path / "post.toml")])
    assert nobody.exit_code == 2
