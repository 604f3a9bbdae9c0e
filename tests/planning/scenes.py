"""Scenes that several tests plan in, perceived and planned once."""

from __future__ import annotations

from functools import cache

import footfall
from footfall.environment import Environment, perceive
from footfall.motion.reduced_model import ReducedModel
from footfall.planning import Goal, PlannedContacts, plan_contacts
from footfall.scene import make_scene


@cache
def model() -> ReducedModel:
    """The humanoid of the tests."""
    return footfall.reduced_model(footfall.load("lola"))


@cache
def seen(name: str) -> Environment:
    """A scene of the catalogue as cameras would see it."""
    return perceive(make_scene(name))


@cache
def planned(name: str) -> PlannedContacts:
    """The plan through a scene, to its goal."""
    goal = make_scene(name).goal
    assert goal is not None
    x, y, _ = goal.translation.tolist()
    return plan_contacts(seen(name), model(), Goal(x, y))
