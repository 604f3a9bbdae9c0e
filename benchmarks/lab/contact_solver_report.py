"""The comparison of contact solvers as Markdown and as plots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.lab.contact_solvers import TRIAL, Case, SolverRun, crossover
from footfall.bench import surroundings
from footfall.scenarios.pyplot import load_pyplot

Curves = Mapping[str, Sequence[tuple[float, float, float]]]

SOLVED = 1e-8  # of the scale: what counts as solved on the exact cone
_LEAST = 1e-17  # residuals are drawn from here on


def markdown(runs: Sequence[SolverRun], curves: Curves, *, origin: Sequence[str], load_before: str) -> str:
    """All results with the conditions under which they were measured. origin: lines that say where the problems are
    from and what residuals are measured against."""
    lines = [
        "# Contact solvers",
        "",
        f"{surroundings.processor()}, one core of {surroundings.cores()}; load {load_before} before, "
        f"{surroundings.load_average()} after; {surroundings.versions()}.",
        *origin,
        "",
        "Times are medians of CPU time a problem, of each the least of three calls if they are short. Slow solvers sit "
        f"out after {TRIAL} problems of a size; a number in brackets says how many a cell is made of where it is not "
        "all. Times hold for all problems, solved or not: read them with the share of solved ones.",
        "",
        "## Time, in microseconds",
        "",
        *_table(runs, lambda run: f"{1e6 * np.median(run.seconds):.3g}"),
        "",
        "## Solved on the exact cone to 1e-8, in per cent",
        "",
        *_table(runs, lambda run: f"{100 * (run.cone < SOLVED).mean():.1f}"),
        "",
        "## Solved as the solver says, in per cent",
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
    for first in ("Gauss-Seidel", "hybrid", "Gauss-Seidel of Ayit 2015"):
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
            f"{1e6 * seconds:.3g}: {median:.0e}, {most:.0e}" for seconds, median, most in curve
        )
        lines.append(f"| {name} | {points} |")
    return "\n".join(lines) + "\n"


def of_simulations(cases: Sequence[Case]) -> list[str]:
    """Where recorded problems are from, as lines of Markdown."""
    counts = Counter(case.step.scene for case in cases if case.step is not None)
    scenes = ", ".join(f"{name} ({count})" for name, count in counts.items())
    return [
        f"{len(cases)} steps of simulations: {scenes}. Each solver has the problem of all contacts that are near, with "
        "its matrix; the native step is timed whole, with dynamics, detection and integration. `warm` begins with the "
        "impulses of the step before, all else with zero. Contacts are rounded up to a power of two. Residuals are of "
        "the natural map, over the weight times dt.",
    ]


def of_seed(count: int, seed: int) -> list[str]:
    """The same for random problems."""
    return [
        f"{count} problems, seed {seed}. Residuals are of the natural map, over the largest impulse that a contact, "
        "limit or dry joint of the problem needs on its own."
    ]


def _table(runs: Sequence[SolverRun], cell: Callable[[SolverRun], str]) -> list[str]:
    sizes = sorted({run.contacts for run in runs})
    most = {size: max(len(run.seconds) for run in runs if run.contacts == size) for size in sizes}
    cells = {
        (run.solver, run.contacts): cell(run)
        + (f" ({len(run.seconds)})" if len(run.seconds) < most[run.contacts] else "")
        for run in runs
    }
    head = "| contacts | " + " | ".join(map(str, sizes)) + " |"
    rows = [
        f"| {name} | " + " | ".join(cells.get((name, size), "") for size in sizes) + " |"
        for name in _names(runs)
    ]
    return [head, "|---" * (len(sizes) + 1) + "|", *rows]


def plot(runs: Sequence[SolverRun], curves: Curves, path: Path) -> None:
    """Time against contacts, share of solved problems against contacts and against time, and residual against time, as
    a PNG file. Solvers of the pyramid are dashed."""
    plt = load_pyplot()
    figure, ((times, solved), (shares, residuals)) = plt.subplots(
        2, 2, figsize=(13, 10), layout="constrained"
    )
    colors = {name: plt.get_cmap("tab20")(k) for k, name in enumerate(_names(runs))}
    for name, color in colors.items():
        own = [run for run in runs if run.solver == name]
        sizes = [run.contacts for run in own]
        style: dict[str, Any] = {
            "color": color,
            "label": name,
            "linestyle": "--" if "facets" in name else "-",
        }
        times.loglog(sizes, [1e6 * np.median(run.seconds) for run in own], marker="o", **style)
        solved.semilogx(sizes, [100 * run.solved.mean() for run in own], marker="o", **style)
        exact = np.concatenate([np.where(run.cone < SOLVED, run.seconds, np.inf) for run in own])
        shares.semilogx(
            1e6 * np.sort(exact),
            100 * (np.arange(len(exact)) + 1) / len(exact),
            drawstyle="steps-post",
            **style,
        )
    for k, (name, curve) in enumerate(curves.items()):
        seconds, median, most = np.array(curve).T
        color = colors.get(name, plt.get_cmap("Dark2")(k))
        residuals.loglog(1e6 * seconds, np.maximum(median, _LEAST), marker="o", color=color, label=name)
        residuals.loglog(1e6 * seconds, np.maximum(most, _LEAST), linestyle=":", color=color)
    residuals.axhline(SOLVED, color="black", linewidth=0.8)
    times.set(xlabel="contacts", ylabel="time, us", title="Time a problem (median)")
    solved.set(xlabel="contacts", ylabel="%", title="Solved, as the solver says")
    shares.set(xlabel="time, us", ylabel="%", title="Share solved on the exact cone to 1e-8 within a time")
    residuals.set(
        xlabel="time, us",
        ylabel="residual",
        title="Residual with more sweeps or steps (median; dotted: 90 %)",
    )
    times.legend(fontsize=7)
    residuals.legend(fontsize=7)
    for axes in (times, solved, shares, residuals):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def plot_residuals(runs: Sequence[SolverRun], path: Path) -> None:
    """Every problem as a point, time against residual on the exact cone, a panel a solver, as a PNG file. Crosses: the
    solver says that it failed."""
    plt = load_pyplot()
    names = _names(runs)
    columns = 4
    rows = -(-len(names) // columns)
    figure, panels = plt.subplots(
        rows, columns, figsize=(16, 3.6 * rows), sharex=True, sharey=True, layout="constrained", squeeze=False
    )
    sizes = sorted({run.contacts for run in runs})
    colors = {
        size: plt.get_cmap("viridis_r")(0.1 + 0.9 * k / max(1, len(sizes) - 1))
        for k, size in enumerate(sizes)
    }
    for name, axes in zip(names, panels.flat, strict=False):
        own = [run for run in runs if run.solver == name]
        for run in own:
            place = 1e6 * run.seconds, np.maximum(run.cone, _LEAST)
            good = run.solved.astype(bool)
            label = {"label": f"{run.contacts}", "color": colors[run.contacts]}
            axes.loglog(*(part[good] for part in place), ".", markersize=4, alpha=0.7, **label)
            axes.loglog(*(part[~good] for part in place), "x", color="#d62728", markersize=5, alpha=0.7)
        total, failed = (
            sum(len(run.solved) for run in own),
            sum(int((~run.solved.astype(bool)).sum()) for run in own),
        )
        exact = sum(int((run.cone < SOLVED).sum()) for run in own)
        axes.set_title(f"{name}\n{exact} of {total} below 1e-8, {failed} said to fail", fontsize=9)
        axes.axhline(SOLVED, color="black", linewidth=0.8)
        axes.grid(alpha=0.3)
    for axes in panels[:, 0]:
        axes.set_ylabel("residual on the exact cone")
    for axes in panels[-1]:
        axes.set_xlabel("time, us")
    panels.flat[0].legend(title="contacts, up to", fontsize=7, title_fontsize=7, loc="upper right")
    for axes in list(panels.flat)[len(names) :]:
        axes.set_visible(False)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def _names(runs: Sequence[SolverRun]) -> list[str]:
    return list(dict.fromkeys(run.solver for run in runs))
