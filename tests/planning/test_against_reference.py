"""The fast search against the search of the source in plain Python, which shares no code of costs with it."""

from __future__ import annotations

from functools import cache

import pytest

from footfall.environment import Environment
from footfall.planning import Goal, PlannedContacts, plan_contacts
from footfall.planning.biped import biped_of
from tests.motion.lola import IDLE, MODEL
from tests.planning.reference.a_star import Found, a_star
from tests.planning.reference.body import BodyVolumes, Surroundings
from tests.planning.reference.grid import LEFT, RIGHT, Pose
from tests.planning.reference.second_level import SecondLevel
from tests.planning.small_maps import SHORT, ground, second_level

GOAL = Pose(0.6, 0.0, 0.0)


@cache
def volumes() -> BodyVolumes:
    biped = biped_of(MODEL)
    return BodyVolumes(biped.body, (biped.arms[0], biped.arms[1]), (biped.reach[0], biped.reach[1]))


def problem(environment: Environment, foot: int, goal: Pose = GOAL) -> SecondLevel:
    level = second_level(environment.terrain, goal, foot=foot)
    level.surroundings = Surroundings(environment, volumes(), SHORT.hand.classes)
    return level


def by_reference(environment: Environment, goal: Pose = GOAL) -> Found:
    """From rest either foot may move first."""
    found = [a_star(problem(environment, foot, goal)) for foot in (RIGHT, LEFT)]
    return min(found, key=lambda each: each.cost)


def planned(environment: Environment, goal: Pose = GOAL, *, guided: bool = False) -> PlannedContacts:
    return plan_contacts(
        environment,
        MODEL,
        Goal(*goal),
        start=IDLE,
        parameters=SHORT,
        guided=guided,
        check_motion=False,
    )


@pytest.mark.parametrize("seed", [None, 3, 5])
def test_costs_are_those_of_the_reference(seed: int | None) -> None:
    environment = Environment(ground(0.9, 0.9, seed=seed, blocks=4))
    ours, theirs = planned(environment), by_reference(environment)
    assert ours.found
    assert ours.cost == pytest.approx(theirs.cost, abs=1e-9)
