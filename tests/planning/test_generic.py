"""The planner is for any biped: it knows no robot by name."""

from __future__ import annotations

import re
from pathlib import Path

import footfall
from footfall.robot.library import names

PLANNING = Path(footfall.__file__).parent / "planning"


def named_robots(text: str) -> set[str]:
    """Names of shipped robots, and of well-known ones, in a text."""
    known = {*names(), "lola", "talos", "romeo", "g1", "icub", "atlas", "asimo"}
    words = set(re.findall(r"[a-z0-9]+", text.lower()))
    return {name for name in known if name.lower() in words}


def test_no_robot_is_named_in_the_planner() -> None:
    files = [path for path in PLANNING.rglob("*") if path.suffix in (".py", ".toml")]
    assert files
    for path in files:
        assert named_robots(path.read_text(encoding="utf-8")) == set(), path


def test_a_name_would_be_seen() -> None:
    assert named_robots("if model.name == 'LOLA':") == {"lola"}
