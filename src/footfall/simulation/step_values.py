"""What goes into a time step and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidOption

GapTerm = Literal["gap", "source"]
ContactRule = Literal["cone", "impacts"]
Integrator = Literal["semi-implicit", "explicit", "rk4"]
VelocityTerms = Literal["auto", "start", "middle"]

_NOT_NEGATIVE = (
    "newton_steps",
    "sweeps",
    "quick_sweeps",
    "tolerance",
    "recovery",
    "recovery_speed",
    "restitution_speed",
)
_SWITCHES = ("joint_limits", "joint_friction", "implicit_gains", "bounded_energy")
_CHOICES = {
    "gap_term": GapTerm,
    "contact_rule": ContactRule,
    "integrator": Integrator,
    "velocity_terms": VelocityTerms,
}


@dataclass(frozen=True)
class StepOptions:
    """How a step is computed.

    dt: s. newton_steps: at most, of Newton's method for all contacts together; 0, and problems too large for it, mean
    sweeps over the contacts one after the other. sweeps: at most; the first quick_sweeps of them solve sliding
    contacts only by a step each, the others exactly. tolerance: natural-map residual, or change of the impulses in the
    last sweep, as a fraction of the robot's weight times dt. relaxation: over-relaxation of the quick sweeps in
    (0, 2). recovery: part of a penetration that a step undoes. recovery_speed: at most, with which it does, m/s.
    restitution_speed: slower impacts do not bounce, m/s. joint_limits, joint_friction: whether they are constraints of
    the step. implicit_gains: see `joint_control`. gap_term: "gap" asks for v_n >= -gap / dt; "source" for v_n >= 0 of
    what touches already, 001 section 12. contact_rule: "cone" finds the impulses that are right for all contacts at
    once; "impacts" gives one after the other and takes none back. integrator: only of penalty contact and of systems
    without contact may it be another, see `smooth_step`. velocity_terms: at which velocity of a semi-implicit step
    Coriolis and gyroscopic forces are taken. At its "start" they give what turns fast a little energy; in its "middle",
    predicted without contact, they do not, for up to a third more time a step. "auto": in the middle for free bodies,
    at the start for robots. bounded_energy: whether a robot or free body that would end a step with more energy than it
    began with, and the work done on it, is slowed down until it does not, see `energy_bound`; its velocity then
    changes by a little more than the impulses say, and what swings freely loses energy. Only exact contact knows it.
    """

    dt: float = 1e-3
    newton_steps: int = 184
    sweeps: int = 200
    quick_sweeps: int = 10
    tolerance: float = 1e-9
    relaxation: float = 1.0
    recovery: float = 0.2
    recovery_speed: float = 0.05
    restitution_speed: float = 0.02
    joint_limits: bool = True
    joint_friction: bool = True
    implicit_gains: bool = True
    gap_term: GapTerm = "gap"
    contact_rule: ContactRule = "cone"
    integrator: Integrator = "semi-implicit"
    velocity_terms: VelocityTerms = "auto"
    bounded_energy: bool = False

    def __post_init__(self) -> None:
        if not 0.0 < self.dt < np.inf:
            raise InvalidOption(f"dt is {self.dt} s; it must be above zero and finite")
        if not 0.0 < self.relaxation < 2.0:
            raise InvalidOption(f"relaxation is {self.relaxation}; it must be between 0 and 2")
        for name in _NOT_NEGATIVE:
            if not getattr(self, name) >= 0:
                raise InvalidOption(f"{name} is {getattr(self, name)}; it must not be negative")
        for name in _SWITCHES:
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise InvalidOption(f"{name} is {getattr(self, name)!r}; it must be True or False")
        for name, kinds in _CHOICES.items():
            if getattr(self, name) not in get_args(kinds):
                allowed = ", ".join(get_args(kinds))
                raise InvalidOption(f"{name} is {getattr(self, name)!r}; it must be one of: {allowed}")


class StepState(NamedTuple):
    """What one step hands to the next. q (nq,), v (nv,), integral (joints,) of the position errors in rad s,
    impulses (rows,) of contacts, limits and joint friction in N s: the start of the next solution."""

    q: Array
    v: Array
    integral: Array
    impulses: Array


class Command(NamedTuple):
    """What the joints shall do, (joints,) each: position, velocity, effort (feed-forward, N m) and gains.

    What is left out is zero; a number holds for all joints. In rollouts also (batch, joints), (batch, steps, joints).
    """

    position: Array = 0.0  # type: ignore[assignment]
    velocity: Array = 0.0  # type: ignore[assignment]
    effort: Array = 0.0  # type: ignore[assignment]
    kp: Array = 0.0  # type: ignore[assignment]
    ki: Array = 0.0  # type: ignore[assignment]
    kd: Array = 0.0  # type: ignore[assignment]


class StepReport(NamedTuple):
    """What happened. effort (nv,) applied, N m. positions (contacts, 3) m, forces (contacts, 3) N in world axes,
    gaps (contacts,) m before the step; residual: of the natural map, or the change of the impulses in the last sweep,
    N s; sweeps: of these, or steps of Newton's method, taken."""

    effort: Array
    positions: Array
    forces: Array
    gaps: Array
    residual: Any
    sweeps: Any
