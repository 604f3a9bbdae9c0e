"""What contacts would have to do: whether forces that a calculation asks of them only push, hold by friction, and stay
within the sole.

Constraints give whatever forces they need, pulling and beyond friction if they must. Look here before you believe them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.contact_constraints import POINT, SURFACE, Contact, sole_axes
from footfall.control.rectangular_contact import rectangular_rows
from footfall.control.requests import checked_array
from footfall.errors import InvalidInput
from footfall.robot.model import Robot


class ContactLoad(NamedTuple):
    """What one contact carries, on the robot.

    frame: it is on. normal: force along its normal, N; negative if it would have to pull. sideways: across, N.
    friction: coefficient that it takes not to slip; infinite where it pulls. pulls, slips, tips: what it cannot do:
    push only, hold with its own friction, keep the wrench of a `SURFACE` contact inside its sole.
    """

    frame: str
    normal: float
    sideways: float
    friction: float
    pulls: bool
    slips: bool
    tips: bool

    @property
    def holds(self) -> bool:
        """Whether the contact can give this load."""
        return not (self.pulls or self.slips or self.tips)


def contact_loads(
    robot: Robot, q: Array, contacts: Sequence[Contact], forces: Array, *, tolerance: float = 1e-6
) -> tuple[ContactLoad, ...]:
    """Loads of contacts at q (nq,) from their forces (rows,) on the robot, N and N m, one after the other.

    tolerance: by which limits may be missed, relative to the greatest force. Contacts that hold single directions only
    are mere constraints: they may pull, and have no friction to exceed.
    """
    count = sum(len(contact.rows) for contact in contacts)
    given = checked_array("forces", forces, (count,))
    slack = tolerance * max(1.0, float(np.abs(given).max(initial=0.0)))
    loads, start = [], 0
    for contact in contacts:
        wrench = np.zeros(6)
        wrench[list(contact.rows)] = given[start : start + len(contact.rows)]
        start += len(contact.rows)
        loads.append(_load(robot, q, contact, wrench, slack))
    return tuple(loads)


def _load(robot: Robot, q: Array, contact: Contact, wrench: Array, slack: float) -> ContactLoad:
    direction = np.array(contact.normal)
    normal = float(wrench[:3] @ direction)
    sideways = float(np.linalg.norm(wrench[:3] - normal * direction))
    needed = (
        sideways / normal if normal > slack else (0.0 if sideways <= slack and normal >= -slack else np.inf)
    )
    if contact.rows not in (POINT, SURFACE):
        return ContactLoad(contact.frame, normal, sideways, needed, False, False, False)
    pulls = normal < -slack
    slips = not pulls and sideways > contact.friction * normal + slack
    tips = False
    axes = _axes(robot, q, contact) if contact.rows == SURFACE and not pulls else None
    if axes is not None:
        local = np.concatenate([axes @ wrench[:3], axes @ wrench[3:]])
        # The first four rows are those of friction along the edges; the others keep the moments in the sole.
        tips = bool((rectangular_rows(contact.friction, *contact.half_size)[4:] @ local).min() < -slack)
    return ContactLoad(contact.frame, normal, sideways, needed, pulls, slips, tips)


def _axes(robot: Robot, q: Array, contact: Contact) -> Array | None:
    """Of its sole; None if that has no direction, so that nobody can say whether it tips."""
    try:
        return sole_axes(robot, q, contact)
    except InvalidInput:
        return None


def told(loads: Sequence[ContactLoad]) -> str:
    """What contacts cannot do, for messages; empty if they can."""
    words = {"pulls": "would have to pull", "slips": "would slip", "tips": "would tip or twist"}
    return ", ".join(f"{load.frame} {words[name]}" for load in loads for name in words if getattr(load, name))
