"""The benchmarks of control and of inverse kinematics as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import metadata

import numpy as np

from benchmarks.lab.control import PEER_BAR, Step
from benchmarks.lab.control_programs import Comparison
from benchmarks.lab.control_reach import (
    ITERATIONS,
    RESTARTS,
    TOLERANCE,
    FarOutcome,
    Outcome,
)
from footfall.bench import surroundings
from footfall.bench.measure import Race
from footfall.bench.report import Verdict

REACHED_BAR = 0.995  # part of the reachable targets
FAR_BAR = 1.0  # part of the others whose distance is within one percent of SciPy's


def control_markdown(
    steps: Sequence[Step],
    race: Race,
    peers: Race,
    programs: Mapping[str, Sequence[Comparison]],
    *,
    blocks: int,
    load_before: str,
) -> str:
    """Times with quartiles and errors, ratios to Pink and Mink, the solvers, and which bars are met."""
    verdict = Verdict()
    tables = [_steps(steps, race, verdict), _peers(peers, verdict)]
    if programs:
        tables.append(_programs(programs))
    conditions = (
        f"{_conditions(load_before)}\n\n"
        f"Microseconds a call from Python, medians of {blocks} interleaved blocks with quartiles, CPU time of the "
        "thread. A bar (+ met, - missed) on a time is met if its upper quartile meets it, one on a ratio if its lower "
        "quartile does. error: the most that results miss of what they should be, as rates for velocity steps, and of "
        "the equation of motion, the contacts and the limits (m/s2, N, N m) for whole-body control."
    )
    return "\n\n".join(["# Control", conditions, str(verdict), *tables]) + "\n"


def reach_markdown(
    outcomes: Sequence[tuple[str, Outcome]], far: Sequence[tuple[str, FarOutcome]], *, load_before: str
) -> str:
    """Success, iterations and times of searches, distances to what is out of reach, and which bars are met."""
    verdict = Verdict()
    tables = []
    if outcomes:
        tables.append(_outcomes(outcomes, verdict))
    if far:
        tables.append(_far(far, verdict))
    conditions = (
        f"{_conditions(load_before)}\n\n"
        f"Targets are what random configurations within the limits give; all errors below {TOLERANCE:g} m and rad "
        f"count as met, within {ITERATIONS} iterations a start and {RESTARTS} restarts. Iterations are those of all "
        "starts of a target together; times are CPU time without making the targets. Out of reach: the distance that "
        "is left after as many restarts and the search for the closest pose that follows them, against the best of "
        "some runs of SciPy's bounded least squares, from the same start and from random ones."
    )
    return "\n\n".join(["# Inverse kinematics", conditions, str(verdict), *tables]) + "\n"


def _conditions(load_before: str) -> str:
    return (
        f"{surroundings.processor()}, {surroundings.cores()} cores; load {load_before} before and "
        f"{surroundings.load_average()} after; {surroundings.versions()}{_peer_versions()}."
    )


def _peer_versions() -> str:
    text = ""
    for package, name in {"pin-pink": "Pink", "mink": "Mink", "daqp": "DAQP"}.items():
        try:
            text += f", {name} {metadata.version(package)}"
        except metadata.PackageNotFoundError:
            text += f", no {name}"
    return text


def _steps(steps: Sequence[Step], race: Race, verdict: Verdict) -> str:
    rows = []
    for step in steps:
        time, bar = race.time(step.name), ""
        if step.bar is not None:
            missed = f"{step.name}: {1e6 * time.upper:.0f} us, bar {1e6 * step.bar:.0f}"
            bar = f"{1e6 * step.bar:.0f} {verdict.judge(time.upper <= step.bar, missed)}"
        spread = f"{1e6 * time.median:.1f} ({1e6 * time.lower:.1f}-{1e6 * time.upper:.1f})"
        rows.append([step.name, spread, bar, f"{step.error:.0e}"])
    return _table(["LOLA", "us", "bar, us", "error"], rows)


def _peers(race: Race, verdict: Verdict) -> str:
    rows = []
    for name in race.seconds:
        time, ratio, text = race.time(name), race.ratio(name, "ours"), ""
        if name != "ours":
            missed = f"ours against {name}: {ratio.lower:.1f}, bar {PEER_BAR:g}"
            mark = verdict.judge(ratio.lower >= PEER_BAR, missed)
            text = f"{ratio.median:.1f} ({ratio.lower:.1f}-{ratio.upper:.1f}) {mark}"
        rows.append([name, f"{1e6 * time.median:.1f}", text])
    return _table(
        ["TALOS, three poses and a posture within limits", "us", f"ours is faster by (bar {PEER_BAR:g})"],
        rows,
    )


def _programs(programs: Mapping[str, Sequence[Comparison]]) -> str:
    rows = [
        [
            source,
            each.solver,
            f"{each.solved} of {each.programs}",
            f"{1e6 * each.median:.0f}",
            f"{1e6 * each.worst:.0f}",
            f"{each.infeasibility:.0e}",
            f"{each.slope:.0e}",
        ]
        for source, compared in programs.items()
        for each in compared
    ]
    head = [
        "programs of",
        "solver",
        "solved",
        "median us",
        "worst us",
        "missed limits, worst",
        "slope, worst",
    ]
    return _table(head, rows)


def _outcomes(outcomes: Sequence[tuple[str, Outcome]], verdict: Verdict) -> str:
    rows = []
    for name, each in outcomes:
        part = each.met / each.targets
        met = f"{100 * part:.2f} %"
        if each.solver == "ours":
            missed = f"{name}: {100 * part:.2f} % met, bar {100 * REACHED_BAR:g} %"
            met += f" {verdict.judge(part >= REACHED_BAR, missed)}"
        iterations = [f"{np.median(each.iterations):.0f}", f"{np.percentile(each.iterations, 99):.0f}"]
        time = f"{1e3 * each.seconds:.1f}"
        rows.append([name, each.solver, str(each.targets), met, *iterations, str(each.restarts), time])
    head = ["targets", "solver", "number", "met", "iterations, median", "99 %", "most restarts", "ms each"]
    return _table(head, rows)


def _far(far: Sequence[tuple[str, FarOutcome]], verdict: Verdict) -> str:
    rows = []
    for name, each in far:
        missed = f"{name}, out of reach: {100 * each.within:.1f} % within 1 % of SciPy's optimum"
        mark = verdict.judge(each.within >= FAR_BAR, missed)
        rows.append(
            [
                name,
                str(len(each.ours)),
                f"{100 * each.within:.1f} % {mark}",
                f"{100 * each.worst:.4f} %",
                f"{100 * each.better:.1f} %",
                f"{np.median(each.ours):.2f}",
                f"{1e3 * each.seconds:.0f}",
                f"{1e3 * each.scipy_seconds:.0f} ({each.starts} starts)",
            ]
        )
    head = [
        "out of reach",
        "number",
        "within 1 % of SciPy",
        "worst above",
        "SciPy more than 1 % above ours",
        "median distance",
        "ms each",
        "SciPy's",
    ]
    return _table(head, rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
