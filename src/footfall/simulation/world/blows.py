"""A second look for contacts after a blow.

Contacts are looked for where bodies would go if nothing stopped them. A blow sends limbs elsewhere within the same
step, and what they come to then was not looked at: they would be millimetres inside of each other before the next step
knows. So after a blow contacts are looked for once more, between bodies that it sent elsewhere and all others, where
they go with the velocities that it gave them, and the step is solved with both.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array, Flags
from footfall.compiler.routines import ArrayOf, Lanes, Vector3, routine
from footfall.contact.detection.shapes import Touch
from footfall.contact.islands.island import TWIST, Point
from footfall.math.block_sparse import WIDTH
from footfall.simulation.world.link_motion import fill_motion
from footfall.simulation.world.records import Moment, Settings
from footfall.simulation.world.warm_start import comes_before

_SEEN = 0.5  # of the reach of detection: blows that move a point less in a step lead to nothing that was not looked at


def is_blow(settings: Settings, speed: float) -> bool:
    """Whether a change of the velocity of a point, m/s, is a reason to look again."""
    return speed * settings.dt > _SEEN * settings.reach


def struck_by(point: Point, before: Vector3, impulse: Vector3) -> float:
    """The square of about how much faster a point of contact became in a step, m2/s2. before: impulse of the last step,
    world axes, N s; impulse: of this one along (t1, t2, n)."""
    change = impulse - point.frame.T @ before
    return float(change @ change * (point.law.along + point.law.normal) ** 2)


def expect_velocities(now: Moment, steady: Flags) -> bool:
    """Let the bodies of the workspace move with the velocities after contact. steady (bodies,): which of them do so
    nearly as was expected before; two of these come to nothing that was not looked at. Whether some are not."""
    world, bodies, room, far = now.world, now.room.bodies, now.room, _extents(now)
    motions: ArrayOf[Lanes] = np.empty((TWIST, WIDTH))
    steady[:] = True
    some = False
    for link in range(len(world.link_mover)):
        linear: Vector3 = np.zeros(3)
        angular: Vector3 = np.zeros(3)
        linear += room.given_linear[link]
        angular += room.given_angular[link]
        for k in range(world.link_pieces[link]):
            piece = world.link_first_piece[link] + k
            v = room.v[world.pieces[piece].node]
            fill_motion(now, link, piece, bodies.position[link], motions, 0)
            for i in (0, 1, 2):
                linear[i] += np.sum(motions[i] * v)
                angular[i] += np.sum(motions[3 + i] * v)
        pushed, turned = linear - bodies.linear[link], angular - bodies.angular[link]
        speed = np.sqrt(pushed @ pushed) + far[link] * np.sqrt(turned @ turned)
        steady[link] = not is_blow(now.settings, speed)
        some = some or not steady[link]
        bodies.linear[link] = linear
        bodies.angular[link] = angular
    return some


def _extents(now: Moment) -> Array:
    """How far the shapes of each body (bodies,) reach from its origin at the most, m."""
    table, memory, bodies = now.world.shapes, now.state.memory, now.room.bodies
    far = np.zeros(len(bodies.position))
    for shape in table.moving:
        body = table.shapes[shape].body
        lower, upper = memory.lower[shape], memory.upper[shape]
        beside, half = 0.5 * (lower + upper) - bodies.position[body], 0.5 * (upper - lower)
        far[body] = max(far[body], np.sqrt(beside @ beside) + np.sqrt(half @ half))
    return far


@routine
def merge_touches(first: ArrayOf[Touch], again: ArrayOf[Touch], merged: ArrayOf[Touch]) -> int:
    """All touches of two looks, by pairs in their order, each feature once, the later one; how many, which may be more
    than there is room for: then those are left out."""
    count, i, j = 0, 0, 0
    while i < len(first) or j < len(again):
        if j < len(again) and (i == len(first) or not comes_before(first[i], again[j])):
            touch = again[j]
            j += 1
        else:
            touch = first[i]
            i += 1
            if _has(again, j, touch):
                continue
        if count < len(merged):
            merged[count] = touch
        count += 1
    return count


def _has(touches: ArrayOf[Touch], end: int, touch: Touch) -> bool:
    """Whether the touches of a pair that end before a number have that feature."""
    k = end - 1
    while k >= 0 and touches[k].first == touch.first and touches[k].second == touch.second:
        if touches[k].feature == touch.feature:
            return True
        k -= 1
    return False
