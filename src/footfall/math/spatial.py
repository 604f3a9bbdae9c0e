"""Spatial vectors and inertias, linear part first, on floats and on symbols.

A motion is `[v; w]` (velocity of the frame's origin, angular velocity), a force `[f; n]` (force, moment about the
origin), both in the axes of the frame that carries them. An inertia is the (6, 6) map from motion to momentum
`[[M, H], [H^T, J]]`. Symmetric results are computed once and mirrored, so that traced code does no work twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.math.transform import Transform

Array = np.ndarray[Any, np.dtype[Any]]


def skew(a: Array) -> Array:
    """Matrix (3, 3) with `skew(a) @ b = a x b`."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def cross(a: Array, b: Array) -> Array:
    """Cross product of two (3,) vectors."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def motion_cross_motion(a: Array, b: Array) -> Array:
    """Rate of change (6,) of motion b carried along by a frame that moves with a."""
    return np.concatenate([cross(a[3:], b[:3]) + cross(a[:3], b[3:]), cross(a[3:], b[3:])])


def motion_cross_force(a: Array, b: Array) -> Array:
    """Rate of change (6,) of force b carried along by a frame that moves with a."""
    return np.concatenate([cross(a[3:], b[:3]), cross(a[3:], b[3:]) + cross(a[:3], b[:3])])


def motion_to_child(pose: Transform, motion: Array) -> Array:
    """The same motion (6,) seen from a frame at `pose` in the frame that `motion` is given in."""
    linear = motion[:3] + cross(motion[3:], pose.translation)
    return np.concatenate([pose.rotation.T @ linear, pose.rotation.T @ motion[3:]])


def motion_to_parent(pose: Transform, motion: Array) -> Array:
    """The same motion (6,), given in a frame at `pose`, seen from the frame that `pose` is given in."""
    angular = pose.rotation @ motion[3:]
    return np.concatenate([pose.rotation @ motion[:3] + cross(pose.translation, angular), angular])


def force_to_parent(pose: Transform, force: Array) -> Array:
    """The same force (6,), given in a frame at `pose`, seen from the frame that `pose` is given in."""
    linear = pose.rotation @ force[:3]
    return np.concatenate([linear, pose.rotation @ force[3:] + cross(pose.translation, linear)])


def force_to_child(pose: Transform, force: Array) -> Array:
    """The same force (6,) seen from a frame at `pose` in the frame that `force` is given in."""
    moment = force[3:] - cross(pose.translation, force[:3])
    return np.concatenate([pose.rotation.T @ force[:3], pose.rotation.T @ moment])


def mirror(lower: Array) -> Array:
    """Symmetric matrix with the lower triangle of `lower`."""
    n = len(lower)
    return np.array([[lower[max(i, j), min(i, j)] for j in range(n)] for i in range(n)])


def congruence(a: Array, symmetric: Array) -> Array:
    """`a @ symmetric @ a.T`, each entry computed once."""
    half = a @ symmetric
    n = len(a)
    return np.array([[half[max(i, j)] @ a[min(i, j)] for j in range(n)] for i in range(n)])


def rigid_inertia(mass: float, center: Array, inertia: Array) -> Array:
    """Inertia (6, 6) at the frame's origin of a body with `inertia` (3, 3) about its centre of mass, 000 (2.18)."""
    offset = mass * skew(center)
    return np.block([[mass * np.eye(3), -offset], [offset, inertia - offset @ skew(center)]])


def inertia_to_parent(pose: Transform, inertia: Array) -> Array:
    """The same inertia (6, 6), given in a frame at `pose`, seen from the frame that `pose` is given in."""
    rotation, shift = pose.rotation, skew(pose.translation)
    mass = congruence(rotation, inertia[:3, :3])
    coupling = rotation @ inertia[:3, 3:] @ rotation.T
    rotational = congruence(rotation, inertia[3:, 3:])
    shifted = coupling - mass @ shift
    lower = rotational - coupling.T @ shift + shift @ shifted
    return np.block([[mass, shifted], [shifted.T, mirror(lower)]])
