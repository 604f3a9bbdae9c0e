"""Bodies that may touch can be named; so many that compiling takes long are told of."""

from __future__ import annotations

import warnings

import pytest

import footfall
from footfall import load_scene
from footfall.errors import SimulationWarning, UnknownName
from footfall.simulation.lanes import engine as module
from footfall.simulation.plants import FeetSimulation


def test_only_named_bodies_touch() -> None:
    robot = footfall.load("quadruped")
    scene = load_scene("blocks")
    everything = FeetSimulation(robot, scene)
    foot = robot.bodies[-1].name
    one = FeetSimulation(robot, scene, feet=[foot])
    own, loose = {body.name for body in robot.bodies}, {each.name for each in scene.free_objects}
    assert {each.body for each in one.candidates} | {each.surface.body for each in one.candidates} <= {
        foot,
        "world",
        *loose,
    }
    assert foot in {each.body for each in one.candidates} & own
    between = [each for each in everything.candidates if not {each.body, each.surface.body} & own]
    # Blocks touch each other as before.
    assert repr(between) == repr(
        [each for each in one.candidates if foot not in (each.body, each.surface.body)]
    )
    assert repr(FeetSimulation(robot, scene, feet=foot).candidates) == repr(one.candidates)
    with pytest.raises(UnknownName, match="no body 'hoof' in the simulation, for feet"):
        FeetSimulation(robot, scene, feet=["hoof"])


def test_many_places_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    robot, scene = footfall.load("quadruped"), load_scene("flat")
    monkeypatch.setattr(module, "_MANY_PLACES", 3)
    with pytest.warns(SimulationWarning, match=r"places may touch.*feet="):
        FeetSimulation(robot, scene)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SimulationWarning)
        assert " 4 places may touch" in repr(
            FeetSimulation(robot, scene, feet=[body.name for body in robot.bodies])
        )
