"""`footfall check`: what a robot needs to walk."""

from __future__ import annotations

from dataclasses import replace

import pytest
from typer.testing import CliRunner

import footfall
from footfall.bench.robots import examples_folder
from footfall.cli.application import app
from footfall.motion.walk_check import check_walking

RUN = CliRunner().invoke


def test_lola_can_walk() -> None:
    result = RUN(app, ["check", "lola"])
    assert result.exit_code == 0, result.output
    assert "it can walk" in result.output
    assert "inside the soles" in result.output


def test_an_arm_cannot() -> None:
    result = RUN(app, ["check", "arm-7r"])
    assert result.exit_code == 1
    assert "floating base" in " ".join(result.output.split())
    assert RUN(app, ["check", "lola", "--sole", "1,2"]).exit_code == 2
    assert RUN(app, ["check", "lola", "--frame", "RF"]).exit_code == 2


def test_what_is_missing_is_named() -> None:
    """Each thing that is taken away is found, and what was found before it stays."""
    four_legs = check_walking(footfall.load("quadruped"))
    assert [finding.what for finding in four_legs] == ["base", "frames"]
    assert four_legs[-1].state == "missing"
    assert "--frame" in four_legs[-1].advice
    lola = footfall.load("lola")
    blind = check_walking(lola, frames={"VTCP": "UB"}, sole=(-0.2336, 0.0425, -0.11, 0.11))
    assert next(finding.state for finding in blind if finding.what == "head") == "weak"
    tiny = check_walking(lola, sole=(-0.005, 0.005, -0.005, 0.005))
    assert tiny[-1].state == "missing"
    still = replace(lola, drives=())
    limits = next(finding for finding in check_walking(still) if finding.what == "limits")
    assert limits.state == "weak"
    assert "speeds" in limits.told
    assert "torques" in limits.told


@pytest.mark.skipif(examples_folder() is None, reason="needs example-robot-data")
def test_feet_without_shapes_are_told_of() -> None:
    folder = examples_folder()
    assert folder is not None
    file = next(folder.rglob("simple_humanoid.urdf"))
    found = check_walking(footfall.load(file, floating_base=True))
    assert found[-1].what == "soles and legs"
    assert "--sole" in found[-1].advice


@pytest.mark.skipif(examples_folder() is None, reason="needs example-robot-data")
def test_what_the_message_names_can_be_said() -> None:
    """Romeo's fingers have no inertia: the message says how to take it nevertheless, and the option is there."""
    folder = examples_folder()
    assert folder is not None
    romeo = str(next(folder.rglob("romeo.urdf")))
    refused = RUN(app, ["check", romeo])
    assert refused.exit_code == 1
    assert "(--lenient) only warns of it" in str(refused.exception)
    with pytest.warns(UserWarning, match="without inertia"):
        taken = RUN(app, ["check", romeo, "--lenient"])
    assert taken.exit_code == 0, taken.output
    assert "nan" not in taken.output  # of speeds and torques of fingers, whose limits are 0
    assert "--lenient" in RUN(app, ["walk", "--help"]).output


def test_frames_to_choose_from_are_named() -> None:
    nameless = check_walking(footfall.load("quadruped"))[-1]
    assert all(name in nameless.advice for name in ("it has", "RF"))
    assert nameless.advice.count(",") < 20
