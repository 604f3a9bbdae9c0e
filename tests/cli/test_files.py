"""What cannot be written is refused before a command starts to work, in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import footfall.scenarios.driven_leg
import footfall.scenarios.hybrid
import footfall.scenarios.quadruped
from footfall.cli import app
from footfall.cli.files import new_file, output_folder
from footfall.errors import CannotWrite, ExistingFile, FootfallError


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that takes long may begin."""

    def begun(*_: object, **__: object) -> None:
        raise AssertionError("the work has begun")

    monkeypatch.setattr(footfall.scenarios.quadruped, "run_scenario", begun)
    monkeypatch.setattr(footfall.scenarios.driven_leg, "follow_step", begun)
    monkeypatch.setattr("footfall.motion.pipeline.generate_motion", begun)
    monkeypatch.setattr("footfall.bench.dynamics.measure_robot", begun)
    monkeypatch.setattr("footfall.viewer.screenshot.take_screenshot", begun)
    case = footfall.scenarios.hybrid.UseCase("", begun)
    monkeypatch.setitem(footfall.scenarios.hybrid.USE_CASES, "docking", case)


@pytest.mark.parametrize(
    "command",
    [
        ["demo", "--output", "{}"],
        ["quadruped", "trot", "--output", "{}"],
        ["task", "docking", "--output", "{}"],
        ["drives", "leg", "{}"],
        ["plan", "platform", "--plot", "--output", "{}"],
        ["plan", "platform", "--save", "--output", "{}"],
        ["bench", "dynamics", "scara", "--output", "{}/report.md"],
        ["screenshot", "scara", "{}/scara.png"],
        ["convert", "scara", "{}/scara.urdf"],
    ],
    ids=lambda command: " ".join(command[:2]),
)
@pytest.mark.usefixtures("no_work")
def test_a_folder_that_cannot_be_is_refused_at_once(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    result = CliRunner().invoke(app, [word.format(tmp_path / "file" / "folder") for word in command])
    assert isinstance(result.exception, CannotWrite)
    assert str(tmp_path / "file" / "folder") in str(result.exception)
    assert "\n" not in str(result.exception)


@pytest.mark.usefixtures("no_work")
def test_the_work_would_begin(tmp_path: Path) -> None:
    """The test above can fail."""
    result = CliRunner().invoke(app, ["quadruped", "trot", "--output", str(tmp_path / "folder")])
    assert isinstance(result.exception, AssertionError)


def test_folders_are_made(tmp_path: Path) -> None:
    assert output_folder(tmp_path / "a" / "b").is_dir()
    assert list((tmp_path / "a" / "b").iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWrite, match=r"file': it is a file"):
        output_folder(tmp_path / "file")


def test_files_are_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert new_file(path) == path
    path.write_text("precious")
    with pytest.raises(ExistingFile, match="--force"):
        new_file(path)
    assert new_file(path, force=True) == path
    assert path.read_text() == "precious"
    with pytest.raises(CannotWrite, match="is a folder"):
        new_file(tmp_path, force=True)
    with pytest.raises(CannotWrite, match="no folder"):
        new_file(tmp_path / "missing" / "file")
    assert issubclass(CannotWrite, FootfallError)
