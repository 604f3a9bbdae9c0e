"""The solution of an island: direct steps from the last impulses; where they come near it but not to the end Newton's
method, and where that does not do an interior-point method, Newton's again, and direct steps from there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Lanes, Vector3, new_records, routine
from footfall.contact.islands.followers import (
    add_followers,
    followers_impulses,
    followers_linear,
    followers_velocities,
)
from footfall.contact.islands.interior_point import solve_interior
from footfall.contact.islands.island import Island, add_wrench, fill_inertial, group_twist, halves
from footfall.contact.islands.newton import Outcome, assemble_answers, solve_newton
from footfall.contact.law import LinearLaw, LinearRow, contact_state, linear_row
from footfall.math.block_sparse import eliminate, substitute

# Steps straight to the solution of an island, for states of its contacts that are guessed: open, sticking or sliding.
#
# The natural map guesses them. An impulse p and a velocity w lead to `z = p - w / W`; if its normal part is not above
# zero the contact is open, if its tangential part lies inside of the disc it sticks, else it slides along it. In these
# states all laws are linear, `p = a - K w`, and one factorisation of `M + J^T K J` gives impulses and velocities that
# obey all of them at once. Where the states that follow are those that were guessed this is the solution: what stands,
# rocks or slips as in the last step needs one step, whether its ground is hard or soft.
#
# What sticks is held by a spring that starts from its impulse, `p_new = p - w_new / (softness W)`: loads that several
# points could share are shared as before (a proximal step). What that leaves is solved again with the same factors.
# Steps are as soft as the residual of their guess is large: where states are wrong, hard springs answer with impulses
# of many times the weight, and the next guess is no better.
#
# Nothing makes these steps converge from far away, see `interior_point.py` and `newton.py` for that.

# Softness of what sticks. Where one point of a body sticks and another slides about it by s, as a part of its mobility
# times friction, what they hold against each other dies out by softness / (softness + s / 2) a step.
_HARD, _SOFT = 1e-7, 1e-2
_TRIALS = 4  # lengths of a step: 1, 1/2, 1/4, 1/8
_LOOKS_BACK = 2  # steps, of which one must have been worse
_STRAINED = 0.95  # of the disc: what is beyond is at its limit
_SAME_WAY = 1e-12  # one minus the cosine below which normals are the same
_INSIDE = 0.999  # of the disc: what is in there sticks
_MUCH_LESS = 1e-2  # of the residual is left by a step after which factors are used again
_NEARLY_SOLVED = 1e-5  # of the weight: what comes so near to the solution is kept


class Guess(NamedTuple):
    """Impulses (c, 3) and velocities (c, 3) of all contacts, impulses (j,) and velocities (j,) of joint rows."""

    p: ArrayOf[Vector3]
    w: ArrayOf[Vector3]
    joint_p: Array
    joint_u: Array


class Laws(NamedTuple):
    """The linear laws of contacts and joint rows in their states; `impulse` of each is that at the velocity zero."""

    contacts: ArrayOf[LinearLaw]
    joints: ArrayOf[LinearRow]


class Sight(NamedTuple):
    """residual: the largest natural map, N s. same: whether all states are those of before, and nothing slides."""

    residual: float
    same: bool


@routine(fused=True, apart=True)
def solve_directly(
    island: Island, v: ArrayOf[Lanes], contacts: ArrayOf[Vector3], joints: Array, tolerance: float, most: int
) -> Outcome:
    """Impulses (c, 3) and (j,) from those to start with, and velocities v (n, 8), at which states are guessed first, in
    place; only if they are a solution or near it, as the residual says, which is infinite otherwise.

    tolerance: of the natural map, N s. most: steps with a factorisation.
    """
    count, rows = len(contacts), len(joints)
    now = Guess(contacts.copy(), np.empty((count, 3)), joints.copy(), np.empty(rows))
    ahead = Guess(np.empty((count, 3)), np.empty((count, 3)), np.empty(rows), np.empty(rows))
    laws = Laws(new_records(LinearLaw, count), new_records(LinearRow, rows))
    blocks, step, inertial = np.empty(island.mass.shape), np.empty(v.shape), np.empty(v.shape)
    v_now: ArrayOf[Lanes] = v.copy()
    last, softness = np.full(_LOOKS_BACK, np.inf), _HARD
    share_loads(island, now.p)
    guessed = _expect(island, v_now, now, laws, softness)
    if guessed > _HARD * island.weight:
        softness = min(guessed / island.weight, _SOFT)
        _expect(island, v_now, now, laws, softness)
    fill_inertial(island, v_now, inertial)
    steps, turn, fresh = 0, 0, False
    least, near = np.inf, _NEARLY_SOLVED * island.weight
    while turn < 2 * most and (fresh or steps < most):
        if not fresh:
            symmetric = assemble_answers(island, laws.contacts, laws.joints, blocks)
            eliminate(island.plan, blocks, symmetric)
            steps += 1
        fill_imbalance(island, now, laws, inertial, step)
        substitute(island.plan, blocks, step)
        length = 1.0
        sight = go(island, now, laws, step, ahead, softness)
        if not sight.residual < max(last[0], last[1]):
            for _ in range(1, _TRIALS):
                length *= 0.5
                sight = look(island, now, ahead, length, laws, softness)
                if sight.residual < max(last[0], last[1]):
                    break
            shorten(now, ahead, length)
        now, ahead = ahead, now
        for n in range(len(v)):
            v_now[n] -= length * step[n]
        fill_inertial(island, v_now, inertial)
        fresh = sight.same and length == 1.0 and sight.residual < _MUCH_LESS * last[turn % _LOOKS_BACK]
        turn += 1
        last[turn % _LOOKS_BACK] = sight.residual
        if length == 1.0 and sight.residual <= tolerance:
            residual = max(imbalance(island, now, inertial, step), sight.residual)
            if residual <= tolerance:
                v[:], contacts[:], joints[:] = v_now, now.p, now.joint_p
                return Outcome(residual, steps)
        elif length == 1.0 and sight.residual < min(least, near):
            least = sight.residual
            v[:], contacts[:], joints[:] = v_now, now.p, now.joint_p
        if not sight.residual < np.inf:
            break
        if not fresh:
            softness = min(max(sight.residual / island.weight, _HARD), _SOFT)
            soften(island, now, laws, softness)
    return Outcome(least, steps)


# Before the first step


def share_loads(island: Island, p: ArrayOf[Vector3]) -> None:
    """Share tangential loads between the points of each group in proportion to their normal loads, where some point is
    at its limit and none need be: how points that stick share is a matter of history, and those at the limit may slip
    for nothing."""
    for group in island.groups:
        first = island.points[group.first_point]
        normal, total, strained, flat = first.frame[:, 2], 0.0, False, group.points > 1
        force, turning = np.zeros(3), 0.0
        centre: Vector3 = np.zeros(3)
        for k in range(group.first_point, group.first_point + group.points):
            point, load = island.points[k], p[k]
            pushed = point.force(np.array([load[0], load[1], 0.0]))
            force = force + pushed
            turning += normal @ np.cross(point.arm, pushed)
            total += load[2]
            centre = centre + load[2] * point.arm
            bound = _STRAINED * point.law.friction * load[2]
            strained = strained or load[0] * load[0] + load[1] * load[1] > bound * bound
            flat = flat and point.law.extra == 0.0 and bool(normal @ point.frame[:, 2] > 1.0 - _SAME_WAY)
        if not (flat and strained and total > 0.0):
            continue
        centre = centre / total
        inertia, far = 0.0, 0.0
        for k in range(group.first_point, group.first_point + group.points):
            arm = np.cross(normal, island.points[k].arm - centre)
            inertia += p[k][2] * (arm @ arm)
            far = max(far, float(arm @ arm))
        turning -= normal @ np.cross(centre, force)
        spin = turning / inertia if inertia > 1e-9 * total * far else 0.0
        fits = True
        for k in range(group.first_point, group.first_point + group.points):
            slope = force / total + spin * np.cross(normal, island.points[k].arm - centre)
            fits = fits and slope @ slope < (_STRAINED * island.points[k].law.friction) ** 2
        if fits:
            for k in range(group.first_point, group.first_point + group.points):
                slope = force / total + spin * np.cross(normal, island.points[k].arm - centre)
                along = island.points[k].frame.T @ (p[k][2] * slope)
                p[k] = np.array([along[0], along[1], p[k][2]])


def _expect(island: Island, v: ArrayOf[Lanes], guess: Guess, laws: Laws, softness: float) -> float:
    """Velocities of all contacts and rows, and their laws: what has an impulse is expected to stay as it is, so it is
    judged by the velocity that its state leaves it. The largest natural map of that guess, N s."""
    residual = 0.0
    for group in island.groups:
        twist = halves(group_twist(island, group, v))
        for k in range(group.first_point, group.first_point + group.points):
            point, p = island.points[k], guess.p[k]
            w = point.velocity(twist.linear, twist.angular) + point.drift
            guess.w[k] = w
            if p[2] > 0.0:
                bound = _INSIDE * (point.law.friction * p[2] + point.law.extra)
                slides = p[0] * p[0] + p[1] * p[1] > bound * bound
                kept = 1.0 if slides else 0.0
                yielding = kept - 1.0
                w = np.array(
                    [
                        kept * w[0] + yielding * point.law.shear * p[0],
                        kept * w[1] + yielding * point.law.shear * p[1],
                        -point.law.compliance * p[2],
                    ]
                )
            laws.contacts[k], lacking = contact_state(point.law, p, w, softness)
            residual = max(residual, lacking)
    if len(island.followers) > 0:
        followers_velocities(island, v, guess.w)
        residual = max(residual, followers_linear(island, guess.p, guess.w, laws.contacts, softness))
    for k in range(len(guess.joint_u)):
        row = island.joints[k]
        u = row.sign * v[row.node, row.lane] + row.offset
        guess.joint_u[k] = u
        laws.joints[k], row_lacking = linear_row(
            row.mobility, row.bound, guess.joint_p[k], u / row.mobility, softness
        )
        residual = max(residual, abs(row_lacking))
    return residual


# Steps


def fill_imbalance(
    island: Island, now: Guess, laws: Laws, inertial: ArrayOf[Lanes], forces: ArrayOf[Lanes]
) -> None:
    """`M (v - v_free) - J^T p` (n, 8) with the impulses that laws give at the velocities of now, N s."""
    forces[:] = inertial
    if len(island.followers) > 0:
        expected: ArrayOf[Vector3] = np.empty(now.p.shape)
        followers_impulses(island, laws.contacts, now.w, expected)
        add_followers(island, expected, forces, -1.0)
    for group in island.groups:
        force, moment = np.zeros(3), np.zeros(3)
        for k in range(group.first_point, group.first_point + group.points):
            point, law = island.points[k], laws.contacts[k]
            pushed = point.force(law.impulse - law.stiffness @ now.w[k])
            force, moment = force + pushed, moment + np.cross(point.arm, pushed)
        add_wrench(island, group, force, moment, forces, -1.0)
    for k in range(len(laws.joints)):
        row, row_law = island.joints[k], laws.joints[k]
        forces[row.node, row.lane] -= row.sign * (row_law.impulse - row_law.stiffness * now.joint_u[k])


def go(island: Island, now: Guess, laws: Laws, step: ArrayOf[Lanes], ahead: Guess, softness: float) -> Sight:
    """Velocities a step (n, 8) on, impulses by the laws, and the states, and so the laws, that they lead to."""
    residual, same = 0.0, True
    for group in island.groups:
        twist = halves(group_twist(island, group, step))
        for k in range(group.first_point, group.first_point + group.points):
            point, before = island.points[k], laws.contacts[k]
            w = now.w[k] - point.velocity(twist.linear, twist.angular)
            p = before.impulse - before.stiffness @ w
            law, lacking = contact_state(point.law, p, w, softness)
            ahead.w[k], ahead.p[k], laws.contacts[k] = w, p, law
            residual = max(lacking, residual)  # NaN stays NaN in this order
            same = same and not (law.slides or before.slides) and (law.normal > 0.0) == (before.normal > 0.0)
    if len(island.followers) > 0:
        same = False
        followers_velocities(island, step, ahead.w)
        for k in range(island.leading, len(now.w)):
            ahead.w[k] = now.w[k] - (ahead.w[k] - island.followers[k - island.leading].drift)
        followers_impulses(island, laws.contacts, ahead.w, ahead.p)
        residual = max(followers_linear(island, ahead.p, ahead.w, laws.contacts, softness), residual)
    for k in range(len(ahead.joint_u)):
        row, row_before = island.joints[k], laws.joints[k]
        u = now.joint_u[k] - row.sign * step[row.node, row.lane]
        row_p = row_before.impulse - row_before.stiffness * u
        row_law, row_lacking = linear_row(row.mobility, row.bound, row_p, u / row.mobility, softness)
        ahead.joint_u[k], ahead.joint_p[k], laws.joints[k] = u, row_p, row_law
        residual = max(abs(row_lacking), residual)
        same = same and (row_law.stiffness > 0.0) == (row_before.stiffness > 0.0)
    return Sight(residual, same)


def look(island: Island, now: Guess, ahead: Guess, length: float, laws: Laws, softness: float) -> Sight:
    """The states and laws at a part of the way from one guess to the next."""
    residual = 0.0
    for k in range(island.leading):
        p = now.p[k] + length * (ahead.p[k] - now.p[k])
        w = now.w[k] + length * (ahead.w[k] - now.w[k])
        laws.contacts[k], lacking = contact_state(island.points[k].law, p, w, softness)
        residual = max(lacking, residual)
    if len(island.followers) > 0:
        p_there, w_there = np.empty(now.p.shape), np.empty(now.w.shape)
        for k in range(len(now.p)):
            p_there[k] = now.p[k] + length * (ahead.p[k] - now.p[k])
            w_there[k] = now.w[k] + length * (ahead.w[k] - now.w[k])
        residual = max(followers_linear(island, p_there, w_there, laws.contacts, softness), residual)
    for k in range(len(now.joint_p)):
        row_p = now.joint_p[k] + length * (ahead.joint_p[k] - now.joint_p[k])
        row_u = now.joint_u[k] + length * (ahead.joint_u[k] - now.joint_u[k])
        row = island.joints[k]
        laws.joints[k], row_lacking = linear_row(
            row.mobility, row.bound, row_p, row_u / row.mobility, softness
        )
        residual = max(abs(row_lacking), residual)
    return Sight(residual, False)


def shorten(now: Guess, ahead: Guess, length: float) -> None:
    """Go only a part of the way."""
    for k in range(len(now.p)):
        ahead.p[k] = now.p[k] + length * (ahead.p[k] - now.p[k])
        ahead.w[k] = now.w[k] + length * (ahead.w[k] - now.w[k])
    for k in range(len(now.joint_p)):
        ahead.joint_p[k] = now.joint_p[k] + length * (ahead.joint_p[k] - now.joint_p[k])
        ahead.joint_u[k] = now.joint_u[k] + length * (ahead.joint_u[k] - now.joint_u[k])


def soften(island: Island, now: Guess, laws: Laws, softness: float) -> None:
    """The laws with another softness, in the same states."""
    for k in range(island.leading):
        laws.contacts[k], _ = contact_state(island.points[k].law, now.p[k], now.w[k], softness)
    if len(island.followers) > 0:
        followers_linear(island, now.p, now.w, laws.contacts, softness)
    for k in range(len(now.joint_p)):
        row = island.joints[k]
        step = now.joint_u[k] / row.mobility
        laws.joints[k], _ = linear_row(row.mobility, row.bound, now.joint_p[k], step, softness)


def imbalance(island: Island, guess: Guess, inertial: ArrayOf[Lanes], forces: ArrayOf[Lanes]) -> float:
    """How far forces are from balance, `M (v - v_free) - J^T p`, as an impulse, N s; forces (n, 8): room for them."""
    forces[:] = inertial
    for group in island.groups:
        force, moment = np.zeros(3), np.zeros(3)
        for k in range(group.first_point, group.first_point + group.points):
            pushed = island.points[k].force(guess.p[k])
            force, moment = force + pushed, moment + np.cross(island.points[k].arm, pushed)
        add_wrench(island, group, force, moment, forces, -1.0)
    if len(island.followers) > 0:
        add_followers(island, guess.p, forces, -1.0)
    for k in range(len(guess.joint_p)):
        row = island.joints[k]
        forces[row.node, row.lane] -= row.sign * guess.joint_p[k]
    merit: Lanes = np.zeros(8)
    for n in range(len(forces)):
        merit += island.pivots[n] * forces[n] * forces[n]
    return float(np.sqrt(np.sum(merit) / island.mobility))


_POLISHED = 1e-6  # of the weight: where Newton's method takes over
_POLISH_STEPS = 30  # steps of Newton's method after direct ones: most need ten


class Effort(NamedTuple):
    """How many steps each method may take: direct ones first, interior-point ones, and final ones. pile: whether it is
    a large island of free bodies, see `pile.py`, and moves: whether some of these do."""

    direct: int
    interior: int
    final: int
    pile: bool = False
    moves: bool = False


@routine(fused=True)
def solve_island(
    island: Island,
    v: ArrayOf[Lanes],
    contacts: ArrayOf[Vector3],
    joints: Array,
    tolerance: float,
    effort: Effort,
) -> Outcome:
    """Velocities v (n, 8) and impulses, (c, 3) and (j,), from those to start with, in place.

    tolerance: of the natural map, as a part of the island's weight times dt; so is the residual that it gives.
    """
    limit = tolerance * island.weight
    residual, steps = _solve_near(island, v, contacts, joints, limit, effort)
    if residual <= limit:
        return Outcome(residual / island.weight, steps)
    other_v, other, other_joints = v.copy(), contacts.copy(), joints.copy()
    if effort.interior > 0 and not _has_shear(island):
        close = max(limit, _POLISHED * island.weight)
        # It is made for contacts alone: with followers Newton's method starts from its solution.
        alone = len(island.followers) == 0
        leading = other[: island.leading]
        interior = solve_interior(island, other_v, leading, other_joints, close, effort.interior)
        steps += interior.steps
        if alone and not residual <= interior.residual:
            residual = interior.residual
            v[:], contacts[:], joints[:] = other_v, other, other_joints
    final = solve_newton(island, other_v, other, other_joints, limit, effort.final)
    steps += final.steps
    if final.residual < residual:
        residual = final.residual
        v[:], contacts[:], joints[:] = other_v, other, other_joints
    if residual > limit:  # direct steps that did not end from the last impulses often do from these
        other_v[:], other[:], other_joints[:] = v, contacts, joints
        again = _solve_near(island, other_v, other, other_joints, limit, effort)
        steps += again.steps
        if again.residual < residual:
            residual = again.residual
            v[:], contacts[:], joints[:] = other_v, other, other_joints
    return Outcome(residual / island.weight, steps)


def _solve_near(
    island: Island, v: ArrayOf[Lanes], contacts: ArrayOf[Vector3], joints: Array, limit: float, effort: Effort
) -> Outcome:
    """Direct steps, and a few of Newton's where they come near; where they do not the residual, N s, is infinite and
    all is as it was."""
    direct = solve_directly(island, v, contacts, joints, limit, effort.direct)
    if direct.residual <= limit or not direct.residual < np.inf:
        return direct
    near = solve_newton(island, v, contacts, joints, limit, min(_POLISH_STEPS, effort.final))
    return Outcome(near.residual, direct.steps + near.steps)


def _has_shear(island: Island) -> bool:
    """Whether some contact gives way along its surface, for which the interior-point method is not made."""
    sheared = False
    for point in island.points:
        sheared = sheared or point.law.shear > 0.0
    return sheared
