"""Surfaces that move on a given path carry what stands on them."""

from __future__ import annotations

import numpy as np
import pytest

from footfall import Material, Scene, SceneObject, free_body
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.robot.shapes import Box
from footfall.scene import GivenMotion
from footfall.simulation.simulation import Simulation

CUBE = Box((0.2, 0.2, 0.2))
TIMES = np.linspace(0.0, 2.0, 401)


def on_platform(motion: GivenMotion, *, friction: float = 0.5, substeps: int = 1) -> Simulation:
    material = Material(friction=friction)
    platform = SceneObject("platform", Plane(), material=material, motion=motion)
    cube = SceneObject(
        "cube", CUBE, Transform(np.eye(3), np.array([0.0, 0.0, 0.1])), material, free=free_body(CUBE, 1.0)
    )
    return Simulation(None, Scene("platform", (platform, cube)), dt=1e-3, substeps=substeps)


def along(axis: int, positions: np.ndarray) -> GivenMotion:
    path = np.zeros((len(TIMES), 3))
    path[:, axis] = positions
    return GivenMotion(TIMES, path)


@pytest.mark.parametrize("substeps", [1, 5])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_block_follows_its_platform(axis: int, substeps: int) -> None:
    """x = A (1 - cos(w t)) / 2 accelerates by A w^2 / 2 = 1.97 m/s2 at the most, below mu g = 4.9 m/s2.

    The step uses the platform's velocity at its start, so the block is behind by at most one step of motion,
    A w dt / 2 = 0.6 mm.
    """
    amplitude, w = 0.4, np.pi
    simulation = on_platform(along(axis, amplitude * (1 - np.cos(w * TIMES)) / 2), substeps=substeps)
    trajectory = simulation.run(simulation.zero_command, 1.5)
    expected = amplitude * (1 - np.cos(w * trajectory.time)) / 2
    offset = 0.1 if axis == 2 else 0.0
    assert np.abs(trajectory.q[:, axis] - offset - expected).max() < amplitude * w / 2 * 1.5e-3


def test_a_block_slides_on_a_platform_that_leaves_too_fast() -> None:
    """A platform that accelerates by 8 m/s2 takes the block along with mu g = 4.905 m/s2."""
    simulation = on_platform(along(0, 4.0 * TIMES**2))
    simulation.run(simulation.zero_command, 0.1)
    start = simulation.state.v[0]
    simulation.run(simulation.zero_command, 0.5)
    assert (simulation.state.v[0] - start) / 0.5 == pytest.approx(0.5 * 9.81, rel=1e-6)


def test_many_at_once() -> None:
    simulation = on_platform(along(0, 0.1 * TIMES))
    q = np.tile(simulation.state.q, (12, 1))
    many, _, _ = simulation.rollout(q, simulation.state.v, simulation.zero_command, steps=300)
    alone = simulation.run(simulation.zero_command, 0.3)
    assert (many[5] == alone.q).all()
