"""What users say of a step: its options, and the command of its joints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, SupportsFloat

import numpy as np

from footfall.arrays import Array
from footfall.contact.options import ContactOptions
from footfall.errors import InvalidInput
from footfall.option_checks import require_choice, require_not_negative, require_record, require_switch
from footfall.simulation.old_words import AcceptsOldOptions

VelocityTerms = Literal["auto", "start", "middle"]

# A step undoes a fifth of a penetration, so that what is set into the ground comes out of it without a jump.
STEP_CONTACT = ContactOptions(recovery=0.2, restitution_speed=0.02)


@dataclass(frozen=True, kw_only=True)
class SolverOptions(metaclass=AcceptsOldOptions):
    """How the impulses of contacts, joint limits and joint friction are found.

    newton_steps: at most, of Newton's method for all contacts together.
    tolerance: of the natural map, as a part of the robot's weight times dt.
    moving_tolerance: the same of islands of 32 contacts and more between free bodies alone, while some of these move
        faster than 1 mm/s: piles that fall, walls that are hit. Where it is not above `tolerance`, that one counts.
    """

    newton_steps: int = 184
    tolerance: float = 1e-9
    moving_tolerance: float = 1e-6

    def __post_init__(self) -> None:
        require_not_negative(self, "newton_steps", "tolerance", "moving_tolerance")


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
        a step. "auto": in the middle for free bodies, and for robots without loops in a `Simulation`; else at the
        start.
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
