"""How the links stand on their parents at a configuration."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.math.transform import Transform
from footfall.robot.tree import Link, Tree

Array = np.ndarray[Any, np.dtype[Any]]


def joint_transform(link: Link, q: Array) -> Transform:
    """Pose of a link in its parent; q (nq,) is the whole configuration."""
    rotation, translation = link.placement
    coordinates = q[link.q]
    if link.kind == "revolute":
        c, s = np.cos(coordinates[0]), np.sin(coordinates[0])
        return Transform(rotation @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), translation)
    if link.kind == "prismatic":
        return Transform(rotation, translation + rotation[:, 2] * coordinates[0])
    w, x, y, z = coordinates  # 002 (2.54)
    turn = np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )
    return Transform(rotation @ turn, translation)


def joint_transforms(tree: Tree, q: Array) -> list[Transform]:
    """Pose of each link in its parent."""
    return [joint_transform(link, q) for link in tree.links]
