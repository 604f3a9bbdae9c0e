"""Groups of contacts of an island, and what the velocities of nodes give to the motion of each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Integers
from footfall.compiler.routines import ArrayOf, Lanes, Vector3, new_records
from footfall.contact.detection.shapes import Contact
from footfall.contact.islands.island import TWIST, Group
from footfall.math.block_sparse import WIDTH
from footfall.simulation.world.island_draft import Draft, bodies_of
from footfall.simulation.world.link_motion import fill_motion
from footfall.simulation.world.records import Moment, World
from footfall.simulation.world.velocity_sums import add_sum_group


class Pieces(NamedTuple):
    """Groups of contacts between the same bodies, one after another, then those of sums, with the nodes and
    motions of their pieces; followers: groups of followers, which share the pieces of the contacts that lead them.
    touching: how many groups are of contacts; coupled: whether any of them couples nodes that the inertia does not."""

    groups: ArrayOf[Group]
    followers: ArrayOf[Group]
    touching: int
    nodes: Integers
    motions: ArrayOf[Lanes]
    coupled: bool


def find_pieces(now: Moment, draft: Draft) -> Pieces:
    """All groups of an island with their pieces."""
    begun = _begun(now, draft)
    world, groups, number = now.world, begun.groups, begun.touching
    made, pair, coupled = 0, 0, False
    for k in range(number):
        body, other = bodies_of(world, now.room.found[draft.contacts[groups[k].first_point]])
        group = groups[k]._replace(first_piece=made, first_pair=pair)
        at = centre_of(now, draft, group)
        group = _add_pieces(now, draft, body, at, 1.0, group, begun)
        group = _add_pieces(now, draft, other, at, -1.0, group, begun)
        if body >= 0 and other >= 0:
            group, coupled = _without_empty(group, begun), True
        groups[k] = group
        made, pair = made + group.pieces, pair + group.pieces * group.pieces
    for k in range(len(draft.sums)):
        first = Group(len(draft.contacts) + k, 1, made, 0, pair)
        group = add_sum_group(now, draft.sums[k], first, draft.local, begun.nodes, begun.motions)
        groups[number + k] = group
        coupled = coupled or world.joints[draft.sums[k]].friction == np.inf
        made, pair = made + group.pieces, pair + group.pieces * group.pieces
    return begun._replace(followers=_followers(draft, groups[:number]), coupled=coupled)


def _followers(draft: Draft, touching: ArrayOf[Group]) -> ArrayOf[Group]:
    """Groups of followers in groups of contacts."""
    groups, used, k = new_records(Group, len(draft.followers)), 0, 0
    first = len(draft.contacts) + len(draft.sums)
    for group in touching:
        begin = k
        while k < len(draft.followers) and draft.followers[k] < group.first_point + group.points:
            k += 1
        if k > begin:
            groups[used] = group._replace(first_point=first + begin, points=k - begin)
            used += 1
    filled: ArrayOf[Group] = groups[:used]
    return filled


def _begun(now: Moment, draft: Draft) -> Pieces:
    """Groups of contacts that follow each other between the same bodies, and room for all pieces."""
    world, found, count = now.world, now.room.found, len(draft.contacts)
    groups = new_records(Group, count + len(draft.sums))
    number, room, first = 0, 0, 0
    while first < count:
        body, other = bodies_of(world, found[draft.contacts[first]])
        last = first + 1
        while last < count and _same_bodies(world, found[draft.contacts[last]], body, other):
            last += 1
        groups[number] = Group(first, last - first, 0, 0, 0)
        room += _piece_count(world, body) + _piece_count(world, other)
        number, first = number + 1, last
    for joint in draft.sums:
        room += world.joints[joint].pieces
    nodes = np.empty(room, dtype=np.int64)
    motions: ArrayOf[Lanes] = np.empty((TWIST * room, WIDTH))
    none = new_records(Group, 0)
    return Pieces(groups[: number + len(draft.sums)], none, number, nodes, motions, False)


def _same_bodies(world: World, contact: Contact, body: int, other: int) -> bool:
    one, two = bodies_of(world, contact)
    return one == body and two == other


def _piece_count(world: World, link: int) -> int:
    return int(world.link_pieces[link]) if link >= 0 else 0


def centre_of(now: Moment, draft: Draft, group: Group) -> Vector3:
    """The point at which the motion of a group is taken: the middle of its contacts, m."""
    total: Vector3 = np.zeros(3)
    for k in range(group.first_point, group.first_point + group.points):
        total += now.room.found[draft.contacts[k]].position
    return total / group.points


def _add_pieces(
    now: Moment, draft: Draft, link: int, point: Vector3, sign: float, group: Group, pieces: Pieces
) -> Group:
    """A group with the pieces of a link's motion at a point, times a sign, added to those that it has.

    Where both bodies of a group move with a node, there is one piece for both.
    """
    world, first, count = now.world, group.first_piece, group.pieces
    nodes, motions, others = pieces.nodes, pieces.motions, group.pieces
    for k in range(_piece_count(world, link)):
        piece = world.link_first_piece[link] + k
        node, place = draft.local[world.pieces[piece].node], first + count
        fill_motion(now, link, piece, point, motions, TWIST * place)
        same = -1
        for m in range(others):
            if nodes[first + m] == node:
                same = first + m
        for c in range(TWIST):
            row = sign * motions[TWIST * place + c]
            if same >= 0:
                motions[TWIST * same + c] += row
            else:
                motions[TWIST * place + c] = row
        if same < 0:
            nodes[place] = node
            count += 1
    return group._replace(pieces=count)


def _without_empty(group: Group, pieces: Pieces) -> Group:
    """A group without pieces in which both bodies move in the same way."""
    kept, nodes, motions = group.first_piece, pieces.nodes, pieces.motions
    for k in range(group.first_piece, group.first_piece + group.pieces):
        empty = True
        for c in range(TWIST):
            empty = empty and bool(np.all(motions[TWIST * k + c] == 0.0))
        if not empty:
            nodes[kept] = nodes[k]
            for c in range(TWIST):
                motions[TWIST * kept + c] = motions[TWIST * k + c]
            kept += 1
    return group._replace(pieces=kept - group.first_piece)
