"""From touches to islands: which movers hang together, and the contact problem of each island."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Lanes, Matrix3, Vector3, new_records
from footfall.contact.contacts import contact_frame
from footfall.contact.detection.shapes import Touch
from footfall.contact.islands.island import (
    TWIST,
    Group,
    Island,
    JointRow,
    Point,
    pair_blocks,
)
from footfall.math.block_sparse import WIDTH, Elimination, block_number, plan_elimination
from footfall.simulation.world.free_bodies import free_inertia
from footfall.simulation.world.movers import robot_origin
from footfall.simulation.world.records import Forces, Settings, State, Workspace, World

_NUMBER = np.arange(8.0)  # of each lane
_LEAST_MOBILITY = 1e-9  # of a contact's own sum: keeps directions in which nothing moves off zero


class Members(NamedTuple):
    """Movers, touches, joint rows and forces by island: the first of each island (movers,), by its first mover, and the
    one after each; -1 at the end of a list."""

    root: Integers  # of each mover
    first_mover: Integers
    next_mover: Integers
    first_touch: Integers
    next_touch: Integers
    first_joint: Integers
    next_joint: Integers
    pushed: Integers  # (movers,) whether a force acts on some mover of the island


def find_members(
    world: World, settings: Settings, state: State, forces: Forces, room: Workspace, count: int
) -> Members:
    """Who belongs together; count: of touches."""
    root = np.arange(world.movers)
    for k in range(count):
        one, other = _movers_of(world, room.found[k])
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
        one, other = _movers_of(world, room.found[k])
        _push(members.first_touch, members.next_touch, root[max(one, other)], k)
    for k in range(joints - 1, -1, -1):
        if _acts(world, settings, state, room, k):
            _push(members.first_joint, members.next_joint, root[world.node_mover[world.joints[k].node]], k)
    for k in range(len(forces.links)):
        members.pushed[root[world.link_mover[forces.links[k]]]] = 1
    return members


def _movers_of(world: World, touch: Touch) -> tuple[int, int]:
    """The two movers of a touch, -1 for what does not move by itself."""
    return _mover_of(world, touch.first), _mover_of(world, touch.second)


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


def _acts(world: World, settings: Settings, state: State, room: Workspace, k: int) -> bool:
    """Whether a joint row is part of the step: dry friction always is, a limit if it may be reached."""
    joint = world.joints[k]
    if joint.friction > 0.0 or state.joint_impulses[k] != 0.0:
        return True
    ahead = state.q[joint.coordinate] + 2.0 * settings.dt * room.free[joint.node, joint.lane]
    return ahead < joint.lower or ahead > joint.upper


class Sizes(NamedTuple):
    """How much an island has. robots: number of its only mover if that is a robot, else -1."""

    nodes: int
    touches: int
    joints: int
    pieces: int
    pairs: int
    alone: int


def build_island(
    world: World,
    settings: Settings,
    state: State,
    forces: Forces,
    room: Workspace,
    members: Members,
    head: int,
    local: Integers,
    start: ArrayOf[Vector3],
    joint_start: Array,
    touch_numbers: Integers,
    joint_numbers: Integers,
) -> Island:
    """The problem of the island whose first mover is `head`.

    local (nodes,): becomes the island's number of each node. start (c, 3), joint_start (j,): become impulses to begin
    with; touch_numbers (c,), joint_numbers (j,): which touches and joints they belong to.
    """
    nodes = 0
    mover = head
    while mover >= 0:
        for node in range(world.mover_first_node[mover], world.mover_first_node[mover] + world.mover_nodes[mover]):
            local[node] = nodes
            nodes += 1
        mover = members.next_mover[mover]
    count = len(touch_numbers)
    groups, group_count, piece_nodes, motions, coupled = _groups(world, room, members, head, local, touch_numbers)
    plan = _plan(world, members, head, nodes, groups, piece_nodes, local, coupled)
    mass: ArrayOf[Lanes] = np.zeros((WIDTH * plan.size, WIDTH))
    momentum: ArrayOf[Lanes] = np.zeros((nodes, WIDTH))
    pivots: ArrayOf[Lanes] = np.zeros((nodes, WIDTH))
    weight = _fill_inertia(world, settings, room, members, head, local, plan, mass, momentum, pivots)
    for k in range(len(forces.links)):
        if members.root[world.link_mover[forces.links[k]]] == head:
            _add_force(world, settings, room, forces, k, local, momentum)
    points, rows = new_records(Point, count), np.empty((3 * count, WIDTH))
    for k in range(group_count):
        _fill_points(
            world, settings, state, room, groups[k], piece_nodes, motions, local, touch_numbers, pivots, points, rows, start
        )
    pair_count = groups[group_count - 1].first_pair + groups[group_count - 1].pieces ** 2 if group_count > 0 else 0
    pairs = np.empty(pair_count, dtype=np.int64)
    pair_blocks(plan, groups[:group_count], piece_nodes, pairs)
    joints = new_records(JointRow, len(joint_numbers))
    for k in range(len(joint_numbers)):
        joints[k] = _joint_row(world, settings, state, local, pivots, joint_numbers[k])
        joint_start[k] = state.joint_impulses[joint_numbers[k]]
    return Island(
        plan,
        mass,
        momentum,
        pivots,
        groups[:group_count],
        piece_nodes,
        motions,
        pairs,
        points,
        rows,
        joints,
        weight,
    )


# Groups and their pieces


def _groups(
    world: World, room: Workspace, members: Members, head: int, local: Integers, touch_numbers: Integers
) -> tuple[ArrayOf[Group], int, Integers, ArrayOf[Lanes], bool]:
    """Groups of touches between the same bodies, one after another; nodes and motions of their pieces; and whether any
    of them couples nodes that inertia does not."""
    count = len(touch_numbers)
    groups = new_records(Group, count)
    k = 0
    touch = members.first_touch[head]
    while touch >= 0:
        touch_numbers[k] = touch
        k += 1
        touch = members.next_touch[touch]
    number, pieces, pair, coupled, room_for = 0, 0, 0, False, 0
    first = 0
    while first < count:  # how many pieces there may be
        body, other = _bodies_of(world, room.found[touch_numbers[first]])
        last = first + 1
        while last < count and _same_bodies(world, room.found[touch_numbers[last]], body, other):
            last += 1
        room_for += _piece_count(world, body) + _piece_count(world, other)
        first = last
    nodes, motions = np.empty(room_for, dtype=np.int64), np.empty((TWIST * room_for, WIDTH))
    first = 0
    while first < count:
        body, other = _bodies_of(world, room.found[touch_numbers[first]])
        last = first + 1
        while last < count and _same_bodies(world, room.found[touch_numbers[last]], body, other):
            last += 1
        centre: Vector3 = np.zeros(3)
        for m in range(first, last):
            centre += room.found[touch_numbers[m]].position / (last - first)
        found = _add_pieces(world, room, body, other, centre, local, pieces, nodes, motions)
        both = body >= 0 and other >= 0
        coupled = coupled or both
        groups[number] = Group(first, last - first, pieces, found, pair)
        number, pieces, pair = number + 1, pieces + found, pair + found * found
        first = last
    return groups, number, nodes, motions, coupled


def _bodies_of(world: World, touch: Touch) -> tuple[int, int]:
    """The links of a touch, -1 for what does not move by itself."""
    body, other = world.shapes.shapes[touch.first].body, world.shapes.shapes[touch.second].body
    links = len(world.link_mover)
    return (body if body < links else -1), (other if other < links else -1)


def _same_bodies(world: World, touch: Touch, body: int, other: int) -> bool:
    one, two = _bodies_of(world, touch)
    return one == body and two == other


def _piece_count(world: World, link: int) -> int:
    return int(world.link_pieces[link]) if link >= 0 else 0


def _add_pieces(
    world: World,
    room: Workspace,
    body: int,
    other: int,
    point: Vector3,
    local: Integers,
    first: int,
    nodes: Integers,
    motions: ArrayOf[Lanes],
) -> int:
    """The pieces of the motion of a body against another one at a point; how many.

    What moves both in the same way is left out.
    """
    count = 0
    if body >= 0:
        for k in range(world.link_first_piece[body], world.link_first_piece[body] + world.link_pieces[body]):
            nodes[first + count] = local[world.pieces[k].node]
            link_motion(world, room, body, k, point, motions, TWIST * (first + count))
            count += 1
    own = count
    if other >= 0:
        for k in range(world.link_first_piece[other], world.link_first_piece[other] + world.link_pieces[other]):
            node = local[world.pieces[k].node]
            link_motion(world, room, other, k, point, motions, TWIST * (first + count))
            same = -1
            for m in range(own):
                if nodes[first + m] == node:
                    same = m
            target = same if same >= 0 else count
            for c in range(TWIST):
                before = motions[TWIST * (first + same) + c] if same >= 0 else 0.0 * motions[TWIST * (first + count) + c]
                motions[TWIST * (first + target) + c] = before - motions[TWIST * (first + count) + c]
            if same < 0:
                nodes[first + count] = node
                count += 1
    kept = 0
    for k in range(count):
        empty = True
        for c in range(TWIST):
            empty = empty and np.all(motions[TWIST * (first + k) + c] == 0.0)
        if not empty:
            nodes[first + kept] = nodes[first + k]
            for c in range(TWIST):
                motions[TWIST * (first + kept) + c] = motions[TWIST * (first + k) + c]
            kept += 1
    return kept


def link_motion(
    world: World, room: Workspace, link: int, piece: int, point: Vector3, motions: ArrayOf[Lanes], row: int
) -> None:
    """Six rows of the motion of a link at a point (3,) in the world, by the velocities of one piece."""
    part = world.pieces[piece]
    mover = world.link_mover[link]
    number: Lanes = _NUMBER
    keep = number < part.lanes
    if mover < len(world.robots):
        robot = world.robots[mover]
        arm = point - robot_origin(robot, room.outputs)
        tables: ArrayOf[Lanes] = room.outputs[robot.motions : robot.motions + TWIST * WIDTH * robot.tables].reshape(
            TWIST * robot.tables, WIDTH
        )
        at = TWIST * part.table
        for c in range(TWIST):
            motions[row + c] = np.where(keep, tables[at + c], 0.0)
        if robot.placed:
            for c in (0, 3):
                x, y, z = motions[row + c], motions[row + c + 1], motions[row + c + 2]
                for i in range(3):
                    turn = robot.rotation
                    motions[row + c + i] = turn[i, 0] * x + turn[i, 1] * y + turn[i, 2] * z
    else:
        body = world.free[mover - len(world.robots)]
        arm = point - room.bodies.position[link]
        rotation = room.bodies.rotation[link]
        for i in range(3):
            motions[row + i] = np.where(number == i, 1.0, 0.0)
            turned: Lanes = np.zeros(8)
            turned[3], turned[4], turned[5] = rotation[i, 0], rotation[i, 1], rotation[i, 2]
            motions[row + 3 + i] = turned
    wx, wy, wz = motions[row + 3], motions[row + 4], motions[row + 5]
    motions[row] = motions[row] + wy * arm[2] - wz * arm[1]
    motions[row + 1] = motions[row + 1] + wz * arm[0] - wx * arm[2]
    motions[row + 2] = motions[row + 2] + wx * arm[1] - wy * arm[0]


# The matrix


def _plan(
    world: World,
    members: Members,
    head: int,
    nodes: int,
    groups: ArrayOf[Group],
    piece_nodes: Integers,
    local: Integers,
    coupled: bool,
) -> Elimination:
    """How to solve it: a robot alone that does not touch itself has a plan already."""
    if not coupled and members.next_mover[head] < 0 and head < len(world.robots):
        return world.plans.of(head)
    total = 0
    for group in groups:
        total += group.pieces * (group.pieces - 1) // 2
    mover = head
    while mover >= 0:
        if mover < len(world.robots):
            total += world.pair_starts[mover + 1] - world.pair_starts[mover]
        mover = members.next_mover[mover]
    pairs, count = np.empty((total, 2), dtype=np.int64), 0
    mover = head
    while mover >= 0:
        if mover < len(world.robots):
            for k in range(world.pair_starts[mover], world.pair_starts[mover + 1]):
                pairs[count, 0] = local[world.node_pairs[k, 0]]
                pairs[count, 1] = local[world.node_pairs[k, 1]]
                count += 1
        mover = members.next_mover[mover]
    for group in groups:
        for i in range(group.pieces):
            for j in range(i):
                pairs[count, 0] = piece_nodes[group.first_piece + i]
                pairs[count, 1] = piece_nodes[group.first_piece + j]
                count += 1
    return plan_elimination(nodes, pairs)


def _fill_inertia(
    world: World,
    settings: Settings,
    room: Workspace,
    members: Members,
    head: int,
    local: Integers,
    plan: Elimination,
    mass: ArrayOf[Lanes],
    momentum: ArrayOf[Lanes],
    pivots: ArrayOf[Lanes],
) -> float:
    """Inertia, momentum and pivots of all movers; their weight times dt, N s."""
    total = 0.0
    mover = head
    while mover >= 0:
        total += world.mass[mover]
        if mover < len(world.robots):
            _fill_robot(world, room, mover, local, plan, mass, momentum, pivots)
        else:
            body = world.free[mover - len(world.robots)]
            node = local[body.node]
            place = WIDTH * plan.places[node]
            block = mass[place : place + WIDTH]
            free_inertia(body, room.bodies.rotation[body.link], block)
            v = room.free[body.node]
            product = v[0] * block[0]
            for i in range(1, 6):
                product += v[i] * block[i]
            momentum[node] = product
            inverse: Lanes = np.zeros(8)
            for i in range(6):
                inverse[i] = 1.0 / block[i, i]
            pivots[node] = inverse
        mover = members.next_mover[mover]
    pull = np.sqrt(settings.gravity @ settings.gravity)
    return total * settings.dt * (pull if pull > 0.0 else 9.81)  # without weight against that on Earth


def _fill_robot(
    world: World,
    room: Workspace,
    mover: int,
    local: Integers,
    plan: Elimination,
    mass: ArrayOf[Lanes],
    momentum: ArrayOf[Lanes],
    pivots: ArrayOf[Lanes],
) -> None:
    robot, own = world.robots[mover], world.plans.of(mover)
    blocks: ArrayOf[Lanes] = room.outputs[robot.mass : robot.mass + WIDTH * WIDTH * robot.blocks].reshape(
        WIDTH * robot.blocks, WIDTH
    )
    values: ArrayOf[Lanes] = room.outputs[robot.momentum : robot.momentum + WIDTH * robot.nodes].reshape(
        robot.nodes, WIDTH
    )
    inverses: ArrayOf[Lanes] = room.outputs[robot.pivots : robot.pivots + WIDTH * robot.nodes].reshape(
        robot.nodes, WIDTH
    )
    for node in range(robot.nodes):
        here = local[robot.first_node + node]
        momentum[here] = values[node]
        pivots[here] = inverses[node]
        _copy_block(blocks, WIDTH * own.places[node], mass, WIDTH * plan.places[here])
    for k in range(world.pair_starts[mover], world.pair_starts[mover + 1]):
        one, other = world.node_pairs[k, 0] - robot.first_node, world.node_pairs[k, 1] - robot.first_node
        a, b = plan.places[local[world.node_pairs[k, 0]]], plan.places[local[world.node_pairs[k, 1]]]
        source = block_number(own, own.places[one], own.places[other])
        above, below = block_number(plan, a, b), block_number(plan, b, a)
        if (own.places[one] < own.places[other]) == (a < b):
            _copy_block(blocks, WIDTH * source, mass, WIDTH * above)
            _copy_block(blocks, WIDTH * source, mass, WIDTH * below)
        else:
            _turn_block(blocks, WIDTH * source, mass, WIDTH * above)
            _turn_block(blocks, WIDTH * source, mass, WIDTH * below)


def _copy_block(source: ArrayOf[Lanes], first: int, target: ArrayOf[Lanes], place: int) -> None:
    for r in range(WIDTH):
        target[place + r] = source[first + r]


def _turn_block(source: ArrayOf[Lanes], first: int, target: ArrayOf[Lanes], place: int) -> None:
    for r in range(WIDTH):
        for c in range(WIDTH):
            target[place + r, c] = source[first + c, r]


def _add_force(
    world: World,
    settings: Settings,
    room: Workspace,
    forces: Forces,
    k: int,
    local: Integers,
    momentum: ArrayOf[Lanes],
) -> None:
    link = forces.links[k]
    point = room.bodies.rotation[link] @ forces.points[k] + room.bodies.position[link]
    motions: ArrayOf[Lanes] = np.empty((TWIST, WIDTH))
    for piece in range(world.link_first_piece[link], world.link_first_piece[link] + world.link_pieces[link]):
        link_motion(world, room, link, piece, point, motions, 0)
        node = local[world.pieces[piece].node]
        total = momentum[node]
        for c in range(TWIST):
            total += (settings.dt * forces.wrenches[k, c]) * motions[c]
        momentum[node] = total


# Laws


def _fill_points(
    world: World,
    settings: Settings,
    state: State,
    room: Workspace,
    group: Group,
    piece_nodes: Integers,
    motions: ArrayOf[Lanes],
    local: Integers,
    touch_numbers: Integers,
    pivots: ArrayOf[Lanes],
    points: ArrayOf[Point],
    rows: ArrayOf[Lanes],
    start: ArrayOf[Vector3],
) -> None:
    """Laws and rows of the touches of a group, and the impulses they had."""
    mobility: ArrayOf[Lanes] = np.zeros((TWIST, WIDTH))
    for k in range(group.first_piece, group.first_piece + group.pieces):
        inverse = pivots[piece_nodes[k]]
        for c in range(TWIST):
            weighted, row = inverse * motions[TWIST * k + c], mobility[c].copy()
            for d in range(TWIST):
                row[d] += np.sum(weighted * motions[TWIST * k + d])
            mobility[c] = row
    centre: Vector3 = np.zeros(3)
    for k in range(group.first_point, group.first_point + group.points):
        centre += room.found[touch_numbers[k]].position / group.points
    for k in range(group.first_point, group.first_point + group.points):
        touch = room.found[touch_numbers[k]]
        frame = contact_frame(touch.normal)
        arm = touch.position - centre
        w = np.array([0.0, 0.0, 0.0])
        for i in (0, 1, 2):
            axis = frame[:, i]
            moment = np.cross(arm, axis)
            row_i: Lanes = np.zeros(8)
            row_i[0], row_i[1], row_i[2] = axis[0], axis[1], axis[2]
            row_i[3], row_i[4], row_i[5] = moment[0], moment[1], moment[2]
            rows[3 * k + i] = row_i
            moved = row_i[0] * mobility[0]
            for c in range(1, TWIST):
                moved += row_i[c] * mobility[c]
            w[i] = np.sum(moved * row_i)
        least = _LEAST_MOBILITY * (w[0] + w[1] + w[2]) + 1e-200
        before = relative_velocity(world, state, room, touch)
        points[k] = _law(world, settings, room, touch, frame, before, 0.5 * (w[0] + w[1]) + least, w[2] + least)
        start[k] = frame.T @ state.impulses[touch_numbers[k]]


def relative_velocity(world: World, state: State, room: Workspace, touch: Touch) -> Vector3:
    """Velocity of the first body of a touch against the second at the beginning of the step, world axes, m/s."""
    body, other = world.shapes.shapes[touch.first].body, world.shapes.shapes[touch.second].body
    return body_velocity(world, state, room, body, touch.position) - body_velocity(
        world, state, room, other, touch.position
    )


def body_velocity(world: World, state: State, room: Workspace, body: int, point: Vector3) -> Vector3:
    """Velocity of a point of a body at the beginning of the step, m/s."""
    if body < 0:
        return np.zeros(3)
    if body >= len(world.link_mover):  # on a given path
        bodies = room.bodies
        return bodies.linear[body] + np.cross(bodies.angular[body], point - bodies.position[body])
    total: Vector3 = np.zeros(3)
    motions: ArrayOf[Lanes] = np.empty((TWIST, WIDTH))
    for piece in range(world.link_first_piece[body], world.link_first_piece[body] + world.link_pieces[body]):
        link_motion(world, room, body, piece, point, motions, 0)
        node = world.pieces[piece].node
        for lane in range(WIDTH):
            velocity = world.node_velocities[node, lane]
            if velocity >= 0:
                speed = state.v[velocity]
                total += speed * np.array([motions[0, lane], motions[1, lane], motions[2, lane]])
    return total


def _law(
    world: World,
    settings: Settings,
    room: Workspace,
    touch: Touch,
    frame: Matrix3,
    before: Vector3,
    along: float,
    normal: float,
) -> Point:
    """What a touch asks for; before (3,): relative velocity at the beginning of the step, world axes."""
    shapes = world.shapes.shapes
    pair = shapes[touch.first].material * world.material_count + shapes[touch.second].material
    material = world.materials[pair]
    dt, compliance = settings.dt, 0.0
    if material.stiffness < np.inf:
        # p = -dt (k (gap + dt v) + d v), solved for v: an implicit spring and damper
        answer = material.stiffness * dt + material.damping
        offset, compliance = touch.gap * (material.stiffness / answer), 1.0 / (dt * answer)
    elif settings.touching_only:
        offset = 0.0 if touch.gap <= 0.0 else 1e9
    else:
        # A penetration comes from what a step could not see, such as a bend of the terrain; undone at once it would throw.
        offset = max(max(touch.gap, settings.recovery * touch.gap) / dt, -settings.recovery_speed)
    speed = frame.T @ before
    if material.restitution > 0.0 and speed[2] < -settings.restitution_speed and touch.gap + dt * speed[2] < 0.0:
        offset = material.restitution * speed[2]
    extra = 0.0
    if material.viscous_friction > 0.0:  # 001 (4.22), with the sliding speed at the start of the step
        extra = material.viscous_friction * dt * np.sqrt(speed[0] * speed[0] + speed[1] * speed[1])
    carried = np.array([0.0, 0.0, 0.0])
    body = shapes[touch.second].body
    if body >= len(world.link_mover):
        bodies = room.bodies
        arm = touch.position - bodies.position[body]
        carried = frame.T @ (bodies.linear[body] + np.cross(bodies.angular[body], arm))
    drift = np.array([-carried[0], -carried[1], offset - carried[2]])
    return Point(drift, compliance, material.friction, extra, along, normal)


def _joint_row(
    world: World, settings: Settings, state: State, local: Integers, pivots: ArrayOf[Lanes], number: int
) -> JointRow:
    joint = world.joints[number]
    node = local[joint.node]
    mobility = pivots[node, joint.lane]
    if joint.friction > 0.0:
        return JointRow(node, joint.lane, 1.0, 0.0, joint.friction * settings.dt, mobility)
    q = state.q[joint.coordinate]
    below, above = q - joint.lower, joint.upper - q
    room = max(min(below, above) / settings.dt, -settings.recovery_speed)
    return JointRow(node, joint.lane, 1.0 if below < above else -1.0, room, np.inf, mobility)
