"""Motion and forces of a robot whose contacts hold, 002 sections 11.3 and 11.4.

Forces act on the robot (spec 002 counts them the other way from (3.57) on). They come out as the constraints need
them, pulling and beyond friction if they must: `footfall.contact` decides what a contact can do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.contact_constraints import ConstrainedSystem, Contact, build_constrained_system
from footfall.control.requests import checked_array
from footfall.math.generalised_inverses import RANK_TOLERANCE, pseudo_inverse
from footfall.robot.model import Robot


class ConstrainedMotion(NamedTuple):
    """acceleration (nv,); forces (rows,) on the robot, N and N m, in the rows of the contacts; residual: the
    greatest acceleration that is left at a contact, m/s2 or rad/s2, above rounding only for impossible contacts."""

    acceleration: Array
    forces: Array
    residual: float


def contact_inertia(system: ConstrainedSystem, *, tolerance: float = RANK_TOLERANCE) -> Array:
    """`Lambda = (J M^-1 J^T)^-1` (rows, rows); the pseudo-inverse where rows depend on each other."""
    compliance = system.jacobian @ np.linalg.solve(system.mass, system.jacobian.T)
    return pseudo_inverse(compliance, tolerance=tolerance)


def constraint_projector(system: ConstrainedSystem, *, tolerance: float = RANK_TOLERANCE) -> Array:
    """`N = 1 - M^-1 J^T Lambda J` (nv, nv), 002 (3.63): takes from velocities what contacts do not allow.

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
    # 002 (3.62), with the sign of forces on the robot
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
    contacts: Sequence[Contact],
    tolerance: float = RANK_TOLERANCE,
) -> ConstrainedMotion:
    """How a robot moves while contacts hold, and what they carry.

    q (nq,), v (nv,) with contacts at rest, tau (nv,): joint forces, N m or N. tolerance: see `pseudo_inverse`.
    """
    system = build_constrained_system(robot, q, v, contacts=contacts)
    return constrained_motion(system, checked_array("tau", tau, (robot.nv,)), tolerance=tolerance)
