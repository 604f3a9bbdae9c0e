"""Walking at a wanted speed: step length and time are chosen so that legs and zero-moment point have room.

Short fast steps leave the legs most room but need fast feet. So the time is as near to the usual one as room allows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.errors import InvalidPlan, TooFast
from footfall.gait.actions import straight
from footfall.gait.plan import MotionPlan
from footfall.gait.walking_transitions import WalkingTransition, idle_pose, walking_sequence
from footfall.motion.motion import Motion
from footfall.motion.parameters import MotionParameters
from footfall.motion.pipeline import gait_dimensions, generate_motion
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.verification import verify_motion

DURATIONS = (0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9, 1.0, 1.2)  # s, of a transition
_COMFORTABLE = 0.01  # m of room that is enough
_TRIED = 6  # full steps of a walk that is tried


class StepChoice(NamedTuple):
    """A step: length, m, duration, s; how far the zero-moment point stays from the border of the soles and the torso
    from the bounds of the legs in a walk of such steps, m."""

    length: float
    duration: float
    zmp_margin: float
    leg_margin: float

    @property
    def speed(self) -> float:
        """m/s."""
        return self.length / self.duration

    @property
    def room(self) -> float:
        """The smaller of both margins, m."""
        return min(self.zmp_margin, self.leg_margin)


def choose_step(
    model: ReducedModel, speed: float, *, parameters: MotionParameters | None = None
) -> StepChoice:
    """The step for a speed, m/s: of those that leave a centimetre of room that whose duration is nearest to the usual
    one, else that with most room. Each is tried by generating a walk.

    Raises `TooFast` if none works.
    """
    if not (np.isfinite(speed) and speed > 0.0):
        raise InvalidPlan(f"speed is {speed} m/s; it must be above zero")
    usual = (MotionParameters() if parameters is None else parameters).phase.transition_s
    best: StepChoice | None = None
    for duration in sorted(DURATIONS, key=lambda value: abs(value - usual)):
        choice = try_step(model, speed * duration, duration, parameters=parameters)
        if choice is not None and choice.room >= _COMFORTABLE:
            return choice
        if choice is not None and (best is None or choice.room > best.room):
            best = choice
    if best is None or best.room < 0.0:
        raise TooFast(speed, model.name)
    return best


def fastest_step(
    model: ReducedModel, *, parameters: MotionParameters | None = None, tolerance: float = 0.01
) -> StepChoice:
    """The fastest step that works, found by halving to a tolerance, m/s."""
    slow, fast = choose_step(model, 0.1, parameters=parameters), 4.0
    while fast - slow.speed > tolerance:
        try:
            slow = choose_step(model, (slow.speed + fast) / 2, parameters=parameters)
        except TooFast:
            fast = (slow.speed + fast) / 2
    return slow


def try_step(
    model: ReducedModel, length: float, duration: float, *, parameters: MotionParameters | None = None
) -> StepChoice | None:
    """How much room a walk of steps of a length, m, and duration, s, leaves; None if it is refused."""
    try:
        motion = generate_motion(
            speed_walk(model, length, duration), model, parameters=parameters, check=False
        )
    except InvalidPlan:
        return None
    found = verify_motion(motion, dt=0.01)
    return StepChoice(length, duration, found.zmp_margin, found.leg_margin)


def speed_walk(model: ReducedModel, length: float, duration: float, *, count: int = _TRIED) -> MotionPlan:
    """A straight walk that speeds up to steps of a length, m, each of a duration, s, keeps that and slows down."""
    dimensions = gait_dimensions(model)
    ramp = [WalkingTransition(forward=length * share, duration=duration) for share in (0.35, 0.7)]
    steps = [*ramp, *[WalkingTransition(forward=length, duration=duration)] * count, *ramp[::-1]]
    return MotionPlan((walking_sequence(steps, idle_pose(dimensions), dimensions),))


def walk_at_speed(
    model: ReducedModel, distance: float, speed: float, *, parameters: MotionParameters | None = None
) -> Motion:
    """A straight walk over a distance, m, at a speed, m/s, with the step of `choose_step`."""
    choice = choose_step(model, speed, parameters=parameters)
    dimensions = gait_dimensions(model)
    steps = straight(
        distance,
        shortest=0.35 * choice.length,
        longest=choice.length,
        gradient=0.35 * choice.length,
        duration=choice.duration,
    )
    plan = MotionPlan((walking_sequence(steps, idle_pose(dimensions), dimensions),))
    return generate_motion(plan, model, parameters=parameters)
