"""What velocities alone do to the links: the terms of forward dynamics that do not depend on forces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.inverse_dynamics import LinkMotion
from footfall.math.spatial import acceleration_gradient, cross
from footfall.math.transform import Transform
from footfall.robot.tree import Tree


class VelocityTerms(NamedTuple):
    """What velocities alone do to a link.

    motion: turning about its origin without acceleration, in link axes. bias: (6,) acceleration that the
    velocities of parent and joint add to what the parent hands on, at the link's origin, in parent axes.
    """

    motion: LinkMotion
    bias: Array


def velocity_terms(tree: Tree, poses: Sequence[Transform], v: Array) -> list[VelocityTerms]:
    """Angular velocities from the root outward, and the accelerations that they cause, Schwienbacher 2014, (2.37)."""
    zero = np.zeros(3)
    world = LinkMotion(zero, zero, zero, np.zeros((3, 3)))
    terms: list[VelocityTerms] = []
    for link, pose in zip(tree.links, poses, strict=True):
        parent = terms[link.parent].motion if link.parent >= 0 else world
        rate = link.subspace @ v[link.v]
        linear, angular = pose.rotation @ rate[:3], pose.rotation @ rate[3:]
        bias = np.concatenate(
            [
                parent.acceleration_gradient @ pose.translation + 2 * cross(parent.angular_velocity, linear),
                cross(parent.angular_velocity, angular),
            ]
        )
        w = pose.rotation.T @ parent.angular_velocity + rate[3:]
        terms.append(VelocityTerms(LinkMotion(w, zero, zero, acceleration_gradient(w, zero)), bias))
    return terms
