"""The contact problem of an island, from its movers, contacts and joints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import ArrayOf, Lanes, Matrix3, Vector3, new_records, routine
from footfall.contact.contacts import Contact, contact_frame
from footfall.contact.islands.island import (
    TWIST,
    Follower,
    Group,
    Island,
    IslandContact,
    JointRow,
    group_twist_of,
    halves,
    pair_blocks,
)
from footfall.contact.law import FAR, limit_offset, made_law
from footfall.math.block_sparse import WIDTH
from footfall.simulation.world.island_draft import Draft, bodies_of
from footfall.simulation.world.island_pieces import (
    Inertia,
    Pieces,
    add_force,
    centre_of,
    find_pieces,
    island_inertia,
    island_plan,
    weight_of,
)
from footfall.simulation.world.laws import contact_law, follower_of, giving_share
from footfall.simulation.world.records import Moment, World
from footfall.simulation.world.velocity_sums import held_impulse, sum_mobility, sum_point

# How far impulses move the points of a group of contacts: one formula for all points that share a normal.


class Mobility(NamedTuple):
    """About how a wrench [f; n] at the centre of a group moves it, `[A B; B^T D] [f; n]`: A in 1/kg, B, D."""

    linear: Matrix3
    mixed: Matrix3
    turning: Matrix3

    def in_all_ways(self) -> Quadratic:
        """Sum of the mobilities of a point in three directions, 1/kg, over its arm.

        It moves by `A f + B S f - S B^T f - S D S f` under a force f, where S is the cross product with its arm.
        """
        a, b, d = self.linear, self.mixed, self.turning
        return Quadratic(
            a[0, 0] + a[1, 1] + a[2, 2],
            2.0 * np.array([b[1, 2] - b[2, 1], b[2, 0] - b[0, 2], b[0, 1] - b[1, 0]]),
            np.array([d[1, 1] + d[2, 2], d[0, 0] + d[2, 2], d[0, 0] + d[1, 1]]),
            -2.0 * np.array([d[1, 2], d[0, 2], d[0, 1]]),
        )

    def along(self, n: Vector3) -> Quadratic:
        """Mobility of a point along a unit normal n, 1/kg, over its arm r: `[n; r x n]^T [A B; B^T D] [n; r x n]`."""
        x, y, z = np.array([0.0, -n[2], n[1]]), np.array([n[2], 0.0, -n[0]]), np.array([-n[1], n[0], 0.0])
        pushed_x, pushed_y, pushed_z = self.turning @ x, self.turning @ y, self.turning @ z
        return Quadratic(
            n @ (self.linear @ n),
            2.0 * np.cross(n, self.mixed.T @ n),
            np.array([x @ pushed_x, y @ pushed_y, z @ pushed_z]),
            2.0 * np.array([y @ pushed_z, z @ pushed_x, x @ pushed_y]),
        )


class Quadratic(NamedTuple):
    """A polynomial of an arm (x, y, z): squares of its components, and products yz, zx, xy."""

    constant: float
    slope: Vector3
    squares: Vector3
    products: Vector3

    def at(self, arm: Vector3) -> float:
        across = np.array([arm[1] * arm[2], arm[2] * arm[0], arm[0] * arm[1]])
        return float(self.constant + self.slope @ arm + self.squares @ (arm * arm) + self.products @ across)


def group_mobility(group: Group, pieces: Pieces, inertia: Inertia) -> Mobility:
    """That of a group; the pivots stand for the whole inertia."""
    products: ArrayOf[Lanes] = np.empty((TWIST * TWIST, WIDTH))  # summed over lanes at the end
    for k in range(group.first_piece, group.first_piece + group.pieces):
        inverse = inertia.pivots[pieces.nodes[k]]
        for c in range(TWIST):
            weighted = inverse * pieces.motions[TWIST * k + c]
            for d in range(c + 1):
                product = weighted * pieces.motions[TWIST * k + d]
                before = products[TWIST * c + d] if k > group.first_piece else 0.0
                products[TWIST * c + d] = product + before
    linear: Matrix3 = np.zeros((3, 3))
    mixed: Matrix3 = np.zeros((3, 3))
    turning: Matrix3 = np.zeros((3, 3))
    for c in (0, 1, 2):
        for d in (0, 1, 2):
            mixed[d, c] = np.sum(products[TWIST * (3 + c) + d])
            if d <= c:
                linear[c, d] = np.sum(products[TWIST * c + d])
                turning[c, d] = np.sum(products[TWIST * (3 + c) + 3 + d])
                linear[d, c], turning[d, c] = linear[c, d], turning[c, d]
    return Mobility(linear, mixed, turning)


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
                add_force(now, draft, k, inertia.pushes)
    count = len(draft.impulses) - len(draft.followers)
    points, rows, mobility = (
        new_records(IslandContact, count),
        np.empty((3 * len(draft.impulses), WIDTH)),
        0.0,
    )
    for group in pieces.groups[: pieces.touching]:
        mobility = max(mobility, _fill_points(now, draft, group, pieces, inertia, points, rows))
    for group in pieces.groups[pieces.touching :]:
        mobility = max(mobility, _fill_sum(now, draft, group, pieces, inertia, points, rows, weight))
    followers = new_records(Follower, len(draft.followers))
    for group in pieces.followers:
        _fill_followers(now, draft, group, pieces, inertia, points, followers, rows)
    last = len(pieces.groups) - 1
    pair_count = pieces.groups[last].first_pair + pieces.groups[last].pieces ** 2 if last >= 0 else 0
    pairs = np.empty(pair_count, dtype=np.int64)
    pair_blocks(plan, pieces.groups, pieces.nodes, pairs)
    joints = new_records(JointRow, len(draft.joints))
    for k in range(len(draft.joints)):
        joints[k] = _joint_row(now, draft, inertia, draft.joints[k])
        mobility = max(mobility, joints[k].mobility)
    # It is pushed and touches nothing: what is not balanced is reported as an impulse all the same.
    if mobility == 0.0:
        for node in range(len(inertia.pivots)):
            mobility += np.sum(inertia.pivots[node])
    return Island(
        plan=plan,
        mass=inertia.mass,
        free=inertia.free,
        pushes=inertia.pushes,
        pivots=inertia.pivots,
        groups=pieces.groups,
        nodes=pieces.nodes,
        motions=pieces.motions,
        pairs=pairs,
        points=points,
        rows=rows,
        joints=joints,
        follower_groups=pieces.followers,
        followers=followers,
        leading=count,
        weight=weight,
        mobility=mobility,
    )


def _is_own(world: World, contact: Contact) -> bool:
    """Whether a robot touches itself."""
    body, other = bodies_of(world, contact)
    return body >= 0 and other >= 0 and world.link_mover[body] == world.link_mover[other]


# Laws


def _fill_points(
    now: Moment,
    draft: Draft,
    group: Group,
    pieces: Pieces,
    inertia: Inertia,
    points: ArrayOf[IslandContact],
    rows: ArrayOf[Lanes],
) -> float:
    """Laws and rows of the contacts of a group, and the impulses they had; the greatest mobility, 1/kg."""
    mobility = group_mobility(group, pieces, inertia)
    in_all_ways = mobility.in_all_ways()
    before = halves(group_twist_of(group, pieces.nodes, pieces.motions, draft.v))
    centre, greatest = centre_of(now, draft, group), 0.0
    normal: Vector3 = np.zeros(3)
    frame: Matrix3 = np.zeros((3, 3))
    along_normal = in_all_ways
    basis: ArrayOf[Lanes] = np.empty((12, WIDTH))
    for k in range(group.first_point, group.first_point + group.points):
        contact = now.room.found[draft.contacts[k]]
        arm = contact.position - centre
        if not np.all(contact.normal == normal):  # most points of a group share it
            normal = contact.normal
            frame, along_normal = contact_frame(normal), mobility.along(normal)
            _fill_basis(frame, basis)
        for i in (0, 1, 2):
            turned = arm[0] * basis[4 * i + 1] + arm[1] * basis[4 * i + 2] + arm[2] * basis[4 * i + 3]
            rows[3 * k + i] = basis[4 * i] + turned
        all_ways, out = in_all_ways.at(arm), along_normal.at(arm)
        least = _LEAST_MOBILITY * all_ways + 1e-200
        impulse = frame.T @ now.state.impulses[draft.contacts[k]]
        speed = frame.T @ (before.linear + np.cross(before.angular, arm))
        own = _is_own(now.world, contact)
        drift, asked, rebound = contact_law(now, contact, own, frame, speed, impulse)
        draft.rebounds[k] = rebound
        draft.ahead[k] = contact.gap - now.settings.dt * asked.offset
        if out <= _IMMOVABLE * all_ways:
            # A robot on slides over a floor cannot leave it, and no impulse could help it out of it.
            drift = np.array([drift[0], drift[1], FAR])
        along, outwards = max(0.5 * (all_ways - out), 0.0) + least, out + least
        compliance = max(asked.compliance, giving_share(own, contact.gap, impulse[2] * out) * all_ways)
        law = made_law(along, outwards, asked.friction, asked.extra, compliance, asked.shear)
        points[k] = IslandContact(drift, law, arm, frame)
        draft.impulses[k] = impulse
        greatest = max(greatest, along, outwards)
    return greatest


def _fill_followers(
    now: Moment,
    draft: Draft,
    group: Group,
    pieces: Pieces,
    inertia: Inertia,
    points: ArrayOf[IslandContact],
    followers: ArrayOf[Follower],
    rows: ArrayOf[Lanes],
) -> None:
    """Laws and rows of rolling and torsional friction in a group of contacts, and the impulses they had."""
    turning = group_mobility(group, pieces, inertia).turning
    for k in range(group.first_point, group.first_point + group.points):
        number = k - len(points)
        leader = draft.followers[number]
        contact = now.room.found[draft.contacts[leader]]
        follower = follower_of(now, contact, leader, points[leader].frame, turning)
        followers[number] = follower
        arm = follower.frame[:, 2] @ follower.frame[:, 2]
        draft.impulses[k] = follower.frame.T @ contact.moment / arm
        for i in (0, 1, 2):
            row: Lanes = np.zeros(8)
            row[3], row[4], row[5] = follower.frame[:, i]
            rows[3 * k + i] = row


def _fill_basis(frame: Matrix3, basis: ArrayOf[Lanes]) -> None:
    """For each axis of a frame what the row [axis; arm x axis] is made of, (12, 8): itself, and its crosses with x, y
    and z, which the components of the arm weigh."""
    for i in (0, 1, 2):
        x, y, z = frame[:, i]
        axis: Lanes = np.zeros(8)
        axis[0], axis[1], axis[2] = x, y, z
        basis[4 * i] = axis
        by_x: Lanes = np.zeros(8)
        by_x[4], by_x[5] = -z, y
        basis[4 * i + 1] = by_x
        by_y: Lanes = np.zeros(8)
        by_y[3], by_y[5] = z, -x
        basis[4 * i + 2] = by_y
        by_z: Lanes = np.zeros(8)
        by_z[3], by_z[4] = -y, x
        basis[4 * i + 3] = by_z


def _fill_sum(
    now: Moment,
    draft: Draft,
    group: Group,
    pieces: Pieces,
    inertia: Inertia,
    points: ArrayOf[IslandContact],
    rows: ArrayOf[Lanes],
    weight: float,
) -> float:
    """Law and rows of a sum, and the impulse it had; its mobility."""
    k, number = group.first_point, draft.sums[group.first_point - len(draft.contacts)]
    mobility = sum_mobility(group, pieces.nodes, pieces.motions, inertia.pivots)
    points[k] = sum_point(now, number, mobility, weight)
    for i in range(3):
        row: Lanes = np.zeros(8)
        row[i] = 1.0
        rows[3 * k + i] = row
    draft.impulses[k] = held_impulse(now, number, weight)
    return mobility


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
