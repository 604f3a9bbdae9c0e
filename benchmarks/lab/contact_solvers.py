"""All contact solvers on the same problems: time, residual and how many they solve, Ayit 2015, section 2.4.

Solvers of `footfall.contact` are given a problem with its matrix; the native step has to make its own from the
state of a robot, moves the robot too, and is timed with all that.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.lab.random_problems import problems as mixed_problems
from benchmarks.lab.random_problems import robot_problem
from benchmarks.lab.recorded_steps import RecordedStep
from footfall.arrays import Array
from footfall.bench.chains import crossing
from footfall.contact.classic.complementarity import solve_interior_point, solve_lemke, solve_newton
from footfall.contact.classic.gauss_seidel import solve_gauss_seidel, solve_gauss_seidel_source
from footfall.contact.classic.hybrid import solve_hybrid
from footfall.contact.classic.pyramid import impulse_scale, solve_gauss_seidel_pyramid
from footfall.contact.problem import ContactProblem, ContactSolution
from footfall.contact.validation import check_solution
from footfall.robot.load import load
from footfall.simulation.plants import FeetSimulation

CONTACTS = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64)
TRIAL = 10  # problems before a solver may be found too slow
SWEEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
NEWTON_STEPS = (1, 3, 5, 8, 13, 30)
_LEAST_OF, _LONG = 3, 1e-3  # calls that the shortest counts of, as long as they take less than this, s
_COMPILED = 2.0  # s; a call that takes longer has compiled something and does not count
_STATE = ("q", "v", "integral", "impulses")


@dataclass(frozen=True, eq=False)
class Case:
    """A problem to be solved. scale: of its residuals, N s. start: (n,) impulses that are known from before, N s.
    step: where it was met, if it was in a simulation."""

    problem: ContactProblem
    scale: float
    start: Array
    step: RecordedStep | None = None


class Outcome(NamedTuple):
    """seconds: CPU time. impulses: (n,) N s. residual: natural map of the problem that the solver poses, N s. solved:
    what the solver says."""

    seconds: float
    impulses: Array
    residual: float
    solved: bool


Contestant = Callable[[Case], Outcome]


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


def given(problem: ContactProblem) -> Case:
    """A problem that comes from nowhere."""
    return Case(problem, impulse_scale(problem) or 1.0, np.zeros(problem.size))


def met(step: RecordedStep) -> Case:
    """A problem that a simulation met."""
    return Case(step.problem, step.weight_impulse, step.start, step)


def by_solver(solve: Callable[..., ContactSolution], *, warm: bool = False, **options: Any) -> Contestant:
    """A solver of `footfall.contact`, from zero or from the impulses of the step before."""
    solve = partial(solve, **options) if options else solve

    def contestant(case: Case) -> Outcome:
        start = {"start": case.start} if warm else {}
        seconds, solution = _timed(lambda: solve(case.problem, **start))
        return Outcome(seconds, solution.impulses, solution.residual, solution.converged)

    return contestant


class NativeStep:
    """The time step as a solver: from zero impulses or those of the step before, bound to arrays once a simulation.

    newton_steps: at most, if not as many as the simulation has.
    """

    def __init__(self, *, warm: bool = False, newton_steps: int | None = None) -> None:
        self.warm = warm
        self.newton_steps = newton_steps
        self._bound: dict[int, tuple[dict[str, Array], dict[str, Array], Callable[[], Any]]] = {}

    def __call__(self, case: Case) -> Outcome:
        step = case.step
        assert step is not None
        if id(step.simulation) not in self._bound:
            self._bound[id(step.simulation)] = self._bind(step.simulation)
        inputs, outputs, call = self._bound[id(step.simulation)]
        values = {name: getattr(step.state, name) for name in _STATE}
        values |= {f"command_{name}": value for name, value in step.command._asdict().items()}
        values |= {"friction": step.simulation.friction}
        for name, buffer in inputs.items():
            buffer[...] = values[name]
        if not self.warm:
            inputs["impulses"][...] = 0.0
        seconds, _ = _timed(call)
        impulses = outputs["impulses"][step.rows]
        residual = check_solution(case.problem, impulses).natural_map
        tolerance = step.simulation.options.solver.tolerance * step.weight_impulse
        return Outcome(seconds, impulses, residual, bool(outputs["residual"] <= tolerance))

    def _bind(
        self, simulation: FeetSimulation
    ) -> tuple[dict[str, Array], dict[str, Array], Callable[[], Any]]:
        if self.newton_steps is not None:
            options = replace(
                simulation.options, solver=replace(simulation.options.solver, newton_steps=self.newton_steps)
            )
            simulation = FeetSimulation(
                simulation.robot, candidates=simulation.candidates, options=options, q=simulation.state.q
            )
        kernel = simulation.step_kernel
        inputs, outputs = (
            {name: np.zeros(shape) for name, shape in shapes}
            for shapes in (kernel.signature.inputs, kernel.signature.outputs)
        )
        return inputs, outputs, kernel.bind(*inputs.values(), *outputs.values())


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Least CPU time of a few calls, s, and what the last gave; one call if it is long."""
    least = np.inf
    for _ in range(_LEAST_OF):
        begin = time.thread_time()
        result = call()
        seconds = time.thread_time() - begin
        least = min(least, seconds)
        if _LONG < seconds < _COMPILED:
            break
    return least, result


SOLVERS: Mapping[str, Contestant] = {
    "hybrid": by_solver(solve_hybrid),
    "Gauss-Seidel": by_solver(solve_gauss_seidel, relaxation=1.2),
    "Gauss-Seidel of Ayit 2015": by_solver(solve_gauss_seidel_source, tolerance=1e-10, max_sweeps=2000),
    "Gauss-Seidel, 8 facets": by_solver(solve_gauss_seidel_pyramid, facets=8),
    "Lemke, 4 facets": by_solver(solve_lemke, facets=4),
    "Lemke, 8 facets": by_solver(solve_lemke, facets=8),
    "interior point, 4 facets": by_solver(solve_interior_point, facets=4),
    "Newton, 4 facets": by_solver(solve_newton, facets=4),
}


def step_solvers() -> dict[str, Contestant]:
    """All of `SOLVERS`, the native step, and what can begin from the step before doing so."""
    return {
        "native step": NativeStep(),
        "native step, warm": NativeStep(warm=True),
        "hybrid, warm": by_solver(solve_hybrid, warm=True),
        "Gauss-Seidel, warm": by_solver(solve_gauss_seidel, warm=True, relaxation=1.2),
        **SOLVERS,
    }


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


def _sole(points: int) -> Array:
    """Points (points, 3) around a sole of 0.26 m by 0.13 m; one: its middle."""
    angles = 2 * np.pi * (np.arange(points) + 0.5) / points
    size = 0.0 if points == 1 else 1.0
    return size * np.stack([0.13 * np.cos(angles), 0.065 * np.sin(angles), 0 * angles], axis=1)


def by_size(cases: Sequence[Case]) -> dict[int, list[Case]]:
    """Cases by their number of contacts, rounded up to a power of two; mixed, as slow solvers have the first only."""
    groups: dict[int, list[Case]] = {}
    for index in np.random.default_rng(0).permutation(len(cases)):
        case = cases[index]
        groups.setdefault(1 << (max(case.problem.contacts, 1) - 1).bit_length(), []).append(case)
    return dict(sorted(groups.items()))


def measure_solvers(
    cases: Sequence[Case],
    *,
    contacts: int,
    solvers: Mapping[str, Contestant] = SOLVERS,
    most_seconds: float = 0.05,
) -> list[SolverRun]:
    """Run all solvers on problems with about as many contacts, solver after solver on each problem.

    most_seconds: a solver whose median time is above it after the first ten problems sits out.
    """
    results: dict[str, list[tuple[float, float, float, bool]]] = {name: [] for name in solvers}
    for solve in solvers.values():
        solve(cases[0])  # compiles
    for index, case in enumerate(cases):
        for name, solve in solvers.items():
            rows = results[name]
            if index >= TRIAL and np.median([row[0] for row in rows]) > most_seconds:
                continue
            outcome = solve(case)
            cone = check_solution(case.problem, outcome.impulses).natural_map / case.scale
            rows.append((outcome.seconds, outcome.residual / case.scale, cone, outcome.solved))
    return [
        SolverRun(name, contacts, *(np.array(column) for column in zip(*rows, strict=True)))
        for name, rows in results.items()
    ]


def time_against_residual(cases: Sequence[Case]) -> dict[str, list[tuple[float, float, float]]]:
    """(median seconds, median residual, 90th percentile) of iterative solvers as they are given more sweeps, and of the
    native step, where there is one, as it is given more steps of Newton's method."""
    families: dict[str, tuple[tuple[int, ...], Callable[[int], Contestant]]] = {
        "Gauss-Seidel": (SWEEPS, lambda n: by_solver(solve_gauss_seidel, max_sweeps=n, tolerance=0.0)),
        "Gauss-Seidel, relaxed by 1.3": (
            SWEEPS,
            lambda n: by_solver(solve_gauss_seidel, max_sweeps=n, tolerance=0.0, relaxation=1.3),
        ),
        "Gauss-Seidel of Ayit 2015": (
            SWEEPS,
            lambda n: by_solver(solve_gauss_seidel_source, max_sweeps=n, tolerance=0.0),
        ),
        "hybrid": (
            SWEEPS,
            lambda n: by_solver(solve_hybrid, max_rounds=1, sweeps=n, tolerance=1e-14),
        ),
    }
    if all(case.step is not None for case in cases):
        families["native step"] = (NEWTON_STEPS, lambda n: NativeStep(newton_steps=n))
    curves: dict[str, list[tuple[float, float, float]]] = {}
    for name, (counts, family) in families.items():
        curve = []
        for count in counts:
            (run,) = measure_solvers(cases, contacts=0, solvers={name: family(count)}, most_seconds=np.inf)
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
