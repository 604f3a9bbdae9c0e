"""What goes into a time step and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, SupportsFloat

import numpy as np

from footfall.arrays import Array
from footfall.contact.candidates import Candidate
from footfall.contact.options import ContactOptions
from footfall.errors import InvalidInput
from footfall.option_checks import require_choice, require_not_negative, require_record, require_switch
from footfall.robot.model import Robot
from footfall.simulation.old_words import AcceptsOldOptions

VelocityTerms = Literal["auto", "start", "middle"]

# A step undoes a fifth of a penetration, so that what is set into the ground comes out of it without a jump.
STEP_CONTACT = ContactOptions(recovery=0.2, restitution_speed=0.02)


@dataclass(frozen=True, kw_only=True)
class SolverOptions(metaclass=AcceptsOldOptions):
    """How the impulses of contacts, joint limits and joint friction are found.

    newton_steps: at most, of Newton's method for all contacts together.
    tolerance: of the natural map, as a part of the robot's weight times dt.
    """

    newton_steps: int = 184
    tolerance: float = 1e-9

    def __post_init__(self) -> None:
        require_not_negative(self, "newton_steps", "tolerance")


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
class StepOptions(metaclass=AcceptsOldOptions):
    """How a step is computed.

    dt: s, length of a step.
    velocity_terms: at which velocity of a step Coriolis and gyroscopic forces are taken. At its "start" they give what
        turns fast a little energy; in its "middle", predicted without contact, they do not, for up to a third more time
        a step. "auto": in the middle for free bodies, and for robots without loops if contacts are found while it runs;
        else at the start.
    contact: what contact asks for.
    solver: how its impulses are found.
    joints: what joints add to it.
    """

    dt: float = 1e-3
    velocity_terms: VelocityTerms = "auto"
    contact: ContactOptions = STEP_CONTACT
    solver: SolverOptions = field(default_factory=SolverOptions)
    joints: JointOptions = field(default_factory=JointOptions)

    def __post_init__(self) -> None:
        if not isinstance(self.dt, SupportsFloat) or not 0.0 < self.dt < np.inf:
            raise InvalidInput(f"dt is {self.dt} s; it must be above zero and finite")
        require_choice(self, velocity_terms=VelocityTerms)
        require_record(self, contact=ContactOptions, solver=SolverOptions, joints=JointOptions)


class Place(NamedTuple):
    """What a step in lanes is made for: a robot, the places of it that may touch, and how steps are computed.
    on_surfaces: whether contacts act where the surface is, as those that are found, or where the robot's place is."""

    robot: Robot
    candidates: tuple[Candidate, ...]
    options: StepOptions
    on_surfaces: bool = False


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
