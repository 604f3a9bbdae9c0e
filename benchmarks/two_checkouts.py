"""Steps of this checkout against another one, in interleaved processes: CPU time, medians of the ratios of blocks.

python -m benchmarks.two_checkouts ../other --blocks 7
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent.parent
DT, SECONDS, ROBOTS = 2e-3, 0.4, 256


def microseconds(run: Callable[[], int], repetitions: int = 7) -> float:
    """CPU time of a step; run: does some, and gives their number."""
    run()
    found = []
    for _ in range(repetitions):
        begin = time.process_time()
        steps = run()
        found.append((time.process_time() - begin) / steps * 1e6)
    return float(np.median(found))


def cases() -> Iterator[tuple[str, float]]:
    """Names, and microseconds of a step."""
    import footfall
    from footfall.simulation import FeetSimulation, RobotBatch

    feet = ["FL_foot", "FR_foot", "RL_foot", "RR_foot"]
    for name, robot, touching in (
        ("Go2", footfall.load("go2", floating_base=True), feet),
        ("LOLA", footfall.load("lola"), None),
    ):
        found = footfall.Simulation(robot, "flat", dt=DT, substeps=5)
        hold = found.hold()
        found.run(hold, SECONDS)
        state = found.state

        def step_found(found=found, hold=hold, state=state) -> int:  # type: ignore[no-untyped-def]
            found.state = state
            found.run(hold, SECONDS)
            return round(SECONDS / DT)

        yield f"{name} standing, found", microseconds(step_found)
        lanes = FeetSimulation(robot, "flat", feet=touching, dt=DT)
        lanes.reset(state.q)
        still, starts = lanes.hold(), np.tile(state.q, (ROBOTS, 1))
        starts[:, 2] += np.random.default_rng(1).uniform(0.0, 0.01, ROBOTS)

        def step_one(lanes=lanes, still=still, state=state) -> int:  # type: ignore[no-untyped-def]
            lanes.reset(state.q)
            lanes.run(still, SECONDS)
            return round(SECONDS / DT)

        def step_many(lanes=lanes, still=still, starts=starts, robot=robot) -> int:  # type: ignore[no-untyped-def]
            lanes.rollout(starts, np.zeros(robot.nv), still, steps=100, threads=1)
            return ROBOTS * 100

        yield f"{name}, one in lanes", microseconds(step_one)
        yield f"{name}, {ROBOTS} set down, in lanes", microseconds(step_many, 5)
    blocks = footfall.Simulation(None, "blocks", dt=DT)
    blocks.run(blocks.zero_command, 0.2)
    begun = blocks.state

    def step_blocks() -> int:
        blocks.state = begun
        blocks.run(blocks.zero_command, 1.0)
        return round(1.0 / DT)

    yield "blocks, found", microseconds(step_blocks)
    batch = RobotBatch(footfall.load("go2", floating_base=True), ROBOTS, threads=1)
    goal = batch.state.held.copy()

    def step_batch() -> int:
        batch.reset()
        for _ in range(20):
            batch.step(goal)
        return ROBOTS * 80

    yield f"Go2, {ROBOTS} standing, RobotBatch", microseconds(step_batch, 5)


def measured(checkout: Path) -> dict[str, float]:
    """The cases in a process of their own, with the source of a checkout."""
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    command = [sys.executable, str(Path(__file__)), "--here"]
    text = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    rows = (line.rsplit("\t", 1) for line in text.splitlines())
    return {name: float(value) for name, value in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, nargs="?")
    parser.add_argument("--blocks", type=int, default=7)
    parser.add_argument("--here", action="store_true")
    options = parser.parse_args()
    if options.here:
        warnings.simplefilter("ignore")
        for name, value in cases():
            print(f"{name}\t{value}")
        return
    if options.other is None:
        parser.error("name the other checkout")
    for checkout in (options.other, ROOT):  # native code is compiled and kept
        measured(checkout)
    pairs = [(measured(options.other), measured(ROOT)) for _ in range(options.blocks)]
    print("| a step, us | the other | this | ratio, quartiles |\n|---|---|---|---|")
    for name in pairs[0][0]:
        before, after = (np.array([pair[k][name] for pair in pairs]) for k in (0, 1))
        low, middle, high = np.quantile(after / before, (0.25, 0.5, 0.75))
        print(
            f"| {name} | {np.median(before):.3g} | {np.median(after):.3g} | {middle:.2f}, {low:.2f} to {high:.2f} |"
        )


if __name__ == "__main__":
    main()
