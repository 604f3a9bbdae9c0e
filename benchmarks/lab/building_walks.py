"""Walks through buildings of the shipped generator, from a room to another room."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.lab.furnished import rooms_of, with_ends
from footfall import save_scene
from footfall.errors import FootfallError
from footfall.scene import make_scene
from footfall.scene.model import Scene
from footfall.walking import WalkRequest, walk
from footfall.walking.request import WalkMode
from footfall.walking.walker import WalkingCode


class BuildingRow(NamedTuple):
    """A walk of a seed. cause: of a fall. problem: why it did not go on. touched: what bodies besides feet and planned
    hands did. error: off the goal, m. distance: m. seconds: of CPU."""

    seed: int
    mode: str
    reached: bool
    fallen: bool
    cause: str
    problem: str
    touched: tuple[str, ...]
    error: float
    time: float
    distance: float
    steps: int
    planned_hands: int
    hands: int
    plans: int
    late_plans: int
    replanning_ms: float
    drift: float
    seconds: float


def building_of(seed: int) -> Scene:
    """The building of a seed, with a start in one room and a goal in another."""
    rng = np.random.default_rng(seed)
    scene = make_scene("building", floors=1, seed=seed)
    return with_ends(scene, rng, *rooms_of(scene, rng))


def walk_buildings(
    code: WalkingCode | None, seeds: range, mode: WalkMode = "reduced"
) -> Iterator[BuildingRow]:
    """Walk in the buildings of some seeds, with noise."""
    for seed in seeds:
        begin = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "building.toml"
            save_scene(building_of(seed), path)
            request = WalkRequest(scene=str(path), noise=True, seed=seed, mode=mode)
            try:
                found = walk(request, code=code).summary
            except FootfallError as error:
                nothing = (0.0, 0.0, 0, 0, 0, 0, 0, 0.0, 0.0)
                seconds = time.process_time() - begin
                yield BuildingRow(
                    seed, mode, False, False, "", str(error), (), np.inf, *nothing, seconds=seconds
                )
                continue
        yield BuildingRow(
            seed,
            mode,
            found.reached,
            found.fallen,
            found.cause or "",
            found.problem or "",
            found.touched,
            found.goal_error,
            found.time,
            found.distance,
            found.steps,
            found.planned_hand_contacts,
            found.made_hand_contacts,
            found.plans,
            found.late_plans,
            found.replanning_ms,
            found.drift,
            time.process_time() - begin,
        )


def buildings_table(rows: list[BuildingRow]) -> str:
    """What became of the walks, as Markdown, with each that failed or touched something."""
    lines = [
        "| mode | walks | arrived | fell | stood | touched something | median time, s | median way, m "
        "| hands made of planned | plans | late | longest plan, ms |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for mode in dict.fromkeys(row.mode for row in rows):
        chosen = [row for row in rows if row.mode == mode]
        stood = sum(not row.reached and not row.fallen for row in chosen)
        lines.append(
            f"| {mode} | {len(chosen)} | {sum(row.reached for row in chosen)} | {sum(row.fallen for row in chosen)} "
            f"| {stood} | {sum(bool(row.touched) for row in chosen)} | {np.median([row.time for row in chosen]):.0f} "
            f"| {np.median([row.distance for row in chosen]):.1f} "
            f"| {sum(row.hands for row in chosen)} of {sum(row.planned_hands for row in chosen)} "
            f"| {sum(row.plans for row in chosen)} | {sum(row.late_plans for row in chosen)} "
            f"| {max(row.replanning_ms for row in chosen):.0f} |"
        )
    for row in rows:
        what = [] if row.reached else [row.cause or row.problem or f"stands {row.error:.2f} m off its goal"]
        if what or row.touched:
            lines.append(f"- seed {row.seed}, {row.mode}: {'; '.join((*what, *row.touched))}")
    return "\n".join(lines)
