"""A depth camera in a scene: what it sees is drawn triangle by triangle into a depth buffer, so things hide others.

The frame of the camera has x ahead, y to the left and z up, as the head frames of robots have. Depth is measured along
x, not along the ray. Noise grows with the square of the depth, as that of stereo cameras does.

Triangles drawn line by line: where a line crosses one, and how values at its corners go on in between.

Corners are (line, place): the first coordinate counts the lines, the second goes along them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Vector2, Vector3, routine
from footfall.environment.patch import Singles
from footfall.errors import InvalidEnvironment
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.scene.model import Scene
from footfall.scene.shape_meshes import shape_mesh
from footfall.scene.shapes import Rectangle


class FlatTriangle(NamedTuple):
    """Corners in the plane of what is drawn."""

    a: Vector2
    b: Vector2
    c: Vector2


class Span(NamedTuple):
    """Part of a line; empty if it ends before it begins."""

    begin: float
    end: float


@routine
def doubled_area(triangle: FlatTriangle) -> float:
    """Positive if its corners go from the first axis to the second."""
    b, c = triangle.b - triangle.a, triangle.c - triangle.a
    return float(b[0] * c[1] - b[1] * c[0])


@routine
def slopes(triangle: FlatTriangle, area: float, values: Vector3) -> Vector2:
    """Change of a value per unit across and along lines, given at the corners; area: the doubled one, not zero."""
    b, c = triangle.b - triangle.a, triangle.c - triangle.a
    to_b, to_c = values[1] - values[0], values[2] - values[0]
    return np.array([(to_b * c[1] - to_c * b[1]) / area, (to_c * b[0] - to_b * c[0]) / area])


@routine
def span_at(triangle: FlatTriangle, line: float) -> Span:
    """What a line has of a triangle."""
    span = _joined(Span(np.inf, -np.inf), triangle.a, triangle.b, line)
    span = _joined(span, triangle.b, triangle.c, line)
    return _joined(span, triangle.c, triangle.a, line)


@routine
def _joined(span: Span, p: Vector2, q: Vector2, line: float) -> Span:
    """With where the line crosses an edge."""
    if not min(p[0], q[0]) <= line <= max(p[0], q[0]):
        return span
    if p[0] == q[0]:
        return Span(min(span.begin, p[1], q[1]), max(span.end, p[1], q[1]))
    place = p[1] + (q[1] - p[1]) * (line - p[0]) / (q[0] - p[0])
    return Span(min(span.begin, place), max(span.end, place))


_MOST_PIXELS = 2**24
_CLOSEST = 0.05  # m; what is closer is not seen

Owners = np.ndarray[Any, np.dtype[np.int32]]


@dataclass(frozen=True)
class DepthCamera:
    """A pinhole camera that measures depth.

    width, height: pixels. view: angle from left to right, rad. nearest, farthest: depths that it measures, m. noise:
    standard deviation of a depth of 1 m, in m; it grows with the square of the depth. ripple: the same for an error
    that is smooth over some ten pixels, which makes level floors wavy. Defaults are those of an active stereo camera,
    with 4 cm at 2 m.
    """

    width: int = 320
    height: int = 240
    view: float = math.radians(69.0)
    nearest: float = 0.2
    farthest: float = 5.0
    noise: float = 0.01
    ripple: float = 0.0

    def __post_init__(self) -> None:
        if not (self.width >= 2 and self.height >= 2 and self.width * self.height <= _MOST_PIXELS):
            raise _wrong(f"has {self.width} by {self.height} pixels; 2 by 2 to {_MOST_PIXELS} are drawn")
        if not 0.01 <= self.view <= 3.0:
            raise _wrong(f"view is {self.view:g} rad; it must be from 0.01 to 3")
        if not _CLOSEST <= self.nearest < self.farthest <= 1000.0:
            raise _wrong(
                f"measures from {self.nearest:g} to {self.farthest:g} m; it must be within {_CLOSEST:g} and 1000 m"
            )
        if not (0.0 <= self.noise <= 1.0 and 0.0 <= self.ripple <= 1.0):
            raise _wrong(f"noise is {self.noise:g}, ripple {self.ripple:g}; they must be from 0 to 1 m")

    @property
    def focal(self) -> float:
        """Focal length in pixels."""
        return self.width / 2 / math.tan(self.view / 2)

    def rays(self) -> Array:
        """Directions (height, width, 3) of the pixels in the camera's frame, of depth 1."""
        u = (self.width - 1) / 2 - np.arange(self.width)
        v = (self.height - 1) / 2 - np.arange(self.height)
        y, z = np.meshgrid(u / self.focal, v / self.focal)
        return np.stack([np.ones_like(y), y, z], axis=-1)


class DepthFrame(NamedTuple):
    """What a camera measured.

    depth: (height, width) m along the camera's x axis, infinite where it measured nothing. camera: that took it. pose:
    of the camera in the world that the map is in. owner: (height, width) number of the object that was seen in
    `SeenScene.names`, -1 for none; only where a scene was drawn.
    """

    depth: Singles
    camera: DepthCamera
    pose: Transform
    owner: Owners | None = None

    def points(self) -> Array:
        """Points (n, 3) in the world of all pixels that measured something, m."""
        measured = np.isfinite(self.depth)
        local = self.camera.rays()[measured] * self.depth[measured, None]
        return local @ self.pose.rotation.T + self.pose.translation


class SeenScene:
    """The triangles of a scene at one time, ready to be drawn from anywhere; planes end far away.

    scene: objects that are visible count. time: s, for objects on given paths. placed: where objects are, by name,
    for those that are not where the scene puts them: free bodies of a simulation say.
    """

    def __init__(
        self,
        scene: Scene,
        *,
        time: float = 0.0,
        placed: Callable[[str], Transform | None] | None = None,
        reach: float = 100.0,
    ) -> None:
        self.names: tuple[str, ...] = tuple(each.name for each in scene.objects if each.visible)
        corners, owners, closed = [], [], []
        for number, each in enumerate(each for each in scene.objects if each.visible):
            pose = (placed(each.name) if placed else None) or (
                each.placement if each.motion is None else each.motion.pose(time)
            )
            shape: Any = Rectangle((2 * reach, 2 * reach)) if isinstance(each.shape, Plane) else each.shape
            mesh = shape_mesh(shape)
            corners.append(mesh.corners.reshape(-1, 3) @ pose.rotation.T + pose.translation)
            owners.append(np.full(len(mesh.triangles), number, np.int64))
            closed.append(np.full(len(mesh.triangles), mesh.watertight))
        self.triangles = SeenTriangles(
            np.ascontiguousarray(np.concatenate(corners) if corners else np.empty((0, 3))),
            np.concatenate(owners) if owners else np.empty(0, np.int64),
            np.concatenate(closed) if closed else np.empty(0, bool),
        )


class SeenTriangles(NamedTuple):
    """corners: (3 m, 3) in the world, m. owners: (m,). closed: (m,) whether the back of a triangle is never seen."""

    corners: ArrayOf[Vector3]
    owners: np.ndarray[Any, np.dtype[np.int64]]
    closed: np.ndarray[Any, np.dtype[np.bool_]]


def render_depth(
    seen: SeenScene | Scene,
    camera: DepthCamera,
    pose: Transform,
    *,
    rng: np.random.Generator | None = None,
) -> DepthFrame:
    """What a camera at a pose measures of a scene. rng: makes the noise; without it there is none."""
    if isinstance(seen, Scene):
        seen = SeenScene(seen)
    rotation, position = (np.ascontiguousarray(part, np.float64) for part in pose)
    if rotation.shape != (3, 3) or position.shape != (3,):
        raise _wrong(f"pose has shapes {rotation.shape} and {position.shape}; they must be (3, 3) and (3,)")
    if not (np.isfinite(rotation).all() and np.isfinite(position).all()):
        raise _wrong(f"pose is {pose}; it must be finite")
    inverse = np.zeros((camera.height, camera.width), np.float32)
    owner = np.full((camera.height, camera.width), -1, np.int32)
    _draw(seen.triangles, Transform(rotation, position), _Picture(inverse, owner, camera.focal))
    hit = inverse > 0.0
    depth = np.divide(np.float32(1.0), inverse, out=np.full_like(inverse, np.inf), where=hit)
    if rng is not None:
        depth[hit] += depth[hit] ** 2 * _errors(camera, rng)[hit]
    depth[~((depth >= camera.nearest) & (depth <= camera.farthest))] = np.inf
    owner[np.isinf(depth)] = -1
    return DepthFrame(depth, camera, pose, owner)


def _errors(camera: DepthCamera, rng: np.random.Generator) -> Singles:
    """Errors of a depth of 1 m for all pixels, m."""
    shape = (camera.height, camera.width)
    errors = rng.standard_normal(shape, dtype=np.float32) * np.float32(camera.noise)
    if camera.ripple > 0.0:
        coarse = rng.standard_normal((camera.height // 24 + 3, camera.width // 24 + 3), dtype=np.float32)
        rows, columns = np.arange(camera.height) / 24.0, np.arange(camera.width) / 24.0
        i, j = rows.astype(int), columns.astype(int)
        s, t = (rows - i)[:, None].astype(np.float32), (columns - j)[None, :].astype(np.float32)
        upper = coarse[i][:, j] * (1 - t) + coarse[i][:, j + 1] * t
        lower = coarse[i + 1][:, j] * (1 - t) + coarse[i + 1][:, j + 1] * t
        errors += np.float32(camera.ripple) * (upper * (1 - s) + lower * s)
    return errors


class _Picture(NamedTuple):
    """What is drawn so far, (height, width): the greatest inverse depth, 1/m, and whose it is. focal: in pixels."""

    inverse: Singles
    owner: Owners
    focal: float


@routine
def _draw(triangles: SeenTriangles, pose: Transform, picture: _Picture) -> None:
    """Draw all triangles as a camera at a pose sees them."""
    kept: ArrayOf[Vector3] = np.empty((4, 3))
    for m in range(len(triangles.owners)):
        count = _part_ahead(triangles, m, pose, kept)
        for k in range(1, count - 1):
            corners = (kept[0], kept[k], kept[k + 1])
            _fill(picture, corners, triangles.owners[m], triangles.closed[m])


@routine
def _part_ahead(triangles: SeenTriangles, m: int, pose: Transform, kept: ArrayOf[Vector3]) -> int:
    """What is left of a triangle beyond the plane x = _CLOSEST of the camera's frame: no corners, three or four."""
    corners: ArrayOf[Vector3] = np.empty((3, 3))
    for k in range(3):
        corners[k] = pose.rotation.T @ (triangles.corners[3 * m + k] - pose.translation)
    count = 0
    for k in range(3):
        p, q = corners[k], corners[(k + 1) % 3]
        if p[0] > _CLOSEST:
            kept[count] = p
            count += 1
        if (p[0] > _CLOSEST) != (q[0] > _CLOSEST):
            share = (_CLOSEST - p[0]) / (q[0] - p[0])
            kept[count] = p + share * (q - p)
            count += 1
    return count


@routine
def _fill(picture: _Picture, corners: tuple[Vector3, Vector3, Vector3], owner: int, closed: bool) -> None:
    """Draw a triangle in the camera's frame where it is the nearest; its inverse depth is linear in the picture."""
    height, width = picture.inverse.shape
    a, b, c = corners
    triangle = FlatTriangle(_projected(picture, a), _projected(picture, b), _projected(picture, c))
    area = doubled_area(triangle)
    # Rows go downwards: what is counter-clockwise from outside goes from rows to columns in the picture.
    if abs(area) < 1e-12 or (closed and area < 0.0):
        return
    slope = slopes(triangle, area, np.array([1.0 / a[0], 1.0 / b[0], 1.0 / c[0]]))
    top = min(triangle.a[0], triangle.b[0], triangle.c[0])
    bottom = max(triangle.a[0], triangle.b[0], triangle.c[0])
    first, last = max(0.0, np.ceil(top)), min(height - 1.0, np.floor(bottom))
    for row in range(int(first), int(last) + 1):
        span = span_at(triangle, float(row))
        if span.begin > span.end:
            continue
        begin, end = max(0.0, np.ceil(span.begin)), min(width - 1.0, np.floor(span.end))
        base = 1.0 / a[0] + slope[0] * (row - triangle.a[0]) - slope[1] * triangle.a[1]
        for column in range(int(begin), int(end) + 1):
            value = base + slope[1] * column
            if value > picture.inverse[row, column]:
                picture.inverse[row, column] = value
                picture.owner[row, column] = owner


@routine
def _projected(picture: _Picture, point: Vector3) -> Vector2:
    """Row and column of a point in the camera's frame."""
    height, width = picture.inverse.shape
    scale = picture.focal
    return np.array(
        [(height - 1) / 2.0 - scale * point[2] / point[0], (width - 1) / 2.0 - scale * point[1] / point[0]]
    )


def _wrong(message: str) -> InvalidEnvironment:
    return InvalidEnvironment(message, subject=("camera", "depth"))
