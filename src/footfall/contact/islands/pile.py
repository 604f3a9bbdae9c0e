"""The solution of a large island of free bodies: piles, walls and rows of dominoes while they move.

What stands is solved as any other island is (`solve.py`), unless the velocities and impulses of the last step are a
solution as they are: of hundreds of contacts that bear next to nothing some change their states by rounding alone, and
then each step of the solver shakes others. While much moves, few of many contacts are in the states that the last
impulses guess, and a guess that is a little wrong leads far: direct steps from there are refused more often than not.
Four things make them converge in four to ten steps, where they took a hundred:

- they start from velocities that belong to the impulses of the last step, `v_free + M^-1 (pushes + J^T p)`. All forces
  are then in balance from the start, and stay so: what is left is the natural map alone;
- a step that does not lower it is not taken; the same guess is solved again thirty times softer. What twenty of these
  do not solve has a few contacts left that are wrong, one behind the other: from then on every step is taken, and the
  best that comes along is kept (interior points and Newton's method take longer and solve less of it);
- the softness goes by the root of the residual, and shrinks threefold a step at the most, since near the solution a
  few contacts that bear little still change their states;
- what moves is solved to a tolerance of its own, with a bounded effort; the best that was found is kept and reported.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Lanes, Vector3, new_records, routine
from footfall.contact.islands.interior_point import solve_interior
from footfall.contact.islands.island import Island, add_wrench, fill_inertial, group_twist, halves
from footfall.contact.islands.newton import Outcome, assemble_answers
from footfall.contact.islands.solve import (
    Effort,
    Guess,
    Laws,
    fill_imbalance,
    go,
    imbalance,
    look,
    share_loads,
    shorten,
    soften,
    solve_directly,
)
from footfall.contact.law import LinearLaw, LinearRow, contact_residual, contact_state
from footfall.math.block_sparse import WIDTH, Elimination, eliminate, substitute

_CAREFUL, _MOST_STEPS = 20, 100  # steps that must lower the residual, and all of them
_INTERIOR = 20
_INTERIOR_END = 1e-5  # of the weight: where the interior-point method ends
_AT_REST = 1e-2  # of the tolerance: what the last step came to solves this one, too
_STANDING = 6  # direct steps that what stands takes as any other island does, before these
_NEARLY = 8.0  # times the tolerance is enough for what stands and is hard; warnings begin at ten
_BY_ROOT = 0.1  # softness, by the root of the residual over the weight
_LEAST_SOFTNESS, _MOST_SOFTNESS, _FIRST_SOFTNESS = 1e-7, 1.0, 1e-2  # softness
_SHRINKS, _GROWS = 0.3, 30.0
_KEEPS = 2.0  # times: laws are kept where the softness changes by less
_TRIALS = 3  # lengths of a step: 1, 1/2, 1/4
_LOOKS_BACK = 5  # steps, of which one must have been worse


@routine(fused=True, apart=True)
def solve_pile(
    island: Island,
    v: ArrayOf[Lanes],
    contacts: ArrayOf[Vector3],
    joints: Array,
    tolerance: float,
    effort: Effort,
) -> Outcome:
    """As `solve_island`, for islands of free bodies without joint rows and followers."""
    limit, steps = tolerance * island.weight, 0
    if not effort.moves:
        lacking = _lacking(island, v, contacts, joints)
        if lacking <= _AT_REST * limit:
            return Outcome(lacking / island.weight, 0)
        direct = solve_directly(island, v, contacts, joints, limit, min(_STANDING, effort.direct))
        if direct.residual <= limit:
            return Outcome(direct.residual / island.weight, direct.steps)
        steps = direct.steps
    enough = limit if effort.moves else _NEARLY * limit
    found = steps_of_pile(island, v, contacts, joints, limit, enough, min(_MOST_STEPS, effort.final))
    residual, steps = found.residual, steps + found.steps
    if residual > enough and effort.interior > 0:  # once more, from elsewhere
        other_v, other = v.copy(), contacts.copy()
        interior = solve_interior(
            island, other_v, other, joints, _INTERIOR_END * island.weight, min(_INTERIOR, effort.interior)
        )
        again = steps_of_pile(island, other_v, other, joints, enough, enough, min(_MOST_STEPS, effort.final))
        steps += interior.steps + again.steps
        if again.residual < residual:
            residual = again.residual
            v[:], contacts[:] = other_v, other
    return Outcome(residual / island.weight, steps)


@routine(fused=True, apart=True)
def steps_of_pile(
    island: Island,
    v: ArrayOf[Lanes],
    contacts: ArrayOf[Vector3],
    joints: Array,
    limit: float,
    enough: float,
    most: int,
) -> Outcome:
    """Direct steps from impulses (c, 3), in place, and the velocities v (n, 8) that belong to the best of them; the
    residual, N s. limit: of it; enough: the same after careful steps. most: steps with a factorisation."""
    count, rows = len(contacts), len(joints)
    now = Guess(contacts.copy(), np.empty((count, 3)), joints.copy(), np.empty(rows))
    ahead = Guess(np.empty((count, 3)), np.empty((count, 3)), np.empty(rows), np.empty(rows))
    laws = Laws(new_records(LinearLaw, count), new_records(LinearRow, rows))
    blocks, step, inertial = np.empty(island.mass.shape), np.empty(v.shape), np.empty(v.shape)
    loose = island._replace(plan=_uncoupled(island.plan))
    share_loads(island, now.p)
    _start(loose, v, now)
    least = _map(island, v, now, laws, _FIRST_SOFTNESS)
    softness = min(max(_BY_ROOT * np.sqrt(least / island.weight), _LEAST_SOFTNESS), _MOST_SOFTNESS)
    soften(island, now, laws, softness)
    contacts[:] = now.p
    here: ArrayOf[Lanes] = v.copy()
    merits: Array = np.full(_LOOKS_BACK, np.inf)
    merits[0] = least
    steps, turn, bold = 0, 0, False
    while steps < most and least > (enough if bold else limit):
        bold = bold or steps >= _CAREFUL
        symmetric = assemble_answers(island, laws.contacts, laws.joints, blocks)
        eliminate(island.plan, blocks, symmetric)
        steps += 1
        fill_inertial(loose, here, inertial)
        fill_imbalance(island, now, laws, inertial, step)
        substitute(island.plan, blocks, step)
        length, worst = 1.0, np.inf if bold else np.max(merits)
        sight = go(island, now, laws, step, ahead, softness)
        for _ in range(1, _TRIALS):
            if sight.residual < worst:
                break
            length *= 0.5
            sight = look(island, now, ahead, length, laws, softness)
        if not sight.residual < worst:
            bold = softness >= _MOST_SOFTNESS
            softness = min(_GROWS * softness, _MOST_SOFTNESS)
            soften(island, now, laws, softness)
            continue
        if length < 1.0:
            shorten(now, ahead, length)
        now, ahead = ahead, now
        for n in range(len(v)):
            here[n] -= length * step[n]
        turn += 1
        merits[turn % _LOOKS_BACK] = sight.residual
        if sight.residual < least:
            least = sight.residual
            v[:], contacts[:] = here, now.p
        wanted = max(_BY_ROOT * np.sqrt(sight.residual / island.weight), _SHRINKS * softness)
        wanted = min(max(wanted, _LEAST_SOFTNESS), _MOST_SOFTNESS)
        if not softness < _KEEPS * wanted < _KEEPS * _KEEPS * softness:
            softness = wanted
            soften(island, now, laws, softness)
    return Outcome(least, steps)


def _lacking(island: Island, v: ArrayOf[Lanes], contacts: ArrayOf[Vector3], joints: Array) -> float:
    """How far velocities (n, 8) and impulses (c, 3) are from a solution as they are, N s."""
    guess = Guess(contacts, np.empty((len(contacts), 3)), joints, np.empty(len(joints)))
    residual = 0.0
    for group in island.groups:
        twist = halves(group_twist(island, group, v))
        for k in range(group.first_point, group.first_point + group.points):
            point = island.points[k]
            w = point.velocity(twist.linear, twist.angular) + point.drift
            residual = max(contact_residual(point.law, contacts[k], w), residual)
    inertial, forces = np.empty(v.shape), np.empty(v.shape)
    fill_inertial(island._replace(plan=_uncoupled(island.plan)), v, inertial)
    return max(imbalance(island, guess, inertial, forces), residual)


def _uncoupled(plan: Elimination) -> Elimination:
    """The plan of the inertia alone: free bodies are not coupled by it."""
    none = np.zeros(len(plan.nodes) + 1, dtype=np.int64)
    return plan._replace(starts=none, target_starts=none)


def _start(island: Island, v: ArrayOf[Lanes], guess: Guess) -> None:
    """The velocities (n, 8) that impulses lead to."""
    v[:] = island.pushes
    for group in island.groups:
        force, moment = np.zeros(3), np.zeros(3)
        for k in range(group.first_point, group.first_point + group.points):
            pushed = island.points[k].force(guess.p[k])
            force, moment = force + pushed, moment + np.cross(island.points[k].arm, pushed)
        add_wrench(island, group, force, moment, v, 1.0)
    blocks: ArrayOf[Lanes] = island.mass[: WIDTH * len(v)].copy()
    eliminate(island.plan, blocks, True)
    substitute(island.plan, blocks, v)
    for n in range(len(v)):
        v[n] += island.free[n]


def _map(island: Island, v: ArrayOf[Lanes], guess: Guess, laws: Laws, softness: float) -> float:
    """Velocities of all contacts and the states that these and the impulses lead to; the largest natural map, N s."""
    residual = 0.0
    for group in island.groups:
        twist = halves(group_twist(island, group, v))
        for k in range(group.first_point, group.first_point + group.points):
            point = island.points[k]
            w = point.velocity(twist.linear, twist.angular) + point.drift
            guess.w[k] = w
            laws.contacts[k], lacking = contact_state(point.law, guess.p[k], w, softness)
            residual = max(lacking, residual)
    return residual
