"""Things that cannot leave what they are in: held with bounded impulses, at rest, and no load sinks deeper by it.

A contact asks a body to come out of what it is in, by 0.05 m/s at most. One that is wedged between two is asked to go
both ways, which no velocity does.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.lab.known_worlds import at, loose
from footfall import Box, Plane, Scene, SceneObject, Simulation
from footfall.contact.validation import check_solution
from footfall.errors import SimulationWarning
from footfall.math.rotations import matrix_from_rotation_vector
from footfall.math.transform import Transform
from footfall.simulation.step_problem import build_step_problem, step_impulses, step_residuals
from footfall.simulation.world import laws

FLOOR = SceneObject("floor", Plane())
_EDGE, _MASS = 0.2, 1.0
_CUBE = Box((_EDGE, _EDGE, _EDGE))

pytestmark = [
    pytest.mark.filterwarnings("ignore::footfall.errors.SimulationWarning"),
    pytest.mark.filterwarnings("ignore::footfall.errors.ConvergenceWarning"),  # of the first steps
]


def slot(tight: float) -> Scene:
    """A cube between two walls whose distance is less than its edge, m."""
    wall, aside = Box((0.2, 1.0, 1.0)), (_EDGE - tight) / 2 + 0.1
    walls = [SceneObject(f"wall {way:+d}", wall, at((way * aside, 0.0, 0.5))) for way in (-1, 1)]
    return Scene("slot", (FLOOR, *walls, loose("cube", _CUBE, at((0.0, 0.0, _EDGE / 2)), mass=_MASS)))


@pytest.mark.parametrize("tight", [0.0, 1e-9, 1e-7, 1e-5, 1e-3, 1e-2])
def test_what_is_wedged_in_a_slot_rests(tight: float) -> None:
    """Both walls ask alike, so that it stays. They are known to be at odds by the impulses of the first steps, and
    then push with 1 / (1e-4 of three mobilities) times 0.05 m/s at most, at four points each; where they are not deep
    they ask for less and give way less, in the same proportion."""
    simulation = Simulation(None, slot(tight))
    simulation.run(simulation.zero_command, 0.1)
    residuals, run = step_residuals(simulation, simulation.zero_command, 100)
    np.testing.assert_allclose(run.q[-1, :3], [0.0, 0.0, _EDGE / 2], atol=1e-6)
    assert np.abs(run.v).max() < 1e-6
    pressing = np.abs(run.force_on("wall +1")[:, 0]).max() * simulation.options.dt
    asked = max(4 * 0.05, laws.DEEP / simulation.options.dt)  # m/s
    assert pressing <= 1.001 * asked * _MASS / (3 * laws.GIVING)
    # The validator knows the law, not the solver.
    assert residuals.max() < 1e-6 * (_MASS * 9.81e-3 + pressing)


def test_rigid_walls_are_seen_to_give_way() -> None:
    """The validator above can fail: with rigid walls the impulses solve nothing."""
    simulation = Simulation(None, slot(1e-3))
    command = simulation.zero_command
    simulation.run(command, 0.1)
    before = simulation.state
    simulation.step(command)
    problem = build_step_problem(simulation, before, command, after=simulation.state).problem
    impulses = step_impulses(simulation, simulation.state)
    assert check_solution(problem, impulses).natural_map < 1e-6
    rigid = replace(problem, compliance=np.zeros_like(problem.bias))
    assert check_solution(rigid, impulses).natural_map > 1e-3


@pytest.mark.parametrize("seed", range(4))
def test_what_starts_inside_of_several_things_is_not_thrown(seed: int) -> None:
    """Free fall from 1 m is 4.4 m/s, and rotation may add what a corner on the ground makes of it."""
    random = np.random.default_rng(seed)
    block = Box((1.0, 1.0, 1.0))
    place = Transform(
        matrix_from_rotation_vector(random.normal(size=3)),
        np.append(random.uniform(-0.3, 0.3, 2), random.uniform(0.15, 0.85)),
    )
    blocks = [
        SceneObject("one", block, at((0.0, 0.0, 0.5))),
        SceneObject("two", block, at((0.7, 0.1, 0.6))),
    ]
    simulation = Simulation(None, Scene("inside", (FLOOR, *blocks, loose("cube", _CUBE, place, mass=_MASS))))
    run = simulation.run(simulation.zero_command, 1.0)
    assert np.abs(run.v[:, :3]).max() < 4.5
    assert np.abs(run.q[:, :3]).max() < 2.0


def test_it_is_told() -> None:
    simulation = Simulation(None, slot(5e-2))
    with pytest.warns(SimulationWarning, match="m deep in 'wall"):
        simulation.run(simulation.zero_command, 0.01)


@pytest.mark.parametrize("load", [0.0, 100.0])
def test_loads_do_not_notice(load: float) -> None:
    """A cube 1 mm deep in the floor comes out at 0.05 m/s, also below a hundred times its mass. It gives way by
    1e-4 of three mobilities times the load's impulse, 3e-4 (1 + load) g dt = 3e-4 m/s."""
    depth, things = 1e-3, [loose("cube", _CUBE, at((0.0, 0.0, _EDGE / 2 - 1e-3)), mass=_MASS)]
    if load:
        things.append(loose("load", _CUBE, at((0.0, 0.0, 1.5 * _EDGE - depth)), mass=load * _MASS))
    simulation = Simulation(None, Scene("deep", (FLOOR, *things)))
    run = simulation.run(simulation.zero_command, 0.015)
    assert run.v[-1, 2] == pytest.approx(0.05, abs=4e-4)
    simulation.run(simulation.zero_command, 0.2)
    assert simulation.q[2] == pytest.approx(_EDGE / 2, abs=1e-6)
