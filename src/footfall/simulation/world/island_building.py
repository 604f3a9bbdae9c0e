"""The contact problem of an island, from its movers, touches and joints."""

from __future__ import annotations

import numpy as np

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
from footfall.contact.law import FAR, limit_offset
from footfall.math.block_sparse import WIDTH
from footfall.simulation.world.island_draft import Draft, bodies_of
from footfall.simulation.world.island_inertia import (
    Inertia,
    add_force,
    island_inertia,
    island_plan,
    weight_of,
)
from footfall.simulation.world.island_pieces import Pieces, centre_of, find_pieces
from footfall.simulation.world.laws import GIVING, JAMMED, contact_law
from footfall.simulation.world.records import Moment, World
from footfall.simulation.world.velocity_sums import held_impulse, sum_mobility, sum_point

_LEAST_MOBILITY = 1e-9  # of a contact's own sum: keeps directions in which nothing moves off zero
_IMMOVABLE = 1e-14  # of a contact's mobility: what moves less along its normal does not move


@routine(fused=True, apart=True, quick=True)
def build_island(now: Moment, draft: Draft) -> Island:
    """Its contact problem; impulses to start with go into the draft."""
    pieces = find_pieces(now, draft)
    plan = island_plan(now.world, draft, pieces)
    inertia = island_inertia(now, draft, plan, pieces.coupled)
    weight = weight_of(now, draft)
    for k in range(len(now.forces.links)):
        for mover in draft.movers:
            if now.world.link_mover[now.forces.links[k]] == mover:
                add_force(now, draft, k, inertia.momentum)
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
    # It is pushed and touches nothing: what is not balanced is told as an impulse all the same.
    if mobility == 0.0:
        for node in range(len(inertia.pivots)):
            mobility += np.sum(inertia.pivots[node])
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
        mobility,
    )


def _is_own(world: World, touch: Touch) -> bool:
    """Whether a robot touches itself."""
    body, other = bodies_of(world, touch)
    return body >= 0 and other >= 0 and world.link_mover[body] == world.link_mover[other]


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
    centre, greatest = centre_of(now, draft, group), 0.0
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
        own = _is_own(now.world, touch)
        felt = touch
        if own and touch.gap < 0.0:
            # Of limbs that may be jammed only what is deeper is undone: else impulses give energy.
            felt = touch._replace(gap=min(touch.gap + JAMMED, 0.0))
        law = contact_law(now, felt, frame, speed, impulse)
        # Where what presses it leads to: a law that is obeyed holds with equality.
        now.room.found[draft.touches[k]] = touch._replace(ahead=touch.gap - now.settings.dt * law.offset)
        drift = law.drift
        if out <= _IMMOVABLE * all_ways:
            # A robot on slides over a floor cannot leave it, and no impulse could help it out of it.
            drift = np.array([drift[0], drift[1], FAR])
        along, normal = max(0.5 * (all_ways - out), 0.0) + least, out + least
        compliance = law.compliance
        if own:
            # Joints may let a limb move along another one only, where friction holds it: impulses had no bound.
            compliance = max(compliance, GIVING * all_ways)
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
    room = limit_offset(min(below, above), now.settings.rules, dt)
    return JointRow(node, joint.lane, 1.0 if below < above else -1.0, room, np.inf, mobility)
