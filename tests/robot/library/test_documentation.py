"""docs/robots.md lists every shipped robot with its true numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from footfall.robot import library
from footfall.robot.load import load

PAGE = Path(__file__).parents[3] / "docs" / "robots.md"


def rows() -> dict[str, list[str]]:
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
    ]
    return {row[0].strip("`"): row[1:] for row in cells}


def test_every_robot_is_documented_in_order() -> None:
    assert list(rows()) == library.names()


@pytest.mark.parametrize("name", library.names())
def test_numbers_are_true(name: str) -> None:
    what, nq, nv, mass, *_ = rows()[name]
    robot = load(name)
    assert what == library.describe(name)
    assert (int(nq), int(nv)) == (robot.nq, robot.nv)
    assert float(mass) == pytest.approx(robot.mass, abs=1e-3)
