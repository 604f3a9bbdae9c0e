"""`--goal X,Y[,YAW]`: one meaning for all commands that go somewhere."""

from __future__ import annotations

import math

import pytest
import typer
from typer.testing import CliRunner

from footfall.cli.application import app
from footfall.cli.goal_option import read_goal
from footfall.cli.walk_options import RouteOptions, Trouble, Walker
from footfall.cli.walk_request import request_of


def test_a_yaw_is_in_degrees() -> None:
    assert read_goal("2,-1") == read_goal("2,-1,0")
    found = read_goal("1.5,0.25,90")
    assert (found.x, found.y) == (1.5, 0.25)
    assert found.yaw == pytest.approx(math.pi / 2, abs=1e-15)
    # A whole turn is none too many
    assert read_goal("0,0,-360").yaw == pytest.approx(-2 * math.pi, abs=1e-15)


def test_a_walk_goes_where_a_plan_leads() -> None:
    asked = request_of("flat", RouteOptions(goal="1,0.5,60"), Walker(), Trouble())
    goal = read_goal("1,0.5,60")
    assert asked.goal == (goal.x, goal.y, goal.yaw)


@pytest.mark.parametrize(("yaw", "meant"), [("450", "90"), ("-400", "-40"), ("1000", "-80")])
def test_more_than_a_turn_is_asked_back(yaw: str, meant: str) -> None:
    with pytest.raises(typer.BadParameter, match=f"write {meant} if"):
        read_goal(f"1,0,{yaw}")


@pytest.mark.parametrize("command", ["plan", "walk"])
@pytest.mark.parametrize("goal", ["3", "a,b", "1,2,3,4,5", "nan,0", "0,inf"])
def test_what_is_no_goal_is_refused(command: str, goal: str) -> None:
    run = CliRunner().invoke(app, [command, "flat", "--goal", goal])
    assert run.exit_code == 2
    assert "degrees" in run.output


@pytest.mark.parametrize("command", ["plan", "walk"])
def test_help_says_the_unit(command: str) -> None:
    run = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"})
    line = next(line for line in run.output.splitlines() if "--goal" in line and "X,Y" in line)
    assert "m and degrees" in line
