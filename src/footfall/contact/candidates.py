"""Candidate contacts: which points of the robot may touch which surfaces.

The native time step is made for a fixed list of candidates; which of them carry force is decided when it runs.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from footfall.contact.edge_crossings import AXIS_PLACES, PLACES, Crossing
from footfall.contact.features import ROUNDING, contact_points
from footfall.contact.pair_material import pair_material
from footfall.contact.terrain_distance import TerrainFacet, facets
from footfall.geometry.height_map import HeightMap
from footfall.math.transform import Transform, identity_transform
from footfall.robot.model import WORLD, Robot
from footfall.robot.shapes import Box, Capsule, Mesh, Shape, Sphere
from footfall.scene.given_motion import GivenMotion
from footfall.scene.model import Material, Scene, SceneObject, SceneShape

MOST_OPTIONAL = 256  # a native step is made for all of them: more take minutes to compile


class TooManyCandidates(UserWarning):
    """Robots with so many shapes that some ways in which they could touch are left out."""


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

    crossing: that the point lies there instead, where edges cross.
    """

    body: str
    point: tuple[float, float, float]
    radius: float
    surface: Surface
    crossing: Crossing | None = None


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

    materials: of bodies that have one, by name; a contact has that of the pair, see `pair_material`.
    """
    candidates = []
    surfaces = list(surfaces)
    for name in bodies:
        own = (materials or {}).get(name)
        touched = [
            replace(surface, material=pair_material(surface.material, own))
            for surface in surfaces
            if surface.body != name
        ]
        for geometry in robot.body(name).collisions:
            points = contact_points(geometry, mesh_points=mesh_points)
            for position, radius in zip(points.positions.tolist(), points.radii.tolist(), strict=True):
                candidates += [
                    Candidate(name, tuple(position), radius, part)
                    for surface in touched
                    for part in _touchable(surface, radius)
                ]
    return candidates


def _touchable(surface: Surface, radius: float) -> Sequence[Surface]:
    """All that a ball may touch at once: of terrain the cells around it, of others the whole."""
    if not isinstance(surface.shape, HeightMap):
        return (surface,)
    return [replace(surface, shape=shape) for shape in facets(surface.shape, radius)]


def edge_candidates(
    robot: Robot,
    bodies: Iterable[str],
    surfaces: Iterable[Surface],
    *,
    materials: Mapping[str, Material] | None = None,
) -> list[Candidate]:
    """The edges of boxes and the axes of capsules against boxes that they may lie across.

    materials: of those bodies that are free objects, by name.
    """
    materials = materials or {}
    boxes = [surface for surface in surfaces if isinstance(surface.shape, Box)]
    candidates = []
    for name in bodies:
        touched = [
            replace(surface, material=pair_material(surface.material, materials.get(name)))
            for surface in boxes
            if surface.body != name
        ]
        for geometry in robot.body(name).collisions:
            edges = _edges(geometry.shape)
            if edges is None:
                continue
            size, rounding, places = edges
            candidates += [
                Candidate(name, (0.0, 0.0, 0.0), rounding, surface, Crossing(size, geometry.placement, place))
                for surface in touched
                # of two free boxes the edges of one are enough
                if places == AXIS_PLACES
                or surface.body == WORLD
                or surface.body > name
                or name not in materials
                for place in range(places)
            ]
    return candidates


def _edges(shape: Shape) -> tuple[tuple[float, float, float], float, int] | None:
    """Size of the box that has the edges, their radius (m), and how many places there are on them."""
    match shape:
        case Box((x, y, z)):
            rounding = ROUNDING * min(x, y, z)
            return (x - 2 * rounding, y - 2 * rounding, z - 2 * rounding), rounding, PLACES
        case Capsule(radius, length):
            return (0.0, 0.0, length), radius, AXIS_PLACES
    return None


def robot_candidates(
    robot: Robot, owners: Mapping[str, str], *, materials: Mapping[str, Material] | None = None
) -> list[Candidate]:
    """Points of bodies against the boxes, capsules, cylinders and spheres of robots that are not their own.

    owners: to whom a body belongs, by its name. materials: of those bodies that are free objects; a robot's body has
    none. Spheres know their distance to all other shapes and stay points, but for one of each pair of spheres; so do
    meshes, whose points alone touch.
    """
    materials = materials or {}
    surfaces = [
        (name, geometry)
        for name in owners
        if name not in materials
        for geometry in robot.body(name).collisions
        if not isinstance(geometry.shape, Mesh)
    ]
    candidates = []
    for name, owner in owners.items():
        for geometry in robot.body(name).collisions:
            touched = [
                Surface(other.shape, other.placement, carrier, materials.get(name, Material()))
                for carrier, other in surfaces
                if owners[carrier] != owner
                and (
                    not isinstance(other.shape, Sphere)
                    or isinstance(geometry.shape, Mesh)
                    or (isinstance(geometry.shape, Sphere) and name not in materials and name < carrier)
                )
            ]
            points = contact_points(geometry)
            for position, radius in zip(points.positions.tolist(), points.radii.tolist(), strict=True):
                candidates += [Candidate(name, tuple(position), radius, surface) for surface in touched]
    return candidates


def owner_of(body: str, scene: Scene) -> str:
    """To whom a body of a combined robot belongs: a robot of the scene, a free object, or the one beside them ("")."""
    owners = {each.name for each in scene.robots} | {each.name for each in scene.free_objects}
    first = body.split("/", 1)[0]
    return first if first in owners else ""


def scene_candidates(robot: Robot, scene: Scene) -> list[Candidate]:
    """All points of robots and free bodies that were combined into one, against all surfaces that are not their own.

    Between two objects the material of the pair holds, between a robot and an object that of the object. A robot does
    not touch itself.
    """
    surfaces = [surface_of(thing) for thing in scene.objects if thing.contact]
    moving = [
        body.name for body in robot.bodies if robot.tree.attachments[body.name].link >= 0 and body.collisions
    ]
    materials = {thing.name: thing.material for thing in scene.free_objects}
    robots = [name for name in moving if name not in materials]
    crossings = edge_candidates(
        robot, [name for name in moving if name in materials], surfaces, materials=materials
    )
    across = edge_candidates(robot, robots, surfaces)
    between = robot_candidates(robot, {name: owner_of(name, scene) for name in moving}, materials=materials)
    return (
        point_candidates(robot, moving, surfaces, materials=materials)
        + crossings
        + _unless_too_many(
            across, scene, "edges of robots may lie across boxes", "robots touch boxes with corners"
        )
        + _unless_too_many(
            between,
            scene,
            "robots may touch each other and free bodies",
            "they pass through the shapes of robots, and touch the scene",
        )
    )


def _unless_too_many(candidates: list[Candidate], scene: Scene, what: str, otherwise: str) -> list[Candidate]:
    """The candidates, or none and a warning."""
    if len(candidates) <= MOST_OPTIONAL:
        return candidates
    warnings.warn(
        f"scene {scene.name!r}: {what} in {len(candidates)} places, more than the {MOST_OPTIONAL} that are looked at "
        f"by default, so that {otherwise} only. Give robots fewer collision shapes, or choose `candidates` yourself",
        TooManyCandidates,
        stacklevel=4,
    )
    return []
