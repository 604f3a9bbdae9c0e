"""Quadratic programs as controllers make them, and solvers compared on them: success, time, accuracy."""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import nnls

from benchmarks.lab.control import whole_body_tasks
from benchmarks.lab.control_peers import FRAMES, GAIN, STEP, resting_states
from examples.controlled.stances import Stance, lola_standing, stance_on
from footfall.arrays import Array
from footfall.bench.robots import load_measured
from footfall.control.priorities import solve_hierarchy
from footfall.control.whole_body import WholeBodyLimits, program_for
from footfall.dynamics.configuration import integrate
from footfall.dynamics.kinematics import frame_pose
from footfall.errors import NoSolution
from footfall.ik import BoundedRate, Bounds, Limits, QuadraticProgram, level, solve_quadratic_program
from footfall.math.generalised_inverses import null_space_basis
from footfall.robot.load import load
from footfall.tasks import PoseTask

Solver = Callable[[QuadraticProgram], Array | None]

_FAR = 1e20
_ACCEPTED = 1e-4  # missed limits of a program that counts as solved, N, N m, rad/s or rad/s2


class Comparison(NamedTuple):
    """How a solver did: programs solved, seconds, worst missed limit, worst slope that multipliers do not explain."""

    solver: str
    programs: int
    solved: int
    median: float
    worst: float
    infeasibility: float
    slope: float


def dumped_programs(count: int) -> dict[str, list[QuadraticProgram]]:
    """Programs of three controllers, `count` of each: weighted, narrow (a first priority at the edge), and bounded."""
    lola = lola_standing(load("lola"))
    robot = load("point-foot-quadruped")
    shanks = tuple(f"{leg}_shank" for leg in ("RB", "LB", "RF", "LF"))
    ends = {shank: np.array([[0.0, 0.0, -0.23]]) for shank in shanks}
    quadruped = stance_on(robot, robot.configuration("stand"), "torso", shanks, points=ends)
    return {
        "whole-body control by weights, LOLA": _stance_programs(lola, count, levels=False),
        "its first priority, LOLA": _stance_programs(lola, count, levels=True),
        "first priority, quadruped": _stance_programs(quadruped, count, levels=True),
        "bounded velocities, TALOS": _rate_programs(count),
        "third priorities in a corner": _corner_programs(count),
    }


def _stance_programs(stance: Stance, count: int, *, levels: bool) -> list[QuadraticProgram]:
    """The program of the first level after elimination, in states that are in motion."""
    robot, random = stance.robot, np.random.default_rng(1)
    tasks = whole_body_tasks(stance, levels=levels)
    program = program_for(robot, stance.contacts, tasks, WholeBodyLimits(least_force=5.0))
    programs = []
    for _ in range(count):
        q = integrate(robot, stance.q, 0.03 * random.normal(size=robot.nv))
        v = 0.3 * random.normal(size=robot.nv)
        programs.append(program.problem(0.0, q, v, tasks, stance.contacts).first_program())
    return programs


def _corner_programs(count: int) -> list[QuadraticProgram]:
    """Later priorities after earlier ones have come to rest at several bounds: random tasks of twelve joints.

    What such a level does not see has hardly any cost, and to stay is just allowed by many bounds.
    """
    bounds, programs = Bounds(np.full(12, -0.3), np.full(12, 0.3)), []
    for seed in range(count):
        random = np.random.default_rng(seed)
        levels = [level(random.normal(size=(3, 12)), random.normal(size=3)) for _ in range(3)]
        v = solve_hierarchy(levels[:2], bounds=bounds).v
        axes = null_space_basis(np.concatenate([each.jacobian for each in levels[:2]]))
        rows, missing = levels[2].jacobian @ axes, levels[2].missing(v)
        hessian = rows.T @ rows + 1e-9 * float(np.linalg.norm(rows)) ** 2 * np.eye(axes.shape[1])
        far = np.full(axes.shape[1], np.inf)
        lower, upper = np.minimum(bounds.lower - v, 0.0), np.maximum(bounds.upper - v, 0.0)
        programs.append(
            QuadraticProgram(
                hessian,
                -rows.T @ missing,
                axes,
                np.concatenate([-far, lower]),
                np.concatenate([far, upper]),
            )
        )
    return programs


def _rate_programs(count: int) -> list[QuadraticProgram]:
    robot = load_measured("talos")
    rest, states = resting_states(robot, count)
    tasks = [PoseTask(frame, frame_pose(robot, rest, frame), gains=GAIN / STEP) for frame in FRAMES]
    bounded = BoundedRate(robot, tasks, dt=STEP, limits=Limits(approach=0.5))
    return [bounded.build(q) for q in states]


def compare_solvers(programs: Sequence[QuadraticProgram], *, repeats: int = 3) -> list[Comparison]:
    """All solvers that are installed, on the same programs; times are the best of some repeats."""
    return [_compared(name, solve, programs, repeats) for name, solve in solvers().items()]


def _compared(name: str, solve: Solver, programs: Sequence[QuadraticProgram], repeats: int) -> Comparison:
    times, missed, slopes, solved = [], [0.0], [0.0], 0
    for program in programs:
        best, x = np.inf, None
        for _ in range(repeats):
            begin = time.thread_time()
            x = solve(program)
            best = min(best, time.thread_time() - begin)
        times.append(best)
        infeasibility, slope = (np.inf, np.inf) if x is None else residuals(program, x)
        if infeasibility <= _ACCEPTED:
            solved += 1
            missed.append(infeasibility)
            slopes.append(slope)
    return Comparison(
        name, len(programs), solved, float(np.median(times)), max(times), max(missed), max(slopes)
    )


def residuals(program: QuadraticProgram, x: Array) -> tuple[float, float]:
    """By how much limits are missed, and the relative part of the slope that limits in force do not explain.

    Multipliers are found by non-negative least squares, whatever the solver was.
    """
    rows, lower, upper = _rows(program)
    values = rows @ x
    missed = max(float((lower - values).max(initial=0.0)), float((values - upper).max(initial=0.0)), 0.0)
    slope = program.hessian @ x + program.gradient
    near = 1e-5 * max(1.0, float(np.abs(x).max()))
    active = np.concatenate([rows[values < lower + near], -rows[values > upper - near]])
    scale = max(float(np.linalg.norm(program.gradient)), 1e-12)
    left = nnls(active.T, slope)[1] if len(active) else float(np.linalg.norm(slope))
    return missed, left / scale


def _rows(program: QuadraticProgram) -> tuple[Array, Array, Array]:
    """All rows with limits, those of the variables included."""
    rows = np.concatenate([np.eye(len(program.gradient)), program.matrix])
    limited = (program.lower > -_FAR) | (program.upper < _FAR)
    return rows[limited], program.lower[limited], program.upper[limited]


def solvers() -> dict[str, Solver]:
    """Ours, and all peers that are installed."""
    found: dict[str, Solver] = {"ours": _ours}
    peers = {"daqp": ("DAQP", _daqp), "proxsuite": ("ProxQP", _proxqp), "piqp": ("PIQP", _piqp)}
    peers |= {"osqp": ("OSQP", _osqp), "clarabel": ("Clarabel", _clarabel)}
    for package, (name, solve) in peers.items():
        if importlib.util.find_spec(package):
            found[name] = solve
    return found


def _ours(program: QuadraticProgram) -> Array | None:
    try:
        return solve_quadratic_program(program)
    except NoSolution:
        return None


def _daqp(program: QuadraticProgram) -> Array | None:
    daqp: Any = importlib.import_module("daqp")

    upper, lower = np.minimum(program.upper, 1e30), np.maximum(program.lower, -1e30)
    sense = np.zeros(len(upper), dtype=np.int32)
    x, _, flag, _ = daqp.solve(
        np.ascontiguousarray(program.hessian),
        np.ascontiguousarray(program.gradient),
        np.ascontiguousarray(program.matrix),
        upper,
        lower,
        sense,
        primal_tol=1e-8,
    )
    return np.asarray(x) if flag >= 1 else None


def _proxqp(program: QuadraticProgram) -> Array | None:
    proxsuite: Any = importlib.import_module("proxsuite")

    rows, lower, upper = _rows(program)
    n = len(program.gradient)
    result = proxsuite.proxqp.dense.solve(
        program.hessian, program.gradient, None, None, rows, lower, np.minimum(upper, _FAR), eps_abs=1e-8
    )
    solved = result.info.status == proxsuite.proxqp.QPSolverOutput.PROXQP_SOLVED
    return np.asarray(result.x)[:n] if solved else None


def _piqp(program: QuadraticProgram) -> Array | None:
    piqp: Any = importlib.import_module("piqp")

    rows, lower, upper = _rows(program)
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = 1e-8
    n = len(program.gradient)
    empty = np.zeros((0, n))
    solver.setup(program.hessian, program.gradient, empty, np.zeros(0), rows, lower, upper, None, None)
    status = solver.solve()
    return np.asarray(solver.result.x) if status == piqp.PIQP_SOLVED else None


def _osqp(program: QuadraticProgram) -> Array | None:
    osqp: Any = importlib.import_module("osqp")
    from scipy import sparse

    rows, lower, upper = _rows(program)
    solver = osqp.OSQP()
    solver.setup(
        sparse.triu(sparse.csc_matrix(program.hessian), format="csc"),
        program.gradient,
        sparse.csc_matrix(rows),
        lower,
        upper,
        verbose=False,
        eps_abs=1e-7,
        eps_rel=1e-7,
        max_iter=20000,
        polishing=True,
    )
    result = solver.solve()
    return np.asarray(result.x) if result.info.status == "solved" else None


def _clarabel(program: QuadraticProgram) -> Array | None:
    clarabel: Any = importlib.import_module("clarabel")
    from scipy import sparse

    rows, lower, upper = _rows(program)
    low, high = lower > -_FAR, upper < _FAR
    matrix = np.concatenate([-rows[low], rows[high]])
    bound = np.concatenate([-lower[low], upper[high]])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solver = clarabel.DefaultSolver(
        sparse.triu(sparse.csc_matrix(program.hessian), format="csc"),
        program.gradient,
        sparse.csc_matrix(matrix),
        bound,
        [clarabel.NonnegativeConeT(len(bound))],
        settings,
    )
    result = solver.solve()
    return np.asarray(result.x) if str(result.status) == "Solved" else None
