"""The solution of an island: direct steps from the last impulses; where they come near it but not to the end Newton's
method, and where that does not do an interior-point method, and Newton's again."""

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
    direct = solve_directly(island, v, contacts, joints, limit, effort.direct)
    if direct.residual <= limit:
        return Outcome(direct.residual / island.weight, direct.steps)
    steps, residual = direct.steps, np.inf
    if direct.residual < np.inf:
        near = solve_newton(island, v, contacts, joints, limit, min(_FEW, effort.final))
        steps += near.steps
        if near.residual <= limit:
            return Outcome(near.residual / island.weight, steps)
    other_v, other, other_joints = v.copy(), contacts.copy(), joints.copy()
    close = max(limit, _CLOSE * island.weight)
    if effort.interior > 0 and not _has_shear(island):
        interior = solve_interior(island, other_v, other, other_joints, close, effort.interior)
        steps += interior.steps
        residual = interior.residual
        v[:], contacts[:], joints[:] = other_v, other, other_joints
    final = solve_newton(island, other_v, other, other_joints, limit, effort.final)
    steps += final.steps
    if final.residual < residual:
        residual = final.residual
        v[:], contacts[:], joints[:] = other_v, other, other_joints
    return Outcome(residual / island.weight, steps)


def _has_shear(island: Island) -> bool:
    """Whether some contact gives way along its surface, for which the interior-point method is not made."""
    sheared = False
    for point in island.points:
        sheared = sheared or point.shear > 0.0
    return sheared
