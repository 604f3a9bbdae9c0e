"""How the links of a tree stand on their parents at a configuration, on numbers and symbols alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.math.transform import Transform
from footfall.robot.tree import Link, Tree


def hinge_turn(link: Link, q: Array) -> tuple[Any, Any]:
    """Cosine and sine of the angle of a hinge, its offset included; q (nq,)."""
    angle = q[link.q][0]
    match round(2 * link.offset / np.pi, 13) % 4:
        case 0.0:
            return np.cos(angle), np.sin(angle)
        case 1.0:
            return -np.sin(angle), np.cos(angle)
        case 2.0:
            return -np.cos(angle), -np.sin(angle)
        case 3.0:
            return np.sin(angle), -np.cos(angle)
    return np.cos(angle + link.offset), np.sin(angle + link.offset)


def joint_transform(link: Link, q: Array) -> Transform:
    """Pose of a link in its parent; q (nq,) is the whole configuration."""
    rotation, translation = link.placement
    coordinates = q[link.q]
    if link.kind == "revolute":
        c, s = hinge_turn(link, q)
        return Transform(rotation @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), translation)
    if link.kind == "prismatic":
        return Transform(rotation, translation + rotation[:, 2] * coordinates[0])
    w, x, y, z = coordinates  # RSL 2022, (2.54) for a unit quaternion
    xx, yy, zz, xy, xz, yz = 2 * x * x, 2 * y * y, 2 * z * z, 2 * x * y, 2 * x * z, 2 * y * z
    wx, wy, wz = 2 * w * x, 2 * w * y, 2 * w * z
    turn = np.array(
        [
            [1 - (yy + zz), xy - wz, xz + wy],
            [xy + wz, 1 - (xx + zz), yz - wx],
            [xz - wy, yz + wx, 1 - (xx + yy)],
        ]
    )
    return Transform(rotation @ turn, translation)


def joint_transforms(tree: Tree, q: Array) -> list[Transform]:
    """Pose of each link in its parent."""
    return [joint_transform(link, q) for link in tree.links]
