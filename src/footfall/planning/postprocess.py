"""From a path on the grid to stances in the world: refined footholds, and hands that touch something.

Gaps between things, and how wide a robot is: numbers for why there is no way.

Body and arms between stances whose feet were moved by refinement: nothing is rounded to cells and headings here.

The search looks at the body on its way too (`footsteps.py`), but before it is known where feet stand to the centimetre.
What is in the way after all is refused here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Vector3, new_records, routine
from footfall.environment.model import Environment
from footfall.environment.objects import EnvironmentObject
from footfall.errors import InvalidTransition
from footfall.gait.poses import FEET, HANDS
from footfall.gait.step_parameters import wrapped
from footfall.math.rotations import yaw_of
from footfall.planning.biped import Biped
from footfall.planning.contacts import FootPlacement, HandContact, Stance
from footfall.planning.conversion import contact_of, foot_rotation
from footfall.planning.footsteps import can_stop
from footfall.planning.hand_contacts import (
    Standing,
    Touch,
    Touchables,
    arm_reaches,
    find_touches,
    touchables,
    touched_owner,
)
from footfall.planning.refinement import RefinedFoot, refine_path, sole_at
from footfall.planning.search import Path, Search
from footfall.planning.solids import Capsule, Solids, Volumes, capsule_gap, cell_below, moved_capsule
from footfall.planning.step_set import CELL

_SPACING = 0.02  # m between places that are looked at
ALLOWED = 0.002  # m that body and arms may be in something: what lies between two places


class Midway(NamedTuple):
    """The middle between the feet: x, y and height of the lower foot, m, and its heading, rad."""

    place: Vector3
    yaw: float


@routine
def midway_between(begin: Midway, end: Midway, share: float) -> Midway:
    """On the way from one to another, whose headings differ by half a turn at most; as high as the lower end."""
    place = begin.place + share * (end.place - begin.place)
    low = np.array([place[0], place[1], min(begin.place[2], end.place[2])])
    return Midway(low, begin.yaw + share * (end.yaw - begin.yaw))


@routine
def in_something(solids: Solids, capsules: ArrayOf[Capsule], here: Midway, depth: float) -> bool:
    """Whether capsules, given in the frame between the feet, are deeper in something than `depth`, m."""
    nowhere = np.zeros(3)
    cell = cell_below(solids.near, here.place[0], here.place[1])
    for m in range(solids.near.firsts[cell], solids.near.firsts[cell + 1]):
        n = solids.near.items[m]
        if not solids.solid[n]:
            continue
        for k in range(len(capsules)):
            capsule = moved_capsule(capsules[k], here.place, here.yaw)
            if capsule_gap(capsule, nowhere, solids.elements[n], -depth) < -depth:
                return True
    return False


class Blocked(NamedTuple):
    """Where a way ends: number of the step, or how many there are if none is blocked; place on its way, and whether it
    is an arm that is in something."""

    step: int
    place: Vector3
    arm: bool


@routine
def first_blocked(solids: Solids, volumes: Volumes, middles: ArrayOf[Midway]) -> Blocked:
    """The first step on which body or arms are in something. middles (n + 1,): before and after each of n steps."""
    body, arms = volumes.body[: volumes.body_count], volumes.arms[: 2 * volumes.arm_count]
    for n in range(len(middles) - 1):
        begin, end = middles[n], middles[n + 1]
        way = end.place - begin.place
        pieces = int(np.sqrt(way @ way) / _SPACING) + 2
        for k in range(1, pieces + 1):
            here = midway_between(begin, end, k / pieces)
            if in_something(solids, body, here, ALLOWED):
                return Blocked(n, here.place, False)
            if in_something(solids, arms, here, ALLOWED):
                return Blocked(n, here.place, True)
    return Blocked(len(middles) - 1, middles[0].place, False)


_LEAST_GAP = 0.05  # m: things that are closer together leave no gap
_STRADDLED = 0.15  # m: what is lower is stepped over


class Gap(NamedTuple):
    """The thing on the other side, and how wide the gap is, m."""

    other: str
    wide: float


def narrowest_gap(environment: Environment, id: str) -> Gap | None:
    """The narrowest gap between an object and another one that is neither floor nor low."""
    here = environment.object(id)
    found = [
        Gap(each.id, _apart(_box(here), _box(each)))
        for each in environment.objects.values()
        if each.id != id and each.category != "floor" and each.box[1][2] - here.box[0][2] > _STRADDLED
    ]
    return min((gap for gap in found if gap.wide > _LEAST_GAP), key=lambda gap: gap.wide, default=None)


def _box(each: EnvironmentObject) -> Array:
    return np.array(each.box)[:, :2]


def _apart(one: Array, other: Array) -> float:
    """Distance of two boxes (2, 2), m."""
    return float(np.linalg.norm(np.maximum(0.0, np.maximum(one[0] - other[1], other[0] - one[1]))))


def widths(biped: Biped) -> tuple[float, float]:
    """How wide a gap a robot takes with hanging arms, ahead and sideways, m."""
    elements = [element for volume in (biped.body, *biped.arms) for element in volume.elements]
    low = np.min([element.corners.min(axis=0) - element.radius for element in elements], axis=0)
    high = np.max([element.corners.max(axis=0) + element.radius for element in elements], axis=0)
    return float(high[1] - low[1]), float(high[0] - low[0])


_GONE = 0.04  # m: a hand stays where it is if what it touches has been seen nearer than this


def stances_of(search: Search, path: Path) -> tuple[Stance, ...]:
    """The stances of a path; InvalidTransition if one cannot be."""
    if not path.states:  # it stands at its goal, or where it is to pass
        return ()
    feet = _refined(search, path)
    if search.tables.parameters.search.swept_body:
        _check_ways(search, path, feet)
    touches = _touched(search, path, feet)
    placements = _placements(search, path, feet)
    stances = []
    for n, (placement, state) in enumerate(zip(placements, path.states, strict=True)):
        hands = tuple(
            _contact(search, side, touches[2 * n + side])
            for side in range(2)
            if search.tables.biped.hands and touches[2 * n + side]["owner"] != -1
        )
        stop = bool(can_stop(search.problem, state))
        stances.append(Stance(placement, hands, path.costs[n], stop))
    return tuple(stances)


def _refined(search: Search, path: Path) -> Any:
    ground, how = search.problem.ground, search.tables.refinement
    places = np.array([(ground.x + (s.i + 0.5) * CELL, ground.y + (s.j + 0.5) * CELL) for s in path.states])
    yaws = np.array([2 * state.yaw for state in path.states])
    before = path.pose.stance_foot
    corners = np.empty((4, 2))
    sole_at(
        how.sole,
        np.array(before.position[:2]),
        float(yaw_of(np.array(before.rotation))),
        corners,
    )
    found = new_records(RefinedFoot, len(places))
    bad = refine_path(search.around.terrain.packed, how, corners, places, yaws, found)
    if bad < len(places):
        raise InvalidTransition(bad, "no foothold around it is level and seen well enough")
    return found


def _placements(search: Search, path: Path, feet: Any) -> list[FootPlacement]:
    biped, parameters = search.tables.biped, search.tables.parameters
    result = []
    height = path.pose.stance_foot.position[2]
    for state, foot in zip(path.states, feet, strict=True):
        x, y, z = (float(value) for value in foot["place"])
        contact = contact_of(bool(foot["partial"]), height - z, parameters, biped.has_toes)
        rotation = foot_rotation(float(foot["yaw"]), foot["normal"])
        result.append(FootPlacement(FEET[state.foot], (x, y, z), rotation, contact))
        height = z
    return result


def _touched(search: Search, path: Path, feet: Any) -> Any:
    """Touches (2 n,) of the right and left hand at each stance."""
    tables, around = search.tables, search.around
    touches = new_records(Touch, 2 * len(feet))
    touches["owner"] = -1
    if not tables.biped.hands or not around.touchable:
        return touches
    stances = new_records(Standing, len(feet))
    half = tables.volumes.lateral
    before = float(yaw_of(np.array(path.pose.stance_foot.rotation)))
    for n, (state, foot) in enumerate(zip(path.states, feet, strict=True)):
        yaw, side = float(foot["yaw"]), half if state.foot == 0 else -half
        x, y, z = foot["place"]
        torso = before + float(wrapped(yaw - before)) / 2
        stances[n] = ((x - side * np.sin(yaw), y + side * np.cos(yaw), z), yaw, state.foot, torso)
        before = yaw
    places = stances["place"]
    bounds = tuple(places[:, :2].min(axis=0).tolist()), tuple(places[:, :2].max(axis=0).tolist())
    found = touchables(around.objects, around.surface, around.ids, bounds)
    count = 2 * tables.volumes.reach_count
    first = stances[0]
    standing = Standing(first["place"], float(first["yaw"]), int(first["foot"]), float(first["torso"]))
    _hold_kept(search, path, found, standing, touches)
    begin = _standing_before(path, half)
    find_touches(found, tables.volumes.reach[:count], tables.hand_rules, tables.arms, begin, stances, touches)
    return touches


def _standing_before(path: Path, half: float) -> Standing:
    """The stance that the first step begins with. half: of the distance of parallel feet, m."""
    foot, side = path.pose.stance_foot, half if path.pose.stance == "RF" else -half
    yaw = float(yaw_of(np.array(foot.rotation)))
    aside = np.array([-side * np.sin(yaw), side * np.cos(yaw), 0.0])
    return Standing(np.array(foot.position) + aside, yaw, FEET.index(path.pose.stance), yaw)


def _hold_kept(search: Search, path: Path, found: Touchables, first: Standing, touches: Any) -> None:
    """Let hands that an earlier plan has put somewhere stay there during the first step: as long as the arm reaches,
    and what they touch is still there."""
    radius = search.tables.biped.hand_radius
    for name in search.kept_hands:
        side, hand = HANDS.index(name), path.pose.hand(name)
        force = np.array(hand.wrench[:3])
        size = float(np.linalg.norm(force))
        if not hand.closed or size == 0.0:
            continue
        place, normal = np.array(hand.position), force / size
        owner = touched_owner(found, place - radius * normal, _GONE)
        if owner >= 0 and arm_reaches(first, search.tables.arms, side, place):
            touches[side] = (0.0, place - radius * normal, normal, 1.0, -2 - owner)


def _check_ways(search: Search, path: Path, feet: Any) -> None:
    """InvalidTransition if body or arms are in something on the way."""
    middles = _middles(search, path, feet)
    blocked = first_blocked(search.around.solids, search.tables.volumes, middles)
    if blocked.step < len(middles) - 1:
        part = "an arm" if blocked.arm else "the body"
        raise InvalidTransition(min(blocked.step, len(feet) - 1), f"{part} would be in something on the way")


def _middles(search: Search, path: Path, feet: Any) -> Any:
    """Where the middle between the feet is before the first step and after each, the closing one included."""
    before = path.pose.foot(path.pose.swing), path.pose.stance_foot
    places = [*(np.array(foot.position) for foot in before), *feet["place"]]
    yaws = [*(float(yaw_of(np.array(foot.rotation))) for foot in before), *feet["yaw"].tolist()]
    if search.at_goal:
        half = search.tables.volumes.lateral if path.states[-1].foot == 0 else -search.tables.volumes.lateral
        places.append(places[-1] + 2 * half * np.array([-np.sin(yaws[-1]), np.cos(yaws[-1]), 0.0]))
        yaws.append(yaws[-1])
    where, headings = np.array(places), np.unwrap(yaws)
    middles = new_records(Midway, len(where) - 1)
    middles["place"] = (where[1:] + where[:-1]) / 2
    middles["place"][:, 2] = np.minimum(where[1:, 2], where[:-1, 2])
    middles["yaw"] = (headings[1:] + headings[:-1]) / 2
    return middles


def _contact(search: Search, side: int, touch: Any) -> HandContact:
    owner = int(touch["owner"])
    held = owner < 0
    normal = np.array(touch["normal"])
    position = np.array(touch["point"]) + search.tables.biped.hand_radius * normal
    id = search.around.ids[-2 - owner if held else owner]
    return HandContact(
        HANDS[side], tuple(position.tolist()), tuple(normal.tolist()), id, float(touch["confidence"]), held
    )
