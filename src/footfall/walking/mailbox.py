"""What is handed to a control loop while it runs, and what it hands out: arrays that native code looks at itself.

A loop that keeps real time must not wait for Python. So it runs on natively, and everything that changes from plan to
plan lies in boxes: motion and surroundings, each with the period at whose begin the loop takes it. At every tenth
period it leaves a snapshot of the robot. There is one writer for each box, and the loop takes what lies there at one
period or not at all; so a walk follows from the periods alone.

Numbers are ordered by time alone: what is put at least a whole period before it is taken is there then. Who is later
than that must let the loop stand, see `footfall.walking.live.control`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import new_records
from footfall.motion.packed_curves import CurvePlace, PackedCurves
from footfall.walking.plan_sampling import PlanTable
from footfall.walking.state import ControllerState
from footfall.walking.step_ground import StepGround, copy_ground, ground_room
from footfall.walking.walls import no_walls

NEVER = 2**62  # a period that never comes
BORDER = 10  # periods between two snapshots
_SNAPSHOTS = 64  # snapshots
# What a box for plans has room for at least; a humanoid's plan of twelve steps has 655 times and 12,000 coefficients.
_TIMES, _COEFFICIENTS, _PIECES, _PHASES = 4096, 80_000, 256, 512


class Word(IntEnum):
    """PROGRESS: the period that begins next. PAUSE: before which the loop returns. PLAN_AT, GROUND_AT: at whose begin a
    new plan, and new surroundings, are taken. SLOT: which of both plans is walked by. WALLS_ONLY: 1 if the
    ground stays as it is."""

    PROGRESS = 0
    PAUSE = 1
    PLAN_AT = 2
    GROUND_AT = 3
    SLOT = 4
    WALLS_ONLY = 5


class Snapshots(NamedTuple):
    """Where the robot was, the latest `len(periods)` borders of the loop. periods (n,): at whose begin, -1 for none.
    q (n, nq): of all that moves; believed (n, nq): of the model; shift (n, 3): m, and catching (n,): see `Snapshot`."""

    periods: Integers
    q: Array
    believed: Array
    shift: Array
    catching: Array


class Mailbox(NamedTuple):
    """words: see `Word`. plans: the one that is walked by and the next one. shift (3,): by which the plan is displaced
    less once the next one is taken, m. ground, walls: the next surroundings."""

    words: Integers
    plans: tuple[PlanTable, PlanTable]
    shift: Array
    ground: StepGround
    walls: Array
    snapshots: Snapshots


def new_mailbox(plan: PlanTable) -> Mailbox:
    """Of a loop that is given everything between two calls."""
    words = np.full(len(Word), NEVER, np.int64)
    words[[Word.PROGRESS, Word.SLOT, Word.WALLS_ONLY]] = 0
    nothing = Snapshots(
        np.zeros(0, np.int64), np.zeros((0, 0)), np.zeros((0, 0)), np.zeros((0, 3)), np.zeros(0)
    )
    return Mailbox(words, (plan, plan), np.zeros(3), ground_room(0), no_walls(), nothing)


def with_boxes(mail: Mailbox, state: ControllerState, q: Array, largest: PlanTable) -> Mailbox:
    """With room for a second plan, up to twice the largest, and for surroundings, of a loop that runs on; q (nq,): of
    all that moves."""
    current = mail.plans[mail.words[Word.SLOT]]
    mail.words[Word.SLOT] = 0
    kept = Snapshots(
        np.full(_SNAPSHOTS, -1, np.int64),
        np.zeros((_SNAPSHOTS, len(q))),
        np.zeros((_SNAPSHOTS, len(state.q))),
        np.zeros((_SNAPSHOTS, 3)),
        np.zeros(_SNAPSHOTS),
    )
    return mail._replace(
        plans=(_roomy(current, largest), _roomy(current, largest)),
        ground=ground_room(state.ground.free.shape[1]),
        snapshots=kept,
    )


def _roomy(plan: PlanTable, largest: PlanTable) -> PlanTable:
    """A box with a plan in it, which has room for larger ones."""
    own, other = plan.curves, largest.curves
    pieces = max(_PIECES, len(own.controls), 2 * len(other.controls))
    room = PackedCurves(
        np.zeros(max(_TIMES, len(own.times), 2 * len(other.times))),
        np.zeros(max(_COEFFICIENTS, len(own.coefficients), 2 * len(other.coefficients))),
        new_records(CurvePlace, len(own.places)),
        np.zeros((pieces, 4, 4)),
        np.zeros((pieces, 3, 3)),
    )
    phases = max(_PHASES, len(plan.times), 2 * len(largest.times))
    box = PlanTable(room, plan.stream, np.zeros(len(plan.masses)), np.zeros(phases))
    put_plan(box, plan)
    return box


def fits(box: PlanTable, plan: PlanTable) -> bool:
    """Whether a box has room for a plan."""
    room, needed = ([len(each) for each in (*_arrays(one), one.times)] for one in (box, plan))
    enough = all(one >= other for one, other in zip(room, needed, strict=True))
    return enough and len(box.curves.places) == len(plan.curves.places)


def _arrays(plan: PlanTable) -> tuple[Any, ...]:
    return tuple(plan.curves)


def put_plan(box: PlanTable, plan: PlanTable) -> None:
    """Put a plan into a box that fits."""
    for room, values in zip(_arrays(box), _arrays(plan), strict=True):
        room[: len(values)] = values
    box.masses[:] = plan.masses
    # No phase begins at the last border, where the last one ends.
    box.times[:] = np.inf
    box.times[: len(plan.times) - 1] = plan.times[:-1]


# In native code


def take_mail(mail: Mailbox, state: ControllerState, q: Array, period: int) -> None:
    """What a loop does with its boxes before a period begins. q (nq,): of all that moves."""
    words, kept = mail.words, mail.snapshots
    words[Word.PROGRESS] = period
    if words[Word.GROUND_AT] == period:
        state.walls[:] = mail.walls
        if words[Word.WALLS_ONLY] == 0:
            copy_ground(mail.ground, state.ground)
        words[Word.GROUND_AT] = NEVER
    if words[Word.PLAN_AT] == period:
        words[Word.SLOT] = 1 - words[Word.SLOT]
        body, by = state.body[0], mail.shift
        state.body[0] = body._replace(plan_shift=body.plan_shift - np.array([by[0], by[1], by[2]]))
        state.ground.cells[0] = 0
        words[Word.PLAN_AT] = NEVER
    if len(kept.periods) > 0 and period % BORDER == 0:
        at = period // BORDER % len(kept.periods)
        kept.periods[at] = -1
        kept.q[at], kept.believed[at] = q, state.q
        body = state.body[0]
        for k in range(3):
            kept.shift[at, k] = body.plan_shift[k]
        kept.catching[at] = state.catch[0].side
        kept.periods[at] = period
