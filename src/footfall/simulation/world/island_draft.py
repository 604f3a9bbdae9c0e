"""An island while it is put together: which movers hang together, who belongs to it, and where it starts from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Lanes, Vector3
from footfall.contact.contacts import Contact
from footfall.math.block_sparse import WIDTH
from footfall.simulation.world.laws import material_of
from footfall.simulation.world.records import Moment, World
from footfall.simulation.world.velocity_sums import joint_rate


class Draft(NamedTuple):
    """An island while it is put together.

    movers, contacts, joints: numbers of the world's; sums: of those among its joints that several nodes move. local
    (nodes of the world,): number of each node in the island. followers: numbers of those of its contacts that have
    rolling or torsional friction. v (n, 8): velocities at the beginning of the step.
    impulses (c, 3), of contacts, then of sums, then of followers, and joint_impulses (j,): to start with. ahead
    (contacts,): the gap that each has at the end of the step if something presses it, m: a law that is obeyed holds
    with equality. rebounds (contacts,): what restitution adds to the drift of each along its normal, m/s.
    """

    movers: Integers
    contacts: Integers
    joints: Integers
    sums: Integers
    followers: Integers
    local: Integers
    v: ArrayOf[Lanes]
    impulses: ArrayOf[Vector3]
    joint_impulses: Array
    ahead: Array
    rebounds: Array


def draft_island(now: Moment, members: Members, head: int, local: Integers) -> Draft:
    """What belongs to the island whose first mover is `head`."""
    world = now.world
    movers = list_of(members.first_mover[head], members.next_mover)
    contacts = list_of(members.first_contact[head], members.next_contact)
    rows = list_of(members.first_joint[head], members.next_joint)
    joints, sums = _joints_of(world, rows, sums=False), _joints_of(world, rows, sums=True)
    nodes = 0
    for mover in movers:
        for k in range(world.mover_nodes[mover]):
            local[world.mover_first_node[mover] + k] = nodes
            nodes += 1
    v: ArrayOf[Lanes] = np.zeros((nodes, WIDTH))
    for mover in movers:
        for k in range(world.mover_nodes[mover]):
            node = world.mover_first_node[mover] + k
            row: Lanes = np.zeros(8)
            for lane in range(WIDTH):
                velocity = world.node_velocities[node, lane]
                if velocity >= 0:
                    row[lane] = now.state.v[velocity]
            v[local[node]] = row
    joint_impulses = np.empty(len(joints))
    for k in range(len(joints)):
        joint_impulses[k] = now.state.joint_impulses[joints[k]]
    followers = _followers_of(now, contacts)
    impulses = np.zeros((len(contacts) + len(sums) + len(followers), 3))
    ahead = np.empty(len(contacts))
    return Draft(
        movers=movers,
        contacts=contacts,
        joints=joints,
        sums=sums,
        followers=followers,
        local=local,
        v=v,
        impulses=impulses,
        joint_impulses=joint_impulses,
        ahead=ahead,
        rebounds=np.zeros(len(contacts)),
    )


def _followers_of(now: Moment, contacts: Integers) -> Integers:
    """Which contacts of an island, by their number in it, have rolling or torsional friction."""
    count, chosen = 0, np.empty(len(contacts), dtype=np.int64)
    for k in range(len(contacts)):
        if material_of(now.world, now.room.found[contacts[k]]).arm > 0.0:
            chosen[count] = k
            count += 1
    return chosen[:count]


def _joints_of(world: World, rows: Integers, *, sums: bool) -> Integers:
    """Those of joint rows that several nodes move, or those that one does."""
    count, chosen = 0, np.empty(len(rows), dtype=np.int64)
    for row in rows:
        if (world.joints[row].lane < 0) == sums:
            chosen[count] = row
            count += 1
    return chosen[:count]


_MANY = 32  # contacts


def is_pile(world: World, draft: Draft) -> bool:
    """Whether many contacts between free bodies alone are an island, see `footfall.contact.islands.pile`."""
    loose = len(draft.contacts) >= _MANY and len(draft.followers) + len(draft.joints) + len(draft.sums) == 0
    for mover in draft.movers:
        loose = loose and mover >= len(world.robots)
    return loose


_MOVES = 1e-3  # m/s and rad/s: from here on something moves


def is_moving(draft: Draft) -> bool:
    """Whether something of an island moves at the beginning of the step."""
    moves = False
    for row in draft.v:
        for lane in range(WIDTH):
            moves = moves or abs(row[lane]) > _MOVES
    return moves


def bodies_of(world: World, contact: Contact) -> tuple[int, int]:
    """The links of a contact, -1 for what does not move by itself."""
    body, other = world.shapes.shapes[contact.first].body, world.shapes.shapes[contact.second].body
    links = len(world.link_mover)
    return (body if body < links else -1), (other if other < links else -1)


# From contacts to islands: which movers hang together.

_LIMIT_REACH = 0.01  # rad or m: an impact elsewhere can push a joint past a limit that it was not approaching


class Members(NamedTuple):
    """Movers, contacts and joint rows by island: the first of each island (movers,), by its first mover, and the one
    after each; -1 at the end of a list. root (movers,): first mover of its island. pushed (movers,): whether a force
    acts on some mover of the island."""

    root: Integers
    first_mover: Integers
    next_mover: Integers
    first_contact: Integers
    next_contact: Integers
    first_joint: Integers
    next_joint: Integers
    pushed: Integers


def find_members(now: Moment, count: int) -> Members:
    """Who belongs together; count: of contacts."""
    world = now.world
    root = np.arange(world.movers)
    for k in range(count):
        one, other = _movers_of(world, now.room.found[k])
        if one >= 0 and other >= 0:
            _unite(root, one, other)
    for mover in range(world.movers):
        root[mover] = _root(root, mover)
    joints = len(world.joints)
    members = Members(
        root,
        np.full(world.movers, -1),
        np.full(world.movers, -1),
        np.full(world.movers, -1),
        np.full(count, -1),
        np.full(world.movers, -1),
        np.full(joints, -1),
        np.zeros(world.movers, dtype=np.int64),
    )
    for mover in range(world.movers - 1, -1, -1):
        _push(members.first_mover, members.next_mover, root[mover], mover)
    for k in range(count - 1, -1, -1):
        one, other = _movers_of(world, now.room.found[k])
        _push(members.first_contact, members.next_contact, root[max(one, other)], k)
    for k in range(joints - 1, -1, -1):
        if _acts(now, k):
            _push(members.first_joint, members.next_joint, root[world.node_mover[world.joints[k].node]], k)
    for k in range(len(now.forces.links)):
        members.pushed[root[world.link_mover[now.forces.links[k]]]] = 1
    return members


def _movers_of(world: World, contact: Contact) -> tuple[int, int]:
    """The two movers of a contact, -1 for what does not move by itself."""
    return _mover_of(world, contact.first), _mover_of(world, contact.second)


def _mover_of(world: World, shape: int) -> int:
    body = world.shapes.shapes[shape].body
    return int(world.link_mover[body]) if 0 <= body < len(world.link_mover) else -1


def _unite(root: Integers, one: int, other: int) -> None:
    a, b = _root(root, one), _root(root, other)
    root[max(a, b)] = min(a, b)


def _root(root: Integers, mover: int) -> int:
    while root[mover] != mover:
        root[mover] = root[root[mover]]
        mover = root[mover]
    return mover


def _push(first: Integers, following: Integers, head: int, item: int) -> None:
    following[item] = first[head]
    first[head] = item


def _acts(now: Moment, k: int) -> bool:
    """Whether a joint row is part of the step: dry friction always is, a limit if it is near or may be reached."""
    joint = now.world.joints[k]
    if joint.friction > 0.0 or now.state.joint_impulses[k] != 0.0:
        return True
    q = now.state.q[joint.coordinate]
    ahead = q + 2.0 * now.settings.dt * joint_rate(now, joint, now.room.free)
    return bool(min(q, ahead) < joint.lower + _LIMIT_REACH or max(q, ahead) > joint.upper - _LIMIT_REACH)


def is_held(members: Members, head: int) -> bool:
    """Whether anything but smooth forces acts on an island."""
    return bool(
        members.first_contact[head] >= 0 or members.first_joint[head] >= 0 or members.pushed[head] > 0
    )


def list_of(first: int, following: Integers) -> Integers:
    """The items of a list, in its order."""
    count, item = 0, first
    while item >= 0:
        count += 1
        item = following[item]
    items, k = np.empty(count, dtype=np.int64), 0
    item = first
    while item >= 0:
        items[k] = item
        k += 1
        item = following[item]
    return items
