"""A wall of loose bricks that stands: impulses of the last step are those of this one, until something changes."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.scene.model import Scene
from footfall.simulation.world.records import Forces
from tests.simulation.world.worlds import TestWorld, ground, loose_box

ROWS, COLUMNS, MASS = 12, 8, 2.0
WEIGHT = ROWS * COLUMNS * MASS * 9.81


@pytest.fixture(scope="module")
def standing() -> TestWorld:
    """A running bond after it has settled, side by side without a gap; the ends of every other row hang over by half a
    brick, held by what lies on them."""
    bricks = []
    for row in range(ROWS):
        for column in range(COLUMNS):
            place = (0.2 * (column - COLUMNS / 2 + 0.5 * (row % 2)), 0.0, 0.1 * (row + 0.5))
            bricks.append(loose_box(f"{row}-{column}", (0.2, 0.1, 0.1), place, mass=MASS, friction=0.5))
    world = TestWorld(None, Scene("wall", (ground(friction=0.5), *bricks)), dt=2e-3, direct_steps=30)
    world.run(0.5)
    return world


def on_ground(world: TestWorld) -> Array:
    """Impulse of the last step on what lies on the ground, N s."""
    count = int(world.state.counts[0])
    contacts = world.state.contacts[:count]
    lowest = (contacts["position"][:, 2] < 1e-3) & (contacts["normal"][:, 2] > 0.9)
    total: Array = world.state.impulses[:count][lowest].sum(axis=0)
    return total


def test_most_steps_take_no_step_of_the_solver_and_nothing_drifts(standing: TestWorld) -> None:
    before, steps = standing.state.q.copy(), []
    for _ in range(250):
        report = standing.step()
        assert report.residual <= 1e-9
        steps.append(report.steps)
        np.testing.assert_allclose(on_ground(standing), [0.0, 0.0, WEIGHT * 2e-3], atol=1e-8 * WEIGHT * 2e-3)
    assert np.mean(steps) < 1.0  # otherwise two to three
    assert np.mean(np.array(steps) == 0) > 0.5
    assert np.abs(standing.state.q - before).max() < 1e-10


@pytest.mark.parametrize("push", [1e-4, 1.0])
def test_a_push_is_felt_in_the_step_that_it_comes(standing: TestWorld, push: float) -> None:
    """Far below what moves a brick, and above what counts as the same."""
    on_top = Forces(
        np.array([ROWS * COLUMNS - 1]), np.array([[0.0, push, 0.0, 0.0, 0.0, 0.0]]), np.zeros((1, 3))
    )
    standing.run(0.1)
    assert standing.step(on_top).steps > 0
    np.testing.assert_allclose(
        on_ground(standing), [0.0, -2e-3 * push, WEIGHT * 2e-3], atol=3e-9 * WEIGHT * 2e-3
    )
