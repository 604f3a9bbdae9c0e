"""Run time of forward dynamics against the degrees of freedom: Dill(n) by all methods.

Schwienbacher 2014, chapter 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.linalg import cho_factor, cho_solve

import footfall
from benchmarks.lab.loops import single_rows
from footfall.arrays import Array
from footfall.bench.dynamics import Effort
from footfall.bench.measure import Contestant, Race, race, sweep
from footfall.bench.states import BenchState, random_states
from footfall.compiler import Kernel
from footfall.dynamics.forward_dynamics import Method
from footfall.dynamics.mass_matrix import mass_matrix_pattern
from footfall.robot.library import dill
from footfall.robot.model import Robot

LEVELS = tuple(range(1, 11))
_DENSE_LEVELS = 5  # above, the dense elimination is a graph too large to compile, and LAPACK is faster
_ENTRIES = 2**14  # numbers in all states of a sweep; large trees get fewer states
_FITTED = 16  # least degrees of freedom for the slope; below, a call costs as much as the work


@dataclass(frozen=True)
class ScalingMeasurement:
    """Dill(level). operations: of the kernels, without LAPACK's. error: greatest relative difference of the methods.
    norm: of the accelerations in the state of the source (q = pi / 6, v = 1, no forces, no gravity)."""

    level: int
    velocities: int
    operations: Mapping[str, int]
    race: Race
    error: float
    norm: float


def measure_scaling(
    levels: Sequence[int] = LEVELS,
    *,
    effort: Effort | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> list[ScalingMeasurement]:
    """Time all methods on the fractal trees."""
    measurements = []
    for level in levels:
        progress(f"dill-{level}")
        measurements.append(_measure(level, effort or Effort()))
    return measurements


def slope(measurements: Sequence[ScalingMeasurement], contestant: str) -> float:
    """Exponent of the run time in the degrees of freedom, by least squares of the logarithms; NaN for too few."""
    points = [
        (np.log(each.velocities), np.log(each.race.time(contestant).median))
        for each in measurements
        if contestant in each.race.seconds and each.velocities >= _FITTED
    ]
    if len(points) < 2:
        return float("nan")
    sizes, times = np.array(points).T
    return float(np.polyfit(sizes, times, 1)[0])


def _measure(level: int, effort: Effort) -> ScalingMeasurement:
    robot = dill(level)
    batch = max(16, min(effort.batch, 2**18 // robot.nv))
    states = random_states(robot, batch)
    rows = single_rows(states, max(2, min(effort.calls, _ENTRIES // robot.nv)))
    small = robot.nv <= 2**_DENSE_LEVELS
    methods: tuple[Method, ...] = (
        ("articulated", "factorised", "dense") if small else ("articulated", "factorised")
    )
    kernels = {method: footfall.forward_dynamics.kernel(robot, method=method) for method in methods}
    contestants = {}
    solutions: dict[str, Callable[[BenchState], Array]] = {}
    for method, kernel in kernels.items():
        out = np.empty(robot.nv)
        calls = [kernel.bind(row.q, row.v, row.tau, out) for row in rows]
        contestants[str(method)] = Contestant(sweep("call()", {"call": calls}, {}), len(rows))
        solutions[method] = _solution(kernel)
    many = np.empty((batch, robot.nv))
    whole = kernels["articulated"]
    contestants["articulated batch"] = Contestant(
        lambda: whole.batch(states.q, states.v, states.tau, out=(many,), threads=1), batch
    )
    if not small:
        solutions["dense"] = dense_solution(robot)
        constants = {"solve": solutions["dense"]}
        contestants["dense"] = Contestant(sweep("solve(row)", {"row": rows}, constants), len(rows))
    error = max(_difference(solutions, row) for row in rows[:2])
    still = BenchState(
        np.full(robot.nq, np.pi / 6), np.ones(robot.nv), np.zeros(robot.nv), np.zeros(robot.nv)
    )
    # gravity is a force like any other: what it needs at rest is added to the joints
    weight = footfall.gravity_forces.kernel(robot)(still.q)
    norm = float(np.linalg.norm(whole(still.q, still.v, weight)))
    result = race(contestants, blocks=effort.blocks, block_seconds=effort.block_seconds)
    return ScalingMeasurement(
        level,
        robot.nv,
        {str(name): kernel.operations for name, kernel in kernels.items()},
        result,
        error,
        norm,
    )


def _solution(kernel: Kernel) -> Callable[[BenchState], Array]:
    return lambda row: kernel(row.q, row.v, row.tau)


def _difference(solutions: Mapping[str, Callable[[BenchState], Array]], row: BenchState) -> float:
    found = [np.asarray(solve(row)) for solve in solutions.values()]
    return max(float(np.linalg.norm(other - found[0]) / np.linalg.norm(found[0])) for other in found[1:])


def dense_solution(robot: Robot) -> Callable[[BenchState], Array]:
    """Forward dynamics by the dense mass matrix and LAPACK's Cholesky, for large robots."""
    packed = footfall.mass_matrix.kernel(robot, packed=True)
    bias = footfall.bias_forces.kernel(robot)
    rows, columns = mass_matrix_pattern(robot)
    matrix = np.zeros((robot.nv, robot.nv))

    def solve(row: BenchState) -> Array:
        matrix[rows, columns] = packed(row.q)
        factor = cho_factor(matrix, lower=True, check_finite=False)
        return np.asarray(cho_solve(factor, row.tau - bias(row.q, row.v), check_finite=False))

    return solve


def plot_scaling(measurements: Sequence[ScalingMeasurement], path: Path | str) -> None:
    """Run times over degrees of freedom in a double logarithmic picture, as PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 5.0), layout="constrained")
    axis = figure.subplots()
    labels = {
        "dense": "dense, O(n³)",
        "factorised": "sparse factorisation",
        "articulated": "O(n)",
        "articulated batch": "O(n), a robot of a batch",
    }
    for name, label in labels.items():
        points = [(each.velocities, 1e6 * each.race.time(name).median) for each in measurements]
        axis.loglog(
            *zip(*points, strict=True), marker="o", label=f"{label}: slope {slope(measurements, name):.2f}"
        )
    axis.set_xlabel("degrees of freedom of Dill(n)")
    axis.set_ylabel("forward dynamics, µs")
    axis.grid(alpha=0.3, which="both")
    axis.legend()
    figure.savefig(path, dpi=110)
