"""Errors carry their evidence."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import footfall
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


# A demand, or what there is instead.
_REMEDY = re.compile(
    r"; |\b(must|needs?|needed|give|use|choose|set|take|make|leave|ask|allowed|expected|at least|at most|only|there is|"
    r"there are|see|has no|want\w*|is for|are for)\b"
)
# Packages in which some messages have no remedy yet.
_OPEN = {"cli", "contact", "learning", "planning", "simulation", "studies", "viewer", "walking", "workspace"}


def _refusals(path: Path) -> Iterator[tuple[int, str]]:
    """Lines and messages of `raise InvalidInput("...")` in a file; {} stands for a value."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        call = node.exc if isinstance(node, ast.Raise) else None
        if not isinstance(call, ast.Call) or ast.unparse(call.func) != "InvalidInput" or not call.args:
            continue
        parts = call.args[0].values if isinstance(call.args[0], ast.JoinedStr) else [call.args[0]]
        message = "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in parts)
        if re.search(r"[a-z]", message):  # others hand on another error
            yield node.lineno, message


def test_refused_input_says_what_to_do() -> None:
    """Messages have the form `what is wrong: value; what to do`."""
    root = Path(footfall.__file__).parent
    silent = [
        f"{path.relative_to(root)}:{line}: {message}"
        for path in sorted(root.rglob("*.py"))
        if path.relative_to(root).parts[0] not in _OPEN
        for line, message in _refusals(path)
        if not _REMEDY.search(message)
    ]
    assert not silent, "\n".join(silent)
    assert not _REMEDY.search("mass is -1")
