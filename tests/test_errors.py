"""Errors carry their evidence."""

from __future__ import annotations

import pickle

import pytest

from footfall.errors import FootfallError, MissingFile, RobotError, UnknownName, listed


def test_unknown_name_lists_close_names_first() -> None:
    error = UnknownName("frame", "l_foot", ["head", "l_hand", "left_foot"], "robot 'talos'")
    assert str(error) == "no frame 'l_foot' in robot 'talos'; there are: left_foot, head, l_hand"
    assert isinstance(error, KeyError)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_case_does_not_hide_a_name() -> None:
    assert listed("rf", ["br", "RF", "rfl"]).startswith("RF, rfl")


def test_names_that_are_no_text() -> None:
    assert str(UnknownName("frame", 3, ["a"])) == "no frame 3; there are: a"  # type: ignore[arg-type]


def test_long_lists_are_cut() -> None:
    text = listed("x", [f"joint{i}" for i in range(100)])
    assert text.startswith("joint0, joint1")
    assert text.endswith("and 76 more")
    assert listed("x", []) == "none"


def test_robot_errors_say_where() -> None:
    error = RobotError("mass is -1", subject=("body", "arm"))
    assert str(error) == "body 'arm': mass is -1"
    error.source, error.line = "r.urdf", 7
    assert str(error) == "r.urdf:7: body 'arm': mass is -1"
    assert str(RobotError("empty", source="r.urdf")) == "r.urdf: empty"


@pytest.mark.parametrize("natural", [(RobotError, ValueError), (MissingFile, FileNotFoundError)])
def test_errors_are_also_natural_ones(natural: tuple[type, type]) -> None:
    ours, theirs = natural
    assert issubclass(ours, FootfallError)
    assert issubclass(ours, theirs)
