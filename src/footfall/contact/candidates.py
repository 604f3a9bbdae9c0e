"""Candidate contacts: which points of the robot may touch which surfaces.

The native time step in lanes is made for a fixed list of candidates; which of them carry force is decided when it runs.
A point has a radius: balls, ends of capsules, rounded corners of boxes, rims of cylinders, corners of meshes. Edges and
faces between points are not felt; `Simulation` finds contacts of whole shapes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.contact.contacts import Contact, Contacts, contact_frame, material_columns
from footfall.contact.detection.spare_corners import shares_loads, spanned
from footfall.contact.distance_functions import TerrainFacet, facets, signed_distance
from footfall.contact.features import contact_points
from footfall.contact.pair_material import pair_material, side_of, touched_by
from footfall.dynamics.kinematics import frame_attachment, link_poses
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.math.spatial import cross
from footfall.math.transform import Transform, identity_transform
from footfall.robot.model import WORLD, Robot
from footfall.robot.shapes import Box, Geometry, Sphere
from footfall.scene.given_motion import GivenMotion
from footfall.scene.model import Material, Scene, SceneObject, SceneShape


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
    """A point of a body or frame, with a radius around it (m), and the surface that it may touch."""

    body: str
    point: tuple[float, float, float]
    radius: float
    surface: Surface


def locate_contact(robot: Robot, links: Sequence[Transform], candidate: Candidate, time: Any) -> Contact:
    """Where a candidate is, on its body, with the links at these poses; for numbers and for symbols. time: s."""
    surface = candidate.surface
    body, other = (frame_attachment(robot, name).link for name in (candidate.body, surface.body))
    if surface.motion is not None:
        pose = surface.motion.pose(time)
    else:
        pose = _frame_pose(robot, links, surface.body, surface.placement)
    center = _frame_pose(robot, links, candidate.body).apply(np.array(candidate.point))
    distance, normal = signed_distance(surface.shape, pose, center)
    position, gap = center - candidate.radius * normal, distance - candidate.radius
    return Contact(body, other, 0, position, normal, gap, -np.inf, 0.0, np.zeros(3))


def _frame_pose(
    robot: Robot, links: Sequence[Transform], name: str, placement: Transform | None = None
) -> Transform:
    """Of a frame in the world, with the links at these poses, or of what is placed in it."""
    attachment = frame_attachment(robot, name)
    placed = attachment.placement if placement is None else attachment.placement @ placement
    return links[attachment.link] @ placed if attachment.link >= 0 else placed


def surface_motion(surface: Surface, point: Array, time: Any) -> tuple[Array, Array]:
    """Velocity (3,) at a point (3,) and rotation (3,) of a surface that is on a given path, in the world."""
    if surface.motion is None:
        return np.zeros(3), np.zeros(3)
    twist, pose = surface.motion.velocity(time), surface.motion.pose(time)
    return twist[:3] + cross(twist[3:], point - pose.translation), twist[3:]


def detect_contacts(
    robot: Robot, q: Array, candidates: Sequence[Candidate], *, margin: float = 0.0, time: float = 0.0
) -> Contacts:
    """Those candidates whose gap is at most `margin` (m) at configuration q (nq,).

    The native step does the same inside; this is the way to look at it, and to build a single contact problem.
    time: s, at which surfaces on a given motion are looked at.
    """
    links = link_poses(robot.tree, np.asarray(q, dtype=np.float64))
    found: list[tuple[Candidate, Contact]] = []
    for candidate in candidates:
        contact = locate_contact(robot, links, candidate, time)
        if contact.gap <= margin:
            found.append((candidate, contact))

    def on(body: str, contact: Contact) -> Array:
        return _frame_pose(robot, links, body).inverse().apply(contact.position)

    return Contacts(
        [each.body for each, _ in found],
        # Both sides at one place, as in a step: friction a gap apart would turn the pair.
        np.array([on(each.body, contact) for each, contact in found]).reshape(-1, 3),
        np.array([contact_frame(contact.normal) for _, contact in found]).reshape(-1, 3, 3),
        np.array([contact.gap for _, contact in found], dtype=np.float64),
        others=[each.surface.body for each, _ in found],
        other_points=np.array([on(each.surface.body, contact) for each, contact in found]).reshape(-1, 3),
        surface_velocity=np.array(
            [surface_motion(each.surface, contact.position, time)[0] for each, contact in found]
        ).reshape(-1, 3),
        **material_columns([each.surface.material for each, _ in found]),
    )


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

    materials: of bodies that have one, by name; a contact has that of the pair, see `pair_material`. Corners of boxes
    that others of the same body span are left out over hard planes, where they say nothing.
    """
    surfaces, candidates = list(surfaces), []
    for name in bodies:
        collisions = robot.body(name).collisions
        for geometry, spare in zip(collisions, spare_points(collisions), strict=True):
            points = contact_points(geometry, mesh_points=mesh_points)
            places = list(zip(points.positions.tolist(), points.radii.tolist(), strict=True))
            own = [_with_material(each, (materials or {}).get(name), geometry) for each in surfaces]
            candidates += [
                Candidate(name, (x, y, z), radius, replace(surface, shape=part))
                for k, ((x, y, z), radius) in enumerate(places)
                for surface in own
                if surface.body != name and not (k in spare and _is_hard_plane(surface))
                for part in _parts(surface.shape, radius)
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
            corners = np.array([contact_points(collisions[k]).positions for k in alike])
            for k, flags in zip(alike, spanned(corners), strict=True):
                spare[k] = frozenset(np.flatnonzero(flags).tolist())
    return spare


def _is_hard_plane(surface: Surface) -> bool:
    fixed = surface.body == WORLD and surface.motion is None
    return fixed and isinstance(surface.shape, Plane) and shares_loads(surface.material)


def _with_material(surface: Surface, own: Material | None, geometry: Geometry) -> Surface:
    """A surface with the material that a geometry of a body with this one touches it with."""
    return replace(surface, material=touched_by(pair_material(surface.material, own), side_of(geometry)))


def _parts(shape: SceneShape | TerrainFacet, radius: float) -> Sequence[SceneShape | TerrainFacet]:
    """All that a point may touch at once: of terrain the cells around it, of others the whole."""
    return facets(shape, radius) if isinstance(shape, HeightMap) else [shape]


def scene_candidates(robot: Robot, scene: Scene) -> list[Candidate]:
    """All points of robots and free bodies that were combined into one, against the surfaces of all objects.

    Between two objects the material of the pair holds, between a robot and an object that of the object. Robots are no
    surfaces: they touch neither themselves nor each other.
    """
    materials = {thing.name: thing.material for thing in scene.free_objects}
    moving = [body.name for body in robot.bodies if robot.tree.attachments[body.name].link >= 0]
    fixed = [surface_of(thing) for thing in scene.fixed_objects if thing.contact]
    # What is named later tends to lie on what is named before, so that normals point up.
    free = [name for name in moving if name in materials]
    robots = [name for name in moving if name not in materials]
    candidates = point_candidates(robot, [*free, *robots], fixed, materials=materials)
    for thing in scene.free_objects:
        others = [*_against(thing, scene), *robots] if thing.contact else []
        candidates += point_candidates(robot, others, [surface_of(thing)], materials=materials)
    return candidates


def _against(thing: SceneObject, scene: Scene) -> Iterator[str]:
    """Free objects whose points are looked at against a free one. A ball knows its distance to everything by its centre
    alone, so that only balls, and of two the later one, are looked at against a ball."""
    earlier = True
    for other in scene.free_objects:
        if other.name == thing.name:
            earlier = False
        elif not isinstance(thing.shape, Sphere) or (isinstance(other.shape, Sphere) and not earlier):
            yield other.name
