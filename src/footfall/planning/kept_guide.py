"""The guide of an earlier plan used again: while a robot walks, its goal stays and little else changes.

A guide only orders the search of footsteps, which looks at the ground and at things as they are now. One that is not
quite true any more costs time or a slightly longer way, never a foot in a wall.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.planning.contacts import Goal
from footfall.planning.ground import Bytes, Ground, Singles
from footfall.planning.step_set import GUIDE_CELL

if TYPE_CHECKING:
    from footfall.planning.search import Search


# States that may be explored beyond those of the search that the guide was made for. Where more are needed something
# has come into the way, and a new guide is cheaper: with a box before it 48 instead of 180 ms on a level floor.
_MORE = 1_000


class KeptGuide(NamedTuple):
    """Costs to a goal from cells of 8 cm, the first with its corner at (x, y), m; see `Guide`. cost: from its start.
    explored: states that its search took up."""

    goal: Goal
    x: float
    y: float
    togo: Singles
    closed: Bytes
    missed: float
    cost: float
    explored: int


def kept_guide(search: Search) -> KeptGuide | None:
    """A copy of the guide of a search, if it has found a way."""
    guide, ground = search.problem.guide, search.problem.ground
    if not search.problem.guided or not math.isfinite(search.guide_cost):
        return None
    return KeptGuide(
        search.aim.goal,
        ground.x,
        ground.y,
        guide.togo.copy(),
        guide.closed.copy(),
        float(guide.missed[0]),
        search.guide_cost,
        0 if search.course is None else int(search.course.counts[1]),
    )


def with_kept_guide(search: Search, kept: KeptGuide) -> Search | None:
    """The search with the guide of an earlier one; None if it is for another goal, or does not know the start."""
    guide, ground = search.problem.guide, search.problem.ground
    if kept.goal != search.aim.goal or len(kept.togo) != len(guide.togo):
        return None
    i, j = _shift(kept, ground)
    ours, theirs = zip(
        *(
            _overlap(i_, n, m)
            for i_, n, m in zip((i, j), guide.togo.shape[1:], kept.togo.shape[1:], strict=True)
        ),
        strict=True,
    )
    guide.togo[:, ours[0], ours[1]] = kept.togo[:, theirs[0], theirs[1]]
    guide.closed[:, ours[0], ours[1]] = kept.closed[:, theirs[0], theirs[1]]
    guide.missed[0] = kept.missed
    a, b = (
        math.floor((value - corner) / GUIDE_CELL)
        for value, corner in ((guide.start.x, ground.x), (guide.start.y, ground.y))
    )
    if guide.closed[guide.start.yaw, a, b] != 1:
        guide.togo[:], guide.closed[:] = 0.0, 0
        return None
    cost = float(guide.togo[guide.start.yaw, a, b]) - 1.0
    return replace(search, guide_cost=cost, kept=kept.explored + _MORE)


def _shift(kept: KeptGuide, ground: Ground) -> tuple[int, int]:
    """How many cells the kept guide begins after the ground: both lie on the same grid."""
    return round((kept.x - ground.x) / GUIDE_CELL), round((kept.y - ground.y) / GUIDE_CELL)


def _overlap(shift: int, ours: int, theirs: int) -> tuple[slice, slice]:
    """The common part of two rows of cells, the second of which begins `shift` cells after the first."""
    first, last = max(shift, 0), max(min(ours, theirs + shift), 0)
    last = int(np.maximum(first, last))
    return slice(first, last), slice(first - shift, last - shift)
