"""What a blow sends against things that nothing was about to touch: it is looked for again within the step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.lab.known_worlds import at, loose
from footfall import Box, Scene, SceneObject, Simulation, Sphere
from footfall.compiler.routines import new_records
from footfall.contact.contacts import Contact
from footfall.robot.model import Body, Joint, JointType, Robot
from footfall.robot.shapes import Geometry
from footfall.simulation.world.step import merge_contacts

# m/s, m: a step of 1 ms leads 7 mm into the wall, which is beyond the reach of 1 mm.
_SPEED, _GAP = (
    10.0,
    3e-3,
)
_HAMMER = loose("hammer", Sphere(0.05), at((-0.1, 0.0, 0.0)), mass=100.0, velocity=(_SPEED, 0, 0, 0, 0, 0))


def wall(x: float) -> SceneObject:
    return SceneObject("wall", Box((0.1, 2.0, 2.0)), at((x + 0.05, 0.0, 0.0)))


def test_a_ball_that_is_struck_does_not_enter_the_wall_behind_it() -> None:
    ball = loose("ball", Sphere(0.02), at((0.0, 0.0, 0.0)), mass=0.1)
    simulation = Simulation(None, Scene("blow", (_HAMMER, ball, wall(0.02 + _GAP)), gravity=(0.0, 0.0, 0.0)))
    x = simulation.run(simulation.zero_command, 0.05).q[:, 7]
    assert x.max() == pytest.approx(_GAP, abs=1e-9)  # it came there, and no farther
    assert simulation.v[0] == pytest.approx(0.0, abs=1e-9)  # and stopped what struck it, without rebound


def test_a_ball_that_is_struck_does_not_enter_a_loose_block_behind_it() -> None:
    """The block moves as was expected, not at all: only what a blow sent elsewhere is looked at again."""
    ball = loose("ball", Sphere(0.02), at((0.0, 0.0, 0.0)), mass=0.1)
    block = loose("block", Box((0.1, 0.2, 0.2)), at((0.02 + _GAP + 0.05, 0.0, 0.0)), mass=1.0)
    simulation = Simulation(None, Scene("blow", (_HAMMER, ball, block), gravity=(0.0, 0.0, 0.0)))
    trajectory = simulation.run(simulation.zero_command, 0.02)
    assert -trajectory.contacts.gaps.min() < 1e-9
    # all three go on together: 100 kg at 10 m/s push 1.1 kg
    assert simulation.v[12] == pytest.approx(_SPEED * 100.0 / 101.1, rel=1e-6)


def test_an_arm_that_is_struck_does_not_enter_the_wall_behind_it() -> None:
    """Its tip is 0.3 m below the hinge, the blow 0.1 m: it moves at three times the speed of what strikes it."""
    shape = Geometry(Box((0.02, 0.02, 0.3)), at((0.0, 0.0, -0.15)))
    link = Body("link", 1.0, np.array([0.0, 0.0, -0.15]), 0.01 * np.eye(3), collisions=(shape,))
    hinge = Joint(
        "hinge", JointType.REVOLUTE, "world", "link", at((0.0, 0.0, 0.1)), axis=np.array([0.0, 1.0, 0.0])
    )
    arm = Robot("arm", (link,), (hinge,))
    simulation = Simulation(arm, Scene("blow", (_HAMMER, wall(0.01 + _GAP)), gravity=(0.0, 0.0, 0.0)))
    trajectory = simulation.run(simulation.zero_command, 0.03)
    # A straight step of 3 mm at the tip, against 30 mm without a wall.
    assert -trajectory.contacts.gaps.min() < 1e-4
    assert np.abs(trajectory.q[-1, 0]) == pytest.approx(np.arcsin(_GAP / 0.3), rel=0.05)


def test_touches_of_two_looks_are_put_together_by_pairs() -> None:
    def touches(*rows: tuple[int, int, int, float]) -> Any:
        made = new_records(Contact, len(rows))
        for k, (first, second, feature, gap) in enumerate(rows):
            made[k] = (first, second, feature, np.zeros(3), np.zeros(3), gap, 0.0, 0.0, np.zeros(3))
        return made

    one = touches((0, 1, 7, 0.1), (0, 1, 8, 0.2), (2, 5, 1, 0.3))
    other = touches((0, 1, 8, 0.4), (0, 3, 1, 0.5))
    room = new_records(Contact, 8)
    count = merge_contacts(one, other, room)
    found = [(int(t["first"]), int(t["second"]), int(t["feature"]), float(t["gap"])) for t in room[:count]]
    assert found == [(0, 1, 8, 0.4), (0, 1, 7, 0.1), (0, 3, 1, 0.5), (2, 5, 1, 0.3)]
    assert merge_contacts(one, other, new_records(Contact, 2)) == 4  # it says how much room it needs
