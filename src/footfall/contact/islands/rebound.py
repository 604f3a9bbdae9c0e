"""Rebounds that give no energy.

Restitution asks each contact to leave with a share of the speed at which it came (Newton). For one contact that costs
energy; where several rebound at once, or slide while they do, it can give some, step after step (Kane's paradox). Then
all rebounds of the island become smaller by one share. The kinetic energy is convex in it: where the chord from no
rebound at all to all of it comes back to the energy before, there is no more than that.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Lanes, Vector3, routine
from footfall.contact.islands.island import Island, multiply
from footfall.contact.islands.newton import Outcome
from footfall.contact.islands.pile import solve_pile
from footfall.contact.islands.solve import Effort, solve_island

_NONE = 1e-9  # of the kinetic energy: gains below it are rounding, or gaps that close


@routine(fused=True)
def solve_without_gain(
    island: Island,
    v: ArrayOf[Lanes],
    impulses: ArrayOf[Vector3],
    joint_impulses: Array,
    rebounds: Array,
    tolerance: float,
    effort: Effort,
) -> Outcome:
    """As `solve_island`, with rebounds that are made smaller where they would give energy. rebounds (c,): what they add
    to the drift of each contact along its normal, not above zero, m/s."""
    outcome = _solve(island, v, impulses, joint_impulses, tolerance, effort)
    if np.sum(rebounds) == 0.0:
        return outcome
    share, chord, gain = 1.0, 0.0, relative_gain(island, v)
    for attempt in range(2):
        if not gain > _NONE:
            break
        wanted = 0.0 if attempt == 0 else chord
        _rebound_by(island, rebounds, wanted - share)
        share, before, steps = wanted, gain, outcome.steps
        outcome = _solve(island, v, impulses, joint_impulses, tolerance, effort)
        outcome = Outcome(outcome.residual, outcome.steps + steps)
        gain = relative_gain(island, v)
        if attempt == 0 and gain < 0.0:
            chord = gain / (gain - before)
            gain = before  # once more, with that share
    return outcome


def _solve(
    island: Island,
    v: ArrayOf[Lanes],
    impulses: ArrayOf[Vector3],
    joint_impulses: Array,
    tolerance: float,
    effort: Effort,
) -> Outcome:
    if effort.pile:
        return solve_pile(island, v, impulses, joint_impulses, tolerance, effort)
    return solve_island(island, v, impulses, joint_impulses, tolerance, effort)


def _rebound_by(island: Island, rebounds: Array, change: float) -> None:
    """Add a share of the rebounds to the drifts of all contacts."""
    for k in range(len(rebounds)):
        point = island.points[k]
        drift = np.array([point.drift[0], point.drift[1], point.drift[2] + change * rebounds[k]])
        island.points[k] = point._replace(drift=drift)


@routine(fused=True)
def relative_gain(island: Island, v: ArrayOf[Lanes]) -> float:
    """What contact adds to the kinetic energy, of that without it: `(v - v_free)^T M (v + v_free) / 2` less the work of
    forces from outside."""
    momentum: ArrayOf[Lanes] = np.empty(v.shape)
    both: ArrayOf[Lanes] = v.copy()
    for n in range(len(v)):
        both[n] += island.free[n]
    multiply(island.plan, island.mass, both, momentum)
    gained, total = 0.0, 1e-300
    for n in range(len(v)):
        gained += np.sum(momentum[n] * (v[n] - island.free[n]) - island.pushes[n] * both[n])
    multiply(island.plan, island.mass, island.free, momentum)
    for n in range(len(v)):
        total += np.sum(momentum[n] * island.free[n])
    return float(gained / total)
