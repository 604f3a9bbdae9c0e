"""Impacts: velocities jump when contacts close, and energy is lost, RSL 2022, (3.66)-(3.72).

Contacts that close and those that stay closed stop at once. `footfall.contact.classic.impacts` has impacts that
may open contacts or slip; here all of them hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.constrained_dynamics import contact_inertia
from footfall.control.contact_constraints import Contact, build_constrained_system
from footfall.control.requests import checked_array
from footfall.errors import InvalidInput
from footfall.math.generalised_inverses import RANK_TOLERANCE
from footfall.robot.model import Robot


class Impact(NamedTuple):
    """velocity (nv,) afterwards; impulses (rows,) on the robot, N s and N m s; energy_change: J, never positive."""

    velocity: Array
    impulses: Array
    energy_change: float


def solve_impact(
    robot: Robot,
    q: Array,
    v: Array,
    *,
    contacts: Sequence[Contact],
    restitution: float = 0.0,
    tolerance: float = RANK_TOLERANCE,
) -> Impact:
    """The impact of contacts in the state q (nq,), v (nv,) just before it.

    restitution: in [0, 1]; zero stops the contacts, one throws them back as fast as they came.
    """
    if not 0.0 <= restitution <= 1.0:
        raise InvalidInput(f"restitution is {restitution}; it must be in [0, 1]")
    before = checked_array("v", v, (robot.nv,))
    # Impulses do not depend on what forces act meanwhile, so neither on velocity terms.
    system = build_constrained_system(robot, q, np.zeros(robot.nv), contacts=contacts)
    inertia = contact_inertia(system, tolerance=tolerance)
    impulses = -(1.0 + restitution) * inertia @ (system.jacobian @ before)  # RSL 2022, (3.68)
    change = np.linalg.solve(system.mass, system.jacobian.T @ impulses)
    # RSL 2022, (3.71) where restitution is zero.
    energy = float(change @ system.mass @ (before + 0.5 * change))
    return Impact(before + change, impulses, energy)
