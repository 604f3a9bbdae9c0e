"""How fast and how robust walking is: periods, batches, scenes with seeds, arms. Writes a report.

python -m benchmarks.walking [--seeds 10] [--quick] [--output benchmarks/walking.md]
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import footfall
from benchmarks.lab.scene_walks import planned_motion, scene_walks
from footfall.arrays import Array
from footfall.bench.surroundings import load_average, processor
from footfall.motion.motion import Motion
from footfall.scene.load import load_scene
from footfall.walking.loop import think
from footfall.walking.many import walk_many
from footfall.walking.request import Push, WalkRequest
from footfall.walking.walk import walking_body
from footfall.walking.walker import Walker, WalkerOptions, WalkingCode


def motion_of_plan(code: WalkingCode, name: str) -> Motion:
    return footfall.generate_motion(footfall.load_plan(name, code.body.model), code.body.model)


def speed(code: WalkingCode) -> list[str]:
    """Times of a period, whole and of the controller alone, and how the step of the plant changes forces."""
    motion = motion_of_plan(code, "straight")
    rows = ["| | us a period | times real time |", "|---|---|---|"]
    for label, options in (
        ("whole period, 2 steps of the plant", WalkerOptions()),
        ("with errors of sensors", WalkerOptions(noise=True)),
        ("1 step of the plant", WalkerOptions(substeps=1)),
    ):
        walker = Walker(code, load_scene("flat"), motion, options)
        walker.run_until(1.0)
        blocks = []
        for k in range(30):
            begin = time.thread_time()
            walker.run_until(1.0 + 0.3 * (k + 1))
            blocks.append((time.thread_time() - begin) / 300 * 1e6)
        median, low, high = np.percentile(blocks, [50, 25, 75])
        rows.append(f"| {label} | {median:.1f} ({low:.1f} to {high:.1f}) | {1e3 / median:.0f} |")
    walker = Walker(code, load_scene("platform"), motion_of_plan(code, "platform"), WalkerOptions())
    walker.run_until(8.2)
    spare, times = walker.log._replace(signals=walker.log.signals.copy()), []
    for k in range(20000):
        begin = time.thread_time_ns()
        think(walker.brain, walker.plan, 8000 + k % 200, spare)
        times.append((time.thread_time_ns() - begin) / 1e3)
    middle, slow = np.percentile(times[100:], [50, 99.9])
    rows.append(
        f"| controller alone, a hand on the wall, called from Python | {middle:.1f}, 99.9 %: {slow:.1f} | |"
    )
    return rows


def halved_step(code: WalkingCode) -> str:
    """How far forces on feet change with half the step of the plant, of the weight."""
    motion = motion_of_plan(code, "straight")
    walkers = [Walker(code, load_scene("flat"), motion, WalkerOptions(substeps=n)) for n in (2, 4)]
    for walker in walkers:
        walker.run_until(4.0)
    one, two = (walker.log.signals["right_foot"][500:, 3:5] for walker in walkers)  # type: ignore[call-overload]
    scale = float(np.sqrt(np.mean(two**2)))
    return f"{float(np.sqrt(np.mean((one - two) ** 2))) / scale:.1%}"


def batch(code: WalkingCode, count: int) -> list[str]:
    """Many robots under random pushes, frictions and seeds."""
    rng = np.random.default_rng(0)
    options = []
    for k in range(count):
        angle, force = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(0.0, 400.0)
        push = Push(
            "torso", (force * np.cos(angle), force * np.sin(angle), 0.0), float(rng.uniform(2.0, 8.0)), 0.1
        )
        options.append(
            WalkerOptions(
                noise=True, seed=k, friction=float(rng.uniform(0.4, 1.0)), log_every=20, pushes=(push,)
            )
        )
    begin = time.process_time()
    walkers = walk_many(code, load_scene("flat"), motion_of_plan(code, "straight"), options)
    cpu = time.process_time() - begin
    simulated = sum(walker.time for walker in walkers)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [
        f"{count} robots, each with its own push (up to 40 N s), friction (0.4 to 1) and seed, in one call: "
        f"{simulated / cpu:.0f} times real time a core, {memory:.0f} MB; {sum(w.fallen for w in walkers)} fell."
    ]


def with_gains(walker: Walker, **change: float) -> Walker:
    """The walker with some gains changed."""
    gains = walker.gains._replace(**change)
    tasks = walker.brain.tasks._replace(momentum_weight=gains.momentum_weight)
    walker.brain = walker.brain._replace(gains=gains, tasks=tasks)
    return walker


def arms(code: WalkingCode, seeds: int) -> list[str]:
    """What arms do that take up the turn of legs: momentum about the vertical, torques of soles, how far it turned."""
    robot, rows = code.body.robot, []
    rows += ["| walk | arms | momentum, peak kg m2/s | torque of a sole, 99 % Nm | turned away, deg |"]
    rows += ["|---|---|---|---|---|"]
    for scene in ("flat", "stairs-partial"):
        for label, weight in (("rest", 0.0), ("swing", None)):
            found = []
            for seed in range(seeds):
                goal = (3.0, 0.0, 0.0) if scene == "flat" else None
                request = WalkRequest(scene=scene, goal=goal, noise=True, seed=seed)
                motion = planned_motion(code, request)
                walker = Walker(
                    code, load_scene(scene), motion, WalkerOptions(noise=True, seed=seed, log_every=5)
                )
                if weight is not None:
                    walker = with_gains(walker, momentum_weight=weight)
                walker.run_until(motion.end_time)
                log = walker.log
                signals: Any = log.signals
                q, v = (
                    np.ascontiguousarray(each[:, :n]) for each, n in ((log.q, robot.nq), (log.v, robot.nv))
                )
                momentum = footfall.centroidal_momentum(robot, q, v)[:, 5]
                torque = np.abs([signals[foot][:, 5] for foot in ("right_foot", "left_foot")])
                off = _heading(log.q[-1]) - _heading(walker.brain.state.q)
                found.append((np.abs(momentum).max(), np.percentile(torque, 99), abs(np.rad2deg(off))))
            mean = np.mean(found, axis=0)
            rows.append(f"| {scene} | {label} | {mean[0]:.2f} | {mean[1]:.1f} | {mean[2]:.2f} |")
            print(rows[-1], flush=True)
    return rows


def _heading(q: Array) -> float:
    """Yaw of a floating base, rad."""
    w, x, y, z = q[3:7]
    return float(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--quick", action="store_true", help="times only")
    parser.add_argument("--output", type=Path, default=Path("benchmarks/walking.md"))
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    code = WalkingCode(walking_body(footfall.load("lola")))
    lines = [
        "# Walking in closed loop",
        "",
        f"Machine: {processor()}, load {load_average()}. CPU time of one thread.",
        "",
        "## Times",
        "",
        *speed(code),
        "",
    ]
    lines += [
        f"Torques on a foot with half the step of the plant: they change by {halved_step(code)} (RMS).",
        "",
    ]
    lines += ["## Many at once", "", *batch(code, 64), ""]
    if not options.quick:
        title = "## Scenes, ideal drives, sensors with errors, perception with noise"
        lines += [title, ""]
        for line in scene_walks(code, options.seeds, "reduced"):
            print(line, flush=True)
            lines.append(line)
        lines.append("")
        lines += ["## Arms that take up the turn of legs", "", *arms(code, min(options.seeds, 5)), ""]
    options.output.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
