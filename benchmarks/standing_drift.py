"""Robots that stand under PD control for a minute, and a block on a slope: do feet drift, does anything sink?

python benchmarks/standing_drift.py [--seconds 60]
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse
import warnings

import numpy as np

from benchmarks.lab.contact_scenes import contact_scene
from footfall import Material, Scene, SceneObject, free_body
from footfall.errors import ConvergenceWarning, MissingFile
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.robot.shapes import Box
from footfall.simulation.simulation import Simulation

MOST_DRIFT = MOST_DEPTH = 1e-6  # m
MOST_CREEP = 1e-9  # m/s
SETTLING = 2.0  # s
ROBOTS = [
    "ANYmal standing",
    "ANYmal standing, joint limits and friction",
    "LOLA standing, 8 points",
    "LOLA standing, 32 points",
]


def standing(name: str, seconds: float) -> str:
    """Drift of the feet, m, and depth, m, after the robot has settled."""
    scene = contact_scene(name)
    simulation = scene.simulation()
    command = scene.command(simulation)
    simulation.run(command, SETTLING)
    start, drift, depth, unsolved, steps = None, 0.0, 0.0, 0, 0
    for _ in range(round(seconds)):
        trajectory = simulation.run(command, 1.0)
        start = trajectory.positions[0] if start is None else start
        drift = max(drift, float(np.linalg.norm(trajectory.positions - start, axis=2).max()))
        depth = max(depth, -float(trajectory.positions[:, :, 2].min()))
        unsolved += int((trajectory.residual > 1e-8 * scene.weight_impulse).sum())
        steps += len(trajectory.time)
    verdict = "" if drift < MOST_DRIFT and depth < MOST_DEPTH else " WRONG"
    return f"| {name} | {drift:.1e} | {max(depth, 0.0):.1e} | {100 * unsolved / steps:.2f} % |{verdict}"


def creeping(part: float, friction: float) -> str:
    """Mean speed of a block on four corners on a slope below the friction angle, m/s, over 10 s after 1 s."""
    angle = part * np.arctan(friction)
    c, s = np.cos(angle), np.sin(angle)
    rotation = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    shape, material = Box((0.2, 0.2, 0.2)), Material(friction=friction)
    slope = SceneObject("slope", Plane(), Transform(rotation, np.zeros(3)), material)
    block = SceneObject(
        "block", shape, Transform(rotation, 0.1 * rotation[:, 2]), material, free=free_body(shape, 1.0)
    )
    simulation = Simulation(None, Scene("slope", (slope, block)))
    simulation.run(simulation.zero_command, 1.0)
    before = simulation.state.q[:3].copy()
    simulation.run(simulation.zero_command, 10.0)
    speed = float(np.linalg.norm(simulation.state.q[:3] - before)) / 10.0
    verdict = "" if speed < MOST_CREEP else " WRONG"
    return f"| block at {part:g} atan({friction:g}) | {speed:.1e} m/s | | |{verdict}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)  # counted in the table
    lines = [
        f"| {options.seconds:g} s | drift, m | depth, m | steps above 1e-8 m g dt |",
        "|---|---|---|---|",
    ]
    for name in ROBOTS:
        try:
            lines.append(standing(name, options.seconds))
        except MissingFile:
            lines.append(f"| {name} | example-robot-data is not installed | | |")
    lines += [creeping(0.9, friction) for friction in (0.3, 0.8)]
    print("\n".join(lines))
    sys.exit("WRONG" in "".join(lines))


if __name__ == "__main__":
    main()
