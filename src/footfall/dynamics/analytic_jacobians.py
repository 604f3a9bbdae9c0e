"""Pose of a frame in chosen parameters, and the Jacobian of these parameters (Robotic Systems Lab 2022)."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.jacobians import frame_jacobian
from footfall.dynamics.kinematics import frame_pose
from footfall.math.angular_velocity import rotation_rate_map
from footfall.math.positions import parameters_from_position, position_rate_map
from footfall.math.rotations import parameters_from_matrix
from footfall.robot.model import Robot


@algorithm(q="nq")
def frame_parameters(
    robot: Robot, q: Array, frame: str, *, position: str = "cartesian", rotation: str = "quaternion"
) -> Array:
    """Position and rotation parameters (m,) of a body or frame in the world, m and rad; q (nq,), RSL 2022, (2.133).

    position: "cartesian", "cylindrical" or "spherical", see `footfall.math.positions`. rotation:
    "quaternion", "rotation_vector", "angle_axis", "matrix" or an Euler sequence such as "zyx", see
    `footfall.math.rotations`.
    """
    pose = frame_pose.textbook(robot, q, frame)
    return np.concatenate(
        [
            parameters_from_position(position, pose.translation),
            parameters_from_matrix(rotation, pose.rotation),
        ]
    )


@algorithm(q="nq")
def analytic_jacobian(
    robot: Robot, q: Array, frame: str, *, position: str = "cartesian", rotation: str = "quaternion"
) -> Array:
    """Jacobian (m, nv) of `frame_parameters`: their rates are `J v`, RSL 2022, (2.191); q (nq,).

    Its entries are infinite where the parameters are singular: Euler angles in gimbal lock, angle and axis
    at zero angle, cylindrical and spherical positions on the z axis.
    """
    pose = frame_pose.textbook(robot, q, frame)
    jacobian = frame_jacobian.textbook(robot, q, frame)
    to_position = position_rate_map(position, parameters_from_position(position, pose.translation))
    to_rotation = rotation_rate_map(rotation, parameters_from_matrix(rotation, pose.rotation))
    return np.concatenate([to_position @ jacobian[:3], to_rotation @ jacobian[3:]])
