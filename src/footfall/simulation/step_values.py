"""What goes into a time step and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, SupportsFloat

import numpy as np

from footfall.arrays import Array
from footfall.contact.options import ContactOptions
from footfall.errors import InvalidOption
from footfall.option_checks import require_choice, require_not_negative, require_record, require_switch

ContactRule = Literal["cone", "impacts"]
Integrator = Literal["semi-implicit", "explicit", "rk4"]
VelocityTerms = Literal["auto", "start", "middle"]

# A step undoes a fifth of a penetration, so that what is set into the ground comes out of it without a jump.
STEP_CONTACT = ContactOptions(recovery=0.2, restitution_speed=0.02)


@dataclass(frozen=True, kw_only=True)
class SolverOptions:
    """How the impulses of contacts, joint limits and joint friction are found.

    rule: "cone" finds the impulses that are right for all contacts at once; "impacts" gives one after the other and
        takes none back.
    newton_steps: at most, of Newton's method for all contacts together; 0, and problems too large for it, mean sweeps.
    sweeps: at most, over the contacts one after the other, where Newton's method is not taken.
    quick_sweeps: the first of them solve sliding contacts only by a step each, the others exactly.
    tolerance: of the natural map, or change of impulses in the last sweep, as a part of the robot's weight times dt.
    relaxation: over-relaxation of the quick sweeps, in (0, 2).
    """

    rule: ContactRule = "cone"
    newton_steps: int = 184
    sweeps: int = 200
    quick_sweeps: int = 10
    tolerance: float = 1e-9
    relaxation: float = 1.0

    def __post_init__(self) -> None:
        require_choice(self, rule=ContactRule)
        require_not_negative(self, "newton_steps", "sweeps", "quick_sweeps", "tolerance")
        if not 0.0 < self.relaxation < 2.0:
            raise InvalidOption(f"relaxation is {self.relaxation}; it must be between 0 and 2")


@dataclass(frozen=True, kw_only=True)
class JointOptions:
    """What joints bring into a step.

    limits: whether position limits are constraints of the step.
    friction: whether dry friction is; without, it is left out.
    implicit_gains: whether gains act on positions and velocities at the end of the step, which lets them be as high as
        one likes, see `joint_control`.
    """

    limits: bool = True
    friction: bool = True
    implicit_gains: bool = True

    def __post_init__(self) -> None:
        require_switch(self, "limits", "friction", "implicit_gains")


@dataclass(frozen=True, kw_only=True)
class StepOptions:
    """How a step is computed.

    dt: s, length of a step.
    integrator: only penalty contact and systems without contact may have another than "semi-implicit": see
        `smooth_step`.
    velocity_terms: at which velocity of a semi-implicit step Coriolis and gyroscopic forces are taken. At its "start"
        they give what turns fast a little energy; in its "middle", predicted without contact, they do not, for up to a
        third more time a step. "auto": in the middle for free bodies, and for robots without loops if contacts are
        found while it runs; else at the start.
    bounded_energy: whether a robot or free body that would end a step with more energy than it began with, and the
        work done on it, is slowed down until it does not, see `energy_bound`. Its velocity then changes by a little
        more than the impulses say, and what swings freely loses energy. Only exact contact knows it.
    sleep: whether loose things that have been slower than 1e-4 m/s and rad/s for 0.2 s sleep, with all that they
        touch, until something touches or pushes them or the scene changes: they cost next to nothing. Only contacts
        that are found while it runs know it; robots, and what touches them, do not sleep.
    divided_meshes: whether meshes of robots and loose things touch as several convex parts each, by CoACD, which must
        be installed (`pip install coacd`); else as their convex hull. Only contacts that are found know it.
    contact: what contact asks for.
    solver: how its impulses are found.
    joints: what joints add to it.
    """

    dt: float = 1e-3
    integrator: Integrator = "semi-implicit"
    velocity_terms: VelocityTerms = "auto"
    bounded_energy: bool = False
    sleep: bool = False
    divided_meshes: bool = False
    contact: ContactOptions = STEP_CONTACT
    solver: SolverOptions = field(default_factory=SolverOptions)
    joints: JointOptions = field(default_factory=JointOptions)

    def __post_init__(self) -> None:
        if not isinstance(self.dt, SupportsFloat) or not 0.0 < self.dt < np.inf:
            raise InvalidOption(f"dt is {self.dt} s; it must be above zero and finite")
        require_choice(self, integrator=Integrator, velocity_terms=VelocityTerms)
        require_switch(self, "bounded_energy", "sleep", "divided_meshes")
        require_record(self, contact=ContactOptions, solver=SolverOptions, joints=JointOptions)


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
    """What happened. effort (nv,) applied, N m. positions (contacts, 3) m, forces (contacts, 3) N and
    normals (contacts, 3) in world axes, gaps (contacts,) m before the step; residual: of the natural map, or the change
    of the impulses in the last sweep, N s; solver_steps: of Newton's method, or sweeps, taken."""

    effort: Array
    positions: Array
    forces: Array
    normals: Array
    gaps: Array
    residual: Any
    solver_steps: Any
