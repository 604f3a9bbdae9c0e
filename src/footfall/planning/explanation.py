"""Why there is no way: which limit, ground or object closes it. What is named, changed, opens it: that is tried."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec
import numpy as np

from footfall.arrays import Array
from footfall.environment.model import Environment
from footfall.planning.changed_terrain import with_known_ground, with_wider_ground, without_objects
from footfall.planning.contacts import Blockage
from footfall.planning.parameters import PlannerParameters

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
    _Relaxed("step", "obstacle_m", 0.6, "something of {need:.2f} m to step over; the limit is {limit:.2f} m"),
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
