"""Robots whose contacts hold: motion and forces, impacts, torques of a stance, RSL 2022, (3.59)-(3.72), (3.100).

Forces act on the robot (the source counts them the other way from (3.57) on). They come out as the constraints need
them, pulling and beyond friction if they must: `loads` say which contacts cannot do that, and `footfall.contact`
decides what happens instead. In an impact all contacts hold, too: those that close and those that stay closed stop at
once; `footfall.contact.classic.impacts` has impacts that may open contacts or slip.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.actuation import driven_velocities
from footfall.control.contact_constraints import (
    ConstrainedSystem,
    Contact,
    ContactLoad,
    build_constrained_system,
    contact_loads,
)
from footfall.control.requests import checked_array
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask
from footfall.errors import InvalidInput
from footfall.math.generalised_inverses import RANK_TOLERANCE, null_space_basis, pseudo_inverse
from footfall.robot.model import Robot


class ConstrainedMotion(NamedTuple):
    """acceleration (nv,); forces (rows,) on the robot, N and N m, in the rows of the contacts; residual: the
    greatest acceleration that is left at a contact, m/s2 or rad/s2, above rounding only for impossible contacts. held
    (m,): forces of prescribed motions, N and N m, along their rows. loads: what each contact carries, and whether it
    can."""

    acceleration: Array
    forces: Array
    residual: float
    held: Array = np.zeros(0)
    loads: tuple[ContactLoad, ...] = ()


def contact_inertia(system: ConstrainedSystem, *, tolerance: float = RANK_TOLERANCE) -> Array:
    """`Lambda = (J M^-1 J^T)^-1` (rows, rows); the pseudo-inverse where rows depend on each other."""
    return apparent_inertia(system.mass, system.jacobian, tolerance=tolerance).matrix


def constraint_projector(system: ConstrainedSystem, *, tolerance: float = RANK_TOLERANCE) -> Array:
    """`N = 1 - M^-1 J^T Lambda J` (nv, nv), RSL 2022, (3.63): takes from velocities what contacts do not allow.

    Weighted by inertia, thus oblique: `N N = N` and `J N = 0`, and `M N` is symmetric, but not N.
    """
    inertia = contact_inertia(system, tolerance=tolerance)
    moved = np.linalg.solve(system.mass, system.jacobian.T)
    return np.eye(len(system.mass)) - moved @ inertia @ system.jacobian


def constrained_motion(
    system: ConstrainedSystem, joint_forces: Array, *, tolerance: float = RANK_TOLERANCE
) -> ConstrainedMotion:
    """Accelerations and contact forces of joint forces `S^T tau` (nv,)."""
    free = np.linalg.solve(system.mass, joint_forces - system.forces)
    # RSL 2022, (3.62), with the sign of forces on the robot
    forces = -contact_inertia(system, tolerance=tolerance) @ (system.jacobian @ free + system.jacobian_bias)
    acceleration = free + np.linalg.solve(system.mass, system.jacobian.T @ forces)
    left = system.jacobian @ acceleration + system.jacobian_bias
    return ConstrainedMotion(acceleration, forces, float(np.abs(left).max(initial=0.0)))


def solve_constrained_dynamics(
    robot: Robot,
    q: Array,
    v: Array,
    tau: Array,
    *,
    contacts: Sequence[Contact] = (),
    motions: Sequence[MotionTask] = (),
    time: float = 0.0,
    tolerance: float = RANK_TOLERANCE,
) -> ConstrainedMotion:
    """How a robot moves while contacts hold and parts of it move as prescribed, and what that takes.

    q (nq,), v (nv,) with contacts at rest, tau (nv,): joint forces, N m or N. motions: tasks whose values accelerate
    exactly as they ask, by forces along their rows, RSL 2022, (3.37): a pivot that is shaken, a joint that turns at a
    rate, any function of the configuration that follows another one of time (s). Their gains take back what drifts;
    with `Gains(0.0, 0.0)` there is only what is fed forward. tolerance: of rank decisions, see `apparent_inertia`.
    """
    system = build_constrained_system(robot, q, v, contacts=contacts)
    whole, count = system, len(system.jacobian)
    if motions:
        for motion in motions:
            motion.check("acceleration")
        stack = TaskStack(robot, motions, time)
        rows, wanted = stack.row_kernel(q, v, stack.numbers())
        whole = system._replace(
            jacobian=np.concatenate([system.jacobian, rows]),
            jacobian_bias=np.concatenate([system.jacobian_bias, -wanted]),
        )
    found = constrained_motion(whole, checked_array("tau", tau, (robot.nv,)), tolerance=tolerance)
    loads = contact_loads(robot, q, contacts, found.forces[:count])
    return found._replace(forces=found.forces[:count], held=found.forces[count:], loads=loads)


class ApparentInertia(NamedTuple):
    """matrix (m, m): zero along lost directions. rank: of the directions. lost (m, m - rank): those in which nothing
    can be accelerated, or that others imply, as orthonormal columns in scaled rows."""

    matrix: Array
    rank: int
    lost: Array


def apparent_inertia(
    mass: Array, jacobian: Array, *, scale: Array | None = None, tolerance: float = RANK_TOLERANCE
) -> ApparentInertia:
    """Of rows of a Jacobian (m, nv) for a mass matrix (nv, nv).

    scale (m,): factors that give rows the same unit. tolerance: singular values of scaled B below it times the largest
    count as zero.
    """
    count = len(jacobian)
    if count == 0:
        return ApparentInertia(np.zeros((0, 0)), 0, np.zeros((0, 0)))
    factors = np.ones(count) if scale is None else scale
    root = np.linalg.cholesky(mass)
    left, values, _ = np.linalg.svd(factors[:, None] * np.linalg.solve(root, jacobian.T).T)
    values = np.concatenate([values, np.zeros(max(0, count - len(values)))])
    kept = (values > tolerance * values[0]) & (values > 0.0)
    inverse = np.divide(1.0, values**2, out=np.zeros(count), where=kept)
    matrix = factors[:, None] * ((left * inverse) @ left.T) * factors
    return ApparentInertia(matrix, int(kept.sum()), left[:, ~kept])


class Impact(NamedTuple):
    """velocity (nv,) afterwards; impulses (rows,) on the robot, N s and N m s; energy_change: J, never positive."""

    velocity: Array
    impulses: Array
    energy_change: float


def solve_impact(
    robot: Robot,
    q: Array,
    v: Array,
    *,
    contacts: Sequence[Contact],
    restitution: float = 0.0,
    tolerance: float = RANK_TOLERANCE,
) -> Impact:
    """The impact of contacts in the state q (nq,), v (nv,) just before it.

    restitution: in [0, 1]; zero stops the contacts, one throws them back as fast as they came.
    """
    if not 0.0 <= restitution <= 1.0:
        raise InvalidInput(f"restitution is {restitution}; it must be in [0, 1]")
    before = checked_array("v", v, (robot.nv,))
    # Impulses do not depend on what forces act meanwhile, so neither on velocity terms.
    system = build_constrained_system(robot, q, np.zeros(robot.nv), contacts=contacts)
    inertia = contact_inertia(system, tolerance=tolerance)
    impulses = -(1.0 + restitution) * inertia @ (system.jacobian @ before)  # RSL 2022, (3.68)
    change = np.linalg.solve(system.mass, system.jacobian.T @ impulses)
    # RSL 2022, (3.71) where restitution is zero.
    energy = float(change @ system.mass @ (before + 0.5 * change))
    return Impact(before + change, impulses, energy)


class StanceTorques(NamedTuple):
    """Torques of a stance.

    torque (joints,): N m or N. forces (rows,): of the contacts on the robot, N and N m. acceleration (nv,): what the
    torques give. residual: its greatest distance from what was asked for, m/s2 or rad/s2. internal (joints, k): torques
    along its orthonormal columns change the contact forces but not the motion. loads: what each contact carries, and
    whether it can.
    """

    torque: Array
    forces: Array
    acceleration: Array
    residual: float
    internal: Array
    loads: tuple[ContactLoad, ...]


def solve_stance_torques(
    robot: Robot,
    q: Array,
    v: Array,
    acceleration: Array,
    *,
    contacts: Sequence[Contact],
    preferred: Array | None = None,
    tolerance: float = RANK_TOLERANCE,
) -> StanceTorques:
    """Torques for an acceleration (nv,) in the state q (nq,), v (nv,), RSL 2022, (3.100).

    preferred: torques (joints,) whose part along `internal` is added. Look at `residual`: an acceleration that moves
    contacts, or that the stance has no means for, is met only as well as it can be.
    """
    asked = checked_array("acceleration", acceleration, (robot.nv,))
    driven = driven_velocities(robot)
    system = build_constrained_system(robot, q, v, contacts=contacts)
    projector = constraint_projector(system, tolerance=tolerance)
    reach = projector.T[:, driven]  # N^T S^T
    torque = pseudo_inverse(reach, tolerance=tolerance) @ (
        projector.T @ (system.mass @ asked + system.forces)
    )
    internal = null_space_basis(reach, tolerance=tolerance)
    if preferred is not None:
        torque = torque + internal @ (internal.T @ checked_array("preferred", preferred, (len(driven),)))
    joint_forces = np.zeros(robot.nv)
    joint_forces[driven] = torque
    motion = constrained_motion(system, joint_forces, tolerance=tolerance)
    residual = float(np.abs(motion.acceleration - asked).max(initial=0.0))
    loads = contact_loads(robot, q, contacts, motion.forces)
    return StanceTorques(torque, motion.forces, motion.acceleration, residual, internal, loads)
