"""Perception made of a scene: what a good camera system would have seen of all of it.

Each object's surface is rebuilt on a grid with noise, its volume is the one of the scene or made of its bounding box,
and the terrain is what all surfaces look like from above (Seiwald 2023, section 7.4).

A surface as a camera system would rebuild it: distances on a grid, with noise, and a new mesh through them.

Edges are rounded and small things vanish with the grid, as they do in reality (Seiwald 2023, section 7.4).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.environment.model import Environment
from footfall.environment.objects import EnvironmentObject, ObjectSurface, box_volume
from footfall.environment.patch import PATCH
from footfall.environment.rasterise import SAMPLES, DrawnTriangles, drawn_triangles, joined, rasterise
from footfall.environment.sampling import sample_footprints
from footfall.environment.terrain import Terrain
from footfall.errors import GeometryError, InvalidEnvironment
from footfall.geometry.distance_grid import distance_grid
from footfall.geometry.height_map import HeightMap
from footfall.geometry.marching_cubes import marching_cubes
from footfall.geometry.mesh import TriangleMesh
from footfall.geometry.mesh_distance import signed_distances
from footfall.geometry.plane import Plane
from footfall.geometry.swept_sphere import SweptVolume
from footfall.math.transform import Transform
from footfall.option_checks import require_not_negative
from footfall.scene.model import Scene, SceneObject
from footfall.scene.parts import FLOOR
from footfall.scene.shape_meshes import shape_mesh
from footfall.scene.shapes import Rectangle

VOXEL = 0.05  # m
NOISE = 0.004  # m, standard deviation


def remesh(
    mesh: TriangleMesh, *, voxel: float = VOXEL, noise: float = NOISE, rng: np.random.Generator | None = None
) -> ObjectSurface:
    """The surface through the distances of a mesh on a grid.

    voxel: m, no larger than the least thickness of a closed mesh, which would vanish. noise: standard deviation of
    each distance, m. rng: needed for noise.
    """
    if not (0.0 < voxel <= 1.0 and 0.0 <= noise <= 0.5 * voxel):
        message = (
            f"voxel is {voxel:g} m, noise {noise:g} m; voxel must be in (0, 1], noise at most half of it"
        )
        raise GeometryError(message, subject=("mesh", mesh.name))
    extent = mesh.bounds[1] - mesh.bounds[0]
    if mesh.watertight:
        voxel = min(voxel, float(extent.min()))
    # Half a cell beside the surface: a sheet as thick as a cell has points inside.
    grid = distance_grid(mesh, spacing=voxel, margin=1.5 * voxel)
    values = np.array(grid.values)
    if noise > 0.0:
        if rng is None:
            raise GeometryError("noise needs rng, a generator of random numbers", subject=("mesh", mesh.name))
        values += rng.normal(0.0, noise, values.shape)
    surface = marching_cubes(values, origin=np.array(grid.origin), spacing=voxel)
    triangles = surface.triangles
    if len(triangles) and not mesh.watertight:
        # Beyond the rim of an open mesh the sign still changes; there is no surface there.
        away = np.abs(signed_distances(mesh, surface.vertices)[:, 0]) > 0.5 * voxel + 2 * noise
        triangles = triangles[~away[triangles].any(axis=1)]
    if not len(triangles):
        message = f"vanishes on a grid of {voxel:g} m; choose a smaller voxel"
        raise GeometryError(message, subject=("mesh", mesh.name))
    used, index = np.unique(triangles, return_inverse=True)
    rebuilt = TriangleMesh(surface.vertices[used], index.reshape(-1, 3), mesh.name)
    return ObjectSurface(rebuilt, surface.normals[used])


Area = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True)
class PerceptionOptions:
    """How a scene is perceived.

    voxel: of the grid that surfaces are rebuilt with, m; 0 takes them as they are. noise: standard deviation, m. seed:
    of the noise. samples: along an edge of a cell of terrain. area: lower and upper corner (x, y) in m of the part
    that is seen of floors without end; by default 1 m around objects, start and goal. headroom: m; what begins higher
    above the floor below it is no terrain. ceiling: m; what begins above it is not seen; by default 1.8 m above the
    start.
    """

    voxel: float = VOXEL
    noise: float = NOISE
    seed: int = 0
    samples: int = SAMPLES
    area: Area | None = None
    headroom: float = 0.25
    ceiling: float | None = None

    def __post_init__(self) -> None:
        require_not_negative(self, "voxel", "noise", "seed", "headroom")


EXACT = PerceptionOptions(voxel=0.0, noise=0.0)


def perceive(scene: Scene, options: PerceptionOptions | None = None, *, time: float = 0.0) -> Environment:
    """The environment that perfect sight would make of a scene at a time (s), in the axes of the scene.

    Ground without end (planes, height maps) becomes terrain, everything else an object of its name and class too.
    """
    return Observer(options).see(scene, time=time)


class _Seen(NamedTuple):
    """What is seen of a thing. key: shape, and how it is seen, that its surface was made of. drawn: its triangles."""

    key: tuple[object, ...]
    object: EnvironmentObject
    drawn: DrawnTriangles


class Observer:
    """Perceives a scene again and again. Things that stay as they are stay the same objects, things that move keep
    their surfaces, and terrain is drawn anew only where something came, moved or went."""

    def __init__(self, options: PerceptionOptions | None = None) -> None:
        self._options = options or PerceptionOptions()
        self._rng = np.random.default_rng(self._options.seed)
        self._things: dict[str, _Seen] = {}
        self._ground: tuple[EnvironmentObject, ...] = ()  # that the floor was drawn of, and what stands on it
        self._low: tuple[EnvironmentObject, ...] = ()
        self._floor = self._terrain = Terrain()

    def see(self, scene: Scene, *, time: float = 0.0) -> Environment:
        """The environment at a time, s."""
        options = self._options
        ceiling = _ceiling(scene) if options.ceiling is None else options.ceiling
        area = options.area or seen_area(scene, time)
        objects: dict[str, EnvironmentObject] = {}
        things: dict[str, _Seen] = {}
        ground: list[_Seen] = []
        others: list[_Seen] = []
        for each in scene.objects:
            if not each.visible:
                continue
            placement = each.placement if each.motion is None else each.motion.pose(time)
            mesh, placement = _mesh_of(each, placement, area)
            if float((mesh.vertices @ placement.rotation.T + placement.translation)[:, 2].min()) > ceiling:
                continue
            seen = things[each.name] = self._look_at(each, mesh, placement)
            endless = isinstance(each.shape, Plane | HeightMap)
            if not endless:
                objects[each.name] = seen.object
            (ground if endless or each.category == FLOOR else others).append(seen)
        self._things = things
        return Environment(_within(self._drawn_terrain(ground, others), area), objects, version=1)

    def _look_at(self, each: SceneObject, mesh: TriangleMesh, placement: Transform) -> _Seen:
        # Of a plane there is as much as the area asks for.
        size = mesh.bounds.tobytes() if isinstance(each.shape, Plane) else b""
        key = (each.shape, each.perception, each.category, size)
        before = self._things.get(each.name)
        if before is not None and before.key == key:
            same = before.object.placement
            if (same.matrix == placement.matrix).all():
                return before
            moved = before.object.moved(placement)
            return _Seen(key, moved, _drawn(moved))
        surface = _seen(mesh, each, self._options, self._rng)
        found = EnvironmentObject(each.name, each.category, surface, _volume(each, mesh, surface), placement)
        return _Seen(key, found, _drawn(found))

    def _drawn_terrain(self, ground: list[_Seen], others: list[_Seen]) -> Terrain:
        """What floors and things on them look like from above."""
        floors, samples = tuple(each.object for each in ground), self._options.samples
        if floors != self._ground:
            self._ground, self._low = floors, ()
            self._floor = self._terrain = rasterise(joined([each.drawn for each in ground]), samples=samples)
        standing = [each for each in others if _stands_on(self._floor, each.object, self._options.headroom)]
        low = tuple(each.object for each in standing)
        changed = set(low) ^ set(self._low)
        self._low = low
        patches = {index for each in changed for index in _patches_below(each)}
        if patches:
            near = [
                each.drawn
                for each in (*ground, *standing)
                if not patches.isdisjoint(_patches_below(each.object))
            ]
            drawn = rasterise(joined(near), samples=samples, within=patches)
            self._terrain = self._terrain.updated(drawn.patches, reset=patches)
        return self._terrain


def _patches_below(each: EnvironmentObject) -> Iterator[tuple[int, int]]:
    """Indices of the patches that a thing may reach into."""
    (x0, y0, _), (x1, y1, _) = each.box
    columns, rows = (
        range(math.floor(low / PATCH), math.floor(high / PATCH) + 1) for low, high in ((x0, x1), (y0, y1))
    )
    return product(columns, rows)


def seen_area(scene: Scene, time: float = 0.0) -> Area:
    """Lower and upper corner (x, y) in m of a rectangle 1 m around objects that end, start and goal."""
    points = [pose.translation[:2] for pose in (scene.start, scene.goal) if pose is not None]
    for each in scene.objects:
        if each.visible and not isinstance(each.shape, Plane | HeightMap):
            pose = each.placement if each.motion is None else each.motion.pose(time)
            corners = shape_mesh(each.shape).vertices @ pose.rotation.T + pose.translation
            points += [corners[:, :2].min(axis=0), corners[:, :2].max(axis=0)]
    around = np.array(points) if points else np.zeros((1, 2))
    (x0, y0), (x1, y1) = (around.min(axis=0) - 1.0).tolist(), (around.max(axis=0) + 1.0).tolist()
    return (x0, y0), (x1, y1)


def _ceiling(scene: Scene) -> float:
    return np.inf if scene.start is None else float(scene.start.translation[2]) + 1.8


def _mesh_of(each: SceneObject, placement: Transform, area: Area) -> tuple[TriangleMesh, Transform]:
    """The mesh of an object and its pose; of a plane the rectangle below the area that is seen."""
    if not isinstance(each.shape, Plane):
        return shape_mesh(each.shape), placement
    up = placement.rotation[:, 2]
    if up[2] < 0.1:
        message = "is a plane as steep as a wall; give a box or a rectangle to be perceived"
        raise InvalidEnvironment(message, subject=("object", each.name))
    (x0, y0), (x1, y1) = area
    corners = np.array([[x, y, 0.0] for x in (x0, x1) for y in (y0, y1)])
    corners[:, 2] = placement.translation[2] - (corners - placement.translation)[:, :2] @ up[:2] / up[2]
    local = (corners - placement.translation) @ placement.rotation
    low, high = local[:, :2].min(axis=0), local[:, :2].max(axis=0)
    middle = placement.apply(np.array([*(low + high) / 2, 0.0]))
    size = high - low
    return Rectangle((float(size[0]), float(size[1]))).mesh, Transform(placement.rotation, middle)


def _seen(
    mesh: TriangleMesh, each: SceneObject, options: PerceptionOptions, rng: np.random.Generator
) -> ObjectSurface:
    voxel = options.voxel if each.perception.voxel is None else each.perception.voxel
    noise = options.noise if each.perception.noise is None else each.perception.noise
    if voxel == 0.0:
        return ObjectSurface(mesh)
    return remesh(mesh, voxel=voxel, noise=min(noise, 0.5 * voxel), rng=rng)


def _volume(each: SceneObject, mesh: TriangleMesh, surface: ObjectSurface) -> SweptVolume:
    if each.perception.volume is not None:
        return each.perception.volume
    bounds = np.concatenate([mesh.bounds, surface.mesh.bounds])
    return box_volume(bounds.min(axis=0), bounds.max(axis=0))


def _drawn(each: EnvironmentObject) -> DrawnTriangles:
    triangles = each.surface.mesh.triangles
    assert each.surface.confidence is not None
    return drawn_triangles(each.world_vertices[triangles], each.surface.confidence[triangles])


def _stands_on(floor: Terrain, each: EnvironmentObject, headroom: float) -> bool:
    """Whether an object belongs to the terrain: a table top above the floor does not."""
    vertices = each.world_vertices
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    middle = np.array([[*(low + high)[:2] / 2, 0.0]])
    half = np.maximum((high - low)[:2] / 2, 0.01)
    below = sample_footprints(floor, middle, lower=-half, upper=half)
    return not low[2] - np.nan_to_num(below.highest[0], nan=low[2]) > headroom


def _within(terrain: Terrain, area: Area) -> Terrain:
    """Without patches that have no part in the area; terrain does not end, what is seen of it does."""
    low, high = np.array(area) / PATCH
    kept = {
        (i, j): patch
        for (i, j), patch in terrain.patches.items()
        if low[0] - 1 < i < high[0] and low[1] - 1 < j < high[1]
    }
    return Terrain(kept)


def truth(scene: Scene, *, area: Array | Area | None = None, time: float = 0.0) -> Terrain:
    """The terrain of a scene as it is, to compare with: no grid, no noise, one sample in the middle of each cell."""
    corners = (
        None
        if area is None
        else ((float(area[0][0]), float(area[0][1])), (float(area[1][0]), float(area[1][1])))
    )
    options = PerceptionOptions(voxel=0.0, noise=0.0, samples=1, area=corners, headroom=np.inf)
    return perceive(scene, options, time=time).terrain
