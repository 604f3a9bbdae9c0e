"""The example of hybrid dynamics does what it promises."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def test_wall_alignment(capsys: pytest.CaptureFixture[str]) -> None:
    """Wall alignment of Devaramani 2019, chapter 1, from 15 degrees: touch after 1.27 s, 10 N on each bumper, below 0.1
    degrees."""
    runpy.run_path(str(ROOT / "examples" / "05_wall_alignment.py"), run_name="__main__")
    start, touched, angle, left, right = (
        float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", capsys.readouterr().out)
    )
    assert start == 15
    assert touched == pytest.approx(1.27, abs=0.03)
    assert abs(angle) < 0.1
    assert left == pytest.approx(10.0, abs=0.1)
    assert right == pytest.approx(10.0, abs=0.1)
