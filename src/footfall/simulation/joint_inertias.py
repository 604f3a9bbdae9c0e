"""The inertia that a joint meets, by which gains and the steps of saturated joints are chosen."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.configuration import neutral
from footfall.dynamics.mass_matrix import composite_bodies
from footfall.robot.model import JointType, Robot

_LEAST_SHARE = 0.2


def reference_inertias(robot: Robot) -> Array:
    """`moved_inertias` (nv,) in the configuration that the robot's description has, whatever it does."""
    loops = robot.tree.loops
    return moved_inertias(robot, neutral(robot) if loops is None else loops.reference)


def moved_inertias(robot: Robot, q: Array) -> Array:
    """Inertias (nv,) that velocities meet at q (nq,) while all others are free, kg m2 or kg.

    At least a fifth of what they meet while other joints are held: three axes through one point leave next to nothing.
    """
    inertia = _inertia(robot, q)
    size = np.diag(inertia)
    free = 1.0 / np.diag(np.linalg.pinv(inertia / np.sqrt(np.outer(size, size)), hermitian=True)) * size
    return np.maximum(free, _LEAST_SHARE * _held(robot, inertia))


def held_inertias(robot: Robot, q: Array) -> Array:
    """Inertias (nv,) that velocities meet at q (nq,) while a free root moves along and all other joints are held, kg m2
    or kg."""
    return _held(robot, _inertia(robot, q))


def _inertia(robot: Robot, q: Array) -> Array:
    """The mass matrix (nv, nv) at q (nq,), once: native code for it would take seconds to compile."""
    return np.asarray(composite_bodies(robot, np.asarray(q, dtype=np.float64)), dtype=np.float64)


def _held(robot: Robot, inertia: Array) -> Array:
    result = np.diag(inertia).copy()
    root = robot.joints[0]
    if root.type is JointType.FLOATING:
        base = robot.v_slice(root.name)
        coupling = inertia[base]
        result -= np.einsum("ij,ij->j", coupling, np.linalg.solve(inertia[base, base], coupling))
        result[base] = np.diag(inertia)[base]
    return np.maximum(result, 0.0)
