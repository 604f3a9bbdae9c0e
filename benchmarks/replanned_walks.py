"""Replan a walk at every step with steps that turn now one way, now the other: how many replans are refused, how large
the motion grows, and how the zero-moment point of a stamp moves with its yaw.

python benchmarks/replanned_walks.py [--replans 300]
"""

import argparse
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

import footfall
from footfall.errors import InvalidTransition, MotionWarning
from footfall.gait.walking_transitions import WalkingTransition, walking_sequence
from footfall.motion.pipeline import gait_dimensions, generate_motion
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.replanning import continuation, replan

KINDS = {  # most length and yaw of a step, m and rad
    "stamping, yaw up to 0.001 rad": (0.0, 1e-3),
    "stamping, yaw up to 0.2 rad": (0.0, 0.2),
    "0.2 m, yaw up to 0.1 rad": (0.2, 0.1),
    "0.3 m, yaw up to 0.2 rad": (0.3, 0.2),
    "0.4 m, yaw up to 0.1 rad": (0.4, 0.1),
}


def replanned(
    model: ReducedModel, length: float, yaw: float, count: int, *, seed: int = 0
) -> tuple[Counter[str], int, float, float]:
    """Refusals, segments of the torso at the end, and CPU seconds a replan at the begin and at the end."""
    dimensions, random = gait_dimensions(model), np.random.default_rng(seed)
    steps = [WalkingTransition(forward=length / 2)] * 3
    motion = generate_motion(footfall.walking_plan(model, steps), model)
    refused: Counter[str] = Counter()
    seconds, now = [], motion.begin_time + 0.1
    for _ in range(count):
        at = continuation(motion, now)
        steps = [WalkingTransition(forward=length, yaw=float(random.uniform(-yaw, yaw))) for _ in range(4)]
        try:
            begin = time.thread_time()
            motion = replan(motion, at, walking_sequence(steps, at.pose, dimensions).transitions)
            seconds.append(time.thread_time() - begin)
        except InvalidTransition as error:
            refused["feet too close" if "overlap" in str(error) else "others"] += 1
        now = min(at.time + 0.1, motion.end_time - 0.1)
    few = max(len(seconds) // 10, 1)
    return (
        refused,
        len(motion.curves.torso.coefficients),
        float(np.median(seconds[:few])),
        float(np.median(seconds[-few:])),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replans", type=int, default=300)
    options = parser.parse_args()
    warnings.simplefilter("ignore", MotionWarning)
    model = footfall.reduced_model(footfall.load("lola"))
    for yaw in (-1e-1, -1e-2, -1e-4, 0.0, 1e-4, 1e-2, 1e-1):
        plan = footfall.walking_plan(model, [WalkingTransition(yaw=yaw)] * 4)
        motion = generate_motion(plan, model)
        print(
            f"yaw {yaw:8.4f} rad: zero-moment point x {motion.sample(motion.phases.times).zmp[1:6, 0, 0].round(4)}"
        )
    for name, (length, yaw) in KINDS.items():
        refused, segments, first, last = replanned(model, length, yaw, options.replans)
        print(
            f"{name}: {dict(refused)} of {options.replans} refused, {segments} torso segments, "
            f"{1e3 * first:.2f} ms a replan at the begin, {1e3 * last:.2f} ms at the end"
        )


if __name__ == "__main__":
    main()
