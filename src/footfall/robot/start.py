"""Where a robot starts by default: in a configuration that its file names, inside its limits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.robot.model import JointType, Robot
from footfall.robot.tree_loops import closed_configuration, neutral_coordinates

IDLE = "idle"  # preferred, if there is one of this name
_FROM_STOP = 0.1  # of its range: how far from a stop a joint is put that has to be moved
_TOLERANCE = 1e-6  # rad or m: files are written with about six digits
_SHOWN = 5


class Start(NamedTuple):
    """q (nq,). name: of the configuration it is, None: neutral. moved: joints that stood outside of their limits.
    lifted: how far the base was, to be above the ground, m."""

    q: Array
    name: str | None
    moved: tuple[str, ...] = ()
    lifted: float = 0.0

    def __str__(self) -> str:
        text = "the neutral configuration" if self.name is None else f"configuration {self.name!r}"
        if self.moved:
            more = f" and {len(self.moved) - _SHOWN} more" if len(self.moved) > _SHOWN else ""
            text += f", {', '.join(self.moved[:_SHOWN])}{more} moved inside of limits"
        return f"{text}, lifted by {self.lifted:.3g} m to be above the ground" if self.lifted else text


def start_of(robot: Robot, name: str | None = None) -> Start:
    """The configuration of that name as it is; without, "idle", else the robot's first, else neutral, with joints
    outside of their limits moved inside."""
    if name is not None:
        return Start(robot.configuration(name), name)
    known = robot.configurations
    name = IDLE if IDLE in known else next(iter(known), None)
    wished = neutral_coordinates(robot) if name is None else robot.configuration(name)
    q = inside_limits(robot, wished)
    if np.array_equal(q, wished):
        return Start(np.array(wished), name)
    moved = tuple(
        joint.name
        for joint in robot.joints
        if not np.array_equal(q[robot.q_slice(joint.name)], wished[robot.q_slice(joint.name)])
    )
    return Start(np.array(closed_configuration(robot, q)), name, moved)


def inside_limits(robot: Robot, q: Array) -> Array:
    """q (nq,) with joints that stand beyond a stop put a tenth of their range away from it.

    Joints that mimic others follow them.
    """
    lower, upper = robot.limits()
    inside = np.array(q, dtype=np.float64)
    room = _FROM_STOP * np.where(np.isfinite(upper - lower), upper - lower, 0.0)
    low, high = inside < lower - _TOLERANCE, inside > upper + _TOLERANCE
    inside[low] = (lower + room)[low]
    inside[high] = (upper - room)[high]
    for joint in robot.joints:
        if joint.mimic is not None and joint.type is not JointType.FIXED and (low | high).any():
            leader = inside[robot.q_slice(joint.mimic.joint)]
            inside[robot.q_slice(joint.name)] = joint.mimic.multiplier * leader + joint.mimic.offset
    return inside
