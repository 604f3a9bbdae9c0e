"""A warning of joints that saturate or ring, as they do under gains that do not fit the robot."""

from __future__ import annotations

import warnings

import numpy as np

from footfall.arrays import Array
from footfall.errors import RestlessJointsWarning
from footfall.robot.model import Robot

_LOOKED_AT = 200  # last periods of a run
_FULL = 0.999  # of the greatest effort
_OFTEN = 0.5  # of the periods at full effort
_TURNING = 0.3  # of the periods in which the velocity turns round
_FAST = 0.5  # rad/s or m/s, below which swinging is no harm
_SHOWN = 5


def warn_of_restless_joints(robot: Robot, v: Array, effort: Array) -> bool:
    """Of a run with velocities v and efforts (n, nv): joints at full effort half of the time at its end, and such that
    turn round in every third control period. Gives whether there was something to say."""
    v, effort = v[-_LOOKED_AT:], effort[-_LOOKED_AT:]
    limits = robot.effort_limits
    driven = np.isfinite(limits) & (limits > 0.0)
    saturated = driven & ((np.abs(effort) >= _FULL * limits).mean(axis=0) > _OFTEN)
    # Limp ones are struck by others.
    swing = (np.sqrt((v**2).mean(axis=0)) > _FAST) & (effort != 0.0).any(axis=0)
    ringing = swing & ((v[1:] * v[:-1] < 0.0).mean(axis=0) > _TURNING)
    parts = [
        f"joints that {what}: {names}"
        for names, what in (
            (_joints(robot, saturated & ~ringing), "give their greatest effort most of the time"),
            (_joints(robot, ringing), "swing to and fro from step to step"),
        )
        if names
    ]
    if parts:
        warnings.warn(
            f"{'; '.join(parts)}. Lower gains or a smaller dt may help, or the load is too great for them",
            RestlessJointsWarning,
            stacklevel=3,
        )
    return bool(parts)


def _joints(robot: Robot, which: Array) -> str:
    """Names of the joints of these velocities, without those of free roots."""
    if not which.any():
        return ""
    names = [
        joint.name
        for joint in robot.joints
        if not joint.type.has_quaternion and which[robot.v_slice(joint.name)].any()
    ]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
