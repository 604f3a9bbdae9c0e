"""Moments of mass, regrouped into base parameters (Gautier, Khalil).

Dynamics sees the mass of a rigid body only through the integrals of 1, x and x x^T over it: m, m c and S. Mass on
the axis of a revolute joint moves alike with both links, so it may be counted with either. From each link we
subtract a fictitious distribution on that axis with the link's m, m c_z and S_zz, and add it to the parent. The
same is done with m in the centre of a spherical joint, and with S across a prismatic joint, which does not
rotate. What is left of a link is no real body, but gives the same tau and M, and its zeros vanish when an
algorithm is traced. (The wrenches that joints transmit do change: `joint_wrenches` takes the real bodies.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.math.spatial import congruence, cross, rotate_constant, symmetric, turn_symmetric
from footfall.math.transform import Transform
from footfall.robot.joint_poses import hinge_turn
from footfall.robot.model import Body
from footfall.robot.tree import Link, Tree


class MassMoments(NamedTuple):
    """Integrals over the mass of 1 (kg), x (3,) kg m and x x^T (3, 3) kg m2, about the origin of a frame.

    `second` is the second-moment matrix S, not the inertia: `I = tr(S) 1 - S`, both about the origin.
    """

    mass: Any
    first: Array
    second: Array

    def __add__(self, other: MassMoments) -> MassMoments:  # type: ignore[override]
        """Of both masses together."""
        return MassMoments(self.mass + other.mass, self.first + other.first, self.second + other.second)

    def __sub__(self, other: MassMoments) -> MassMoments:
        return MassMoments(self.mass - other.mass, self.first - other.first, self.second - other.second)

    def rotational_inertia(self) -> Array:
        """Inertia (3, 3) about the origin, kg m2, RSL 2022, (3.17)."""
        s = self.second
        diagonal = (s[1, 1] + s[2, 2], s[0, 0] + s[2, 2], s[0, 0] + s[1, 1])
        return symmetric(3, lambda i, j: diagonal[i] if i == j else -s[i, j])

    def momentum(self, motion: Array) -> Array:
        """Momentum (6,) `[p; l]` about the origin of a motion (6,) `[v; w]`."""
        linear, angular = motion[:3], motion[3:]
        return np.concatenate(
            [
                self.mass * linear + cross(angular, self.first),
                cross(self.first, linear) + self.rotational_inertia() @ angular,
            ]
        )


def body_moments(body: Body | Link) -> MassMoments:
    """Moments of a body or link about the origin of its frame."""
    center, inertia = body.center_of_mass, body.inertia
    about_center = np.trace(inertia) / 2 * np.eye(3) - inertia  # S_c = tr(I_c) / 2 1 - I_c
    return MassMoments(body.mass, body.mass * center, about_center + body.mass * np.outer(center, center))


def rotate_moments(rotation: Array, moments: MassMoments) -> MassMoments:
    """Components in A from components in B; rotation: C_AB."""
    return MassMoments(moments.mass, rotation @ moments.first, congruence(rotation, moments.second))


def turn_moments(cosine: Any, sine: Any, moments: MassMoments) -> MassMoments:
    """Components in A from components in B, which is rotated against A about z."""
    x, y, z = moments.first
    first = np.array([cosine * x - sine * y, sine * x + cosine * y, z])
    return MassMoments(moments.mass, first, turn_symmetric(cosine, sine, moments.second))


def shift_moments(translation: Array, moments: MassMoments) -> MassMoments:
    """Moments about the origin O from moments about a point P; translation: from O to P, m. Axes stay."""
    mass, first, second = moments
    r, h = translation, first + mass / 2 * translation

    def entry(i: int, j: int) -> Any:  # of S + r h^T + h r^T, where h = m c + m r / 2
        return second[i, j] + (2 * r[i] * h[i] if i == j else r[i] * h[j] + h[i] * r[j])

    return MassMoments(mass, first + mass * r, symmetric(3, entry))


def moments_in_parent(link: Link, q: Array, pose: Transform, moments: MassMoments) -> MassMoments:
    """Moments in the frame of the parent from moments in the frame of a link, at `pose` in the parent."""
    if link.kind == "revolute":
        moments, rotation = turn_moments(*hinge_turn(link, q), moments), link.placement.rotation
        second = rotate_constant(rotation, moments.second, turn_symmetric, congruence)
        turned = MassMoments(moments.mass, rotation @ moments.first, second)
    else:
        turned = rotate_moments(pose.rotation, moments)
    return shift_moments(pose.translation, turned)


def _on_the_joint(link: Link, moments: MassMoments) -> MassMoments:
    """The part of a link's moments that may as well be its parent's, see the module's docstring."""
    z = np.array([0.0, 0.0, 1.0])
    if link.kind == "revolute":
        along = z * moments.first
        return MassMoments(moments.mass, along, np.diag(z) * moments.second)
    if link.kind == "prismatic":
        return MassMoments(0.0, np.zeros(3), moments.second)
    return MassMoments(moments.mass, np.zeros(3), np.zeros((3, 3)))


def lumped_moments(tree: Tree) -> list[MassMoments]:
    """Base parameters of the links: what lies on a joint is counted with its parent."""
    return _lumped(tree)[:-1]


def moments_left_in_world(tree: Tree) -> MassMoments:
    """Mass of moving links that `lumped_moments` counts with the world.

    It still belongs to the centre of mass of the moving robot.
    """
    return _lumped(tree)[-1]


def _lumped(tree: Tree) -> list[MassMoments]:
    nothing = MassMoments(0.0, np.zeros(3), np.zeros((3, 3)))
    lumped = [*(body_moments(link) for link in tree.links), nothing]  # the world is the last, as parent -1
    for index, link in reversed(list(enumerate(tree.links))):
        moved = _on_the_joint(link, lumped[index])
        lumped[index] -= moved
        rotation, translation = link.placement
        lumped[link.parent] += shift_moments(translation, rotate_moments(rotation, moved))
    return lumped
