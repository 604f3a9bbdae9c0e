"""Candidate contacts: which points of the robot may touch which surfaces.

The native time step is made for a fixed list of candidates; which of them carry force is decided when it runs.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from footfall.contact.detection.spare_corners import shares_loads, spanned
from footfall.contact.distance_functions import TerrainFacet, facets
from footfall.contact.pair_material import pair_material, side_of, touched_by
from footfall.contact.shape_pairs import Place, PointOf, points_against, points_of
from footfall.errors import SimulationWarning
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform, identity_transform
from footfall.robot.model import WORLD, Robot
from footfall.robot.shapes import Box, Capsule, Cylinder, Geometry, Mesh, Sphere
from footfall.scene.given_motion import GivenMotion
from footfall.scene.model import Material, Scene, SceneObject, SceneShape

MOST_OPTIONAL = 256  # a native step is made for all of them: more take minutes to compile


@dataclass(frozen=True, slots=True)
class Surface:
    """A shape with a signed distance that points may touch; `body` carries it at `placement`.

    shape: that of an object, or a part of terrain.
    motion: where it goes in the world instead, for one that moves on a given path.
    """

    shape: SceneShape | TerrainFacet
    placement: Transform = field(default_factory=identity_transform)
    body: str = WORLD
    material: Material = field(default_factory=Material)
    motion: GivenMotion | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A point of a body or frame, with a radius around it (m), and the surface that it may touch.

    place: where the point lies instead, if it moves along the body. touched: that it is the other way round, point and
    radius belong to what has the surface, and it may touch this geometry of the body.
    """

    body: str
    point: tuple[float, float, float]
    radius: float
    surface: Surface
    place: Place | None = None
    touched: Geometry | None = None


def surface_of(thing: SceneObject) -> Surface:
    """The surface of an object; a free one is a body of its own name, which carries it."""
    if thing.free is not None:
        return Surface(thing.shape, identity_transform(), thing.name, thing.material)
    return Surface(thing.shape, thing.placement, WORLD, thing.material, thing.motion)


def point_candidates(
    robot: Robot,
    bodies: Iterable[str],
    surfaces: Iterable[Surface],
    *,
    materials: Mapping[str, Material] | None = None,
    mesh_points: int = 16,
) -> list[Candidate]:
    """Every point that stands for the collision geometry of these bodies against every surface of others.

    materials: of bodies that have one, by name; a contact has that of the pair, see `pair_material`. Edges and faces
    between these points are not felt, see `scene_candidates`. Corners of boxes that others of the same body span are
    left out over hard planes, where they say nothing.
    """
    surfaces, candidates = list(surfaces), []
    for name in bodies:
        collisions = robot.body(name).collisions
        for geometry, spare in zip(collisions, spare_points(collisions), strict=True):
            points = points_of(geometry, mesh_points=mesh_points)
            own = [_with_material(each, (materials or {}).get(name), geometry) for each in surfaces]
            candidates += [
                candidate
                for k, point in enumerate(points)
                for surface in own
                if surface.body != name and not (k in spare and _is_hard_plane(surface))
                for candidate in _touching(name, point, surface)
            ]
    return candidates


def spare_points(collisions: Sequence[Geometry]) -> list[frozenset[int]]:
    """For each geometry of a body the numbers of its points that hard planes need not look at: corners of boxes that
    others with the same friction span, see `detection/spare_corners.py`."""
    spare = [frozenset[int]()] * len(collisions)
    boxes = [k for k, geometry in enumerate(collisions) if isinstance(geometry.shape, Box)]
    for friction in {collisions[k].friction for k in boxes}:
        alike = [k for k in boxes if collisions[k].friction == friction]
        if len(alike) > 1:
            corners = np.array([[point.point for point in points_of(collisions[k])] for k in alike])
            for k, flags in zip(alike, spanned(corners), strict=True):
                spare[k] = frozenset(np.flatnonzero(flags).tolist())
    return spare


def _is_hard_plane(surface: Surface) -> bool:
    fixed = surface.body == WORLD and surface.motion is None
    return fixed and isinstance(surface.shape, Plane) and shares_loads(surface.material)


def _with_material(surface: Surface, own: Material | None, geometry: Geometry) -> Surface:
    """A surface with the material that a geometry of a body with this one touches it with."""
    return replace(surface, material=touched_by(pair_material(surface.material, own), side_of(geometry)))


def _touching(body: str, point: PointOf, surface: Surface) -> Iterator[Candidate]:
    """All that a point may touch at once: of terrain the cells around it, of others the whole."""
    parts: Sequence[SceneShape | TerrainFacet] = [surface.shape]
    if isinstance(surface.shape, HeightMap):
        parts = facets(surface.shape, point.radius)
    for part in parts:
        yield Candidate(body, point.point, point.radius, replace(surface, shape=part), point.place)


class Part(NamedTuple):
    """A geometry that moves: of which body and owner, the material that it has if it is a free object, and the numbers
    of points that hard planes need not look at."""

    body: str
    owner: str
    geometry: Geometry
    material: Material | None
    spare: frozenset[int]


def moving_parts(robot: Robot, scene: Scene) -> list[Part]:
    """The collision geometries of robots and free objects that were combined into one robot."""
    materials = {thing.name: thing.material for thing in scene.free_objects}
    return [
        Part(body.name, owner_of(body.name, scene), geometry, materials.get(body.name), spare)
        for body in robot.bodies
        if robot.tree.attachments[body.name].link >= 0
        for geometry, spare in zip(body.collisions, spare_points(body.collisions), strict=True)
    ]


def part_candidates(one: Part, other: Part) -> list[Candidate]:
    """Two that move: points of each against the other. Meshes of robots are no surfaces, their points alone touch."""
    material = Material()
    if one.material is not None or other.material is not None:
        material = pair_material(one.material or other.material or material, one.material and other.material)
    material = touched_by(material, side_of(one.geometry), side_of(other.geometry))
    candidates = []
    for own, far, leads in ((one, other, True), (other, one, False)):
        if isinstance(far.geometry.shape, Mesh) and far.material is None:
            continue
        surface = Surface(far.geometry.shape, far.geometry.placement, far.body, material)
        points = points_against(own.geometry, far.geometry.shape, leads=leads)
        candidates += [Candidate(own.body, *each[:2], surface, each.place) for each in points]
    return candidates


def fixed_candidates(part: Part, surface: Surface) -> list[Candidate]:
    """Something that moves and the surface of something that does not, or on a given path: points of each against the
    other. Of meshes and terrain that do not move there are no points."""
    shape = surface.shape
    assert not isinstance(shape, TerrainFacet)
    surface = _with_material(surface, part.material, part.geometry)
    spare = part.spare if _is_hard_plane(surface) else frozenset[int]()
    candidates = [
        candidate
        for k, point in enumerate(points_against(part.geometry, shape, leads=True))
        if k not in spare
        for candidate in _touching(part.body, point, surface)
    ]
    if isinstance(shape, Box | Sphere | Capsule | Cylinder) and not isinstance(part.geometry.shape, Mesh):
        points = points_against(Geometry(shape), part.geometry.shape, leads=False)
        candidates += [Candidate(part.body, *each[:2], surface, each.place, part.geometry) for each in points]
    return candidates


def owner_of(body: str, scene: Scene) -> str:
    """To whom a body of a combined robot belongs: a robot of the scene, a free object, or the one beside them ("")."""
    owners = {each.name for each in scene.robots} | {each.name for each in scene.free_objects}
    first = body.split("/", 1)[0]
    return first if first in owners else ""


def scene_candidates(robot: Robot, scene: Scene) -> list[Candidate]:
    """All ways in which robots and free bodies that were combined into one may touch each other and the scene.

    Between two objects the material of the pair holds, between a robot and an object that of the object. A robot does
    not touch itself.
    """
    fixed = [surface_of(thing) for thing in scene.fixed_objects if thing.contact]
    parts = moving_parts(robot, scene)
    free = [part for part in parts if part.material is not None]
    robots = [part for part in parts if part.material is None]
    objects = [each for part in free for surface in fixed for each in fixed_candidates(part, surface)]
    # What is named later tends to lie on what is named before, so that normals point up.
    objects += [each for one, other in combinations(free, 2) for each in part_candidates(other, one)]
    grounded = [each for part in robots for surface in fixed for each in fixed_candidates(part, surface)]
    handled = [each for own in robots for thing in free for each in part_candidates(own, thing)]
    between = robot_candidates(robots)
    if _too_many(
        sum(each.place is not None or each.touched is not None for each in grounded),
        scene,
        "edges and faces of robots may touch objects",
        "robots touch them with corners, ends and rims",
    ):
        grounded = point_candidates(robot, dict.fromkeys(part.body for part in robots), fixed)
    if _too_many(
        len(handled),
        scene,
        "robots may touch free bodies",
        "free bodies pass through the shapes of robots, which touch them with corners, ends and rims",
    ):
        loose = [surface_of(thing) for thing in scene.free_objects if thing.contact]
        handled = point_candidates(robot, dict.fromkeys(part.body for part in robots), loose)
    if _too_many(
        len(between), scene, "robots may touch each other", "they pass through each other, and touch objects"
    ):
        between = []
    return objects + grounded + handled + between


def robot_candidates(robots: Sequence[Part]) -> list[Candidate]:
    """Geometries of robots against those of other robots."""
    pairs = [pair for pair in combinations(robots, 2) if pair[0].owner != pair[1].owner]
    return [each for one, other in pairs for each in part_candidates(one, other)]


def _too_many(count: int, scene: Scene, what: str, otherwise: str) -> bool:
    """Whether so many candidates are left out, with a warning that says so."""
    if count > MOST_OPTIONAL:
        warnings.warn(
            f"scene {scene.name!r}: {what} in {count} places, more than the {MOST_OPTIONAL} that are looked at by "
            f"default, so that {otherwise} only. Give robots fewer collision shapes, or choose `candidates` yourself",
            SimulationWarning,
            stacklevel=4,
        )
    return count > MOST_OPTIONAL
