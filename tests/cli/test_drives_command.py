"""`footfall drives`: the tables, and pictures of the leg."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from footfall.cli.application import app

RUN = CliRunner().invoke


def test_torques_of_lola() -> None:
    result = RUN(app, ["drives", "torques", "lola", "--parts"])
    assert result.exit_code == 0, result.output
    elbow = next(line for line in result.output.splitlines() if line.strip().startswith("efr"))
    assert "31.0" in elbow  # permanent, of the source
    assert "49" in elbow  # what people give
    assert "100 N on each hand" in result.output
    assert "Greatest loads between parts" in result.output


def test_drives_and_springs_are_shown() -> None:
    text = RUN(app, ["show", "lola"]).output
    assert "AnkleCranks" in text
    assert "80000" in text  # stiffness of the hip's gear
    assert "1500" in RUN(app, ["show", "cassie"]).output  # of the shin's leaf spring


def test_leg_with_pictures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = RUN(app, ["drives", "leg", str(tmp_path), "--no-modes"])
    assert result.exit_code == 0, result.output
    assert "elastic gears: foot within" in result.output
    assert (tmp_path / "leg-step.png").stat().st_size > 10_000
    assert not (tmp_path / "leg-modes.png").exists()
