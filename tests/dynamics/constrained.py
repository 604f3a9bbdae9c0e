"""The dense equations of constrained motion, from the textbook functions: what hybrid dynamics is compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.hybrid_constraints import OWN, Constraint, direction_columns
from footfall.dynamics.inverse_dynamics import bias_forces
from footfall.dynamics.jacobians import frame_jacobian, frame_jacobian_bias
from footfall.dynamics.kinematics import frame_pose
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.robot.model import Robot


class DenseProblem(NamedTuple):
    """`mass a + bias = tau + jacobian^T forces`, `jacobian a + drift = set-points`."""

    mass: Array
    bias: Array
    jacobian: Array
    drift: Array

    def solve(self, tau: Array, setpoints: Array) -> tuple[Array, Array]:
        """Accelerations and forces, by least squares where the constraints are redundant."""
        rows = len(setpoints)
        system = np.block([[self.mass, -self.jacobian.T], [self.jacobian, np.zeros((rows, rows))]])
        right = np.concatenate([tau - self.bias, setpoints - self.drift])
        scale = np.concatenate([np.ones(len(tau)), np.full(rows, np.abs(self.mass).max())])
        solution = np.linalg.lstsq(scale[:, None] * system, scale * right, rcond=1e-13)[0]
        return solution[: len(tau)], solution[len(tau) :]


def dense_problem(
    robot: Robot,
    q: Array,
    v: Array,
    constraints: Sequence[Constraint],
    *,
    directions: Array | None = None,
    wrenches: Mapping[str, Array] | None = None,
) -> DenseProblem:
    jacobian, drift = [], []
    columns = iter(direction_columns(constraints, directions))
    for constraint in constraints:
        axes = constraint.frame if constraint.axes == OWN else constraint.axes
        turn = np.kron(np.eye(2), frame_pose.textbook(robot, q, axes).rotation)
        full = np.asarray(frame_jacobian.textbook(robot, q, constraint.frame), dtype=float)
        bias = np.asarray(frame_jacobian_bias.textbook(robot, q, v, constraint.frame), dtype=float)
        if constraint.against is not None:
            other = np.asarray(frame_jacobian.textbook(robot, q, constraint.against), dtype=float)
            drift_there = np.asarray(
                frame_jacobian_bias.textbook(robot, q, v, constraint.against), dtype=float
            )
            one, two = (
                frame_pose.textbook(robot, q, name).translation
                for name in (constraint.frame, constraint.against)
            )
            arm, turning = np.asarray(one - two), other[3:] @ v
            full = full - np.vstack([other[:3] - np.cross(arm, other[3:], axisb=0).T, other[3:]])
            at_point = drift_there[:3] + np.cross(drift_there[3:], arm)
            at_point = at_point + np.cross(turning, np.cross(turning, arm))
            bias = bias - np.concatenate([at_point, drift_there[3:]])
        for _ in range(constraint.rows):
            direction = turn @ next(columns)
            jacobian.append(direction @ full)
            drift.append(direction @ bias)
    return DenseProblem(
        np.asarray(mass_matrix.textbook(robot, q), dtype=float),
        np.asarray(bias_forces.textbook(robot, q, v, wrenches=wrenches), dtype=float),
        np.array(jacobian).reshape(len(drift), robot.nv),
        np.array(drift),
    )


def equation_errors(
    problem: DenseProblem, tau: Array, setpoints: Array, a: Array, forces: Array
) -> tuple[float, float]:
    """Relative residuals of the equations of motion and of the constraints."""
    terms = [problem.mass @ a, problem.bias, tau, problem.jacobian.T @ forces]
    motion = terms[0] + terms[1] - terms[2] - terms[3]
    held = problem.jacobian @ a + problem.drift - setpoints
    force_scale = 1.0 + max(np.abs(term).max(initial=0.0) for term in terms)
    rate_scale = 1.0 + max(
        (np.abs(problem.jacobian) @ np.abs(a)).max(initial=0.0), np.abs(setpoints).max(initial=0.0)
    )
    return float(np.abs(motion).max(initial=0.0) / force_scale), float(
        np.abs(held).max(initial=0.0) / rate_scale
    )
