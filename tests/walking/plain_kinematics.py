"""Kinematics of some robot, whose frames are those of the world."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.walking.task_space import Kinematics


def plain_kinematics(
    errors: Array, jacobian: Array, slope: Array, momentum: Array, inertia: float
) -> Kinematics:
    """Nothing is near a limit. errors (m,) and jacobian (m, nv) of tasks, slope and momentum (nv,), inertia: kg m2."""
    turn, place = np.eye(3), np.zeros(3)
    room = np.ones((2, jacobian.shape[1]))
    feet, turns = (place, place), (turn, turn)
    return Kinematics(errors, jacobian, slope, momentum, room, inertia, place, turn, feet, turns, turns)
