"""Feet on springs and dampers: as quick to solve as hard ones, and as right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall import Box, Material, Plane, Scene, SceneObject, Simulation, Transform, free_body
from footfall.simulation import step_residuals

STIFFNESS, DAMPING = 5e4, 5e2  # N/m and N s/m a point


def block(stiffness: float, damping: float, *, tilt: float = 0.0, height: float = 0.1) -> Simulation:
    """A block of 10 kg on the ground."""
    hard = Material(friction=0.8)
    c, s = np.cos(tilt), np.sin(tilt)
    pose = Transform(np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]), np.array([0.0, 0.0, height]))
    shape = Box((0.4, 0.2, 0.2))
    thing = SceneObject("block", shape, pose, hard, free=free_body(shape, 10.0))
    ground = SceneObject("ground", Plane(), material=replace(hard, stiffness=stiffness, damping=damping))
    return Simulation(None, Scene("soft", (ground, thing)), dt=1e-3)


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
    assert path.touches.counts.max() == 4
    assert path.solver_steps.mean() < 1.2
    assert path.solver_steps.max() <= 8
    assert path.residual.max() <= 1e-9 * 10.0 * 9.81 * 1e-3


def test_the_validator_agrees() -> None:
    simulation = block(STIFFNESS, DAMPING, tilt=0.01, height=0.105)
    simulation.run(simulation.zero_command, 0.05)
    residuals, _ = step_residuals(simulation, simulation.zero_command, steps=20)
    assert np.max(residuals) < 1e-8 * 10.0 * 9.81 * 1e-3
