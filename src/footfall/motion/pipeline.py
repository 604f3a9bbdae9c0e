"""From a plan to a motion: the stages one after the other (Seiwald 2023).

First sequences that no robot can walk are refused, with the transition's number. Stages of a few lines stand here: how
upper body and head turn (6 and 10), and which foot stands on what of its sole, which a controller is given.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine
from footfall.errors import HeightNotSmooth, InvalidTransition
from footfall.gait.plan import MotionPlan, TransitionSequence
from footfall.gait.walking_transitions import GaitDimensions
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.centre_of_mass import plan_centre_of_mass
from footfall.motion.courses import Segments
from footfall.motion.curves import MotionCurves, join_curves
from footfall.motion.draft import Draft
from footfall.motion.feasibility import PlannedSequence, check_motion, transition_at
from footfall.motion.feet import TurnSegments, TurnTiming, new_turns, plan_feet
from footfall.motion.hands import plan_hand, plan_selection
from footfall.motion.motion import Motion, PhaseTable, join_tables, phase_table
from footfall.motion.parameters import LimitParameters, MotionParameters
from footfall.motion.pose_checks import check_contacts, check_hands, check_heads, check_stances
from footfall.motion.reach import check_arms, check_reach
from footfall.motion.reduced.torso import plan_reduced, without_hand_masses
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.schedule import Schedule, plan_phases
from footfall.motion.support import SupportAreas, plan_support
from footfall.motion.toes import plan_toe
from footfall.motion.torso import TorsoPlan, plan_torso
from footfall.motion.whole_body import WholeBody
from footfall.motion.zero_moment_point import blend_length, plan_load, plan_zmp

# From 0 to 1, at rest at both ends.
_BLEND = TurnTiming(np.array([0.0, 1.0]), np.array([[6.0, -15.0, 10.0, 0.0, 0.0, 0.0]]))


def plan_upper_body(schedule: Schedule) -> QuaternionTrajectory:
    """Rotation of the upper body in the world: it turns in motion phases, at rest at their ends."""
    return turning_course(schedule, False).trajectory


def plan_head(schedule: Schedule) -> QuaternionTrajectory:
    """Rotation of the head in the world."""
    return turning_course(schedule, True).trajectory


@routine(quick=True)
def turning_course(schedule: Schedule, head: bool) -> TurnSegments:
    """Rotation of the head, or of the upper body."""
    turns = new_turns(schedule.times[0], 2 * len(schedule.motion) + 1)
    for p in range(len(schedule.motion)):
        k = schedule.transition[p]
        begin, end, moving = schedule.begin[k], schedule.end[k], schedule.moving[k]
        if schedule.motion[p] and (moving.head if head else moving.upper_body):
            before, after = (begin.head, end.head) if head else (begin.upper_body, end.upper_body)
            after = -after if before @ after < 0.0 else after
            controls = np.array([before, before, after, after])
            turns.turn(controls, _BLEND, schedule.times[p], schedule.times[p + 1])
    initial = schedule.begin[0].head if head else schedule.begin[0].upper_body
    return turns.ended(schedule.times[-1], initial)


def plan_contacts(schedule: Schedule) -> PolynomialTrajectory:
    """Contacts (4,) of RF and LF, constant in each phase: whether they stand, 1 or 0, and on what, as `FootRecord`
    counts: whole sole 0, toe pad 1, tiptoe 2. A foot that swings has what it will land on."""
    return contact_course(schedule).trajectory


@routine(quick=True)
def contact_course(schedule: Schedule) -> Segments:
    """A foot stands in a load switch if its contact is closed, in a motion phase if it also stays where it is."""
    count = len(schedule.motion)
    pieces = np.zeros((count, 6, 4))
    for p in range(count):
        k = schedule.transition[p]
        pose = schedule.end[k] if schedule.motion[p] else schedule.begin[k]
        for side in (0, 1):
            foot = pose.foot(side)
            swings = schedule.motion[p] and schedule.moving[k].foot(side)
            pieces[p, 5, side] = 1.0 if foot.closed and not swings else 0.0
            pieces[p, 5, 2 + side] = foot.contact
    return Segments(schedule.times.copy(), pieces)


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


class MotionState(NamedTuple):
    """What a motion is continued from: zmp (3,), load (3, 16), torso (3, 3), toes (3, 2) and momentum (3, 3), the
    latter four with velocity and acceleration; all else rests between transitions, but for an upper body (10,) that
    leans."""

    zmp: Array
    load: Array
    torso: Array
    toes: Array
    momentum: Array
    upper_body: Array


class SequenceMotion(NamedTuple):
    """The motion of one sequence."""

    phases: PhaseTable
    curves: MotionCurves
    torso: TorsoPlan


def gait_dimensions(model: ReducedModel) -> GaitDimensions:
    """What walking must know of a robot, from its reduced model."""
    return GaitDimensions(
        model.com_height,
        model.foot_distance,
        model.hand_offset,
        model.head_tilt,
        model.leg.lower_leg + model.leg.upper_leg,
    )


def generate_motion(
    plan: MotionPlan,
    model: ReducedModel,
    *,
    parameters: MotionParameters | None = None,
    body: WholeBody | None = None,
    check: bool = True,
) -> Motion:
    """The motion of a plan: it starts and ends at rest, and so does every sequence in it.

    Refuses transitions that cannot be carried out with `InvalidTransition`; warns with `MotionWarning` if soles or legs
    are exceeded by little. body: the whole robot that will carry it out; with its angular momentum its zero-moment
    point is where it shall be, else that of five masses is. check: False gives also motions that cannot be walked, as
    far as they can be planned.
    """
    parameters = MotionParameters() if parameters is None else parameters
    if parameters.torso.generator not in ("whole_body", "five_masses"):
        model = without_hand_masses(model)
    clock = StageClock()
    begin, first, parts = plan.begin_time, 0, []
    for number, sequence in enumerate(plan.sequences):
        try:
            part = generate_sequence(
                sequence,
                model,
                parameters,
                begin_time=begin,
                first=first,
                body=body,
                clock=clock,
                check=check,
            )
        except InvalidTransition as error:
            if len(plan.sequences) == 1:
                raise
            raise error.in_sequence(number) from None
        parts.append(part)
        begin = part.curves.end
        first += len(sequence.transitions)
    return Motion(
        plan,
        join_tables([part.phases for part in parts]),
        join_curves([part.curves for part in parts]),
        model,
        parameters,
        tuple(part.torso for part in parts),
        clock.seconds,
        body,
    )


def generate_sequence(
    sequence: TransitionSequence,
    model: ReducedModel,
    parameters: MotionParameters,
    *,
    begin_time: float = 0.0,
    first: int = 0,
    start: MotionState | None = None,
    body: WholeBody | None = None,
    clock: StageClock | None = None,
    check: bool = True,
) -> SequenceMotion:
    """The motion of a sequence that begins at a time, s, from rest or from a state. first: number of its first
    transition. body, check: as for `generate_motion`."""
    clock = StageClock() if clock is None else clock
    drafted = draft_sequence(sequence, model, parameters, begin_time=begin_time, start=start, clock=clock)
    return finish_sequence(drafted, model, parameters, first=first, body=body, clock=clock, check=check)


class DraftedSequence(NamedTuple):
    """A sequence of which all is planned but the torso."""

    schedule: Schedule
    areas: SupportAreas
    draft: Draft


def draft_sequence(
    sequence: TransitionSequence,
    model: ReducedModel,
    parameters: MotionParameters,
    *,
    begin_time: float,
    start: MotionState | None,
    clock: StageClock,
) -> DraftedSequence:
    """Stages 3 to 13 of a sequence."""
    check_numbers(sequence, parameters.limit)
    schedule = plan_phases(sequence, parameters.phase, begin_time=begin_time, continues=start is not None)
    check_steps(schedule, model, parameters)
    clock.stage_done("phase")
    areas = plan_support(schedule, model, parameters.support)
    clock.stage_done("support area")
    blend = blend_length(model, parameters.zmp)
    zmp = plan_zmp(schedule, areas, blend=blend, start=None if start is None else start.zmp)
    clock.stage_done("zero-moment point")
    upper_body = plan_upper_body(schedule)
    clock.stage_done("upper body")
    feet = plan_feet(schedule, model, parameters.foot)
    clock.stage_done("foot")
    right_toe, left_toe = (
        plan_toe(schedule, foot, model, parameters.toe, start=None if start is None else start.toes[:, foot])
        for foot in range(2)
    )
    clock.stage_done("toe")
    right_hand, left_hand = (plan_hand(schedule, hand, parameters.hand) for hand in range(2))
    clock.stage_done("hand")
    head = plan_head(schedule)
    clock.stage_done("head")
    right_selection, left_selection = (
        plan_selection(schedule, hand, parameters.selection) for hand in range(2)
    )
    clock.stage_done("selection")
    load = plan_load(schedule, parameters.load, start=None if start is None else start.load)
    clock.stage_done("load and wrench")
    draft = Draft(
        zmp,
        *feet.positions,
        right_hand,
        left_hand,
        right_toe,
        left_toe,
        right_selection,
        left_selection,
        load,
        upper_body,
        head,
        *feet.rotations,
        schedule.pose_times,
        schedule.com_heights,
        float(schedule.pose_times[-1] - schedule.pose_times[-2]),
        None if start is None else start.torso,
        momentum_start=None if start is None else start.momentum,
        upper_body_start=None if start is None else start.upper_body,
    )
    return DraftedSequence(schedule, areas, draft)


def finish_sequence(
    drafted: DraftedSequence,
    model: ReducedModel,
    parameters: MotionParameters,
    *,
    first: int,
    body: WholeBody | None,
    clock: StageClock,
    check: bool = True,
) -> SequenceMotion:
    """The torso, the centre of mass and contacts of a sequence; refused if it cannot be walked."""
    schedule, areas, draft = drafted
    generator = parameters.torso.generator
    try:
        if generator in ("whole_body", "five_masses"):
            torso = plan_torso(
                draft, model, parameters.torso, body=body if generator == "whole_body" else None
            )
            draft = draft if body is None else replace(draft, momentum=torso.momentum)
        else:
            torso, draft = plan_reduced(drafted, model, parameters.torso, body=body)
    except HeightNotSmooth as error:
        number = transition_at(schedule, error.time)
        raise InvalidTransition(number, str(error), value=error.peak, limit=error.most) from error
    clock.parts_done(torso.stage_seconds)
    check_reach(schedule, draft, torso, model)
    center_of_mass, masses = plan_centre_of_mass(draft, torso.trajectory, model)
    contact = plan_contacts(schedule)
    if draft.begin_time > contact.start:  # it goes on in the middle of a transition
        contact = contact.cut(draft.begin_time, contact.end)
    curves = MotionCurves(
        **draft.limbs,
        torso=torso.trajectory,
        center_of_mass=center_of_mass,
        momentum=torso.momentum,
        contact=contact,
    )
    # The samples of legs are most of a motion's memory, and nobody but the check below wants them.
    kept = replace(torso, legs=torso.legs[:0].copy())
    part = SequenceMotion(phase_table(schedule, areas, model, first=first), curves, kept)
    clock.stage_done("centre of mass")
    if check:
        if body is not None:
            check_arms(schedule, curves, body)
        check_motion(PlannedSequence(schedule, part.phases, draft, torso, masses, model, parameters))
        clock.stage_done("check")
    return part


class StageClock:
    """Sums up the CPU time that each stage takes, s, one stage after the other."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.thread_time()

    def stage_done(self, name: str) -> None:
        """A stage ends that began when the one before ended."""
        now = time.thread_time()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self._last
        self._last = now

    def parts_done(self, seconds: Mapping[str, float]) -> None:
        """A stage ends whose parts took these times, s."""
        for name, value in seconds.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + value
        self._last = time.thread_time()
