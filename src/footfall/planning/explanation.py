"""Why there is no way: which object or limit closes it. What is named, removed or relaxed, opens it: that is tried."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec
import numpy as np

from footfall.arrays import Array
from footfall.environment.model import Environment
from footfall.planning.changed_terrain import with_known_ground, without_objects
from footfall.planning.contacts import Blockage
from footfall.planning.parameters import PlannerParameters

Passable = Callable[[Environment, PlannerParameters], bool]
_MOST_OBJECTS = 16  # that are tried one by one, the nearest to where the search came to its end first


class _Relaxed(NamedTuple):
    """A limit: its group and name, the value that is tried instead, what it is about."""

    group: str
    name: str
    value: float
    text: str


_LIMITS = (
    _Relaxed("step", "vertical_m", 0.35, "a step up or down is higher than {limit:g} m"),
    _Relaxed("step", "obstacle_m", 0.6, "something higher than {limit:g} m would have to be stepped over"),
    _Relaxed("foothold", "uneven_m", 0.2, "the ground below a sole rises by more than {limit:g} m"),
    _Relaxed(
        "foothold", "least_confidence", 0.05, "the ground is known with less than {limit:.2f} of certainty"
    ),
    _Relaxed("step", "forward_m", 1.0, "a gap is wider than steps of {limit:g} m"),
    _Relaxed("step", "turn_deg", 30.0, "steps would have to turn by more than {limit:g} degrees"),
)


def explain(
    environment: Environment, parameters: PlannerParameters, where: Array, passable: Passable
) -> Blockage:
    """What closes the way. where (2,): x, y of the place nearest to the goal that was reached, m. passable: whether
    there is a way in another environment, or with other parameters."""
    place = f"({where[0]:.2f}, {where[1]:.2f})"
    near = _nearest(environment, where)
    for id in near[:_MOST_OBJECTS]:
        if passable(without_objects(environment, [id]), parameters):
            return Blockage("object", id, f"object {id!r} closes the way near {place}")
    if passable(with_known_ground(environment), parameters):
        return Blockage("unknown ground", place, f"the ground near {place} has not been seen")
    for limit in _LIMITS:
        if passable(environment, _with(parameters, limit)):
            present = getattr(getattr(parameters, limit.group), limit.name)
            text = limit.text.format(limit=present)
            return Blockage("limit", f"{limit.group}.{limit.name}", f"near {place} {text}")
    return _together(environment, parameters, near, place, passable)


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
