"""A generated motion: the plan, its phases and all its trajectories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.gait.plan import MotionPlan, Phase, PhaseKind
from footfall.math.polygons import boundary_distance
from footfall.motion.curves import MotionCurves
from footfall.motion.parameters import MotionParameters
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import MotionSamples
from footfall.motion.schedule import Schedule
from footfall.motion.support import SupportAreas, unshrunk_support
from footfall.motion.torso import TorsoPlan
from footfall.motion.whole_body import WholeBody


@dataclass(frozen=True, eq=False)
class PhaseTable:
    """Phases of a motion in order. times (P + 1,): borders, s. motion (P,): whether it is a motion phase. transition
    (P,): its number, over all sequences. areas: shrunk support areas; soles: of whole soles."""

    times: Array
    motion: Flags
    transition: Integers
    areas: SupportAreas
    soles: SupportAreas

    def at(self, times: Any) -> Integers:
        """Number of the phase at each of the times (k,); the first or last outside."""
        index = np.searchsorted(self.times, np.asarray(times), side="right") - 1
        return np.asarray(np.clip(index, 0, len(self.motion) - 1))

    def margins(self, times: Array, points: Array) -> Array:
        """Distance (k,) of points (k, 2) from the border of the area below whole soles at times (k,), m, negative
        outside."""
        phases, margins = self.at(times), np.empty(len(times))
        for phase in np.unique(phases):
            here = phases == phase
            margins[here] = boundary_distance(self.soles.polygon(int(phase)), points[here])
        return margins

    def part(self, first: int, last: int) -> PhaseTable:
        """The phases from number `first` to before `last`; their transitions are counted from 0."""
        return PhaseTable(
            self.times[first : last + 1],
            self.motion[first:last],
            self.transition[first:last] - self.transition[first],
            SupportAreas(self.areas.corners[first:last], self.areas.sizes[first:last]),
            SupportAreas(self.soles.corners[first:last], self.soles.sizes[first:last]),
        )


@dataclass(frozen=True, eq=False)
class Motion:
    """What the generator gives. given: the plan as it was asked for. torso: how the torso was found, one a sequence or
    part of it. seconds: what each stage took, by its name. body: the robot that it was made for, if it was."""

    given: MotionPlan
    phases: PhaseTable
    curves: MotionCurves
    model: ReducedModel
    parameters: MotionParameters
    torso: tuple[TorsoPlan, ...]
    seconds: dict[str, float] = field(default_factory=dict)
    body: WholeBody | None = None

    def __repr__(self) -> str:
        count = len(self.given.transitions)
        return (
            f"Motion of {self.model.name!r}: {count} transition{'' if count == 1 else 's'}, "
            f"{len(self.phases.motion)} phases, {self.begin_time:.6g} to {self.end_time:.6g} s"
        )

    @cached_property
    def plan(self) -> MotionPlan:
        """The plan with the phases of its transitions."""
        phases: list[list[Phase]] = [[] for _ in self.given.transitions]
        durations = np.diff(self.phases.times).tolist()
        table = zip(self.phases.transition.tolist(), self.phases.motion.tolist(), durations, strict=True)
        for transition, motion, duration in table:
            phases[transition].append(Phase(PhaseKind.MOTION if motion else PhaseKind.LOAD_SWITCH, duration))
        timed = iter(
            [
                replace(transition, phases=tuple(own))
                for transition, own in zip(self.given.transitions, phases, strict=True)
            ]
        )
        sequences = [
            replace(sequence, transitions=tuple(islice(timed, len(sequence.transitions))))
            for sequence in self.given.sequences
        ]
        return replace(self.given, sequences=tuple(sequences))

    @property
    def begin_time(self) -> float:
        """First time, s."""
        return self.curves.start

    @property
    def end_time(self) -> float:
        """Last time, s."""
        return self.curves.end

    @property
    def duration(self) -> float:
        """End minus begin, s."""
        return self.curves.end - self.curves.start

    @property
    def overlaps(self) -> Array:
        """Times at which no height of the torso is good for both legs (n,), s."""
        return np.concatenate([plan.overlaps for plan in self.torso])

    def sample(self, times: Any) -> MotionSamples:
        """All quantities with two derivatives at times (k,), s, in one native call."""
        return self.curves.sample(times)

    def snapshot(self, time: float) -> MotionSamples:
        """All quantities with two derivatives at one time, s."""
        return self.curves.snapshot(time)


def phase_table(
    schedule: Schedule, areas: SupportAreas, model: ReducedModel, *, first: int = 0
) -> PhaseTable:
    """Phases of a sequence whose transitions are counted from `first`."""
    return PhaseTable(
        schedule.times, schedule.motion, schedule.transition + first, areas, unshrunk_support(schedule, model)
    )


def join_tables(parts: Sequence[PhaseTable]) -> PhaseTable:
    """Phases one after the other; the numbers of their transitions stay."""
    if len(parts) == 1:
        return parts[0]
    areas, soles = (
        SupportAreas(
            np.concatenate([getattr(part, name).corners for part in parts]),
            np.concatenate([getattr(part, name).sizes for part in parts]),
        )
        for name in ("areas", "soles")
    )
    return PhaseTable(
        np.concatenate([parts[0].times, *(part.times[1:] for part in parts[1:])]),
        np.concatenate([part.motion for part in parts]),
        np.concatenate([part.transition for part in parts]),
        areas,
        soles,
    )
