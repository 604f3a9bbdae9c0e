"""A warning of what starts deep inside of something: most often a robot whose scene has it at the wrong height."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.contact.candidates import Candidate
from footfall.contact.detection import detect_contacts
from footfall.errors import StartsInside
from footfall.robot.model import WORLD, Robot

_DEEP = 0.01  # m


def warn_if_inside(
    robot: Robot, q: Any, candidates: Sequence[Candidate], *, time: float, speed: float
) -> None:
    """At configuration q (nq,). speed: at which what is inside comes out, m/s."""
    contacts = detect_contacts(robot, q, candidates, margin=-_DEEP, time=time)
    if not len(contacts):
        return
    deepest = int(np.argmin(contacts.gaps))
    depth, body, other = -contacts.gaps[deepest], contacts.bodies[deepest], contacts.others[deepest]
    named = "something fixed" if other == WORLD else repr(other)
    warnings.warn(
        f"{body!r} starts {depth:.3g} m deep in {named}; it comes out at {speed:g} m/s. Move one of them, or let "
        "the robot start from another configuration",
        StartsInside,
        stacklevel=4,
    )
