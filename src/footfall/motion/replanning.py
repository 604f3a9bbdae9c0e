"""Replanning: a motion that is being executed gets another future, without a jump.

Seiwald 2023, sections 4.5.5 and 5.5.
The transition that runs when planning will be done is finished; what comes after it is replaced. Feet, hands and
rotations rest between transitions; zero-moment point, load, toes and torso go on from where they are. A robot whose
feet have landed beside their plan goes on from there: its motion is displaced in the plane.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.making_time import running_seconds
from footfall.errors import InvalidInput, InvalidTransition, TooLate
from footfall.gait.moved import with_poses
from footfall.gait.plan import Action, MotionPlan, Transition, TransitionSequence, cut_front
from footfall.gait.poses import FootContact, FootState, RobotPose
from footfall.gait.walking_transitions import closing_transitions
from footfall.motion.curves import join_curves
from footfall.motion.motion import Motion, PhaseTable, join_tables
from footfall.motion.pipeline import MotionState, gait_dimensions, generate_sequence
from footfall.motion.samples import ROTATIONS
from footfall.motion.support import SupportAreas

_UPPER_BODY = ROTATIONS.index("upper_body")
_MOVED = ("zmp", "right_foot", "left_foot", "torso", "center_of_mass")


class Continuation(NamedTuple):
    """Where a motion can be continued: after a transition of a sequence, in a pose, at a time, s. now: when that was
    asked, s; transitions that had ended by then are over."""

    sequence: int
    transition: int
    pose: RobotPose
    time: float
    now: float = -math.inf


@dataclass(frozen=True)
class RunTimeModel:
    """Predicts how long planning takes: base and per_transition in s, times a margin. It learns from what was measured.

    The estimate rises at once with a slow run and falls slowly with fast ones: being late costs more than waiting.
    """

    base: float = 2e-3
    per_transition: float = 3e-4
    margin: float = 2.0
    forgetting: float = 0.1

    def predict(self, transitions: int) -> float:
        """Run time for a number of transitions, s."""
        return self.margin * (self.base + self.per_transition * transitions)

    def observed(self, transitions: int, seconds: float) -> RunTimeModel:
        """The model after a run of that many transitions took that many seconds."""
        expected = self.base + self.per_transition * transitions
        ratio = seconds / expected
        factor = ratio if ratio > 1.0 else 1.0 + self.forgetting * (ratio - 1.0)
        return replace(self, base=self.base * factor, per_transition=self.per_transition * factor)


def continuation(motion: Motion, now: float, *, run_time: float = 0.0) -> Continuation:
    """Where a motion can be continued if planning starts now, s, and takes a run time, s."""
    ready = now + run_time
    for sequence, transition, begin, end in motion.plan.spans():
        if begin <= ready < end or (ready < begin and sequence == transition == 0):
            return Continuation(
                sequence, transition, motion.plan.sequences[sequence].transitions[transition].end, end, now
            )
    raise TooLate(f"the motion ends at {motion.end_time:.3f} s; planning would be done at {ready:.3f} s")


def replan(
    motion: Motion,
    at: Continuation,
    transitions: Sequence[Transition],
    *,
    action: Action | None = None,
    check: bool = True,
    keep_past: bool = False,
) -> Motion:
    """The motion up to a continuation, then other transitions; sequences after the running one are dropped.

    transitions: begin with the pose of the continuation and end with a transition at rest; refusals count them from 0.
    action: that they belong to, by default the running one. check: as for `generate_motion`. keep_past: whether
    transitions that are over are kept; a motion that is replanned at every step would grow and grow.
    """
    if not transitions:
        raise InvalidInput("no transitions to continue with; a plan must end at rest")
    if not transitions[0].begin.equivalent(at.pose):
        raise InvalidInput("the new transitions must begin with the pose in which the plan is continued")
    whole = motion.plan
    plan = whole if keep_past else cut_front(whole, at.now)
    over = len(whole.transitions) - len(plan.transitions)
    done = sum(len(sequence.transitions) for sequence in whole.sequences[: at.sequence]) + at.transition + 1
    before = plan.sequences[: at.sequence - len(whole.sequences)]
    running = plan.sequences[len(before)]
    kept = running.transitions[: done - over - sum(len(sequence.transitions) for sequence in before)]
    action = running.action if action is None else action
    tail = TransitionSequence(action, tuple(transitions))
    resting = len(kept) == len(running.transitions)
    part = generate_sequence(
        tail,
        motion.model,
        motion.parameters,
        begin_time=at.time,
        first=done - over,
        start=None if resting else motion_state(motion, at.time),
        body=motion.body,
        check=check,
    )
    first, last = (int(np.searchsorted(motion.phases.transition, number)) for number in (over, done))
    begin = float(motion.phases.times[first])
    joined = (running, tail) if resting else (TransitionSequence(action, (*kept, *tail.transitions)),)
    used = [torso for torso in motion.torso if torso.times[0] < at.time and torso.times[-1] > begin]
    return Motion(
        MotionPlan((*before, *joined), begin),
        join_tables([motion.phases.part(first, last), part.phases]),
        join_curves([motion.curves.cut(begin, at.time), part.curves]),
        motion.model,
        motion.parameters,
        (*used, part.torso),
        body=motion.body,
    )


def motion_state(motion: Motion, time: float) -> MotionState:
    """What a motion is continued from at a time between transitions, s."""
    # The values just before the border: at it the later segment counts. Before a motion begins there are none.
    before = motion.sample(max(np.nextafter(time, -np.inf), motion.begin_time))
    load = np.concatenate([before.load, before.wrenches.reshape(3, 12)], axis=1)
    return MotionState(
        before.zmp[0], load, before.torso, before.toes, before.momentum, before.rotations[_UPPER_BODY]
    )


def stop_motion(motion: Motion, now: float, *, run_time: float = 0.0) -> Motion:
    """The motion that comes to rest as soon as it can: after the running transition the robot closes its feet; see
    `stop_after`."""
    return stop_after(motion, continuation(motion, now, run_time=run_time))


_ENDING = 2  # transitions that bring a motion to rest: a closing step and the last shift of load
_PACES = (1.0, 1.25, 1.5, 0.8)  # durations of a closing step that are tried, in those of the step it replaces


def stop_after(motion: Motion, at: Continuation) -> Motion:
    """The motion that comes to rest as soon as it can after a continuation.

    A running motion has its divergent component where its next step needs it: a closing step that is much quicker
    throws the zero-moment point out of the soles. So it has the pace of the step that it replaces. Where the motion
    generator refuses it all the same, or the foot would stand on tiptoe, the planned step is made, and feet are closed
    after it; in the end the motion comes to rest by itself: there is always a stop. The motion itself, if it cannot be
    stopped or ends already.
    """
    running = motion.plan.sequences[at.sequence]
    last = len(running.transitions) - 1
    if not running.action.stoppable:
        return motion
    dimensions, usual = gait_dimensions(motion.model), motion.parameters.phase.transition_s
    for kept in range(at.transition, last - _ENDING):
        ahead = running.transitions[at.transition + 1 : kept + 1]
        pose = at.pose if not ahead else ahead[-1].end
        # Feet are not closed beside one on tiptoe: behind its toe pad is the edge from which it has come down.
        if pose.stance_foot.contact is FootContact.TIPTOE:
            continue
        replaced = running.transitions[kept + 1].duration or usual
        for pace in _PACES:
            closing = closing_transitions(pose, dimensions, duration=pace * replaced)
            with suppress(InvalidTransition):
                return replan(motion, at, (*(replace(each, phases=()) for each in ahead), *closing))
    return motion


class Replanner:
    """Replans again and again and learns how long that takes: CPU time, without making native code, which happens
    once. model: the prediction that holds now."""

    def __init__(self, model: RunTimeModel | None = None) -> None:
        self.model = RunTimeModel() if model is None else model

    def __call__(
        self, motion: Motion, now: float, steps: Callable[[RobotPose], Sequence[Transition]], *, expected: int
    ) -> Motion:
        """A motion that goes on with the transitions that `steps` gives for the pose where it is continued.

        now: s. expected: about how many transitions that will be, for the prediction of the run time.
        """
        begin = running_seconds()
        at = continuation(motion, now, run_time=self.model.predict(expected))
        transitions = steps(at.pose)
        replanned = replan(motion, at, transitions)
        self.model = self.model.observed(len(transitions), running_seconds() - begin)
        return replanned


def displaced(motion: Motion, by: Array) -> Motion:
    """The motion displaced by (3,), m; hands stay at what they touch."""
    curves = {name: getattr(motion.curves, name).mapped(np.eye(3), by) for name in _MOVED}
    return replace(
        motion,
        given=displaced_plan(motion.given, by),
        phases=_moved_phases(motion.phases, by),
        curves=replace(motion.curves, **curves),
    )


def displaced_plan(plan: MotionPlan, by: Array) -> MotionPlan:
    """The plan with its feet displaced by (3,), m."""
    sequences = [with_poses(sequence, lambda pose: displaced_pose(pose, by)) for sequence in plan.sequences]
    return replace(plan, sequences=tuple(sequences))


def displaced_pose(pose: RobotPose, by: Array) -> RobotPose:
    """The pose with its feet displaced by (3,), m."""
    right, left = (_moved_foot(foot, by) for foot in pose.feet)
    return replace(pose, right_foot=right, left_foot=left, com_height=pose.com_height + float(by[2]))


def _moved_foot(foot: FootState, by: Array) -> FootState:
    x, y, z = (np.array(foot.position) + by).tolist()
    return replace(foot, position=(x, y, z))


def _moved_phases(phases: PhaseTable, by: Array) -> PhaseTable:
    areas, soles = (
        SupportAreas(each.corners + np.asarray(by)[:2], each.sizes) for each in (phases.areas, phases.soles)
    )
    return replace(phases, areas=areas, soles=soles)
