"""Stage 3: which phases each transition has and how long they last (spec 003c section 5.1).

A sequence begins and ends with a load switch, and load switches alternate with motion. The poses of all transitions are
gathered here as arrays, which all later stages work on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from footfall.gait.plan import InvalidTransition, TransitionSequence
from footfall.gait.poses import PoseRow, changed_parts
from footfall.motion.parameters import PhaseParameters

Array = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]
Integers = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, eq=False)
class Schedule:
    """Poses and phases of a sequence as arrays.

    begin, end (K, 50): rows of poses, see `PoseRow`. moving (K, 6): whether RF, LF, RH, LH, upper body and head move.
    swing_timing, step_height (K,); step_height is NaN for the default. transition (P,): of each phase. motion (P,):
    whether it is a motion phase. times (P + 1,): borders of the phases, s.
    """

    begin: Array
    end: Array
    moving: Flags
    swing_timing: Array
    step_height: Array
    transition: Integers
    motion: Flags
    times: Array

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

    @property
    def pose_times(self) -> Array:
        """When the robot is in the begin pose of the first transition and in the end pose of each, (K + 1,), s."""
        last = np.append(self.transition[1:] != self.transition[:-1], True)
        return np.append(self.times[0], self.times[1:][last])


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
    begin = np.array([transition.begin.row for transition in transitions])
    end = np.array([transition.end.row for transition in transitions])
    changed = changed_parts(begin, end)
    held = np.zeros(len(transitions), dtype=np.bool_)
    for number, transition in enumerate(transitions):
        if transition.enforced:
            _enforce(changed[number], transition.enforced, int(begin[number, PoseRow.STANCE]))
            held[number] = "pose" in transition.enforced
    moves = changed.any(axis=1) | held
    _check_order(moves)

    shortest = parameters.load_switch_share * parameters.transition_s
    durations, owner, motion = [], [], []
    count = len(transitions)
    for number, (transition, moving) in enumerate(zip(transitions, moves.tolist(), strict=True)):
        switches = not moving or number == 0 or bool(moves[number - 1])
        custom = transition.duration
        total = parameters.transition_s if custom is None else custom
        if switches:
            switch = total if custom is not None and not moving else parameters.load_switch_share * total
            # The last counts before the first: a sequence that only stands has one load switch.
            if number == count - 1 and custom is None:
                switch = parameters.last_factor * shortest
            elif number == 0 and not continues:
                # From rest the weight needs its time to come over a foot, however fast the step is.
                switch = max(switch, parameters.first_factor * shortest)
            durations.append(switch)
            owner.append(number)
            motion.append(False)
        if moving:
            whole = custom is not None and not switches
            durations.append(total if whole else (1.0 - parameters.load_switch_share) * total)
            owner.append(number)
            motion.append(True)
    times = begin_time + np.concatenate([[0.0], np.cumsum(durations)])
    return Schedule(
        begin,
        end,
        np.ascontiguousarray(changed[:, :6]),
        np.array([transition.swing_timing for transition in transitions]),
        np.array([np.nan if t.step_height is None else t.step_height for t in transitions]),
        np.array(owner),
        np.array(motion),
        times,
    )


def _enforce(changed: Flags, enforced: frozenset[str], stance: int) -> None:
    if "foot" in enforced:
        changed[1 - stance] = True
    if "RH" in enforced:
        changed[2] = True
    if "LH" in enforced:
        changed[3] = True
    if "upper_body" in enforced:
        changed[4] = True


def _check_order(moves: Flags) -> None:
    if moves[-1]:
        raise InvalidTransition(
            len(moves) - 1,
            "it is the last one and moves something; a sequence must end with a transition at rest",
        )
    still = np.flatnonzero(~moves[1:] & ~moves[:-1])
    if len(still):
        raise InvalidTransition(
            int(still[0]) + 1,
            "nothing moves in it nor in the one before; enforce motion to hold a pose, or leave it out",
        )
