"""A map made frame by frame: what a robot knows after each depth frame that its camera has taken.

Objects found in what depth frames have shown: surfaces that are no floor, in pieces, with class and volume.

Floor is where one could get to from where the robot stands, in steps that are not too high; stairs and ramps are floor,
and so are things that are low enough to step on. What is left of the surface above it falls into pieces that do not
touch, each of them an object. Its class follows from its shape: upright and high is a wall, level and as high as a
table is a table, everything else an obstacle.

A volume leaves little air around its triangles: upright boxes, halved where that saves some, as swept spheres.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.environment.depth_camera import DepthCamera, DepthFrame, SeenScene, render_depth
from footfall.environment.fusion import FusedSurface, FusionOptions
from footfall.environment.mapping import map_frame
from footfall.environment.model import Environment, EnvironmentUpdate, updated
from footfall.environment.objects import EnvironmentObject, ObjectSurface, box_volume
from footfall.environment.reset_area import reset_area
from footfall.errors import InvalidEnvironment
from footfall.geometry.mesh import TriangleMesh
from footfall.geometry.swept_sphere import SweptSphere, SweptVolume
from footfall.math.rotations import rotation_z
from footfall.math.transform import Transform
from footfall.scene.model import Scene
from footfall.scene.parts import OBSTACLE, TABLE, WALL

_TURNS = np.linspace(0.0, np.pi / 2, 30, endpoint=False)  # rad about z that boxes are tried at
_AXES = np.array([rotation_z(turn)[:2, :2] for turn in _TURNS])
_CUTS = (0.12, 0.3, 0.5, 0.7, 0.88)  # of a length
_CUTS_AHEAD = 2  # cuts
_FEWEST = 8  # triangles in a box
_SAVED = 0.5  # what the pieces may have of the volume of the whole
_THIN = 0.1  # m; what is thinner counts as that thick when volumes are compared


class _Box(NamedTuple):
    """Around triangles: their corners (m, 3, 3), the turn of its axes, rad, and its corners in these axes."""

    triangles: Array
    turn: float
    lower: Array
    upper: Array

    @property
    def size(self) -> float:
        return float(np.maximum(self.upper - self.lower, _THIN).prod())

    @property
    def filled(self) -> float:
        """m3 of cubes of that thickness with triangles in them: about the least that pieces could have."""
        cubes = np.floor(self.triangles.mean(axis=1) / _THIN).astype(np.int64)
        keys = (cubes - cubes.min(axis=0)) @ np.array([2**40, 2**20, 1])
        return float(len(np.unique(keys))) * _THIN**3


def tight_volume(triangles: Array, *, most: int = 8) -> SweptVolume:
    """A volume that holds triangles with corners (m, 3, 3), m.

    most: boxes; each has one element, or two where it is flat. The corner of two walls gets a box for each.
    """
    boxes = [_box(np.asarray(triangles, np.float64))]
    done: list[_Box] = []
    while boxes:
        box = boxes.pop(0)
        parts = _parts(box, _CUTS_AHEAD)
        saves = sum(part.size for part in parts) < _SAVED * box.size
        if saves and len(boxes) + len(done) + len(parts) <= most:
            boxes.extend(parts)
        else:
            done.append(box)
    return SweptVolume(tuple(element for box in done for element in _elements(box)))


def _box(triangles: Array) -> _Box:
    """The smallest upright box of those tried."""
    points = triangles.reshape(-1, 3)
    outline = points[_outline(points[:, :2]), :2]
    local = outline @ _AXES  # turn, point, axis
    lower, upper = local.min(axis=1), local.max(axis=1)
    best = int(np.maximum(upper - lower, _THIN).prod(axis=1).argmin())
    bottom, top = points[:, 2].min(), points[:, 2].max()
    return _Box(triangles, float(_TURNS[best]), np.append(lower[best], bottom), np.append(upper[best], top))


def _outline(points: Array) -> Integers:
    """Numbers of the points (n, 2) on their convex hull; all, if they lie in line."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return np.asarray(ConvexHull(points).vertices, np.int64)
    except (QhullError, ValueError):
        return np.arange(len(points))


def _parts(box: _Box, ahead: int) -> list[_Box]:
    """The box in pieces whose volumes add up to least, by as many cuts in a row as are looked ahead.

    More than one, as the first cut of three walls around a yard saves nothing.
    """
    if ahead == 0 or box.filled > _SAVED * box.size:
        return [box]
    middles = box.triangles.mean(axis=1) @ rotation_z(box.turn)
    best, least = [box], box.size
    for axis in range(3):
        length = box.upper[axis] - box.lower[axis]
        for share in _CUTS:
            below = middles[:, axis] <= box.lower[axis] + share * length
            if min(below.sum(), (~below).sum()) < _FEWEST:
                continue
            sides = _box(box.triangles[below]), _box(box.triangles[~below])
            parts = [part for side in sides for part in _parts(side, ahead - 1)]
            size = sum(part.size for part in parts)
            if size < least:
                best, least = parts, size
    return best


def _elements(box: _Box) -> list[SweptSphere]:
    turn = rotation_z(box.turn)
    volume = box_volume(box.lower, box.upper)
    return [SweptSphere(element.corners @ turn.T, element.radius) for element in volume.elements]


_UPWARDS = 0.85  # least z of the normals of floor
_LEAST_FLOOR = 0.04  # m2 of floor that one can stand on
_LOW_TABLE, _HIGH_TABLE = 0.4, 1.3  # m above the floor
_WALL = 0.8  # m, least height of a wall


@dataclass(frozen=True)
class FindingOptions:
    """What counts as an object.

    step: m; the floor goes on over steps that are not higher. clearance: m above the floor from which a surface is no
    floor. area: m2, least surface of an object. confidence: in [0, 1]; what is known less well is left out. prefix: of
    the ids that are given.
    """

    step: float = 0.2
    clearance: float = 0.06
    area: float = 0.04
    confidence: float = 0.25
    prefix: str = "seen"

    def __post_init__(self) -> None:
        for name in ("step", "clearance", "area"):
            value = getattr(self, name)
            if not 0.0 < value <= 10.0:
                message = f"{name} is {value:g}; it must be above 0 and at most 10"
                raise InvalidEnvironment(message, subject=("finding", "options"))
        if not 0.0 <= self.confidence <= 1.0:
            message = f"confidence is {self.confidence:g}; it must be from 0 to 1"
            raise InvalidEnvironment(message, subject=("finding", "options"))


class ObjectFinder:
    """Finds objects in depth frames; those that are seen again keep their ids.

    >>> finder = ObjectFinder()
    >>> finder.add(frame)  # as often as there are frames
    >>> environment = updated(environment, finder.update(environment))
    """

    def __init__(self, options: FindingOptions | None = None, fusion: FusionOptions | None = None) -> None:
        self.options = options or FindingOptions()
        self.surface = FusedSurface(fusion)
        self._stands: Array | None = None  # x, y of the camera in the last frame, m
        self._given = 0

    def add(self, frame: DepthFrame) -> None:
        """Take what a frame has seen."""
        self.surface.add(frame)
        self._stands = np.array(frame.pose.translation[:2], np.float64)

    def update(
        self, environment: Environment, *, stands: tuple[float, float] | None = None
    ) -> EnvironmentUpdate:
        """What the frames change about objects: those that were found, and ids of those that are gone.

        stands: x, y in m of a place on the floor; by default that below the camera. Objects that others have put into
        the environment, and those out of reach of the camera, stay as they are.
        """
        surface = self.surface.surface()
        place = self._stands if stands is None else np.asarray(stands, np.float64)
        own = {id: each for id, each in environment.objects.items() if self._is_own(id)}
        if surface is None or place is None:
            return EnvironmentUpdate()
        floor = _floor(surface, place, self.options, self.surface.options.voxel)
        found = []
        for piece in _pieces(surface, floor, self.options, self.surface.options.voxel):
            category = _category(piece, floor)
            id = _known(piece, own, 2.0 * self.surface.options.voxel)
            if id is None:
                self._given += 1
                id = f"{self.options.prefix}-{self._given}"
                while id in environment.objects:
                    self._given += 1
                    id = f"{self.options.prefix}-{self._given}"
            own.pop(id, None)
            found.append(_object(id, category, piece))
        low, high = self.surface.bounds
        gone = {id for id, each in own.items() if _is_within(each.world_vertices.mean(axis=0), low, high)}
        return EnvironmentUpdate(remove=frozenset(gone), objects=tuple(found))

    def _is_own(self, id: str) -> bool:
        return id.startswith(f"{self.options.prefix}-")


class Floor(NamedTuple):
    """Height of the floor (nx, ny), m, over square cells from a corner x, y on; beside the floor it is that of the
    nearest place of it."""

    x: float
    y: float
    cell: float
    height: Array

    def at(self, points: Array) -> Array:
        """Height below points (n, 3), m."""
        places = np.floor((points[:, :2] - (self.x, self.y)) / self.cell).astype(int)
        i, j = np.clip(places, 0, np.array(self.height.shape) - 1).T
        below: Array = self.height[i, j]
        return below


def _floor(surface: ObjectSurface, place: Array, options: FindingOptions, voxel: float) -> Floor:
    """Where one can get to from a place in steps of that height."""
    from scipy import ndimage

    assert surface.normals is not None
    assert surface.confidence is not None
    level = (surface.normals[:, 2] > _UPWARDS) & (surface.confidence >= options.confidence)
    points = surface.mesh.vertices[level]
    if not len(points):
        raise _no_floor(place)
    cells = np.floor(points[:, :2] / voxel).astype(int)
    first = cells.min(axis=0)
    lowest = np.full(cells.max(axis=0) - first + 1, np.inf)  # below a table is floor too
    np.minimum.at(lowest, tuple((cells - first).T), points[:, 2])
    # Ground that is not seen, behind things or between the robot's feet and its view, is taken to go on.
    nearest = ndimage.distance_transform_edt(np.isinf(lowest), return_distances=False, return_indices=True)
    height = ndimage.median_filter(lowest[tuple(nearest)], 3)
    rise = ndimage.maximum_filter(height, 3) - ndimage.minimum_filter(height, 3)
    parts, _ = ndimage.label(rise <= options.step)
    floor = Floor(float(first[0]) * voxel, float(first[1]) * voxel, voxel, height)
    part = _part_at(parts, floor, place)
    if part == 0:
        raise _no_floor(place)
    nearest = ndimage.distance_transform_edt(parts != part, return_distances=False, return_indices=True)
    # The higher side of a step counts on both: its riser is floor too.
    return floor._replace(height=ndimage.maximum_filter(height[tuple(nearest)], 5))


def _no_floor(place: Array) -> InvalidEnvironment:
    return InvalidEnvironment(
        f"no floor was seen around ({place[0]:.2f}, {place[1]:.2f}); add more frames that look at the ground",
        subject=("finding", "floor"),
    )


def _part_at(parts: Integers, nodes: Floor, place: Array) -> int:
    """Number of the part that is nearest to a place, if it is large enough to stand on; 0 if there is none."""
    sizes = np.bincount(parts.ravel())
    sizes[0] = 0
    large = sizes * nodes.cell**2 >= _LEAST_FLOOR
    i, j = np.nonzero(large[parts])
    if not len(i):
        return 0
    away = np.hypot(nodes.x + (i + 0.5) * nodes.cell - place[0], nodes.y + (j + 0.5) * nodes.cell - place[1])
    return int(parts[i[away.argmin()], j[away.argmin()]])


def _pieces(
    surface: ObjectSurface, floor: Floor, options: FindingOptions, voxel: float
) -> list[ObjectSurface]:
    """Parts of a surface above the floor that lie apart from each other by more than a voxel."""
    from scipy import ndimage

    mesh = surface.mesh
    assert surface.confidence is not None
    above = mesh.vertices[:, 2] - floor.at(mesh.vertices) > options.clearance
    above &= surface.confidence >= options.confidence
    triangles = mesh.triangles[above[mesh.triangles].all(axis=1)]
    if not len(triangles):
        return []
    cells = np.floor(mesh.vertices / voxel).astype(int)
    cells -= cells.min(axis=0)
    taken = np.zeros(cells.max(axis=0) + 1, bool)
    taken[tuple(cells[np.unique(triangles)].T)] = True
    parts, count = ndimage.label(taken, np.ones((3, 3, 3)))
    owner = parts[tuple(cells[triangles[:, 0]].T)]
    pieces = []
    for part in range(1, count + 1):
        piece = _part_of(surface, triangles, owner == part)
        if piece is not None and float(_areas(piece.mesh).sum()) >= options.area:
            pieces.append(piece)
    return pieces


def _part_of(surface: ObjectSurface, triangles: Integers, chosen: Flags) -> ObjectSurface | None:
    if not chosen.any():
        return None
    used, numbers = np.unique(triangles[chosen], return_inverse=True)
    assert surface.normals is not None
    assert surface.confidence is not None
    mesh = TriangleMesh(surface.mesh.vertices[used], numbers.reshape(-1, 3), "seen")
    return ObjectSurface(mesh, surface.normals[used], None, surface.confidence[used])


def _areas(mesh: TriangleMesh) -> Array:
    """Areas of triangles, m2."""
    a, b, c = mesh.corners.swapaxes(0, 1)
    areas: Array = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    return areas


def _category(piece: ObjectSurface, floor: Floor) -> str:
    """Wall, table or obstacle, by where its surface looks and how high that is."""
    mesh = piece.mesh
    a, b, c = mesh.corners.swapaxes(0, 1)
    across = np.cross(b - a, c - a)
    areas = np.linalg.norm(across, axis=1)
    up = across[:, 2] / np.maximum(areas, 1e-12)
    middles = mesh.corners.mean(axis=1)
    heights = middles[:, 2] - floor.at(middles)
    level, upright = up > 0.8, np.abs(up) < 0.4
    if areas[upright].sum() > 0.6 * areas.sum() and heights.max() > _WALL:
        return WALL
    top = np.average(heights[level], weights=areas[level]) if level.any() else 0.0
    if areas[level].sum() > 0.4 * areas.sum() and _LOW_TABLE <= top <= _HIGH_TABLE:
        return TABLE
    return OBSTACLE


def _known(piece: ObjectSurface, objects: Mapping[str, EnvironmentObject], near: float) -> str | None:
    """Id of the object that most vertices of a piece lie close to, if those are a quarter of them."""
    from scipy.spatial import cKDTree

    best, most = None, 0.25
    for id, each in objects.items():
        away, _ = cKDTree(each.world_vertices).query(piece.mesh.vertices, distance_upper_bound=near)
        share = float(np.isfinite(away).mean())
        if share > most:
            best, most = id, share
    return best


def _object(id: str, category: str, piece: ObjectSurface) -> EnvironmentObject:
    """The object of a piece; its frame stands in the middle of it, with the axes of the world."""
    middle = piece.mesh.bounds.mean(axis=0)
    mesh = TriangleMesh(piece.mesh.vertices - middle, piece.mesh.triangles, id)
    surface = ObjectSurface(mesh, piece.normals, None, piece.confidence)
    return EnvironmentObject(id, category, surface, tight_volume(mesh.corners), Transform(np.eye(3), middle))


def _is_within(point: Array, low: Array, high: Array) -> bool:
    return bool(((point >= low) & (point <= high)).all())


_FRAMES_A_SEARCH = 3  # frames, of which one is searched for objects
_DISC = 1.5  # m, of level ground around the robot at the start
LOOK = 0.2  # s, between two frames; each is the mean of the six that a camera of 30 Hz takes in this time
CAMERA = DepthCamera(width=160, height=120, noise=0.01 / 6.0**0.5)


class DepthMapper:
    """Terrain after each frame, objects after every third. environment: the newest map."""

    def __init__(self) -> None:
        self.environment = Environment()
        self._finder = ObjectFinder()
        self._frames = 0

    def begin(self, x: float, y: float, height: float) -> None:
        """Take the ground around a place to be level, all m: no camera sees what the robot stands on."""
        disc = reset_area(self.environment.terrain, (x, y), height, radius=_DISC)
        self.environment = updated(self.environment, disc)

    def add(self, frame: DepthFrame) -> Environment:
        """The map after one more frame."""
        environment = updated(self.environment, map_frame(self.environment.terrain, frame))
        if self._frames % _FRAMES_A_SEARCH == 0:
            self._finder.add(frame)
            with suppress(InvalidEnvironment):  # too little floor was seen to tell what stands on it
                environment = updated(environment, self._finder.update(environment))
        self._frames += 1
        self.environment = environment
        return environment


def look(
    scene: Scene,
    time: float,
    there: Transform,
    believed: Transform,
    *,
    camera: DepthCamera = CAMERA,
    rng: np.random.Generator | None = None,
) -> DepthFrame:
    """What a camera sees of a scene at a time (s) from where it is, as a frame from where it is believed to be. rng: of
    errors; without one there are none."""
    frame = render_depth(SeenScene(scene, time=time), camera, there, rng=rng)
    return frame._replace(pose=Transform(np.array(believed.rotation), np.array(believed.translation)))
