"""`footfall plan`: summary, plots, files, errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from footfall.cli.application import app
from footfall.gait.plan import InvalidTransition
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
