"""Forward dynamics by the dense mass matrix in LAPACK, for large robots.

Traced, a dense elimination is nv^3 / 6 operations one after the other, which takes long to compile. So the equations
of motion come from native code, and their solution from LAPACK's Cholesky factorisation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.inverse_dynamics import newton_euler
from footfall.dynamics.loop_forces import held_by_forces
from footfall.dynamics.mass_matrix import composite_bodies
from footfall.errors import RobotError
from footfall.robot.model import Robot
from footfall.robot.validation import check_mass_matrix

LARGE = 48  # velocities: calls are about as fast either way, compiling takes 1 s in place of 5 s (chains)


class _Equations(NamedTuple):
    """`matrix @ a = forces`: (nv, nv) and (nv,)."""

    matrix: Array
    forces: Array


def dense_forward_dynamics(
    robot: Robot, q: Array, v: Array, tau: Array, *, wrenches: Mapping[str, Array] | None = None
) -> Array | None:
    """What `forward_dynamics` gives, arguments as there; None for robots that are not `LARGE`."""
    if robot.nv < LARGE:
        return None
    from scipy.linalg import lapack  # slow to import, and few need it

    equations = _equations(robot, q, v, tau, wrenches=wrenches)
    free = np.empty(equations.forces.shape)
    matrices = equations.matrix.reshape(-1, robot.nv, robot.nv)
    for matrix, forces, result in zip(
        matrices, np.atleast_2d(equations.forces), np.atleast_2d(free), strict=True
    ):
        # The transpose is the same matrix in the order that LAPACK has.
        _, result[:], failure = lapack.dposv(matrix.T, forces, lower=1, overwrite_a=1)
        if failure:
            raise RobotError("its mass matrix is not positive definite", subject=("robot", robot.name))
    loops = robot.tree.loops
    return free if loops is None or not loops.held else np.asarray(_held(robot, q, v, free))


@algorithm(q="nq", v="nv", tau="nv", wrenches="name -> 6")
def _equations(
    robot: Robot, q: Array, v: Array, tau: Array, *, wrenches: Mapping[str, Array] | None = None
) -> _Equations:
    check_mass_matrix(robot)
    forces = tau - newton_euler(robot, q, v, np.zeros(robot.nv), wrenches)
    return _Equations(composite_bodies(robot, q), forces)


@algorithm(q="nq", v="nv", free="nv")
def _held(robot: Robot, q: Array, v: Array, free: Array) -> Array:
    return held_by_forces(robot, q, v, free)
