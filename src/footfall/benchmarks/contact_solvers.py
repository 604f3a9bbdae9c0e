"""All contact solvers on the same problems: time, residual and how many they solve, 001 C18."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from footfall.benchmarks.contact import batch_starts
from footfall.benchmarks.contact_scenes import SCENES, contact_scene
from footfall.benchmarks.crossing import crossing
from footfall.contact.gauss_seidel import impulse_scale, solve_gauss_seidel, solve_gauss_seidel_source
from footfall.contact.hybrid import solve_hybrid
from footfall.contact.interior_point import solve_interior_point
from footfall.contact.lemke import solve_lemke
from footfall.contact.newton import solve_newton
from footfall.contact.problem import ContactProblem, ContactSolution
from footfall.contact.pyramid import solve_gauss_seidel_pyramid
from footfall.contact.random_problems import problems as mixed_problems
from footfall.contact.random_problems import robot_problem
from footfall.contact.validation import check_solution
from footfall.robot.load import load
from footfall.simulation.step_problem import build_step_problem

Array = np.ndarray[Any, np.dtype[np.float64]]
Solver = Callable[..., ContactSolution]

SOLVERS: Mapping[str, Solver] = {
    "hybrid": solve_hybrid,
    "Gauss-Seidel": partial(solve_gauss_seidel, relaxation=1.2),
    "Gauss-Seidel of 001": partial(solve_gauss_seidel_source, tolerance=1e-10, max_sweeps=2000),
    "Gauss-Seidel, 8 facets": partial(solve_gauss_seidel_pyramid, facets=8),
    "Lemke, 4 facets": partial(solve_lemke, facets=4),
    "Lemke, 8 facets": partial(solve_lemke, facets=8),
    "interior point, 4 facets": partial(solve_interior_point, facets=4),
    "Newton, 4 facets": partial(solve_newton, facets=4),
}
CONTACTS = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64)
_STEPS_EACH = 25
TRIAL = 10  # problems before a solver may be found too slow
SWEEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True)
class SolverRun:
    """One solver on problems of one size, an entry a problem.

    seconds: CPU time. own: natural-map residual of the problem that the solver poses (cone or pyramid), cone: of
    the exact cone; both over the problem's scale. solved: what the solver says.
    """

    solver: str
    contacts: int
    seconds: Array
    own: Array
    cone: Array
    solved: Array


def measured_problems(count: int, contacts: int, *, seed: int = 0) -> Iterator[ContactProblem]:
    """Piles, feet and stacks, and where the number of contacts allows it quadrupeds and LOLA on its soles."""
    quota = count // 4 if contacts in (4, 8, 16, 32) else 0
    for _, problem in mixed_problems(count - quota, contacts=contacts, seed=seed):
        yield problem
    if quota:
        name, feet, points = (
            ("quadruped", ("RB", "LB", "RF", "LF"), 1)
            if contacts == 4
            else ("lola", ("RF", "LF"), contacts // 2)
        )
        robot = load(name)
        q = robot.configuration(next(iter(robot.configurations)))
        for index in range(quota):
            rng = np.random.default_rng([seed, contacts, index, 1])
            yield robot_problem(robot, q, feet, sole=_sole(points), seed=rng)


def stepped_problems(count: int) -> list[ContactProblem]:
    """Problems that robots meet in simulation: all standing scenes, put down a little askew, 25 steps each time."""
    names = [name for name, scene in SCENES.items() if scene[2] == 0.0]
    problems: list[ContactProblem] = []
    for k, name in enumerate(names):
        scene = contact_scene(name)
        simulation = scene.simulation()
        command = scene.command(simulation)
        wanted = count // len(names) + (k < count % len(names))
        for q in batch_starts(scene, scene.q, -(-wanted // _STEPS_EACH)):
            simulation.reset(q)
            for _ in range(min(_STEPS_EACH, wanted)):
                problems.append(build_step_problem(simulation, simulation.state, command).problem)
                simulation.step(command)
            wanted -= _STEPS_EACH
    return problems


def _sole(points: int) -> Array:
    """Points (points, 3) around a sole of 0.26 m by 0.13 m; one: its middle."""
    angles = 2 * np.pi * (np.arange(points) + 0.5) / points
    size = 0.0 if points == 1 else 1.0
    return size * np.stack([0.13 * np.cos(angles), 0.065 * np.sin(angles), 0 * angles], axis=1)


def measure_solvers(
    problems: Sequence[ContactProblem],
    *,
    solvers: Mapping[str, Solver] = SOLVERS,
    most_seconds: float = 0.05,
) -> list[SolverRun]:
    """Run all solvers on problems with the same number of contacts, solver after solver on each problem.

    most_seconds: a solver whose median time is above it after the first ten problems sits out.
    """
    results: dict[str, list[tuple[float, float, float, bool]]] = {name: [] for name in solvers}
    for solve in solvers.values():
        solve(problems[0])  # compiles
    for index, problem in enumerate(problems):
        scale = impulse_scale(problem) or 1.0
        for name, solve in solvers.items():
            rows = results[name]
            if index >= TRIAL and np.median([row[0] for row in rows]) > most_seconds:
                continue
            begin = time.thread_time()
            solution = solve(problem)
            seconds = time.thread_time() - begin
            cone = check_solution(problem, solution.impulses).natural_map / scale
            rows.append((seconds, solution.residual / scale, cone, solution.converged))
    return [
        SolverRun(name, problems[0].contacts, *(np.array(column) for column in zip(*rows, strict=True)))
        for name, rows in results.items()
    ]


def time_against_residual(problems: Sequence[ContactProblem]) -> dict[str, list[tuple[float, float, float]]]:
    """(median seconds, median residual, 90th percentile) of iterative solvers as they are given more sweeps."""
    families: dict[str, Callable[[int], Solver]] = {
        "Gauss-Seidel": lambda n: partial(solve_gauss_seidel, max_sweeps=n, tolerance=0.0),
        "Gauss-Seidel, relaxed by 1.3": lambda n: partial(
            solve_gauss_seidel, max_sweeps=n, tolerance=0.0, relaxation=1.3
        ),
        "Gauss-Seidel of 001": lambda n: partial(solve_gauss_seidel_source, max_sweeps=n, tolerance=0.0),
        "hybrid": lambda n: partial(solve_hybrid, max_rounds=1, sweeps=n, tolerance=1e-14, facets=()),
    }
    curves: dict[str, list[tuple[float, float, float]]] = {}
    for name, family in families.items():
        curve = []
        for sweeps in SWEEPS:
            (run,) = measure_solvers(problems, solvers={name: family(sweeps)}, most_seconds=np.inf)
            curve.append((float(np.median(run.seconds)), *np.quantile(run.cone, [0.5, 0.9]).tolist()))
        curves[name] = curve
    return curves


def crossover(runs: Sequence[SolverRun], first: str, second: str) -> float | None:
    """Number of contacts from which on `first` is faster than `second` by the median; None if it never stays so."""
    times = {(run.solver, run.contacts): float(np.median(run.seconds)) for run in runs}
    sizes = sorted(
        {run.contacts for run in runs if (first, run.contacts) in times and (second, run.contacts) in times}
    )
    return crossing(sizes, [float(np.log(times[second, size] / times[first, size])) for size in sizes])
