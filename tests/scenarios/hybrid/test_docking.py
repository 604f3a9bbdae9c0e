"""Docking meets the criteria of Devaramani 2019, chapter 1, on both bases, to a robot that stands or drives on."""

from __future__ import annotations

import pytest

from footfall.scenarios.hybrid.docking import run_docking
from tests.scenarios.hybrid.criteria import missed

pytestmark = pytest.mark.filterwarnings("ignore::footfall.errors.ConvergenceWarning")


def test_docking() -> None:
    """UC2 with the differential base, from 1 m away, 0.1 m aside, 15 degrees off."""
    assert missed(run_docking("differential", seconds=6.8)) == []


@pytest.mark.parametrize(("aside", "degrees"), [(-0.1, 15.0), (0.0, 0.0), (0.1, -15.0)])
def test_docking_from_elsewhere(aside: float, degrees: float) -> None:
    """From the other corners: off and turned away, in line, and turned towards the line."""
    assert missed(run_docking("differential", aside=aside, degrees=degrees, seconds=6.8)) == []


def test_docking_on_the_move() -> None:
    """UC2 with the Mecanum base from the other side, to a robot that drives on: the task frame moves."""
    course = run_docking("mecanum", aside=-0.1, degrees=-15.0, drive_on=0.1, seconds=6.5)
    assert missed(course) == []
    other = course.robot.q_slice("other/root").start
    assert course.trajectory.q[-1, other] > 0.5
