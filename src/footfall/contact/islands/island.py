"""The contact problem of an island: bodies that touch each other, directly or through others.

All velocities v of the island stand in nodes of eight (`footfall.math.block_sparse`): a free body is one, a robot a few
along its branches. Unknown are v and the impulses p of contacts and joint rows:

    M (v - v_free) = pushes + sum of J^T p,    and every contact and row obeys its law.

Contacts between the same two bodies form a group. Its twist (6,), the relative motion of the two bodies at a point near
the contacts, is a sum over its pieces: a piece is the motion (6, 8) that the velocities of one node give it. A contact
sees its group's twist through three rows (t1, t2, n). So all that iterates is short sums over rows of eight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Integers
from footfall.compiler.routines import ArrayOf, Lanes, Matrix3, Vector3, routine
from footfall.contact.law import ContactLaw
from footfall.math.block_sparse import WIDTH, Elimination, block_number

TWIST = 6


class Group(NamedTuple):
    """Contacts between two bodies: which of the island's, and the pieces of their relative motion."""

    first_point: int
    points: int
    first_piece: int
    pieces: int
    first_pair: int  # of the blocks of all pairs of pieces, see `Island.pairs`


class IslandContact(NamedTuple):
    """A contact: its velocity w is that of its point along (t1, t2, n) and drift, m/s, and obeys its law. arm: from
    where its group's twist is taken, m. frame: columns (t1, t2, n)."""

    drift: Vector3
    law: ContactLaw
    arm: Vector3
    frame: Matrix3

    def velocity(self, linear: Vector3, angular: Vector3) -> Vector3:
        """Its velocity (3,) along (t1, t2, n), m/s, without drift, for the twist of its group."""
        moved: Vector3 = self.frame.T @ (linear + np.cross(angular, self.arm))
        return moved

    def force(self, p: Vector3) -> Vector3:
        """An impulse (3,) along (t1, t2, n) in world axes, N s."""
        turned: Vector3 = self.frame @ p
        return turned


class Follower(NamedTuple):
    """Rolling and torsional friction of a contact, the leader. Its velocity is the rotation of its group along the
    columns of its frame, which are (t1, t2, n) times the arm of its moments (`footfall.contact.law`), and drift."""

    leader: int
    drift: Vector3
    law: ContactLaw
    frame: Matrix3


class JointRow(NamedTuple):
    """A joint limit, `sign u + offset >= 0` with an impulse that is not negative, or dry friction, whose impulse is at
    most bound (N s) and stops the joint if it can. u: the velocity in a lane of a node. mobility: 1/kg."""

    node: int
    lane: int
    sign: float
    offset: float
    bound: float  # infinite for a limit
    mobility: float


class Island(NamedTuple):
    """plan, mass: the inertia's blocks as the plan numbers them. free (n, 8): v_free by node; pushes (n, 8): what
    forces from outside give besides, N s. pivots (n, 8): about the diagonal of M^-1. nodes (k,), motions (6 k, 8):
    node and motion of each piece. pairs: for each group the number of the block (piece i, piece j), negative
    (-1 - number) if it is kept transposed. rows (3 c, 8): of each contact, then of each follower; entries 6 and 7 are
    zero. follower_groups have the pieces of the groups of contacts that lead them; leading: how many contacts."""

    plan: Elimination
    mass: ArrayOf[Lanes]
    free: ArrayOf[Lanes]
    pushes: ArrayOf[Lanes]
    pivots: ArrayOf[Lanes]
    groups: ArrayOf[Group]
    nodes: Integers
    motions: ArrayOf[Lanes]
    pairs: Integers
    points: ArrayOf[IslandContact]
    rows: ArrayOf[Lanes]
    joints: ArrayOf[JointRow]
    follower_groups: ArrayOf[Group]
    followers: ArrayOf[Follower]
    leading: int
    weight: float  # of all bodies times dt, N s: what residuals are compared with
    mobility: float  # the largest of any row, 1/kg: what makes impulses of energies


def pair_blocks(plan: Elimination, groups: ArrayOf[Group], nodes: Integers, pairs: Integers) -> None:
    """Fill `Island.pairs`."""
    for group in groups:
        entry = group.first_pair
        for i in range(group.pieces):
            for j in range(group.pieces):
                one = plan.places[nodes[group.first_piece + i]]
                other = plan.places[nodes[group.first_piece + j]]
                number = block_number(plan, one, other)
                pairs[entry] = number if one <= other else -1 - number
                entry += 1


def group_twist(island: Island, group: Group, v: ArrayOf[Lanes]) -> Lanes:
    """Relative motion (6,) of a group's bodies at the velocities v (n, 8), m/s and rad/s."""
    return group_twist_of(group, island.nodes, island.motions, v)


def group_twist_of(group: Group, nodes: Integers, motions: ArrayOf[Lanes], v: ArrayOf[Lanes]) -> Lanes:
    """The same of an island that is not complete."""
    twist: Lanes = np.zeros(8)
    for k in range(group.first_piece, group.first_piece + group.pieces):
        velocity = v[nodes[k]]
        for c in range(TWIST):
            twist[c] += np.sum(motions[TWIST * k + c] * velocity)
    return twist


class Twist(NamedTuple):
    """A motion or, likewise, a wrench: its two halves."""

    linear: Vector3
    angular: Vector3


def halves(twist: Lanes) -> Twist:
    """The two halves of a twist (6,)."""
    return Twist(np.array([twist[0], twist[1], twist[2]]), np.array([twist[3], twist[4], twist[5]]))


def add_wrench(
    island: Island, group: Group, force: Vector3, moment: Vector3, forces: ArrayOf[Lanes], sign: float
) -> None:
    """Add what a wrench (6,) on a group gives the velocities of its nodes, N s."""
    wrench = np.array([force[0], force[1], force[2], moment[0], moment[1], moment[2]])
    for k in range(group.first_piece, group.first_piece + group.pieces):
        node = island.nodes[k]
        total = forces[node]
        for c in range(TWIST):
            total += (sign * wrench[c]) * island.motions[TWIST * k + c]
        forces[node] = total


def add_stiffness(
    island: Island, group: Group, stiffness: ArrayOf[Lanes], blocks: ArrayOf[Lanes], symmetric: bool
) -> None:
    """Add `S^T K S` to the blocks of a matrix, for the stiffness K (6, 8) of a group and its pieces S; symmetric: not
    to those below the diagonal."""
    pushed: ArrayOf[Lanes] = np.empty((TWIST, WIDTH))
    entry = group.first_pair
    for j in range(group.pieces):
        right = TWIST * (group.first_piece + j)
        for c in range(TWIST):
            row = stiffness[c]
            total = row[0] * island.motions[right]
            for d in range(1, TWIST):
                total += row[d] * island.motions[right + d]
            pushed[c] = total
        for i in range(group.pieces):
            left = TWIST * (group.first_piece + i)
            number = island.pairs[entry + i * group.pieces + j]
            if number >= 0:
                _add_product(blocks, WIDTH * number, island.motions, left, pushed, 0)
            elif not symmetric:
                _add_product(blocks, WIDTH * (-1 - number), pushed, 0, island.motions, left)


def _add_product(
    blocks: ArrayOf[Lanes], target: int, left: ArrayOf[Lanes], first: int, right: ArrayOf[Lanes], second: int
) -> None:
    """Add `left^T right`, of six rows each, to a block."""
    # Read once: for all that is known here, what is written may be the same memory.
    row_0, row_1, row_2 = right[second], right[second + 1], right[second + 2]
    row_3, row_4, row_5 = right[second + 3], right[second + 4], right[second + 5]
    for r in range(WIDTH):
        linear = left[first, r] * row_0 + left[first + 1, r] * row_1 + left[first + 2, r] * row_2
        angular = left[first + 3, r] * row_3 + left[first + 4, r] * row_4 + left[first + 5, r] * row_5
        blocks[target + r] += linear + angular


def fill_inertial(island: Island, v: ArrayOf[Lanes], inertial: ArrayOf[Lanes]) -> None:
    """What contacts and joints must give for the velocities v (n, 8): `M (v - v_free)` less all pushes, (n, 8), N s."""
    change: ArrayOf[Lanes] = np.empty(v.shape)
    for n in range(len(v)):
        change[n] = v[n] - island.free[n]
    multiply(island.plan, island.mass, change, inertial)
    for n in range(len(v)):
        inertial[n] -= island.pushes[n]


@routine(fused=True)
def multiply(plan: Elimination, blocks: ArrayOf[Lanes], x: ArrayOf[Lanes], result: ArrayOf[Lanes]) -> None:
    """result = matrix x, (n, 8) by node, with the blocks of a symmetric matrix."""
    for place in range(len(plan.nodes)):
        corner, value = WIDTH * place, x[plan.nodes[place]]
        total = value[0] * blocks[corner]
        for r in range(1, WIDTH):
            total += value[r] * blocks[corner + r]
        result[plan.nodes[place]] = total
    for place in range(len(plan.nodes)):
        node = plan.nodes[place]
        value, total = x[node], result[node].copy()
        for k in range(plan.starts[place], plan.starts[place + 1]):
            block, neighbour = WIDTH * plan.above[k], plan.nodes[plan.rows[k]]
            other, beyond = x[neighbour], result[neighbour]
            for r in range(WIDTH):
                row = blocks[block + r]
                beyond += value[r] * row
                total[r] += np.sum(row * other)
            result[neighbour] = beyond
        result[node] = total
