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
from footfall.control.constrained_dynamics import apparent_inertia
from footfall.control.contact_constraints import SURFACE
from footfall.control.gains import Gains, check_gains, gain_arrays
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
from footfall.errors import ControlWarning, InvalidInput
from footfall.math.generalised_inverses import RANK_TOLERANCE, damped_inverse
from footfall.math.rotations import boxminus
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.simulation.step_values import Command

POSTURE_GAINS = Gains(20.0, 9.0)  # critical, 0.7 Hz: slow beside usual tasks
NEAR_SINGULAR = 0.02  # of the largest singular value: directions below are about to be lost
_NOTICED = 1e-3  # m/s2 or rad/s2: less is not worth a warning


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
    vectors of [linear; angular times length]; inertia is zero along them. held_back (m, m): part of an acceleration
    that near_singular holds back, zero where no direction is about to be lost.
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
    held_back: Array


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
    near_singular: float = 0.0,
    quiet: bool = False,
) -> TaskDynamics:
    """Dynamics of a frame in the state q (nq,), v (nv,), RSL 2022, (3.84)-(3.89).

    rows: which of [x, y, z; about x, y, z]. Near singular poses the inertia grows without bound in a direction. A
    direction is lost, with a `ControlWarning` warning, where unit torques in the metric of the mass move it less than
    tolerance times the one they move most; turns count as the motion of a point at a length (m), by default that at
    which the joints move it on average as fast as they turn the frame. damping (1/kg) bounds the inertia instead.
    near_singular: directions whose singular value is below this part of the largest (turns times length) count as if
    it were that: the inertia stays bounded along what is about to be lost, and the motion exact along all others.
    quiet: without the warning.
    """
    frame_attachment(robot, frame)
    terms = _task_terms(robot, q, v, frame)
    jacobian, bias = terms.jacobian[list(rows)], terms.bias[list(rows)]
    moved = np.linalg.solve(terms.mass, jacobian.T)  # M^-1 J^T
    arm = _usual_length(terms.jacobian) if length is None else length
    scale = np.where(np.array(rows) < 3, 1.0, arm)
    apparent = apparent_inertia(terms.mass, jacobian, scale=scale, tolerance=tolerance)
    inertia = damped_inverse(jacobian @ moved, damping) if damping else apparent.matrix
    held_back = np.zeros_like(inertia)
    if near_singular > 0.0 and not damping:
        added = _added_mobility(scale[:, None] * jacobian, terms.mass, near_singular)
        if added.any():
            mobility = scale[:, None] * (jacobian @ moved) * scale + added
            inertia = scale[:, None] * np.linalg.pinv(mobility, rcond=1e-12, hermitian=True) * scale
            held_back = np.eye(len(rows)) - jacobian @ moved @ inertia
    if apparent.rank < len(rows) and not damping and not quiet:
        warnings.warn(
            f"frame {frame!r} of robot {robot.name!r} can be accelerated in {apparent.rank} of {len(rows)} directions "
            "here; no force acts along the others (`rows` leaves some out, `damping` goes on near singular poses)",
            ControlWarning,
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
        held_back,
    )


def _added_mobility(jacobian: Array, mass: Array, part: float) -> Array:
    """What lifts the mobility (m, m) of directions that are about to be lost, and of no others: to what it would be if
    their singular values were a part of the largest (Maciejewski and Klein 1988)."""
    left, values, right = np.linalg.svd(jacobian, full_matrices=False)
    lacking = np.maximum((part * values[0]) ** 2 - values**2, 0.0)
    lacking *= np.einsum("ij,ji->i", right, np.linalg.solve(mass, right.T))
    added: Array = (left * lacking) @ left.T
    return added


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


class FrameControl:
    """What controllers of one frame share: checked paths and postures, and torques as commands."""

    robot: Robot
    frame: str
    path: Path
    posture: Reference | None
    posture_gains: Gains

    def _check(self, what: str) -> None:
        require_full_actuation(self.robot, what)
        frame_attachment(self.robot, self.frame)
        check_gains(f"posture of {what}", self.posture_gains, self.robot.nv)
        object.__setattr__(self, "path", settled_path(self.path))
        if self.posture is not None:
            object.__setattr__(self, "posture", settled_reference(self.robot, self.posture))

    def _beside(
        self, dynamics: TaskDynamics, time: float, q: Array, v: Array, more: Array | float = 0.0
    ) -> Array:
        """Torques (nv,) in the self-motion: towards the posture, and more."""
        beside = posture_torque(self.robot, dynamics, time, q, v, self.posture, self.posture_gains)
        return np.asarray(self_motion_projector(dynamics) @ (beside + more), dtype=np.float64)

    def _tell_held_back(self, what: str, dynamics: TaskDynamics, asked: Array) -> None:
        """Warn where near_singular keeps back a tenth or more of the acceleration asked for (m,)."""
        lost = float(np.linalg.norm(dynamics.held_back @ asked))
        if lost > max(0.1 * float(np.linalg.norm(asked)), _NOTICED):
            warnings.warn(
                f"{what}: frame {self.frame!r} of robot {self.robot.name!r} is near a singular pose and slow along "
                "what it is about to lose, or stays off its target (lead the path or the posture round it; "
                "near_singular=0 does not hold back)",
                ControlWarning,
                stacklevel=4,
            )

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """Torques (joints,), N m or N, in the state q (nq,), v (nv,)."""
        raise NotImplementedError

    def __call__(self, time: float, q: Array, v: Array) -> Command:
        return torque_command(self.torque(time, q, v))


class MotionControl(FrameControl):
    """What controllers share that accelerate a frame in some of its six directions."""

    gains: Gains
    rows: tuple[int, ...]
    damping: float
    near_singular: float

    def _check_motion(self, what: str) -> None:
        self._check(what)
        check_directions(what, self.rows, 6)
        check_gains(what, self.gains, 6)
        if not (0.0 <= self.damping < np.inf and 0.0 <= self.near_singular < 1.0):
            raise InvalidInput(
                f"damping is {self.damping}, near_singular {self.near_singular}; both are at least zero, "
                "near_singular below one"
            )

    def _dynamics(self, q: Array, v: Array) -> TaskDynamics:
        near = self.near_singular
        return build_task_dynamics(
            self.robot, q, v, self.frame, rows=self.rows, damping=self.damping, near_singular=near
        )


@dataclass(frozen=True)
class EndEffectorControl(MotionControl):
    """Moves a frame along a path as a unit mass on a spring and a damper, RSL 2022, (3.90)-(3.92).

    gains: 1/s2 and 1/s, one for all or six, linear before angular. rows: which of the six directions are controlled.
    posture: where the joints of a redundant arm should be beside, with posture_gains (one for all, or one a velocity);
    without it the self-motion is only damped. near_singular, damping: see `build_task_dynamics`; both zero is the exact
    law, which throws the frame about where it is about to lose a direction.

    Torques stay within what the drives give: of what accelerates the frame they take the part that fits, beside all of
    what carries the arm. A `ControlWarning` says so, and another one where near_singular holds the frame back.
    """

    robot: Robot
    frame: str
    path: Path
    gains: Gains
    rows: tuple[int, ...] = SURFACE
    posture: Reference | None = None
    posture_gains: Gains = POSTURE_GAINS
    damping: float = 0.0
    near_singular: float = NEAR_SINGULAR

    def __post_init__(self) -> None:
        self._check_motion("end-effector control")

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """Torques (joints,), N m or N, in the state q (nq,), v (nv,)."""
        return self.torque_against(time, q, v, None)

    def torque_against(self, time: float, q: Array, v: Array, felt: Array | None) -> Array:
        """The same while a felt wrench [f; n] (6,) acts on the frame, N and N m, world axes, and is taken off."""
        q, v = checked_state(self.robot, q, v)
        dynamics = self._dynamics(q, v)
        asked = commanded_acceleration(dynamics, pose_at(self.path, time), self.gains)[list(self.rows)]
        self._tell_held_back("end-effector control", dynamics, asked)
        torque = cancelling_task_torque(dynamics, asked) + self._beside(dynamics, time, q, v)
        if felt is not None:
            torque -= dynamics.jacobian.T @ felt[list(self.rows)]
        carrying = dynamics.joint_gravity + dynamics.joint_coriolis
        return within_efforts(self.robot, carrying, torque - carrying, "end-effector control")


def within_efforts(robot: Robot, carrying: Array, moving: Array, what: str) -> Array:
    """Torques (nv,): all that carries the robot, and of what moves it the part that its drives can give.

    One part for all joints, so that the frame still goes where it should, only slower. A joint that cannot even be
    carried has its greatest effort.
    """
    most = robot.effort_limits
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(moving > 0.0, (most - carrying) / moving, (-most - carrying) / moving)
    part = float(np.clip(np.min(np.where(moving != 0.0, room, np.inf), initial=1.0), 0.0, 1.0))
    if part < 1.0:
        least = int(np.argmin(np.where(moving != 0.0, room, np.inf)))
        joint = next(j.name for j in robot.joints if least in range(robot.nv)[robot.v_slice(j.name)])
        # The same words at each instant, so that Python shows them once in a run.
        warnings.warn(
            f"{what}: joint {joint!r} of robot {robot.name!r} would need more than its effort of {most[least]:.3g} "
            "(N m or N); it moves with less (softer gains or a slower path keep to it)",
            ControlWarning,
            stacklevel=4,
        )
    return np.clip(carrying + part * moving, -most, most)


def commanded_acceleration(dynamics: TaskDynamics, wanted: PoseReference, gains: Gains) -> Array:
    """Acceleration (6,) of the frame: feed-forward, spring and damper, RSL 2022, (3.91)."""
    error = pose_error(dynamics.pose, wanted.pose)
    rate = wanted.velocity - dynamics.velocity
    stiffness, damping = gain_arrays(gains, 6)
    return wanted.acceleration + stiffness * error + damping * rate


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
    stiffness, damping = gain_arrays(gains, len(v))
    if posture is None:
        return np.asarray(dynamics.mass @ (-damping * v), dtype=np.float64)
    wanted = reference_at(robot, posture, time)
    error = difference(robot, q, wanted.q)
    asked = wanted.a + stiffness * error + damping * (wanted.v - v)
    return np.asarray(dynamics.mass @ asked, dtype=np.float64)
