"""What is refused before anything is planned: sequences that no robot can walk, with the transition's number."""

from __future__ import annotations

from footfall.errors import InvalidTransition
from footfall.gait.plan import TransitionSequence
from footfall.motion.parameters import LimitParameters, MotionParameters
from footfall.motion.pose_checks import check_contacts, check_hands, check_heads, check_stances
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.schedule import Schedule


def check_numbers(sequence: TransitionSequence, limits: LimitParameters) -> None:
    """Refuse durations, step heights and swing timings that have no meaning."""
    for number, transition in enumerate(sequence.transitions):
        duration = transition.duration
        if duration is not None:
            shortest, longest = limits.shortest_transition_s, limits.longest_transition_s
            if not duration >= shortest:
                raise InvalidTransition(
                    number,
                    f"its duration is {duration:g} s; it must be at least {shortest:g} s",
                    value=duration,
                    limit=shortest,
                )
            if not duration <= longest:
                raise InvalidTransition(
                    number,
                    f"its duration is {duration:g} s; it must be at most {longest:g} s",
                    value=duration,
                    limit=longest,
                )
        timing, height = transition.swing_timing, transition.step_height
        if not 0.0 <= timing <= 1.0:
            raise InvalidTransition(
                number,
                f"its swing timing is {timing:g}; it must be in [0, 1]",
                value=timing,
                limit=float(timing > 0.5),
            )
        if height is not None and not 0.0 <= height <= limits.step_height_m:
            raise InvalidTransition(
                number,
                f"its step height is {height:g} m; it must be from 0 to {limits.step_height_m:g} m",
                value=height,
                limit=limits.step_height_m if height > 0.0 else 0.0,
            )


def check_steps(schedule: Schedule, model: ReducedModel, parameters: MotionParameters) -> None:
    """Refuse two swing feet, contacts that change by themselves, steps out of reach, feet that overlap and hands that
    cannot reach, a centre of mass that no leg carries, and a head that yaws too far."""
    check_contacts(schedule)
    check_stances(schedule, model, parameters.limit)
    check_heads(schedule, model)
    check_hands(schedule, model, parameters.limit)
