"""Where a robot that stands may put a foot to catch itself, as far as it knows the ground around it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import Vector3
from footfall.environment.model import Environment
from footfall.environment.sampling import sample_footprints
from footfall.gait.poses import RobotPose
from footfall.math.rotations import yaw_of
from footfall.planning.parameters import FootholdLimits
from footfall.walking.gains import ControlGains

_CELL = 0.02  # m
_EVEN = 0.025  # m, by which the ground may be off the height that the foot stands at
_SHARES = (1.0, 0.8, 0.6, 0.4, 0.2)  # of a step that are tried


class StepGround(NamedTuple):
    """free (2, n, n): 1 where RF and LF may be put, by x and y; origin (2, 2): m, of the first cell of each. cells
    (1,): how many of n are known, along each axis. Without cells the ground is taken to be level all around."""

    free: Array
    origin: Array
    cells: Integers


def unknown_ground() -> StepGround:
    """Of a robot that has not looked: level all around."""
    return ground_room(0)


def ground_room(cells: int) -> StepGround:
    """Room for so many cells along each axis, of which none is known."""
    return StepGround(np.zeros((2, cells, cells)), np.zeros((2, 2)), np.zeros(1, np.int64))


def most_cells(gains: ControlGains) -> int:
    """That the ground around a robot has along each axis."""
    return len(_offsets(gains))


def _offsets(gains: ControlGains) -> Array:
    """Of cells from the middle, along an axis, m."""
    reach = gains.catching_step + gains.sole.width
    return np.arange(-reach, reach + _CELL, _CELL)


def put_ground(source: StepGround, target: StepGround) -> None:
    """The same as `copy_ground`, by NumPy: types of arrays may be those of another process."""
    known = int(source.cells[0])
    target.free[:, :known, :known] = source.free[:, :known, :known]
    target.origin[:], target.cells[0] = source.origin, known


def copy_ground(source: StepGround, target: StepGround) -> None:
    """Let ground that has room for it be as another."""
    known = source.cells[0]
    for foot in range(2):
        for i in range(known):
            for j in range(known):
                target.free[foot, i, j] = source.free[foot, i, j]
    target.origin[:] = source.origin
    target.cells[0] = known


def ground_around(
    environment: Environment, pose: RobotPose, by: Array, limits: FootholdLimits, gains: ControlGains
) -> StepGround:
    """Of feet in a pose that is displaced by (3,), m: where they may be put on level ground that was seen."""
    sole, steps = gains.sole, _offsets(gains)
    reach = -float(steps[0])
    free, origin = np.zeros((2, len(steps), len(steps))), np.zeros((2, 2))
    for number, foot in enumerate(pose.feet):
        x, y, z = np.array(foot.position) + by
        yaw = float(yaw_of(np.array(foot.rotation)))
        places = np.stack([*np.meshgrid(x + steps, y + steps, indexing="ij")], axis=-1).reshape(-1, 2)
        found = sample_footprints(
            environment.terrain,
            np.column_stack([places, np.full(len(places), yaw)]),
            lower=np.array([sole.rear, sole.right]),
            upper=np.array([sole.front, sole.left]),
        )
        level = (found.highest < z + _EVEN) & (found.lowest > z - _EVEN)
        free[number] = (level & (found.confidence >= limits.least_confidence)).reshape(free[number].shape)
        origin[number] = x - reach, y - reach
    return StepGround(free, origin, np.array([len(steps)]))


def on_free_ground(foot: int, place: Vector3, step: Vector3, ground: StepGround) -> Vector3:
    """The longest part of a step, m, from a place to where the foot may stand; none of it if there is no such place."""
    known = ground.cells[0]
    if known == 0:
        return step
    for share in _SHARES:
        there = place + share * step
        i = int(np.floor((there[0] - ground.origin[foot, 0]) / _CELL + 0.5))
        j = int(np.floor((there[1] - ground.origin[foot, 1]) / _CELL + 0.5))
        inside = 0 <= i < known and 0 <= j < known
        if inside and ground.free[foot, i, j] > 0.5:
            return share * step
    return np.zeros(3)
