"""Words from before plants had classes: they make the plant that has them now, and say which."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from footfall import Scene, Simulation, StepOptions
from footfall.contact import PenaltyLaw
from footfall.simulation import SimulationState, SolverOptions, plants
from tests.simulation.worlds import ball, ground

SCENE = Scene("ball", (ground(), ball((0.0, 0.0, 0.2))))


@pytest.mark.parametrize(
    ("words", "plant"),
    [
        ({"contacts": "listed"}, "FeetSimulation"),
        ({"candidates": ()}, "FeetSimulation"),
        ({"touching": ["ball"]}, "FeetSimulation"),
        ({"contacts": "found"}, "Simulation"),
        ({"contact": "penalty"}, "SpringSimulation"),
        ({"contact": PenaltyLaw(1e4)}, "SpringSimulation"),
        ({"contact": "impacts"}, "ImpactSimulation"),
        ({"contact": "exact"}, "Simulation"),
    ],
)
def test_an_old_word_makes_its_plant(words: dict[str, Any], plant: str) -> None:
    with pytest.warns(DeprecationWarning, match=rf"footfall\.simulation\.{plant}"):
        simulation: Any = Simulation(None, SCENE, dt=2e-3, **words)
    assert type(simulation).__name__ == plant
    assert simulation.options.dt == 2e-3
    law = words.get("contact")
    assert not isinstance(law, PenaltyLaw) or simulation.law is law


@pytest.mark.parametrize(
    ("record", "plant"),
    [
        (lambda: StepOptions(integrator="rk4"), "SmoothSimulation"),  # type: ignore[call-arg]
        (lambda: StepOptions(bounded_energy=True), "FeetSimulation"),  # type: ignore[call-arg]
        (lambda: StepOptions(sleep=True), "Simulation"),  # type: ignore[call-arg]
        (lambda: StepOptions(solver=SolverOptions(rule="impacts")), "ImpactSimulation"),  # type: ignore[call-arg]
    ],
)
def test_an_old_option_is_kept_and_makes_its_plant(record: Any, plant: str) -> None:
    with pytest.warns(DeprecationWarning, match="is now"):
        options = record()
    simulation: Any = Simulation(None, SCENE, options=replace(options, dt=2e-3))
    assert type(simulation).__name__ == plant
    assert simulation.options.dt == 2e-3
    assert plant != "Simulation" or simulation.sleep
    assert plant != "FeetSimulation" or simulation.engine.kind.bounded_energy


def test_old_and_new_words_lead_to_the_same_steps() -> None:
    with pytest.warns(DeprecationWarning, match="ImpactSimulation"):
        old: Any = Simulation(None, SCENE, contact="impacts")  # type: ignore[call-arg]
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        new = plants.ImpactSimulation(None, SCENE)
    np.testing.assert_array_equal(old.run(old.zero_command, 0.02).q, new.run(new.zero_command, 0.02).q)


def test_contacts_of_trajectories_and_states_were_touches() -> None:
    simulation = Simulation(None, SCENE)
    path = simulation.run(simulation.zero_command, 0.002)
    with pytest.warns(DeprecationWarning, match=r"Trajectory\.touches is now contacts"):
        assert path.touches is path.contacts
    with pytest.warns(DeprecationWarning, match=r"SimulationState\.touches is now contacts"):
        assert simulation.state.touches is simulation.state.contacts
    with pytest.warns(DeprecationWarning, match=r"SimulationState\(touches=\) is now contacts="):
        state = SimulationState(0.0, simulation.q, simulation.v, *[np.zeros(0)] * 2, touches=())  # type: ignore[call-arg]
    assert state.contacts == ()
