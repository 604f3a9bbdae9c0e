"""Where a robot starts in a scene if nobody says it: in a configuration of its own, and not inside of the ground."""

from __future__ import annotations

import warnings

from footfall.contact.ground import Clearance, lowered, stands_freely
from footfall.errors import RobotWarning, SceneWarning
from footfall.robot.model import Robot
from footfall.robot.start import Start, start_of
from footfall.scene.model import Scene
from footfall.simulation.missing_meshes import without_missing_meshes

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
