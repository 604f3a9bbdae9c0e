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

_NEAR = 1.0  # m beyond the ground that is searched
_SURFACES: WeakKeyDictionary[ObjectSurface, dict[tuple[object, ...], TouchSurface]] = WeakKeyDictionary()


class Surroundings(NamedTuple):
    """What is around the robot. objects: those within reach. surfaces: of those that hands may touch, by id. ids: of
    the objects that solids belong to. near, peaks, touched: on cells of 8 cm, see `find_nearness` and `Guide`."""

    terrain: Terrain
    ground: Ground
    solids: Solids
    objects: Environment
    surfaces: dict[str, TouchSurface]
    ids: tuple[str, ...]
    near: Bytes
    peaks: Singles
    touched: Singles

    @property
    def touchable(self) -> bool:
        """Whether there is anything for hands."""
        return bool(self.surfaces)


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


def objects_within(
    environment: Environment, lower: tuple[float, float], upper: tuple[float, float]
) -> Environment:
    """The environment with the objects only that are in a rectangle (x, y), m, or near it."""
    kept = {}
    for id, each in environment.objects.items():
        low, high = each.box
        if all(low[k] <= upper[k] + _NEAR and high[k] >= lower[k] - _NEAR for k in range(2)):
            kept[id] = each
    return Environment(environment.terrain, kept, environment.version)


def surroundings(
    environment: Environment, tables: Tables, lower: tuple[float, float], upper: tuple[float, float]
) -> Surroundings:
    """The surroundings within a rectangle (x, y), m."""
    parameters = tables.parameters
    near = objects_within(environment, lower, upper)
    surfaces = {}
    if tables.biped.hands:
        for each in near.objects.values():
            if each.category in parameters.hand.classes:
                surface = prepared_surface(each, tables.biped.hand_radius, parameters.hand)
                if surface.best >= parameters.hand.least_confidence:
                    surfaces[each.id] = surface
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
    solids, ids = packed_solids(near, tables.volumes, Cells((ground.x, ground.y), shape), touchable=surfaces)
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
        surfaces,
        ids,
        flags,
        peaks,
        touched,
    )
