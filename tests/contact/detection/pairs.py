"""Two shapes on two bodies, looked at by detection and by coal."""

from __future__ import annotations

from typing import Any

import coal
import numpy as np

from footfall.arrays import Array
from footfall.contact.detection.hulls import ConvexHull, convex_hull
from footfall.contact.detection.shapes import Bodies
from footfall.contact.detection.world import ContactWorld, contacts_of
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform, identity_transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Sphere

_RNG = np.random.default_rng(5)


def ball_points(count: int, size: float = 0.3) -> Array:
    points = np.random.default_rng(count).normal(size=(count, 3))
    return np.asarray(size * points / np.linalg.norm(points, axis=1)[:, None])


SHAPES: dict[str, Any] = {
    "sphere": Sphere(0.2),
    "capsule": Capsule(0.1, 0.5),
    "cylinder": Cylinder(0.2, 0.5),
    "box": Box((0.5, 0.3, 0.4)),
    "plate": Box((0.6, 0.5, 0.02)),
    "hull": convex_hull(ball_points(30)),
    "tetrahedron": convex_hull(ball_points(4)),
    "long hull": convex_hull(ball_points(100) * [1.0, 0.3, 0.5]),
}


class TwoShapes:
    """A world of two bodies with a shape each; the second may be fixed."""

    def __init__(self, first: Any, second: Any, *, fixed: bool = False) -> None:
        self.fixed = fixed
        self.world = ContactWorld(1 if fixed else 2)
        self.second = second
        self.world.add_body("first", 0, [(first, identity_transform(), 1, 1)], None)
        if not fixed:
            self.world.add_body("second", 1, [(second, identity_transform(), 1, 1)], None)
        self.memory = self.world.memory()
        self.place: Transform | None = None

    def contacts(
        self,
        pose: Transform,
        other: Transform,
        *,
        reach: float = 1e-2,
        dt: float = 0.0,
        velocity: Array | None = None,
        cold: bool = False,
    ) -> Any:
        """Touches at poses; velocity: (6,) of the first. cold: without what is known from the last call."""
        if self.fixed and (self.place is None or other is not self.place):
            if self.place is not None:
                self.world.remove("second")
            self.world.add_body("second", -1, [(self.second, other, 1, 1)], None)
            self.place = other
        if cold:
            self.memory = self.world.memory()
        rows = [pose] if self.fixed else [pose, other]
        moving = np.zeros((len(rows), 6))
        if velocity is not None:
            moving[0] = velocity
        bodies = Bodies(
            np.array([each.rotation for each in rows]),
            np.array([each.translation for each in rows]),
            np.ascontiguousarray(moving[:, :3]),
            np.ascontiguousarray(moving[:, 3:]),
        )
        found, self.memory = contacts_of(self.world, self.memory, bodies, dt=dt, reach=reach)
        return found


def coal_shape(shape: Any) -> Any:
    match shape:
        case Sphere(radius):
            return coal.Sphere(radius)
        case Capsule(radius, length):
            return coal.Capsule(radius, length)
        case Cylinder(radius, length):
            return coal.Cylinder(radius, length)
        case Box(size):
            return coal.Box(*size)
        case Plane():
            return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
        case ConvexHull(points):
            vertices = coal.StdVec_Vec3s()
            for point in points:
                vertices.append(point)
            return coal.Convex.convexHull(vertices, False, "")
    raise TypeError(shape)


def coal_distance(first: Any, pose: Transform, second: Any, other: Transform) -> float:
    """Signed, m; first, second: of `coal_shape`."""
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.gjk_tolerance = request.epa_tolerance = 1e-9
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    poses = [
        coal.Transform3s(np.asarray(each.rotation), np.asarray(each.translation)) for each in (pose, other)
    ]
    return float(coal.distance(first, poses[0], second, poses[1], request, result))
