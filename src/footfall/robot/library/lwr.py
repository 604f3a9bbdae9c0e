"""The KUKA LWR 4 arm in the numbers of Orocos KDL's regression test (Devaramani 2019).

The published inertias are impossible: some moments are negative, and only the large rotor inertias keep the
mass matrix positive definite. They are kept as published because the reference results were computed with
them, which is why this robot is made here and not read from a file: a reader would refuse it.
"""

from __future__ import annotations

import numpy as np

from footfall.math.transform import Transform, identity_transform
from footfall.robot.model import WORLD, Body, Capsule, Frame, Geometry, Joint, JointType, Robot

_MASS = 2.0
_UP, _DOWN, _NONE = 1.5707963, -1.5707963, 0.0

# Rotor inertia; centre of mass; moments xx, yy, zz and product yz about the centre of mass (the others are
# zero); twist alpha and offset d of the tip by modified Denavit-Hartenberg parameters (a and theta are zero).
_LINKS = (
    (3.19, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0115343, 0.0), _UP, 0.0),
    (3.05, (0.0, -0.3120511, -0.0038871), (-0.5471572, -0.0000302, -0.5423253, 0.0018828), _DOWN, 0.4),
    (1.98, (0.0, -0.0015515, 0.0), (0.0063507, 0.0, 0.0107804, -0.0005147), _DOWN, 0.0),
    (2.05, (0.0, 0.5216809, 0.0), (-1.0436952, 0.0, -1.0392780, 0.0005324), _UP, 0.39),
    (0.787, (0.0, 0.0119891, 0.0), (0.0036654, 0.0, 0.0060429, 0.0004226), _UP, 0.0),
    (0.391, (0.0, 0.0080787, 0.0), (0.0010431, 0.0, 0.0036376, 0.0000101), _DOWN, 0.0),
    (0.394, (0.0, 0.0, 0.0), (0.000001, 0.0, 0.0001203, 0.0), _NONE, 0.0),
)


def kuka_lwr() -> Robot:
    """The arm: seven revolute joints about z, links of 2 kg; the frame `tip` ends the last segment."""
    bodies, joints = [], []
    parent, placement = WORLD, identity_transform()
    for number, (rotor, center, (xx, yy, zz, yz), alpha, offset) in enumerate(_LINKS, start=1):
        body = f"link{number}"
        tip = _tip(alpha, offset)
        inertia = np.array([[xx, 0.0, 0.0], [0.0, yy, yz], [0.0, yz, zz]])
        joint = Joint(f"joint{number}", JointType.REVOLUTE, parent, body, placement, armature=rotor)
        bodies.append(Body(body, _MASS, np.array(center), inertia, visuals=_shapes(tip)))
        joints.append(joint)
        parent, placement = body, tip
    return Robot(
        "kuka-lwr",
        tuple(bodies),
        tuple(joints),
        frames=(Frame("tip", parent, placement),),
        configurations={"regression": np.array([1.6, 0.0, -1.6, -1.57, 0.0, 1.57, -0.8])},
        notes={
            "inertias": "as published, with negative moments; only the rotor inertias make the arm possible."
        },
    )


def _tip(alpha: float, offset: float) -> Transform:
    """Modified Denavit-Hartenberg frame with a = theta = 0, the twist as rounded in the source."""
    c, s = (np.cos(alpha), np.sin(alpha)) if alpha else (1.0, 0.0)
    rotation = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    return Transform(rotation, np.array([0.0, -s * offset, c * offset]))


def _shapes(tip: Transform) -> tuple[Geometry, ...]:
    """A capsule from the joint to the tip along y, where they are apart."""
    length = float(np.linalg.norm(tip.translation))
    if length == 0.0:
        return (Geometry(Capsule(0.05, 0.04), color=(0.25, 0.27, 0.30, 1.0)),)
    along_y = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    return (
        Geometry(
            Capsule(0.06, length), Transform(along_y, tip.translation / 2), color=(0.80, 0.82, 0.85, 1.0)
        ),
    )
