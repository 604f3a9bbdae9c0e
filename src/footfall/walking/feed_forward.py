"""Torques that drives will need: weight of the limbs and the contact forces that are asked for.

Servos learn of a load from the error that it makes; with feed-forward they make next to none. Velocities are fed
forward by the servos themselves. Torques are smoothed: what balance asks for in a period would shake a torso that
bends, which the inertial unit sees, and so on.
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
from footfall.robot.variants import sprung_joints
from footfall.walking.body import FEET, WalkingBody
from footfall.walking.distribution import Shares
from footfall.walking.gains import ControlGains

SMOOTH = 0.06  # s
_WRENCHES = 18  # numbers: feet (2, 6), hands (2, 3)


class FeedForward(NamedTuple):
    """code: native, 0 if nothing is fed forward. shares (joints,): of the torques. blend: of a new torque in a period.
    driven (joints,): places of joints among velocities. room: for native code; nq: of it."""

    code: int
    shares: Array
    blend: float
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


def new_feed_forward(body: WalkingBody, kernel: Kernel | None, gains: ControlGains) -> FeedForward:
    """What `needed_torques` works with; the kernel must be kept."""
    nq, nv = body.robot.nq, body.robot.nv
    code = 0 if kernel is None else kernel.native_function().address
    blend, shares = gains.period / (gains.period + SMOOTH), torque_shares(body, gains.feed_forward)
    return FeedForward(code, shares, blend, body.driven, nq, np.zeros(nq + _WRENCHES + nv))


def torque_shares(body: WalkingBody, share: float) -> Array:
    """Which share of its torque each joint (joints,) gets as feed-forward: those that only springs hold, none."""
    passive = sprung_joints(body.robot)
    return np.array([0.0 if name in passive else share for name in body.joint_names])


def needed_torques(feed: FeedForward, q: Array, shares: Shares, effort: Array) -> None:
    """Bring torques (joints,), Nm, nearer to those for the model at q (nq,)."""
    room, nq = feed.room, feed.nq
    room[:nq] = q
    for i in range(6):
        room[nq + i], room[nq + 6 + i] = shares.feet[0][i], shares.feet[1][i]
    for i in range(3):
        room[nq + 12 + i], room[nq + 15 + i] = shares.hands[0][i], shares.hands[1][i]
    end = nq + _WRENCHES
    call_native(feed.code, room[:end], room[end:])
    for k in range(len(feed.driven)):
        needed = feed.shares[k] * room[end + feed.driven[k]]
        effort[k] += feed.blend * (needed - effort[k])
