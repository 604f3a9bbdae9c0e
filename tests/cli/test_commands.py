"""Each command once: what it prints, and how it fails."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from typer.testing import CliRunner

import footfall
from footfall.cli import app, main
from footfall.cli.walk import _keep_walked
from footfall.robot import library
from footfall.walking.journal import Journal


def output_of(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def run_main(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["footfall", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_version_and_help() -> None:
    assert output_of("--version").strip() == f"footfall {footfall.__version__}"
    text = output_of("--help")
    assert all(command in text for command in ("demo", "robots", "show", "convert", "bench", "cache"))


@pytest.mark.parametrize("command", [["show"], ["convert"], ["bench", "dynamics"], ["demo"]])
def test_help_has_examples(command: list[str]) -> None:
    assert f"$ footfall {command[0]}" in output_of(*command, "--help")


def test_robots_lists_all() -> None:
    text = output_of("robots")
    assert all(name in text for name in library.names())
    line = next(line for line in text.splitlines() if line.strip().startswith("lola "))
    assert line.split()[-3:] == ["33", "32", "67.31"]


def test_show_lola() -> None:
    text = output_of("show", "lola")
    assert "nv 32" in text
    assert "62.4" in next(line for line in text.splitlines() if line.strip().startswith("lower"))
    knee = next(line for line in text.splitlines() if "hfr to kfr" in line)
    assert "revolute" in knee
    assert "-4.5 to 120 deg" in knee
    for part in ("Bodies", "Mass by region", "Joints", "Frames", "VTCP", "Configurations", "idle", "Groups"):
        assert part in text


def test_show_lengths_in_metres_and_other_bases() -> None:
    text = output_of("show", "scara", "--floating-base")
    assert "-0.15 to 0.05 m" in text
    assert "floating" in text
    assert "floating" not in output_of("show", "scara")
    assert "floating base" not in output_of("show", "quadruped", "--fixed-base")


def test_convert_round_trip(tmp_path: Path) -> None:
    target = tmp_path / "arm.urdf"
    assert "written to" in output_of("convert", "arm-6r", str(target))
    assert footfall.load(target).mass == pytest.approx(footfall.load("arm-6r").mass)


def test_convert_does_not_overwrite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "arm.toml"
    target.write_text("precious")
    assert run_main(monkeypatch, "convert", "arm-6r", str(target)) == 2
    assert "--force" in capsys.readouterr().err
    assert target.read_text() == "precious"
    output_of("convert", "arm-6r", str(target), "--force")
    assert footfall.load(target).nv == 6


def test_convert_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_main(monkeypatch, "convert", "arm-6r", str(tmp_path / "nowhere" / "a.urdf")) == 2
    assert "no folder" in capsys.readouterr().err
    assert run_main(monkeypatch, "convert", "nope", str(tmp_path)) == 2
    assert "no robot 'nope'" in capsys.readouterr().err


def test_cache_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(tmp_path / "kernels"))
    footfall.gravity_forces.kernel(footfall.load("wrist"))
    text = output_of("cache", "info")
    assert str(tmp_path / "kernels") in text
    assert "2 files" in text  # the kernel, and what points to it
    assert "removed 2 files" in output_of("cache", "clear")
    assert "0 files" in output_of("cache", "info")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["quadruped", "tilts", "--count", "0"], "--count"),
        (["quadruped", "tilts", "--height", "-1"], "--height"),
        (["quadruped", "trot", "--gap-term", "x"], "'gap', 'source'"),
        (["screenshot", "lola", "lola.jpg"], "ends in .png"),
        (["screenshot", "lola", "lola.png", "--time", "1"], "--time is for recordings"),
    ],
    ids=lambda value: " ".join(value[:3]) if isinstance(value, list) else "",
)
def test_wrong_options_are_refused(
    command: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, command, env={"COLUMNS": "200"})
    assert result.exit_code == 2
    assert message in result.output
    assert list(tmp_path.iterdir()) == []


def test_robots_without_drives_have_no_torques(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_main(monkeypatch, "drives", "torques", "scara") == 2
    assert "robot 'scara': it has no drives" in capsys.readouterr().err


def test_errors_are_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_main(monkeypatch, "show", "lolla") == 2
    message = capsys.readouterr().err
    assert message.startswith("error: no robot 'lolla'")
    assert "lola" in message
    assert message.count("\n") == 1


def test_debug_shows_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTFALL_DEBUG", "1")
    monkeypatch.setattr(sys, "argv", ["footfall", "show", "lolla"])
    with pytest.raises(footfall.errors.UnknownName):
        main()


def test_wrong_usage_is_explained(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_main(monkeypatch, "show") == 2
    assert "Missing argument" in capsys.readouterr().err


def test_demo_agrees_with_itself() -> None:
    text = output_of("demo", "dynamics", "planar-arm")
    assert "3 joints" in text
    errors = [float(line.split()[-1]) for line in text.splitlines() if " against " in line]
    assert len(errors) == 3
    assert max(errors) < 1e-12


def test_bench_writes_its_report(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    text = output_of(
        *("bench", "dynamics", "planar-arm", "--blocks", "2", "--batch", "16"),
        *("--only", "inverse dynamics", "--output", str(path)),
    )
    assert path.read_text() == text
    assert "## planar-arm" in text
    assert "| inverse dynamics |" in text
    assert "mass matrix" not in text


def test_bench_names_the_algorithms(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_main(monkeypatch, "bench", "dynamics", "--only", "telepathy") == 2
    assert "forward dynamics" in capsys.readouterr().err


def test_module_runs_as_a_command() -> None:
    command = [sys.executable, "-m", "footfall", "--version"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.startswith("footfall ")


def test_an_interrupt_while_loading_ends_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the second that imports take ended in a trace of 40 lines."""

    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("footfall.cli.application.main", interrupted)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130


def test_show_prints_a_robot_as_json() -> None:
    robot = footfall.load("lola")
    shown = json.loads(output_of("show", "lola", "--json"))
    assert (shown["nq"], shown["nv"]) == (robot.nq, robot.nv)
    assert [each["name"] for each in shown["joints"]] == [joint.name for joint in robot.joints]
    assert sum(each["mass"] for each in shown["bodies"]) == pytest.approx(robot.mass, rel=1e-12)
    slices = [range(*each["v"]) for each in shown["joints"]]
    assert sorted(k for each in slices for k in each) == list(range(robot.nv))


@pytest.mark.parametrize("command", [["show"], ["walk"], ["study"], []])
def test_help_has_no_kind_for_flags(command: list[str]) -> None:
    text = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "200"}).output
    assert "--help" in text
    assert "<bool>" not in text


class Interrupted:
    """What `_keep_walked` asks of a recorder."""

    def __init__(self, folder: Path, time: float) -> None:
        self.session = SimpleNamespace(time=time)
        self.recording = folder / "walk.mcap"
        self.recording.touch()
        self.journal = Journal(folder / "walk.walk.jsonl")
        self.closed = False

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize("time", [0.0, 3.25])
def test_an_interrupted_walk_says_what_it_keeps(
    time: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorder = Interrupted(tmp_path, time)
    _keep_walked(cast(Any, recorder))
    told = capsys.readouterr().err.replace("\n", " ")
    assert recorder.closed
    assert recorder.recording.exists() == recorder.journal.path.exists() == (time > 0.0)
    assert ("3.25 s" in told and "replay" in told) if time else "nothing was written" in told
