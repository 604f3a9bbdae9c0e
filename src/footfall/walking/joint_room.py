"""How freely joints may move near their limits: what tasks leave free must not run into stops.

Weighted least norm, Chan and Dubey (1995): a joint that comes near a limit is penalised, so that others do its part.
That is for joints which tasks do not determine: those of arms, and those between the upper body and both legs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import maximum, minimum
from footfall.gait.poses import HANDS
from footfall.motion.body_tasks import joints_between
from footfall.robot.model import WORLD, JointType
from footfall.walking.body import FEET, WalkingBody

_LIMIT_ZONE = 0.15  # rad, from a limit, within which motion of a joint is penalised
_LEAST_MOBILITY = 0.01  # mobility at a limit and beyond
_RESTING = 0.2  # rad/s, below which a joint is nearly at rest


def free_joints(body: WalkingBody) -> tuple[str, ...]:
    """Joints of arms, and those between the upper body and both legs, as far as they have one limit or two."""
    chains = {name: set(_chain(body, name)) for name in (*FEET, *HANDS, "UB")}
    arms = set().union(*(chains[hand] - chains["UB"] for hand in HANDS))
    right, left = (chains[foot] ^ chains["UB"] for foot in FEET)
    free = arms | (right & left)
    return tuple(
        joint.name
        for joint in body.robot.joints
        if joint.name in free and joint.type in (JointType.REVOLUTE, JointType.PRISMATIC)
    )


def _chain(body: WalkingBody, landmark: str) -> list[str]:
    """Joints that carry a landmark, from the world on."""
    return [joint.name for joint in joints_between(body.robot, WORLD, body.model.frames[landmark])]


def mobility(body: WalkingBody, q: Array) -> Array:
    """How freely each velocity may go down and up (2 nv,) at q (nq,): 1, and down to 0.01 for free joints towards a
    limit that is near."""
    robot = body.robot
    down: list[Any] = [1.0] * robot.nv
    up: list[Any] = [1.0] * robot.nv
    for name in free_joints(body):
        at, place = robot.q_slice(name).start, robot.v_slice(name).start
        down[place] = _ease(q[at] - max(float(robot.lower_limits[at]), -1e9))
        up[place] = _ease(min(float(robot.upper_limits[at]), 1e9) - q[at])
    return np.array([*down, *up])


def _ease(room: Any) -> Any:
    """Mobility where this room is left, rad or m."""
    share = minimum(maximum(room / _LIMIT_ZONE, 0.0), 1.0)
    return _LEAST_MOBILITY + (1.0 - _LEAST_MOBILITY) * share * share * (3.0 - 2.0 * share)


def room_share(mobile: float) -> float:
    """How much of the room before a limit is left where a joint is as mobile as this: 1, and 0 at the limit."""
    return (mobile - _LEAST_MOBILITY) / (1.0 - _LEAST_MOBILITY)


def come_near(limits: Array, v: Array, mobile: Array) -> bool:
    """Write mobility (nv,) of joints that would have velocities v (nv,); whether one comes near a limit.

    limits (2, nv): `mobility` at their angles. A joint at rest has all of its own: nothing jumps where one turns back.
    """
    near = False
    for k in range(len(v)):
        towards = limits[1, k] if v[k] > 0.0 else limits[0, k]
        mobile[k] = 1.0 - (1.0 - towards) * min(abs(v[k]) / _RESTING, 1.0)
        near = near or towards < 1.0
    return near
