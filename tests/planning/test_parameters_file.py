"""Parameters in TOML: read back to the same, checked, explained."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec
import pytest

from footfall.errors import InvalidInput
from footfall.planning import PlannerParameters, read_planner_parameters, write_planner_parameters
from footfall.planning.parameters import planner_parameters_text


def test_parameters_are_read_back_as_written(tmp_path: Path) -> None:
    path = tmp_path / "planner.toml"
    write_planner_parameters(PlannerParameters(), path)
    assert read_planner_parameters(path) == PlannerParameters()
    changed = msgspec.convert({"step": {"forward_m": 0.5}, "hand": {"force_N": 30.0}}, PlannerParameters)
    write_planner_parameters(changed, path)
    assert read_planner_parameters(path) == changed != PlannerParameters()


def test_every_parameter_has_a_meaning_in_the_file() -> None:
    text = planner_parameters_text(PlannerParameters())
    comments = "".join(line for line in text.splitlines() if line.startswith("#"))
    for name, table in tomllib.loads(text).items():
        assert f"[{name}]" in text
        for field in table:
            assert field in text
    assert "uneven_m: height difference" in comments


def test_a_file_may_leave_out_what_it_does_not_change(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_text("[step]\nforward_m = 0.4\n")
    assert read_planner_parameters(path).step.forward_m == 0.4
    assert read_planner_parameters(path).foothold == PlannerParameters().foothold


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[step]\nforward = 0.4\n", "forward"),
        ("[step]\nforward_m = -0.4\n", "forward_m"),
        ("[grid]\nyaws = 47\n", "yaws"),
        ("[foothold]\nleast_confidence = 2.0\n", "least_confidence"),
        ("[stride]\n", "stride"),
    ],
)
def test_nonsense_is_refused_by_name(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=named):
        read_planner_parameters(path)
