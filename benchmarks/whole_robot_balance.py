"""Where is the zero-moment point of a whole robot that follows planned motions, with and without its angular momentum
in the plan? And how long does planning take?

python benchmarks/whole_robot_balance.py [lola] [g1] [talos]
"""

import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

import footfall
from footfall.bench.robots import load_measured
from footfall.errors import FootfallError, MotionWarning, RobotWarning
from footfall.gait.walking_transitions import WalkingTransition
from footfall.motion.following import follow_motion, followed_balance
from footfall.motion.model_derivation import reduced_model
from footfall.motion.motion import Motion
from footfall.motion.pipeline import gait_dimensions, generate_motion
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.standing import with_standing_frames
from footfall.motion.walk_check import speed_walk
from footfall.motion.whole_body import WholeBody
from footfall.robot.model import Robot

# Parts of the leg's length, s; LOLA: 0.2 to 0.63 m.
STEPS = (
    (0.23, 0.8),
    (0.46, 0.8),
    (0.57, 0.7),
    (0.72, 0.67),
)


def humanoid(name: str) -> tuple[Robot, ReducedModel]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)
        robot = footfall.load("lola") if name == "lola" else load_measured(name)
    robot = with_standing_frames(robot) if name == "g1" else robot
    return robot, reduced_model(robot)


def line(robot: Robot, motion: Motion) -> str:
    try:
        followed = follow_motion(robot, motion, allowed=0.05)
    except FootfallError as error:
        return f"{error}"
    found = followed_balance(robot, motion, followed)
    return f"{1e3 * found.error:.1f} mm RMS, least margin {1e3 * found.margins.min():.1f} mm"


def main(names: list[str]) -> None:
    warnings.simplefilter("ignore", MotionWarning)
    for name in names:
        robot, model = humanoid(name)
        body, leg = WholeBody(robot, model), gait_dimensions(model).leg_length
        for share, duration in STEPS:
            plan = speed_walk(model, share * leg, duration)
            try:
                plain, whole = (generate_motion(plan, model, check=False, body=each) for each in (None, body))
            except FootfallError as error:
                print(f"{name} {share * leg:.2f} m in {duration} s: {error}")
                continue
            step = f"{name} {share * leg:.2f} m in {duration} s"
            print(f"{step}: five masses {line(robot, plain)}; whole body {line(robot, whole)}")
        plan = footfall.walking_plan(model, [WalkingTransition(forward=0.3 * leg)] * 24)
        for what, each in (("five masses", None), ("whole body", body)):
            times = []
            for _ in range(30):
                begin = time.thread_time()
                generate_motion(plan, model, body=each, check=False)
                times.append(time.thread_time() - begin)
            print(f"{name}: 26 transitions, {what}: {1e3 * np.median(times):.2f} ms of CPU time")


if __name__ == "__main__":
    main(sys.argv[1:] or ["lola", "g1", "talos"])
