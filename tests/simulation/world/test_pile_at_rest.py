"""A pile of boxes comes to rest: edges that cross keep the normal they are loaded along."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.math.rotations import matrix_from_quaternion
from footfall.math.transform import Transform
from footfall.robot.shapes import Box
from footfall.scene.model import Material, Scene, SceneObject, free_body
from tests.simulation.world.worlds import TestWorld, ground


def pile(count: int, seed: int) -> Scene:
    """Boxes of random sizes and turns, none in another one, that fall onto each other."""
    rng = np.random.default_rng(seed)
    boxes = []
    for k in range(count):
        cell = np.array([k % 3, (k // 3) % 3, k // 9])
        turn = rng.normal(size=4)
        place = Transform(
            matrix_from_quaternion(turn / np.linalg.norm(turn)), 0.22 * cell + [-0.22, -0.22, 0.15]
        )
        shape = Box(tuple(2 * rng.uniform(0.03, 0.06, 3)))
        free = free_body(shape, 1000.0 * float(np.prod(shape.size)))
        boxes.append(SceneObject(f"box{k}", shape, place, Material(friction=0.5), free=free))
    return Scene("pile", (ground(friction=0.5), *boxes))


def test_no_loaded_normal_jumps_in_a_pile_at_rest() -> None:
    """Where a contact is loaded, the normal of the step before was the same to 1e-6; nothing moves, and a step of the
    solver finds that. With the normal of a face where edges cross, these three of 24 such piles kept moving."""
    for seed in (10, 14, 15):
        world = TestWorld(None, pile(27, seed), dt=2e-3, direct_steps=30)
        world.run(3.0)
        assert np.abs(world.state.v).max() < 1e-9
        before = np.array(contacts(world))
        for _ in range(50):
            report = world.step()
            assert report.steps <= 3
            now = loaded_contacts(world)
            assert len(now) > 27
            for contact in now:  # of its pair in the step before, at the same place
                same = before[(before["first"] == contact["first"]) & (before["second"] == contact["second"])]
                apart = np.linalg.norm(same["position"] - contact["position"], axis=1)
                assert apart.min() < 1e-6
                assert contact["normal"] @ same[int(apart.argmin())]["normal"] > 1.0 - 1e-12
            before = np.array(contacts(world))


def contacts(world: TestWorld) -> Any:
    """Of the last step."""
    return world.state.contacts[: int(world.state.counts[0])]


def loaded_contacts(world: TestWorld) -> Any:
    """Contacts of the last step with an impulse."""
    return contacts(world)[np.linalg.norm(world.impulses(), axis=1) > 1e-9]
