"""The body on its way from one stance to the next.

While a foot swings, the middle between the feet goes half of its way: from midway between the feet before the step to
midway between them after it, and its heading turns from one mean to the other. Those places lie on cells of half the
size and on headings twice as fine, so that volumes need not be turned.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import Vector2, routine
from footfall.environment.patch import CELL as FINE_CELL
from footfall.planning.ground import Bytes, Ground, turned
from footfall.planning.solids import Solids, Volumes, support
from footfall.planning.states import State
from footfall.planning.step_set import CELL, GUIDE_CELL

_PIECE = 0.06  # m between places that are looked at: a corner between two gets 2 mm into a body with a radius of 0.2 m
_SOLID = 2  # flag of a cell that has something solid around it, see `find_nearness`


class BodyPlace(NamedTuple):
    """The middle between the feet: x, y, z in m, and its heading, in halves of those of the search."""

    x: float
    y: float
    z: float
    heading: int


@routine
def refined_middle(x: float) -> float:
    """Middle of the cell of 1 cm at a coordinate, m: there refinement puts a foot that it need not move."""
    return float((np.floor(x / FINE_CELL) + 0.5) * FINE_CELL)


@routine
def standing_at(ground: Ground, state: State) -> Vector2:
    """Where a foot will stand, m, unless refinement finds something better around."""
    x, y = ground.x + (state.i + 0.5) * CELL, ground.y + (state.j + 0.5) * CELL
    return np.array([refined_middle(x), refined_middle(y)])


@routine
def between_feet(ground: Ground, one: State, other: State) -> BodyPlace:
    """Midway between two footholds, as high as the lower one."""
    half = ground.yaws // 2
    turn = turned(other.yaw - one.yaw + half, ground.yaws) - half
    middle = (standing_at(ground, one) + standing_at(ground, other)) / 2.0
    return BodyPlace(
        middle[0],
        middle[1],
        min(ground.mean[one.i, one.j], ground.mean[other.i, other.j]),
        turned(2 * one.yaw + turn, 2 * ground.yaws),
    )


@routine
def place_between(begin: BodyPlace, end: BodyPlace, share: float, yaws: int) -> BodyPlace:
    """Where the middle between the feet is on its way, as high as the lower end. yaws: headings of the search."""
    turn = turned(end.heading - begin.heading + yaws, 2 * yaws) - yaws
    return BodyPlace(
        begin.x + share * (end.x - begin.x),
        begin.y + share * (end.y - begin.y),
        min(begin.z, end.z),
        turned(begin.heading + int(np.floor(share * turn + 0.5)), 2 * yaws),
    )


@routine
def pieces_between(begin: BodyPlace, end: BodyPlace) -> int:
    """How many places on a way are looked at."""
    dx, dy = end.x - begin.x, end.y - begin.y
    return int(np.sqrt(dx * dx + dy * dy) / _PIECE) + 2


@routine
def body_passes(
    ground: Ground,
    solids: Solids,
    volumes: Volumes,
    near: Bytes,
    before: State,
    standing: State,
    after: State,
) -> bool:
    """Whether body and arms are in nothing while a foot swings from one foothold to another, and the other one stands.
    Where the way begins is not looked at."""
    begin, end = between_feet(ground, before, standing), between_feet(ground, standing, after)
    pieces = pieces_between(begin, end)
    for n in range(1, pieces + 1):
        here = place_between(begin, end, n / pieces, ground.yaws)
        flags = near[int((here.x - ground.x) / GUIDE_CELL), int((here.y - ground.y) / GUIDE_CELL)]
        if flags < _SOLID:
            continue
        place = np.array([here.x, here.y, here.z])
        if support(solids, volumes, here.heading, place, -1, False).blocked >= 0:
            return False
    return True
