"""Objects of a scene as things that a robot must not touch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from footfall.errors import SceneError
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.geometry.solid import Solid
from footfall.geometry.swept_fitting import fit_swept_volume
from footfall.geometry.swept_sphere import SweptVolume, swept_line, swept_point, swept_triangle
from footfall.robot.obstacles import Obstacle
from footfall.robot.shapes import Capsule, Sphere
from footfall.scene.model import Scene, SceneShape
from footfall.scene.shape_meshes import shape_mesh

_PLANE_SIZE = 50.0  # m, to which a plane is covered around its frame


def scene_obstacles(
    scene: Scene, *, names: Sequence[str] | None = None, most: int = 4, time: float = 0.0
) -> tuple[Obstacle, ...]:
    """The objects of a scene that can be touched as obstacles under their names, for `CollisionLimits`.

    names: only these objects; by default all but terrain, whose height map has no volume. most: elements of an object;
    one shape is fitted once, in a second or so. Spheres and capsules are as they are, of planes the surface counts up
    to 50 m around their frame. time: s, at which objects that move on paths stand.
    """
    known = {each.name: each for each in scene.objects}
    if names is not None and (unknown := [name for name in names if name not in known]):
        raise SceneError(
            f"has no object {unknown[0]!r}; it has {', '.join(known) or 'none'}",
            subject=("scene", scene.name),
        )
    chosen = [
        each
        for each in scene.objects
        if (
            each.name in names
            if names is not None
            else each.contact and not isinstance(each.shape, HeightMap)
        )
    ]
    return tuple(
        Obstacle(
            each.name,
            _volume(each.shape, most),
            each.placement if each.motion is None else each.motion.pose(time),
        )
        for each in chosen
    )


@lru_cache(maxsize=512)
def _volume(shape: SceneShape, most: int) -> SweptVolume:
    match shape:
        case Sphere(radius):
            return SweptVolume((swept_point(np.zeros(3), radius),))
        case Capsule(radius, length):
            ends = np.array([0.0, 0.0, length / 2])
            return SweptVolume((swept_line(-ends, ends, radius),))
        case Plane():
            corners = _PLANE_SIZE * np.array(
                [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]]
            )
            a, b, c, d = corners
            return SweptVolume((swept_triangle(a, b, c, 0.0), swept_triangle(a, c, d, 0.0)))
    return fit_swept_volume(Solid(shape_mesh(shape).corners), most=most)
