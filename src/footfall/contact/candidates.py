"""Candidate contacts: which points of the robot may touch which surfaces.

The native time step is made for a fixed list of candidates; which of them carry force is decided when it runs.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from footfall.contact.edge_crossings import PLACES, Crossing
from footfall.contact.features import ROUNDING, contact_points
from footfall.contact.pair_material import pair_material
from footfall.contact.terrain_distance import TerrainFacet, facets
from footfall.geometry.height_map import HeightMap
from footfall.math.transform import Transform, identity_transform
from footfall.robot.model import WORLD, Robot
from footfall.robot.shapes import Box, Mesh, Sphere
from footfall.scene.given_motion import GivenMotion
from footfall.scene.model import Material, Scene, SceneObject, SceneShape

MOST_BETWEEN = 256  # a native step is made for all of them: more take minutes to compile


class TooManyCandidates(UserWarning):
    """Robots with so many shapes that their contacts with each other are left out."""


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
            replace(surface, shape=shape, material=pair_material(surface.material, own))
            for surface in surfaces
            if surface.body != name
            for shape in (facets(surface.shape) if isinstance(surface.shape, HeightMap) else (surface.shape,))
        ]
        for geometry in robot.body(name).collisions:
            points = contact_points(geometry, mesh_points=mesh_points)
            for position, radius in zip(points.positions.tolist(), points.radii.tolist(), strict=True):
                candidates += [Candidate(name, tuple(position), radius, surface) for surface in touched]
    return candidates


def edge_candidates(thing: SceneObject, surfaces: Iterable[Surface]) -> list[Candidate]:
    """The edges of a free box against those of boxes that it may lie across; of two free ones, of the first by name."""
    if not isinstance(thing.shape, Box) or not thing.contact:
        return []
    rounding = ROUNDING * min(thing.shape.size)
    x, y, z = (length - 2 * rounding for length in thing.shape.size)
    return [
        Candidate(
            thing.name,
            (0.0, 0.0, 0.0),
            rounding,
            replace(surface, material=pair_material(surface.material, thing.material)),
            Crossing((x, y, z), identity_transform(), place),
        )
        for surface in surfaces
        if isinstance(surface.shape, Box) and (surface.body == WORLD or surface.body > thing.name)
        for place in range(PLACES)
    ]


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

    Boxes that are free touch boxes with their edges too. Between two objects the material of the pair holds, against a
    robot that of the object. A robot does not touch itself.
    """
    surfaces = [surface_of(thing) for thing in scene.objects if thing.contact]
    moving = [
        body.name for body in robot.bodies if robot.tree.attachments[body.name].link >= 0 and body.collisions
    ]
    materials = {thing.name: thing.material for thing in scene.free_objects}
    crossings = [candidate for thing in scene.free_objects for candidate in edge_candidates(thing, surfaces)]
    between = robot_candidates(robot, {name: owner_of(name, scene) for name in moving}, materials=materials)
    if len(between) > MOST_BETWEEN:
        warnings.warn(
            f"robots and free bodies of scene {scene.name!r} may touch in {len(between)} places, more than the "
            f"{MOST_BETWEEN} that are looked at by default: they pass through the robots' shapes. Give robots fewer "
            "collision shapes, or choose some of `robot_candidates` and give them to the simulation",
            TooManyCandidates,
            stacklevel=3,
        )
        between = []
    return point_candidates(robot, moving, surfaces, materials=materials) + crossings + between
