"""Fixed boxes side by side: what slides over their seam touches their faces and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from footfall.contact.detection.shapes import Bodies
from footfall.contact.detection.world import ContactWorld, contacts_of
from footfall.math.transform import Transform, identity_transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Sphere
from footfall.scene.model import SceneObject

UP = np.array([0.0, 0.0, 1.0])


def at(x: float, y: float, z: float) -> Transform:
    return Transform(np.eye(3), np.array([x, y, z]))


def touches(shape: Any, place: Transform, things: list[SceneObject], velocity: tuple[float, ...]) -> Any:
    world = ContactWorld(1)
    world.add_body("body", 0, [(shape, identity_transform(), 1, 1)], None)
    for thing in things:
        world.add(thing)
    bodies = Bodies(
        np.asarray(place.rotation)[None], place.translation[None], np.array([velocity]), np.zeros((1, 3))
    )
    found, _ = contacts_of(world, world.memory(), bodies, dt=1e-3, reach=1e-3)
    return found


@pytest.mark.parametrize("depth", [0.0, -1e-6, -1e-4, 1e-4])
@pytest.mark.parametrize("shape", [Sphere(0.1), Capsule(0.1, 0.2), Box((0.2, 0.2, 0.2)), Cylinder(0.1, 0.2)])
def test_abutting_boxes_are_one_floor(shape: Any, depth: float) -> None:
    floor = [SceneObject(str(k), Box((1.0, 1.0, 0.2)), at(k % 2 - 0.5, k // 2 - 0.5, -0.1)) for k in range(4)]
    low = 0.2 if isinstance(shape, Capsule) else 0.1
    for x in np.linspace(-0.15, 0.15, 61):
        found = touches(shape, at(x, 0.02, low + depth), floor, (3.0, 0.0, -0.01))
        assert found["gap"].min() == pytest.approx(depth, abs=1e-12)
        np.testing.assert_allclose(found["normal"], np.tile(UP, (len(found), 1)), atol=1e-9)


def test_a_higher_box_is_felt() -> None:
    """Negative: a step of a tenth of a millimetre stops a ball, and so does a wall on the floor."""
    floor = SceneObject("floor", Box((1.0, 1.0, 0.2)), at(-0.5, 0.0, -0.1))
    step = SceneObject("step", Box((1.0, 1.0, 0.2)), at(0.5, 0.0, -0.1 + 1e-4))
    found = touches(Sphere(0.1), at(-4e-3, 0.0, 0.1), [floor, step], (3.0, 0.0, 0.0))
    assert (found["normal"][:, 0] < -0.02).any()
    wall = SceneObject("wall", Box((0.2, 1.0, 1.0)), at(0.1, 0.0, 0.5))
    found = touches(Box((0.2, 0.2, 0.2)), at(-0.1, 0.0, 0.1), [floor, wall], (3.0, 0.0, 0.0))
    against = found["normal"][:, 0] < -0.9
    assert np.sum(against) >= 4
    assert np.sum(~against) >= 4


def test_loose_neighbours_are_felt() -> None:
    """What moves may move apart: no touch is left out."""
    world = ContactWorld(3)
    world.add_body("ball", 0, [(Sphere(0.1), identity_transform(), 1, 1)], None)
    for k in (1, 2):
        world.add_body(str(k), k, [(Box((1.0, 1.0, 0.2)), identity_transform(), 1, 1)], None)
    places = np.array([[-1e-3, 0.0, 0.1], [-0.5, 0.0, -0.1], [0.5, 0.0, -0.1]])
    bodies = Bodies(np.tile(np.eye(3), (3, 1, 1)), places, np.zeros((3, 3)), np.zeros((3, 3)))
    found, _ = contacts_of(world, world.memory(), bodies, dt=1e-3, reach=1e-3)
    ball = found[found["first"] == world.shapes("ball")[0]]
    assert len(set(ball["second"].tolist())) == 2
