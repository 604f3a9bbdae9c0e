"""Robots whose collision meshes are not on this machine: they are simulated with their other shapes."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

from footfall.errors import RobotWarning
from footfall.robot.model import Mesh, Robot

_SHOWN = 5


def without_missing_meshes(robot: Robot) -> Robot:
    """The robot without collision meshes whose files do not exist; warns of them."""
    missing: list[str] = []
    bodies = []
    for body in robot.bodies:
        found = tuple(each for each in body.collisions if not _is_missing(each.shape))
        if len(found) < len(body.collisions):
            gone = [
                each.shape.path
                for each in body.collisions
                if isinstance(each.shape, Mesh) and each not in found
            ]
            left = "its other shapes touch" if found else "it touches nothing"
            missing += [f"{path!r} of body {body.name!r} ({left})" for path in gone]
            body = replace(body, collisions=found)
        bodies.append(body)
    if not missing:
        return robot
    shown = ", ".join(missing[:_SHOWN])
    more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
    warnings.warn(
        f"robot {robot.name!r}: no mesh file {shown}{more}; name the folder that holds the package by package_dirs= "
        "of footfall.load, --package-dir or ROS_PACKAGE_PATH",
        RobotWarning,
        stacklevel=4,
    )
    return replace(robot, bodies=tuple(bodies))


def _is_missing(shape: object) -> bool:
    return isinstance(shape, Mesh) and not Path(shape.path).is_file()
