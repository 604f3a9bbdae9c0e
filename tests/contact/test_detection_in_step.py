"""Every kind of surface inside the native time step: bodies come to rest on it, or ride along, as they must."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from footfall import Scene, SceneObject, free_body
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Mesh, Sphere
from footfall.scene import GivenMotion
from footfall.simulation.simulation import Simulation

DOWN = Transform(np.eye(3), np.array([0.0, 0.0, -0.5]))


def free(name: str, shape: Box | Sphere, x: float, z: float) -> SceneObject:
    place = Transform(np.eye(3), np.array([x, 0.1, z]))
    return SceneObject(name, shape, place, free=free_body(shape, 1.0))


def settled(ground: SceneObject, seconds: float, *, dt: float = 0.002) -> Simulation:
    """A ball and a crate dropped from 2 cm above z = 0 on a ground."""
    things = (ground, free("ball", Sphere(0.1), 0.0, 0.12), free("crate", Box((0.3, 0.3, 0.2)), 1.0, 0.12))
    simulation = Simulation(None, Scene("ground", things), dt=dt)
    for _ in range(round(seconds / dt)):
        simulation.step()
    return simulation


def test_level_ground_of_every_kind_is_the_same_ground(tmp_path: Path) -> None:
    path = tmp_path / "slab.stl"
    trimesh.creation.box(extents=(4.0, 4.0, 1.0)).export(path)
    grounds = {
        "plane": SceneObject("ground", Plane()),
        "box": SceneObject("ground", Box((4.0, 4.0, 1.0)), DOWN),
        "mesh": SceneObject("ground", Mesh(str(path)), DOWN),
        "height map": SceneObject("ground", HeightMap(np.zeros((3, 4)), (2.0, 1.0))),
    }
    for kind, ground in grounds.items():
        state = settled(ground, 0.4).state
        heights = state.q[[2, 9]]
        assert np.abs(heights - 0.1).max() < 1e-9, kind
        assert np.abs(state.v).max() < 1e-9, kind


def test_a_tilted_height_map_is_a_slope_on_which_things_stick() -> None:
    """Slope 0.3 < mu = 0.8: the crate stays, half its height above the slope along its normal; the ball rolls."""
    x = np.linspace(-2.0, 2.0, 5)
    ground = SceneObject("ground", HeightMap(np.tile(0.3 * (x[:, None] - 1.0), (1, 5)), (1.0, 1.0)))
    simulation = settled(ground, 1.0)
    crate, velocity = simulation.state.q[7:10].copy(), simulation.state.v[6:]
    assert np.abs(velocity).max() < 1e-9
    above = (crate[2] - 0.3 * (crate[0] - 1.0)) / np.sqrt(1.09)  # normal distance to the slope
    assert above == pytest.approx(0.1, abs=1e-9)
    assert simulation.state.q[0] < -0.1


def test_a_belt_takes_along_what_lies_on_it() -> None:
    """The crate sticks and moves with the belt. A solid ball rolls: friction F at its rim gives m v' = F and
    2/5 m r^2 w' = -F r, and rolling v + w r = u (the belt's speed), so it gains 2/7 of the belt's speed."""
    times = np.arange(4.0)
    motion = GivenMotion(times, np.column_stack([0.1 * times, 0 * times, 0 * times - 0.5]))
    belt = SceneObject("belt", Box((9.0, 9.0, 1.0)), motion=motion)
    things = (belt, free("ball", Sphere(0.1), 0.0, 0.1), free("crate", Box((0.3, 0.3, 0.2)), 1.0, 0.1))
    simulation = Simulation(None, Scene("belt", things), dt=0.002)
    for _ in range(1000):
        simulation.step()
    way = motion.pose(2.0).translation[0] - motion.pose(0.0).translation[0]
    assert way == pytest.approx(0.2)
    assert simulation.state.q[7] - 1.0 == pytest.approx(way, rel=0.01)
    assert simulation.state.q[0] == pytest.approx(2 / 7 * way, rel=0.01)
