"""Bases that touch things meet the criteria of Devaramani 2019, chapter 1; what must fail, fails."""

from __future__ import annotations

import pytest

from footfall.scenarios.hybrid.obstacle import run_obstacle
from footfall.scenarios.hybrid.wall import run_wall
from tests.scenarios.hybrid.criteria import missed

pytestmark = pytest.mark.filterwarnings("ignore::footfall.errors.ConvergenceWarning")


def test_obstacle_behind_a_corner() -> None:
    """UC1, a wall: at 0.5 m/s never more than 50 N after the impact; driven by wheel speeds it pushes harder."""
    assert missed(run_obstacle("fixed", seconds=4.4)) == []
    baseline = run_obstacle("fixed", control="speed", seconds=4.4)
    assert "contact force 0.1 s after the touch and later, N" in missed(baseline)


def test_obstacle_that_gives_way() -> None:
    """UC1, a crate of 10 kg: it is pushed on with little more than its friction of 29 N."""
    course = run_obstacle("movable", seconds=4.4)
    assert missed(course) == []
    assert course.paths["obstacle"][-1, 1] > course.paths["obstacle"][0, 1] + 0.1


@pytest.mark.parametrize("degrees", [5.0, -15.0])
def test_wall_alignment_from_either_side(degrees: float) -> None:
    """UC3: the criteria hold from small angles and from the other side too."""
    assert missed(run_wall(degrees, seconds=3.0)) == []


def test_wall_alignment() -> None:
    """Wall alignment from 30 degrees in simulation: the source has both bumpers touching after 1.52 s."""
    course = run_wall(30.0, seconds=3.0)
    assert missed(course) == []
    touching = next(each for each in course.criteria if each.what.startswith("both bumpers"))
    assert touching.value == pytest.approx(1.52, abs=0.05)
