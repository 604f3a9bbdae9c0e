"""How a robot swings about a pose: its equations of motion, linear there, with springs and servos (Seiwald 2023)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.configuration import integrate
from footfall.dynamics.inverse_dynamics import gravity_forces
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.errors import RobotError
from footfall.math.modes import Mode, vibration_modes
from footfall.robot.model import Robot

_STEP = 1e-5  # rad or m, of differences of gravity forces: rounding and bending both stay below 1e-9 of them


class Vibration(NamedTuple):
    """`mass a + damping v + stiffness x = f` for small x about a pose, (nv, nv) each."""

    mass: Array
    damping: Array
    stiffness: Array


def linear_vibration(
    robot: Robot, q: Array, *, kp: float | Array = 0.0, kd: float | Array = 0.0
) -> Vibration:
    """A robot at rest at q (nq,), as a linear system: with its springs, its joints' damping, its weight, and servos.

    kp, kd: of servos that hold q, N m/rad and N m s/rad, a number or (nv,); with gravity compensated at q. Dry friction
    is left out.
    """
    if robot.loops:
        message = "has loops; linear_vibration takes trees: hold the loops by forces, or lock their joints"
        raise RobotError(message, subject=("robot", robot.name))
    at = np.asarray(q, dtype=np.float64)
    size = robot.nv
    mass = np.asarray(mass_matrix(robot, at))
    stiffness = np.diag(np.broadcast_to(np.asarray(kp, dtype=np.float64), (size,)).copy())
    damping = np.diag(np.broadcast_to(np.asarray(kd, dtype=np.float64), (size,)) + robot.damping)
    for column, step in enumerate(_STEP * np.eye(size)):
        ahead, behind = (gravity_forces(robot, integrate(robot, at, sign * step)) for sign in (1.0, -1.0))
        stiffness[:, column] += (ahead - behind) / (2.0 * _STEP)
    for spring in robot.springs:
        place = robot.v_slice(spring.joint).start
        stiffness[place, place] += spring.stiffness
        damping[place, place] += spring.damping
    return Vibration(mass, damping, stiffness)


def robot_modes(robot: Robot, q: Array, *, kp: float | Array = 0.0, kd: float | Array = 0.0) -> list[Mode]:
    """Modes of a robot about q (nq,), slowest first; arguments as in `linear_vibration`."""
    return vibration_modes(*linear_vibration(robot, q, kp=kp, kd=kd))
