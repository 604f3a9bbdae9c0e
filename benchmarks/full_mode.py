"""Walking on drives: speed of the simulation, half the step, scenes with seeds, fast and long walks. Writes a report.

python benchmarks/full_mode.py [--seeds 3] [--output benchmarks/full_mode.md]
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import footfall
from benchmarks.lab.scene_walks import scene_walks
from footfall.bench.surroundings import load_average, processor
from footfall.errors import FootfallError
from footfall.gait.actions import straight
from footfall.motion.motion import Motion
from footfall.motion.pipeline import generate_motion
from footfall.scene.load import load_scene
from footfall.walking.walk import walking_body
from footfall.walking.walker import Walker, WalkerOptions, WalkingCode

FAST = ((0.5, 0.7), (0.63, 0.67), (0.65, 0.6), (0.7, 0.56))  # m and s a step


def motion_of_steps(code: WalkingCode, distance: float, longest: float, duration: float | None) -> Motion:
    model = code.body.model
    steps = straight(distance, longest=longest, duration=duration)
    return generate_motion(footfall.walking_plan(model, steps), model, body=code.whole)


def speed(code: WalkingCode) -> list[str]:
    """CPU time of a period and what half the step of the plant changes."""
    motion, rows, torques = motion_of_steps(code, 3.0, 0.4, None), [], []
    for steps in (4, 8):
        walker = Walker(code, load_scene("flat"), motion, WalkerOptions(mode="full", substeps=steps))
        walker.run_until(1.0)
        blocks = []
        for k in range(10):
            begin = time.thread_time()
            walker.run_until(1.0 + 0.3 * (k + 1))
            blocks.append((time.thread_time() - begin) / 300 * 1e6)
        middle = float(np.median(blocks))
        rows.append(f"{steps} steps a period: {middle:.0f} us, {1e3 / middle:.1f} times real time.")
        torques.append(walker.log.signals["right_foot"][500:4000, 3:5])
    one, two = torques
    change = float(np.sqrt(np.mean((one - two) ** 2)) / np.sqrt(np.mean(two**2)))
    rows.append(f"Torques on a foot with half the step of the plant: they change by {change:.1%} (RMS).")
    return rows


def _walk(code: WalkingCode, scene: str, motion: Motion, seed: int) -> tuple[bool, Walker]:
    walker = Walker(code, load_scene(scene), motion, WalkerOptions(noise=True, seed=seed, mode="full"))
    return walker.run_until(motion.end_time + 1.0), walker


def fast(code: WalkingCode, seeds: int) -> list[str]:
    """How fast it walks straight ahead, and how far."""
    rows = ["| step | speed | walked | greatest tilt, degrees |", "|---|---|---|---|"]
    cases = [(8.0, *each) for each in FAST] + [(30.0, 0.4, None)]
    for distance, length, duration in cases:
        try:
            motion = motion_of_steps(code, distance, length, duration)
        except FootfallError as error:
            rows.append(f"| {length} m in {duration} s | | not planned: {str(error)[:60]} | |")
            continue
        found = [_walk(code, "flat", motion, seed) for seed in range(seeds)]
        tilt = max(float(np.abs(walker.log.signals["tilt"]).max()) for _, walker in found)  # type: ignore[call-overload]
        label = f"{length} m in {duration} s" if duration else f"{distance:.0f} m by steps of {length} m"
        pace = 3.6 * length / duration if duration else 3.6 * distance / motion.end_time
        walked = sum(done for done, _ in found)
        rows.append(f"| {label} | {pace:.2f} km/h | {walked} of {seeds} | {np.rad2deg(tilt):.1f} |")
        print(rows[-1], flush=True)
    return rows


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
