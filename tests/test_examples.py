"""The examples run, and print what they promise."""

from __future__ import annotations

import itertools
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import footfall

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture(autouse=True)
def beside_the_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when they are run as programs: they find what lies beside them."""
    monkeypatch.syspath_prepend(EXAMPLES)


def output_of(name: str, capsys: pytest.CaptureFixture[str]) -> str:
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    return capsys.readouterr().out


def numbers(text: str) -> list[float]:
    return [float(word) for word in re.findall(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?", text)]


def line(text: str, start: str) -> str:
    return next(row for row in text.splitlines() if row.strip().startswith(start))


def test_robots_and_dynamics(capsys: pytest.CaptureFixture[str]) -> None:
    text = output_of("01_robots_and_dynamics.py", capsys)
    assert numbers(line(text, "centre of mass"))[2] == pytest.approx(0.9)
    assert numbers(line(text, "acceleration under"))[0] < 1e-10
    assert numbers(line(text, "forces recovered"))[0] < 1e-10
    assert "(1000, 32)" in text


def test_your_own_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    text = output_of("02_your_own_kernel.py", capsys)
    assert numbers(line(text, "roots")) == pytest.approx([2**0.5, 3.0, 1000.0])
    assert numbers(line(text, "distance left"))[-1] < 1e-6


def test_falling_quadruped(capsys: pytest.CaptureFixture[str]) -> None:
    text = output_of("03_falling_quadruped.py", capsys)
    rows = [numbers(line(text, steps)) for steps in ("250 ", "500 ", "1000 ")]
    for coarse, fine in itertools.pairwise(rows):  # half the step, a quarter of the error
        assert coarse[1] / fine[1] == pytest.approx(4.0, rel=0.1)
        assert coarse[2] / fine[2] == pytest.approx(4.0, rel=0.1)
    assert numbers(line(text, "centre of mass off"))[0] < 1e-6
    assert "(1000, 18)" in text


def test_readme() -> None:
    """Its snippets run, one after the other."""
    text = (EXAMPLES.parent / "README.md").read_text(encoding="utf-8")
    snippets = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(snippets) == 2
    namespace: dict[str, Any] = {}
    for snippet in snippets:
        exec(snippet, namespace)
    assert namespace["a"].shape == (4096, 32)
    cost, gradient = namespace["kernel"](namespace["q"], np.zeros(3))
    assert cost > 0.0
    assert gradient.shape == (33,)


@pytest.mark.parametrize("robot", ["lola", "quadruped"])
def test_draw_robot(
    robot: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    target = tmp_path / "robot.png"
    monkeypatch.setattr(sys, "argv", ["draw_robot.py", robot, str(target)])
    assert robot in output_of("draw_robot.py", capsys)
    assert target.read_bytes().startswith(b"\x89PNG")
    assert target.stat().st_size > 20_000  # an empty picture is far smaller


def test_drives(capsys: pytest.CaptureFixture[str]) -> None:
    text = output_of("08_drives.py", capsys)
    assert text.startswith("26 motors turn 72 to 100 times")
    for gears in ("rigid", "elastic"):
        error, current = numbers(line(text, f"{gears} gears").replace("hfr", ""))
        assert 0.0 < error < 1.0
        assert 1.0 < current < 5.0
    assert 0.0 < numbers(line(text, "it sags"))[0] < 0.05


def test_kinematic_loops(capsys: pytest.CaptureFixture[str]) -> None:
    text = output_of("09_kinematic_loops.py", capsys)
    assert "1 loop, nq 3, nv 1" in text
    first, second, third = (numbers(line(text, "acceleration, " + each))[0] for each in ("art", "fac", "den"))
    assert first == second == third
    assert numbers(line(text, "after a second"))[0] < 1e-14
    assert "loop 'closure': does not close" in text
    assert numbers(line(text, "arm alone"))[1] == pytest.approx(0.25 / 3 + 50.0**2 * 1e-4, abs=1e-4)


def test_driven_squat(capsys: pytest.CaptureFixture[str]) -> None:
    text = output_of("driven_squat.py", capsys)
    for gears in ("rigid", "elastic"):
        down, off, load, current = numbers(line(text, f"{gears} gears"))
        assert down == pytest.approx(60.0, abs=2.0)
        assert off < 0.5
        assert load == pytest.approx(1.0, abs=2e-3)
        assert current > 1.0


def test_joint_drift(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    target = tmp_path / "drift.png"
    monkeypatch.setattr(sys, "argv", ["joint_drift.py", str(target)])
    text = output_of("joint_drift.py", capsys)
    free, projected, reduced = (numbers(line(text, name)) for name in ("nothing", "projection", "reduced"))
    stabilised = numbers(line(text, "Baumgarte").partition("dt")[2])
    assert 1e-2 < free[1] < free[2]  # the gap grows
    assert stabilised[2] < 1e-2 * free[2]
    assert max(projected[:3]) < 1e-12
    assert reduced[:3] == [0.0, 0.0, 0.0]
    assert reduced[3:] == pytest.approx(free[3:], rel=1e-9)  # rods turn as if nothing had opened
    assert target.read_bytes().startswith(b"\x89PNG")


def test_your_own_robot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = output_of("10_your_own_robot.py", capsys)
    assert "8 joints + floating base" in text
    assert numbers(line(text, "the ground carries"))[0] == pytest.approx(1.0, abs=0.02)
    assert 0.05 < numbers(line(text, "knee bends lift"))[0] < 0.2
    recording = footfall.read_recording(tmp_path / "your-own-robot.mcap")
    assert recording.time[-1] == pytest.approx(4.0)
    assert recording.events[0].name == "pushed"


def test_batch_rollouts(capsys: pytest.CaptureFixture[str]) -> None:
    text = output_of("11_batch_rollouts.py", capsys)
    first, last = (numbers(line(text, f"round {k}"))[1] for k in (0, 3))
    assert last < 0.01 < first
    assert "(1000, 100, 2)" in text


def test_recordings_in_pandas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = output_of("12_recordings_in_pandas.py", capsys)
    assert numbers(line(text, "peak of all forces"))[1] == pytest.approx(1.0, abs=0.01)
    assert (tmp_path / "drop.csv").read_text().startswith("time,q.")


def test_studies() -> None:
    """Run as a program: its workers import it."""
    program = [sys.executable, str(EXAMPLES / "13_studies.py")]
    text = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    limits = [numbers(row)[1] for row in text.splitlines()]
    assert len(limits) == 2
    assert all(500.0 <= limit < 8000.0 for limit in limits)


def test_the_table_of_examples_is_complete() -> None:
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\((\w+\.py)\)", text)) == {path.name for path in EXAMPLES.glob("*.py")}
    for picture in re.findall(r'src="([^"]+)"', text):
        assert (EXAMPLES / picture).is_file(), picture


def test_what_a_robot_sees(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["example", str(tmp_path)])
    text = output_of("14_what_a_robot_sees.py", capsys)
    medians = [numbers(row)[3] for row in text.splitlines() if row.startswith("  confidence")]
    assert len(medians) == 8
    for k in (0, 4):
        assert medians[k] > medians[k + 2]  # confidence means something
        assert medians[k + 2] < 15
    assert text.count(": obstacle from") == 2
    assert len(list(tmp_path.glob("*.png"))) == 6


def test_walking(capsys: pytest.CaptureFixture[str]) -> None:
    text = output_of("15_walking.py", capsys)
    assert "reached after 3.0 s" in text
    assert "of 8 still walk" in text


def test_commanding_a_walk(capsys: pytest.CaptureFixture[str]) -> None:
    text = output_of("16_commanding_a_walk.py", capsys)
    assert "arrived after" in text
    assert "the same bits: True" in text
    assert text.count("plan ") >= 4


def test_live_walk() -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "19_live_walk.py")], capture_output=True, text=True, check=True
    )
    assert "fallen: False" in done.stdout
    assert "of 6000 periods ended late" in done.stdout
    assert numbers(line(done.stdout, "walked"))[0] > 0.05
