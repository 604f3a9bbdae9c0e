"""Walks through buildings of the shipped generator, from a room or the corridor to another room."""

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
from footfall.walking import WalkRequest, walk
from footfall.walking.request import WalkMode
from footfall.walking.walker import WalkingCode


class BuildingRow(NamedTuple):
    """A walk of a seed. cause: of a fall; problem: why it did not go on. seconds: of CPU."""

    seed: int
    mode: str
    reached: bool
    fallen: bool
    cause: str
    problem: str
    error: float
    time: float
    steps: int
    hands: int
    plans: int
    late_plans: int
    replanning_ms: float
    seconds: float


def walk_buildings(
    code: WalkingCode | None, seeds: range, mode: WalkMode = "reduced"
) -> Iterator[BuildingRow]:
    """Walk in the buildings of some seeds, with noise."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        scene = make_scene("building", floors=1, seed=seed)
        scene = with_ends(scene, rng, *rooms_of(scene, rng))
        begin = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "building.toml"
            save_scene(scene, path)
            try:
                found = walk(
                    WalkRequest(scene=str(path), noise=True, seed=seed, mode=mode), code=code
                ).summary
            except FootfallError as error:
                seconds = time.process_time() - begin
                yield BuildingRow(
                    seed, mode, False, False, "", str(error), np.inf, 0.0, 0, 0, 0, 0, 0.0, seconds
                )
                continue
        yield BuildingRow(
            seed,
            mode,
            found.reached,
            found.fallen,
            found.cause or "",
            found.problem or "",
            found.goal_error,
            found.time,
            found.steps,
            found.made_hand_contacts,
            found.plans,
            found.late_plans,
            found.replanning_ms,
            time.process_time() - begin,
        )


def buildings_table(rows: list[BuildingRow]) -> str:
    """What became of the walks, as Markdown."""
    lines = [
        "| mode | walks | arrived | fell | stood | median time, s | plans | late | longest plan, ms |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for mode in dict.fromkeys(row.mode for row in rows):
        chosen = [row for row in rows if row.mode == mode]
        stood = sum(not row.reached and not row.fallen for row in chosen)
        lines.append(
            f"| {mode} | {len(chosen)} | {sum(row.reached for row in chosen)} | {sum(row.fallen for row in chosen)} "
            f"| {stood} | {np.median([row.time for row in chosen]):.0f} | {sum(row.plans for row in chosen)} "
            f"| {sum(row.late_plans for row in chosen)} | {max(row.replanning_ms for row in chosen):.0f} |"
        )
    return "\n".join(lines)
