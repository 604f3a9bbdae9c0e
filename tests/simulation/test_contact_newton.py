"""Newton's method of a time step: when it runs, how many steps it takes, and its way out where it is stuck."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.simulation.lanes import newton as contact_newton
from tests.simulation.worlds import EDGE, GRAVITY, ball, block, ground, simulate

pytestmark = pytest.mark.usefixtures("listed")

DT = 2e-3


def test_nothing_is_solved_in_flight() -> None:
    """A ball falls by its own equation and meets the ground in the step that the fall takes it there."""
    height, radius = 0.1, 0.05
    simulation = simulate(ground(), ball((0.0, 0.0, radius + height), radius=radius), dt=DT)
    path = simulation.run(simulation.zero_command, 0.3)
    # Semi-implicit: after k steps it fell by g dt^2 k (k + 1) / 2.
    fallen = GRAVITY * DT**2 * np.cumsum(np.arange(1, len(path.time) + 1))
    flying = fallen < height
    assert 0 < flying.sum() < len(flying)
    assert (path.solver_steps[flying] == 0.0).all()
    assert path.solver_steps[flying.argmin()] > 0.0
    assert np.abs(path.q[flying, 2] - (radius + height - fallen[flying])).max() < 1e-12
    assert abs(path.q[-1, 2] - radius) < 1e-9


def test_one_step_for_what_sticks() -> None:
    """A block that is set down on its four lower corners: no steps but those that find out which of them carry."""
    simulation = simulate(ground(), block("block", (0.0, 0.0, 0.5 * EDGE)), dt=DT)
    path = simulation.run(simulation.zero_command, 0.1)
    assert path.solver_steps[5:].max() <= 1.0


def test_the_way_out_of_circles_leads_to_the_same_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gradient steps after every single step of Newton's method, where usually there are none."""

    def slide() -> tuple[Array, Array, Array]:
        simulation = simulate(ground(), block("block", (0.0, 0.0, 0.5 * EDGE)), dt=DT)
        v = np.zeros(simulation.robot.nv)
        v[:2], v[5] = (0.4, 0.1), 3.0
        simulation.reset(v=v)
        path = simulation.run(simulation.zero_command, 0.04)
        return path.q, path.solver_steps, path.residual

    expected, steps, _ = slide()
    kinds = contact_newton.ROUND_WITHOUT_JOINTS[:1]
    monkeypatch.setattr(contact_newton, "ROUND_WITHOUT_JOINTS", kinds)
    got, others, residual = slide()
    assert (steps != others).any()  # it was another way
    assert residual.max() <= 1e-9 * GRAVITY * DT
    # Four corners that slide can share the load in several ways, which turn the block a little differently.
    assert np.abs(got - expected).max() < 1e-6
