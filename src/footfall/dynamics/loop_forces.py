"""Loops that forces hold: for those that no sub-system can take, because they are large or say the same twice.

Such a loop takes no velocity from v. Its forces f follow from the accelerations that it forbids,

    M a + h = tau + J^T f,    J a + (dJ/dt) v = -2 w J v - w^2 r

through the factorised mass matrix; equations that depend on others carry no force. As the loop is only kept in
accelerations, it drifts apart by what the integration misses: `loop_violation` says how far, and the recovery rate w
of the loop lets it fade.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.factorisation import factorise, solve_factored
from footfall.dynamics.hybrid_elimination import solve_semidefinite
from footfall.dynamics.inverse_dynamics import newton_euler
from footfall.dynamics.loops import Coupling
from footfall.dynamics.mass_matrix import composite_bodies
from footfall.robot.loop_equations import loop_acceleration, loop_equations
from footfall.robot.model import Robot


class LoopForces(NamedTuple):
    """Forces (n,) of the equations of all loops that forces hold, N or N m, in their order; kept: (n,) zero for
    equations that depend on those before them; residuals: (n,) accelerations by which these are missed."""

    forces: Array
    kept: Array
    residuals: Array


class LoopViolation(NamedTuple):
    """By how much the equations of all loops are missed, in the order of `robot.loops`: position (n,) m or rad,
    velocity (n,) m/s or rad/s."""

    position: Array
    velocity: Array


@algorithm(q="nq", v="nv")
def loop_violation(robot: Robot, q: Array, v: Array) -> LoopViolation:
    """How far the loops of a robot are apart in the state q (nq,), v (nv,)."""
    structure = robot.tree.loops
    if structure is None:
        return LoopViolation(np.zeros(0), np.zeros(0))
    u = Coupling(robot, q).velocity(v)
    by_name = {cut.loop.name: cut for cut in (*structure.cuts, *structure.held)}
    positions, velocities = [np.zeros(0)], []
    for loop in robot.loops:
        residual, rows = loop_equations(robot.tree, by_name[loop.name], q)
        positions.append(residual)
        velocities += [sum((entry * u[k] for k, entry in row.items()), start=0.0) for row in rows]
    return LoopViolation(np.concatenate(positions), np.array(velocities))


@algorithm(q="nq", v="nv", tau="nv", wrenches="name -> 6")
def loop_forces(
    robot: Robot, q: Array, v: Array, tau: Array, *, wrenches: Mapping[str, Array] | None = None
) -> LoopForces:
    """Forces of the loops that forces hold, under the joint forces tau (nv,) in the state q (nq,), v (nv,)."""
    forces = tau - newton_euler(robot, q, v, np.zeros(robot.nv), wrenches)
    factor = factorise(robot.tree, composite_bodies(robot, q))
    return _forces(robot, q, v, solve_factored(robot.tree, factor, forces))[0]


def held_by_forces(robot: Robot, q: Array, v: Array, free: Array) -> Array:
    """Accelerations (nv,) from those without the forces of loops that forces hold; the same if there are none."""
    structure = robot.tree.loops
    if structure is None or not structure.held:
        return free
    found, answers = _forces(robot, q, v, free)
    accelerations: Array = free + answers @ found.forces
    return accelerations


def _forces(robot: Robot, q: Array, v: Array, free: Array) -> tuple[LoopForces, Array]:
    """Forces (n,), and the accelerations (nv, n) that unit forces cause; free: (nv,) accelerations without."""
    tree, structure, coupling = robot.tree, robot.tree.loops, Coupling(robot, q)
    if structure is None or not structure.held:
        return LoopForces(np.zeros(0), np.zeros(0), np.zeros(0)), np.zeros((robot.nv, 0))
    u, bias = coupling.velocity(v), coupling.bias(v)
    jacobian: list[Array] = []
    wanted: list[Any] = []
    for cut in structure.held:
        residual, rows = loop_equations(tree, cut, q)
        curvature, rate = loop_acceleration(tree, cut, q, u), cut.loop.recovery
        for k, row in enumerate(rows):
            drift = sum((entry * bias[index] for index, entry in row.items()), start=curvature[k])
            speed = sum((entry * u[index] for index, entry in row.items()), start=0.0)
            wanted.append(-drift - 2 * rate * speed - rate * rate * residual[k])
            own = coupling.row(row)
            jacobian.append(np.array([own.get(index, 0.0) for index in range(robot.nv)]))
    matrix = np.array(jacobian)
    answers = solve_factored(tree, factorise(tree, composite_bodies(robot, q)), matrix.T)
    delassus = matrix @ answers
    missing = [goal - row @ free for goal, row in zip(wanted, matrix, strict=True)]
    mean = sum(delassus[k, k] for k in range(len(missing))) / len(missing)
    solution = solve_semidefinite(delassus.tolist(), missing, [mean] * len(missing))
    return LoopForces(np.array(solution.x), np.array(solution.kept), np.array(solution.residuals)), answers
