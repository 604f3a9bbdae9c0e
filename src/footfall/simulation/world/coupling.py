"""From contacts to islands: which movers hang together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Integers
from footfall.contact.detection.shapes import Contact
from footfall.simulation.world.records import Moment, World
from footfall.simulation.world.velocity_sums import joint_rate

_NEAR = 0.01  # rad or m: a blow elsewhere may drive a joint through a limit within a step that it does not move towards


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
    return bool(min(q, ahead) < joint.lower + _NEAR or max(q, ahead) > joint.upper - _NEAR)


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
