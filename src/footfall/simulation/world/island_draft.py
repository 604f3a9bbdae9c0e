"""An island while it is put together: who belongs to it, and the velocities and impulses that it starts from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Lanes, Vector3
from footfall.contact.detection.shapes import Contact
from footfall.math.block_sparse import WIDTH
from footfall.simulation.world.coupling import Members, list_of
from footfall.simulation.world.laws import material_of
from footfall.simulation.world.records import Moment, World


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


def bodies_of(world: World, contact: Contact) -> tuple[int, int]:
    """The links of a contact, -1 for what does not move by itself."""
    body, other = world.shapes.shapes[contact.first].body, world.shapes.shapes[contact.second].body
    links = len(world.link_mover)
    return (body if body < links else -1), (other if other < links else -1)
