"""The benchmark of looped robots as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.lab.lola_types import FASTER, SOURCE, TypeMeasurement
from benchmarks.lab.loops import BATCH_BAR, CALL_BAR, METHODS, LoopMeasurement
from benchmarks.lab.scaling import ScalingMeasurement, slope
from benchmarks.lab.stiff_limit import StiffLimit
from footfall.bench import surroundings
from footfall.bench.dynamics import Effort
from footfall.bench.report import Verdict

_NAMES = {
    "articulated": "O(n) with sub-systems",
    "factorised": "sparse factorisation",
    "dense": "dense, O(n^3)",
}


def markdown(
    *,
    loops: Sequence[LoopMeasurement] = (),
    types: Sequence[TypeMeasurement] = (),
    scaling: Sequence[ScalingMeasurement] = (),
    limits: Sequence[StiffLimit] = (),
    effort: Effort,
    load_before: str,
) -> str:
    """All that was measured, and which bars are met."""
    verdict = Verdict()
    parts = [
        part
        for part in (
            _loops(loops, verdict) if loops else "",
            _types(types, verdict) if types else "",
            _scaling(scaling) if scaling else "",
            _limits(limits) if limits else "",
        )
        if part
    ]
    conditions = (
        f"{surroundings.processor()}, {surroundings.cores()} cores, {surroundings.lanes()} lanes; "
        f"load {load_before} before and {surroundings.load_average()} after; {surroundings.versions()}.\n\n"
        f"Microseconds a call or a robot, medians of {effort.blocks} interleaved blocks, CPU time of the thread. "
        "bound: on preallocated arrays; call: the checked kernel; batch: many robots on one core. Ratios with "
        "quartiles; a bar (+ met, - missed) is met if the lower quartile meets it."
    )
    return "\n\n".join(["# Looped robots", conditions, str(verdict), *parts]) + "\n"


def _loops(measurements: Sequence[LoopMeasurement], verdict: Verdict) -> str:
    head = ["robot", "velocities/joints", "method", "operations", "bound", "call", "batch", "python",
            "call against python", "batch against python"]  # fmt: skip
    rows = []
    for each in measurements:
        best = min(METHODS, key=lambda method: each.race.time(f"{method} call").median)
        fastest = min(METHODS, key=lambda method: each.race.time(f"{method} batch").median)
        for method in METHODS:
            times = [each.race.time(f"{method} {kind}").median for kind in ("bound", "call", "batch")]
            cells = [
                each.robot,
                f"{each.velocities}/{each.joints}",
                _NAMES[method],
                str(each.operations[method]),
            ]
            cells += [f"{1e6 * time:.2f}" for time in times]
            if "python" not in each.race.seconds:
                rows.append([*cells, "", "", ""])
                continue
            cells.append(f"{1e6 * each.race.time('python').median:.2f}")
            for kind, bar, held in (("call", CALL_BAR, best), ("batch", _batch_bar(), fastest)):
                ratio = each.race.ratio("python", f"{method} {kind}")
                text = f"{ratio.median:.1f} ({ratio.lower:.1f}-{ratio.upper:.1f})"
                if method == held:  # the bar is for the method that a user would take
                    missed = f"{each.robot}: {kind} against python {ratio.lower:.1f}, bar {bar:g}"
                    text += f" {verdict.judge(ratio.lower >= bar, missed)}"
                cells.append(text)
            rows.append(cells)
    notes = [
        f"- {each.robot}: residual of inverse dynamics {each.residual:.0e}"
        + (
            f"; accelerations differ from Pinocchio's by {each.error:.0e}, with {each.iterations} proximal iterations"
            if each.error is not None
            else ""
        )
        for each in measurements
    ]
    title = "## Against Pinocchio's constraintDynamics"
    return "\n\n".join([title, _table(head, rows), "\n".join(notes)])


def _batch_bar() -> float:
    return BATCH_BAR * min(surroundings.lanes(), 8) / 8


def _types(measurements: Sequence[TypeMeasurement], verdict: Verdict) -> str:
    head = ["model", "method", "operations", "bound, us", "through O(n)", "batch, us", "source, best machine, us",
            "source, through O(n)"]  # fmt: skip
    rows, passes = [], []
    for each in measurements:
        base = each.race.time("articulated bound").median
        source = SOURCE[each.number]
        best = min(entry[0] for entry in source.values())
        for k, method in enumerate(METHODS):
            time, batch = (each.race.time(f"{method} {kind}") for kind in ("bound", "batch"))
            eta = (
                [1.0]
                if method == "articulated"
                else [entry[2 if method == "factorised" else 1] for entry in source.values()]
            )
            mark = ""
            if k == 0:
                gain = best / (1e6 * time.upper)
                missed = f"Type {each.number}: {gain:.1f} times below the source, bar {FASTER:g}"
                mark = f" {verdict.judge(gain >= FASTER, missed)} ({best / (1e6 * time.median):.1f}x)"
            rows.append([
                f"Type {each.number}", _NAMES[method], str(each.operations[method]), f"{1e6 * time.median:.2f}{mark}",
                f"{time.median / base:.3f}", f"{1e6 * batch.median:.3f}", f"{best * (1.0 if k == 0 else min(eta)):.1f}",
                f"{min(eta):.3f} to {max(eta):.3f}",
            ])  # fmt: skip
        first, inward = (
            each.race.time(name).median for name in ("first forward pass", "first forward and backward pass")
        )
        forces, mass = (each.race.time(name).median for name in ("forces at rest", "mass matrix"))
        passes += [
            [f"Type {each.number}", _NAMES["articulated"], "first forward pass", f"{1e6 * first:.2f}"],
            ["", "", "backward pass", f"{1e6 * (inward - first):.2f}"],
            ["", "", "second forward pass", f"{1e6 * (base - inward):.2f}"],
        ]
        for method in ("factorised", "dense"):
            whole = each.race.time(f"{method} bound").median
            rest = 1e6 * (whole - forces - mass)
            passes += [
                ["", _NAMES[method], "forces at rest", f"{1e6 * forces:.2f}"],
                ["", "", "mass matrix", f"{1e6 * mass:.2f}"],
                ["", "", "factorisation and solution, less what the parts share", f"{rest:.2f}"],
            ]
    text = (
        "The source's sparse and dense times are its O(n) times multiplied by its ratios, of its five machines. Bar: "
        "ten times below the O(n) time of its fastest machine."
    )
    residuals = ", ".join(f"Type {each.number} {each.residual:.0e}" for each in measurements)
    return "\n\n".join([
        "## LOLA 2012, Types 2 and 3 (Schwienbacher 2014, table 2.6)", text, _table(head, rows),
        f"Residual of inverse dynamics: {residuals}.", "### Passes", _table(["model", "method", "pass", "us"], passes),
    ])  # fmt: skip


def _scaling(measurements: Sequence[ScalingMeasurement]) -> str:
    names = ("articulated", "factorised", "dense", "articulated batch")
    head = ["n", "degrees", "operations O(n)", "operations sparse", "O(n)", "sparse", "dense", "O(n) batch",
            "gain of lanes", "difference", "norm of accelerations"]  # fmt: skip
    rows = []
    for each in measurements:
        cells = [str(each.level), str(each.velocities)]
        cells += [str(each.operations[name]) for name in ("articulated", "factorised")]
        cells += [f"{1e6 * each.race.time(name).median:.2f}" for name in names]
        gain = each.race.ratio("articulated", "articulated batch").median
        rows.append([*cells, f"{gain:.1f}", f"{each.error:.0e}", f"{each.norm:.9g}"])
    slopes = ", ".join(f"{name} {slope(measurements, name):.2f}" for name in names)
    text = (
        "Dense beyond 32 degrees: mass matrix by a kernel, Cholesky by LAPACK. Norm: in the state of the source, "
        f"without gravity. Exponents of the run time in the degrees of freedom, from 16 on: {slopes}."
    )
    return "\n\n".join(["## Dill(n)", text, _table(head, rows)])


def _limits(limits: Sequence[StiffLimit]) -> str:
    rows = [[f"{each.impedance:g}", f"{each.difference:.1e}"] for each in limits]
    text = "MuJoCo's accelerations of Cassie against ours, as its equality constraints become stiff (`solimp` d)."
    return "\n\n".join(["## MuJoCo's stiff limit", text, _table(["impedance", "relative difference"], rows)])


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, ["---"] * len(head), *rows])
