"""All joints of a looped robot: their rates from the independent ones, and forces on them as forces on v.

For a robot without loops these are the same vectors.
"""

from __future__ import annotations

from footfall.arrays import Array
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.loops import Coupling
from footfall.errors import InvalidInput
from footfall.robot.model import Robot


@algorithm(q="nq", v="nv")
def joint_rates(robot: Robot, q: Array, v: Array) -> Array:
    """Rates (n,) of all joints, rad/s or m/s, in the order of `robot.spanning`; q (nq,), v (nv,)."""
    return Coupling(robot, q).velocity(v)


@algorithm(q="nq", v="nv", a="nv")
def joint_accelerations(robot: Robot, q: Array, v: Array, a: Array) -> Array:
    """Accelerations (n,) of all joints, rad/s2 or m/s2, in the order of `robot.spanning`; q (nq,), v (nv,), a (nv,)."""
    return Coupling(robot, q).acceleration(v, a)


@algorithm(q="nq", forces="*")
def independent_forces(robot: Robot, q: Array, forces: Array) -> Array:
    """Joint forces tau (nv,) that act like forces (n,) on all joints, N m or N: motors on joints that follow; q (nq,).

    forces: in the order of the velocities of `robot.spanning`.
    """
    if len(forces) != robot.spanning.nv:
        raise InvalidInput(
            f"independent_forces: forces has {len(forces)} entries, needed are {robot.spanning.nv}, one for each "
            "velocity of robot.spanning"
        )
    return Coupling(robot, q).forces(forces)
