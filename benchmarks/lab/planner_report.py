"""Measurements of contact plans as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.lab.planner import (
    SOURCE,
    CommandTimes,
    ComparedRow,
    LongWay,
    Memory,
    RandomRow,
    SceneRow,
    StrangerRow,
)
from footfall.bench.surroundings import load_average, processor


def heading() -> str:
    """What the page is, and where it was measured."""
    return (
        "# Contact plans, measured\n\n"
        f"`python benchmarks/planner.py` on {processor()}, load {load_average()}. CPU time of one thread, warm, "
        "pre-processing apart; means without the fastest and slowest tenth. The source is Seiwald 2023, table 5.4: "
        "C++ on a pinned core of a desktop. Every plan is judged by coal and trimesh on the raw scene "
        "(`benchmarks/lab/plan_checker.py`)."
    )


def nine_scenes(rows: Sequence[SceneRow], *, exact: bool) -> str:
    """The source's table, ours beside it."""
    seen = "as it is" if exact else "as cameras see it (5 cm voxels, 4 mm noise)"
    lines = [
        f"## Nine scenes, {seen}",
        "",
        "| scene | ms | source, ms | pre-processing, ms | nodes | source | steps | source | slow | source | hands | "
        "soles | cost | over the best | faults | warnings |",
        "|---" * 16 + "|",
    ]
    for row in rows:
        theirs, result = SOURCE[row.name], row.result
        before = sum(v for stage, v in row.milliseconds.items() if stage.startswith("environment"))
        faults = (
            "no plan" if row.check is None else (str(len(row.check.faults)) if row.check.faults else "none")
        )
        warned = 0 if row.check is None else len(row.check.warnings)
        hands = ", ".join(f"{each.hand} {each.object}" for each in result.hand_contacts) or "none"
        cells = [
            row.name,
            f"{row.total:.0f}",
            f"{theirs.milliseconds:.0f}",
            f"{before:.1f}",
            result.nodes,
            theirs.nodes,
            len(result.steps),
            theirs.steps,
            row.slow,
            theirs.slow,
            hands,
            row.special,
            f"{result.cost:.3f}",
            f"{result.cost / row.best_cost:.3f}" if np.isfinite(row.best_cost) else "",
            faults,
            warned,
        ]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    told = [
        f"- {row.name}, {fault.kind} in transition {fault.transition}: {fault.what}, {fault.value:.4g} "
        f"against {fault.limit:.4g}"
        for row in rows
        if row.check is not None
        for fault in row.check.faults
    ]
    told += [
        f"- {row.name} warns: {text}" for row in rows if row.check is not None for text in row.check.warnings
    ]
    stages = ["", "Stages in ms: " + "; ".join(f"{row.name} {_stages(row)}" for row in rows) + "."]
    return "\n".join([*lines, "", *told, *stages])


def _stages(row: SceneRow) -> str:
    return ", ".join(f"{stage} {value:.1f}" for stage, value in row.milliseconds.items())


def strangers(rows: Sequence[StrangerRow]) -> str:
    """Scenes that the planner was not made with."""
    lines = [
        "## Scenes of strangers",
        "",
        "Scenes of `benchmarks/scenes/`, made to be awkward: logs, kerbs, gaps, fences, doors that are too narrow. "
        "Surfaces known exactly, CPU time without pre-processing; on the right with the parameters of a walk (feet "
        "swing higher).",
        "",
        "| scene | found | ms | cost | steps | hands | repairs | nodes | faults | found, walking | ms, walking |",
        "|---" * 11 + "|",
    ]
    for row in rows:
        plan, faults = row.result, [] if row.check is None else row.check.faults
        told = ", ".join(f"{each.kind}: {each.what}" for each in faults) or "none"
        lines.append(
            f"| {row.name} | {plan.found} | {row.milliseconds:.0f} | {plan.cost:.2f} | {len(plan.steps)} "
            f"| {len(plan.hand_contacts)} | {plan.effort.repairs} | {plan.nodes} | {told} "
            f"| {row.walking.found} | {row.walking_milliseconds:.0f} |"
        )
    return "\n".join(lines)


def random_scenes(rows: Sequence[RandomRow]) -> str:
    """How many were solved, and what is wrong with the plans."""
    found = [row for row in rows if row.found]
    times, costs = ([getattr(row, name) for row in found] or [0.0] for name in ("milliseconds", "cost"))
    faulty = [row for row in rows if row.faults]
    kinds = Counter(fault.split(" in ")[0] for row in faulty for fault in row.faults)
    lines = [
        f"## {len(rows)} random scenes",
        "",
        "Boxes, plates to step on and posts on 4 m of floor: `random_scene(0)` and so on.",
        "",
        "| | |",
        "|---|---|",
        f"| a way was found | {len(found)} of {len(rows)} {[row.seed for row in rows if not row.found] or ''} |",
        f"| cost: mean, least, most | {np.mean(costs):.2f}, {np.min(costs):.2f}, {np.max(costs):.2f} |",
        f"| ms: median, 95 %, worst | {np.median(times):.0f}, {np.percentile(times, 95):.0f}, {np.max(times):.0f} |",
        f"| plans that were repaired, repairs in all | {sum(row.repairs > 0 for row in rows)}, "
        f"{sum(row.repairs for row in rows)} |",
        f"| plans with a fault | {len(faulty)} {[row.seed for row in faulty] or ''} |",
        f"| kinds of faults | {dict(kinds) or 'none'} |",
        f"| plans that the motion generator warns of | {sum(row.warnings > 0 for row in rows)} |",
    ]
    return "\n".join(lines)


def compared(rows: Sequence[ComparedRow]) -> str:
    """How much worse than the best plans are."""
    both = [row for row in rows if np.isfinite(row.cost) and np.isfinite(row.best_cost)]
    ratios = np.array([row.cost / row.best_cost for row in both])
    lost = [row.seed for row in rows if np.isfinite(row.best_cost) and not np.isfinite(row.cost)]
    nodes, best = (np.array([getattr(row, name) for row in rows]) for name in ("nodes", "best_nodes"))
    lines = [
        f"## Against the best plan: {len(rows)} small random scenes",
        "",
        "Boxes, plates and posts on 2.2 m of floor, `small_random_scene(0)` and so on: small, so that the search "
        "without guide, whose lower bound is consistent, ends within seconds. Ratios are of the costs of both.",
        "",
        "| | |",
        "|---|---|",
        f"| a way exists | {sum(np.isfinite(row.best_cost) for row in rows)} |",
        f"| of these it was not found with the guide | {len(lost)} {lost or ''} |",
        f"| as good as the best (within 1e-6) | {100 * np.mean(ratios < 1 + 1e-6):.0f} % |",
        f"| ratio: mean, median, 95 %, worst | {ratios.mean():.4f}, {np.median(ratios):.4f}, "
        f"{np.percentile(ratios, 95):.4f}, {ratios.max():.4f} |",
        f"| worse than 1.05 | {100 * np.mean(ratios > 1.05):.1f} % |",
        f"| nodes with and without guide, median | {np.median(nodes):.0f}, {np.median(best):.0f} |",
        f"| s without guide: median, worst | {np.median([row.best_seconds for row in rows]):.2f}, "
        f"{max(row.best_seconds for row in rows):.1f} |",
    ]
    return "\n".join(lines)


def noise(rates: Mapping[str, Sequence[float]], count: int) -> str:
    """Success with the errors that the source's cameras had."""
    lines = [
        "## Noisy ground",
        "",
        f"Share of {count} noisy views of each scene in which a way is found: ground with waves of 4 cm, and objects "
        "displaced by 7 cm and turned by up to 3 degrees, as the source saw on its robot.",
        "",
        "| scene | ripple of 4 cm | surfaces off by 7 cm |",
        "|---|---|---|",
    ]
    lines += [f"| {name} | {ripple:.0%} | {displaced:.0%} |" for name, (ripple, displaced) in rates.items()]
    return "\n".join(lines)


def replanning(times: Mapping[str, tuple[float, float]], commands: CommandTimes, memory: Memory) -> str:
    """Planning again, walking by hand, memory."""
    rows = [f"| {name} | {anew:.1f} | {again:.1f} |" for name, (anew, again) in times.items()]
    return "\n".join(
        [
            "## Planning again",
            "",
            "Eight steps ahead, with an object that has moved, pre-processing included: anew, and with what the plan "
            "before has learnt (`previous=`).",
            "",
            "| scene | ms, anew | ms, after the plan before |",
            "|---|---|---|",
            *rows,
            "",
            f"Walking by hand: {commands.steps_us:.0f} us for the steps of a command, {commands.poses_ms:.2f} ms with "
            "all poses of the transitions.",
            "",
            f"Memory: {memory.planning_mb:.0f} MB above {memory.idle_mb:.0f} MB of the idle process after all scenes "
            "(source: 2.3 GiB).",
        ]
    )


def long_ways(ways: Sequence[LongWay]) -> str:
    """Long distances."""
    lines = [
        "## Long ways",
        "",
        "| | found | way, m | steps | hands | nodes | faults | map, s | plan, s |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {way.name} | {way.found} | {way.distance:.0f} | {way.steps} | {way.hands} | {way.nodes} "
        f"| {'' if way.faults is None else way.faults} | {way.map_seconds:.2f} | {way.seconds:.2f} |"
        for way in ways
    ]
    return "\n".join(lines)
