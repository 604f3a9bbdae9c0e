"""The contact problem of an island, from its movers, touches and joints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Lanes, Matrix3, Vector3, new_records, routine
from footfall.contact.contacts import contact_frame
from footfall.contact.detection.shapes import Touch
from footfall.contact.islands.island import (
    TWIST,
    Group,
    Island,
    JointRow,
    Point,
    group_twist_of,
    halves,
    pair_blocks,
)
from footfall.math.block_sparse import WIDTH, Elimination, block_number, plan_elimination
from footfall.simulation.world.coupling import Members, list_of
from footfall.simulation.world.free_bodies import free_inertia
from footfall.simulation.world.laws import FAR, JAMMED, contact_law
from footfall.simulation.world.link_motion import fill_motion
from footfall.simulation.world.records import Moment, World
from footfall.simulation.world.velocity_sums import add_sum_group, held_impulse, sum_mobility, sum_point

_LEAST_MOBILITY = 1e-9  # of a contact's own sum: keeps directions in which nothing moves off zero
_IMMOVABLE = 1e-14  # of a contact's mobility: what moves less along its normal does not move
_GIVING = 1e-3  # of a contact's mobility: so much such a contact gives way


class Draft(NamedTuple):
    """An island while it is put together.

    movers, touches, joints: numbers of the world's; sums: of those among its joints that several nodes move. local
    (nodes of the world,): number of each node in the island. v (n, 8): velocities at the beginning of the step.
    impulses (c, 3), of touches and then of sums, and joint_impulses (j,): to start with.
    """

    movers: Integers
    touches: Integers
    joints: Integers
    sums: Integers
    local: Integers
    v: ArrayOf[Lanes]
    impulses: ArrayOf[Vector3]
    joint_impulses: Array


class Pieces(NamedTuple):
    """Groups of touches between the same bodies, one after another, then those of sums, with the nodes and
    motions of their pieces; touching: how many groups are of touches; coupled: whether any of them couples nodes that
    the inertia does not."""

    groups: ArrayOf[Group]
    touching: int
    nodes: Integers
    motions: ArrayOf[Lanes]
    coupled: bool


class Inertia(NamedTuple):
    """See `Island`."""

    mass: ArrayOf[Lanes]
    momentum: ArrayOf[Lanes]
    pivots: ArrayOf[Lanes]


def draft_island(now: Moment, members: Members, head: int, local: Integers) -> Draft:
    """What belongs to the island whose first mover is `head`."""
    world = now.world
    movers = list_of(members.first_mover[head], members.next_mover)
    touches = list_of(members.first_touch[head], members.next_touch)
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
    impulses = np.zeros((len(touches) + len(sums), 3))
    return Draft(movers, touches, joints, sums, local, v, impulses, joint_impulses)


def _joints_of(world: World, rows: Integers, *, sums: bool) -> Integers:
    """Those of joint rows that several nodes move, or those that one does."""
    count, chosen = 0, np.empty(len(rows), dtype=np.int64)
    for row in rows:
        if (world.joints[row].lane < 0) == sums:
            chosen[count] = row
            count += 1
    return chosen[:count]


@routine(fused=True, apart=True, quick=True)
def build_island(now: Moment, draft: Draft) -> Island:
    """Its contact problem; impulses to start with go into the draft."""
    pieces = _pieces(now, draft)
    plan = _plan(now.world, draft, pieces)
    inertia = _inertia(now, draft, plan, pieces.coupled)
    weight = _weight(now, draft)
    for k in range(len(now.forces.links)):
        for mover in draft.movers:
            if now.world.link_mover[now.forces.links[k]] == mover:
                _add_force(now, draft, k, inertia.momentum)
    count = len(draft.impulses)
    points, rows, mobility = new_records(Point, count), np.empty((3 * count, WIDTH)), 0.0
    for group in pieces.groups[: pieces.touching]:
        mobility = max(mobility, _fill_points(now, draft, group, pieces, inertia, points, rows))
    for group in pieces.groups[pieces.touching :]:
        mobility = max(mobility, _fill_sum(now, draft, group, pieces, inertia, points, rows, weight))
    last = len(pieces.groups) - 1
    pair_count = pieces.groups[last].first_pair + pieces.groups[last].pieces ** 2 if last >= 0 else 0
    pairs = np.empty(pair_count, dtype=np.int64)
    pair_blocks(plan, pieces.groups, pieces.nodes, pairs)
    joints = new_records(JointRow, len(draft.joints))
    for k in range(len(draft.joints)):
        joints[k] = _joint_row(now, draft, inertia, draft.joints[k])
        mobility = max(mobility, joints[k].mobility)
    return Island(
        plan,
        inertia.mass,
        inertia.momentum,
        inertia.pivots,
        pieces.groups,
        pieces.nodes,
        pieces.motions,
        pairs,
        points,
        rows,
        joints,
        weight,
        max(mobility, 1e-200),
    )


# Groups and their pieces


def _pieces(now: Moment, draft: Draft) -> Pieces:
    world, found, count = now.world, now.room.found, len(draft.touches)
    groups = new_records(Group, count + len(draft.sums))
    number, room, first = 0, 0, 0
    for joint in draft.sums:
        room += world.joints[joint].pieces
    while first < count:
        body, other = _bodies_of(world, found[draft.touches[first]])
        last = first + 1
        while last < count and _same_bodies(world, found[draft.touches[last]], body, other):
            last += 1
        groups[number] = Group(first, last - first, 0, 0, 0)
        room += _piece_count(world, body) + _piece_count(world, other)
        number, first = number + 1, last
    nodes, motions = np.empty(room, dtype=np.int64), np.empty((TWIST * room, WIDTH))
    made, pair, coupled = 0, 0, False
    for k in range(number):
        group = groups[k]
        body, other = _bodies_of(world, found[draft.touches[group.first_point]])
        at = _centre(now, draft, group)
        own = _add_pieces(now, draft, body, at, 1.0, made, 0, nodes, motions)
        own = _add_pieces(now, draft, other, at, -1.0, made, own, nodes, motions)
        if body >= 0 and other >= 0:
            own, coupled = _without_empty(made, own, nodes, motions), True
        groups[k] = Group(group.first_point, group.points, made, own, pair)
        made, pair = made + own, pair + own * own
    for k in range(len(draft.sums)):
        begun = Group(count + k, 1, made, 0, pair)
        group = add_sum_group(now, draft.sums[k], begun, draft.local, nodes, motions)
        groups[number + k] = group
        coupled = coupled or world.joints[draft.sums[k]].friction == np.inf
        made, pair = made + group.pieces, pair + group.pieces * group.pieces
    return Pieces(groups[: number + len(draft.sums)], number, nodes, motions, coupled)


def _bodies_of(world: World, touch: Touch) -> tuple[int, int]:
    """The links of a touch, -1 for what does not move by itself."""
    body, other = world.shapes.shapes[touch.first].body, world.shapes.shapes[touch.second].body
    links = len(world.link_mover)
    return (body if body < links else -1), (other if other < links else -1)


def _is_own(world: World, touch: Touch) -> bool:
    """Whether a robot touches itself."""
    body, other = _bodies_of(world, touch)
    return body >= 0 and other >= 0 and world.link_mover[body] == world.link_mover[other]


def _same_bodies(world: World, touch: Touch, body: int, other: int) -> bool:
    one, two = _bodies_of(world, touch)
    return one == body and two == other


def _piece_count(world: World, link: int) -> int:
    return int(world.link_pieces[link]) if link >= 0 else 0


def _centre(now: Moment, draft: Draft, group: Group) -> Vector3:
    """The point at which the motion of a group is taken: the middle of its touches, m."""
    total: Vector3 = np.zeros(3)
    for k in range(group.first_point, group.first_point + group.points):
        total += now.room.found[draft.touches[k]].position
    return total / group.points


def _add_pieces(
    now: Moment,
    draft: Draft,
    link: int,
    point: Vector3,
    sign: float,
    first: int,
    count: int,
    nodes: Integers,
    motions: ArrayOf[Lanes],
) -> int:
    """Add the pieces of a link's motion at a point to the `count` ones that a group has; how many there are then.

    Where both bodies of a group move with a node, there is one piece for both.
    """
    world, others = now.world, count
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
    return count


def _without_empty(first: int, count: int, nodes: Integers, motions: ArrayOf[Lanes]) -> int:
    """Leave out pieces in which both bodies move in the same way; how many are left."""
    kept = first
    for k in range(first, first + count):
        empty = True
        for c in range(TWIST):
            empty = empty and bool(np.all(motions[TWIST * k + c] == 0.0))
        if not empty:
            nodes[kept] = nodes[k]
            for c in range(TWIST):
                motions[TWIST * kept + c] = motions[TWIST * k + c]
            kept += 1
    return kept - first


# The matrix


def _plan(world: World, draft: Draft, pieces: Pieces) -> Elimination:
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


def _inertia(now: Moment, draft: Draft, plan: Elimination, coupled: bool) -> Inertia:
    """Inertia, momentum and pivots of all movers; of a robot alone as its native code gives them, see `_plan`."""
    robots, first = len(now.world.robots), draft.movers[0]
    if len(draft.movers) == 1 and first < robots and not coupled:
        own = _robot_inertia(now, first)
        return Inertia(own.mass, own.momentum.copy(), own.pivots)  # pushes are added to the momentum
    inertia = Inertia(np.zeros((WIDTH * plan.size, WIDTH)), np.zeros(draft.v.shape), np.zeros(draft.v.shape))
    for mover in draft.movers:
        if mover < robots:
            _fill_robot(now, draft, mover, plan, inertia)
        else:
            _fill_free(now, draft, mover - robots, plan, inertia)
    return inertia


def _weight(now: Moment, draft: Draft) -> float:
    """Of all movers times dt, N s; without gravity that on Earth."""
    total, gravity = 0.0, now.settings.gravity
    for mover in draft.movers:
        total += now.world.mass[mover]
    pull = np.sqrt(gravity @ gravity)
    return float(total * now.settings.dt * (pull if pull > 0.0 else 9.81))


def _robot_inertia(now: Moment, mover: int) -> Inertia:
    """As the native code of a robot gives it, by its own nodes and plan."""
    robot, outputs = now.world.robots[mover], now.room.outputs
    size = WIDTH * robot.nodes
    mass: ArrayOf[Lanes] = outputs[robot.mass : robot.mass + WIDTH * WIDTH * robot.blocks].reshape(
        WIDTH * robot.blocks, WIDTH
    )
    momentum: ArrayOf[Lanes] = outputs[robot.momentum : robot.momentum + size].reshape(robot.nodes, WIDTH)
    pivots: ArrayOf[Lanes] = outputs[robot.pivots : robot.pivots + size].reshape(robot.nodes, WIDTH)
    return Inertia(mass, momentum, pivots)


def _fill_free(now: Moment, draft: Draft, number: int, plan: Elimination, inertia: Inertia) -> None:
    body = now.world.free[number]
    node = draft.local[body.node]
    place = WIDTH * plan.places[node]
    block = inertia.mass[place : place + WIDTH]
    free_inertia(body, now.room.bodies.rotation[body.link], block)
    v = now.room.free[body.node]
    momentum: Lanes = np.zeros(8)
    inverse: Lanes = np.zeros(8)
    for i in range(6):
        momentum += v[i] * block[i]
        inverse[i] = 1.0 / block[i, i]
    inertia.momentum[node] = momentum
    inertia.pivots[node] = inverse


def _fill_robot(now: Moment, draft: Draft, mover: int, plan: Elimination, inertia: Inertia) -> None:
    world = now.world
    robot, own, given = world.robots[mover], world.plans.of(mover), _robot_inertia(now, mover)
    blocks = given.mass
    for node in range(robot.nodes):
        here = draft.local[robot.first_node + node]
        inertia.momentum[here] = given.momentum[node]
        inertia.pivots[here] = given.pivots[node]
        _copy_block(blocks, WIDTH * own.places[node], inertia.mass, WIDTH * plan.places[here])
    for k in range(world.pair_starts[mover], world.pair_starts[mover + 1]):
        one, other = world.node_pairs[k, 0], world.node_pairs[k, 1]
        first, second = own.places[one - robot.first_node], own.places[other - robot.first_node]
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


def _add_force(now: Moment, draft: Draft, number: int, momentum: ArrayOf[Lanes]) -> None:
    """What a wrench on a link gives to the velocities in a step."""
    world, link, dt = now.world, now.forces.links[number], now.settings.dt
    point = now.room.bodies.rotation[link] @ now.forces.points[number] + now.room.bodies.position[link]
    motions: ArrayOf[Lanes] = np.empty((TWIST, WIDTH))
    for k in range(world.link_pieces[link]):
        piece = world.link_first_piece[link] + k
        fill_motion(now, link, piece, point, motions, 0)
        node = draft.local[world.pieces[piece].node]
        total = momentum[node]
        for c in range(TWIST):
            total += (dt * now.forces.wrenches[number, c]) * motions[c]
        momentum[node] = total


# Laws


def _fill_points(
    now: Moment,
    draft: Draft,
    group: Group,
    pieces: Pieces,
    inertia: Inertia,
    points: ArrayOf[Point],
    rows: ArrayOf[Lanes],
) -> float:
    """Laws and rows of the touches of a group, and the impulses they had; the greatest mobility, 1/kg."""
    mobility: ArrayOf[Lanes] = np.empty((TWIST, WIDTH))
    _fill_mobility(group, pieces, inertia, mobility)
    before = halves(group_twist_of(group, pieces.nodes, pieces.motions, draft.v))
    centre, greatest = _centre(now, draft, group), 0.0
    normal_before: Vector3 = np.zeros(3)
    frame: Matrix3 = np.zeros((3, 3))
    for k in range(group.first_point, group.first_point + group.points):
        touch = now.room.found[draft.touches[k]]
        arm = touch.position - centre
        if not np.all(touch.normal == normal_before):  # most points of a group share it
            normal_before, frame = touch.normal, contact_frame(touch.normal)
        for i in (0, 1, 2):
            axis = frame[:, i]
            moment = np.cross(arm, axis)
            row: Lanes = np.zeros(8)
            row[0], row[1], row[2] = axis[0], axis[1], axis[2]
            row[3], row[4], row[5] = moment[0], moment[1], moment[2]
            rows[3 * k + i] = row
        all_ways = _trace_at(mobility, arm)
        through = rows[3 * k + 2]
        moved = through[0] * mobility[0]
        for c in range(1, TWIST):
            moved += through[c] * mobility[c]
        out = np.sum(moved * through)
        least = _LEAST_MOBILITY * all_ways + 1e-200
        impulse = frame.T @ now.state.impulses[draft.touches[k]]
        speed = frame.T @ (before.linear + np.cross(before.angular, arm))
        own = touch.gap < 0.0 and _is_own(now.world, touch)
        if (
            own
        ):  # of limbs that may be jammed only what is deeper is undone: elsewhere impulses gain no energy
            touch = touch._replace(gap=min(touch.gap + JAMMED, 0.0))
        law = contact_law(now, touch, frame, speed, impulse)
        drift = law.drift
        if out <= _IMMOVABLE * all_ways:
            # A robot on slides over a floor cannot leave it, and no impulse could help it out of it.
            drift = np.array([drift[0], drift[1], FAR])
        along, normal = max(0.5 * (all_ways - out), 0.0) + least, out + least
        compliance = law.compliance
        if own and touch.gap < 0.0:
            # Joints may let a limb move along another one only, where friction holds it: impulses had no bound.
            compliance = max(compliance, _GIVING * all_ways)
        points[k] = Point(
            drift,
            compliance,
            law.shear,
            law.friction,
            law.extra,
            along,
            normal,
            1.0 / (along + law.shear),
            1.0 / (normal + compliance),
            arm,
            frame,
        )
        draft.impulses[k] = impulse
        greatest = max(greatest, along, normal)
    return greatest


def _fill_sum(
    now: Moment,
    draft: Draft,
    group: Group,
    pieces: Pieces,
    inertia: Inertia,
    points: ArrayOf[Point],
    rows: ArrayOf[Lanes],
    weight: float,
) -> float:
    """Law and rows of a sum, and the impulse it had; its mobility."""
    k, number = group.first_point, draft.sums[group.first_point - len(draft.touches)]
    mobility = sum_mobility(group, pieces.nodes, pieces.motions, inertia.pivots)
    points[k] = sum_point(now, number, mobility, weight)
    for i in range(3):
        row: Lanes = np.zeros(8)
        row[i] = 1.0
        rows[3 * k + i] = row
    draft.impulses[k] = held_impulse(now, number, weight)
    return mobility


def _trace_at(mobility: ArrayOf[Lanes], arm: Vector3) -> float:
    """Sum of the mobilities of a point in three directions, for that of its group (6, 8).

    It moves by `A f + B S f - S B^T f - S D S f` under a force f, where S is the cross product with its arm.
    """
    x, y, z = arm[0], arm[1], arm[2]
    linear = mobility[0, 0] + mobility[1, 1] + mobility[2, 2]
    mixed = (
        x * (mobility[1, 5] - mobility[2, 4])
        + y * (mobility[2, 3] - mobility[0, 5])
        + z * (mobility[0, 4] - mobility[1, 3])
    )
    turned = (
        (y * y + z * z) * mobility[3, 3] + (x * x + z * z) * mobility[4, 4] + (x * x + y * y) * mobility[5, 5]
    )
    turned -= 2.0 * (x * y * mobility[3, 4] + x * z * mobility[3, 5] + y * z * mobility[4, 5])
    return float(linear + 2.0 * mixed + turned)


def _fill_mobility(group: Group, pieces: Pieces, inertia: Inertia, mobility: ArrayOf[Lanes]) -> None:
    """About how a wrench (6,) on a group moves it: the pivots stand for the whole inertia."""
    products: ArrayOf[Lanes] = np.empty((TWIST * TWIST, WIDTH))  # summed over lanes at the end
    for k in range(group.first_piece, group.first_piece + group.pieces):
        inverse = inertia.pivots[pieces.nodes[k]]
        for c in range(TWIST):
            weighted = inverse * pieces.motions[TWIST * k + c]
            for d in range(c + 1):
                product = weighted * pieces.motions[TWIST * k + d]
                before = products[TWIST * c + d] if k > group.first_piece else 0.0
                products[TWIST * c + d] = product + before
    for c in range(TWIST):
        for d in range(c + 1):
            mobility[c, d] = np.sum(products[TWIST * c + d])
            mobility[d, c] = mobility[c, d]
        mobility[c, 6], mobility[c, 7] = 0.0, 0.0


def _joint_row(now: Moment, draft: Draft, inertia: Inertia, number: int) -> JointRow:
    joint, dt = now.world.joints[number], now.settings.dt
    node = draft.local[joint.node]
    mobility = inertia.pivots[node, joint.lane]
    if joint.friction > 0.0:
        return JointRow(node, joint.lane, 1.0, 0.0, joint.friction * dt, mobility)
    q = now.state.q[joint.coordinate]
    below, above = q - joint.lower, joint.upper - q
    room = max(min(below, above) / dt, -now.settings.recovery_speed)
    return JointRow(node, joint.lane, 1.0 if below < above else -1.0, room, np.inf, mobility)
