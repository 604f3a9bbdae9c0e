"""External wrenches on named frames, brought to the links that carry them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from footfall.errors import UnknownName
from footfall.math.spatial import cross
from footfall.math.transform import Transform
from footfall.robot.model import Robot

Array = np.ndarray[Any, np.dtype[Any]]


def link_wrenches(
    robot: Robot, poses: Sequence[Transform], wrenches: Mapping[str, Array] | None
) -> list[Array]:
    """External wrench [f; n] (6,) on each link, in link axes, at the link's origin.

    poses: of the links in their parents. wrenches: by name of a body or frame, [f; n] (6,), world axes, at
    the frame's origin.
    """
    tree = robot.tree
    total: list[Array] = [np.zeros(6) for _ in tree.links]
    rotations: dict[int, Array] = {-1: np.eye(3)}

    def rotation_in_world(link: int) -> Array:
        if link not in rotations:
            rotations[link] = rotation_in_world(tree.links[link].parent) @ poses[link].rotation
        return rotations[link]

    for name, wrench in (wrenches or {}).items():
        if name not in tree.attachments:
            raise UnknownName("frame", name, tree.attachments, f"robot {robot.name!r}")
        link, placement = tree.attachments[name].link, tree.attachments[name].placement
        if link >= 0:
            to_link = rotation_in_world(link).T
            force, moment = to_link @ wrench[:3], to_link @ wrench[3:]
            moment = moment + cross(placement.translation, force)
            total[link] = total[link] + np.concatenate([force, moment])
    return total
