"""Splines measured: errors of collocation on the source's test system, run times, quaternion curves (Seiwald 2023).

The test system is a damped oscillator from 1 at rest over 5 s, whose exact motion is known; R-13 to R-17 and R-05.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline, make_interp_spline

from footfall.bench import surroundings
from footfall.bench.measure import Contestant, Race, race
from footfall.math.collocation import (
    LinearEquation,
    collocate,
    collocate_banded,
    knot_gradients,
)
from footfall.math.interpolation import cubic_spline, quintic_spline, rest_to_rest
from footfall.math.least_squares_splines import least_squares
from footfall.math.quaternion_splines import (
    QUATERNION_METHODS,
    CubicQuaternionSpline,
    QuaternionBSpline,
    QuaternionSpline,
)
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.math.trajectories import PolynomialTrajectory

DURATION = 5.0
SYSTEMS = {"under-damped": (1.0, 1.0, 10.0), "over-damped": (1.0, 10.0, 10.0), "critical": (1.0, 10.0, 25.0)}
METHODS = ("cubic_free", "cubic", "quintic", "least_squares")


class SplineError(NamedTuple):
    """Root mean squares over 5 s of the error against the exact motion, and of the equation's residual."""

    system: str
    consistent: bool
    sites: int
    method: str
    error: float
    residual: float


def exact_motion(system: tuple[float, float, float]) -> Callable[[Any], Any]:
    """The free motion from 1 at rest, Seiwald 2023, (G.68)-(G.70), for real and complex times."""
    alpha, beta, gamma = system
    s1, under = -beta / (2 * alpha), beta**2 / (4 * alpha**2) - gamma / alpha
    s2 = np.sqrt(abs(under))
    if s2 < 1e-9:
        return lambda t: np.exp(s1 * t) * (1 - s1 * t)
    if under < 0.0:
        return lambda t: np.exp(s1 * t) * (np.cos(s2 * t) - s1 / s2 * np.sin(s2 * t))
    return lambda t: (-(s1 - s2) * np.exp((s1 + s2) * t) + (s1 + s2) * np.exp((s1 - s2) * t)) / (2 * s2)


def solved(
    system: tuple[float, float, float], sites: int, method: str, *, consistent: bool
) -> PolynomialTrajectory:
    """The spline of a method; ends that fit the equation, or an end at rest at 0 that does not."""
    alpha, beta, gamma = system
    end = np.zeros(3)
    if consistent:
        value = float(exact_motion(system)(DURATION))
        rate = float(np.imag(exact_motion(system)(DURATION + 1e-30j)) / 1e-30)
        end = np.array([value, rate, -(beta * rate + gamma * value) / alpha])
    times, start = np.linspace(0.0, DURATION, sites + 2), np.array([1.0, 0.0, -gamma / alpha])
    if method == "least_squares":
        return least_squares(times, _constant(system, 3 * (sites + 1)), start, end)
    return collocate(times, _constant(system, sites), start, end, kind=method)  # type: ignore[arg-type]


def spline_errors(sites: Sequence[int] = (4, 9, 20, 30, 50, 100, 200)) -> list[SplineError]:
    """All systems, ends and methods."""
    at = np.linspace(0.0, DURATION, 5001)
    results = []
    for name, system in SYSTEMS.items():
        for consistent in (True, False):
            for count in sites:
                for method in METHODS:
                    motion = solved(system, count, method, consistent=consistent).sample(at)
                    error = motion[0, :, 0] - exact_motion(system)(at)
                    residual = _constant(system, len(at)).residual(motion)[:, 0]
                    squares = [float(np.sqrt(np.mean(part**2))) for part in (error, residual)]
                    results.append(SplineError(name, consistent, count, method, squares[0], squares[1]))
    return results


def spline_races(sites: Sequence[int] = (20, 80, 160, 320), *, blocks: int = 30) -> dict[int, Race]:
    """Run times of the solvers and of interpolation, ours and SciPy's, for some numbers of sites."""
    races = {}
    for count in sites:
        times = np.linspace(0.0, DURATION, count + 2)
        start, end = np.array([1.0, 0.0, -10.0]), np.zeros(3)
        points = np.sin(times)
        at_sites, at_points = (
            _constant(SYSTEMS["under-damped"], count),
            _constant(SYSTEMS["under-damped"], 3 * (count + 1)),
        )
        ends = ([(1, 1.0), (2, 0.0)], [(1, 0.0), (2, 0.0)])
        contestants: dict[str, Callable[[], object]] = {
            "dense": partial(collocate, times, at_sites, start, end),
            "gradients": partial(knot_gradients, times, "quintic"),
            "banded": partial(collocate_banded, times, at_sites, start, end),
            "least squares": partial(least_squares, times, at_points, start, end),
            "quintic spline": partial(quintic_spline, times, points, start_velocity=1.0),
            "SciPy quintic": partial(make_interp_spline, times, points, k=5, bc_type=ends),
            "cubic spline": partial(cubic_spline, times, points),
            "SciPy cubic": partial(CubicSpline, times, points, bc_type="natural"),
        }
        races[count] = race({name: Contestant(run, 1) for name, run in contestants.items()}, blocks=blocks)
    return races


def quaternion_race(*, samples: int = 1000, blocks: int = 30) -> Race:
    """Value and two derivatives of curves through seven keyframes, at many parameters in one call; a sample's time."""
    turn = np.linspace(0.0, 2 * np.pi, 7)
    keys = np.stack(
        [np.cos(turn / 2), 0 * turn, 0.5 * np.sin(turn / 2), np.sqrt(0.75) * np.sin(turn / 2)], axis=1
    )
    at = np.linspace(0.0, 1.0, samples)
    shapes: dict[str, Any] = {name: QuaternionSpline(name, keys) for name in QUATERNION_METHODS}
    shapes["b_spline"] = QuaternionBSpline(keys)
    contestants = {
        name: Contestant(partial(shape.derivatives, at), samples) for name, shape in shapes.items()
    }
    # Four controls, as in a motion plan: angular velocity and acceleration by the native chain.
    chain = QuaternionTrajectory(CubicQuaternionSpline(keys[None, :4]), rest_to_rest([0.0, 1.0], [0.0, 1.0]))
    contestants["native chain"] = Contestant(partial(chain.sample, at), samples)
    return race(contestants, blocks=blocks)


def markdown(errors: Sequence[SplineError], races: dict[int, Race], quaternions: Race, *, load: str) -> str:
    """The report."""
    parts = [
        "# Splines",
        f"{surroundings.processor()}, {surroundings.cores()} cores; load {load} before, "
        f"{surroundings.load_average()} after; {surroundings.versions()}.",
    ]
    for system in SYSTEMS:
        for consistent in (True, False):
            rows = [entry for entry in errors if (entry.system, entry.consistent) == (system, consistent)]
            counts = sorted({entry.sites for entry in rows})
            table = [_line(["sites", *METHODS]), _line(["---"] * (len(METHODS) + 1))]
            for count in counts:
                found = {entry.method: entry for entry in rows if entry.sites == count}
                cells = [f"{found[name].error:.2e} / {found[name].residual:.2e}" for name in METHODS]
                table.append(_line([str(count), *cells]))
            ends = "ends that fit" if consistent else "an end that does not fit"
            parts += [f"## {system}, {ends}: error / residual", "\n".join(table)]
    names = list(next(iter(races.values())).seconds)
    table = [_line(["sites", *names]), _line(["---"] * (len(names) + 1))]
    for count, result in races.items():
        table.append(_line([str(count), *(f"{result.time(name).median * 1e6:.1f}" for name in names)]))
    parts += ["## Run times, us (CPU time of the thread, medians)", "\n".join(table)]
    table = [_line(["", *quaternions.seconds]), _line(["---"] * (len(quaternions.seconds) + 1))]
    table.append(
        _line(["us a sample", *(f"{quaternions.time(n).median * 1e6:.3f}" for n in quaternions.seconds)])
    )
    parts += ["## Quaternion curves, value and two derivatives", "\n".join(table)]
    return "\n\n".join(parts) + "\n"


def _constant(system: tuple[float, float, float], count: int) -> LinearEquation:
    alpha, beta, gamma = (np.full(count, part) for part in system)
    return LinearEquation(alpha, beta, gamma, np.zeros((count, 1)))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
