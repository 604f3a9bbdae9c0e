"""A swing foot that is set down earlier than planned: the step that runs is cut short, and the robot closes its feet.

Replanning finishes the running step, which takes the robot on by up to its whole length. Here the foot in the air goes
to another foothold: its way is blended into that of the shorter step, and the torso goes on from where it is. Height
and rotation of the foot stay as they were planned, so this is for level ground. Beyond the source (Seiwald 2023,
section 5.5), which finishes what runs.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from footfall.errors import InvalidTransition
from footfall.gait.plan import MotionPlan, Transition, TransitionSequence
from footfall.gait.poses import FootContact, FootState, RobotPose
from footfall.gait.walking_transitions import closing_transitions
from footfall.math.interpolation import hermite_pieces
from footfall.math.trajectories import PolynomialTrajectory, join, union_of_times
from footfall.motion.curves import join_curves, join_rotations
from footfall.motion.draft import Draft
from footfall.motion.motion import Motion, join_tables
from footfall.motion.pipeline import (
    StageClock,
    draft_sequence,
    finish_sequence,
    gait_dimensions,
)
from footfall.motion.replanning import motion_state
from footfall.motion.samples import ROTATIONS

_LATEST = 0.3  # s before a foot lands: until then it may go elsewhere
_BRIEF = 0.05  # s before a foot lands, in which nothing is changed any more
_LANDS = 0.8  # of the time until it lands, in which its way is blended into the other one
_STILL = 1e-6  # m/s: a torso that is slower rests
_SAME_TIME = 1e-6  # s
_GRID = 0.02  # s between break points of blended curves
_EVEN = 0.025  # m, by which footholds may differ in height: reflexes of feet bear it
_LIMBS = ("zmp", "right_foot", "left_foot", "right_hand", "left_hand", "right_toe", "left_toe", "load")
_SELECTIONS = ("right_selection", "left_selection")


def can_set_down(motion: Motion, ready: float) -> bool:
    """Whether the step that runs at a time, s, can be cut short then: feet on level ground, whole soles, no hand that
    touches or goes to touch something, and time enough before the foot lands. A flywheel leans until its step ends."""
    where = _running(motion, ready)
    if where is None or motion.parameters.torso.generator == "flywheel":
        return False
    sequence, number, _, end = where
    running = motion.plan.sequences[sequence]
    if not running.action.replannable or number >= len(running.transitions) - 2 or end - ready < _LATEST:
        return False
    before, after = running.transitions[number].begin, running.transitions[number].end
    swung = after.foot(before.swing)
    feet = (before.foot(before.swing), before.stance_foot, swung)
    level = max(foot.position[2] for foot in feet) - min(foot.position[2] for foot in feet) < _EVEN
    whole = all(foot.contact is FootContact.FULL for foot in feet)
    hands = any(hand.task_space for pose in (before, after) for hand in pose.hands)
    return level and whole and not hands and swung.position != before.foot(before.swing).position


def set_down(motion: Motion, ready: float, share: float, *, pace: float = 1.0) -> Motion:
    """The motion whose running step, at a time, s, ends after a share of its way, and that comes to rest by closing
    feet. pace: duration of the closing step in that of the running one. Refused with `InvalidTransition` if that cannot
    be walked; see `can_set_down`."""
    where = _running(motion, ready)
    assert where is not None
    at, number, begin, end = where
    running = motion.plan.sequences[at]
    step = running.transitions[number]
    pose = shortened(step, share)
    usual = motion.parameters.phase.transition_s
    closing = closing_transitions(
        pose, gait_dimensions(motion.model), duration=pace * (step.duration or usual)
    )
    tail = TransitionSequence(running.action, (replace(step, end=pose, phases=()), *closing))
    clock = StageClock()
    before = sum(len(each.transitions) for each in motion.plan.sequences[:at]) + number
    state = motion_state(motion, begin)
    # The first step goes on from another one if the front of the motion was cut off.
    resting = number == 0 and float(np.abs(state.torso[1]).max()) < _STILL
    drafted = draft_sequence(
        tail,
        motion.model,
        motion.parameters,
        begin_time=begin,
        start=None if resting else state,
        clock=clock,
    )
    if abs(float(drafted.draft.pose_times[1]) - end) > _SAME_TIME:
        raise InvalidTransition(number, "it runs, and would end at another time")
    drafted = drafted._replace(draft=_blended(motion, drafted.draft, ready, end))
    part = finish_sequence(
        drafted, motion.model, motion.parameters, first=before, body=motion.body, clock=clock
    )
    first = int(np.searchsorted(motion.phases.transition, before))
    kept = TransitionSequence(running.action, (*running.transitions[:number], *tail.transitions))
    tables = [motion.phases.part(0, first), part.phases] if first > 0 else [part.phases]
    return Motion(
        MotionPlan((*motion.plan.sequences[:at], kept), motion.begin_time),
        join_tables(tables),
        join_curves([motion.curves.cut(motion.begin_time, ready), part.curves]),
        motion.model,
        motion.parameters,
        (*(torso for torso in motion.torso if torso.times[0] < ready), part.torso),
        body=motion.body,
    )


def shortened(step: Transition, share: float) -> RobotPose:
    """The pose in which a step ends whose foot is set down after a share of its way."""
    begin, end = step.begin.foot(step.begin.swing), step.end.foot(step.begin.swing)
    offset = np.array(end.position) - np.array(begin.position)
    x, y, _ = (np.array(begin.position) + share * offset).tolist()
    foot = FootState((x, y, end.position[2]), end.rotation, end.closed, end.contact)
    if step.begin.swing == "RF":
        return replace(step.end, right_foot=foot)
    return replace(step.end, left_foot=foot)


def _running(motion: Motion, ready: float) -> tuple[int, int, float, float] | None:
    for sequence, transition, begin, end in motion.plan.spans():
        if begin <= ready < end:
            return sequence, transition, begin, end
    return None


def _blended(motion: Motion, other: Draft, ready: float, landing: float) -> Draft:
    """The curves of a motion until a time, s, that become those of another draft before the foot lands."""
    curves, end = motion.curves, other.end_time
    until = ready + _LANDS * (landing - ready)
    changed: dict[str, Any] = {}
    for name in _LIMBS:
        old, new = getattr(curves, name), getattr(other, name)
        blend = _blend(old, new, ready, until)
        if name in ("right_foot", "left_foot"):  # as high as it was: the sole turns over as it did
            blend, new = _as_high(blend, old), _as_high(new, old, ready, landing)
        changed[name] = join([blend, new.cut(until, end)])
    for name in _SELECTIONS:
        changed[name] = getattr(other, name).cut(ready, end)
    for name in ROTATIONS:
        parts = [getattr(curves, name).cut(ready, landing), getattr(other, name).cut(landing, end)]
        changed[name] = join_rotations(parts)
    state = motion_state(motion, ready)
    times = other.pose_times.copy()
    times[0] = ready
    return replace(other, **changed, pose_times=times, torso_start=state.torso, momentum_start=state.momentum)


def _grid(begin: float, end: float, *times: Any) -> Any:
    inside = [each[(each > begin) & (each < end)] for each in times]
    count = max(int(np.ceil((end - begin) / _GRID)), 1)
    return union_of_times(np.linspace(begin, end, count + 1), *inside)


def _blend(
    old: PolynomialTrajectory, new: PolynomialTrajectory, begin: float, end: float
) -> PolynomialTrajectory:
    """From one curve to the other between two times, s, with two continuous derivatives."""
    times = _grid(begin, end, old.times, new.times)
    inside = np.clip(times, begin, np.nextafter(end, -np.inf))
    first, away = old.sample(inside), new.sample(inside) - old.sample(inside)
    s, span = (times - begin) / (end - begin), end - begin
    share = (s**3 * (10.0 - 15.0 * s + 6.0 * s * s))[:, None]
    rate = (30.0 * s * s * (1.0 - s) ** 2 / span)[:, None]
    change = (60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / span**2)[:, None]
    value = first[0] + share * away[0]
    velocity = first[1] + rate * away[0] + share * away[1]
    acceleration = first[2] + change * away[0] + 2.0 * rate * away[1] + share * away[2]
    return PolynomialTrajectory.unchecked(times, hermite_pieces(times, value, velocity, acceleration))


def _as_high(
    curve: PolynomialTrajectory,
    old: PolynomialTrajectory,
    begin: float | None = None,
    landing: float | None = None,
) -> PolynomialTrajectory:
    """A curve with the height of another one: everywhere, or between two times, s."""
    first, last = curve.start if begin is None else begin, curve.end if landing is None else landing
    times = _grid(first, last, curve.times, old.times)
    inside = np.clip(times, first, np.nextafter(last, -np.inf))
    sampled = curve.sample(inside)
    sampled[:, :, 2] = old.sample(inside)[:, :, 2]
    made = PolynomialTrajectory.unchecked(times, hermite_pieces(times, *sampled))
    return made if last >= curve.end else join([made, curve.cut(last, curve.end)])


def stop_at_once(motion: Motion, ready: float) -> Motion | None:
    """The motion that comes to rest by closing feet after the running step, which ends where it was planned to: its
    torso goes another way from a time, s, on and not from the next landing on. None if that cannot be walked."""
    where = _running(motion, ready)
    if where is None or motion.parameters.torso.generator == "flywheel":
        return None
    sequence, number, _, end = where
    running = motion.plan.sequences[sequence]
    if not running.action.replannable or number >= len(running.transitions) - 2 or end - ready < _BRIEF:
        return None
    if running.transitions[number].end.stance_foot.contact is FootContact.TIPTOE:
        return None  # see `stop_after`
    with suppress(InvalidTransition):
        return set_down(motion, ready, 1.0)
    return None


# Of the way of a step: beside the other foot or little behind, ...
_SHARES = (0.35, 0.45, 0.55, 0.65, 0.75, 0.85)
_PACES = (1.0, 1.25)


def earliest_stop(motion: Motion, ready: float, stands: Callable[[RobotPose], bool]) -> Motion | None:
    """The motion whose running step is cut short as much as can be walked, None if it cannot be. stands: whether the
    stance foot of a pose may stand where it is."""
    where = _running(motion, ready)
    if where is None or not can_set_down(motion, ready):
        return None
    sequence, number, _, _ = where
    step = motion.plan.sequences[sequence].transitions[number]
    for share in _SHARES:
        if stands(shortened(step, share)):
            for pace in _PACES:
                with suppress(InvalidTransition):
                    return set_down(motion, ready, share, pace=pace)
    return None
