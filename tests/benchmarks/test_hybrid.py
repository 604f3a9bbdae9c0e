"""The benchmark of hybrid dynamics with the least effort: contestants agree, and wrong results are noticed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import footfall
from benchmarks.lab.hybrid import HybridCase, dense_equations, hybrid_cases, hybrid_error, measure_hybrid
from benchmarks.lab.hybrid_report import markdown
from footfall.bench.dynamics import Effort, has_pinocchio
from footfall.bench.states import BenchState, random_states
from footfall.dynamics.hybrid import hybrid_accelerations

LEAST = Effort(blocks=2, block_seconds=1e-5, calls=4, batch=16)


def test_a_chain_is_measured_and_reported() -> None:
    (measurement,) = measure_hybrid(hybrid_cases(["chain-7"]), effort=LEAST)
    names = {"bound", "call", "plain", "batch", "dense"} | ({"python"} if has_pinocchio() else set())
    assert set(measurement.race.seconds) == names
    assert measurement.error < 1e-9
    text = markdown([measurement], effort=LEAST, load_before="0")
    assert "| chain-7 | 1 | 6 |" in text
    assert "call against dense" in text
    assert "Growth" not in text
    twice = replace(
        measurement, case=replace(measurement.case, robot="chain-14"), operations=2 * measurement.operations
    )
    assert "operations 1.00, bound" in markdown([measurement, twice], effort=LEAST, load_before="0")


def test_dense_equations_are_ours() -> None:
    case = HybridCase("arm-7r", ((footfall.load("arm-7r").bodies[-1].name, ("x", "y", "z")),))
    robot = footfall.load(case.robot)
    row = BenchState(*(column[0] for column in random_states(robot, 1)))
    solution = np.linalg.solve(*dense_equations(robot, case)(row.q, row.v, row.tau))
    kernel = hybrid_accelerations.kernel(robot, constraints=case.constraints, setpoints=np.zeros(3))
    a, forces = kernel(row.q, row.v, row.tau, np.zeros(3))
    np.testing.assert_allclose(solution[:7], a, rtol=1e-9)
    np.testing.assert_allclose(-solution[7:], forces, rtol=1e-9)
    assert hybrid_error(robot, case, kernel, row) < 1e-10
    other = HybridCase("arm-7r", ((robot.bodies[-2].name, ("x", "y", "z")),))
    assert hybrid_error(robot, other, kernel, row) > 1e-3


def test_cases_are_those_of_the_issue() -> None:
    """Chains of 7 to 200 joints, ANYmal on 1 to 4 feet, TALOS with 1 to 6 constrained segments."""
    cases = hybrid_cases()
    chains = [case.robot for case in cases if case.robot.startswith("chain")]
    assert (chains[0], chains[-1]) == ("chain-7", "chain-200")
    assert [len(case.segments) for case in cases if case.robot == "anymal"] == [1, 2, 3, 4]
    talos = [case for case in cases if case.robot == "talos"]
    assert [len(case.segments) for case in talos] == [1, 2, 3, 4, 5, 6]
    assert [case.rows for case in talos] == [6, 12, 18, 24, 30, 33]
