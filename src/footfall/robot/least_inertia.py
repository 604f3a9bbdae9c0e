"""Joints that move nothing, such as those of fingers without mass: the least inertia lets them be simulated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.errors import RobotError
from footfall.robot.model import Robot
from footfall.robot.validation import idle_joints

_SHARE = 1e-6  # of the robot's own inertia: too little to be seen, enough for a regular mass matrix


def with_least_inertia(robot: Robot) -> tuple[Robot, list[RobotError]]:
    """The robot with an armature on each joint that moves nothing, and what to say about it.

    Until none is left: a joint may move nothing but joints that were given one.
    """
    changed: list[str] = []
    size = max((float(np.linalg.norm(joint.placement.translation)) for joint in robot.joints), default=0.0)
    turning = max(_SHARE * robot.mass * max(size, 0.1) ** 2, 1e-9)  # kg m2
    sliding = max(_SHARE * robot.mass, 1e-9)  # kg
    while idle := set(idle_joints(robot)):
        joints = tuple(
            replace(joint, armature=turning if joint.type.turns else sliding) if joint.name in idle else joint
            for joint in robot.joints
        )
        robot = replace(robot, joints=joints)
        changed += [joint.name for joint in joints if joint.name in idle]
    if not changed:
        return robot, []
    shown = ", ".join(changed[:6]) + (f" and {len(changed) - 6} more" if len(changed) > 6 else "")
    message = (
        f"{len(changed)} joints move bodies without inertia ({shown}); "
        f"each gets the least armature, {turning:.2g} kg m2"
    )
    return robot, [RobotError(message, subject=("joint", changed[0]))]
