"""`footfall quadruped` and the demo: tables, files, errors."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from footfall.cli import app, main


def output_of(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_fall(tmp_path: Path) -> None:
    text = output_of(
        *("quadruped", "fall", "--height", "0.1", "--duration", "1.5", "--contact", "exact"),
        *("--no-plots", "--output", str(tmp_path)),
    )
    line = next(line for line in text.splitlines() if "height at the end" in line)
    assert float(line.split()[-1]) == pytest.approx(0.606, abs=2e-3)
    assert "real-time factor" in text
    assert text.strip().splitlines()[-1] == f"View it: footfall view {tmp_path / 'fall-0.1m-exact.mcap'}"
    assert (tmp_path / "fall-0.1m-exact.mcap").exists()


def test_demo_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footfall.cli.demo.find_spec", lambda name: None)
    text = output_of("demo", "--duration", "0.7", "--output", str(tmp_path))
    assert "distance x, m" in text
    assert "penalty" in text
    assert text.strip().splitlines()[-1].startswith("View it: footfall view ")
    assert "No plots without matplotlib" in text
    assert not (tmp_path / "trot.png").exists()


def test_plots_need_matplotlib(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(sys, "argv", ["footfall", "quadruped", "trot", "--output", str(tmp_path / "out")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "pip install 'footfall[plots]'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_mistakes_are_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["footfall", "quadruped", "trot", "--dt", "-1"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    message = capsys.readouterr().err
    assert "step.dt is -1.0" in message
    assert message.count("\n") == 1
