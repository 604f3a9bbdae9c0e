"""A map that grows from depth frames: each frame is a surface between its pixels, drawn into cells and merged.

Neighbouring pixels are joined by triangles unless their depths jump, where one thing hides another. So cells between
the rays are filled as far as the surface is known, and what is hidden stays unseen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.environment.depth_camera import DepthFrame
from footfall.environment.model import EnvironmentUpdate
from footfall.environment.patch import CELL, SIDE, UNSEEN, Bytes, Millimetres, Patch, Singles
from footfall.environment.rasterise import DrawnTriangles, Strip, draw
from footfall.environment.terrain import Terrain, empty_patch
from footfall.errors import InvalidEnvironment


@dataclass(frozen=True)
class MappingOptions:
    """How frames are merged into a map.

    jump: relative change of depth from pixel to pixel that is an edge and no surface. steepest: least sine of the angle
    between a ray and the surface it hits; what is seen more flatly is left out. trust: confidence of one frame in what
    is close and seen straight on; it falls to a tenth at the farthest depth. agreement: m; heights that are closer are
    averaged, others contradict each other. above: m; what is higher than the camera by more is not terrain.
    """

    jump: float = 0.05
    steepest: float = 0.05
    trust: float = 0.4
    agreement: float = 0.05
    above: float = -0.1

    def __post_init__(self) -> None:
        numbers = {name: getattr(self, name) for name in ("jump", "steepest", "trust", "agreement")}
        for name, value in numbers.items():
            if not 0.0 < value <= 1.0:
                message = f"{name} is {value:g}; it must be above 0 and at most 1"
                raise InvalidEnvironment(message, subject=("mapping", "options"))
        if not -100.0 <= self.above <= 100.0:
            message = f"above is {self.above:g}; it must be from -100 to 100 m"
            raise InvalidEnvironment(message, subject=("mapping", "options"))


def map_frame(
    terrain: Terrain, frame: DepthFrame, options: MappingOptions | None = None
) -> EnvironmentUpdate:
    """The update that a frame makes to a terrain: the patches of which it saw something."""
    options = options or MappingOptions()
    depth = np.ascontiguousarray(frame.depth, np.float32)
    if depth.shape != (frame.camera.height, frame.camera.width):
        message = (
            f"depth has shape {depth.shape}; the camera has ({frame.camera.height}, {frame.camera.width})"
        )
        raise InvalidEnvironment(message, subject=("mapping", "frame"))
    points = (frame.camera.rays() * np.where(np.isfinite(depth), depth, 0.0)[..., None]).reshape(-1, 3)
    world = np.ascontiguousarray(points @ frame.pose.rotation.T + frame.pose.translation)
    limits = _Limits(
        options.jump,
        options.steepest,
        options.trust,
        frame.camera.farthest,
        float(frame.pose.translation[2]) + options.above,
        np.ascontiguousarray(frame.pose.translation, np.float64),
    )
    room = 6 * (depth.shape[0] - 1) * (depth.shape[1] - 1)
    corners, trust = np.empty((room, 3)), np.empty(room)
    count = _surface(depth, world, limits, DrawnTriangles(corners, trust))
    if count == 0:
        return EnvironmentUpdate()
    drawn = DrawnTriangles(corners[:count], trust[:count])
    low = np.floor(corners[:count, :2].min(axis=0) / (CELL * SIDE)).astype(int)
    high = np.floor(corners[:count, :2].max(axis=0) / (CELL * SIDE)).astype(int)
    shape = tuple(((high - low + 1) * SIDE).tolist())
    strip = Strip(
        float(low[0]) * SIDE * CELL,
        float(low[1]) * SIDE * CELL,
        CELL,
        np.empty(shape, np.float32),
        np.empty(shape, np.float32),
    )
    draw(drawn, strip)
    patches = {}
    for i in range(int(high[0] - low[0]) + 1):
        for j in range(int(high[1] - low[1]) + 1):
            index = (int(low[0]) + i, int(low[1]) + j)
            old = terrain.patches.get(index) or empty_patch()
            heights, confidence = old.heights.copy(), old.confidence.copy()
            if _merge(strip, i * SIDE, j * SIDE, options.agreement, heights, confidence):
                patches[index] = Patch(heights, confidence)
    return EnvironmentUpdate(patches=patches)


class _Limits(NamedTuple):
    jump: float
    steepest: float
    trust: float
    farthest: float
    highest: float
    eye: Vector3


@routine
def _surface(depth: Singles, points: ArrayOf[Vector3], limits: _Limits, drawn: DrawnTriangles) -> int:
    """Triangles between neighbouring pixels that see one surface; how many corners there are."""
    height, width = depth.shape
    count = 0
    for row in range(height - 1):
        for column in range(width - 1):
            for half in (0, 1):
                # Upper left with upper right or lower left, and lower right: both halves of a square.
                first = row * width + column
                second = first + 1 if half == 0 else first + width + 1
                third = first + width + 1 if half == 0 else first + width
                a = depth[first // width, first % width]
                b = depth[second // width, second % width]
                c = depth[third // width, third % width]
                far, near = max(a, b, c), min(a, b, c)
                if not far < np.inf or far - near > limits.jump * near:
                    continue
                p, q, r = points[first], points[second], points[third]
                if max(p[2], q[2], r[2]) > limits.highest:
                    continue
                normal = np.cross(q - p, r - p)
                ray = p - limits.eye
                straight = abs(normal @ ray) / np.sqrt((normal @ normal) * (ray @ ray) + 1e-30)
                if straight < limits.steepest:
                    continue
                # A tenth at the farthest depth; a surface that is seen at half a right angle or more counts in full.
                trust = limits.trust * max(0.1, 1.0 - 0.9 * far / limits.farthest) * min(1.0, 2.0 * straight)
                drawn.corners[count] = p
                drawn.corners[count + 1] = q
                drawn.corners[count + 2] = r
                for k in (0, 1, 2):
                    drawn.confidence[count + k] = trust
                count += 3
    return count


@routine
def _merge(strip: Strip, i0: int, j0: int, agreement: float, heights: Millimetres, confidence: Bytes) -> bool:
    """Put the samples of a patch into its cells; whether any was."""
    changed = False
    for i in range(SIDE):
        for j in range(SIDE):
            height = 1000.0 * strip.heights[i0 + i, j0 + j]
            weight = strip.confidence[i0 + i, j0 + j]
            if weight <= 0.0 or abs(height) > 32767.0:
                continue
            old, trust = 1.0 * heights[i, j], confidence[i, j] / 255.0
            new, sure = height, weight
            if heights[i, j] != UNSEEN:
                if abs(height - old) <= 1000.0 * agreement:
                    new = (trust * old + weight * height) / (trust + weight)
                    sure = 1.0 - (1.0 - trust) * (1.0 - weight)
                elif weight < trust:  # the map knows better, but is less sure than before
                    new, sure = old, trust * (1.0 - weight)
            heights[i, j] = int(np.floor(new + 0.5))
            confidence[i, j] = max(1, min(255, int(np.floor(255.0 * sure + 0.5))))
            changed = True
    return changed
