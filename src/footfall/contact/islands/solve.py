"""The solution of an island: direct steps from the last impulses; where they come near it but not to the end Newton's
method, and where that does not do an interior-point method, Newton's again, and direct steps from there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Lanes, Vector3, routine
from footfall.contact.islands.direct import solve_directly
from footfall.contact.islands.interior_point import solve_interior
from footfall.contact.islands.island import Island
from footfall.contact.islands.newton import Outcome, solve_newton

_CLOSE = 1e-6  # of the weight: where Newton's method takes over
_FEW = 30  # steps of Newton's method after direct ones: most need ten


class Effort(NamedTuple):
    """How many steps each method may take: direct ones first, interior-point ones, and final ones."""

    direct: int
    interior: int
    final: int


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
        close = max(limit, _CLOSE * island.weight)
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
    near = solve_newton(island, v, contacts, joints, limit, min(_FEW, effort.final))
    return Outcome(near.residual, direct.steps + near.steps)


def _has_shear(island: Island) -> bool:
    """Whether some contact gives way along its surface, for which the interior-point method is not made."""
    sheared = False
    for point in island.points:
        sheared = sheared or point.law.shear > 0.0
    return sheared
