"""How the links stand on their parents at a configuration, and which way their joints let them move."""

from __future__ import annotations

from footfall.arrays import Array
from footfall.math.spatial import rotate_constant, rotate_inertia, turn_inertia
from footfall.robot.joint_poses import hinge_turn, joint_transform, joint_transforms
from footfall.robot.tree import Link

__all__ = ["free_axes", "hinge_turn", "inertia_in_parent_axes", "joint_transform", "joint_transforms"]


def free_axes(link: Link) -> list[tuple[int, int]]:
    """Pairs (index in v, row of S that is 1), one per velocity of the link; S is its motion subspace."""
    rows = link.subspace.argmax(axis=0).tolist()
    return list(zip(range(link.v.start, link.v.stop), rows, strict=True))


def inertia_in_parent_axes(link: Link, q: Array, inertia: Array) -> Array:
    """An inertia (6, 6) in the axes of the parent from that in the axes of a link; still at the link's origin.

    The shift to the parent's origin is left to the caller, who needs the inertia at the joint too. A turn about z
    and the constant rest of the rotation cost less one after the other than their product.
    """
    if link.kind == "revolute":
        turned = turn_inertia(*hinge_turn(link, q), inertia)
        return rotate_constant(link.placement.rotation, turned, turn_inertia, rotate_inertia)
    return rotate_inertia(joint_transform(link, q).rotation, inertia)
