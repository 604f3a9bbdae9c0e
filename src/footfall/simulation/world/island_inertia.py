"""The inertia of an island in blocks, the plan that its systems are solved by, and what forces push."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import ArrayOf, Lanes
from footfall.contact.islands.island import TWIST
from footfall.math.block_sparse import WIDTH, Elimination, block_number, plan_elimination
from footfall.simulation.world.island_draft import Draft
from footfall.simulation.world.island_pieces import Pieces
from footfall.simulation.world.link_motion import fill_motion
from footfall.simulation.world.movers import free_inertia
from footfall.simulation.world.records import Moment, World


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
