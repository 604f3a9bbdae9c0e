"""Stage 3: which phases each transition has and how long they last (Seiwald 2023).

A sequence begins and ends with a load switch, and load switches alternate with motion. The poses of all transitions are
gathered here as arrays of records, which all later stages work on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.routines import ArrayOf, new_records, routine
from footfall.errors import InvalidTransition
from footfall.gait.plan import Transition, TransitionSequence
from footfall.gait.pose_records import Changes, PoseRecord, changed_parts, pose_array
from footfall.motion.parameters import PhaseParameters


class Schedule(NamedTuple):
    """Poses and phases of a sequence of K transitions with P phases.

    begin, end (K,): poses. moving (K,): what moves. swing_timing, step_height (K,); step_height is NaN for the default.
    transition (P,): of each phase. motion (P,): whether it is a motion phase. times (P + 1,): borders of the phases, s.
    pose_times (K + 1,): when the robot is in the begin pose of the first transition and in the end pose of each, s.
    """

    begin: ArrayOf[PoseRecord]
    end: ArrayOf[PoseRecord]
    moving: ArrayOf[Changes]
    swing_timing: Array
    step_height: Array
    transition: Integers
    motion: Flags
    times: Array
    pose_times: Array

    def pose(self, number: int) -> PoseRecord:
        """In routines: the begin pose of the first transition, then the end pose of each."""
        return self.begin[0] if number == 0 else self.end[number - 1]

    @property
    def com_heights(self) -> Array:
        """Wanted heights (K + 1,) of the centre of mass in these poses, m."""
        return np.concatenate([self.begin["com_height"][:1], self.end["com_height"]])


def plan_phases(
    sequence: TransitionSequence,
    parameters: PhaseParameters,
    *,
    begin_time: float = 0.0,
    continues: bool = False,
) -> Schedule:
    """Phases of a sequence that begins at a time, s. continues: it goes on from a plan that runs, so that its first
    load switch is one as any other."""
    transitions = sequence.transitions
    begin = pose_array([transition.begin.record for transition in transitions])
    end = pose_array([transition.end.record for transition in transitions])
    moving, held = new_records(Changes, len(transitions)), np.zeros(len(transitions), dtype=np.bool_)
    changed_parts(begin, end, moving)
    for number, transition in enumerate(transitions):
        if transition.enforced:
            _enforce(moving[number], transition)
            held[number] = "pose" in transition.enforced
    durations = _numbers([transition.duration for transition in transitions])
    phases = lay_out_phases(moving, held, durations, parameters, begin_time, continues)
    if phases.fault:
        raise InvalidTransition(phases.faulty, _FAULTS[phases.fault])
    return Schedule(
        begin,
        end,
        moving,
        _numbers([transition.swing_timing for transition in transitions]),
        _numbers([transition.step_height for transition in transitions]),
        phases.transition,
        phases.motion,
        phases.times,
        phases.pose_times,
    )


_LAST_MOVES, _STILL_TWICE = 1, 2
_FAULTS = {
    _LAST_MOVES: "it is the last one and moves something; a sequence must end with a transition at rest",
    _STILL_TWICE: "nothing moves in it nor in the one before; enforce motion to hold a pose, or leave it out",
}


class Phases(NamedTuple):
    """Phases as in a `Schedule`. fault: 0, or what is wrong with the transition `faulty`."""

    transition: Integers
    motion: Flags
    times: Array
    pose_times: Array
    fault: int
    faulty: int


@routine(quick=True)
def lay_out_phases(
    moving: ArrayOf[Changes],
    held: Flags,
    durations: Array,
    parameters: PhaseParameters,
    begin_time: float,
    continues: bool,
) -> Phases:
    """Load switches and motions of all transitions.

    moving, held (K,): what moves, and whether a pose is held as if something did. durations (K,): NaN if as usual.
    """
    usual, share = parameters.transition_s, parameters.load_switch_share
    owner: list[int] = []
    motion: list[bool] = []
    times: list[float] = []
    pose_times: list[float] = []
    fault, faulty = 0, 0
    last, now, moved = len(durations) - 1, begin_time, True
    times.append(now)
    pose_times.append(now)
    for k in range(last + 1):
        moves = held[k] or moving[k].any()
        if moves and k == last:
            fault, faulty = _LAST_MOVES, k
            break
        if not moves and not moved:
            fault, faulty = _STILL_TWICE, k
            break
        custom = not np.isnan(durations[k])
        total = durations[k] if custom else usual
        switches = not moves or k == 0 or moved
        if switches:
            switch = total if custom and not moves else share * total
            # The last counts before the first: a sequence that only stands has one load switch.
            if k == last and not custom:
                switch = parameters.last_factor * share * usual
            elif k == 0 and not continues:
                # From rest the weight needs its time to come over a foot, however fast the step is.
                switch = max(switch, parameters.first_factor * share * usual)
            now += switch
            owner.append(k)
            motion.append(False)
            times.append(now)
        if moves:
            now += total if custom and not switches else (1.0 - share) * total
            owner.append(k)
            motion.append(True)
            times.append(now)
        pose_times.append(now)
        moved = moves
    return Phases(np.array(owner), np.array(motion), np.array(times), np.array(pose_times), fault, faulty)


def _numbers(values: list[float] | list[float | None]) -> Array:
    """As an array, NaN for what is not given."""
    return np.array(values, dtype=np.float64)


def _enforce(moving: np.void, transition: Transition) -> None:
    """Let parts move that are where they shall be."""
    parts = {"RH": "right_hand", "LH": "left_hand", "upper_body": "upper_body"}
    parts["foot"] = "right_foot" if transition.begin.stance == "LF" else "left_foot"
    for part in transition.enforced & parts.keys():
        moving[parts[part]] = True
