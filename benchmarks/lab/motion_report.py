"""The benchmark of the motion generator as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.lab.motion import (
    SOURCE_COM_ERROR,
    SOURCE_SNAPSHOT,
    SOURCE_TOTALS,
    GenerationTimes,
    SampleTimes,
    Study,
)
from footfall.bench import surroundings
from footfall.bench.report import Verdict


def markdown(
    generations: Sequence[GenerationTimes],
    samples: SampleTimes,
    growth: Mapping[int, float],
    study: Study,
    com_errors: tuple[float, float, float],
    *,
    load_before: str,
) -> str:
    """All tables, and which bars are met."""
    verdict = Verdict()
    tables = [
        _stages(generations, verdict),
        _samples(samples, verdict),
        _growth(growth),
        _study(study, verdict),
        _com(com_errors, verdict),
    ]
    conditions = (
        f"{surroundings.processor()}, {surroundings.cores()} cores; load {load_before} before and "
        f"{surroundings.load_average()} after; {surroundings.versions()}. CPU time of one thread, warm; means without "
        "the slowest and fastest tenth. The source ran C++ on a Ryzen 7 1700X."
    )
    return "\n\n".join(["# Motion generator", conditions, str(verdict), *tables]) + "\n"


def _stages(generations: Sequence[GenerationTimes], verdict: Verdict) -> str:
    head = ["", *(generation.name for generation in generations)]
    rows = [
        ["transitions", *(str(generation.transitions) for generation in generations)],
        ["motion, s", *(f"{generation.duration:.1f}" for generation in generations)],
    ]
    rows += [
        [f"{stage}, us", *(f"{1e6 * generation.stages[stage]:.0f}" for generation in generations)]
        for stage in generations[0].stages
    ]
    totals = []
    for generation in generations:
        mine, source = 1e3 * generation.total, SOURCE_TOTALS.get(generation.transitions)
        judged = (
            ""
            if source is None
            else f" {verdict.judge(mine < source, f'{generation.name}: {mine:.2f} ms, bar {source} ms')}"
        )
        totals.append(f"{mine:.2f}{judged}")
    rows.append(["**total, ms**", *totals])
    rows.append(
        ["source, ms", *(str(SOURCE_TOTALS.get(generation.transitions, "")) for generation in generations)]
    )
    return "## Stage by stage\n\n" + _table(head, rows)


def _samples(samples: SampleTimes, verdict: Verdict) -> str:
    snapshot = 1e6 * samples.snapshot
    met = verdict.judge(snapshot < SOURCE_SNAPSHOT, f"snapshot {snapshot:.1f} us, bar {SOURCE_SNAPSHOT} us")
    rows = [
        [
            "snapshot of all trajectories with two derivatives",
            f"{snapshot:.2f} us {met}",
            f"{SOURCE_SNAPSHOT} us",
        ],
        ["stream of one snapshot", f"{1e6 * samples.stream:.1f} us", "0.9 us"],
        [
            f"whole plan at 1 kHz, {samples.samples} samples in one call",
            f"{1e3 * samples.whole:.2f} ms, {1e6 * samples.whole / samples.samples:.2f} us each",
            "",
        ],
    ]
    return "## Looking at a motion\n\n" + _table(["", "ours", "source"], rows)


def _growth(growth: Mapping[int, float]) -> str:
    rows = [
        [str(count), f"{1e3 * seconds:.2f}", f"{1e6 * seconds / count:.0f}"]
        for count, seconds in growth.items()
    ]
    return "## Growth\n\n" + _table(["transitions", "ms", "us a transition"], rows)


def _study(study: Study, verdict: Verdict) -> str:
    worst = study.worst
    met = verdict.judge(
        not study.broken,
        f"{len(study.broken)} of {study.walks} random walks: seeds {list(study.broken)[:10]}",
    )
    rows = [
        ["walks", f"{study.walks}"],
        ["walks that break a promise", f"{len(study.broken)} {met}"],
        [
            "least distance of the recomputed ZMP from the border of the soles, mm",
            f"{1e3 * worst.zmp_margin:.1f}",
        ],
        ["largest RMS of the ZMP error, mm", f"{1e3 * worst.zmp_error:.1f}"],
        ["lowest corner of a sole, mm", f"{1e3 * worst.clearance:.2g}"],
        ["least distance of the torso from the bounds of the legs, mm", f"{1e3 * worst.leg_margin:.1f}"],
        ["largest relative jump", f"{worst.jump:.1e}"],
        ["largest velocity at the ends", f"{worst.speed:.1e}"],
    ]
    return "## Random walks\n\n" + _table(["", "worst"], rows)


def _com(errors: tuple[float, float, float], verdict: Verdict) -> str:
    rows = []
    for name, mine, source in zip(
        ("position, m", "velocity, m/s", "acceleration, m/s2"), errors, SOURCE_COM_ERROR, strict=True
    ):
        rows.append(
            [
                name,
                f"{mine:.1e} {verdict.judge(mine <= source, f'centre of mass {name}: {mine:.1e}')}",
                f"{source:.1e}",
            ]
        )
    return "## Centre of mass against the five masses, platform\n\n" + _table(
        ["", "largest error", "source"], rows
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))
