"""Whether a motion keeps a robot's volumes apart: many configurations in a row, up to the first that does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import forward_kinematics
from footfall.dynamics.volume_distances import volume_plan
from footfall.errors import RobotError
from footfall.geometry.swept_pairs import first_hit
from footfall.robot.model import Robot
from footfall.robot.volumes import Pair

_POSES_A_PIECE = 64  # configurations whose poses are found at a time: what follows a hit is not looked at
_TOUCH = 1e-6  # m; what is farther apart need not be exact where touching is all that is asked for


class Collision(NamedTuple):
    """Where a motion fails: the number of the configuration, the closest pair of volumes there, and its distance, m."""

    place: int
    pair: Pair
    distance: float


def first_collision(
    robot: Robot, motion: Array, *, clearance: float = 0.0, pairs: Sequence[Pair] | None = None
) -> Collision | None:
    """The first configuration of a motion (n, nq) that has volumes closer than the clearance, m; None if none has.

    Nothing after it is looked at. pairs: as in `volume_distances`. What lies between two configurations is not seen:
    take steps that move no part by more than the clearance.
    """
    motion = np.asarray(motion, dtype=np.float64)
    if motion.ndim != 2 or motion.shape[1] != robot.nq or not np.isfinite(motion).all():
        message = f"motion has shape {motion.shape}; it must be finite (n, {robot.nq})"
        raise RobotError(message, subject=("robot", robot.name))
    if not 0.0 <= clearance < np.inf:
        message = f"clearance is {clearance}; it must be finite and at least zero"
        raise RobotError(message, subject=("robot", robot.name))
    plan = volume_plan(robot, pairs, max(clearance, _TOUCH))
    poses = forward_kinematics.kernel(robot, frames=plan.bodies)
    for begin in range(0, len(motion), _POSES_A_PIECE):
        positions, rotations = poses(motion[begin : begin + _POSES_A_PIECE])
        hit = first_hit(plan.model, positions, rotations, clearance)
        if hit.place >= 0:
            return Collision(begin + hit.place, plan.chosen[hit.pair], hit.distance)
    return None
