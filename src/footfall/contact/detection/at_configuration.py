"""Contact detection: the candidates of a scene at one configuration, as contacts.

The native time step does the same inside; this is the way to look at it, and to build a single contact problem.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.arrays import Array
from footfall.contact.contacts import Contacts, contact_frame
from footfall.contact.touching import touch
from footfall.dynamics.kinematics import frame_attachment, link_poses
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.robot.tree import Attachment
from footfall.scene.given_motion import GivenMotion

if TYPE_CHECKING:
    from footfall.contact.candidates import Candidate


def detect_contacts(
    robot: Robot, q: Array, candidates: Sequence[Candidate], *, margin: float = 0.0, time: float = 0.0
) -> Contacts:
    """Those candidates whose gap is at most `margin` (m) at configuration q (nq,).

    time: s, at which surfaces on a given motion are looked at; their velocity stands in `surface_velocity`.
    """
    poses = link_poses(robot.tree, np.asarray(q, dtype=np.float64))
    found: dict[str, list[Any]] = {name: [] for name in _FIELDS}
    for candidate in candidates:
        surface, motion = candidate.surface, candidate.surface.motion
        body = _pose(poses, frame_attachment(robot, candidate.body))
        other = _pose(poses, frame_attachment(robot, surface.body))
        pose = other @ surface.placement if motion is None else motion.pose(time)
        touching, normal, gap = touch(candidate, body, pose)
        if not gap <= margin:
            continue
        material = surface.material
        values = (
            candidate.body,
            body.inverse().apply(touching),
            contact_frame(normal),
            gap,
            material.friction,
            material.viscous_friction,
            material.restitution,
            material.stiffness,
            material.damping,
            surface.body,
            # Both sides at one place, as in a step: friction a gap apart would turn the pair.
            other.inverse().apply(touching),
            np.zeros(3) if motion is None else _point_velocity(motion, time, touching),
            material.rolling_friction,
            material.torsional_friction,
        )
        for name, value in zip(_FIELDS, values, strict=True):
            found[name].append(value)
    arrays: dict[str, Any] = {
        name: values if name in _NAMES else _stacked(name, values) for name, values in found.items()
    }
    return Contacts(**arrays)


_FIELDS = (
    "bodies",
    "points",
    "rotations",
    "gaps",
    "friction",
    "viscous_friction",
    "restitution",
    "stiffness",
    "damping",
    "others",
    "other_points",
    "surface_velocity",
    "rolling_friction",
    "torsional_friction",
)
_NAMES = ("bodies", "others")
_EMPTY = {"points": (0, 3), "rotations": (0, 3, 3), "other_points": (0, 3), "surface_velocity": (0, 3)}


def _stacked(name: str, values: list[Any]) -> Array:
    return np.array(values, dtype=np.float64) if values else np.zeros(_EMPTY.get(name, (0,)))


def _pose(poses: Sequence[Transform], attachment: Attachment) -> Transform:
    return poses[attachment.link] @ attachment.placement if attachment.link >= 0 else attachment.placement


def _point_velocity(motion: GivenMotion, time: float, point: Array) -> Array:
    twist = motion.velocity(time)
    arm = point - motion.pose(time).translation
    return np.asarray(twist[:3] + np.cross(twist[3:], arm))
