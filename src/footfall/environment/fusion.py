"""Surfaces out of depth frames: signed distances on a grid of voxels, averaged over frames (Curless and Levoy 1996).

A frame tells each voxel in view how far before (positive) or behind (negative) the measured surface it lies. Where
distances change their sign is the surface; what no frame has seen has no distance, so surfaces end there. Voxels are
held in blocks around the camera only, so memory is bounded however far the robot walks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import Vector3, routine
from footfall.environment.depth_camera import DepthFrame
from footfall.environment.objects import ObjectSurface
from footfall.environment.patch import Singles
from footfall.errors import InvalidEnvironment
from footfall.geometry.marching_cubes import marching_cubes
from footfall.geometry.mesh import TriangleMesh
from footfall.math.transform import Transform

_SIDE = 16  # voxels along an edge of a block
# Of how many rows and columns one tells which blocks are in view, which are far larger than pixels.
_SPARSE = 4
_STEADY = 4.0  # what a voxel's weight is limited to: things that move are forgotten after some frames

Block = tuple[int, int, int]


@dataclass(frozen=True)
class FusionOptions:
    """How frames become surfaces.

    voxel: edge, m. band: m on both sides of a surface in which distances are kept; it must exceed the noise of the
    camera. reach: m around the camera; what lies beyond is forgotten. sure: weight at which a voxel counts as certain;
    a depth of 1 m has weight 1, one of 2 m a quarter.
    """

    voxel: float = 0.05
    band: float = 0.15
    reach: float = 6.0
    sure: float = 1.0

    def __post_init__(self) -> None:
        if not (0.01 <= self.voxel <= 0.5 and self.voxel <= self.band <= 8 * self.voxel):
            raise _wrong(
                f"voxel is {self.voxel:g} m, band {self.band:g} m; voxel must be from 0.01 to 0.5 m, band from one "
                "to eight voxels"
            )
        if not self.band <= self.reach <= 500 * self.voxel:
            raise _wrong(f"reach is {self.reach:g} m; it must be from the band to {500 * self.voxel:g} m")
        if not 0.0 < self.sure <= _STEADY:
            raise _wrong(f"sure is {self.sure:g}; it must be above 0 and at most {_STEADY:g}")


class _View(NamedTuple):
    """The camera, as the voxels see it: pose, focal length and centre in pixels, depths it measures and the band, m."""

    pose: Transform
    focal: float
    left: float
    top: float
    nearest: float
    farthest: float
    band: float


class FusedSurface:
    """What frames have shown of surfaces; `add` takes them one by one."""

    def __init__(self, options: FusionOptions | None = None) -> None:
        self.options = options or FusionOptions()
        self._places: dict[Block, int] = {}
        self._distance: Singles = np.empty((0, _SIDE, _SIDE, _SIDE), np.float32)
        self._weight: Singles = np.empty((0, _SIDE, _SIDE, _SIDE), np.float32)

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return self._distance.nbytes + self._weight.nbytes

    @property
    def bounds(self) -> Array:
        """Least and greatest corner (2, 3) of all blocks, m; of none, zeros."""
        if not self._places:
            return np.zeros((2, 3))
        indices = np.array(list(self._places))
        return np.array([indices.min(axis=0), indices.max(axis=0) + 1]) * self._edge

    @property
    def _edge(self) -> float:
        return _SIDE * self.options.voxel

    def add(self, frame: DepthFrame) -> None:
        """Take what a frame has seen; all voxels in view learn of it, also those that it shows to be empty."""
        camera, options = frame.camera, self.options
        depth = np.ascontiguousarray(frame.depth, np.float32)
        if depth.shape != (camera.height, camera.width):
            raise _wrong(
                f"depth has shape {depth.shape}; the camera has ({camera.height}, {camera.width}) pixels"
            )
        eye = np.ascontiguousarray(frame.pose.translation, np.float64)
        measured = np.isfinite(depth[::_SPARSE, ::_SPARSE])
        local = camera.rays()[::_SPARSE, ::_SPARSE][measured] * depth[::_SPARSE, ::_SPARSE][measured, None]
        points = local @ frame.pose.rotation.T + eye
        self._hold(eye, points[np.abs(points - eye).max(axis=1) < options.reach])
        if not self._places:
            return
        view = _View(
            Transform(np.ascontiguousarray(frame.pose.rotation, np.float64), eye),
            camera.focal,
            (camera.width - 1) / 2.0,
            (camera.height - 1) / 2.0,
            camera.nearest,
            camera.farthest,
            options.band,
        )
        indices = np.array(list(self._places), np.int64)
        _fuse(depth, view, options.voxel, indices, self._distance, self._weight)

    def _hold(self, eye: Array, points: Array) -> None:
        """Forget blocks out of reach, and make room for those that points (n, 3) lie in or close to."""
        edge, reach = self._edge, self.options.reach
        kept = [index for index in self._places if np.abs((np.array(index) + 0.5) * edge - eye).max() < reach]
        band = self.options.band
        wanted: set[Block] = set()
        if len(points):
            corners = np.array(
                [[i, j, k] for i in (-band, band) for j in (-band, band) for k in (-band, band)]
            )
            around = np.floor((points[:, None] + corners) / edge).astype(int).reshape(-1, 3)
            wanted = {(i, j, k) for i, j, k in np.unique(around, axis=0).tolist()}
        new = [index for index in sorted(wanted) if index not in self._places]
        if not new and len(kept) == len(self._places):
            return
        places = [self._places[index] for index in kept]
        empty = np.zeros((len(new), _SIDE, _SIDE, _SIDE), np.float32)
        self._distance = np.concatenate([self._distance[places], empty])
        self._weight = np.concatenate([self._weight[places], empty])
        self._places = {index: place for place, index in enumerate([*kept, *new])}

    def surface(self) -> ObjectSurface | None:
        """All that is known of surfaces, in the world of the frames; None if there is nothing."""
        if not self._places:
            return None
        indices = np.array(list(self._places))
        low = indices.min(axis=0)
        shape = (indices.max(axis=0) - low + 1) * _SIDE
        distance, weight = np.ones(shape, np.float32), np.zeros(shape, np.float32)
        for (i, j, k), place in self._places.items():
            i, j, k = (np.array([i, j, k]) - low) * _SIDE
            part = slice(i, i + _SIDE), slice(j, j + _SIDE), slice(k, k + _SIDE)
            distance[part], weight[part] = self._distance[place], self._weight[place]
        distance[weight == 0.0] = 1.0
        found = marching_cubes(distance, origin=np.zeros(3), spacing=1.0)  # in voxels
        if not len(found.triangles):
            return None
        ends = [tuple(end(found.vertices).astype(int).T) for end in (np.floor, np.ceil)]
        trust = np.minimum(weight[ends[0]], weight[ends[1]])
        triangles = found.triangles[(trust[found.triangles] > 0.0).all(axis=1)]
        if not len(triangles):
            return None
        used, numbers = np.unique(triangles, return_inverse=True)
        vertices = (found.vertices[used] + low * _SIDE + 0.5) * self.options.voxel
        mesh = TriangleMesh(vertices, numbers.reshape(-1, 3), "seen")
        confidence = np.minimum(trust[used] / self.options.sure, 1.0).astype(np.float32)
        return ObjectSurface(mesh, found.normals[used], None, confidence)


@routine
def _fuse(
    depth: Singles, view: _View, voxel: float, blocks: Integers, distance: Singles, weight: Singles
) -> None:
    """Average what a frame says into all voxels in view."""
    for b in range(len(blocks)):
        corner = np.array([blocks[b, 0] * 1.0, blocks[b, 1] * 1.0, blocks[b, 2] * 1.0]) * (_SIDE * voxel)
        middle = view.pose.rotation.T @ (corner + 0.5 * _SIDE * voxel - view.pose.translation)
        if middle[0] < -_SIDE * voxel or middle[0] > view.farthest + _SIDE * voxel:
            continue
        for i in range(_SIDE):
            for j in range(_SIDE):
                for k in range(_SIDE):
                    offset = np.array([i + 0.5, j + 0.5, k + 0.5]) * voxel
                    local = view.pose.rotation.T @ (corner + offset - view.pose.translation)
                    said = _said(depth, view, local)
                    if said.weight > 0.0:
                        old = weight[b, i, j, k]
                        total = old + said.weight
                        distance[b, i, j, k] = (
                            old * distance[b, i, j, k] + said.weight * said.distance
                        ) / total
                        weight[b, i, j, k] = min(total, _STEADY)


class _Said(NamedTuple):
    """Signed distance in bands, and its weight; 0 if nothing is said."""

    distance: float
    weight: float


@routine
def _said(depth: Singles, view: _View, local: Vector3) -> _Said:
    """What a frame says of a place in the camera's frame."""
    nothing = _Said(0.0, 0.0)
    if local[0] < view.nearest:
        return nothing
    column = int(np.floor(view.left - view.focal * local[1] / local[0] + 0.5))
    row = int(np.floor(view.top - view.focal * local[2] / local[0] + 0.5))
    height, width = depth.shape
    if column < 0 or row < 0 or column >= width or row >= height:
        return nothing
    measured = 1.0 * depth[row, column]
    if not measured < np.inf:
        return nothing
    # Along the ray, not along the camera's axis: distances of surfaces seen at the rim would be too short.
    ray = np.sqrt(local @ local) / local[0]
    behind = (measured - local[0]) * ray
    if behind < -view.band:
        return nothing  # hidden
    return _Said(min(behind / view.band, 1.0), 1.0 / (measured * measured))


def _wrong(message: str) -> InvalidEnvironment:
    return InvalidEnvironment(message, subject=("fusion", "options"))
