"""The benchmark of contact as Markdown: times, ratios with their bars, and how well the steps were solved."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.lab.contact import LEAST_SOLVED, SOLVED, ContactEffort, ContactMeasurement
from benchmarks.lab.contact_scenes import DT
from footfall.bench import surroundings
from footfall.bench.report import Verdict

# Least ratios to MuJoCo: of a single step, and of a batch with eight lanes (half of it with four).
_BARS = {"anymal": (5.0, 20.0), "lola 8": (4.0, 12.0)}
_DRIFT = 1e-6  # m
_DEPTH = 1e-6  # m


def markdown(
    scenes: Sequence[ContactMeasurement],
    plates: Sequence[ContactMeasurement],
    *,
    effort: ContactEffort,
    load_before: str,
) -> str:
    """The whole report."""
    verdict = Verdict()
    parts = ["# Contact", _conditions(effort, load_before)]
    if scenes:
        parts += ["## Robots", _times(scenes, verdict), "## Residuals", _residuals(scenes, verdict)]
        parts += ["## Standing", _standing(scenes, verdict)]
    if plates:
        parts += ["## More contacts", _plates(plates)]
    parts.insert(2, str(verdict))
    return "\n\n".join(parts) + "\n"


def bars_of(measurement: ContactMeasurement) -> tuple[float, float] | None:
    """Least ratios of a single step and of a batch to MuJoCo, None if there are none for the scene."""
    name, points = measurement.scene.robot.name.lower(), len(measurement.scene.candidates)
    if "joint" in measurement.scene.name or ("lola" in name and not measurement.scene.rests):
        return None  # rows of our own
    return _BARS.get("anymal" if "anymal" in name else f"{name} {points}")


def _conditions(effort: ContactEffort, load_before: str) -> str:
    return (
        f"{surroundings.processor()}, {surroundings.cores()} cores, {surroundings.lanes()} lanes; "
        f"load {load_before} before and {surroundings.load_average()} after; {surroundings.versions()}.\n\n"
        f"Microseconds a step of {1e3 * DT:g} ms with detection, joint control, dynamics, contact and integration, on "
        f"one core; medians of {effort.blocks} interleaved blocks, CPU time of the thread, {effort.batch} robots in a "
        "batch. Ratios with quartiles; a bar (+ met, - missed) is met if the lower quartile meets it and "
        f"{100 * LEAST_SOLVED:g} % of the steps have a natural-map residual below {SOLVED:g} m g dt. MuJoCo has its "
        "default settings and solves another, soft problem to its own tolerance."
    )


def _times(scenes: Sequence[ContactMeasurement], verdict: Verdict) -> str:
    head = ["", "contacts", "step", "mj_step", "ratio", "in a batch", "mujoco.rollout", "ratio"]
    rows = []
    for each in scenes:
        times, bars = each.race, bars_of(each)
        row = [each.scene.name, str(len(each.scene.candidates))]
        for index, (ours, theirs) in enumerate((("bound", "step"), ("batch", "rollout"))):
            row.append(_digits(1e6 * times.time(ours).median))
            if theirs not in times.seconds:
                row += ["", ""]
                continue
            row.append(_digits(1e6 * times.time(theirs).median))
            spread = times.ratio(theirs, ours)
            text = f"{_digits(spread.median)} ({_digits(spread.lower)} to {_digits(spread.upper)})"
            if bars is not None:
                least = bars[index] * (min(surroundings.lanes(), 8) / 8 if index else 1.0)
                what = f"{each.scene.name}, {ours} against {theirs}"
                why = (
                    f"{_digits(spread.lower)} (lower quartile), needed {_digits(least)}"
                    if each.counts
                    else f"only {100 * each.solved:.2f} % of the steps are solved"
                )
                met = each.counts and spread.lower >= least
                text += f" {verdict.judge(met, f'{what}: {why}')}"
            row.append(text)
        rows.append(row)
    return _table(head, rows)


def _residuals(scenes: Sequence[ContactMeasurement], verdict: Verdict) -> str:
    head = [
        "",
        "rows",
        "operations at most",
        "sweeps",
        "solved, %",
        f"{100 * LEAST_SOLVED:g} % below, m g dt",
    ]
    rows = []
    for each in scenes:
        missed = f"{each.scene.name}: {100 * each.solved:.2f} % of the steps are solved"
        mark = verdict.judge(each.counts, missed)
        rows.append(
            [
                each.scene.name,
                str(each.rows),
                str(each.operations),
                _digits(each.sweeps),
                f"{100 * each.solved:.2f} {mark}",
                f"{each.residual:.0e}",
            ]
        )
    return _table(head, rows)


def _standing(scenes: Sequence[ContactMeasurement], verdict: Verdict) -> str:
    head = ["", "seconds", "drift of a contact, m", "depth, m"]
    rows = []
    for each in scenes:
        if each.standing is None:
            continue
        drift, depth = each.standing.drift, each.standing.depth
        marks = [
            verdict.judge(drift < _DRIFT, f"{each.scene.name}: drift {drift:.1e} m"),
            verdict.judge(depth < _DEPTH, f"{each.scene.name}: depth {depth:.1e} m"),
        ]
        rows.append(
            [
                each.scene.name,
                f"{each.standing.seconds:g}",
                f"{drift:.0e} {marks[0]}",
                f"{max(depth, 0.0):.0e} {marks[1]}",
            ]
        )
    return _table(head, rows)


def _plates(plates: Sequence[ContactMeasurement]) -> str:
    head = ["contacts", "step", "mj_step", "in a batch", "mujoco.rollout", "sweeps", "solved, %"]
    rows = []
    for each in plates:
        times = each.race
        row = [str(len(each.scene.candidates))]
        for name in ("bound", "step", "batch", "rollout"):
            row.append(_digits(1e6 * times.time(name).median) if name in times.seconds else "")
        rows.append([*row, _digits(each.sweeps), f"{100 * each.solved:.2f}"])
    return "A free plate that lies on so many points.\n\n" + _table(head, rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _digits(value: float) -> str:
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"
