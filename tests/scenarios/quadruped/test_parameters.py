"""Scenario files: what they hold, and how mistakes are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from footfall.errors import InvalidInput, MissingFile, UnknownName
from footfall.scenarios.quadruped import load_scenario, scenario_names
from footfall.scenarios.quadruped.parameters import Scenario


def test_shipped_scenarios_have_the_printed_values() -> None:
    """Tables 5.2 and 5.3 of the source, Ayit 2015, chapter 5."""
    assert scenario_names() == ("fall", "jump", "trot")
    for name in scenario_names():
        scenario = load_scenario(name)
        assert scenario.kind == name
        assert (scenario.step.dt, scenario.duration) == (0.0005, 10.6)
        assert (scenario.ground.friction, scenario.ground.viscous_friction) == (0.3, 0.4)
        assert scenario.control.kp == (6000.0, 20000.0, 70000.0, 30000.0)
        assert set(scenario.control.kd + scenario.control.ki) == {1.0, 120.0}


def test_changes() -> None:
    scenario = load_scenario("fall").changed(step__dt=0.002, fall__height=1.5, duration=2.0)
    assert isinstance(scenario, Scenario)
    assert (scenario.step.dt, scenario.fall.height, scenario.duration) == (0.002, 1.5, 2.0)  # type: ignore[union-attr]
    with pytest.raises(UnknownName, match=r"no parameter 'fall__hight'.*fall__height"):
        load_scenario("fall").changed(fall__hight=1.0)
    with pytest.raises(UnknownName, match="no parameter 'trot__stride'"):
        load_scenario("fall").changed(trot__stride=1.0)
    with pytest.raises(InvalidInput, match=r"Expected `float`, got `str` - at `\$.step.dt`"):
        load_scenario("fall").changed(step__dt="soon")
    for changes, message in (
        ({"step__dt": 0.0}, r"step.dt is 0.0; it must be above zero"),
        ({"fall__height": -1.0}, r"fall.height is -1.0; it must not be negative"),
        ({"fall__roll": float("nan")}, r"fall.roll is nan; it must be finite"),
        ({"control__kp": (1.0, float("inf"), 1.0, 1.0)}, r"control.kp is inf"),
        ({"duration": 1e-4}, "less than one step"),
    ):
        with pytest.raises(InvalidInput, match=message):
            load_scenario("fall").changed(**changes)


def test_files(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="no scenario 'swim'; there are: "):
        load_scenario("swim")
    with pytest.raises(MissingFile, match=r"nowhere\.toml"):
        load_scenario(tmp_path / "nowhere.toml")
    path = tmp_path / "wrong.toml"
    path.write_text('kind = "fall"\nduration = ')
    with pytest.raises(InvalidInput, match=r"wrong\.toml"):
        load_scenario(path)
    path.write_text('kind = "fall"\nduration = 1.0\ncolour = "red"\n')
    with pytest.raises(InvalidInput, match="colour"):
        load_scenario(path)
