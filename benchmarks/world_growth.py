"""How a world's costs grow: fixed objects, loose bodies and their contacts, robots in a batch.

    python -m benchmarks.world_growth [--output benchmarks/world_growth.md] [--cold]

Each row is measured in a process of its own: seconds of CPU from `Simulation(...)` to the first step, CPU time of a
step, and what the process holds at most beyond what it held before. Native code depends on the robot alone, so that
only the first row compiles anything, and that only with `--cold`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import footfall
from footfall.bench import surroundings
from footfall.whole_file import write_text

CASES = [
    ("LOLA, flat ground", "fixed", 0),
    ("LOLA among 100 fixed boxes", "fixed", 100),
    ("LOLA among 1,000 fixed boxes", "fixed", 1000),
    ("LOLA among 4,000 fixed boxes", "fixed", 4000),
    ("10 loose boxes apart", "apart", 10),
    ("100 loose boxes apart", "apart", 100),
    ("1,000 loose boxes apart", "apart", 1000),
    ("tower of 5 boxes", "tower", 5),
    ("tower of 20 boxes", "tower", 20),
    ("tower of 40 boxes", "tower", 40),
    ("batch of 1 LOLA", "batch", 1),
    ("batch of 16", "batch", 16),
    ("batch of 256", "batch", 256),
    ("batch of 512", "batch", 512),
]
_STEPS = 50
_BOX = footfall.Box((0.2, 0.2, 0.2))


def at(x: float, y: float, z: float) -> footfall.Transform:
    return footfall.Transform(np.eye(3), np.array([x, y, z]))


def scene_of(kind: str, count: int) -> footfall.Scene:
    objects = [footfall.SceneObject("floor", footfall.Plane())]
    side = int(np.ceil(np.sqrt(count)))
    for k in range(count if kind != "batch" else 0):
        if kind == "fixed":  # around the robot, not below it
            place = at(1.0 + 0.5 * (k % side), 1.0 + 0.5 * (k // side), 0.1)
            objects.append(footfall.SceneObject(f"box-{k}", _BOX, place))
            continue
        place = (
            at(0.4 * (k % side), 0.4 * (k // side), 0.1) if kind == "apart" else at(0.0, 0.0, 0.1 + 0.2 * k)
        )
        free = footfall.free_body(_BOX, 1.0)
        objects.append(footfall.SceneObject(f"box-{k}", _BOX, place, free=free))
    return footfall.Scene("growth", tuple(objects))


def memory() -> float:
    """The most that this process has held, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def measured(kind: str, count: int) -> dict[str, Any]:
    robot = footfall.load("lola") if kind in ("fixed", "batch") else None
    scene, before = scene_of(kind, count), memory()
    begun = time.process_time()
    simulation = footfall.Simulation(robot, scene, dt=1e-3)
    hold = simulation.hold() if robot is not None else simulation.zero_command
    simulation.step(hold)
    first = time.process_time() - begun
    simulation.run(hold, 0.02)
    if kind == "batch":
        q, v = np.tile(simulation.q, (count, 1)), np.tile(simulation.v, (count, 1))
        simulation.rollout(q, v, hold, steps=2)
        begun = time.process_time()
        simulation.rollout(q, v, hold, steps=_STEPS)
        each = (time.process_time() - begun) / (_STEPS * count)
        contacts = len(simulation.state.contacts) * count
    else:
        begun = time.process_time()
        simulation.run(hold, 1e-3 * _STEPS)
        each, contacts = (time.process_time() - begun) / _STEPS, len(simulation.state.contacts)
    return {"first": first, "step": each, "memory": memory() - before, "contacts": contacts}


def in_a_process(kind: str, count: int, folder: str | None) -> dict[str, Any]:
    environment = {**os.environ, **({"FOOTFALL_CACHE_DIR": folder} if folder else {})}
    command = [sys.executable, "-m", "benchmarks.world_growth", "--one", kind, str(count)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def report(rows: list[tuple[str, dict[str, Any]]], before: str) -> str:
    head = "| world | contacts | to the first step, s of CPU | us a step (and robot) | memory, MB |\n"
    head += "|---|---:|---:|---:|---:|\n"
    table = "".join(
        f"| {name} | {row['contacts']} | {row['first']:.2f} | {1e6 * row['step']:.1f} | {row['memory']:.0f} |\n"
        for name, row in rows
    )
    return (
        "# How a world grows\n\nCPU time of all threads, one process a row; code of the step and of LOLA in the cache. "
        f"Steps of 1 ms, at rest.\n\n{head}{table}\n{surroundings.processor()}, {surroundings.cores()} cores; load "
        f"{before} before and {surroundings.load_average()} after.\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, help="file for the report")
    parser.add_argument("--cold", action="store_true", help="begin with an empty cache of native code")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measured(options.one[0], int(options.one[1]))))
        return
    before, rows = surroundings.load_average(), []
    with tempfile.TemporaryDirectory() as folder:
        for name, kind, count in CASES:
            rows.append((name, in_a_process(kind, count, folder if options.cold else None)))
            print(name, rows[-1][1], flush=True)
    text = report(rows, before)
    if options.output:
        write_text(options.output, text)
    print(text)


if __name__ == "__main__":
    main()
