"""The environment as the search wants it: ground, solids, surfaces for hands, made anew for each plan in milliseconds.

Confidences of surfaces are kept with the objects they belong to: they are made when an object is first seen.
"""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from footfall.environment.model import Environment
from footfall.environment.objects import EnvironmentObject, ObjectSurface
from footfall.environment.terrain import Terrain
from footfall.planning.ground import Bytes, Ground, Singles, ground_within
from footfall.planning.guide import peaks_within
from footfall.planning.parameters import HandParameters
from footfall.planning.solids import Cells, Solids, find_nearness, packed_solids
from footfall.planning.step_set import CELL, GUIDE_CELL
from footfall.planning.surfaces import TouchSurface, touch_surface
from footfall.planning.tables import Tables

_MARGIN = 1.0  # m beyond the ground that is searched
# m: what is as wide as this in two directions has room for a hand away from its edges; only of what is smaller the
# surface must be looked at before one knows.
_ROOMY = 0.4
_SURFACES: WeakKeyDictionary[ObjectSurface, dict[tuple[object, ...], TouchSurface]] = WeakKeyDictionary()


class Surroundings(NamedTuple):
    """What is around the robot. objects: those within reach. touchable_ids: of those that hands may touch. hand_radius,
    hand: how. ids: of the objects that solids belong to. near, peaks, touched: on cells of 8 cm, see
    `find_nearness` and `Guide`."""

    terrain: Terrain
    ground: Ground
    solids: Solids
    objects: Environment
    touchable_ids: frozenset[str]
    hand_radius: float
    hand: HandParameters
    ids: tuple[str, ...]
    near: Bytes
    peaks: Singles
    touched: Singles

    @property
    def touchable(self) -> bool:
        """Whether there is anything for hands."""
        return bool(self.touchable_ids)

    def surface(self, id: str) -> TouchSurface | None:
        """The surface of an object for hands, None if they do not touch it; made when somebody first asks: most walls
        of a house are far away."""
        if id not in self.touchable_ids:
            return None
        return prepared_surface(self.objects.object(id), self.hand_radius, self.hand)


def prepared_surface(each: EnvironmentObject, hand_radius: float, parameters: HandParameters) -> TouchSurface:
    """The surface of an object as hands find it; made once."""
    curvature = parameters.curvature.get(each.category)
    key = (each.category, hand_radius, parameters.edge_m, parameters.border_hands, parameters.flat, curvature)
    kept = _SURFACES.setdefault(each.surface, {})
    if key not in kept:
        surface = each.surface
        assert surface.confidence is not None
        assert surface.normals is not None
        kept[key] = touch_surface(
            surface.mesh,
            surface.confidence.astype(np.float64),
            surface.normals,
            2 * hand_radius,
            parameters,
            each.category,
        )
    return kept[key]


def may_hold(each: EnvironmentObject, hand_radius: float, parameters: HandParameters) -> bool:
    """Whether hands may find hold on an object. What has room enough is taken at its word: where they find none
    after all, the search has only thought a way too cheap."""
    sight = each.surface.confidence
    if each.category not in parameters.classes or sight is None:
        return False
    if float(sight.max(initial=0.0)) < parameters.least_confidence:
        return False
    low, high = each.box
    if sorted(b - a for a, b in zip(low, high, strict=True))[1] >= _ROOMY:
        return True
    return prepared_surface(each, hand_radius, parameters).best >= parameters.least_confidence


def objects_within(
    environment: Environment, lower: tuple[float, float], upper: tuple[float, float]
) -> Environment:
    """The environment with the objects only that are in a rectangle (x, y), m, or near it."""
    kept = {}
    for id, each in environment.objects.items():
        low, high = each.box
        if all(low[k] <= upper[k] + _MARGIN and high[k] >= lower[k] - _MARGIN for k in range(2)):
            kept[id] = each
    return Environment(environment.terrain, kept, environment.version)


def surroundings(
    environment: Environment, tables: Tables, lower: tuple[float, float], upper: tuple[float, float]
) -> Surroundings:
    """The surroundings within a rectangle (x, y), m."""
    parameters = tables.parameters
    near = objects_within(environment, lower, upper)
    radius = tables.biped.hand_radius
    touchable = frozenset(
        each.id
        for each in near.objects.values()
        if tables.biped.hands and may_hold(each, radius, parameters.hand)
    )
    border = tables.steps.reach + 1
    border += border % 2
    ground = ground_within(
        environment.terrain,
        lower,
        upper,
        border=border,
        stamps=tables.stamps,
        wide_stamps=tables.wide_stamps,
        wide_planes=tables.wide_planes,
        parameters=parameters,
    )
    shape = (ground.nx // 2, ground.ny // 2)
    solids, ids = packed_solids(near, tables.volumes, Cells((ground.x, ground.y), shape), touchable=touchable)
    flags = np.zeros(shape, np.uint8)
    find_nearness(solids, tables.volumes, flags)
    # Both half swings of a step, with soles, stay within this distance of the middle between its stances.
    reach = tables.steps.longest / 2 + tables.volumes.lateral + CELL * tables.wide_stamps.reach
    peaks, touched = (np.empty(shape, np.float32) for _ in range(2))
    peaks_within(ground.highest, int(reach / GUIDE_CELL) + 1, peaks)
    peaks_within(ground.highest, tables.stamps.reach // 2 + 1, touched)
    return Surroundings(
        environment.terrain,
        ground,
        solids,
        near,
        touchable,
        radius,
        parameters.hand,
        ids,
        flags,
        peaks,
        touched,
    )
