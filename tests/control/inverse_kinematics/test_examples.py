"""The examples of inverse kinematics run and print what they promise."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[3] / "examples" / "04_inverse_kinematics.py"


def number(text: str, pattern: str) -> float:
    found = re.search(pattern + r" ([-+.\de]+)", text)
    assert found, text
    return float(found[1])


def test_example(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    text = capsys.readouterr().out
    assert number(text, "hand off by") < 1e-8
    assert 1.0 < number(text, "closest pose is") < 2.0
    assert number(text, "hand rises with") == pytest.approx(0.3, abs=0.01)
    assert number(text, "feet move with") < 1e-6
    assert number(text, "idle pose to") < 1e-6
    assert "8 ways" in text
    assert "1 within the limits" in text


def test_rotation_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """RSL 2022: numbers of sections 7.6 and 8.4, and a picture without a screen."""
    pytest.importorskip("matplotlib")
    target = tmp_path / "paths.png"
    monkeypatch.setattr("sys.argv", ["rotation_paths.py", str(target)])
    runpy.run_path(str(EXAMPLE.with_name("rotation_paths.py")), run_name="__main__")
    text = capsys.readouterr().out
    assert "[-0.169 -0.085 -1.07 ] squared errors 0.0000 0.0357" in text
    assert "[-0.133 -0.067 -1.132] squared errors 0.0059 0.0223" in text
    assert abs(number(text.replace("5657 iterations", "5657"), "zyx            ") - 5657) <= 1
    assert number(text, r"rotation error  \d+ iterations, way") == pytest.approx(2.9972, abs=1e-3)
    assert target.read_bytes().startswith(b"\x89PNG")
