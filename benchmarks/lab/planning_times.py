"""How long plans take in furnished scenes: CPU time of the first plan, as a walk asks for it."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchmarks.lab.furnished import furnished, kind_of
from footfall.environment import perceive
from footfall.environment.perception import EXACT
from footfall.motion.reduced_model import ReducedModel
from footfall.planning import plan_contacts
from footfall.walking.routes import goal_of_scene, start_pose
from footfall.walking.settings import PlanningParameters, planner_parameters

SLOW, SLOWEST = 0.3, 1.0  # s: 99 % of all plans are below the first, all below the second


class PlanningRow(NamedTuple):
    """A plan of a seed: seconds of CPU, states of guide and search, whether a way was found, why not."""

    seed: int
    kind: str
    away: float
    found: bool
    steps: int
    seconds: float
    guide_nodes: int
    nodes: int
    repairs: int
    why_not: str


def time_plans(model: ReducedModel, seeds: range) -> Iterator[PlanningRow]:
    """Plan in the scenes of some seeds, each for the first time: surfaces are not known."""
    parameters, steps = planner_parameters(model), PlanningParameters().goal_steps
    for seed in seeds:
        scene = furnished(seed)
        goal, start = goal_of_scene(scene), start_pose(scene, model)
        assert goal is not None
        assert scene.start is not None
        environment = perceive(scene, EXACT)
        away = math.hypot(*(np.array([goal.x, goal.y]) - scene.start.translation[:2]))
        begin = time.thread_time()
        plan = plan_contacts(
            environment, model, goal, start=start, horizon=steps, explained=False, parameters=parameters
        )
        seconds, effort = time.thread_time() - begin, plan.effort
        why = "" if plan.why_not is None else plan.why_not.text
        yield PlanningRow(
            seed,
            kind_of(seed),
            away,
            plan.found,
            len(plan.stances),
            seconds,
            effort.guide_nodes,
            effort.nodes,
            effort.repairs,
            why,
        )


def planning_table(rows: list[PlanningRow]) -> str:
    """Quantiles by kind of scene, as Markdown."""
    lines = [
        "| scenes | plans | a way found | median, ms | 90 % | 99 % | 99.9 % | longest | above 0.3 s | above 1 s "
        "| most states |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    kinds = ["all", *dict.fromkeys(row.kind for row in rows)]
    for kind in kinds:
        chosen = [row for row in rows if kind in ("all", row.kind)]
        times = np.array([row.seconds for row in chosen])
        middle, ninety, most, nearly, longest = 1e3 * np.quantile(times, [0.5, 0.9, 0.99, 0.999, 1.0])
        lines.append(
            f"| {kind} | {len(chosen)} | {sum(row.found for row in chosen)} | {middle:.0f} | {ninety:.0f} | {most:.0f} "
            f"| {nearly:.0f} | {longest:.0f} | {int((times > SLOW).sum())} | {int((times > SLOWEST).sum())} "
            f"| {max(row.guide_nodes + row.nodes for row in chosen):,} |"
        )
    return "\n".join(lines)


def warm_up(model: ReducedModel) -> None:
    """Load native code: that is no planning."""
    for _ in time_plans(model, range(5)):
        pass
