"""`EndEffectorControl` from random poses, many of them near singular ones: where it ends, and what was said of it.

    python -m benchmarks.near_singular [first seed] [last seed]

A UR10 of example-robot-data, drives limited to its efforts, in free space (nothing touches), semi-implicit steps of
2 ms for 2 s, to a target 137 mm and 0.37 rad away. Beside it where inverse kinematics gets from the same pose.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

import footfall
from footfall import Transform
from footfall.control import EndEffectorControl, gains_from, pose_error
from footfall.errors import ControlWarning
from footfall.ik import solve_ik
from footfall.math import boxplus
from footfall.tasks import PoseTask

DT, SECONDS, FRAME = 2e-3, 2.0, "tool0"
TURN, WAY = np.array([0.2, -0.1, 0.3]), np.array([0.05, 0.1, -0.08])  # rad, m
KINDS = ("near a singular pose", "directions", "more than its effort")


def main(first: int = 1000, last: int = 1059) -> None:
    """A line for each seed that does not arrive within 2 mm, and how many do."""
    robot = footfall.load("ur10")
    arrived = 0
    for seed in range(first, last + 1):
        q = footfall.random_configuration(robot, seed=seed)
        start = footfall.frame_pose(robot, q, FRAME)
        target = Transform(boxplus(start.rotation, TURN), start.translation + WAY)
        inverse = solve_ik(robot, q, [PoseTask(FRAME, target)]).q
        control = EndEffectorControl(robot, FRAME, target, gains_from(2.0))
        v, fastest = np.zeros(robot.nv), 0.0
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", ControlWarning)
            for k in range(round(SECONDS / DT)):
                v = v + DT * footfall.forward_dynamics(robot, q, v, control.torque(k * DT, q, v))
                q = footfall.integrate(robot, q, DT * v)
                fastest = max(fastest, float(np.abs(v).max()))
        off, best = (
            1e3 * float(np.linalg.norm(pose_error(footfall.frame_pose(robot, at, FRAME), target)[:3]))
            for at in (q, inverse)
        )
        arrived += off < 2.0
        if off >= 2.0:
            said = [kind for kind in KINDS if any(kind in str(one.message) for one in told)]
            print(f"| {seed} | {off:.1f} | {best:.1f} | {fastest:.1f} | {', '.join(said) or 'NOTHING'} |")
    print(f"{arrived} of {last - first + 1} arrive within 2 mm")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
