"""The comparison of contact solvers: it runs, counts what it says, and finds crossovers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from footfall.benchmarks.contact_solver_report import markdown, plot
from footfall.benchmarks.contact_solvers import SolverRun, crossover, measure_solvers
from footfall.contact.gauss_seidel import solve_gauss_seidel
from footfall.contact.hybrid import solve_hybrid
from footfall.contact.random_problems import problems


def run(solver: str, contacts: int, seconds: float) -> SolverRun:
    zero = np.zeros(3)
    return SolverRun(solver, contacts, np.full(3, seconds), zero, zero, np.ones(3, dtype=bool))


def test_crossover_lies_where_the_times_meet() -> None:
    runs = [run("a", 1, 2e-3), run("b", 1, 1e-3), run("a", 3, 1e-3), run("b", 3, 2e-3)]
    assert crossover(runs, "a", "b") == pytest.approx(2.0)
    assert crossover(runs, "b", "a") is None  # faster at first, then not
    assert crossover(runs[2:], "a", "b") == 3.0


def test_failures_are_counted_and_slow_solvers_sit_out(tmp_path: Path) -> None:
    made = [problem for _, problem in problems(12, contacts=4, seed=3)]
    solvers = {"good": solve_hybrid, "lazy": lambda problem: solve_gauss_seidel(problem, max_sweeps=1)}
    good, lazy = measure_solvers(made, solvers=solvers)
    assert good.solved.all()
    assert not lazy.solved.all()
    assert np.median(lazy.cone) > 1e-6 > good.cone.max()
    (slow,) = measure_solvers(made, solvers={"slow": solve_hybrid}, most_seconds=0.0)
    assert len(slow.seconds) == 10
    text = markdown([good, slow], {"good": [(1e-6, 1e-3, 1e-2)]}, seed=3, load_before="0")
    assert "12 problems, seed 3" in text
    assert "(10)" in text
    pytest.importorskip("matplotlib")
    plot([good, lazy], {"good": [(1e-6, 1e-3, 1e-2)]}, tmp_path / "solvers.png")
    assert (tmp_path / "solvers.png").stat().st_size > 10_000
