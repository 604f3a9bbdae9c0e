"""The benchmark of hybrid dynamics as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.lab.hybrid import BATCH_BAR, CALL_BAR, PLAIN_BAR, PLAIN_ROBOTS, HybridMeasurement
from footfall.bench import surroundings
from footfall.bench.dynamics import Effort
from footfall.bench.report import Verdict

_TIMES = ("bound", "call", "plain", "batch", "dense", "python")
_RATIOS = (
    ("python", "plain"),
    ("python", "call"),
    ("python", "batch"),
    ("dense", "call"),
    ("dense", "batch"),
)


def markdown(measurements: Sequence[HybridMeasurement], *, effort: Effort, load_before: str) -> str:
    """Times, ratios with quartiles, residuals, and which bars are met."""
    verdict = Verdict()
    lines = [_row(measurement, verdict) for measurement in measurements]
    head = [
        "robot",
        "segments",
        "rows",
        *_TIMES,
        *(f"{b} against {a}" for a, b in _RATIOS),
        "operations",
        "error",
    ]
    table = "\n".join([_line(head), _line(["---"] * len(head)), *lines])
    conditions = (
        f"{surroundings.processor()}, {surroundings.cores()} cores, {surroundings.lanes()} lanes; "
        f"load {load_before} before and {surroundings.load_average()} after; {surroundings.versions()}.\n\n"
        f"Microseconds a call or a robot, medians of {effort.blocks} interleaved blocks, CPU time of the thread. "
        "plain: `hybrid_accelerations(robot, q, v, tau, constraints=..., setpoints=...)` as it is called; call: the "
        "kernel of it alone. python: Pinocchio's constraintDynamics; dense: mass matrix and Jacobian of ours, solved "
        "by NumPy. Ratios with quartiles; a bar (+ met, - missed) is met if the lower quartile meets it. operations: "
        "a second solution for near-singular branches, which hardly ever runs, is counted too. error: greatest "
        "relative residual of the equations of motion and of the constraints."
    )
    parts = ["# Hybrid dynamics", conditions, str(verdict), table, _growth(measurements)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _growth(measurements: Sequence[HybridMeasurement]) -> str:
    """How time grows with the joints of a chain: the exponent, 1 for an algorithm in O(n)."""
    chains = [each for each in measurements if each.case.robot.startswith("chain-")]
    if len(chains) < 2:
        return ""
    joints = np.log([float(each.case.robot.removeprefix("chain-")) for each in chains])
    lines = []
    for name in ("operations", "bound", "batch", "python"):
        if name == "operations":
            values = [float(each.operations) for each in chains]
        elif all(name in each.race.seconds for each in chains):
            values = [each.race.time(name).median for each in chains]
        else:
            continue
        lines.append(f"{name} {np.polyfit(joints, np.log(values), 1)[0]:.2f}")
    return f"Growth with the joints of a chain, as a power of their number: {', '.join(lines)}."


def _row(measurement: HybridMeasurement, verdict: Verdict) -> str:
    case, race = measurement.case, measurement.race
    label = f"{case.robot}, {len(case.segments)} segments"
    cells = [case.robot, str(len(case.segments)), str(case.rows)]
    cells += [f"{race.time(name).median * 1e6:.2f}" if name in race.seconds else "" for name in _TIMES]
    for slower, faster in _RATIOS:
        if slower not in race.seconds:
            cells.append("")
            continue
        ratio = race.ratio(slower, faster)
        text = f"{ratio.median:.1f} ({ratio.lower:.1f}-{ratio.upper:.1f})"
        bars = {"call": CALL_BAR, "batch": BATCH_BAR * min(surroundings.lanes(), 8) / 8, "plain": PLAIN_BAR}
        if faster == "plain" and case.robot not in PLAIN_ROBOTS:
            cells.append(text)
            continue
        bar = bars[faster]
        missed = f"{label}: {faster} against {slower} {ratio.lower:.1f}, bar {bar:g}"
        cells.append(f"{text} {verdict.judge(ratio.lower >= bar, missed)}")
    return _line([*cells, str(measurement.operations), f"{measurement.error:.0e}"])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
