"""Stage 3: which phases each transition has and how long they last (spec 003c section 5.1).

A sequence begins and ends with a load switch, and load switches alternate with motion. The poses of all transitions are
gathered here as arrays, which all later stages work on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.errors import InvalidTransition
from footfall.gait.plan import TransitionSequence
from footfall.gait.poses import PoseRow, changed_parts
from footfall.motion.parameters import PhaseParameters
from footfall.motion.schedule_loops import LAST_MOVES, STILL_TWICE, lay_out_phases


@dataclass(frozen=True, eq=False)
class Schedule:
    """Poses and phases of a sequence as arrays.

    begin, end (K, 50): rows of poses, see `PoseRow`. moving (K, 6): whether RF, LF, RH, LH, upper body and head move.
    swing_timing, step_height (K,); step_height is NaN for the default. transition (P,): of each phase. motion (P,):
    whether it is a motion phase. times (P + 1,): borders of the phases, s. pose_times (K + 1,): when the robot is in
    the begin pose of the first transition and in the end pose of each, s.
    """

    begin: Array
    end: Array
    moving: Flags
    swing_timing: Array
    step_height: Array
    transition: Integers
    motion: Flags
    times: Array
    pose_times: Array

    @property
    def stance(self) -> Integers:
        """Stance foot of the begin poses (K,): 0 for RF, 1 for LF."""
        return self.begin[:, PoseRow.STANCE].astype(np.int64)

    @cached_property
    def motion_transition(self) -> Integers:
        """Transition of each motion phase (M,)."""
        return self.transition[self.motion]

    @cached_property
    def motion_begin(self) -> Array:
        """Begin of each motion phase (M,), s."""
        return self.times[:-1][self.motion]

    @cached_property
    def motion_end(self) -> Array:
        """End of each motion phase (M,), s."""
        return self.times[1:][self.motion]

    @cached_property
    def poses(self) -> Array:
        """Rows of the begin pose of the first transition and of the end pose of each, (K + 1, 50)."""
        return np.concatenate([self.begin[:1], self.end])


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
    count = len(transitions)
    begin = np.concatenate([transition.begin.row for transition in transitions]).reshape(count, -1)
    end = np.concatenate([transition.end.row for transition in transitions]).reshape(count, -1)
    changed, held = changed_parts(begin, end), np.zeros(count, dtype=np.bool_)
    for number, transition in enumerate(transitions):
        if transition.enforced:
            _enforce(changed[number], transition.enforced, int(begin[number, PoseRow.STANCE]))
            held[number] = "pose" in transition.enforced
    owner, motion = np.empty(2 * count, dtype=np.int64), np.empty(2 * count, dtype=np.bool_)
    times, pose_times = np.empty(2 * count + 1), np.empty(count + 1)
    times[0] = begin_time
    size, faulty = lay_out_phases(
        changed,
        held,
        _numbers([transition.duration for transition in transitions]),
        np.array(
            [
                parameters.transition_s,
                parameters.load_switch_share,
                parameters.first_factor,
                parameters.last_factor,
            ]
        ),
        continues,
        owner,
        motion,
        times,
        pose_times,
    )
    if size < 0:
        raise InvalidTransition(faulty, _FAULTS[size])
    return Schedule(
        begin,
        end,
        np.ascontiguousarray(changed[:, :6]),
        _numbers([transition.swing_timing for transition in transitions]),
        _numbers([transition.step_height for transition in transitions]),
        owner[:size],
        motion[:size],
        times[: size + 1],
        pose_times,
    )


_FAULTS = {
    LAST_MOVES: "it is the last one and moves something; a sequence must end with a transition at rest",
    STILL_TWICE: "nothing moves in it nor in the one before; enforce motion to hold a pose, or leave it out",
}


def _numbers(values: list[float] | list[float | None]) -> Array:
    """As an array, NaN for what is not given."""
    return np.array(values, dtype=np.float64)


def _enforce(changed: Flags, enforced: frozenset[str], stance: int) -> None:
    if "foot" in enforced:
        changed[1 - stance] = True
    if "RH" in enforced:
        changed[2] = True
    if "LH" in enforced:
        changed[3] = True
    if "upper_body" in enforced:
        changed[4] = True
