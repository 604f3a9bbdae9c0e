"""A depth camera in a scene: what it sees is drawn triangle by triangle into a depth buffer, so things hide others.

The frame of the camera has x ahead, y to the left and z up, as the head frames of robots have. Depth is measured along
x, not along the ray. Noise grows with the square of the depth, as that of stereo cameras does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.environment.patch import Singles
from footfall.errors import InvalidEnvironment
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.scene.model import Scene
from footfall.scene.shape_meshes import shape_mesh
from footfall.scene.shapes import Rectangle

_MOST_PIXELS = 2**24
_NEAR = 0.05  # m; what is closer is not seen

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
        if not _NEAR <= self.nearest < self.farthest <= 1000.0:
            raise _wrong(
                f"measures from {self.nearest:g} to {self.farthest:g} m; it must be within {_NEAR:g} and 1000 m"
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
    _draw(seen.triangles, Transform(rotation, position), camera.focal, inverse, owner)
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


@routine
def _draw(triangles: SeenTriangles, pose: Transform, focal: float, inverse: Singles, owner: Owners) -> None:
    """Inverse depth and owner of each pixel; inverse depth is linear in the picture."""
    height, width = inverse.shape
    left, top = (width - 1) / 2.0, (height - 1) / 2.0
    corners = np.empty((3, 3))
    kept = np.empty((4, 3))
    for m in range(len(triangles.owners)):
        ahead = 0
        for k in range(3):
            local = pose.rotation.T @ (triangles.corners[3 * m + k] - pose.translation)
            corners[k] = local
            ahead += 1 if local[0] > _NEAR else 0
        if ahead == 0:
            continue
        # What is left of the triangle before the plane x = _NEAR: three or four corners.
        count = 0
        for k in range(3):
            p, q = corners[k], corners[(k + 1) % 3]
            if p[0] > _NEAR:
                kept[count] = p
                count += 1
            if (p[0] > _NEAR) != (q[0] > _NEAR):
                share = (_NEAR - p[0]) / (q[0] - p[0])
                for axis in range(3):
                    kept[count, axis] = p[axis] + share * (q[axis] - p[axis])
                count += 1
        for k in range(1, count - 1):
            ax, ay, a = _projected(kept[0, 0], kept[0, 1], kept[0, 2], focal, left, top)
            bx, by, b = _projected(kept[k, 0], kept[k, 1], kept[k, 2], focal, left, top)
            cx, cy, c = _projected(kept[k + 1, 0], kept[k + 1, 1], kept[k + 1, 2], focal, left, top)
            area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
            # The picture has y downwards: what is counter-clockwise from outside is clockwise in it.
            if abs(area) < 1e-12 or (triangles.closed[m] and area > 0.0):
                continue
            first = max(0.0, np.ceil(min(ay, by, cy)))
            last = min(height - 1.0, np.floor(max(ay, by, cy)))
            gx = ((b - a) * (cy - ay) - (c - a) * (by - ay)) / area
            gy = ((c - a) * (bx - ax) - (b - a) * (cx - ax)) / area
            for row in range(int(first), int(last) + 1):
                low, high = 1e30, -1e30
                for edge in (0, 1, 2):
                    px = ax if edge == 0 else bx if edge == 1 else cx
                    py = ay if edge == 0 else by if edge == 1 else cy
                    qx = bx if edge == 0 else cx if edge == 1 else ax
                    qy = by if edge == 0 else cy if edge == 1 else ay
                    if min(py, qy) <= row <= max(py, qy):
                        x = px if py == qy else px + (qx - px) * (row - py) / (qy - py)
                        low, high = min(low, x), max(high, x)
                        if py == qy:
                            low, high = min(low, qx), max(high, qx)
                begin = int(max(0.0, np.ceil(low)))
                end = int(min(width - 1.0, np.floor(high)))
                base = a + gy * (row - ay) - gx * ax
                for column in range(begin, end + 1):
                    value = base + gx * column
                    if value > inverse[row, column]:
                        inverse[row, column] = value
                        owner[row, column] = triangles.owners[m]


@routine
def _projected(
    x: float, y: float, z: float, focal: float, left: float, top: float
) -> tuple[float, float, float]:
    """Column, row and inverse depth of a point in the camera's frame."""
    return left - focal * y / x, top - focal * z / x, 1.0 / x


def _wrong(message: str) -> InvalidEnvironment:
    return InvalidEnvironment(message, subject=("camera", "depth"))
