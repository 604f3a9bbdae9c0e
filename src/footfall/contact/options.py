"""What contact and joints ask of the velocities at the end of a time step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from footfall.contact.law import ContactRules
from footfall.option_checks import require_choice, require_not_negative, require_switch

GapTerm = Literal["gap", "source"]

# Of the way g dt^2 that weight pushes a body back within the next step: so shallow a penetration is undone at once.
_SHALLOW = 0.03


@dataclass(frozen=True, kw_only=True)
class ContactOptions:
    """What the normal velocity v_n of a contact must be.

    gap_term: "gap" asks for v_n >= -gap / dt, so that nothing sinks and nothing is held off; "source" asks for
        v_n >= 0 of all that touches already, Ayit 2015, (4.34)-(4.43).
    recovery: part of a penetration that a step undoes; of one that is not deeper than 0.03 g dt^2 it undoes all.
    recovery_speed: m/s, at most, with which it is undone, since a body keeps that velocity afterwards.
    restitution_speed: m/s, slower impacts do not bounce, so that what rests comes to rest; None: 2 g dt.
    """

    gap_term: GapTerm = "gap"
    recovery: float = 1.0
    recovery_speed: float = 0.05
    restitution_speed: float | None = None

    def __post_init__(self) -> None:
        require_choice(self, gap_term=GapTerm)
        require_not_negative(self, "recovery", "recovery_speed", "restitution_speed")

    def rules(self, gravity: float, dt: float) -> ContactRules:
        """The same as numbers, for steps of dt (s); gravity: m/s2."""
        slowest = 2 * dt * gravity if self.restitution_speed is None else self.restitution_speed
        shallow = _SHALLOW * gravity * dt * dt if self.recovery > 0.0 else 0.0
        return ContactRules(self.gap_term == "source", self.recovery, shallow, self.recovery_speed, slowest)


@dataclass(frozen=True, kw_only=True)
class JointRows:
    """Which rows of a contact problem belong to joints.

    limits: whether position limits have rows.
    limit_margin: rad or m, limits nearer than this do.
    friction: whether dry friction has rows.
    """

    limits: bool = True
    limit_margin: float = 0.2
    friction: bool = True

    def __post_init__(self) -> None:
        require_switch(self, "limits", "friction")
        require_not_negative(self, "limit_margin")
