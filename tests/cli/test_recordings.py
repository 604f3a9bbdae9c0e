"""The commands for recordings: export, and how screenshot and view fail."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import footfall
from footfall.cli import app
from footfall.errors import ExistingFile, FootfallError, InvalidInput, MissingFile, RecordingError
from tests.recording.recordings import random_numbers, write_example


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    robot = footfall.load("double-pendulum")
    path = tmp_path_factory.mktemp("cli") / "swing.mcap"
    write_example(path, robot, random_numbers(robot, 20), preview_rate=0.0)
    return path


def run(*arguments: str | Path, error: type[FootfallError] | None = None) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if error is not None:
        assert isinstance(result.exception, error), result.output
        return str(result.exception)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("command", ["view", "export", "screenshot"])
def test_help_has_examples(command: str) -> None:
    assert f"$ footfall {command}" in run(command, "--help")


def test_export_writes_and_says_what(recording: Path, tmp_path: Path) -> None:
    text = run("export", recording, tmp_path / "swing.npz")
    assert "20 states" in text
    with np.load(tmp_path / "swing.npz", allow_pickle=False) as arrays:
        assert arrays["q"].shape == (20, 2)
    run("export", recording, tmp_path / "contacts.csv", "--table", "contacts")
    assert (tmp_path / "contacts.csv").read_text().startswith("time,body,position.x")


def test_export_keeps_files_unless_forced(recording: Path, tmp_path: Path) -> None:
    target = tmp_path / "swing.csv"
    target.write_text("precious")
    assert "--force" in run("export", recording, target, error=ExistingFile)
    assert target.read_text() == "precious"
    run("export", recording, target, "--force")
    assert target.read_text().startswith("time,q.")


def test_export_of_half_a_recording_says_so(recording: Path, tmp_path: Path) -> None:
    half = tmp_path / "half.mcap"
    half.write_bytes(recording.read_bytes()[:-20])
    result = CliRunner().invoke(app, ["export", str(half), str(tmp_path / "half.csv")])
    assert result.exit_code == 0
    assert "not whole" in result.stderr


def test_errors_are_named(recording: Path, tmp_path: Path) -> None:
    assert "nothing.mcap" in run("export", tmp_path / "nothing.mcap", tmp_path / "a.csv", error=MissingFile)
    assert ".xlsx" in run("export", recording, tmp_path / "a.xlsx", error=InvalidInput)
    (tmp_path / "text.mcap").write_text("text")
    assert "no MCAP file" in run("view", tmp_path / "text.mcap", error=RecordingError)
    result = CliRunner().invoke(app, ["screenshot", "lola", str(tmp_path / "a.png"), "--size", "big"])
    assert result.exit_code == 2
    assert "1280x960" in result.output
