"""Where a robot starts in a scene by default: in a configuration of its own, and not inside of the ground."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

from footfall.contact.ground import Clearance, lowered, stands_freely
from footfall.errors import RobotWarning, SceneWarning
from footfall.robot.model import Mesh, Robot
from footfall.robot.start import Start, start_of
from footfall.scene.model import Scene

# Robots whose collision meshes are not on this machine: they are simulated with their other shapes.

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


_DEEP = 0.01  # m inside of something, from which a robot is lifted out: a sole may well begin a little lower


def standing_start(robot: Robot, scene: Scene, configuration: str | None = None) -> Start:
    """In a configuration of that name, else of the robot's choice; a free robot inside of something is lifted out."""
    start = start_of(robot, configuration)
    if not stands_freely(robot) or not scene.objects:
        return start
    with warnings.catch_warnings():  # who simulates is told of them once
        warnings.simplefilter("ignore", RobotWarning)
        warnings.simplefilter("ignore", SceneWarning)
        surroundings = Clearance(without_missing_meshes(robot), scene)
    if surroundings.gap(start.q, 0.0) >= -_DEEP:
        return start
    q = lowered(start.q, surroundings, 0.0)
    return start._replace(q=q, lifted=float(q[2] - start.q[2]))
