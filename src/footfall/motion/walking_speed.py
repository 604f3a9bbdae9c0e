"""Walking at a wanted speed: step length and time are chosen so that legs and zero-moment point have room.

Short fast steps leave the legs most room but need fast feet. So the time is as near to the usual one as room allows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.errors import InvalidInput, InvalidTransition, TooFast
from footfall.gait.actions import straight
from footfall.gait.plan import MotionPlan
from footfall.gait.walking_transitions import WalkingTransition, idle_pose, walking_sequence
from footfall.motion.joint_loads import joint_loads
from footfall.motion.motion import Motion
from footfall.motion.parameters import MotionParameters
from footfall.motion.pipeline import gait_dimensions, generate_motion
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.verification import verify_motion
from footfall.motion.whole_body import WholeBody

DURATIONS = (0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9, 1.0, 1.2)  # s, of a transition
_COMFORTABLE = 0.01  # m of room that is enough
_TRIED = 6  # full steps of a walk that is tried


class StepChoice(NamedTuple):
    """A step: length, m, duration, s; how far the zero-moment point stays from the border of the soles and the torso
    from the bounds of the legs in a walk of such steps, m. velocity_share, effort_share: of the limits of the joint
    that is nearest to its own, see `joint_loads`; zero without a body."""

    length: float
    duration: float
    zmp_margin: float
    leg_margin: float
    velocity_share: float = 0.0
    effort_share: float = 0.0

    @property
    def speed(self) -> float:
        """m/s."""
        return self.length / self.duration

    @property
    def room(self) -> float:
        """The smaller of both margins, m; minus infinity if joints are too slow or too weak."""
        return min(self.zmp_margin, self.leg_margin) if self.driven else -np.inf

    @property
    def driven(self) -> bool:
        """Whether the joints are fast and strong enough."""
        return max(self.velocity_share, self.effort_share) <= 1.0


def choose_step(
    model: ReducedModel,
    speed: float,
    *,
    parameters: MotionParameters | None = None,
    body: WholeBody | None = None,
) -> StepChoice:
    """The step for a speed, m/s: of those that leave a centimetre of room that whose duration is nearest to the usual
    one, else that with most room. Each is tried by generating a walk. body: whose joints must be fast and strong
    enough.

    Raises `TooFast` if none works.
    """
    if not (np.isfinite(speed) and speed > 0.0):
        raise InvalidInput(f"speed is {speed} m/s; it must be above zero")
    usual = (MotionParameters() if parameters is None else parameters).phase.transition_s
    best: StepChoice | None = None
    for duration in sorted(DURATIONS, key=lambda value: abs(value - usual)):
        choice = try_step(model, speed * duration, duration, parameters=parameters, body=body)
        if choice is not None and choice.room >= _COMFORTABLE:
            return choice
        if choice is not None and (best is None or choice.room > best.room):
            best = choice
    if best is None or best.room < 0.0:
        raise TooFast(speed, model.name)
    return best


def fastest_step(
    model: ReducedModel,
    *,
    parameters: MotionParameters | None = None,
    body: WholeBody | None = None,
    tolerance: float = 0.01,
) -> StepChoice:
    """The fastest step that works, found by halving to a tolerance, m/s. body: as for `choose_step`."""
    slow, fast = choose_step(model, 0.1, parameters=parameters, body=body), 4.0
    while fast - slow.speed > tolerance:
        try:
            slow = choose_step(model, (slow.speed + fast) / 2, parameters=parameters, body=body)
        except TooFast:
            fast = (slow.speed + fast) / 2
    return slow


def try_step(
    model: ReducedModel,
    length: float,
    duration: float,
    *,
    parameters: MotionParameters | None = None,
    body: WholeBody | None = None,
) -> StepChoice | None:
    """How much room a walk of steps of a length, m, and duration, s, leaves; None if it is refused."""
    try:
        motion = generate_motion(
            speed_walk(model, length, duration), model, parameters=parameters, body=body, check=False
        )
    except InvalidTransition:
        return None
    found = verify_motion(motion, dt=0.01)
    if body is None:
        return StepChoice(length, duration, found.zmp_margin, found.leg_margin)
    loads = joint_loads(motion, body)
    shares = loads.velocity_share, loads.effort_share
    return StepChoice(length, duration, found.zmp_margin, found.leg_margin, *shares)


def speed_walk(model: ReducedModel, length: float, duration: float, *, count: int = _TRIED) -> MotionPlan:
    """A straight walk that speeds up to steps of a length, m, each of a duration, s, keeps that and slows down."""
    dimensions = gait_dimensions(model)
    ramp = [WalkingTransition(forward=length * share, duration=duration) for share in (0.35, 0.7)]
    steps = [*ramp, *[WalkingTransition(forward=length, duration=duration)] * count, *ramp[::-1]]
    return MotionPlan((walking_sequence(steps, idle_pose(dimensions), dimensions),))


def walk_at_speed(
    model: ReducedModel,
    distance: float,
    speed: float,
    *,
    parameters: MotionParameters | None = None,
    body: WholeBody | None = None,
) -> Motion:
    """A straight walk over a distance, m, at a speed, m/s, with the step of `choose_step`."""
    choice = choose_step(model, speed, parameters=parameters, body=body)
    dimensions = gait_dimensions(model)
    steps = straight(
        distance,
        shortest=0.35 * choice.length,
        longest=choice.length,
        gradient=0.35 * choice.length,
        duration=choice.duration,
    )
    plan = MotionPlan((walking_sequence(steps, idle_pose(dimensions), dimensions),))
    return generate_motion(plan, model, parameters=parameters, body=body)
