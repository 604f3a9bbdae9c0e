"""Rows on joint accelerations among constraints on segments: postures, centres of mass, momentum in hybrid control.

The Popov-Vereshchagin solver knows constraints on single segments. Where other rows stand among them, all are solved
together by dense equations `J M^-1 J^T f = set-points - free accelerations`, in the same order and with the same
decision on what depends on rows before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.forward_dynamics import forward_dynamics
from footfall.dynamics.hybrid import HybridMotion, constraint_system
from footfall.dynamics.hybrid_actuation import constraint_jacobian
from footfall.dynamics.hybrid_elimination import solve_semidefinite
from footfall.dynamics.hybrid_rows import BoundedRows
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.robot.model import Robot


class JointRows(NamedTuple):
    """k rows `matrix a = setpoints` on accelerations a (nv,): matrix (k, nv), the others (k,) as in `BoundedRows`."""

    matrix: Array
    setpoints: Array
    lower: Array
    upper: Array
    compliance: Array
    on: Array


class DenseMotion(NamedTuple):
    """jacobian: (k, nv) of all rows. solve(forces (k,), active (k,)): the motion where active rows hold and the others
    push with given forces."""

    jacobian: Array
    solve: Callable[[Array, Array], HybridMotion]


def dense_motion(
    robot: Robot,
    q: Array,
    v: Array,
    tau: Array,
    blocks: Sequence[BoundedRows | JointRows],
    *,
    wrenches: Mapping[str, Array] | None = None,
) -> DenseMotion:
    """Rows of all kinds in the state q (nq,), v (nv,) under tau (nv,) and wrenches by frame."""
    pushed = {} if wrenches is None else {"wrenches": wrenches}
    free = np.asarray(forward_dynamics(robot, q, v, tau, **pushed))
    jacobians, missing = [], []
    for block in blocks:
        if isinstance(block, JointRows):
            jacobians.append(block.matrix)
            missing.append(block.setpoints - block.matrix @ free)
            continue
        held = {"constraints": block.constraints, "directions": block.directions}
        jacobians.append(np.asarray(constraint_jacobian(robot, q, **held)))
        system = constraint_system(robot, q, v, tau, **held, **pushed)
        missing.append(block.setpoints - system.free_accelerations)
    jacobian, left = np.vstack(jacobians), np.concatenate(missing)
    compliance = np.concatenate([block.compliance for block in blocks])
    mass = np.asarray(mass_matrix(robot, q))
    response = np.linalg.solve(mass, jacobian.T)  # M^-1 J^T
    mobility = jacobian @ response
    scales = (jacobian**2) @ (1.0 / np.diag(mass))  # what the rows have if joints do not couple

    def solve(forces: Array, active: Array) -> HybridMotion:
        moved = free + response @ forces
        wanted = (left - mobility @ forces) * active
        matrix = mobility * np.outer(active, active) + np.diag(compliance)
        found = solve_semidefinite(matrix.tolist(), wanted.tolist(), (scales * active).tolist())
        held = np.array(found.x) * active
        residuals = (left - mobility @ (forces + held)) * active
        kept = np.array(found.kept) * active
        torques = held @ jacobian
        return HybridMotion(
            moved + response @ held, held, residuals, kept, tau + forces @ jacobian, torques, np.zeros((0, 6))
        )

    return DenseMotion(jacobian, solve)
