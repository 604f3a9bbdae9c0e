"""Why there is no way: which limit, ground or object closes it. What is named, changed, opens it: that is tried.

Environments as they would be without an object, or with unknown ground filled in: to find out what closes a way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec
import numpy as np
from scipy.ndimage import distance_transform_edt, maximum_filter

from footfall.arrays import Array, Flags
from footfall.environment.model import Environment, EnvironmentUpdate, updated
from footfall.environment.objects import EnvironmentObject
from footfall.environment.patch import CELL, SIDE, Patch
from footfall.environment.terrain import Terrain
from footfall.math.polygons import contains, convex_hull
from footfall.planning.contacts import Blockage
from footfall.planning.parameters import PlannerParameters

_LEDGE = 0.04  # m by which ground is lower than what is beside it
_HIGH = 0.2  # m above the ground in the median: what is higher is no ground that is made wider
_CHANGED_BORDER = 0.04  # m, of the ground beside an object that it may have changed


def without_objects(environment: Environment, ids: Iterable[str]) -> Environment:
    """The environment without some objects; where they stood, the ground is as high as beside them."""
    gone = [environment.object(id) for id in ids]
    terrain = environment.terrain
    for each in gone:
        terrain = _levelled(terrain, each)
    bare = updated(environment, EnvironmentUpdate(remove=frozenset(each.id for each in gone)))
    return Environment(terrain, bare.objects, bare.version)


def with_known_ground(environment: Environment) -> Environment:
    """The environment with unknown cells as high as the nearest known ones."""
    terrain = environment.terrain
    low, high = terrain.bounds
    heights, confidence = _cells(terrain, low, high)
    return Environment(_filled(terrain, heights, confidence, confidence == 0, low), environment.objects)


def with_wider_ground(environment: Environment, wider: float) -> Environment:
    """The environment with all ground wider by so much to each side, m: beams are broader, trenches narrower."""
    terrain = environment.terrain
    low, high = terrain.bounds
    heights, confidence = _cells(terrain, low, high)
    seen = confidence > 0
    # Walls and boxes are not ground: what is high stays as wide as it is.
    highest = float(np.median(heights[seen])) + _HIGH if seen.any() else 0.0
    ground = np.where(seen & (heights <= highest), heights, -np.inf)
    spread = maximum_filter(ground, 2 * round(wider / CELL) + 1)
    lower = np.isfinite(spread) & (~seen | (heights < spread - _LEDGE))
    heights = np.where(lower, spread, heights)
    confidence = np.where(lower, 1.0, confidence)
    return Environment(_written(terrain, heights, confidence, low), environment.objects)


def _levelled(terrain: Terrain, each: EnvironmentObject) -> Terrain:
    corners = each.world_vertices[:, :2]
    low, high = corners.min(axis=0) - 3 * _CHANGED_BORDER, corners.max(axis=0) + 3 * _CHANGED_BORDER
    low, high = np.floor(low / CELL) * CELL, np.ceil(high / CELL) * CELL
    heights, confidence = _cells(terrain, low, high)
    x, y = (low[k] + (np.arange(heights.shape[k]) + 0.5) * CELL for k in range(2))
    points = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    below = contains(convex_hull(corners), points, tolerance=_CHANGED_BORDER).reshape(heights.shape)
    return _filled(terrain, heights, confidence, below, low)


def _cells(terrain: Terrain, low: Array, high: Array) -> tuple[Array, Array]:
    window = terrain.window((float(low[0]), float(low[1])), (float(high[0]), float(high[1])))
    return window.mean.astype(np.float64), window.sure.astype(np.float64)


def _filled(terrain: Terrain, heights: Array, confidence: Array, wrong: Flags, low: Array) -> Terrain:
    """The terrain with some cells (nx, ny) as the nearest others that were seen; low: corner of the first, m."""
    good = ~wrong & (confidence > 0)
    if not good.any() or not wrong.any():
        return terrain
    near = distance_transform_edt(~good, return_distances=False, return_indices=True)
    heights = np.where(wrong, heights[tuple(near)], heights)
    confidence = np.where(wrong, confidence[tuple(near)], confidence)
    return _written(terrain, heights, confidence, low)


def _written(terrain: Terrain, heights: Array, confidence: Array, low: Array) -> Terrain:
    """The terrain with other heights and confidences in its patches; low: corner of the first cell, m."""
    first = np.rint(low / CELL).astype(int)
    patches = {}
    for i in range(first[0] // SIDE, (first[0] + heights.shape[0] - 1) // SIDE + 1):
        for j in range(first[1] // SIDE, (first[1] + heights.shape[1] - 1) // SIDE + 1):
            patch = _patched(terrain, (int(i), int(j)), heights, confidence, first)
            if patch is not None:
                patches[int(i), int(j)] = patch
    return terrain.updated(patches)


def _patched(
    terrain: Terrain, index: tuple[int, int], heights: Array, confidence: Array, first: Array
) -> Patch | None:
    """A patch with new cells; first: numbers of the first of them. None if there is nothing known of it."""
    begin = np.array(index) * SIDE - first
    spans = [slice(max(int(begin[k]), 0), min(int(begin[k]) + SIDE, heights.shape[k])) for k in range(2)]
    inside = tuple(
        slice(span.start - int(begin[k]), span.stop - int(begin[k])) for k, span in enumerate(spans)
    )
    old = terrain.patches.get(index)
    if old is None and not (confidence[spans[0], spans[1]] > 0).any():
        return None
    blank = np.zeros((SIDE, SIDE), np.int16), np.zeros((SIDE, SIDE), np.uint8)
    new_heights, new_confidence = blank if old is None else (old.heights.copy(), old.confidence.copy())
    part = heights[spans[0], spans[1]]
    known = np.isfinite(part)
    new_heights[inside] = np.where(known, np.rint(1000 * np.where(known, part, 0.0)), new_heights[inside])
    new_confidence[inside] = np.rint(255 * confidence[spans[0], spans[1]])
    return Patch(new_heights, new_confidence)


Passable = Callable[[Environment, PlannerParameters], bool]
_MOST_OBJECTS = 16  # that are tried one by one, the nearest to where the search came to its end first


class _Relaxed(NamedTuple):
    """A limit: its group and name, the value that is tried instead, what is said of the value that is needed. halvings:
    of the range between both, to find that value."""

    group: str
    name: str
    value: float
    text: str
    halvings: int = 5


_LIMITS = (
    _Relaxed("step", "vertical_m", 0.35, "a step up or down of {need:.2f} m; the limit is {limit:.2f} m"),
    # About what legs of 0.87 m can lift a foot over; what is higher is an object in the way.
    _Relaxed("step", "obstacle_m", 0.22, "a thing of {need:.3f} m to step over; the limit is {limit:.3f} m"),
    _Relaxed(
        "foothold",
        "uneven_m",
        0.2,
        "ground that rises by {need:.2f} m below a sole; the limit is {limit:.2f} m",
    ),
    _Relaxed(
        "foothold",
        "least_confidence",
        0.05,
        "ground that is known with a certainty of {need:.2f}; the limit is {limit:.2f}",
    ),
    _Relaxed(
        "step", "forward_m", 1.0, "a gap that takes a step of {need:.2f} m; the limit is {limit:.2f} m", 3
    ),
    _Relaxed("step", "turn_deg", 30.0, "steps that turn by {need:.0f} degrees; the limit is {limit:.0f}"),
)
_WIDENED = (0.1, 0.2, 0.3)  # m on either side, by which ground is made wider


def explain(
    environment: Environment,
    parameters: PlannerParameters,
    where: Array,
    passable: Passable,
    gap: Callable[[str], str] = lambda id: "",
) -> Blockage:
    """What closes the way: unknown ground, a limit, narrow ground, an object, several; in this order, since without a
    landing there are no stairs that would be too high. where (2,): x, y of the place nearest to the goal that was
    reached, m. passable: whether there is a way in another environment, or with other parameters. gap: what is said of
    the gap beside an object, if there is one."""
    place = f"({where[0]:.2f}, {where[1]:.2f})"
    if passable(with_known_ground(environment), parameters):
        return Blockage("unknown ground", place, f"the ground near {place} has not been seen")
    for limit in _LIMITS:
        if passable(environment, _with(parameters, limit)):
            present = getattr(getattr(parameters, limit.group), limit.name)
            need = _needed(limit, present, lambda other: passable(environment, _with(parameters, other)))
            text = limit.text.format(limit=present, need=need)
            return Blockage(
                "limit", f"{limit.group}.{limit.name}", f"near {place} there is {text}", need=need
            )
    for wider in _WIDENED:
        if passable(with_wider_ground(environment, wider), parameters):
            text = f"the ground near {place} is too narrow for the feet: it lacks up to {wider:.1f} m on either side"
            return Blockage("ground", place, text, need=wider)
    near = _nearest(environment, where)
    for id in near[:_MOST_OBJECTS]:
        if passable(without_objects(environment, [id]), parameters):
            return Blockage("object", id, f"object {id!r} closes the way near {place}{gap(id)}")
    return _together(environment, parameters, near, place, passable)


def _needed(limit: _Relaxed, present: float, opens: Callable[[_Relaxed], bool]) -> float:
    """About the value of a limit from which on there is a way; on the safe side."""
    closed, opened = present, limit.value
    for _ in range(limit.halvings):
        middle = (closed + opened) / 2
        if opens(limit._replace(value=middle)):
            opened = middle
        else:
            closed = middle
    return opened


def _together(
    environment: Environment, parameters: PlannerParameters, near: list[str], place: str, passable: Passable
) -> Blockage:
    """Several objects that close the way only together."""
    gone = list(near)
    if not gone or not passable(without_objects(environment, gone), parameters):
        return Blockage("limit", "map", f"no steps lead on from near {place}, with or without objects")
    for id in reversed(near[-_MOST_OBJECTS:] + near[:_MOST_OBJECTS]):
        fewer = [other for other in gone if other != id]
        if id in gone and fewer and passable(without_objects(environment, fewer), parameters):
            gone = fewer
    names = ", ".join(repr(id) for id in gone)
    return Blockage("object", gone[0], f"objects {names} together close the way near {place}")


def _with(parameters: PlannerParameters, limit: _Relaxed) -> PlannerParameters:
    group = msgspec.structs.replace(getattr(parameters, limit.group), **{limit.name: limit.value})
    return msgspec.structs.replace(parameters, **{limit.group: group})


def _nearest(environment: Environment, where: Array) -> list[str]:
    """Objects by their distance from a place; floors that carry everything come last."""

    def away(id: str) -> float:
        corners = environment.object(id).world_vertices[:, :2]
        low, high = corners.min(axis=0), corners.max(axis=0)
        return float(np.linalg.norm(np.maximum(0.0, np.maximum(low - where, where - high))))

    return sorted(environment.objects, key=away)
