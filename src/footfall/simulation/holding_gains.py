"""Gains with which joints hold their positions, chosen for a robot: from its weight, efforts and inertias."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.robot.model import JointType, Robot
from footfall.simulation.commands import own_gains
from footfall.simulation.joint_axes import actuated_velocities

# m: a radian holds the weight of all at this distance: a third does for what leans on one leg.
_WEIGHT_ARM = 3.0
_SINK = 0.02  # m, by which a slide that carries all of the weight gives way
_FULL_ANGLE, _FULL_WAY = 0.1, 0.02  # rad and m, at which a joint gives its greatest effort
_SETTLING = 0.1  # s, damping over stiffness


def holding_gains(robot: Robot) -> tuple[Array, Array]:
    """kp and kd (joints,), N m/rad and N m s/rad or N/m and N s/m: those of the robot's servos where it has them.

    Otherwise a radian holds the weight of all at 3 m, and 0.1 rad takes the joint's greatest effort at most. The
    damping is 0.1 s times that: steps are implicit in both, also at the limit of a joint (`joint_control`).
    """
    kp, kd = own_gains(robot)
    axes = actuated_velocities(robot)
    places = [velocity for _, velocity in axes]
    slides = np.array([kind is JointType.PRISMATIC for kind in _kinds(robot, places)], dtype=bool)
    weight = robot.mass * (float(np.linalg.norm(robot.gravity)) or 9.81)
    limits = robot.effort_limits[places]
    stiffness = np.minimum(
        np.where(slides, weight / _SINK, weight * _WEIGHT_ARM),
        limits / np.where(slides, _FULL_WAY, _FULL_ANGLE),
    )
    kp = np.where(np.isnan(kp), stiffness, kp)
    return kp, np.where(np.isnan(kd), _SETTLING * kp, kd)


def _kinds(robot: Robot, places: list[int]) -> list[JointType]:
    """Types of the joints of velocities."""
    kinds = {
        velocity: joint.type
        for joint in robot.joints
        for velocity in range(robot.nv)[robot.v_slice(joint.name)]
    }
    return [kinds[place] for place in places]
