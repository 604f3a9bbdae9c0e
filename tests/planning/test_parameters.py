"""Parameters of the contact planner."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

import footfall
from footfall.planning import PlannerParameters, parameters_for
from footfall.robot import library


def test_parameters_scale_with_the_legs() -> None:
    model = footfall.reduced_model(footfall.load("lola"))
    leg = replace(model.leg, lower_leg=model.leg.lower_leg / 2, upper_leg=model.leg.upper_leg / 2)
    half = parameters_for(replace(model, leg=leg))
    whole = parameters_for(model)
    assert whole == PlannerParameters()
    assert half.step.forward_m == pytest.approx(0.32)
    assert half.cost.desired_m * half.cost.path_per_m == pytest.approx(0.8)  # a step costs what it did
    assert half.step.turn_deg == whole.step.turn_deg
    assert half.foothold.uneven_m == whole.foothold.uneven_m


def test_numbers_without_meaning_are_refused() -> None:
    for text in ('{"grid": {"yaws": 47}}', '{"step": {"forward_m": 0}}', '{"cost": {"unknown": 1.0}}'):
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(text, type=PlannerParameters)


def test_no_robot_is_named() -> None:
    """The planner serves any biped: none of the shipped ones is known to it."""
    source = Path(footfall.__file__).parent / "planning"
    text = "\n".join(
        path.read_text(encoding="utf-8").lower() for path in source.rglob("*.*") if path.is_file()
    )
    names = [name for name in library.names() if len(name) > 3]
    assert names
    assert not [name for name in names if name.lower() in text]
