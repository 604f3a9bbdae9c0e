"""Measure worlds in which contacts are found while they run against MuJoCo.

python benchmarks/worlds.py [NAME ...] [--blocks 12] [--output FILE]
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy
sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse
import time
import warnings
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from benchmarks.lab.soft_soles import soft_rows, soft_table
from benchmarks.lab.world_batches import batch_rows, batch_table
from benchmarks.lab.world_mujoco import FLAGS, WorldPeer
from benchmarks.lab.world_scenes import SCENES, WorldScene
from footfall import Simulation
from footfall.bench.measure import Contestant, race
from footfall.bench.surroundings import lanes, load_average, processor
from footfall.errors import FootfallWarning

_BLOCK = 0.05  # s of a block, about


@dataclass(frozen=True)
class Row:
    """ours, theirs: us a step. residual: the largest, of weight times dt; of all steps of ours."""

    name: str
    phase: str
    contacts: float
    their_contacts: float
    ours: float
    theirs: float
    ratio: float
    quartiles: tuple[float, float]
    residual: float
    solver_steps: float
    first: float


def measured(world: WorldScene, blocks: int) -> list[Row]:
    """At rest and while it falls, whichever it has."""
    began = time.perf_counter()
    q = world.start()
    simulation = Simulation(world.robot, world.scene, dt=world.dt, self_contact=world.self_contact)
    start = np.array(simulation.q)
    if q is not None:
        start[: len(q)] = q
    simulation.reset(start)
    held = simulation.zero_command
    if world.kp > 0.0:
        held = simulation.pd(simulation.joint_positions(), kp=world.kp, kd=world.kd)
    simulation.step(held)
    first = time.perf_counter() - began
    peer, rows = WorldPeer(world), []
    weight = simulation.robot.mass * 9.81 * world.dt
    if world.fall > 0.0:
        steps = round(world.fall / world.dt)
        simulation.reset(start)
        path = simulation.run(held, world.fall)

        def ours() -> None:
            simulation.reset(start)
            simulation.run(held, world.fall)

        def theirs() -> None:
            peer.reset()
            peer.run(steps)

        rows.append(
            _row(world, "moving", path, weight, ours, theirs, steps, peer, max(3, blocks // 3), first)
        )
    if world.settle > 0.0:
        simulation.reset(start)
        simulation.run(held, world.settle)
        peer.reset()
        peer.run(round(world.settle / world.dt))
        path = simulation.run(held, 0.1)
        took = time.perf_counter()
        simulation.run(held, 0.1)
        took = (time.perf_counter() - took) / (0.1 / world.dt)
        steps = max(10, round(_BLOCK / took))
        rows.append(
            _row(
                world, "rest", path, weight, lambda: simulation.run(held, steps * world.dt), lambda: peer.run(steps),
                steps, peer, blocks, first,
            )
        )  # fmt: skip
    return rows


def _row(
    world: WorldScene, phase: str, path: Any, weight: float, ours: Any, theirs: Any, steps: int, peer: WorldPeer,
    blocks: int, first: float,
) -> Row:  # fmt: skip
    found = race(
        {"ours": Contestant(ours, steps), "theirs": Contestant(theirs, steps)},
        blocks=blocks,
        block_seconds=0.0,
    )
    ratio = found.ratio("theirs", "ours")
    return Row(
        world.name, phase, float(path.contacts.counts.mean()), peer.data.ncon, 1e6 * found.time("ours").median,
        1e6 * found.time("theirs").median, ratio.median, (ratio.lower, ratio.upper),
        float(path.residual.max()) / weight, float(path.solver_steps.mean()), first,
    )  # fmt: skip


def markdown(rows: list[Row], load_before: str) -> str:
    lines = [
        "# Worlds: contact found while it runs, against MuJoCo",
        "",
        f"MuJoCo {mujoco.__version__}: {FLAGS}. One core each, interleaved blocks in one process, CPU time of the",
        "thread; ratio: how many times as long MuJoCo takes, median and quartiles. Residual: the largest of ours, of",
        "the weight times dt; it includes steps in which much falls at once. First: s from `Simulation(...)` to the",
        "first step here, code of the step in the cache or not.",
        "",
        "| world | | contacts (MuJoCo) | us a step | MuJoCo | ratio | residual | solver steps | first, s |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        low, high = row.quartiles
        lines.append(
            f"| {row.name} | {row.phase} | {row.contacts:.0f} ({row.their_contacts:.0f}) | {row.ours:.1f} | "
            f"{row.theirs:.1f} | {row.ratio:.2f} ({low:.2f} to {high:.2f}) | {row.residual:.1e} | "
            f"{row.solver_steps:.1f} | {row.first:.1f} |"
        )
    return "\n".join(
        [
            *lines,
            "",
            f"{processor()}, {lanes()} lanes; load average before {load_before}, after {load_average()}.",
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "names", nargs="*", help='text in the name of a world, "soft" or "batches"; all without it'
    )
    parser.add_argument("--blocks", type=int, default=12, help="interleaved blocks of ours and theirs")
    parser.add_argument("--output", type=Path, help="also write the report to this file")
    options = parser.parse_args()
    warnings.simplefilter("ignore", FootfallWarning)
    load_before, rows = load_average(), []
    for name, made in SCENES.items():
        if not options.names or any(text in name for text in options.names):
            for row in measured(made(), options.blocks):
                rows.append(row)
                print(row, file=sys.stderr, flush=True)
    text = markdown(rows, load_before) if rows else ""
    if not options.names or "soft" in options.names:
        text += "\n" * bool(text) + "\n".join(soft_table(soft_rows(options.blocks)))
    if not options.names or "batches" in options.names:
        text += "\n" * bool(text) + "\n".join(batch_table(batch_rows(options.blocks)))
    print(text)
    if options.output is not None:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
