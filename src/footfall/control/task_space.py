"""Dynamics and motion control of a frame, RSL 2022, (3.81)-(3.96).

Seen from its tip, an arm is a mass that depends on the direction: `Lambda dw/dt + mu + p = F`, where w is the velocity
of the frame and F what acts there.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.actuation import require_full_actuation, torque_command
from footfall.control.apparent_inertia import apparent_inertia
from footfall.control.contact_constraints import SURFACE
from footfall.control.gains import Gains, check_gains
from footfall.control.references import (
    Path,
    PoseReference,
    Reference,
    pose_at,
    reference_at,
    settled_path,
    settled_reference,
)
from footfall.control.requests import check_directions, checked_state
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.configuration import difference
from footfall.dynamics.inverse_dynamics import bias_forces, gravity_forces
from footfall.dynamics.jacobians import frame_jacobian, frame_jacobian_bias
from footfall.dynamics.kinematics import frame_attachment, frame_pose
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.errors import LostDirection
from footfall.math.generalised_inverses import RANK_TOLERANCE, damped_inverse
from footfall.math.rotations import boxminus
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.simulation.step_values import Command

POSTURE_GAINS = Gains(20.0, 9.0)  # critical, 0.7 Hz: slow beside usual tasks


def pose_error(pose: Transform, target: Transform) -> Array:
    """What is missing (6,): position in m, rotation vector in rad, both in world axes, RSL 2022, (3.92)."""
    return np.concatenate(
        [target.translation - pose.translation, boxminus(target.rotation, pose.rotation)]
    ).astype(np.float64)


class TaskDynamics(NamedTuple):
    """How a frame moves under forces at it, m chosen rows of the six in world axes.

    inertia (m, m): Lambda. coriolis (m,): mu. gravity (m,): p, N and N m. jacobian (m, nv), jacobian_bias (m,).
    mass (nv, nv), joint_coriolis (nv,) and joint_gravity (nv,): the same in joint space. pose: of the frame. velocity
    (6,): of it. rank: directions of the m in which it can be accelerated. lost (m, m - rank): the others, as unit
    vectors of [linear; angular times length]; inertia is zero along them.
    """

    inertia: Array
    coriolis: Array
    gravity: Array
    jacobian: Array
    jacobian_bias: Array
    mass: Array
    joint_coriolis: Array
    joint_gravity: Array
    pose: Transform
    velocity: Array
    rank: int
    lost: Array


def build_task_dynamics(
    robot: Robot,
    q: Array,
    v: Array,
    frame: str,
    *,
    rows: tuple[int, ...] = SURFACE,
    damping: float = 0.0,
    length: float | None = None,
    tolerance: float = RANK_TOLERANCE,
) -> TaskDynamics:
    """Dynamics of a frame in the state q (nq,), v (nv,), RSL 2022, (3.84)-(3.89).

    rows: which of [x, y, z; about x, y, z]. Near singular poses the inertia grows without bound in a direction. A
    direction is lost, with a `LostDirection` warning, where unit torques in the metric of the mass move it less than
    tolerance times the one they move most; turns count as the motion of a point at a length (m), by default that at
    which the joints move it on average as fast as they turn the frame. damping (1/kg) bounds the inertia instead.
    """
    frame_attachment(robot, frame)
    terms = _task_terms(robot, q, v, frame)
    jacobian, bias = terms.jacobian[list(rows)], terms.bias[list(rows)]
    moved = np.linalg.solve(terms.mass, jacobian.T)  # M^-1 J^T
    arm = _usual_length(terms.jacobian) if length is None else length
    scale = np.where(np.array(rows) < 3, 1.0, arm)
    apparent = apparent_inertia(terms.mass, jacobian, scale=scale, tolerance=tolerance)
    inertia = damped_inverse(jacobian @ moved, damping) if damping else apparent.matrix
    if apparent.rank < len(rows) and not damping:
        warnings.warn(
            f"frame {frame!r} of robot {robot.name!r} can be accelerated in {apparent.rank} of {len(rows)} directions "
            "here; no force acts along the others (`rows` leaves some out, `damping` goes on near singular poses)",
            LostDirection,
            stacklevel=2,
        )
    coriolis = terms.forces - terms.gravity
    return TaskDynamics(
        inertia,
        inertia @ (moved.T @ coriolis - bias),
        inertia @ (moved.T @ terms.gravity),
        jacobian,
        bias,
        terms.mass,
        coriolis,
        terms.gravity,
        Transform(terms.rotation, terms.position),
        terms.velocity,
        apparent.rank,
        apparent.lost,
    )


def _usual_length(jacobian: Array) -> float:
    """At which distance from its origin (m) a frame's turns move a point as fast as its joints move the origin."""
    linear, angular = np.linalg.norm(jacobian[:3]), np.linalg.norm(jacobian[3:])
    return float(linear / angular) if linear > 0.0 and angular > 0.0 else 1.0


class _TaskTerms(NamedTuple):
    mass: Array
    forces: Array
    gravity: Array
    jacobian: Array
    bias: Array
    position: Array
    rotation: Array
    velocity: Array


@algorithm(q="nq", v="nv")
def _task_terms(robot: Robot, q: Array, v: Array, frame: str) -> _TaskTerms:
    pose, jacobian = frame_pose(robot, q, frame), frame_jacobian(robot, q, frame)
    return _TaskTerms(
        mass_matrix(robot, q),
        bias_forces(robot, q, v),
        gravity_forces(robot, q),
        jacobian,
        frame_jacobian_bias(robot, q, v, frame),
        pose.translation,
        pose.rotation,
        jacobian @ v,
    )


def task_torque(dynamics: TaskDynamics, acceleration: Array) -> Array:
    """Torques (nv,) that act as a force at the frame and give it an acceleration (m,), RSL 2022, (3.90).

    A redundant arm's self-motion is left to itself.
    """
    force = dynamics.inertia @ acceleration + dynamics.coriolis + dynamics.gravity
    return dynamics.jacobian.T @ force


def cancelling_task_torque(dynamics: TaskDynamics, acceleration: Array) -> Array:
    """Torques (nv,) for the same acceleration that also cancel velocity terms and gravity in all joints.

    RSL 2022, (3.96).
    """
    force = dynamics.inertia @ (acceleration - dynamics.jacobian_bias)
    return dynamics.jacobian.T @ force + dynamics.joint_coriolis + dynamics.joint_gravity


def self_motion_projector(dynamics: TaskDynamics) -> Array:
    """`1 - J^T Jbar^T` (nv, nv): what it leaves of torques does not accelerate the frame."""
    consistent = dynamics.inertia @ np.linalg.solve(dynamics.mass, dynamics.jacobian.T).T  # Jbar^T
    return np.eye(len(dynamics.mass)) - dynamics.jacobian.T @ consistent


@dataclass(frozen=True)
class EndEffectorControl:
    """Moves a frame along a path as a unit mass on a spring and a damper, RSL 2022, (3.90)-(3.92).

    gains: 1/s2 and 1/s. rows: which of the six directions are controlled. posture: where the joints of a redundant arm
    should be beside, with posture_gains; without it the self-motion is only damped. damping: see
    `build_task_dynamics`.
    """

    robot: Robot
    frame: str
    path: Path
    gains: Gains
    rows: tuple[int, ...] = SURFACE
    posture: Reference | None = None
    posture_gains: Gains = POSTURE_GAINS
    damping: float = 0.0

    def __post_init__(self) -> None:
        require_full_actuation(self.robot, "end-effector control")
        frame_attachment(self.robot, self.frame)
        check_directions("end-effector control", self.rows, 6)
        check_gains("end-effector control", self.gains)
        check_gains("posture of end-effector control", self.posture_gains)
        object.__setattr__(self, "path", settled_path(self.path))
        if self.posture is not None:
            object.__setattr__(self, "posture", settled_reference(self.robot, self.posture))

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """Torques (joints,), N m or N, in the state q (nq,), v (nv,)."""
        q, v = checked_state(self.robot, q, v)
        dynamics = build_task_dynamics(self.robot, q, v, self.frame, rows=self.rows, damping=self.damping)
        asked = commanded_acceleration(dynamics, pose_at(self.path, time), self.gains)[list(self.rows)]
        beside = posture_torque(self.robot, dynamics, time, q, v, self.posture, self.posture_gains)
        return cancelling_task_torque(dynamics, asked) + self_motion_projector(dynamics) @ beside

    def __call__(self, time: float, q: Array, v: Array) -> Command:
        return torque_command(self.torque(time, q, v))


def commanded_acceleration(dynamics: TaskDynamics, wanted: PoseReference, gains: Gains) -> Array:
    """Acceleration (6,) of the frame: feed-forward, spring and damper, RSL 2022, (3.91)."""
    error = pose_error(dynamics.pose, wanted.pose)
    rate = wanted.velocity - dynamics.velocity
    return wanted.acceleration + gains.stiffness * error + gains.damping * rate


def posture_torque(
    robot: Robot,
    dynamics: TaskDynamics,
    time: float,
    q: Array,
    v: Array,
    posture: Reference | None,
    gains: Gains,
) -> Array:
    """Torques (nv,) that draw the joints to a posture, or only damp them; to be projected into the self-motion."""
    if posture is None:
        return np.asarray(dynamics.mass @ (-gains.damping * v), dtype=np.float64)
    wanted = reference_at(robot, posture, time)
    error = difference(robot, q, wanted.q)
    asked = wanted.a + gains.stiffness * error + gains.damping * (wanted.v - v)
    return np.asarray(dynamics.mass @ asked, dtype=np.float64)
