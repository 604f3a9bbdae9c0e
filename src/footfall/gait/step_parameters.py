"""Step parameters: a step from one stance foot to the next as lengths along an arc and angles, and back.

Seiwald 2023. The next stance depends on position and yaw of the previous one, never on its roll or pitch. The
closed forms here hold for every |yaw| < pi without a branch; the source's expansion for small angles has a wrong
coefficient, 1 instead of 1/2 in front of (l_y + w) phi^2, and jumps at its border by up to 2 mm.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput


class StepParameters(NamedTuple):
    """lengths (..., 3): forward along the arc, to the left, up, m. angles (..., 3): roll and pitch of the new stance
    foot, and the change of yaw, rad."""

    lengths: Array
    angles: Array


def step_displacement(lengths: Any, yaw: Any, half_distance: Any) -> Array:
    """Way (..., 3) from the previous stance foot to the next, m, in axes of the previous one's yaw.

    Seiwald 2023, (D.2)-(D.5).
    lengths: (..., 3) forward along the arc, left, up, m. yaw: change of yaw, rad. half_distance: half of the lateral
    distance of parallel feet, m; positive if the previous stance is the right foot, else negative.
    """
    lengths = np.asarray(lengths, dtype=np.float64)
    phi, w = np.asarray(yaw, dtype=np.float64), np.asarray(half_distance, dtype=np.float64)
    forward, left, up = lengths[..., 0], lengths[..., 1], lengths[..., 2]
    along, across = _arc(phi)
    x = forward * along - (left + w) * np.sin(phi)
    y = forward * across + w + (left + w) * np.cos(phi)
    return np.stack(np.broadcast_arrays(x, y, up), axis=-1)


def step_lengths(displacement: Any, yaw: Any, half_distance: Any) -> Array:
    """Lengths (..., 3) of the step that leads to a displacement: the inverse of `step_displacement`; |yaw| < pi."""
    displacement = np.asarray(displacement, dtype=np.float64)
    phi, w = np.asarray(yaw, dtype=np.float64), np.asarray(half_distance, dtype=np.float64)
    if np.any(np.abs(phi) >= np.pi):
        raise InvalidInput(f"a step turns by {np.abs(phi).max():.4g} rad; it must be less than half a turn")
    sine, cosine = np.sin(phi), np.cos(phi)
    along, across = _arc(phi)
    b0 = displacement[..., 0] + w * sine
    b1 = displacement[..., 1] - w * (1.0 + cosine)
    # The determinant of the two equations is sin(phi) / phi.
    forward = (cosine * b0 + sine * b1) / along
    left = b1 - across * b0 / along
    return np.stack(np.broadcast_arrays(forward, left, displacement[..., 2]), axis=-1)


def next_stance(
    position: Any, yaw: Any, lengths: Any, angles: Any, half_distance: Any
) -> tuple[Array, Array]:
    """Position (..., 3) and z-y-x angles as (roll, pitch, yaw) (..., 3) of the next stance foot; m and rad.

    position (..., 3), yaw: of the previous one. lengths, angles: of `StepParameters`; half_distance as in
    `step_displacement`.
    """
    angles = np.asarray(angles, dtype=np.float64)
    way = step_displacement(lengths, angles[..., 2], half_distance)
    position = np.asarray(position, dtype=np.float64)
    turned = _turned(way, np.asarray(yaw, dtype=np.float64))
    heading = np.asarray(yaw + angles[..., 2], dtype=np.float64)
    new_angles = np.stack(np.broadcast_arrays(angles[..., 0], angles[..., 1], heading), axis=-1)
    return position + turned, new_angles


def step_parameters(
    position: Any, yaw: Any, next_position: Any, next_angles: Any, half_distance: Any
) -> StepParameters:
    """Step parameters between two stance feet: the inverse of `next_stance`; Seiwald 2023, (D.7)-(D.15)."""
    next_angles = np.asarray(next_angles, dtype=np.float64)
    yaw = np.asarray(yaw, dtype=np.float64)
    turn = wrapped(next_angles[..., 2] - yaw)
    way = np.asarray(next_position, dtype=np.float64) - np.asarray(position, dtype=np.float64)
    lengths = step_lengths(_turned(way, -yaw), turn, half_distance)
    angles = np.stack(np.broadcast_arrays(next_angles[..., 0], next_angles[..., 1], turn), axis=-1)
    return StepParameters(lengths, angles)


def wrapped(angle: Any) -> Array:
    """The same angle in (-pi, pi], rad."""
    result: Array = np.pi - (np.pi - np.asarray(angle, dtype=np.float64)) % (2 * np.pi)
    return result


def _arc(phi: Array) -> tuple[Array, Array]:
    """sin(phi) / phi and (1 - cos(phi)) / phi: how far an arc of length one leads forward and sideways."""
    half = np.sinc(phi / (2 * np.pi))
    return np.sinc(phi / np.pi), half * np.sin(phi / 2)


def _turned(vector: Array, yaw: Array) -> Array:
    c, s = np.cos(yaw), np.sin(yaw)
    x, y, z = vector[..., 0], vector[..., 1], vector[..., 2]
    return np.stack(np.broadcast_arrays(c * x - s * y, s * x + c * y, z), axis=-1)
