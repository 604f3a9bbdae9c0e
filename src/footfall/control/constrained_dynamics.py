"""Motion and forces of a robot whose contacts hold, RSL 2022, (3.59)-(3.65).

Forces act on the robot (the source counts them the other way from (3.57) on). They come out as the constraints need
them, pulling and beyond friction if they must: `loads` say which contacts cannot do that, and `footfall.contact`
decides what happens instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.apparent_inertia import apparent_inertia
from footfall.control.contact_constraints import ConstrainedSystem, Contact, build_constrained_system
from footfall.control.contact_loads import ContactLoad, contact_loads
from footfall.control.requests import checked_array
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask
from footfall.math.generalised_inverses import RANK_TOLERANCE
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
