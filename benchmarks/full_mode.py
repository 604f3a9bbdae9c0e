"""Walking on drives: speed of the simulation, half the step, scenes with seeds, fast and long walks. Writes a report.

python -m benchmarks.full_mode [--seeds 3] [--output benchmarks/full_mode.md]
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from msgspec.structs import replace

import footfall
from benchmarks.lab.scene_walks import scene_walks
from footfall.arrays import Array
from footfall.bench.surroundings import load_average, processor
from footfall.gait.actions import straight
from footfall.motion.joint_loads import joint_loads
from footfall.motion.motion import Motion
from footfall.motion.pipeline import generate_motion
from footfall.scene.load import load_scene
from footfall.walking.request import WalkRequest
from footfall.walking.runs import RUNS
from footfall.walking.signals import Set, WalkStraight
from footfall.walking.walk import walk, walking_body
from footfall.walking.walker import Walker, WalkerOptions, WalkingCode


def speed(code: WalkingCode) -> list[str]:
    """CPU time of a period and what half the step of the plant changes."""
    model = code.body.model
    motion = generate_motion(footfall.walking_plan(model, straight(3.0)), model, body=code.whole)
    rows = [
        "| steps of the plant a period | us a period | times real time | torques on a foot with half the step (RMS) |",
        "|---|---|---|---|",
    ]
    runs = {steps: _timed(code, motion, steps) for steps in (4, 8, 16, 32)}
    for steps in (4, 8, 16):
        (middle, coarse), (_, fine) = runs[steps], runs[2 * steps]
        change = float(np.sqrt(np.mean((coarse - fine) ** 2)) / np.sqrt(np.mean(fine**2)))
        rows.append(f"| {steps} | {middle:.0f} | {1e3 / middle:.1f} | {change:.2%} |")
    return rows


def _timed(code: WalkingCode, motion: Motion, steps: int) -> tuple[float, Array]:
    """CPU time of a period, us, and torques (n, 2) on a foot while it walks."""
    walker = Walker(code, load_scene("flat"), motion, WalkerOptions(mode="full", substeps=steps))
    walker.run_until(1.0)
    blocks = []
    for k in range(10):
        begin = time.thread_time()
        walker.run_until(1.0 + 0.3 * (k + 1))
        blocks.append((time.thread_time() - begin) / 300 * 1e6)
    return float(np.median(blocks)), walker.log.signals["right_foot"][500:4000, 3:5]


def fast(code: WalkingCode, seeds: int) -> list[str]:
    """How fast it walks straight ahead, and how far."""
    rows = [
        "| steps | fastest 2 s | walked | greatest tilt, degrees | fastest joint of the plan |",
        "|---|---|---|---|---|",
    ]
    runs = {
        "0.4 m in 0.8 s, for 30 m": _straight(30.0, 0.4, 0.8),
        "0.5 m in 0.7 s": _straight(8.0, 0.5, 0.7),
        "0.63 m in 0.67 s (`--run fast`)": RUNS["fast"].request,
        "0.51 m in 0.4 s, feet swing longer (`--run fastest`)": RUNS["fastest"].request,
        "0.65 m in 0.6 s": _straight(8.0, 0.65, 0.6),
    }
    for label, request in runs.items():
        asked = [replace(request, mode="full", noise=True, seed=seed) for seed in range(seeds)]
        found = [walk(each, code=code) for each in asked]
        told = found[0].summary.problem
        if told is not None:
            rows.append(f"| {label} | | not planned: {told} | | |")
            continue
        stood = sum(not each.summary.fallen for each in found)
        pace = 3.6 * min(_top_speed(each.signals["center"][:, 0]) for each in found)
        tilt = np.rad2deg(max(each.summary.tilt for each in found))
        loads = joint_loads(found[0].session.pilot.motion, code.whole)
        joint = loads.names[int(loads.velocity_shares.argmax())]
        share = f"{joint}, {loads.velocity_share:.0%} of its no-load speed"
        rows.append(f"| {label} | {pace:.2f} km/h | {stood} of {seeds} | {tilt:.1f} | {share} |")
        print(rows[-1], flush=True)
    return rows


def _straight(distance: float, longest: float, duration: float) -> WalkRequest:
    """A walk straight ahead by steps of up to a length, m, each of a duration, s."""
    signals = (
        Set(name="motion.phase.transition_s", value=duration),
        WalkStraight(time=0.8, distance=distance, longest=longest),
    )
    return WalkRequest(scene="flat", signals=signals)


def _top_speed(x: Array) -> float:
    """Of a robot that is at x (periods,), m: the mean over the fastest 2 s, m/s."""
    count = round(2.0 / WalkRequest().period)
    return float((x[count:] - x[:-count]).max(initial=0.0)) / 2.0


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--output", type=Path, default=Path("benchmarks/full_mode.md"))
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    code = WalkingCode(walking_body(footfall.load("lola")))
    lines = [
        "# Walking on drives",
        "",
        f"Machine: {processor()}, load {load_average()}. CPU time of one thread. `--mode full`, sensors with errors, "
        "a bus of one tick's latency.",
        "",
        "## Times",
        "",
        *speed(code),
        "",
        "## Fast and far",
        "",
        *fast(code, options.seeds),
        "",
        "## Scenes",
        "",
    ]
    for line in scene_walks(code, options.seeds, "full"):
        lines.append(line)
        print(line, flush=True)
        options.output.write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
