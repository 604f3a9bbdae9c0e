"""The load case for parts: forces on the hands in every direction at once, and what each joint then transmits."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.inverse_dynamics import inverse_dynamics
from footfall.dynamics.jacobians import frame_jacobian
from footfall.dynamics.joint_wrenches import joint_wrenches
from footfall.robot.model import Robot


@dataclass(frozen=True, slots=True)
class InterfaceLoad:
    """Greatest force (N) and moment (N m) between a body and the one that carries it, of all directions of the load."""

    joint: str
    body: str
    force: float
    moment: float


def interface_loads(
    robot: Robot, q: Array, *, hands: Sequence[str], feet: Sequence[str] = (), force: float = 100.0
) -> list[InterfaceLoad]:
    """What every joint transmits at rest under the weight and `force` (N) on each hand along each axis.

    q (nq,): of the robot. hands, feet: frames. The feet bear a floating robot with the least wrenches that do; without
    feet it hangs on its base. Moments are about the origin of the body.
    """
    still = np.zeros(robot.nv)
    base = robot.v_slice(robot.joints[0].name)
    support = np.concatenate([frame_jacobian(robot, q, foot)[:, base] for foot in feet] or [np.zeros((0, 6))])
    greatest = np.zeros((len(robot.joints), 2))
    for signs in itertools.product((1.0, -1.0), repeat=3 * len(hands)):
        wrenches = {
            hand: np.concatenate([force * np.array(part), np.zeros(3)])
            for hand, part in zip(hands, np.reshape(signs, (-1, 3)), strict=True)
        }
        if feet:
            missing = inverse_dynamics(robot, q, still, still, wrenches=wrenches)[base]
            borne = np.linalg.lstsq(support.T, missing, rcond=None)[0].reshape(-1, 6)
            wrenches |= dict(zip(feet, borne, strict=True))
        transmitted = joint_wrenches(robot, q, still, still, wrenches=wrenches)
        sizes = np.linalg.norm(transmitted.reshape(-1, 2, 3), axis=2)
        greatest = np.maximum(greatest, sizes)
    return [
        InterfaceLoad(joint.name, joint.child, *map(float, sizes))
        for joint, sizes in zip(robot.joints, greatest, strict=True)
    ]
