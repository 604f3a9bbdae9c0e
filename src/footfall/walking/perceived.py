"""What the controller makes of sensors: how the robot is tilted, where its centre of mass is, who touches.

The robot is where the model is, turned as a rigid body about its feet by what the inertial unit measures: roll and
pitch are those measured, yaw is planned, Seiwald (2023) section 4.5.3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import Matrix3, Vector3, Vector6
from footfall.math.rotations import matrix_from_rotation_vector
from footfall.walking.gains import ControlGains
from footfall.walking.state import ControllerState, JointPlaces, Sensors
from footfall.walking.task_space import Kinematics

# Rows of the tasks' Jacobian: angular velocities of upper body, right and left foot.
_UPPER_BODY, _FEET = 3, (9, 15)


class Tilt(NamedTuple):
    """The robot against the model. rotation: turns vectors of the model into those of the robot. error (3,): its
    rotation vector, world axes, rad. rate (3,): of the error, rad/s."""

    rotation: Matrix3
    error: Vector3
    rate: Vector3


class Centre(NamedTuple):
    """The centre of mass as it is estimated, m and m/s, world axes."""

    position: Vector3
    velocity: Vector3


class Footing(NamedTuple):
    """Both feet as one point, weighted by their loads: in the model and on the ground, m and m/s."""

    model: Vector3
    model_velocity: Vector3
    ground: Vector3
    ground_velocity: Vector3


def tilt_of(sensors: Sensors, model: Matrix3, turning: Vector3) -> Tilt:
    """model: rotation of the model's upper body; turning: its angular velocity, world axes, rad/s."""
    measured = _matrix(sensors.orientation)
    # Turned about the vertical until its heading is that of the model: yaw of the unit drifts.
    ahead, planned = measured @ np.array([1.0, 0.0, 0.0]), model @ np.array([1.0, 0.0, 0.0])
    angle = np.arctan2(planned[1], planned[0]) - np.arctan2(ahead[1], ahead[0])
    c, s = np.cos(angle), np.sin(angle)
    level = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    rotation = (level @ measured) @ model.T
    error = 0.5 * np.array(
        [rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]]
    )
    rate = level @ (measured @ _vector(sensors.turning)) - turning
    return Tilt(rotation, error, rate)


def centre_of(tilt: Tilt, center: Vector3, velocity: Vector3, footing: Footing) -> Centre:
    """Where the centre of mass is, if it is at `center` in the model with this velocity."""
    arm = tilt.rotation @ (center - footing.model)
    moving = tilt.rotation @ (velocity - footing.model_velocity) + np.cross(tilt.rate, arm)
    return Centre(footing.ground + arm, footing.ground_velocity + moving)


def touches(force: float, before: float, threshold: float) -> float:
    """1 if something touches, with hysteresis: released below half of the force from which it touches, N."""
    return 1.0 if force > (0.5 * threshold if before > 0.5 else threshold) else 0.0


def about_sole(wrench: Vector6, ahead: float) -> Vector6:
    """A wrench [f; n] of a foot, taken at a point ahead of its frame, m."""
    fx, fy, fz, tx, ty, tz = wrench
    return np.array([fx, fy, fz, tx, ty + ahead * fz, tz - ahead * fy])


def foot_wrench(sensors: Sensors, foot: int) -> Vector6:
    """Measured on a foot, in its frame."""
    row = sensors.feet[foot]
    return np.array([row[0], row[1], row[2], row[3], row[4], row[5]])


def foot_turn(
    sensors: Sensors, state: ControllerState, driven: JointPlaces, model: Kinematics, foot: int
) -> Matrix3:
    """How a foot is turned against the upper body's frame of the model: as in the model, and by what joints miss.

    Drives give way under load. A foot that is thought to be tilted by 3 degrees and is not seems to be pushed aside by
    5 % of the weight.
    """
    off: Vector3 = np.zeros(3)
    row = _FEET[0] if foot == 0 else _FEET[1]
    for k in range(len(driven.velocities)):
        joint = driven.velocities[k]
        missed = sensors.joints[k] - state.q[driven.coordinates[k]]
        for i in (0, 1, 2):
            off[i] += missed * (model.jacobian[row + i, joint] - model.jacobian[_UPPER_BODY + i, joint])
    turned = model.turns[0] if foot == 0 else model.turns[1]
    return matrix_from_rotation_vector(off) @ turned


def dcm_error(found: Centre, planned: Centre, gains: ControlGains) -> Vector3:
    """How far the divergent component of motion is off its plan, m, in the plane."""
    error = found.position - planned.position + (found.velocity - planned.velocity) / gains.pendulum_rate
    return np.array([error[0], error[1], 0.0])


def observed_dcm(
    before: Vector3, measured: Vector3, position: Vector3, force: Vector3, gains: ControlGains
) -> Vector3:
    """The error of the divergent component of motion after a period, m, from that before.

    measured: by the inertial unit, which also sees how limbs swing on their drives. position: error of the centre of
    mass, m. force: on the robot, beyond what is planned, N, by which the centre of mass is accelerated for certain.
    With `e = p + p' / w` follows `e' = w (e - p) + f / (m w)`; what was measured corrects it with the observer's rate.
    """
    w = gains.pendulum_rate
    rate = w * (before - position) + force / (gains.mass * w) + gains.observer_rate * (measured - before)
    after = before + gains.period * rate
    return np.array([after[0], after[1], 0.0])


def _vector(values: Array) -> Vector3:
    return np.array([values[0], values[1], values[2]])


def _matrix(values: Array) -> Matrix3:
    return np.array(
        [
            [values[0, 0], values[0, 1], values[0, 2]],
            [values[1, 0], values[1, 1], values[1, 2]],
            [values[2, 0], values[2, 1], values[2, 2]],
        ]
    )
