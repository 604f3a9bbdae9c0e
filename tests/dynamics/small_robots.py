"""Small robots that the specs compute with by hand."""

from __future__ import annotations

import numpy as np

from footfall.math.transform import Transform, identity_transform
from footfall.robot.model import WORLD, Body, Frame, Joint, JointType, Robot


def planar_arm(*, lengths: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> Robot:
    """RSL 2022, (2.137)-(2.138), chapter 3: three hinges about y, angles from the vertical, rods of 1 kg."""
    bodies, joints = [], []
    parent, offset = WORLD, 0.0
    for number, length in enumerate(lengths, start=1):
        inertia = np.diag([1 / 12, 1 / 12, 1e-9]) * length**2
        bodies.append(Body(f"link{number}", 1.0, np.array([0.0, 0.0, length / 2]), inertia))
        placement = Transform(np.eye(3), np.array([0.0, 0.0, offset]))
        joints.append(
            Joint(
                f"joint{number}", JointType.REVOLUTE, parent, f"link{number}", placement, axis=(0.0, 1.0, 0.0)
            )
        )
        parent, offset = f"link{number}", length
    tip = Frame("tip", parent, Transform(np.eye(3), np.array([0.0, 0.0, offset])))
    return Robot("planar-arm", tuple(bodies), tuple(joints), (tip,))


def free_body() -> Robot:
    """One floating body with three different moments of inertia and its centre off the origin."""
    body = Body("body", 3.0, np.array([0.1, -0.2, 0.3]), np.diag([0.4, 0.5, 0.7]))
    joint = Joint("root", JointType.FLOATING, WORLD, "body", identity_transform())
    return Robot("free-body", (body,), (joint,))
