"""Newton's method for an island, softened: quick where the impulses of the last step are nearly right.

For impulses that are held, velocities are sought at which all forces are in balance,

    M (v - v_free) = J^T p(v),    p(v) = answers of all contacts to v (`footfall.contact.law`),

by Newton's method on `M + J^T K J`; then the answers are held. The softness decides how far they lead at once: if it is
small one balance is the solution, but hard to find; if it is large it is found in a few steps, but leads only part of
the way. So the first try is hard. If that fails, softness starts high, shrinks tenfold where balances are found easily,
and grows fivefold where none is found.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Lanes, Matrix3, Vector3, new_records, routine
from footfall.contact.islands.followers import add_followers_stiffness, followers_answers
from footfall.contact.islands.island import (
    TWIST,
    Island,
    add_stiffness,
    add_wrench,
    fill_inertial,
    group_twist,
    halves,
)
from footfall.contact.law import (
    LinearLaw,
    LinearRow,
    contact_answer,
    contact_residual,
    row_answer,
    row_map,
)
from footfall.math.block_sparse import WIDTH, eliminate, substitute

_HARD_SOFTNESS, _LEAST_SOFTNESS, _MOST_SOFTNESS, _FIRST_SOFTNESS = 1e-6, 1e-7, 10.0, 0.1  # softness
_HARD_STEPS, _SOFT_STEPS = 4, 12  # to one balance at the most
_HALVINGS = 3
# In islands of more contacts, steps that do not halve a residual below so much of the weight end it.
_MANY, _PATIENCE, _SMALL = 64, 30, 1e-6
_FINE = 1e-3  # softness of the last steps of what slides fast
_ROUNDING = 2e-15  # of velocities
_ALIKE = 100.0  # times: stiffnesses that differ by no more are summed apart from what they have in common
_BALANCED = 0.01  # of the change of answers, as energies: the imbalance at which they are held


class Balance(NamedTuple):
    """What a velocity leads to. merit: the imbalance of all forces, as twice an energy, J. change: how far answers are
    from the impulses that are held, likewise. residual: the largest natural map, N s. noise: what the rounding of
    velocities makes of answers, N s."""

    merit: float
    change: float
    residual: float
    noise: float


class Outcome(NamedTuple):
    """residual: the largest natural map, or the imbalance as an impulse if that is larger, N s. steps: of Newton's
    method, each with a factorisation."""

    residual: float
    steps: int


class Held(NamedTuple):
    """The impulses that are held, contacts (c, 3) and joints (j,), with the softness (1,); and all answers to a
    velocity, with the imbalance (n, 8) that they leave."""

    contacts: ArrayOf[Vector3]
    joints: Array
    softness: Array
    answers: ArrayOf[LinearLaw]
    joint_answers: ArrayOf[LinearRow]
    imbalance: ArrayOf[Lanes]


@routine(fused=True, apart=True)
def solve_newton(
    island: Island, v: ArrayOf[Lanes], contacts: ArrayOf[Vector3], joints: Array, tolerance: float, most: int
) -> Outcome:
    """Impulses (c, 3) and (j,) from those to start with, and velocities v (n, 8) from any, in place.

    tolerance: of the natural map, N s. most: steps. The best that was found stays.
    """
    held = Held(
        contacts.copy(),
        joints.copy(),
        np.full(1, _HARD_SOFTNESS),
        new_records(LinearLaw, len(contacts)),
        new_records(LinearRow, len(joints)),
        np.empty(v.shape),
    )
    base, best, blocks = v.copy(), v.copy(), np.empty(island.mass.shape)
    least, steps, room, hard = np.inf, 0, _HARD_STEPS, True
    mark, since = np.inf, 0  # a residual, and the step in which it was halved last
    enough = _SMALL * island.weight if len(contacts) > _MANY else 0.0
    while steps < most and not (steps - since > _PATIENCE and least <= enough):
        now, inner, found = balance(island, v, held), 0, False
        while inner < room and steps < most and not found:
            symmetric = assemble_answers(island, held.answers, held.joint_answers, blocks)
            eliminate(island.plan, blocks, symmetric)
            substitute(island.plan, blocks, held.imbalance)
            now = _advance(island, v, held, now.merit)
            steps, inner = steps + 1, inner + 1
            lacking = max(np.sqrt(now.merit / island.mobility), now.residual)  # NaN stays NaN in this order
            if lacking < least:
                least, best[:] = lacking, v
                if least < 0.5 * mark:
                    mark, since = least, steps
                _keep(held, contacts, joints)
                if least <= tolerance:
                    return Outcome(least, steps)
            found = now.merit <= _BALANCED * now.change
        if hard and least <= now.noise:
            # As good as it gets: answers that are so hard feel the rounding of velocities.
            v[:], held.contacts[:], held.joints[:] = best, contacts, joints
            base[:] = v
            held.softness[0], room, hard = _FINE, _SOFT_STEPS, False
        elif found:
            _hold(held)
            base[:] = v
            if inner <= 2:
                held.softness[0] = max(0.1 * held.softness[0], _LEAST_SOFTNESS)
        else:
            v[:] = base
            held.softness[0] = _FIRST_SOFTNESS if hard else min(5.0 * held.softness[0], _MOST_SOFTNESS)
            room, hard = _SOFT_STEPS, False
    v[:] = best
    return Outcome(least, steps)


def _advance(island: Island, v: ArrayOf[Lanes], held: Held, merit: float) -> Balance:
    """Take the step that stands in place of the imbalance, or a half or a quarter of it if that is better."""
    start, step = v.copy(), held.imbalance.copy()
    length = 1.0
    result = Balance(np.inf, np.inf, np.inf, 0.0)
    for _ in range(_HALVINGS):
        for n in range(len(v)):
            v[n] = start[n] - length * step[n]
        result = balance(island, v, held)
        if result.merit < merit:
            break
        length *= 0.5
    return result


def _keep(held: Held, contacts: ArrayOf[Vector3], joints: Array) -> None:
    """Write all answers down."""
    for k in range(len(contacts)):
        contacts[k] = held.answers[k].impulse
    for k in range(len(joints)):
        joints[k] = held.joint_answers[k].impulse


def _hold(held: Held) -> None:
    _keep(held, held.contacts, held.joints)


def balance(island: Island, v: ArrayOf[Lanes], held: Held) -> Balance:
    """All answers at the velocities v (n, 8), and the imbalance `M (v - v_free) - J^T p(v)`."""
    imbalance, hardness = held.imbalance, 1.0 / held.softness[0]
    fill_inertial(island, v, imbalance)
    residual, change, noise = 0.0, 0.0, 0.0
    for group in island.groups:
        twist = halves(group_twist(island, group, v))
        speed = abs(twist.linear[0]) + abs(twist.linear[1]) + abs(twist.linear[2])
        force, moment = np.zeros(3), np.zeros(3)
        for k in range(group.first_point, group.first_point + group.points):
            point, before = island.points[k], held.contacts[k]
            w = point.velocity(twist.linear, twist.angular) + point.drift
            answer = contact_answer(point.law, before, w, hardness)
            held.answers[k] = answer
            p = answer.impulse
            residual = max(residual, contact_residual(point.law, p, w))
            noise = max(noise, speed * point.law.hard_normal)
            d = p - before
            change += point.law.along * (d[0] * d[0] + d[1] * d[1]) + point.law.normal * d[2] * d[2]
            pushed = point.force(p)
            force, moment = force + pushed, moment + np.cross(point.arm, pushed)
        add_wrench(island, group, force, moment, imbalance, -1.0)
    if len(island.followers) > 0:
        following = followers_answers(island, v, held.contacts, held.answers, imbalance, hardness)
        change, residual = change + following.change, max(residual, following.residual)
    for k in range(len(island.joints)):
        row = island.joints[k]
        w_row = row.sign * v[row.node, row.lane] + row.offset
        answer_row = row_answer(row.mobility, row.bound, held.joints[k], w_row, held.softness[0])
        held.joint_answers[k] = answer_row
        residual = max(residual, abs(row_map(row.mobility, row.bound, answer_row.impulse, w_row)))
        change += row.mobility * (answer_row.impulse - held.joints[k]) ** 2
        imbalance[row.node, row.lane] -= row.sign * answer_row.impulse
    merit: Lanes = np.zeros(8)
    for n in range(len(v)):
        merit += island.pivots[n] * imbalance[n] * imbalance[n]
    return Balance(np.sum(merit), change, residual, _ROUNDING * hardness * noise)


def assemble_answers(
    island: Island, answers: ArrayOf[LinearLaw], joint_answers: ArrayOf[LinearRow], blocks: ArrayOf[Lanes]
) -> bool:
    """Blocks of `M + J^T K J` with the K of all answers; whether it is symmetric, as it is if nothing slides: then
    those below the diagonal have no meaning."""
    symmetric = True
    for k in range(len(answers)):
        symmetric = symmetric and not answers[k].slides
    blocks[:] = island.mass
    stiffness: ArrayOf[Lanes] = np.empty((TWIST, WIDTH))
    for group in island.groups:
        stiffness[:] = 0.0
        pressed, round_part = False, Moments(0.0, np.zeros(3), np.zeros(3), np.zeros(3))
        for k in range(group.first_point, group.first_point + group.points):
            along, normal = answers[k].along, answers[k].normal
            if normal > 0.0:
                pressed = True
                if answers[k].slides or along > _ALIKE * normal or normal > _ALIKE * along:
                    add_contact_stiffness(island, k, answers[k].stiffness, stiffness)
                else:
                    # What sticks is nearly as stiff in all directions: the rest is along its normal.
                    round_part = round_part.plus(along, island.points[k].arm)
                    third = island.rows[3 * k + 2]
                    push = (normal - along) * third
                    for c in range(TWIST):
                        stiffness[c] += third[c] * push
        if pressed:
            round_part.add_to(stiffness)
            add_stiffness(island, group, stiffness, blocks, symmetric)
    if len(island.followers) > 0:
        add_followers_stiffness(island, answers, blocks, symmetric)
    for k in range(len(island.joints)):
        row = island.joints[k]
        place = WIDTH * island.plan.places[row.node] + row.lane
        blocks[place, row.lane] += joint_answers[k].stiffness
    return symmetric


class Moments(NamedTuple):
    """Sums over springs that are as stiff in all directions: of their stiffnesses (kg), of these times the arm, times
    squares of the arm's components, and times its products yz, zx, xy."""

    total: float
    first: Vector3
    squares: Vector3
    products: Vector3

    def plus(self, stiffness: float, arm: Vector3) -> Moments:
        weighted = stiffness * arm
        across = np.array([arm[1] * weighted[2], arm[2] * weighted[0], arm[0] * weighted[1]])
        return Moments(
            self.total + stiffness,
            self.first + weighted,
            self.squares + weighted * arm,
            self.products + across,
        )

    def add_to(self, stiffness: ArrayOf[Lanes]) -> None:
        """Add what they answer to a twist, (6, 8): `k (v + w x r)` and `r x k (v + w x r)`, each summed."""
        x, y, z = self.first
        xx, yy, zz = self.squares
        yz, zx, xy = self.products
        total = self.total
        stiffness[0] += _row(total, 0.0, 0.0, 0.0, z, -y)
        stiffness[1] += _row(0.0, total, 0.0, -z, 0.0, x)
        stiffness[2] += _row(0.0, 0.0, total, y, -x, 0.0)
        stiffness[3] += _row(0.0, -z, y, yy + zz, -xy, -zx)
        stiffness[4] += _row(z, 0.0, -x, -xy, zz + xx, -yz)
        stiffness[5] += _row(-y, x, 0.0, -zx, -yz, xx + yy)


def _row(a: float, b: float, c: float, d: float, e: float, f: float) -> Lanes:
    row: Lanes = np.zeros(8)
    row[0], row[1], row[2], row[3], row[4], row[5] = a, b, c, d, e, f
    return row


def add_contact_stiffness(island: Island, k: int, matrix: Matrix3, stiffness: ArrayOf[Lanes]) -> None:
    """Add a contact's K (3, 3) to that of its group, (6, 8)."""
    first, second, third = island.rows[3 * k], island.rows[3 * k + 1], island.rows[3 * k + 2]
    push_1 = matrix[0, 0] * first + matrix[0, 1] * second + matrix[0, 2] * third
    push_2 = matrix[1, 0] * first + matrix[1, 1] * second + matrix[1, 2] * third
    push_3 = matrix[2, 0] * first + matrix[2, 1] * second + matrix[2, 2] * third
    for c in range(TWIST):
        stiffness[c] += first[c] * push_1 + second[c] * push_2 + third[c] * push_3
