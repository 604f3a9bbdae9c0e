"""Newton's method for an island, softened: quick where the impulses of the last step are nearly right.

For impulses p_k that are held, velocities are sought at which all forces are in balance,

    M (v - v_free) = J^T p(v),    p(v) = answers of all contacts to v (`cone.py`),

by Newton's method on `M + J^T K J`; then p_k becomes p(v). The softness decides how far p(v) leads at once: if it is
small one balance is the solution, but hard to find; if it is large it is found in a few steps, but leads only part of
the way. So it shrinks tenfold where balances are found easily, and grows fivefold where none is found.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Lanes, Matrix3, Vector3, routine
from footfall.contact.islands.cone import (
    Answer,
    contact_answer,
    contact_residual,
    joint_answer,
    joint_residual,
)
from footfall.contact.islands.island import (
    TWIST,
    Island,
    add_stiffness,
    add_wrench,
    group_twist,
    multiply,
)
from footfall.math.block_sparse import WIDTH, eliminate, substitute

_LEAST_SOFTNESS, _MOST_SOFTNESS, _FIRST_SOFTNESS, _AT_REST = 1e-7, 10.0, 0.1, 1e-6
_INNER = 12  # steps to one balance at the most


class Balance(NamedTuple):
    """What a velocity leads to. merit: the imbalance of all forces, as twice an energy, J. residual: the largest
    natural map, N s. change: how far answers are from the impulses that are held, as twice an energy."""

    merit: float
    residual: float
    change: float


class Outcome(NamedTuple):
    """residual: N s. steps: of Newton's method, each with a factorisation."""

    residual: float
    steps: int


@routine(fused=True)
def solve_newton(
    island: Island, v: ArrayOf[Lanes], contacts: ArrayOf[Vector3], joints: Array, tolerance: float, most: int
) -> Outcome:
    """Impulses (c, 3) and (j,) from those to start with, and velocities v (n, 8) from any, in place.

    tolerance: of the natural map, N s. most: steps. The best that was found stays.
    """
    held, held_joints = contacts.copy(), joints.copy()
    found, found_joints = contacts.copy(), joints.copy()
    v_held, trial, best = v.copy(), v.copy(), v.copy()
    imbalance, blocks = np.empty(v.shape), np.empty(island.mass.shape)
    first = balance(island, v, held, held_joints, 1.0, imbalance, found, found_joints)
    softness = _AT_REST if first.residual <= _AT_REST * island.weight else _FIRST_SOFTNESS
    least, steps = np.inf, 0
    now = balance(island, v, held, held_joints, softness, imbalance, found, found_joints)
    while steps < most:
        inner, found_balance = 0, False
        while inner < _INNER and steps < most:
            assemble(island, v, held, held_joints, softness, blocks)
            eliminate(island.plan, blocks)
            substitute(island.plan, blocks, imbalance)
            steps, inner = steps + 1, inner + 1
            now = _advance(island, v, trial, held, held_joints, softness, imbalance, found, found_joints, now.merit)
            if now.residual < least:
                least = now.residual
                contacts[:], joints[:], best[:] = found, found_joints, v
                if least <= tolerance and now.merit <= 1e-16 + tolerance * tolerance:
                    v[:] = best
                    return Outcome(least, steps)
            if now.merit <= 0.01 * now.change:
                found_balance = True
                break
        if found_balance:
            held[:], held_joints[:], v_held[:] = found, found_joints, v
            if inner <= 2:
                softness = max(0.1 * softness, _LEAST_SOFTNESS)
        else:
            v[:] = v_held
            softness = min(5.0 * softness, _MOST_SOFTNESS)
        now = balance(island, v, held, held_joints, softness, imbalance, found, found_joints)
    v[:] = best
    return Outcome(least, steps)


def _advance(
    island: Island,
    v: ArrayOf[Lanes],
    trial: ArrayOf[Lanes],
    held: ArrayOf[Vector3],
    held_joints: Array,
    softness: float,
    step: ArrayOf[Lanes],
    found: ArrayOf[Vector3],
    found_joints: Array,
    merit: float,
) -> Balance:
    """Take a step, or a half or a quarter of it if that is better; step becomes the imbalance there."""
    change = step.copy()
    length = 1.0
    result = Balance(np.inf, np.inf, np.inf)
    for _ in range(3):
        for n in range(len(v)):
            trial[n] = v[n] - length * change[n]
        result = balance(island, trial, held, held_joints, softness, step, found, found_joints)
        if result.merit < merit:
            break
        length *= 0.5
    v[:] = trial
    return result


def balance(
    island: Island,
    v: ArrayOf[Lanes],
    held: ArrayOf[Vector3],
    held_joints: Array,
    softness: float,
    imbalance: ArrayOf[Lanes],
    found: ArrayOf[Vector3],
    found_joints: Array,
) -> Balance:
    """All answers at the velocities v; imbalance (n, 8): `M (v - v_free) - J^T p(v)`."""
    multiply(island.plan, island.mass, v, imbalance)
    for n in range(len(v)):
        imbalance[n] -= island.momentum[n]
    residual, change = 0.0, 0.0
    for group in island.groups:
        twist = group_twist(island, group, v)
        wrench: Lanes = np.zeros(8)
        for k in range(group.first_point, group.first_point + group.points):
            point = island.points[k]
            w = contact_velocity(island, k, twist) + point.drift
            p = contact_answer(point, held[k], w, softness).impulse
            found[k] = p
            residual = max(residual, contact_residual(point, p, w))
            d = p - held[k]
            change += point.along * (d[0] * d[0] + d[1] * d[1]) + point.normal * d[2] * d[2]
            for i in range(3):
                wrench += p[i] * island.rows[3 * k + i]
        add_wrench(island, group, wrench, imbalance, -1.0)
    for k in range(len(island.joints)):
        row = island.joints[k]
        u = v[row.node, row.lane]
        p_joint = joint_answer(row, held_joints[k], u, softness).impulse
        found_joints[k] = p_joint
        residual = max(residual, joint_residual(row, p_joint, u))
        change += row.mobility * (p_joint - held_joints[k]) ** 2
        imbalance[row.node, row.lane] -= row.sign * p_joint
    merit = 0.0
    for n in range(len(v)):
        merit += np.sum(island.pivots[n] * imbalance[n] * imbalance[n])
    return Balance(merit, residual, change)


def contact_velocity(island: Island, k: int, twist: Lanes) -> Vector3:
    """Velocity (3,) of a contact along (t1, t2, n) for the twist of its group."""
    return np.array(
        [
            np.sum(island.rows[3 * k] * twist),
            np.sum(island.rows[3 * k + 1] * twist),
            np.sum(island.rows[3 * k + 2] * twist),
        ]
    )


def assemble(
    island: Island,
    v: ArrayOf[Lanes],
    held: ArrayOf[Vector3],
    held_joints: Array,
    softness: float,
    blocks: ArrayOf[Lanes],
) -> None:
    """Blocks of `M + J^T K J` at the velocities v."""
    blocks[:] = island.mass
    stiffness: ArrayOf[Lanes] = np.empty((TWIST, WIDTH))
    for group in island.groups:
        twist = group_twist(island, group, v)
        stiffness[:] = 0.0
        pressed = False
        for k in range(group.first_point, group.first_point + group.points):
            point = island.points[k]
            w = contact_velocity(island, k, twist) + point.drift
            answer = contact_answer(point, held[k], w, softness)
            if answer.normal > 0.0:
                pressed = True
                add_contact_stiffness(island, k, cone_stiffness(answer), stiffness)
        if pressed:
            add_stiffness(island, group, stiffness, blocks)
    for k in range(len(island.joints)):
        row = island.joints[k]
        place = WIDTH * island.plan.places[row.node] + row.lane
        blocks[place, row.lane] += joint_answer(row, held_joints[k], v[row.node, row.lane], softness).stiffness


def cone_stiffness(answer: Answer) -> Matrix3:
    """K (3, 3) of an answer."""
    slides = answer.along if answer.slides else 0.0
    u1, u2, lean = answer.u1, answer.u2, answer.lean
    return np.array(
        [
            [answer.along - slides * u1 * u1, -slides * u1 * u2, lean * u1],
            [-slides * u1 * u2, answer.along - slides * u2 * u2, lean * u2],
            [0.0, 0.0, answer.normal],
        ]
    )


def add_contact_stiffness(island: Island, k: int, matrix: Matrix3, stiffness: ArrayOf[Lanes]) -> None:
    """Add a contact's K (3, 3) to that of its group, (6, 8)."""
    first, second, third = island.rows[3 * k], island.rows[3 * k + 1], island.rows[3 * k + 2]
    push_1 = matrix[0, 0] * first + matrix[0, 1] * second + matrix[0, 2] * third
    push_2 = matrix[1, 0] * first + matrix[1, 1] * second + matrix[1, 2] * third
    push_3 = matrix[2, 0] * first + matrix[2, 1] * second + matrix[2, 2] * third
    for c in range(TWIST):
        stiffness[c] += first[c] * push_1 + second[c] * push_2 + third[c] * push_3
