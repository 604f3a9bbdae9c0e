"""A bound on energy: after a step there is no more of it than before and the work done in between."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler import greater, less, maximum, sqrt, where
from footfall.dynamics.configuration import integrate
from footfall.dynamics.energy import kinetic_energy, potential_energy
from footfall.robot.model import Robot

Array = np.ndarray[Any, np.dtype[Any]]

_MOST = 0.1  # of the speed; what would cost more lies in the ground, is lifted out of it and has nothing to pay with


def bounded_velocity(
    robot: Robot, q: Array, before: Array, after: Array, impulse: Array, work: Any, dt: float, *, midway: bool
) -> Array:
    """The velocity (nv,) after a step, slowed down as a whole where energy less work would grow otherwise.

    What rests on the ground still does, and what comes near it does not come nearer.
    q: (nq,) at the start of the step. before, after: velocities (nv,). impulse: (nv,) N s of all that does work on the
    robot, work: J of what else there is. midway: energies are compared halfway between configurations, where each
    velocity holds and a ball that bounces keeps all it has; else at their ends, where what does not bounce only loses
    energy.
    """
    part = 0.5 if midway else 1.0
    start = integrate(robot, q, -0.5 * dt * before) if midway else q
    end = integrate(robot, q, part * dt * after)
    low, high = potential_energy(robot, start), potential_energy(robot, end)
    kinetic, given = kinetic_energy(robot, end, after), part * (impulse @ after)
    created = kinetic + high - given - kinetic_energy(robot, start, before) - low - work
    if midway:
        created = created - part * (impulse @ before)
    # Slower by a part x of the speed there is less of it by x (2 kinetic + rise - given) - x^2 kinetic.
    rate = 2.0 * kinetic + high - potential_energy(robot, q) - given
    root = sqrt(maximum(rate * rate - 4.0 * kinetic * created, 0.0))
    slower = 2.0 * created / (rate + root)
    pays = greater(slower, 0.0) & less(slower, _MOST)
    return np.asarray(after * where(pays, 1.0 - slower, 1.0))
