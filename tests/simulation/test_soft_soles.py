"""Feet on springs and dampers: as quick to solve as hard ones, and as right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall import Box, Material, Plane, Scene, SceneObject, Simulation, Transform, free_body
from footfall.simulation import step_residuals
from tests.simulation.worlds import PLANTS, ContactList

STIFFNESS, DAMPING = 5e4, 5e2  # N/m and N s/m a point


def block(
    stiffness: float,
    damping: float,
    *,
    tilt: float = 0.0,
    height: float = 0.1,
    shear: float = np.inf,
    contacts: ContactList = "auto",
) -> Simulation:
    """A block of 10 kg on the ground."""
    hard = Material(friction=0.8)
    c, s = np.cos(tilt), np.sin(tilt)
    pose = Transform(np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]), np.array([0.0, 0.0, height]))
    shape = Box((0.4, 0.2, 0.2))
    thing = SceneObject("block", shape, pose, hard, free=free_body(shape, 10.0))
    ground = SceneObject(
        "ground", Plane(), material=replace(hard, stiffness=stiffness, damping=damping, shear_stiffness=shear)
    )
    return PLANTS[contacts](None, Scene("soft", (ground, thing)), dt=1e-3)


def test_springs_carry_the_weight() -> None:
    """At rest four springs are compressed by m g / (4 k)."""
    simulation = block(STIFFNESS, DAMPING)
    simulation.run(simulation.zero_command, 1.0)
    assert simulation.q[2] - 0.1 == pytest.approx(-10.0 * 9.81 / (4.0 * STIFFNESS), rel=1e-9)


def test_a_block_that_rocks_on_springs_takes_a_step_or_two() -> None:
    """It lands on an edge and rocks; contact points lie in one plane, so that rocking is no slipping. It took up to 37
    steps, 2.4 on average, when they lay where the tilted face is."""
    simulation = block(STIFFNESS, DAMPING, tilt=0.01, height=0.105)
    path = simulation.run(simulation.zero_command, 0.3)
    assert path.contacts.counts.max() == 4
    assert path.solver_steps.mean() < 1.2
    assert path.solver_steps.max() <= 8
    assert path.residual.max() <= 1e-9 * 10.0 * 9.81 * 1e-3


@pytest.mark.parametrize("contacts", ["found", "listed"])
@pytest.mark.parametrize("shear", [np.inf, 2e5])
def test_the_validator_agrees(shear: float, contacts: ContactList) -> None:
    simulation = block(STIFFNESS, DAMPING, tilt=0.01, height=0.105, shear=shear, contacts=contacts)
    simulation.run(simulation.zero_command, 0.05)
    residuals, _ = step_residuals(simulation, simulation.zero_command, steps=20)
    assert np.max(residuals) < 1e-8 * 10.0 * 9.81 * 1e-3


@pytest.mark.parametrize("contacts", ["found", "listed"])
def test_a_push_moves_a_stick_spring_until_it_slides(contacts: ContactList) -> None:
    """Below friction the block moves by F / (4 k), does not creep, and comes back; above it slides with
    (F - mu m g) / m."""
    weight = 10.0 * 9.81
    simulation = block(np.inf, 0.0, shear=2e5, contacts=contacts)
    simulation.push("block", np.array([0.2 * weight, 0.0, 0.0, 0.0, 0.0, 0.0]), 2.0)
    simulation.run(simulation.zero_command, 2.0)
    assert simulation.q[0] == pytest.approx(0.2 * weight / (4 * 2e5), rel=1e-6)
    assert np.abs(simulation.v).max() < 1e-9
    simulation.run(simulation.zero_command, 2.0)
    assert simulation.q[0] == pytest.approx(0.0, abs=1e-10)
    simulation.push("block", np.array([1.0 * weight, 0.0, 0.0, 0.0, 0.0, 0.0]), 0.2)
    simulation.run(simulation.zero_command, 0.1)
    before = simulation.v[0]
    simulation.run(simulation.zero_command, 0.1)
    assert simulation.v[0] - before == pytest.approx(0.1 * 0.2 * 9.81, rel=1e-9)
