"""Whether joints keep their limits while a robot walks: looked at every period, told at the end.

On ideal drives a joint goes wherever its set points say, also through a stop. The walk goes on, and its summary tells
of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.robot.drives.drive_limits import DriveLimits
from footfall.robot.model import JointType
from footfall.walking.body import WalkingBody
from footfall.walking.state import JointPlaces

_STOP_SLACK = np.deg2rad(0.1)  # rad, or m, from which on it counts: stops give way a little
_THROUGH = np.deg2rad(5.0)  # likewise, from which on no stop gives way
_FASTER = 1.01  # likewise, of the velocity that a joint can have
_NEVER = -1.0  # s


class JointWatch(NamedTuple):
    """lower, upper, fastest (joints,): limits, rad or m, and rad/s or m/s. beyond, faster (joints,): greatest excess so
    far, and greatest velocity as a part of the limit. beyond_at, faster_at (joints,): when it was first too much, s."""

    lower: Array
    upper: Array
    fastest: Array
    beyond: Array
    faster: Array
    beyond_at: Array
    faster_at: Array


def new_watch(body: WalkingBody, limits: DriveLimits) -> JointWatch:
    """Nothing has happened yet. limits: of all joints, by their drives."""
    robot, joints = body.robot, len(body.driven)
    return JointWatch(
        robot.lower_limits[body.coordinates],
        robot.upper_limits[body.coordinates],
        limits.velocity[body.driven],
        np.zeros(joints),
        np.zeros(joints),
        np.full(joints, _NEVER),
        np.full(joints, _NEVER),
    )


def watch_joints(watch: JointWatch, places: JointPlaces, q: Array, v: Array, time: float) -> None:
    """Look at q (nq,) and v (nv,) at a time, s."""
    for k in range(len(places.velocities)):
        angle = q[places.coordinates[k]]
        beyond = max(angle - watch.upper[k], watch.lower[k] - angle)
        if beyond > _STOP_SLACK:
            if watch.beyond_at[k] < 0.0:
                watch.beyond_at[k] = time
            watch.beyond[k] = max(watch.beyond[k], beyond)
        faster = abs(v[places.velocities[k]]) / watch.fastest[k]
        if faster > _FASTER:
            if watch.faster_at[k] < 0.0:
                watch.faster_at[k] = time
            watch.faster[k] = max(watch.faster[k], faster)


def beyond_stops(watch: JointWatch, body: WalkingBody, *, through: bool) -> tuple[str, ...]:
    """In words: which joints were beyond their limits, by how much, and from when on: those whose stops would have
    given way by as much, or those that went through."""
    over = []
    for k, name in enumerate(body.joint_names):
        by = watch.beyond[k]
        if watch.beyond_at[k] >= 0.0 and bool(by > _THROUGH) is through:
            size = f"{1e3 * by:.0f} mm" if slides(body, name) else f"{np.rad2deg(by):.1f} degrees"
            over.append(f"joint {name!r} up to {size} beyond its limits, first at {watch.beyond_at[k]:.3f} s")
    return tuple(over)


def too_fast(watch: JointWatch, body: WalkingBody) -> tuple[str, ...]:
    """In words: which joints were faster than they can be, by how much, and from when on."""
    over = []
    for k, name in enumerate(body.joint_names):
        if watch.faster_at[k] >= 0.0:
            limit = f"{watch.fastest[k]:.3g} {'m/s' if slides(body, name) else 'rad/s'}"
            over.append(
                f"joint {name!r} at up to {watch.faster[k]:.0%} of the {limit} that it can have, first at "
                f"{watch.faster_at[k]:.3f} s"
            )
    return tuple(over)


def slides(body: WalkingBody, joint: str) -> bool:
    """Whether a joint is measured in m."""
    return body.robot.joint(joint).type is JointType.PRISMATIC
