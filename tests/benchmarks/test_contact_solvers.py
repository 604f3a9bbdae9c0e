"""The comparison of contact solvers: it runs, counts what it says, finds crossovers, and knows the native step."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.lab.contact_solver_report import markdown, of_seed, of_simulations, plot, plot_residuals
from benchmarks.lab.contact_solvers import (
    NativeStep,
    SolverRun,
    by_size,
    by_solver,
    crossover,
    given,
    measure_solvers,
    met,
)
from benchmarks.lab.random_problems import problems
from benchmarks.lab.recorded_sources import SOURCES, recorded_steps
from footfall.contact.classic.gauss_seidel import solve_gauss_seidel
from footfall.contact.classic.hybrid import solve_hybrid
from footfall.contact.validation import check_solution


def run(solver: str, contacts: int, seconds: float) -> SolverRun:
    zero = np.zeros(3)
    return SolverRun(solver, contacts, np.full(3, seconds), zero, zero, np.ones(3, dtype=bool))


def test_crossover_lies_where_the_times_meet() -> None:
    runs = [run("a", 1, 2e-3), run("b", 1, 1e-3), run("a", 3, 1e-3), run("b", 3, 2e-3)]
    assert crossover(runs, "a", "b") == pytest.approx(2.0)
    assert crossover(runs, "b", "a") is None  # faster at first, then not
    assert crossover(runs[2:], "a", "b") == 3.0


def test_failures_are_counted_and_slow_solvers_sit_out(tmp_path: Path) -> None:
    made = [given(problem) for _, problem in problems(12, contacts=4, seed=3)]
    solvers = {"good": by_solver(solve_hybrid), "lazy": by_solver(solve_gauss_seidel, max_sweeps=1)}
    good, lazy = measure_solvers(made, contacts=4, solvers=solvers)
    assert good.solved.all()
    assert not lazy.solved.all()
    assert np.median(lazy.cone) > 1e-6 > good.cone.max()
    (slow,) = measure_solvers(made, contacts=4, solvers={"slow": solvers["good"]}, most_seconds=0.0)
    assert len(slow.seconds) == 10
    curves = {"good": [(1e-6, 1e-3, 1e-2)]}
    text = markdown([good, slow], curves, origin=of_seed(12, 3), load_before="0")
    assert "12 problems, seed 3" in text
    assert "(10)" in text
    pytest.importorskip("matplotlib")
    plot([good, lazy], curves, tmp_path / "solvers.png")
    plot_residuals([good, lazy], tmp_path / "residuals.png")
    assert min(path.stat().st_size for path in tmp_path.glob("*.png")) > 10_000


def test_the_native_step_solves_what_it_met() -> None:
    """From zero and from the step before; what another solver finds moves the contacts in the same way."""
    cases = [met(step) for step in recorded_steps(20, names=["plate, 2 points"])]
    assert set(by_size(cases)) == {2}
    assert "plate, 2 points (20)" in of_simulations(cases)[0]
    for warm in (False, True):
        solve = NativeStep(warm=warm)
        for case in cases:
            outcome = solve(case)
            assert outcome.solved
            assert outcome.residual < 1e-8 * case.scale
            other = by_solver(solve_hybrid)(case)
            # Two points on a rigid body share a direction in which they load one another: impulses are not unique.
            np.testing.assert_allclose(
                case.problem.velocities(outcome.impulses),
                case.problem.velocities(other.impulses),
                atol=1e-6,
            )


def test_recorded_problems_leave_only_out_what_does_not_press() -> None:
    """A solution of the problem of near contacts, with zeros elsewhere, solves that of all candidates."""
    from footfall.simulation.step_problem import build_step_problem

    (step,) = recorded_steps(1, names=["quadruped, tumbling"])
    everything = build_step_problem(step.simulation, step.state, step.command).problem
    assert step.problem.contacts < everything.contacts
    impulses = np.zeros(everything.size)
    impulses[step.rows] = solve_hybrid(step.problem).impulses
    assert check_solution(everything, impulses).natural_map < 1e-8 * step.weight_impulse


def test_sources_have_the_names_that_they_are_found_by() -> None:
    assert SOURCES["plate, 1 points"]().name == "plate, 1 points"
    assert SOURCES["quadruped, tumbling"]().name == "quadruped, tumbling"
