"""From constraint forces that a task wants to torques of the motors there are, Devaramani 2019, chapter 4.

On a floating base a task's constraint force cannot come from the joints alone: a part must come through what the
robot stands on. `J_task^T f = tau + J_contact^T g` with tau on the motors only, and any g that the contact can bear.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.hybrid_constraints import OWN, Constraint, check_constraints, direction_columns
from footfall.dynamics.jacobians import frame_jacobian
from footfall.dynamics.kinematics import frame_pose
from footfall.math.spatial import rotate, skew
from footfall.robot.model import Robot


class Actuation(NamedTuple):
    """torques: (nv,) of the motors, zero elsewhere, N m or N. residual: (nv,) joint forces that are left over.

    A residual says that motors and contacts cannot produce the task, such as a differential drive moving sideways.
    """

    torques: Array
    residual: Array


@algorithm(q="nq", directions="6, *")
def constraint_jacobian(
    robot: Robot, q: Array, *, constraints: Sequence[Constraint], directions: Array | None = None
) -> Array:
    """Jacobian (m, nv) of the constrained components in the configuration q (nq,).

    directions: as in `hybrid_dynamics`.
    """
    check_constraints(robot, constraints, directions=directions)
    columns = iter(direction_columns(constraints, directions))
    rows: list[Array] = []
    for constraint in constraints:
        axes = constraint.frame if constraint.axes == OWN else constraint.axes
        turn = frame_pose.textbook(robot, q, axes).rotation
        jacobian = frame_jacobian.textbook(robot, q, constraint.frame)
        if constraint.against is not None:
            other = frame_jacobian.textbook(robot, q, constraint.against)
            arm = (
                frame_pose.textbook(robot, q, constraint.frame).translation
                - frame_pose.textbook(robot, q, constraint.against).translation
            )
            jacobian = jacobian - np.vstack([other[:3] - skew(arm) @ other[3:], other[3:]])
        rows += [rotate(turn, next(columns)) @ jacobian for _ in range(constraint.rows)]
    return np.array(rows).reshape(len(rows), robot.nv)


def shared_torques(
    wanted: Array, contacts: Array, forces: Array, motors: Sequence[int], costs: Array
) -> Actuation:
    """Torques of motors on all joints but those of a floating base, with the cheapest forces of the contacts.

    wanted: (nv,) joint forces of the task. contacts: (k, nv) Jacobian, forces: (k,) on it in the solution with these
    joint forces; other ones that push the base as much take their place. costs: (k,) of the squares of these.
    """
    base = np.setdiff1d(np.arange(len(wanted)), motors)
    total = wanted + forces @ contacts
    reach = contacts[:, base].T / np.sqrt(costs)
    found = np.linalg.lstsq(reach, total[base], rcond=1e-10)[0] / np.sqrt(costs)
    torques = total - found @ contacts
    residual = np.zeros(len(wanted))
    residual[base] = torques[base]
    return Actuation(torques - residual, residual)


def motor_torques(wanted: Array, contacts: Array, motors: Sequence[int]) -> Actuation:
    """Smallest torques of motors that act like the joint forces `wanted` (nv,), contacts bearing the rest.

    contacts: (k, nv) Jacobian of what holds the robot. motors: indices in v.
    """
    _, sizes, rows = np.linalg.svd(contacts)
    rank = int((sizes > 1e-10 * sizes.max(initial=0.0)).sum())
    free = rows[rank:]  # motions that the contacts allow; only what acts along them must agree
    found = np.linalg.lstsq(free[:, list(motors)], free @ wanted, rcond=1e-10)[0]
    torques = np.zeros(len(wanted))
    torques[list(motors)] = found
    return Actuation(torques, free.T @ (free @ (wanted - torques)))
