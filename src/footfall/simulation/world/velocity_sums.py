"""What sums of velocities of several nodes must obey, as contacts of an island: joints that follow others through loops
have limits and dry friction, loops that forces hold have equations.

A group of contacts has pieces of just this kind, so each row becomes a group with one contact that sees the sum along
one of its axes. A limit is a contact without friction, whose normal is the way into the joint's range. Dry friction is
the friction of a contact whose normal nothing moves and which is pressed with as much as the friction may give. An
equation is friction that holds whatever comes.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Integers
from footfall.compiler.routines import ArrayOf, Lanes, Vector3
from footfall.contact.islands.island import TWIST, Group, IslandContact
from footfall.contact.law import limit_offset, made_law
from footfall.math.block_sparse import WIDTH
from footfall.simulation.world.records import JointLimit, Moment

_NORMAL, _ALONG = 2, 0  # axes of a contact, and of the twist of its group, that stand for the rate of a joint
_LEAST_MOBILITY = 1e-9  # of that of the joint: of directions in which nothing moves
HOLDS = 1e6  # weights of all bodies times dt: an impulse beyond all that equations need
CLOSING = 0.5  # of a loop's gap, that is closed within a step at least


def joint_rate(now: Moment, joint: JointLimit, v: ArrayOf[Lanes]) -> float:
    """Rate of a joint at velocities v (nodes, 8) of the world, rad/s or m/s."""
    if joint.lane >= 0:
        return float(v[joint.node, joint.lane])
    rate = 0.0
    for k in range(joint.first_piece, joint.first_piece + joint.pieces):
        rate += np.sum(joint_row(now, joint, k) * v[now.world.joint_pieces[k].node])
    return rate


def joint_row(now: Moment, joint: JointLimit, piece: int) -> Lanes:
    """What the velocities of a node (8,) give to the rate of a joint that follows."""
    world = now.world
    robot = world.robots[world.node_mover[joint.node]]
    first = robot.results.sums.first + WIDTH * world.joint_pieces[piece].row
    rows: ArrayOf[Lanes] = now.room.outputs[first : first + WIDTH].reshape(1, WIDTH)
    row: Lanes = rows[0]
    return row


def add_sum_group(
    now: Moment, number: int, group: Group, local: Integers, nodes: Integers, motions: ArrayOf[Lanes]
) -> Group:
    """The group of a joint's row with its pieces filled in; group: where its point, pieces and pairs begin."""
    joint = now.world.joints[number]
    axis, sign = (_ALONG, 1.0) if joint.friction > 0.0 else (_NORMAL, _side(now, joint))
    for k in range(joint.pieces):
        place = group.first_piece + k
        nodes[place] = local[now.world.joint_pieces[joint.first_piece + k].node]
        for c in range(TWIST):
            motions[TWIST * place + c] = np.zeros(8)
        motions[TWIST * place + axis] = sign * joint_row(now, joint, joint.first_piece + k)
    return Group(group.first_point, 1, group.first_piece, joint.pieces, group.first_pair)


def sum_point(now: Moment, number: int, mobility: float, weight: float) -> IslandContact:
    """The law of a row. mobility: of the sum, 1/kg or 1/(kg m2). weight: of the island times dt, N s."""
    joint, dt = now.world.joints[number], now.settings.dt
    still = _LEAST_MOBILITY * mobility + 1e-200
    frame = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    arm: Vector3 = np.zeros(3)
    if joint.friction > 0.0:
        # w_n + compliance p_n = 0 with w_n = drift, which nothing moves: p_n is the bound.
        compliance, along = mobility, mobility + still
        drift = np.array([_closing_speed(now, joint), 0.0, -compliance * _bound(now, joint, weight)])
        return IslandContact(drift, made_law(along, still, 1.0, 0.0, compliance), arm, frame)
    q = now.state.q[joint.coordinate]
    room = limit_offset(min(q - joint.lower, joint.upper - q), now.settings.rules, dt)
    normal = mobility + still
    return IslandContact(np.array([0.0, 0.0, room]), made_law(still, normal, 0.0, 0.0), arm, frame)


def sum_mobility(group: Group, nodes: Integers, motions: ArrayOf[Lanes], pivots: ArrayOf[Lanes]) -> float:
    """About how an impulse moves the joint of a group: the pivots stand for the whole inertia."""
    total = 0.0
    for k in range(group.first_piece, group.first_piece + group.pieces):
        row = motions[TWIST * k + _ALONG] + motions[TWIST * k + _NORMAL]  # one of them is zero
        total += np.sum(pivots[nodes[k]] * row * row)
    return total


def held_impulse(now: Moment, number: int, weight: float) -> Vector3:
    """The impulse (3,) of a row's contact that stands for what the row had in the last step."""
    joint, before = now.world.joints[number], now.state.joint_impulses[number]
    if joint.friction > 0.0:
        return np.array([before, 0.0, _bound(now, joint, weight)])
    return np.array([0.0, 0.0, before])


def sum_impulse(now: Moment, number: int, impulse: Vector3) -> float:
    """The impulse of a row, N s or N m s, from that of its contact."""
    return float(impulse[_ALONG] if now.world.joints[number].friction > 0.0 else impulse[_NORMAL])


def _side(now: Moment, joint: JointLimit) -> float:
    """The way into the range of a joint from its nearer limit."""
    q = now.state.q[joint.coordinate]
    return 1.0 if q - joint.lower < joint.upper - q else -1.0


def _bound(now: Moment, joint: JointLimit, weight: float) -> float:
    """The most that friction gives in a step, N s or N m s."""
    return joint.friction * now.settings.dt if joint.friction < np.inf else HOLDS * weight


def _closing_speed(now: Moment, joint: JointLimit) -> float:
    """At which the gap of an equation is closed, m/s or rad/s; nothing for dry friction."""
    if joint.friction < np.inf:
        return 0.0
    return float(CLOSING * now.room.outputs[joint.coordinate] / now.settings.dt)
