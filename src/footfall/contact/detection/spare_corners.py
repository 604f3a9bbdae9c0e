"""Corners of boxes that a plane need not look at, because other corners of the same body span them.

A sole of several pads has corners within its outline. Where it stands on a hard plane these say nothing: a body is
rigid, so the gap of a point between others, and how fast that closes, is the mean of theirs, and whatever presses it
can press them. So a body has as many contacts with a plane as its convex hull has corners down there, in however many
boxes it was drawn. On soft ground every point has a spring of its own, and with viscous friction a drag: there all of
them count.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from footfall.arrays import Array, Flags
from footfall.contact.detection.hulls import convex_hull
from footfall.contact.detection.shapes import Kind
from footfall.contact.pair_material import RobotSide
from footfall.scene.model import Material

ALL = (1 << 8) - 1
_SAME = 1e-9  # of the hull's size: corners that are nearer to each other are one
# As in `plane_spots`
_CORNERS = np.array([[1.0 if k & bit else -1.0 for bit in (1, 2, 4)] for k in range(8)])


def shares_loads(material: Material | RobotSide) -> bool:
    """Whether it is all the same to a surface by how many points it is pressed."""
    if isinstance(material, RobotSide):
        return True
    stiff = math.isinf(material.stiffness) and math.isinf(material.shear_stiffness)
    return stiff and material.viscous_friction == 0.0


def spanned(corners: Array) -> Flags:
    """Which of the corners (n, 8, 3) of n boxes of a body others span, (n, 8); of those in one place one is kept. All
    that may touch a plane must touch it with the same material."""
    hull = convex_hull(corners.reshape(-1, 3)).points
    near = _SAME * float(np.ptp(hull, axis=0).max())
    flags, taken = np.zeros(corners.shape[:2], dtype=np.bool_), np.zeros(len(hull), dtype=np.bool_)
    for place in np.ndindex(flags.shape):
        distance = np.abs(hull - corners[place]).max(axis=1)
        at = int(distance.argmin())
        flags[place] = distance[at] > near or taken[at]
        taken[at] |= not flags[place]
    return flags


def spare_bits(boxes: Any) -> list[int]:
    """For each box of a body (records of `Shape`) bits of corners that are spanned, as numbered in `plane_spots`."""
    flags = spanned(np.array([_corners(box) for box in boxes]))
    return [int(row @ (1 << np.arange(8))) for row in flags]


def _corners(box: Any) -> Array:
    corners: Array = box["position"] + (_CORNERS * box["size"]) @ box["rotation"].T
    return corners


def fill_spare(shapes: Any, materials: list[Material | RobotSide]) -> None:
    """Fill `spare` of a table of shapes: of boxes that are several of one body, of one material and alike in what they
    touch, and of planes, which have all bits if they are hard."""
    shapes["spare"] = 0
    even = np.array([shares_loads(each) for each in materials], dtype=np.bool_)
    planes = (shapes["kind"] == Kind.PLANE) & (shapes["body"] < 0)
    shapes["spare"][planes] = np.where(even[shapes["material"][planes]], ALL, 0)
    boxes = np.flatnonzero((shapes["kind"] == Kind.BOX) & (shapes["body"] >= 0))
    alike: dict[tuple[int, ...], list[int]] = {}
    for number in boxes:
        key = tuple(int(shapes[name][number]) for name in ("body", "owner", "material", "group", "mask"))
        alike.setdefault(key, []).append(int(number))
    for (_, _, material, _, _), numbers in alike.items():
        if len(numbers) > 1 and even[material]:
            shapes["spare"][numbers] = spare_bits(shapes[numbers])
