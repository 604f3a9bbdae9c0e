"""`footfall plan SCENE --goal`: plans, pictures, files, JSON and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from footfall import load_plan
from footfall.cli.application import app
from footfall.environment import perceive, save_environment
from footfall.gait.plan_file import plan_names
from footfall.scene import make_scene
from tests.motion.lola import MODEL

_FIELDS = {"found", "cost", "steps", "hand_contacts", "nodes", "milliseconds", "why_not"}


def test_a_plan_is_drawn_animated_and_played_again(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    arguments = ["plan", "right-wall", "--goal", "3,0", "--plot", "--animate", "--save", "-o", str(tmp_path)]
    run = CliRunner().invoke(app, arguments)
    assert run.exit_code == 0, run.output
    assert "RH on right-wall" in run.output
    assert (tmp_path / "right-wall.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "right-wall-search.gif").read_bytes().startswith(b"GIF8")
    again = load_plan(tmp_path / "right-wall-plan.toml", MODEL)
    assert any(pose.right_hand.closed for pose in again.poses)


def test_json_has_what_programs_need(tmp_path: Path) -> None:
    run = CliRunner().invoke(app, ["plan", "right-wall", "--scene", "--json"])
    assert run.exit_code == 0, run.output
    told = json.loads(run.stdout)
    assert set(told) >= _FIELDS
    assert told["found"] is True
    assert told["why_not"] is None
    assert len(told["contacts"]) == told["steps"]
    for contact in told["contacts"]:
        assert contact["foot"] in ("RF", "LF")
        assert len(contact["position"]) == 3
        assert len(contact["quaternion"]) == 4
    touching = [hand for contact in told["contacts"] for hand in contact["hands"] if not hand["held"]]
    assert len(touching) == told["hand_contacts"] > 0


def test_no_way_is_told_and_is_the_exit_code(tmp_path: Path) -> None:
    # Nothing was seen 40 m away.
    path = tmp_path / "seen.toml"
    save_environment(perceive(make_scene("empty-floor", goal=1.5)), path)
    run = CliRunner().invoke(app, ["plan", str(path), "--goal", "40,0", "--json"])
    assert run.exit_code == 1, run.output
    told = json.loads(run.stdout)
    assert told["found"] is False
    assert told["cost"] is None
    assert told["why_not"]["text"]


def test_an_environment_file_is_planned_in_too(tmp_path: Path) -> None:
    path = tmp_path / "seen.toml"
    save_environment(perceive(make_scene("empty-floor", goal=1.5)), path)
    run = CliRunner().invoke(app, ["plan", str(path), "--goal", "1.5,0,0", "--json"])
    assert run.exit_code == 0, run.output
    without = CliRunner().invoke(app, ["plan", str(path), "--scene"])
    assert without.exit_code == 2
    assert "--goal" in without.output


def test_a_name_without_goal_is_a_plan_as_before() -> None:
    assert "platform" in plan_names()  # also the name of a scene
    run = CliRunner().invoke(app, ["plan", "platform"])
    assert run.exit_code == 0, run.output
    assert "zero-moment point" in run.output


def test_a_floor_without_end_is_seen_as_far_as_the_goal() -> None:
    run = CliRunner().invoke(app, ["plan", "flat", "--goal", "2.5,1", "--json"])
    assert run.exit_code == 0, run.output


def test_the_plan_ends_with_the_heading_asked_for_in_degrees() -> None:
    run = CliRunner().invoke(app, ["plan", "flat", "--goal", "1,0.5,90", "--json"])
    assert run.exit_code == 0, run.output
    quaternion = json.loads(run.output)["contacts"][-1]["quaternion"]
    # cos and sin of half the heading; refinement turns a sole by up to 3.75 degrees
    np.testing.assert_allclose(quaternion, [np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)], atol=0.03)
