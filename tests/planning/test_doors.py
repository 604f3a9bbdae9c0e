"""Doors: how much is looked at before a narrow one, and what walls of a house cost that are far away."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from footfall import Box, Scene
from footfall.environment import Environment, perceive
from footfall.environment.perception import EXACT
from footfall.math.rotations import yaw_of
from footfall.math.transform import Transform
from footfall.planning import Goal, plan_contacts, surroundings
from footfall.scene.model import SceneObject
from footfall.scene.parts import block, floor
from footfall.walking.settings import planner_parameters
from tests.planning.scenes import model

ARMS = 0.98  # m that LOLA is wide with arms that hang


def doorway(width: float, aside: float = 0.4) -> Environment:
    """A wall at 2 m with a door; hands find hold on both sides of it."""
    low, high = aside - width / 2, aside + width / 2
    walls = [
        block("right", "wall", (2.0, 2.12), (-2.5, low), (0.0, 2.5)),
        block("left", "wall", (2.0, 2.12), (high, 2.5), (0.0, 2.5)),
    ]
    return perceive(
        Scene("doorway", (floor(), *walls), goal=Transform(np.eye(3), np.array([4.5, 0.0, 0.0]))), EXACT
    )


@pytest.mark.parametrize("width", [ARMS - 0.05, ARMS + 0.06, ARMS + 0.2])
def test_little_is_looked_at_before_a_narrow_door(width: float) -> None:
    """A guide that took arms to be on the wall there led 380,000 states into it."""
    found = plan_contacts(
        doorway(width), model(), Goal(4.5, 0.0), explained=False, parameters=planner_parameters(model())
    )
    assert found.found
    assert found.nodes < 60_000
    assert found.effort.repairs <= 1
    there = [stance.placement for stance in found.stances if 1.7 < stance.placement.position[0] < 2.3]
    turned = max(abs(float(yaw_of(np.array(each.rotation)))) for each in there)
    assert (turned > np.deg2rad(20.0)) == (width < ARMS + 0.1)  # through a narrow one it goes aslant


def test_surfaces_of_things_far_away_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only walls that hands may reach are looked at: of a house all 66 took three seconds."""
    walls = [
        SceneObject(
            f"wall-{k}", Box((0.9, 0.1, 2.0)), Transform(np.eye(3), np.array([k, 0.75, 1.0])), category="wall"
        )
        for k in range(12)
    ]
    scene = Scene("row", (floor(), *walls), goal=Transform(np.eye(3), np.array([11.0, 0.0, 0.0])))
    environment, made, make = perceive(scene, EXACT), [], surroundings.touch_surface
    monkeypatch.setattr(surroundings, "touch_surface", lambda *given: made.append(1) or make(*given))
    near = plan_contacts(environment, model(), Goal(11.0, 0.0), horizon=6)
    assert near.hand_contacts
    assert 1 <= len(made) <= 7
    whole = plan_contacts(replace(environment, version=2), model(), Goal(11.0, 0.0))
    assert len(whole.hand_contacts) > len(near.hand_contacts)
    assert len(made) >= 10  # and each once
    assert len(made) <= 12


def test_a_plan_that_looks_at_too_much_says_so_and_leads_as_far_as_it_came() -> None:
    """Work is counted, not timed: the same states on any machine."""
    usual = planner_parameters(model())
    search = msgspec.structs.replace(usual.search, most_nodes=5_000)
    few = msgspec.structs.replace(usual, search=search)
    environment = doorway(ARMS - 0.05)
    plans = [
        plan_contacts(environment, model(), Goal(4.5, 0.0), explained=False, parameters=few) for _ in range(2)
    ]
    assert not plans[0].found
    assert plans[0].why_not is not None
    assert plans[0].why_not.name == "search.most_nodes"
    assert "5,000" in plans[0].why_not.text
    assert plans[0].nodes < 3 * 5_000  # a guide, and the last slice of a search
    assert plans[0].stances == plans[1].stances
    assert max(stance.placement.position[0] for stance in plans[0].stances) > 0.8
