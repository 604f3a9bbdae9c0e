"""The benchmark of hybrid dynamics with the least effort: contestants agree, and wrong results are noticed."""

from __future__ import annotations

import numpy as np

import footfall
from footfall.benchmarks.dynamics import Effort, has_pinocchio
from footfall.benchmarks.hybrid import HybridCase, dense_equations, hybrid_cases, hybrid_error, measure_hybrid
from footfall.benchmarks.hybrid_report import markdown
from footfall.benchmarks.states import State, random_states

LEAST = Effort(blocks=2, block_seconds=1e-5, calls=4, batch=16)


def test_a_chain_is_measured_and_reported() -> None:
    (measurement,) = measure_hybrid(hybrid_cases(["chain-7"]), effort=LEAST)
    names = {"bound", "call", "batch", "dense"} | ({"python"} if has_pinocchio() else set())
    assert set(measurement.race.seconds) == names
    assert measurement.error < 1e-9
    text = markdown([measurement], effort=LEAST, load_before="0")
    assert "| chain-7 | 1 | 6 |" in text
    assert "bound against dense" in text


def test_dense_equations_are_ours() -> None:
    case = HybridCase("arm-7r", ((footfall.load("arm-7r").bodies[-1].name, ("x", "y", "z")),))
    robot = footfall.load(case.robot)
    row = State(*(column[0] for column in random_states(robot, 1)))
    solution = np.linalg.solve(*dense_equations(robot, case)(row.q, row.v, row.tau))
    kernel = footfall.hybrid_dynamics.kernel(robot, constraints=case.constraints, setpoints=np.zeros(3))
    a, forces, *_ = kernel(row.q, row.v, row.tau, np.zeros(3))
    np.testing.assert_allclose(solution[:7], a, rtol=1e-9)
    np.testing.assert_allclose(-solution[7:], forces, rtol=1e-9)
    assert hybrid_error(robot, case, kernel, row) < 1e-10
    other = HybridCase("arm-7r", ((robot.bodies[-2].name, ("x", "y", "z")),))
    assert hybrid_error(robot, other, kernel, row) > 1e-3
