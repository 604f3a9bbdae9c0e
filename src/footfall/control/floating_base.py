"""Inverse dynamics of a robot that stands: torques for an acceleration, RSL 2022, (3.100)-(3.101).

Contacts carry what drives cannot. The least torques are found, and with them the directions in which torques only
change the forces inside the robot. A stance may be unable to do what is asked (two point feet cannot turn the body
about the line through them): then the residual says by how much.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.actuation import driven_velocities
from footfall.control.constrained_dynamics import constrained_motion, constraint_projector
from footfall.control.contact_constraints import Contact, build_constrained_system
from footfall.control.contact_loads import ContactLoad, contact_loads
from footfall.control.requests import checked_array
from footfall.math.generalised_inverses import RANK_TOLERANCE, null_space_basis, pseudo_inverse
from footfall.robot.model import Robot


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
