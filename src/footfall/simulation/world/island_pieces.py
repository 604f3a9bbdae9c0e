"""How an island moves: groups of contacts with what the velocities of nodes give to the motion of each, and inertia."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Integers
from footfall.compiler.routines import ArrayOf, Lanes, Vector3, new_records
from footfall.contact.contacts import Contact
from footfall.contact.islands.island import TWIST, Group
from footfall.math.block_sparse import WIDTH, Elimination, block_number, plan_elimination
from footfall.simulation.world.island_draft import Draft, bodies_of
from footfall.simulation.world.movers import fill_motion, free_inertia
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


# The inertia of an island in blocks, the plan that its systems are solved by, and what forces push.


class Inertia(NamedTuple):
    """See `Island`."""

    mass: ArrayOf[Lanes]
    free: ArrayOf[Lanes]
    pushes: ArrayOf[Lanes]
    pivots: ArrayOf[Lanes]


def island_plan(world: World, draft: Draft, pieces: Pieces) -> Elimination:
    """How to solve it: a robot alone that does not touch itself has a plan already."""
    robots = len(world.robots)
    if not pieces.coupled and len(draft.movers) == 1 and draft.movers[0] < robots:
        return world.plans.of(draft.movers[0])
    total = 0
    for group in pieces.groups:
        total += group.pieces * (group.pieces - 1) // 2
    for mover in draft.movers:
        if mover < robots:
            total += world.pair_starts[mover + 1] - world.pair_starts[mover]
    pairs, count = np.empty((total, 2), dtype=np.int64), 0
    for mover in draft.movers:
        if mover < robots:
            for k in range(world.pair_starts[mover], world.pair_starts[mover + 1]):
                pairs[count, 0] = draft.local[world.node_pairs[k, 0]]
                pairs[count, 1] = draft.local[world.node_pairs[k, 1]]
                count += 1
    for group in pieces.groups:
        for i in range(group.pieces):
            for j in range(i):
                pairs[count, 0] = pieces.nodes[group.first_piece + i]
                pairs[count, 1] = pieces.nodes[group.first_piece + j]
                count += 1
    return plan_elimination(len(draft.v), pairs)


def island_inertia(now: Moment, draft: Draft, plan: Elimination, coupled: bool) -> Inertia:
    """Inertia and pivots of all movers; of a robot alone as its native code gives them, see `island_plan`. There are no
    pushes yet."""
    robots, first = len(now.world.robots), draft.movers[0]
    pushes: ArrayOf[Lanes] = np.zeros(draft.v.shape)
    if len(draft.movers) == 1 and first < robots and not coupled:
        return _robot_inertia(now, first, pushes)
    mass, pivots = np.zeros((WIDTH * plan.size, WIDTH)), np.zeros(draft.v.shape)
    inertia = Inertia(mass, np.empty(draft.v.shape), pushes, pivots)
    for mover in draft.movers:
        if mover < robots:
            _fill_robot(now, draft, mover, plan, inertia)
        else:
            _fill_free(now, draft, mover - robots, plan, inertia)
    return inertia


def _robot_inertia(now: Moment, mover: int, pushes: ArrayOf[Lanes]) -> Inertia:
    """As the native code of a robot gives it, by its own nodes and plan."""
    robot, outputs = now.world.robots[mover], now.room.outputs
    mass: ArrayOf[Lanes] = robot.results.mass.of(outputs).reshape(WIDTH * robot.blocks, WIDTH)
    pivots: ArrayOf[Lanes] = robot.results.pivots.of(outputs).reshape(robot.nodes.size, WIDTH)
    return Inertia(mass, now.room.free[robot.nodes.first : robot.nodes.end], pushes, pivots)


def _fill_free(now: Moment, draft: Draft, number: int, plan: Elimination, inertia: Inertia) -> None:
    body = now.world.free[number]
    node = draft.local[body.node]
    place = WIDTH * plan.places[node]
    block = inertia.mass[place : place + WIDTH]
    free_inertia(body, now.room.bodies.rotation[body.link], block)
    inverse: Lanes = np.zeros(8)
    for i in range(6):
        inverse[i] = 1.0 / block[i, i]
    inertia.free[node] = now.room.free[body.node]
    inertia.pivots[node] = inverse


def _fill_robot(now: Moment, draft: Draft, mover: int, plan: Elimination, inertia: Inertia) -> None:
    world = now.world
    robot, own = world.robots[mover], world.plans.of(mover)
    given = _robot_inertia(now, mover, inertia.pushes)
    blocks = given.mass
    for node in range(robot.nodes.size):
        here = draft.local[robot.nodes.first + node]
        inertia.free[here] = given.free[node]
        inertia.pivots[here] = given.pivots[node]
        _copy_block(blocks, WIDTH * own.places[node], inertia.mass, WIDTH * plan.places[here])
    for k in range(world.pair_starts[mover], world.pair_starts[mover + 1]):
        one, other = world.node_pairs[k, 0], world.node_pairs[k, 1]
        first, second = own.places[one - robot.nodes.first], own.places[other - robot.nodes.first]
        a, b = plan.places[draft.local[one]], plan.places[draft.local[other]]
        source = WIDTH * block_number(own, first, second)
        above, below = WIDTH * block_number(plan, a, b), WIDTH * block_number(plan, b, a)
        if (first < second) == (a < b):
            _copy_block(blocks, source, inertia.mass, above)
            _copy_block(blocks, source, inertia.mass, below)
        else:
            _turn_block(blocks, source, inertia.mass, above)
            _turn_block(blocks, source, inertia.mass, below)


def _copy_block(source: ArrayOf[Lanes], first: int, target: ArrayOf[Lanes], place: int) -> None:
    for r in range(WIDTH):
        target[place + r] = source[first + r]


def _turn_block(source: ArrayOf[Lanes], first: int, target: ArrayOf[Lanes], place: int) -> None:
    for r in range(WIDTH):
        for c in range(WIDTH):
            target[place + r, c] = source[first + c, r]


def add_force(now: Moment, draft: Draft, number: int, pushes: ArrayOf[Lanes]) -> None:
    """What a wrench on a link gives to the velocities in a step."""
    world, link, dt = now.world, now.forces.links[number], now.settings.dt
    point = now.room.bodies.rotation[link] @ now.forces.points[number] + now.room.bodies.position[link]
    motions: ArrayOf[Lanes] = np.empty((TWIST, WIDTH))
    for k in range(world.link_pieces[link]):
        piece = world.link_first_piece[link] + k
        fill_motion(now, link, piece, point, motions, 0)
        node = draft.local[world.pieces[piece].node]
        total = pushes[node]
        for c in range(TWIST):
            total += (dt * now.forces.wrenches[number, c]) * motions[c]
        pushes[node] = total


def weight_of(now: Moment, draft: Draft) -> float:
    """Of all movers times dt, N s; without gravity that on Earth."""
    total, gravity = 0.0, now.settings.gravity
    for mover in draft.movers:
        total += now.world.mass[mover]
    pull = np.sqrt(gravity @ gravity)
    return float(total * now.settings.dt * (pull if pull > 0.0 else 9.81))
