"""`footfall plan`: summary, plots, files, errors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from footfall.bench.robots import example_file, examples_folder
from footfall.cli.application import app
from footfall.errors import InvalidTransition
from footfall.gait.plan_record import read_plan


def test_plan_is_generated_drawn_and_saved(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    source = tmp_path / "steps.toml"
    source.write_text('[[action]]\nkind = "straight"\ndistance = 0.6\n\n[[action]]\nkind = "bow"\n')
    run = CliRunner().invoke(app, ["plan", str(source), "--plot", "--save", "--output", str(tmp_path)])
    assert run.exit_code == 0, run.output
    assert "10 transitions" in run.output
    assert "RMT-xy cycle 2" in run.output
    assert (tmp_path / "steps.png").read_bytes().startswith(b"\x89PNG")
    plan = read_plan(tmp_path / "steps.json")
    assert len(plan.transitions) == 10
    assert plan.transitions[0].seconds == pytest.approx(1.12)


@pytest.mark.skipif(examples_folder() is None, reason="needs example-robot-data")
def test_a_robot_without_frames_on_its_soles_gets_them(tmp_path: Path) -> None:
    source = tmp_path / "steps.toml"
    source.write_text('[[action]]\nkind = "steps"\nstep = [{ forward = 0.12, repeat = 2 }]\n')
    run = CliRunner().invoke(app, ["plan", str(source), "--robot", str(example_file("g1"))])
    assert run.exit_code == 0, run.output
    assert "4 transitions" in run.output
    assert re.search(r"zero-moment point \d+\.\d mm from the edge", run.output)


def test_shipped_plans_are_listed() -> None:
    run = CliRunner().invoke(app, ["plan", "list"])
    assert run.exit_code == 0
    assert "platform" in run.output


def test_a_bad_step_is_named(tmp_path: Path) -> None:
    source = tmp_path / "far.toml"
    source.write_text(
        '[[action]]\nkind = "steps"\nstep = [{ forward = 0.2, repeat = 2 }, { forward = 2.0 }]\n'
    )
    run = CliRunner().invoke(app, ["plan", str(source)])
    assert isinstance(run.exception, InvalidTransition)
    assert "transition 2" in str(run.exception)


@pytest.mark.parametrize("option", ["--json", "--animate", "--exact"])
def test_options_of_scenes_are_not_left_out_in_silence(option: str) -> None:
    run = CliRunner().invoke(app, ["plan", "platform", option])
    assert run.exit_code == 2
    assert option in run.output
