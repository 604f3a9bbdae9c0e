"""Arms that are no faster than their joints can be.

A hand near the end of its arm's reach asks for any speed. It may lag behind its way, which it makes up for later; feet
and centre of mass hardly notice, since arms are light. Likewise an arm that swings back from a wall, pushed off body
and wall at once, ends at the stops of its joints. Accelerations must not be bounded likewise: hands that lean on a
wall then lag behind their forces, and hammer on it until the robot falls.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.robot.drives.drive_limits import DriveLimits
from footfall.walking.body import WalkingBody
from footfall.walking.joint_room import room_share

_SHARE = 0.9  # of the speed that a joint can have: drives swing beyond their set points


def arm_speeds(body: WalkingBody, limits: DriveLimits) -> Array:
    """How fast joints of arms may be (nv,), rad/s, for a robot whose joints have these limits; infinite for others."""
    most = np.full(body.robot.nv, np.inf)
    for name in body.arm_joints:
        place = body.robot.v_slice(name)
        most[place] = _SHARE * limits.velocity[place]
    return most


def hold_arms(most: Array, mobility: Array, v: Array) -> None:
    """Let velocities v (nv,) of arms be such that they can be followed, and end at the stops of their joints. mobility
    (2, nv): how freely joints may go down and up, see `joint_room.py`."""
    for k in range(len(v)):
        if most[k] < np.inf:
            down, up = most[k] * room_share(mobility[0, k]), most[k] * room_share(mobility[1, k])
            v[k] = min(max(v[k], -down), up)
