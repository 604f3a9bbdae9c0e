"""Configurations that rows start from: joints by name, feet on level ground."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import forward_kinematics
from footfall.errors import UnknownName
from footfall.robot.model import Robot
from footfall.robot.start import inside_limits, start_of
from footfall.simulation.lanes.foot_points import find_feet


def by_joint(robot: Robot, values: Mapping[str, float], purpose: str) -> dict[str, float]:
    """Values for joints by name, from those by name or by a part of it; later ones win. purpose: for messages."""
    moving = [
        joint for joint in robot.joint_names if robot.q_slice(joint).stop - robot.q_slice(joint).start == 1
    ]
    result: dict[str, float] = {}
    for part, value in values.items():
        named = [joint for joint in moving if part == joint] or [joint for joint in moving if part in joint]
        if not named:
            raise UnknownName("joint", part, moving, f"robot {robot.name!r}, for {purpose}")
        result |= dict.fromkeys(named, value)
    return result


def standing(robot: Robot, posture: Mapping[str, float], feet: Sequence[str] | None = None) -> Array:
    """Configuration (nq,) of a robot whose feet touch level ground. posture: rad, of joints by name or by a part of it;
    feet: bodies, by default found."""
    q = np.array(start_of(robot).q)
    for joint, value in by_joint(robot, posture, "the posture").items():
        q[robot.q_slice(joint)] = value
    q = inside_limits(robot, q)
    found = find_feet(robot, q=q, bodies=feet)
    poses = forward_kinematics(robot, q, frames=tuple(foot.body for foot in found))
    lowest = min(
        float((rotation @ np.array(point.point) + position)[2] - point.radius)
        for foot, position, rotation in zip(found, poses.position, poses.rotation, strict=True)
        for point in foot.points
    )
    q[2] -= lowest
    q.flags.writeable = False
    return q
