"""How well a hand moves at a configuration: the local indices of Seiwald 2023, section 3.3, and what it can bear."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from footfall.arrays import Array
from footfall.compiler import acos, cos, exp, log, maximum, minimum, sqrt, where

INDICES = ("condition", "manipulability", "rotational", "joint_range", "joint_distance")
LOAD, PUSH = "load", "push"
MEANINGS = {
    "reachability": "share of the directions, spread evenly, from which the hand comes there",
    "condition": "smallest over largest singular value of the hand's velocities: 0 singular, 1 alike in all directions",
    "manipulability": "product of the singular values of the hand's velocities, m for each direction",
    "rotational": "product of the singular values of the hand's angular velocities",
    "joint_range": "geometric mean of the rooms that joints have to their stops: 0 at a stop, 1 in the middle",
    "joint_distance": "sum of squared distances from the middles of the ranges over the ranges (Kapoor), small is good",
    "load": "share of the torque limits that own weight and load on the hand need, at the joint that needs most",
    "push": "greatest force along the wanted direction that the torque limits bear, N",
}
STRONGEST = 1e4  # N: near singular poses a push would be infinite
_TINY = 1e-300


class JacobianIndices(NamedTuple):
    """Of one half of a Jacobian. condition: 0 to 1. manipulability: in units of the rows."""

    condition: Any
    manipulability: Any


def jacobian_indices(rows: Array) -> JacobianIndices:
    """Of rows (p, n) with p from 1 to 3; numbers or symbols. Seiwald 2023, (3.2) and (3.4).

    The product of all singular values is that of the lengths that rows have across those before them (Gram and
    Schmidt), which keeps its digits near singular poses; the smallest one is what is left of it.
    """
    p, n = rows.shape
    if p == 0 or n < p:
        return JacobianIndices(0.0, 0.0)
    across: list[Array] = []
    squares: list[Any] = []
    for row in rows:
        for other, square in zip(across, squares, strict=True):
            row = row - (row @ other) / maximum(square, _TINY) * other
        across.append(row)
        squares.append(row @ row)
    determinant = squares[0]
    for square in squares[1:]:
        determinant = determinant * square
    if p == 1:
        return JacobianIndices(1.0, sqrt(determinant))
    gram = rows @ rows.T
    if p == 2:
        largest = 0.5 * (gram[0, 0] + gram[1, 1]) + sqrt(
            0.25 * (gram[0, 0] - gram[1, 1]) ** 2 + gram[0, 1] ** 2
        )
        # sigma_min / sigma_max = sigma_min sigma_max / sigma_max^2
        return JacobianIndices(sqrt(determinant) / maximum(largest, _TINY), sqrt(determinant))
    # Eigenvalues of a symmetric matrix in closed form (Smith 1961): of the largest and the middle one all digits count.
    mean = (gram[0, 0] + gram[1, 1] + gram[2, 2]) / 3.0
    a, b, c = gram[0, 0] - mean, gram[1, 1] - mean, gram[2, 2] - mean
    d, e, f = gram[0, 1], gram[0, 2], gram[1, 2]
    spread = sqrt(maximum((a * a + b * b + c * c + 2.0 * (d * d + e * e + f * f)) / 6.0, _TINY))
    half = (
        0.5 * (a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e)) / (spread * spread * spread)
    )
    angle = acos(maximum(minimum(half, 1.0), -1.0)) / 3.0
    largest = maximum(mean + 2.0 * spread * cos(angle), _TINY)
    # The other two: their sum is what is left of the trace, their product what is left of the determinant.
    total, product = 3.0 * mean - largest, determinant / largest
    middle = maximum(0.5 * (total + sqrt(maximum(total * total - 4.0 * product, 0.0))), _TINY)
    condition = sqrt(product / (middle * largest))
    return JacobianIndices(minimum(condition, 1.0), sqrt(determinant))


def joint_range(shares: Array) -> Any:
    """Geometric mean of the rooms to the stops, 0 to 1, of joints that stand at shares of their ranges, 0 to 1:
    Seiwald 2023, (3.5) right, where half of a range is the most room that a joint can have."""
    room: Any = 1.0
    for share in shares:
        room = room * (2.0 * maximum(minimum(share, 1.0 - share), 0.0))
    return where(room > 0.0, exp(log(maximum(room, _TINY)) / len(shares)), 0.0)


def joint_distance(shares: Array, ranges: Array) -> Any:
    """Sum of squared distances from the middles over the ranges, Seiwald 2023, (3.5) left. shares: (n,) of the ranges,
    rad or m, at which joints stand."""
    total: Any = 0.0
    for share, width in zip(shares, ranges, strict=True):
        total = total + (share - 0.5) ** 2 * width
    return total


def torque_share(torques: Array, effort: Array) -> Any:
    """Greatest share of its limit that a joint needs for torques (n,)."""
    share: Any = 0.0
    for torque, limit in zip(torques, effort, strict=True):
        share = maximum(share, abs(torque) / limit)
    return share


def greatest_push(torques: Array, effort: Array, levers: Sequence[Any]) -> Any:
    """Greatest force F, N, with |torque + F lever| <= limit for all joints, 0 if they are beyond it without.

    torques: (n,) that joints need without it. levers: (n,) torque for each newton.
    """
    force: Any = STRONGEST
    for torque, limit, lever in zip(torques, effort, levers, strict=True):
        left = limit - where(lever < 0.0, -1.0, 1.0) * torque
        force = minimum(force, left / maximum(abs(lever), _TINY))
        force = where(abs(torque) > limit, 0.0, force)
    return maximum(force, 0.0)
