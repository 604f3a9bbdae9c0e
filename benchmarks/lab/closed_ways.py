"""Ways that are closed, at random: what the planner names as the reason, changed, must open them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec
import numpy as np

from footfall.environment import Environment, PerceptionOptions, perceive
from footfall.motion.reduced_model import ReducedModel
from footfall.planning import Goal, PlannedContacts, PlannerParameters, plan_contacts
from footfall.planning.contacts import Blockage
from footfall.planning.explanation import with_known_ground, with_wider_ground, without_objects
from footfall.scene.model import Scene, SceneObject
from footfall.scene.parts import at, block, floor
from footfall.walking.settings import planner_parameters

GOAL = Goal(3.2, 0.0)
_SLACK = 1.05  # of a limit that is named: it is known to a 32nd of the range


class ClosedRow(NamedTuple):
    """A closed way of a seed. closed: whether the planner found none. kind, name, text: of what it named. opened:
    whether there is a way once that is changed. seconds: of CPU, to plan and to find the reason."""

    seed: int
    scene: str
    closed: bool
    kind: str
    name: str
    text: str
    opened: bool
    seconds: float


def _walls(rng: np.random.Generator) -> list[SceneObject]:
    half = float(rng.uniform(0.8, 1.2))
    return [
        block("wall-left", "wall", (-1.5, 5.0), (half, half + 0.1), (0.0, 2.0)),
        block("wall-right", "wall", (-1.5, 5.0), (-half - 0.1, -half), (0.0, 2.0)),
    ]


def high_step(rng: np.random.Generator) -> list[SceneObject]:
    """A step up or down that is too high."""
    x, rise = float(rng.uniform(1.0, 1.6)), float(rng.uniform(0.15, 0.3) * rng.choice([-1.0, 1.0]))
    return [
        block("ground", "floor", (-2.0, x), (-2.0, 2.0), (-1.0, 0.0)),
        block("landing", "floor", (x, 6.0), (-2.0, 2.0), (-1.0, rise)),
    ]


def stairs(rng: np.random.Generator) -> list[SceneObject]:
    """Stairs whose risers are too high."""
    x, rise, tread = (float(value) for value in rng.uniform((0.8, 0.15, 0.27), (1.2, 0.2, 0.33)))
    steps = [
        block(f"step-{k}", "floor", (x + k * tread, x + (k + 1) * tread), (-2.0, 2.0), (-0.1, (k + 1) * rise))
        for k in range(3)
    ]
    return [
        floor(),
        *steps,
        block("landing", "floor", (x + 3 * tread, 6.0), (-2.0, 2.0), (-0.1, 4 * rise)),
    ]


def trench(rng: np.random.Generator) -> list[SceneObject]:
    """A trench that is too wide."""
    x, wide = float(rng.uniform(1.0, 1.4)), float(rng.uniform(0.45, 0.9))
    return [
        block("near", "floor", (-2.0, x), (-2.0, 2.0), (-0.4, 0.0)),
        block("far", "floor", (x + wide, 6.0), (-2.0, 2.0), (-0.4, 0.0)),
        block("bottom", "floor", (-2.0, 6.0), (-2.0, 2.0), (-1.2, -1.0)),
    ]


def beam(rng: np.random.Generator) -> list[SceneObject]:
    """A beam that is too narrow."""
    x, half = float(rng.uniform(0.9, 1.2)), float(rng.uniform(0.03, 0.07))
    return [
        block("near", "floor", (-2.0, x), (-2.0, 2.0), (-0.4, 0.0)),
        block("far", "floor", (x + 1.2, 6.0), (-2.0, 2.0), (-0.4, 0.0)),
        block("beam", "floor", (x, x + 1.2), (-half, half), (-0.2, 0.0)),
        block("bottom", "floor", (-2.0, 6.0), (-2.0, 2.0), (-1.2, -1.0)),
    ]


def gap(rng: np.random.Generator) -> list[SceneObject]:
    """A gap between two pieces of furniture that is too narrow, between walls."""
    left, right = _walls(rng)
    half = float(left.placement.translation[1]) - 0.05
    x, middle, wide = (float(value) for value in rng.uniform((1.1, -0.15, 0.2), (1.5, 0.15, 0.55)))
    return [
        floor(),
        left,
        right,
        block("shelf", "furniture", (x, x + 0.4), (-half, middle - wide / 2), (0.0, 1.5)),
        block("cupboard", "furniture", (x, x + 0.4), (middle + wide / 2, half), (0.0, 1.2)),
    ]


def wall(rng: np.random.Generator) -> list[SceneObject]:
    """A barrier from wall to wall."""
    x, height = float(rng.uniform(1.1, 1.6)), float(rng.uniform(0.3, 1.5))
    return [floor(), *_walls(rng), block("barrier", "obstacle", (x, x + 0.1), (-1.2, 1.2), (0.0, height))]


def bar(rng: np.random.Generator) -> list[SceneObject]:
    """A bar from wall to wall that is too high to step over, but not for legs that may lift their feet higher."""
    x, height, deep = (float(value) for value in rng.uniform((1.1, 0.16, 0.05), (1.6, 0.21, 0.12)))
    return [floor(), *_walls(rng), block("bar", "obstacle", (x, x + deep), (-1.2, 1.2), (0.0, height))]


def unseen(rng: np.random.Generator) -> list[SceneObject]:
    """A stripe of ground that was not seen."""
    x, wide = float(rng.uniform(1.0, 1.3)), float(rng.uniform(0.7, 1.0))
    return [
        block("near", "floor", (-2.0, x), (-2.0, 2.0), (-0.4, 0.0)),
        block("far", "floor", (x + wide, 6.0), (-2.0, 2.0), (-0.4, 0.0)),
    ]


SCENES: dict[str, Callable[[np.random.Generator], list[SceneObject]]] = {
    made.__name__.replace("_", " "): made
    for made in (high_step, stairs, trench, beam, gap, wall, bar, unseen)
}


def closed_scene(seed: int) -> tuple[str, Environment]:
    """The closed way of a seed: kinds take turns."""
    name = list(SCENES)[seed % len(SCENES)]
    objects = SCENES[name](np.random.default_rng(seed))
    scene = Scene("closed", tuple(objects), start=at(0.0, 0.0), goal=at(GOAL.x, GOAL.y))
    area = ((-0.6, -1.25), (GOAL.x + 0.6, 1.25))
    return name, perceive(scene, PerceptionOptions(voxel=0.0, noise=0.0, area=area))


def changed(
    environment: Environment, parameters: PlannerParameters, why: Blockage
) -> tuple[Environment, PlannerParameters]:
    """What is named, changed: an object taken away, a limit set to what is needed, ground seen or made wider."""
    if why.kind == "object":
        named = [id for id in environment.objects if repr(id) in why.text.partition("closes the way")[0]]
        together = "together" in why.text
        gone = (
            [id for id in environment.objects if repr(id) in why.text]
            if together
            else named[:1] or [why.name]
        )
        return without_objects(environment, gone), parameters
    if why.kind == "limit" and why.need is not None:
        group, _, name = why.name.partition(".")
        low = why.need < getattr(getattr(parameters, group), name)
        value = why.need / _SLACK if low else why.need * _SLACK
        inner = msgspec.structs.replace(getattr(parameters, group), **{name: value})
        return environment, msgspec.structs.replace(parameters, **{group: inner})
    if why.kind == "ground" and why.need is not None:
        return with_wider_ground(environment, why.need), parameters
    if why.kind == "unknown ground":
        return with_known_ground(environment), parameters
    return environment, parameters


def judge_reasons(model: ReducedModel, seeds: range) -> Iterator[ClosedRow]:
    """Plan through closed ways, change what was named, and plan again."""
    parameters = planner_parameters(model)

    def planned(environment: Environment, chosen: PlannerParameters, *, explained: bool) -> PlannedContacts:
        return plan_contacts(
            environment, model, GOAL, parameters=chosen, explained=explained, check_motion=explained
        )

    for seed in seeds:
        name, environment = closed_scene(seed)
        begin = time.thread_time()
        plan = planned(environment, parameters, explained=True)
        seconds, why = time.thread_time() - begin, plan.why_not
        if plan.found or why is None:
            yield ClosedRow(seed, name, not plan.found, "", "", "", False, seconds)
            continue
        again = planned(*changed(environment, parameters, why), explained=False)
        yield ClosedRow(seed, name, True, why.kind, why.name, why.text, again.found, seconds)


def reasons_table(rows: list[ClosedRow]) -> str:
    """What was named for each kind of scene, as Markdown."""
    lines = [
        "| closed by | scenes | closed | what was named | opened by changing it | longest, s of CPU |",
        "|---|---|---|---|---|---|",
    ]
    for scene in dict.fromkeys(row.scene for row in rows):
        chosen = [row for row in rows if row.scene == scene and row.closed]
        names = sorted({row.name if row.kind in ("limit", "search") else row.kind for row in chosen})
        count = sum(row.scene == scene for row in rows)
        lines.append(
            f"| {scene} | {count} | {len(chosen)} | {', '.join(names)} | {sum(row.opened for row in chosen)} "
            f"| {max((row.seconds for row in chosen), default=0.0):.1f} |"
        )
    return "\n".join(lines)
