"""Rolling and torsional friction in the solvers of an island: impulses whose bounds follow those of contacts.

A follower stands beside a contact that leads it (`footfall.contact.law`): it turns with the twist of the same group. In
arrays of impulses, velocities and linear laws the followers come behind all contacts. An island without any has no work
with them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import ArrayOf, Lanes, Vector3
from footfall.contact.islands.island import (
    TWIST,
    Follower,
    Island,
    add_stiffness,
    add_wrench,
    group_twist,
    halves,
)
from footfall.contact.law import LinearLaw, follower_answer, follower_residual, linear_follower
from footfall.math.block_sparse import WIDTH


class FollowerBalance(NamedTuple):
    """Of followers what `newton.Balance` has of contacts."""

    change: float
    residual: float


def followers_velocities(island: Island, v: ArrayOf[Lanes], w: ArrayOf[Vector3]) -> None:
    """Velocities of all followers at v (n, 8) into w (c, 3), m/s at the arms of their moments."""
    for group in island.follower_groups:
        twist = halves(group_twist(island, group, v))
        for k in range(group.first_point, group.first_point + group.points):
            follower = _follower(island, k)
            w[k] = follower.frame.T @ twist.angular + follower.drift


def followers_linear(
    island: Island,
    p: ArrayOf[Vector3],
    w: ArrayOf[Vector3],
    linear: ArrayOf[LinearLaw],
    softness: float,
) -> float:
    """Linear laws of all followers with these impulses and velocities (c, 3), those of contacts being known. And the
    largest natural map, N s."""
    residual = 0.0
    for k in range(island.leading, len(p)):
        follower = _follower(island, k)
        lead = linear[follower.leader]
        load = max(p[follower.leader][2], 0.0) if lead.normal > 0.0 else 0.0
        linear[k] = linear_follower(follower.law, p[k], w[k], softness, load, lead, 1.0, 1.0)
        residual = max(float(follower_residual(follower.law, p[k], w[k], load)), residual)
    return residual


def followers_impulses(
    island: Island, linear: ArrayOf[LinearLaw], w: ArrayOf[Vector3], p: ArrayOf[Vector3]
) -> None:
    """Impulses of all followers by their linear laws at velocities w (c, 3), into p (c, 3)."""
    for k in range(island.leading, len(p)):
        leading = w[_follower(island, k).leader][2]
        p[k] = linear[k].impulse - linear[k].stiffness @ w[k] - leading * linear[k].following


def add_followers(island: Island, p: ArrayOf[Vector3], forces: ArrayOf[Lanes], sign: float) -> None:
    """Add what impulses of followers give the velocities of nodes, (n, 8) N s."""
    for group in island.follower_groups:
        moment: Vector3 = np.zeros(3)
        for k in range(group.first_point, group.first_point + group.points):
            moment = moment + _follower(island, k).frame @ p[k]
        add_wrench(island, group, np.zeros(3), moment, forces, sign)


def followers_answers(
    island: Island,
    v: ArrayOf[Lanes],
    held: ArrayOf[Vector3],
    answers: ArrayOf[LinearLaw],
    imbalance: ArrayOf[Lanes],
    hardness: float,
) -> FollowerBalance:
    """Answers of followers to v (n, 8), those of contacts being known, and what they take from the imbalance (n, 8)."""
    residual, change = 0.0, 0.0
    for group in island.follower_groups:
        twist = halves(group_twist(island, group, v))
        moment: Vector3 = np.zeros(3)
        for k in range(group.first_point, group.first_point + group.points):
            follower = _follower(island, k)
            law, lead = follower.law, answers[follower.leader]
            w = follower.frame.T @ twist.angular + follower.drift
            answer = follower_answer(law, held[k], w, hardness, lead)
            answers[k] = answer
            residual = max(residual, float(follower_residual(law, answer.impulse, w, lead.impulse[2])))
            d = answer.impulse - held[k]
            change += law.along * (d[0] * d[0] + d[1] * d[1]) + law.normal * d[2] * d[2]
            moment = moment + follower.frame @ answer.impulse
        add_wrench(island, group, np.zeros(3), moment, imbalance, -1.0)
    return FollowerBalance(change, residual)


def add_followers_stiffness(
    island: Island, linear: ArrayOf[LinearLaw], blocks: ArrayOf[Lanes], symmetric: bool
) -> None:
    """Add `J^T K J` of all followers to blocks of a matrix."""
    stiffness: ArrayOf[Lanes] = np.empty((TWIST, WIDTH))
    for group in island.follower_groups:
        stiffness[:] = 0.0
        for k in range(group.first_point, group.first_point + group.points):
            matrix, following = linear[k].stiffness, linear[k].following
            led = island.rows[3 * _follower(island, k).leader + 2]
            for i in (0, 1, 2):
                push = following[i] * led
                for j in (0, 1, 2):
                    push = push + matrix[i, j] * island.rows[3 * k + j]
                row = island.rows[3 * k + i]
                for c in range(TWIST):
                    stiffness[c] += row[c] * push
        add_stiffness(island, group, stiffness, blocks, symmetric)


def _follower(island: Island, k: int) -> Follower:
    follower: Follower = island.followers[k - island.leading]
    return follower
