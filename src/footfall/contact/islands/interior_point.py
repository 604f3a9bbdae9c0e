"""An interior-point method for an island: it comes close to the solution in ten to twenty steps, however hard it is.

Contact with friction is no convex problem, but it becomes one if its velocities are shifted (De Saxce and Feng 1998):
with `u = w + friction |w_t| n` impulses p lie in the friction cone, u in its dual, and p u = 0. In units in which
both cones are `x0 >= |x1|`, the method follows `p o u = tau e` with Jordan's product o while tau falls to zero
(Nesterov and Todd's scaling, Mehrotra's predictor and corrector). The shift is part of Newton's step and smoothed with
tau; where it is far from its linear part, tau waits for it. Every step is one factorisation of `M + J^T K J`, with the
K of the scaled cones.

Newton's method in `newton.py` takes over near the solution: this one never quite gets to the rim of its cones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Lanes, Matrix3, Vector3, new_records, routine
from footfall.contact.islands.island import (
    TWIST,
    Island,
    IslandContact,
    JointRow,
    add_stiffness,
    add_wrench,
    fill_inertial,
    group_twist,
    halves,
)
from footfall.contact.islands.newton import Outcome, add_contact_stiffness
from footfall.contact.law import contact_residual, row_answer, row_map
from footfall.math.block_sparse import WIDTH, eliminate, substitute

_PUSHED_INSIDE = 0.1  # of typical velocities, by which a start is pushed into the cones
_SMOOTH = 0.003  # of the shifted velocity at which the shift is smooth
_WAIT = 0.3  # how far tau waits for the shift
_LEAST_SHARE = 1e-4  # of tau that a step may leave
_SHORT = 1e-4  # a step that ends the method
_LEAST_FRICTION = 1e-4  # of the cones here: one without room has no interior
_ROW_SOFTNESS = 0.1  # of dry friction in joints, which is answered as in `newton.py`


class Cone(NamedTuple):
    """A contact between its cones. p, u (3,): impulse `(friction p_n, p_t)` and velocity `(u_n / friction, u_t)`.

    stiffness: K (3, 3) of the scaled cones, `d p = ... - K d u`. slope (3,): of `u_0` by w. gap (3,): what u lacks.
    predicted_p, predicted_u: the step without tau. ahead_p, ahead_u: the step to be taken.
    """

    p: Vector3
    u: Vector3
    stiffness: Matrix3
    slope: Vector3
    gap: Vector3
    predicted_p: Vector3
    predicted_u: Vector3
    ahead_p: Vector3
    ahead_u: Vector3


class Limit(NamedTuple):
    """A joint limit likewise: impulse p, velocity u, both above zero; or dry friction with impulse p."""

    p: float
    u: float
    gap: float
    predicted_p: float
    predicted_u: float
    ahead_p: float
    ahead_u: float


class System(NamedTuple):
    """What a step of velocities comes from: blocks of factors, the imbalance (n, 8) of forces, room (n, 8) for the
    right side; and the step (n, 8)."""

    blocks: ArrayOf[Lanes]
    imbalance: ArrayOf[Lanes]
    right: ArrayOf[Lanes]
    step: ArrayOf[Lanes]


@routine(fused=True, apart=True)
def solve_interior(
    island: Island, v: ArrayOf[Lanes], contacts: ArrayOf[Vector3], joints: Array, tolerance: float, most: int
) -> Outcome:
    """Impulses (c, 3) and (j,) from those to start with, and velocities v (n, 8) from any, in place.

    tolerance: of the natural map, N s, below which it ends. most: steps.
    """
    cones, limits = new_records(Cone, len(contacts)), new_records(Limit, len(joints))
    system = System(np.empty(island.mass.shape), np.empty(v.shape), np.empty(v.shape), np.empty(v.shape))
    _start(island, v, contacts, joints, cones, limits)
    best_v, best, best_joints = v.copy(), contacts.copy(), joints.copy()
    found, found_joints = contacts.copy(), joints.copy()
    least, steps = np.inf, 0
    while True:
        tau = _complementarity(cones, limits, island.joints)
        residual = _look(island, v, tau, cones, limits, system.imbalance, found, found_joints)
        if residual < least:
            least = residual
            best_v[:], best[:], best_joints[:] = v, found, found_joints
        if least <= tolerance or steps == most or not residual < np.inf:
            break
        _assemble(island, v, cones, limits, system.blocks)
        eliminate(island.plan, system.blocks, False)
        steps += 1
        length = _predict(island, system, cones, limits)
        wanted = max((1.0 - length) ** 2, _LEAST_SHARE) * tau
        wanted = max(wanted, _WAIT * _lacking(cones, limits, island.joints))
        length = _correct(island, system, cones, limits, wanted, length > 0.1)
        if not length > _SHORT:
            break
        for n in range(len(v)):
            v[n] += length * system.step[n]
        _take(cones, limits, length)
    v[:], contacts[:], joints[:] = best_v, best, best_joints
    return Outcome(least, steps)


# Start


def _start(
    island: Island,
    v: ArrayOf[Lanes],
    contacts: ArrayOf[Vector3],
    joints: Array,
    cones: ArrayOf[Cone],
    limits: ArrayOf[Limit],
) -> None:
    """Push impulses and velocities into their cones, by a tenth of the greatest velocity."""
    greatest = 1e-4
    for group in island.groups:
        twist = halves(group_twist(island, group, v))
        for k in range(group.first_point, group.first_point + group.points):
            w = island.points[k].velocity(twist.linear, twist.angular) + island.points[k].drift
            greatest = max(greatest, abs(w[0]), abs(w[1]), -w[2])
    speed = _PUSHED_INSIDE * greatest
    for group in island.groups:
        twist = halves(group_twist(island, group, v))
        for k in range(group.first_point, group.first_point + group.points):
            point = island.points[k]
            friction = max(point.law.friction, _LEAST_FRICTION)
            w = point.velocity(twist.linear, twist.angular) + point.drift
            w2 = w[2] + point.law.compliance * contacts[k][2]
            slip = np.sqrt(w[0] * w[0] + w[1] * w[1])
            held = np.sqrt(contacts[k][0] ** 2 + contacts[k][1] ** 2)
            p0 = max(friction * contacts[k][2], held) + friction * speed / (
                point.law.normal + point.law.compliance
            )
            u0 = max(w2 / friction + slip, slip) + speed
            p = np.array([p0, contacts[k][0], contacts[k][1]])
            u = np.array([u0, w[0], w[1]])
            cones[k] = cones[k]._replace(p=p, u=u)
    for k in range(len(limits)):
        row = island.joints[k]
        w_row = row.sign * v[row.node, row.lane] + row.offset
        p_row = joints[k] if row.bound < np.inf else max(joints[k], 0.0) + speed / row.mobility
        limits[k] = limits[k]._replace(p=p_row, u=max(w_row, 0.0) + speed)


# What is to be solved


def _complementarity(cones: ArrayOf[Cone], limits: ArrayOf[Limit], rows: ArrayOf[JointRow]) -> float:
    """Mean of p u, J."""
    total, count = 0.0, 0
    for cone in cones:
        total += cone.p @ cone.u
        count += 1
    for k in range(len(limits)):
        if not rows[k].bound < np.inf:
            total += limits[k].p * limits[k].u
            count += 1
    return total / max(count, 1)


def _lacking(cones: ArrayOf[Cone], limits: ArrayOf[Limit], rows: ArrayOf[JointRow]) -> float:
    """The same for what velocities lack: tau must not fall below it."""
    total, count = 0.0, 0
    for cone in cones:
        total += cone.p[0] * (abs(cone.gap[0]) + abs(cone.gap[1]) + abs(cone.gap[2]))
        count += 1
    for k in range(len(limits)):
        if not rows[k].bound < np.inf:
            total += limits[k].p * abs(limits[k].gap)
            count += 1
    return total / max(count, 1)


def _look(
    island: Island,
    v: ArrayOf[Lanes],
    tau: float,
    cones: ArrayOf[Cone],
    limits: ArrayOf[Limit],
    imbalance: ArrayOf[Lanes],
    found: ArrayOf[Vector3],
    found_joints: Array,
) -> float:
    """Scale all cones, and find what velocities lack and the imbalance (n, 8) of forces; the natural map, N s."""
    fill_inertial(island, v, imbalance)
    residual = 0.0
    for group in island.groups:
        twist = halves(group_twist(island, group, v))
        force, moment = np.zeros(3), np.zeros(3)
        for k in range(group.first_point, group.first_point + group.points):
            point, cone = island.points[k], cones[k]
            friction = max(point.law.friction, _LEAST_FRICTION)
            w = point.velocity(twist.linear, twist.angular) + point.drift
            p = np.array([cone.p[1], cone.p[2], cone.p[0] / friction])
            smooth = _SMOOTH * tau / cone.p[0]
            slip = np.sqrt(w[0] * w[0] + w[1] * w[1] + smooth * smooth)
            u0 = (w[2] + point.law.compliance * p[2]) / friction + slip
            gap = np.array([u0, w[0], w[1]]) - cone.u
            slope = np.array([w[0] / slip, w[1] / slip, 1.0 / friction])
            cones[k] = cone._replace(gap=gap, slope=slope, stiffness=_scaled(cone.p, cone.u, point, friction))
            found[k] = p
            residual = max(residual, contact_residual(point.law, p, w))
            pushed = point.force(p)
            force, moment = force + pushed, moment + np.cross(point.arm, pushed)
        add_wrench(island, group, force, moment, imbalance, -1.0)
    for k in range(len(limits)):
        row, limit = island.joints[k], limits[k]
        w_row = row.sign * v[row.node, row.lane] + row.offset
        impulse = limit.p
        if row.bound < np.inf:
            impulse = row_answer(row.mobility, row.bound, limit.p, w_row, _ROW_SOFTNESS).impulse
        limits[k] = limit._replace(p=impulse, gap=w_row - limit.u)
        found_joints[k] = impulse
        residual = max(residual, abs(row_map(row.mobility, row.bound, impulse, w_row)))
        imbalance[row.node, row.lane] -= row.sign * impulse
    merit: Lanes = np.zeros(8)
    for n in range(len(v)):
        merit += island.pivots[n] * imbalance[n] * imbalance[n]
    return float(max(np.sqrt(np.sum(merit) / island.mobility), residual))  # NaN stays NaN in this order


def _scaled(p: Vector3, u: Vector3, point: IslandContact, friction: float) -> Matrix3:
    """K with `K u = p` in the scaling of Nesterov and Todd; a soft contact gives way by itself."""
    size_p, size_u = np.sqrt(_determinant(p)), np.sqrt(_determinant(u))
    one, other = p / size_p, u / size_u
    scale = 1.0 / (2.0 * np.sqrt(0.5 * (1.0 + one @ other)))
    # The inverse of the scaling point that takes p to u.
    a, b, c = scale * (other[0] + one[0]), scale * (one[1] - other[1]), scale * (one[2] - other[2])
    ratio = size_p / size_u
    stiffness = np.array(
        [
            [ratio * (2.0 * a * a - 1.0), ratio * 2.0 * a * b, ratio * 2.0 * a * c],
            [ratio * 2.0 * a * b, ratio * (2.0 * b * b + 1.0), ratio * 2.0 * b * c],
            [ratio * 2.0 * a * c, ratio * 2.0 * b * c, ratio * (2.0 * c * c + 1.0)],
        ]
    )
    if point.law.compliance > 0.0:
        # u_0 contains compliance p_0 / friction^2: solve p = ... - K (u + e p_0) for p.
        extra = point.law.compliance / (friction * friction)
        factor = extra / (1.0 + extra * stiffness[0, 0])
        column = stiffness[:, 0]
        for i in (0, 1, 2):
            for j in (0, 1, 2):
                stiffness[i, j] -= factor * column[i] * column[j]
    return stiffness


def _determinant(x: Vector3) -> float:
    """`x0^2 - |x1|^2`, above zero inside of the cone."""
    length = np.sqrt(x[1] * x[1] + x[2] * x[2])
    return float(max((x[0] - length) * (x[0] + length), 1e-300))


def _assemble(
    island: Island, v: ArrayOf[Lanes], cones: ArrayOf[Cone], limits: ArrayOf[Limit], blocks: ArrayOf[Lanes]
) -> None:
    blocks[:] = island.mass
    stiffness: ArrayOf[Lanes] = np.empty((TWIST, WIDTH))
    for group in island.groups:
        stiffness[:] = 0.0
        for k in range(group.first_point, group.first_point + group.points):
            add_contact_stiffness(island, k, _contact_stiffness(island.points[k], cones[k]), stiffness)
        add_stiffness(island, group, stiffness, blocks, False)
    for k in range(len(limits)):
        row, limit = island.joints[k], limits[k]
        place = WIDTH * island.plan.places[row.node] + row.lane
        if row.bound < np.inf:
            w_row = row.sign * v[row.node, row.lane] + row.offset
            answer = row_answer(row.mobility, row.bound, limit.p, w_row, _ROW_SOFTNESS)
            blocks[place, row.lane] += answer.stiffness
        else:
            blocks[place, row.lane] += limit.p / limit.u


def _contact_stiffness(point: IslandContact, cone: Cone) -> Matrix3:
    """K (3, 3) along (t1, t2, n): of impulses by velocities of the contact."""
    friction = max(point.law.friction, _LEAST_FRICTION)
    k, s = cone.stiffness, cone.slope
    # Columns: by w1, w2, wn; rows of the cone (0, 1, 2) are (n, t1, t2).
    first = np.array([k[0, 0] * s[0] + k[0, 1], k[1, 0] * s[0] + k[1, 1], k[2, 0] * s[0] + k[2, 1]])
    second = np.array([k[0, 0] * s[1] + k[0, 2], k[1, 0] * s[1] + k[1, 2], k[2, 0] * s[1] + k[2, 2]])
    third = s[2] * k[:, 0]
    return np.array(
        [
            [first[1], second[1], third[1]],
            [first[2], second[2], third[2]],
            [first[0] / friction, second[0] / friction, third[0] / friction],
        ]
    )


# Steps


def _predict(island: Island, system: System, cones: ArrayOf[Cone], limits: ArrayOf[Limit]) -> float:
    """The step to tau = 0, and how much of it stays in the cones."""
    for k in range(len(cones)):
        cones[k] = cones[k]._replace(ahead_p=-cones[k].p)
    for k in range(len(limits)):
        limits[k] = limits[k]._replace(ahead_p=-limits[k].p)
    length = _solved(island, system, cones, limits, 1.0)
    for k in range(len(cones)):
        cones[k] = cones[k]._replace(predicted_p=cones[k].ahead_p, predicted_u=cones[k].ahead_u)
    for k in range(len(limits)):
        limits[k] = limits[k]._replace(predicted_p=limits[k].ahead_p, predicted_u=limits[k].ahead_u)
    return length


def _correct(
    island: Island,
    system: System,
    cones: ArrayOf[Cone],
    limits: ArrayOf[Limit],
    tau: float,
    second_order: bool,
) -> float:
    """The step to tau, with what the prediction has shown of its curvature if that leads farther."""
    corrected = -1.0
    if second_order:
        _aim(cones, limits, tau, 1.0)
        corrected = _solved(island, system, cones, limits, 0.99)
        if corrected > 0.9:
            return corrected
    _aim(cones, limits, tau, 0.0)
    plain = _solved(island, system, cones, limits, 0.99)
    if corrected > plain:
        _aim(cones, limits, tau, 1.0)
        return _solved(island, system, cones, limits, 0.99)
    return plain


def _aim(cones: ArrayOf[Cone], limits: ArrayOf[Limit], tau: float, curvature: float) -> None:
    """What the change of p shall be at a velocity that stays, into `ahead_p`."""
    for k in range(len(cones)):
        cone = cones[k]
        p, u, a, b = cone.p, cone.u, cone.predicted_p, cone.predicted_u
        inverse = np.array([u[0], -u[1], -u[2]]) / _determinant(u)
        # Jordan's product of both predictions, divided by u.
        j0 = a @ b
        j1, j2 = a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]
        z0 = (u[0] * j0 - u[1] * j1 - u[2] * j2) / _determinant(u)
        z = np.array([z0, (j1 - z0 * u[1]) / u[0], (j2 - z0 * u[2]) / u[0]])
        cones[k] = cone._replace(ahead_p=tau * inverse - p - curvature * z)
    for k in range(len(limits)):
        limit = limits[k]
        bend = curvature * limit.predicted_p * limit.predicted_u
        limits[k] = limit._replace(ahead_p=(tau - bend) / limit.u - limit.p)


def _solved(
    island: Island, system: System, cones: ArrayOf[Cone], limits: ArrayOf[Limit], share: float
) -> float:
    """The step of velocities and cones whose `ahead_p` has been aimed; its length, a share of the way to the rim."""
    right, step = system.right, system.step
    for n in range(len(right)):
        right[n] = -system.imbalance[n]
    for group in island.groups:
        force, moment = np.zeros(3), np.zeros(3)
        for k in range(group.first_point, group.first_point + group.points):
            cone, point = cones[k], island.points[k]
            friction = max(point.law.friction, _LEAST_FRICTION)
            t = cone.ahead_p - cone.stiffness @ cone.gap
            if point.law.compliance > 0.0:
                t = _yielding(point, friction, cone, t)
            pushed = point.force(np.array([t[1], t[2], t[0] / friction]))
            force, moment = force + pushed, moment + np.cross(point.arm, pushed)
        add_wrench(island, group, force, moment, right, 1.0)
    for k in range(len(limits)):
        row, limit = island.joints[k], limits[k]
        if not row.bound < np.inf:
            right[row.node, row.lane] += row.sign * (limit.ahead_p - limit.p / limit.u * limit.gap)
    substitute(island.plan, system.blocks, right)
    step[:] = right
    longest = 1.0 / share
    for group in island.groups:
        twist = halves(group_twist(island, group, step))
        for k in range(group.first_point, group.first_point + group.points):
            cone, point = cones[k], island.points[k]
            friction = max(point.law.friction, _LEAST_FRICTION)
            w = point.velocity(twist.linear, twist.angular)
            du = np.array([cone.slope @ w, w[0], w[1]]) + cone.gap
            dp = cone.ahead_p - cone.stiffness @ du
            if point.law.compliance > 0.0:
                dp = _yielding(point, friction, cone, dp)
                du = du + np.array([point.law.compliance / (friction * friction) * dp[0], 0.0, 0.0])
            longest = min(longest, _way_to_rim(cone.p, dp), _way_to_rim(cone.u, du))
            cones[k] = cone._replace(ahead_p=dp, ahead_u=du)
    for k in range(len(limits)):
        row, limit = island.joints[k], limits[k]
        if row.bound < np.inf:  # `_look` lets it answer
            limits[k] = limit._replace(ahead_p=0.0, ahead_u=0.0)
            continue
        du_row = row.sign * step[row.node, row.lane] + limit.gap
        dp_row = limit.ahead_p - limit.p / limit.u * du_row
        longest = min(longest, -limit.p / dp_row if dp_row < 0.0 else np.inf)
        longest = min(longest, -limit.u / du_row if du_row < 0.0 else np.inf)
        limits[k] = limit._replace(ahead_p=dp_row, ahead_u=du_row)
    return min(1.0, share * longest)


def _yielding(point: IslandContact, friction: float, cone: Cone, aimed: Vector3) -> Vector3:
    """What is left of an aim for p where the contact is soft: p moves u_0 by itself, and K has taken that in."""
    extra = point.law.compliance / (friction * friction)
    left: Vector3 = aimed - (extra * aimed[0]) * cone.stiffness[:, 0]
    return left


def _way_to_rim(x: Vector3, step: Vector3) -> float:
    """How often a step may be taken from x, inside of a cone, until its rim."""
    unit = 1.0 / np.sqrt(_determinant(x))
    one, way = unit * x, unit * step
    along = one[0] * way[0] - one[1] * way[1] - one[2] * way[2]
    shift = (along + way[0]) / (one[0] + 1.0)
    a, b = way[1] - shift * one[1], way[2] - shift * one[2]
    inward = np.sqrt(a * a + b * b) - along
    return 1.0 / inward if inward > 0.0 else np.inf


def _take(cones: ArrayOf[Cone], limits: ArrayOf[Limit], length: float) -> None:
    for k in range(len(cones)):
        cone = cones[k]
        cones[k] = cone._replace(p=cone.p + length * cone.ahead_p, u=cone.u + length * cone.ahead_u)
    for k in range(len(limits)):
        limit = limits[k]
        limits[k] = limit._replace(p=limit.p + length * limit.ahead_p, u=limit.u + length * limit.ahead_u)
