"""External wrenches on named frames, brought to the links that carry them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import frame_attachment
from footfall.math.spatial import cross
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.robot.tree import Attachment, Tree


def link_wrenches(
    robot: Robot, poses: Sequence[Transform], wrenches: Mapping[str, Array] | None
) -> list[Array]:
    """External wrench [f; n] (6,) on each link, in link axes, at the link's origin.

    poses: of the links in their parents. wrenches: by name of a body or frame, [f; n] (6,), world axes, at
    the frame's origin.
    """
    total: list[Array] = [np.zeros(6) for _ in robot.tree.links]
    for name, wrench in (wrenches or {}).items():
        attachment = frame_attachment(robot, name)
        if attachment.link >= 0:
            total[attachment.link] = total[attachment.link] + wrench_on_link(
                robot.tree, poses, attachment, wrench
            )
    return total


def wrench_on_link(tree: Tree, poses: Sequence[Transform], attachment: Attachment, wrench: Array) -> Array:
    """A wrench [f; n] (6,), world axes, at a frame's origin: in the axes and at the origin of its link."""
    force, moment = wrench[:3], wrench[3:]
    for link in reversed(tree.path(attachment.link)):
        force, moment = poses[link].rotation.T @ force, poses[link].rotation.T @ moment
    return np.concatenate([force, moment + cross(attachment.placement.translation, force)])
