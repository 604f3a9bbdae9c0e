"""A robot's volumes for other programs: as balls, or as capsules in place of its collision shapes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from footfall.errors import RobotError
from footfall.geometry.swept_parts import as_balls, as_capsules
from footfall.geometry.swept_sphere import SweptSphere
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.robot.save import save
from footfall.robot.shapes import Capsule, Geometry, Sphere
from footfall.robot.toml_text import toml_string
from footfall.whole_file import write_text

_DIGITS = 9


def export_volumes(robot: Robot, path: str | os.PathLike[str]) -> None:
    """Write a robot's volumes for others; the file appears whole or not at all.

    .yml, .yaml: balls by body as cuRobo reads them (`collision_spheres`). .xml (MJCF, for MuJoCo and Mink), .urdf,
    .toml: the robot with capsules and balls in place of its collision shapes. Triangles become strips of capsules that
    hold them, with a radius up to 15 % larger.
    """
    path = Path(path)
    if not robot.volumes:
        raise RobotError(
            "has no volumes; fit them first: footfall.volumes.fit_volumes", subject=("robot", robot.name)
        )
    match path.suffix.lower():
        case ".yml" | ".yaml":
            write_text(path, _balls_text(robot))
        case ".xml" | ".urdf" | ".toml":
            save(with_capsules(robot), path)
        case suffix:
            message = (
                f"suffix {suffix!r} is unknown; it must be .yml (balls), .xml, .urdf or .toml (capsules)"
            )
            raise RobotError(message, source=str(path))


def with_capsules(robot: Robot) -> Robot:
    """The robot with capsules and balls around its volumes as collision shapes, in place of its own."""
    shapes: dict[str, list[Geometry]] = {}
    for volume in robot.volumes:
        parts = as_capsules(volume.shape)
        shapes.setdefault(volume.body, []).extend(_geometry(each) for each in parts)
    bodies = tuple(
        replace(body, collisions=tuple(shapes[body.name])) if body.name in shapes else body
        for body in robot.bodies
    )
    return replace(robot, bodies=bodies)


def _geometry(part: SweptSphere) -> Geometry:
    if len(part.corners) == 1:
        return Geometry(Sphere(part.radius), Transform(np.eye(3), part.corners[0]))
    start, end = part.corners
    length = float(np.linalg.norm(end - start))
    middle = (start + end) / 2
    if length == 0.0:
        return Geometry(Sphere(part.radius), Transform(np.eye(3), middle))
    z = (end - start) / length
    x = np.cross(z, np.eye(3)[int(np.abs(z).argmin())])
    x /= np.linalg.norm(x)
    return Geometry(Capsule(part.radius, length), Transform(np.stack([x, np.cross(z, x), z], axis=1), middle))


def _balls_text(robot: Robot) -> str:
    lines = ["collision_spheres:"]
    for body in dict.fromkeys(volume.body for volume in robot.volumes):
        balls = [ball for volume in robot.volumes if volume.body == body for ball in as_balls(volume.shape)]
        lines += [f"  {toml_string(body)}:", *_ball_lines(balls)]  # a quoted string of TOML is one of YAML
    return "\n".join(lines) + "\n"


def _ball_lines(balls: Iterable[SweptSphere]) -> Iterable[str]:
    for ball in balls:
        center = ", ".join(f"{value:.{_DIGITS}g}" for value in ball.corners[0])
        # rounded upwards: what is written must hold the ball
        yield f"    - center: [{center}]"
        yield f"      radius: {ball.radius * (1.0 + 1e-7):.{_DIGITS}g}"
