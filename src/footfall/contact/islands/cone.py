"""The law of one contact, and what it answers to a velocity while a solver iterates.

A solver holds an impulse `p` for each contact and asks what it would be at another velocity w:

    answer = project(p - w / (softness W)),

`project` brings the normal part to zero or more first, and then the tangential part into the disc whose radius follows
it. Where an answer is the impulse itself, `p = project(p - w / W)`, the law holds, whatever the softness: what is left
of that is the natural map.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import Vector3
from footfall.contact.islands.island import JointRow, Point


class Answer(NamedTuple):
    """An impulse (3,), N s, and how it changes with the velocity: `d impulse = -K d w`, kg.

    K has the tangential part `along (1 - slides u u^T)`, the normal part `normal`, and `lean u` in its normal column:
    friction follows the normal impulse. u: direction of the tangential impulse.
    """

    impulse: Vector3
    along: float
    normal: float
    lean: float
    slides: bool
    u1: float
    u2: float


def contact_answer(point: Point, p: Vector3, w: Vector3, hardness: float) -> Answer:
    """What a contact with impulse p gives at a velocity w (3,) along (t1, t2, n), springs aside; hardness: one over the
    softness."""
    if point.compliance > 0.0:
        soft_normal = point.normal / hardness
        stiffness = 1.0 / (soft_normal + point.compliance)
        normal = (soft_normal * p[2] - w[2]) * stiffness
    else:
        stiffness = hardness * point.hard_normal
        normal = p[2] - w[2] * stiffness
    if not normal > 0.0:
        return Answer(np.array([0.0, 0.0, 0.0]), 0.0, 0.0, 0.0, False, 0.0, 0.0)
    soft_along = point.along / hardness
    hard = 1.0 / (soft_along + point.shear)
    kept = soft_along * hard
    z1, z2 = kept * p[0] - w[0] * hard, kept * p[1] - w[1] * hard
    square, bound = z1 * z1 + z2 * z2, point.friction * normal + point.extra
    if square <= bound * bound:
        return Answer(np.array([z1, z2, normal]), hard, stiffness, 0.0, False, 0.0, 0.0)
    shorter = 1.0 / np.sqrt(square)
    u1, u2 = z1 * shorter, z2 * shorter
    return Answer(
        np.array([bound * u1, bound * u2, normal]),
        bound * shorter * hard,
        stiffness,
        point.friction * stiffness,
        True,
        u1,
        u2,
    )


def contact_residual(point: Point, p: Vector3, w: Vector3) -> float:
    """The natural map of a contact, N s, for its impulse p and its velocity w, both (3,) along (t1, t2, n)."""
    normal = p[2] - (w[2] + point.compliance * p[2]) * point.hard_normal
    f1, f2 = (w[0] + point.shear * p[0]) * point.hard_along, (w[1] + point.shear * p[1]) * point.hard_along
    z1, z2 = p[0] - f1, p[1] - f2
    square = z1 * z1 + z2 * z2
    bound = point.friction * normal + point.extra if normal > 0.0 else 0.0
    if square > bound * bound:
        scale = bound / np.sqrt(square)
        f1, f2 = p[0] - scale * z1, p[1] - scale * z2
    return float(max(abs(p[2] - max(normal, 0.0)), np.sqrt(f1 * f1 + f2 * f2)))


class RowAnswer(NamedTuple):
    """The same for a joint row."""

    impulse: float
    stiffness: float


def joint_answer(row: JointRow, p: float, u: float, softness: float) -> RowAnswer:
    """What a joint row with impulse p gives at the velocity u of its joint."""
    stiffness = 1.0 / (softness * row.mobility)
    z = p - (row.sign * u + row.offset) * stiffness
    if row.bound < np.inf:
        inside = abs(z) < row.bound
        return RowAnswer(min(max(z, -row.bound), row.bound), stiffness if inside else 0.0)
    return RowAnswer(max(z, 0.0), stiffness if z > 0.0 else 0.0)


def joint_residual(row: JointRow, p: float, u: float) -> float:
    """The natural map of a joint row, N s."""
    return abs(p - joint_answer(row, p, u, 1.0).impulse)
