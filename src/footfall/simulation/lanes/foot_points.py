"""The feet of a robot, found from its description: the bodies that it stands on, as a few balls or corners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.contact.features import contact_points, hull_vertices
from footfall.dynamics.kinematics import forward_kinematics
from footfall.errors import InvalidInput
from footfall.robot.model import Robot
from footfall.robot.shapes import Geometry, Mesh
from footfall.robot.start import start_of

BALL_TOLERANCE = 0.2  # of its radius: how far the lower side of a hull may be from a ball that stands for it
_FOOT_HEIGHT = 0.01  # m: what hangs no higher than this above the lowest point carries the robot
_SOLE = 0.02  # m: corners no higher than this above the lowest one of their foot belong to its sole
_DIAGONALS = ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0))  # a sole is what lies farthest along them
_SIDE = -0.2  # of the radius: how far above its middle a ball is compared with the hull


class FootPoint(NamedTuple):
    """A point (3,) of a body with a radius around it, m."""

    point: tuple[float, float, float]
    radius: float


class Foot(NamedTuple):
    """body: that it is. points: that may touch. deviation: m, between its hull and the balls that stand for it, on the
    lower side."""

    body: str
    points: tuple[FootPoint, ...]
    deviation: float


def find_feet(
    robot: Robot,
    *,
    q: Array | None = None,
    bodies: Sequence[str] | None = None,
    tolerance: float = BALL_TOLERANCE,
) -> tuple[Foot, ...]:
    """The feet of a robot that stands at q (nq,), by default where it starts.

    bodies: that are its feet; by default those whose lowest point is within 1 cm of the lowest of all. tolerance: of a
    ball's radius, up to which the lower side of a mesh may differ from it to be one. Of other shapes the four outermost
    corners of the sole stand for it.
    """
    q = np.asarray(start_of(robot).q if q is None else q, dtype=np.float64)
    poses = forward_kinematics(robot, q)
    names = [body.name for body in robot.bodies]
    touching: dict[str, tuple[Array, float]] = {}  # rotation and level of the lowest point
    for body, position, rotation in zip(robot.bodies, poses.position, poses.rotation, strict=True):
        levels = [
            float((points @ rotation[2] + position[2] - radii).min())
            for points, radii in (_outline(geometry) for geometry in body.collisions)
        ]
        if levels:
            touching[body.name] = rotation, min(levels)
    if bodies is None:
        if not touching:
            raise InvalidInput(f"robot {robot.name!r} has no collision shapes; its feet cannot be found")
        lowest = min(level for _, level in touching.values())
        low = [name for name, (_, level) in touching.items() if level < lowest + _FOOT_HEIGHT]
        carriers: dict[int, str] = {}  # of bodies that are fixed to each other the lowest one
        for name in sorted(low, key=lambda name: touching[name][1]):
            carriers.setdefault(robot.tree.attachments[name].link, name)
        bodies = [name for name in low if name in carriers.values()]
    for name in bodies:
        if name not in touching:
            known = ", ".join(touching) or "none"
            what = "has no collision shape" if name in names else "is no body"
            raise InvalidInput(
                f"foot {name!r} {what} of robot {robot.name!r}; with shapes there are: {known}"
            )
    return tuple(_foot(robot, name, touching[name][0], tolerance) for name in bodies)


def _outline(geometry: Geometry) -> tuple[Array, Array]:
    """Points (n, 3) of a geometry in its body, m, and their radii (n,); of a mesh all corners of its hull."""
    if isinstance(geometry.shape, Mesh):
        corners = _hull(geometry)
        return corners, np.zeros(len(corners))
    points = contact_points(geometry)
    return points.positions, points.radii


def _hull(geometry: Geometry) -> Array:
    from footfall.geometry.mesh import load_mesh  # slow to import

    assert isinstance(geometry.shape, Mesh)
    corners = hull_vertices(load_mesh(geometry.shape.path, scale=geometry.shape.scale).vertices)
    return np.asarray(corners @ geometry.placement.rotation.T + geometry.placement.translation)


def _foot(robot: Robot, name: str, rotation: Array, tolerance: float) -> Foot:
    points: list[tuple[Array, float]] = []
    deviation = 0.0
    for geometry in robot.body(name).collisions:
        if isinstance(geometry.shape, Mesh):
            corners = _hull(geometry)
            middle, radius, apart = fitted_ball(corners, -rotation[2])
            if apart <= tolerance * radius:
                points.append((middle, radius))
                deviation = max(deviation, apart)
                continue
        corners, radii = _outline(geometry)
        points += [(corner, float(size)) for corner, size in zip(corners, radii, strict=True)]
    heights = np.array([place @ rotation[2] - radius for place, radius in points])
    sole = [each for each, height in zip(points, heights, strict=True) if height < heights.min() + _SOLE]
    if len(sole) > len(_DIAGONALS):
        level = np.array([place @ rotation[:2].T for place, _ in sole])
        kept = {int(np.argmax(level @ direction)) for direction in np.array(_DIAGONALS)}
        sole = [each for k, each in enumerate(sole) if k in kept]
    balls = tuple(FootPoint((float(x), float(y), float(z)), radius) for (x, y, z), radius in sole)
    return Foot(name, balls, deviation)


def fitted_ball(points: Array, down: Array) -> tuple[Array, float, float]:
    """The ball through the lower side of points (n, 3): its middle (3,), radius and greatest distance to them, m.

    Least squares of `|p|^2 = 2 c p + k` with `k = r^2 - |c|^2`, again over what lies on the lower side of the last one.
    """
    chosen = points
    for _ in range(8):
        matrix = np.column_stack([2.0 * chosen, np.ones(len(chosen))])
        *middle, rest = np.linalg.lstsq(matrix, (chosen * chosen).sum(axis=1), rcond=None)[0]
        center = np.array(middle)
        radius = float(np.sqrt(max(rest + center @ center, 0.0)))
        lower = points[(points - center) @ down > _SIDE * radius]
        if len(lower) < 5 or np.array_equal(lower, chosen):
            break
        chosen = lower
    return center, radius, float(np.abs(np.linalg.norm(chosen - center, axis=1) - radius).max())
