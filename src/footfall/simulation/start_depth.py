"""A warning of what starts deep inside of something: most often a robot whose scene has it at the wrong height."""

from __future__ import annotations

import warnings

from footfall.errors import StartsInside
from footfall.robot.model import WORLD
from footfall.simulation.engine import Deepest

_DEEP = 0.01  # m


def warn_if_inside(deepest: Deepest | None, *, speed: float) -> None:
    """speed: at which what is inside comes out, m/s."""
    if deepest is None or deepest.depth < _DEEP:
        return
    depth, body, other = deepest
    named = "something fixed" if other == WORLD else repr(other)
    warnings.warn(
        f"{body!r} starts {depth:.3g} m deep in {named}; it comes out at {speed:g} m/s. Move one of them, or let "
        "the robot start from another configuration",
        StartsInside,
        stacklevel=4,
    )
