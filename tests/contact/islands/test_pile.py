"""Large islands of free bodies: their own steps against those of all other islands, and whole piles while they fall."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from benchmarks.lab.pile_scenes import dominoes, pile, wall
from footfall import Scene, SceneObject, Simulation, StepOptions, Transform
from footfall.contact.islands.pile import solve_pile
from footfall.contact.islands.solve import Effort, solve_island
from footfall.simulation import SolverOptions
from tests.contact.islands.dense import random_bodies
from tests.contact.islands.test_solvers import Solution, check


@pytest.mark.parametrize("seed", range(4))
def test_its_solution_is_that_of_the_other_steps(seed: int) -> None:
    """To 1e-9 both are the same: velocities differ by what the tolerance lets the lightest body gain."""
    bodies = random_bodies(np.random.default_rng(seed), 12)
    found = Solution(bodies, solve_pile, 1e-9, Effort(30, 40, 100, True, True))
    other = Solution(bodies, solve_island, 1e-9, Effort(30, 40, 100))
    assert found.outcome.residual <= 1e-9
    check(bodies, found, 1e-9 * bodies.weight)
    np.testing.assert_allclose(found.velocities, other.velocities, atol=1e-5 * np.abs(bodies.free).max())


@pytest.mark.filterwarnings("ignore::footfall.errors.FootfallWarning")  # boxes that begin in each other
@pytest.mark.parametrize(
    ("world", "start", "seconds"),
    [
        (lambda: pile(60, 1003), 0.3, 0.5),
        (lambda: wall(10, 5, hit=False), 0.0, 0.2),
        (lambda: wall(10, 5, hit=True, seed=1002), 0.3, 0.4),
        (dominoes, 0.4, 0.4),
    ],
)
def test_what_moves_is_solved_to_a_millionth_and_what_rests_to_a_hundred_millionth(
    world: Callable[[], tuple[Scene, float]], start: float, seconds: float
) -> None:
    """In 99 of 100 steps; what was asked stands in the trajectory."""
    scene, dt = world()
    simulation = Simulation(None, scene, dt=dt)
    if start > 0.0:
        simulation.run(simulation.zero_command, start)
    trajectory = simulation.run(simulation.zero_command, seconds)
    weight = 9.81 * simulation.robot.mass * dt
    assert trajectory.asked is not None
    moving = trajectory.asked > 1e-8 * weight
    np.testing.assert_allclose(trajectory.asked, np.where(moving, 1e-6, 1e-9) * weight)
    assert (trajectory.residual <= 1.001e-6 * weight).mean() >= 0.99
    if start == 0.0:  # the wall stands
        assert not moving.any()
        assert (trajectory.residual <= 1e-8 * weight).all()
    else:
        assert moving.any()


@pytest.mark.filterwarnings("ignore::footfall.errors.FootfallWarning")
def test_a_pile_that_moves_can_be_solved_as_closely_as_what_rests() -> None:
    scene, dt = pile(27, 4)
    options = StepOptions(dt=dt, solver=SolverOptions(moving_tolerance=0.0))
    simulation = Simulation(None, scene, options=options)
    trajectory = simulation.run(simulation.zero_command, 0.6)
    weight = 9.81 * simulation.robot.mass * dt
    assert (trajectory.residual <= 1e-8 * weight).mean() >= 0.9
    assert trajectory.asked is not None
    np.testing.assert_allclose(trajectory.asked, 1e-9 * weight)


@pytest.mark.filterwarnings("ignore::footfall.errors.FootfallWarning")
def test_an_impact_changes_nothing_of_what_it_does_not_reach() -> None:
    """After an impact only islands in which something goes elsewhere are solved again: the others keep their bits."""
    (ground, *things), dt = wall(3, 2, hit=False)[0].objects, 2e-3
    falling = pile(8, 5)[0].free_objects
    there = [
        SceneObject(
            f"far-{thing.name}",
            thing.shape,
            Transform(thing.placement.rotation, np.array([9.0, 0.0, 0.0]) + thing.placement.translation),
            thing.material,
            free=thing.free,
        )
        for thing in falling
    ]
    alone = Simulation(None, Scene("alone", (ground, *things)), dt=dt)
    both = Simulation(None, Scene("both", (ground, *things, *there)), dt=dt)
    alone.run(alone.zero_command, 0.5)
    both.run(both.zero_command, 0.5)
    np.testing.assert_array_equal(both.q[: len(alone.q)], alone.q)
