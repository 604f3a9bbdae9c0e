"""Which coordinates and velocities of a robot belong to joints that are driven, limited or rubbed."""

from __future__ import annotations

import numpy as np

from footfall.robot.model import JointType, Robot


def actuated_velocities(robot: Robot) -> list[tuple[int, int]]:
    """(coordinate, velocity) of each joint axis that a drive can act on: all but those of free bodies, and those that
    follow from others through loops."""
    floating = {joint.child for joint in robot.joints if joint.type is JointType.FLOATING}
    structure = robot.tree.loops
    own = range(robot.nv) if structure is None else structure.independent
    places = {velocity: place for place, velocity in enumerate(own)}  # in v
    return [
        (link.q.start, places[link.v.start])
        for link in robot.tree.links
        if link.kind != "spherical" and link.body not in floating and link.v.start in places
    ]


def limited_velocities(robot: Robot) -> list[tuple[int, int]]:
    """(coordinate, velocity of the tree) of each joint axis with a finite position limit."""
    return [
        (q, v)
        for q, v in actuated_velocities(robot.spanning)
        if np.isfinite(robot.lower_limits[q]) or np.isfinite(robot.upper_limits[q])
    ]


def rubbing_velocities(robot: Robot) -> list[int]:
    """Velocities of the tree with dry friction."""
    friction = robot.spanning.friction
    return [v for v in range(len(friction)) if friction[v] > 0.0]
