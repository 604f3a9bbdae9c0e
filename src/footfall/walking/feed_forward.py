"""Torques that drives will need: weight of the limbs and the contact forces that are asked for.

Servos learn of a load from the error that it makes; told before, they make next to none. Velocities are fed forward by
the servos themselves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler import Kernel, build_kernel
from footfall.compiler.routines import call_native
from footfall.dynamics.inverse_dynamics import newton_euler
from footfall.dynamics.kinematics import frame_pose
from footfall.gait.poses import HANDS
from footfall.walking.body import FEET, WalkingBody
from footfall.walking.distribution import Shares

_WRENCHES = 18  # numbers: feet (2, 6), hands (2, 3)


class FeedForward(NamedTuple):
    """code: native, 0 if nothing is fed forward. share: of the torques. driven (joints,): places of joints among
    velocities. room: for native code; nq: of it."""

    code: int
    share: float
    driven: Integers
    nq: int
    room: Array


def feed_forward_kernel(body: WalkingBody) -> Kernel:
    """Native code: torques (nv,) at rest at q (nq,) under wrenches (18,) as in `Shares`."""
    robot, frames = body.robot, body.model.frames

    def needed(q: Array, wrenches: Array) -> dict[str, Array]:
        loads = {}
        for number, name in enumerate(FEET):
            turn, own = frame_pose(robot, q, frames[name]).rotation, wrenches[6 * number : 6 * number + 6]
            loads[frames[name]] = np.concatenate([turn @ own[:3], turn @ own[3:]])
        for number, name in enumerate(HANDS):
            force = wrenches[12 + 3 * number : 15 + 3 * number]
            loads[frames[name]] = np.concatenate([force, np.zeros(3)])
        still = np.zeros(robot.nv)
        return {"torques": newton_euler(robot, q, still, still, loads)}

    key = f"{robot.fingerprint} {sorted(frames.items())!r}"
    sizes = {"q": robot.nq, "wrenches": _WRENCHES}
    return build_kernel(needed, sizes, name="walking_feed_forward", key=key, module=__name__)


def new_feed_forward(body: WalkingBody, kernel: Kernel | None, share: float) -> FeedForward:
    """What `needed_torques` works with; the kernel must be kept."""
    nq, nv = body.robot.nq, body.robot.nv
    code = 0 if kernel is None else kernel.native_function().address
    return FeedForward(code, share, body.driven, nq, np.zeros(nq + _WRENCHES + nv))


def needed_torques(feed: FeedForward, q: Array, shares: Shares, effort: Array) -> None:
    """Fill torques (joints,), Nm, for the model at q (nq,)."""
    room, nq = feed.room, feed.nq
    room[:nq] = q
    for i in range(6):
        room[nq + i], room[nq + 6 + i] = shares.right_foot[i], shares.left_foot[i]
    for i in range(3):
        room[nq + 12 + i], room[nq + 15 + i] = shares.right_hand[i], shares.left_hand[i]
    end = nq + _WRENCHES
    call_native(feed.code, room[:end], room[end:])
    for k in range(len(feed.driven)):
        effort[k] = feed.share * room[end + feed.driven[k]]
