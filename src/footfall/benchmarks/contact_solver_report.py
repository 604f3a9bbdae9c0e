"""The comparison of contact solvers as Markdown and as plots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from footfall.benchmarks import surroundings
from footfall.benchmarks.contact_solvers import TRIAL, SolverRun, crossover
from footfall.errors import MissingPackage

Curves = Mapping[str, Sequence[tuple[float, float, float]]]


def markdown(runs: Sequence[SolverRun], curves: Curves, *, seed: int, load_before: str) -> str:
    """All results with the conditions under which they were measured."""
    sizes = {run.contacts for run in runs}
    total = sum(max(len(run.seconds) for run in runs if run.contacts == size) for size in sizes)
    lines = [
        "# Contact solvers",
        "",
        f"{surroundings.processor()}, one core of {surroundings.cores()}; load {load_before} before, "
        f"{surroundings.load_average()} after; {surroundings.versions()}.",
        f"{total} problems, seed {seed}. Times are medians of CPU time a problem. Residuals are of the natural map, "
        "over the largest impulse that a contact, limit or dry joint of the problem needs on its own.",
        "",
        f"Slow solvers sit out after {TRIAL} problems of a size; a number in brackets says how many a cell is made of "
        "where it is not all. Times hold for all problems, solved or not: read them with the share of solved ones.",
        "",
        "## Time, in microseconds",
        "",
        *_table(runs, lambda run: f"{1e6 * np.median(run.seconds):.0f}"),
        "",
        "## Solved, in per cent",
        "",
        *_table(runs, lambda run: f"{100 * run.solved.mean():.1f}"),
        "",
        "## Residual of the solver's own problem (cone or pyramid): median, 99 %",
        "",
        *_table(runs, lambda run: "{:.0e}, {:.0e}".format(*np.quantile(run.own, [0.5, 0.99]))),
        "",
        "## Residual of the exact cone, median: what the pyramid costs",
        "",
        *_table(runs, lambda run: f"{np.median(run.cone):.0e}"),
        "",
        "## Crossover",
        "",
    ]
    for first in ("Gauss-Seidel", "hybrid", "Gauss-Seidel of 001"):
        for second in ("Lemke, 4 facets", "Lemke, 8 facets"):
            size = crossover(runs, first, second)
            lines.append(
                f"- {first} is {'nowhere steadily' if size is None else f'from {size:.0f} contact(s) on'} "
                f"faster than {second}."
            )
    lines += [
        "",
        "## Time against residual",
        "",
        "| solver | " + "median time in us: residual, 90 % |",
        "|---|---|",
    ]
    for name, curve in curves.items():
        points = "; ".join(
            f"{1e6 * seconds:.0f}: {median:.0e}, {most:.0e}" for seconds, median, most in curve
        )
        lines.append(f"| {name} | {points} |")
    return "\n".join(lines) + "\n"


def _table(runs: Sequence[SolverRun], cell: Callable[[SolverRun], str]) -> list[str]:
    sizes = sorted({run.contacts for run in runs})
    names = list(dict.fromkeys(run.solver for run in runs))
    most = {size: max(len(run.seconds) for run in runs if run.contacts == size) for size in sizes}
    cells = {
        (run.solver, run.contacts): cell(run)
        + (f" ({len(run.seconds)})" if len(run.seconds) < most[run.contacts] else "")
        for run in runs
    }
    head = "| contacts | " + " | ".join(map(str, sizes)) + " |"
    rows = [
        f"| {name} | " + " | ".join(cells.get((name, size), "") for size in sizes) + " |" for name in names
    ]
    return [head, "|---" * (len(sizes) + 1) + "|", *rows]


def plot(runs: Sequence[SolverRun], curves: Curves, path: Path) -> None:
    """Time against contacts, share of solved problems, and residual against time, as a PNG file."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingPackage("plots need matplotlib: install footfall[plots]") from error
    figure = Figure(figsize=(15, 4.8), layout="constrained")
    FigureCanvasAgg(figure)
    times, solved, residuals = figure.subplots(1, 3)
    for name in dict.fromkeys(run.solver for run in runs):
        own = [run for run in runs if run.solver == name]
        sizes = [run.contacts for run in own]
        times.loglog(sizes, [1e6 * np.median(run.seconds) for run in own], marker="o", label=name)
        solved.semilogx(sizes, [100 * run.solved.mean() for run in own], marker="o", label=name)
    for name, curve in curves.items():
        seconds, median, most = np.array(curve).T
        (line,) = residuals.loglog(1e6 * seconds, np.maximum(median, 1e-17), marker="o", label=name)
        residuals.loglog(1e6 * seconds, np.maximum(most, 1e-17), linestyle=":", color=line.get_color())
    times.set(xlabel="contacts", ylabel="time, us", title="Time a problem (median)")
    solved.set(xlabel="contacts", ylabel="%", title="Solved")
    residuals.set(xlabel="time, us", ylabel="residual", title="Residual (median; dotted: 90 %)")
    for axes in (times, residuals):
        axes.legend(fontsize=7)
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=110)
