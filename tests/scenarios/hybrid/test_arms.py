"""Use cases of arms, UC5, UC6 and a drawer, meet their criteria, and their files can be read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from footfall.errors import UnknownName
from footfall.recording.reader import read_recording
from footfall.scenarios.hybrid import USE_CASES, Criterion, run_use_case, write_course
from footfall.scenarios.hybrid.arm import regression_error, run_arm
from footfall.scenarios.hybrid.manipulator import mobile_manipulator, run_manipulator
from footfall.scenarios.hybrid.opening import run_mechanism
from tests.scenarios.hybrid.criteria import missed

pytestmark = pytest.mark.filterwarnings("ignore::footfall.errors.ConvergenceWarning")


def test_kuka_arm() -> None:
    """UC5: hold against gravity, draw a line while pressing, yield as a spring."""
    assert missed(run_arm(seconds=(0.3, 1.6, 1.5))) == []


def test_kdl_regression() -> None:
    """UC5: the published forces have eight digits."""
    assert regression_error() < 2e-7


def test_mobile_manipulator() -> None:
    """UC6: gripper and wheels constrained at once, against the dense equations."""
    assert missed(run_manipulator(seconds=3.2)) == []
    assert mobile_manipulator().motors == (6, 7, 8, 9, 10)


def test_drawer(tmp_path: Path) -> None:
    course = run_mechanism("drawer")
    assert missed(course) == []
    recording_file, curves_file = write_course(course, tmp_path, plots=False)
    recording = read_recording(recording_file)
    np.testing.assert_array_equal(recording.q[-1], course.trajectory.q[-1])
    assert recording.robot.nv == course.robot.nv
    with np.load(curves_file) as curves:
        assert curves["opened, m/drawer"][-1] == course.trajectory.q[-1, -1]


def test_criteria() -> None:
    assert Criterion("x", 1.0, high=2.0).demand == "at most 2"
    assert Criterion("x", 1.0, low=2.0).demand == "at least 2"
    assert Criterion("x", 1.0, 0.0, 2.0).demand == "0 to 2"
    assert not Criterion("x", float("nan"), high=2.0).passed
    assert [name for name, case in USE_CASES.items() if case.baseline] == ["obstacle-speed"]
    with pytest.raises(UnknownName, match="obstacle"):
        run_use_case("obstacles")
