"""Many steps of a world in one native call, with what happened written down."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Team, Vector3, next_piece, routine, together
from footfall.contact.contacts import Contact
from footfall.simulation.world.records import Count, Moment, World, WorldState
from footfall.simulation.world.step import advance


class Log(NamedTuple):
    """What is known after each control period. q, v, effort, drives (periods, n); residual (periods,): the largest of
    its steps, as a part of the weight, asked (periods,): the largest tolerance of these; solver_steps (periods,): the
    most in a step. contact_starts (periods + 1,): where the contacts of each period begin; contacts (room,) and forces
    (room, 3), N, world axes, on the first body: those of its last step. Without any room nothing of contacts, efforts
    and drives is written."""

    q: Array
    v: Array
    effort: Array
    drives: Array
    residual: Array
    asked: Array
    solver_steps: Integers
    contact_starts: Integers
    contacts: ArrayOf[Contact]
    forces: ArrayOf[Vector3]


class RunProgress(NamedTuple):
    """periods: how many are done. contacts, pairs: room that the next step needs, if that is more than there is;
    logged: likewise in the log. lost: whether it diverged."""

    periods: int
    contacts: int
    pairs: int
    logged: int
    lost: bool


class Span(NamedTuple):
    """Control periods from `first` to before `last`, each of some steps."""

    first: int
    last: int
    substeps: int


@routine(fused=True, quick=True)
def run_world(now: Moment, commands: Array, span: Span, log: Log) -> RunProgress:
    """Go on for a span of control periods, or until there is no more room.

    commands (periods or 1, 6, joints): one for each, or one for all.
    """
    world, settings, state, room = now.world, now.settings, now.state, now.room
    done, written, rate = state.counts, len(log.contacts) > 0, 1.0 / settings.dt
    for period in range(span.first, span.last):
        command = commands[period if len(commands) > 1 else 0]
        begin = log.contact_starts[period] if written else 0
        if written and begin + len(room.found) > len(log.contacts):
            return RunProgress(period, 0, 0, begin + len(room.found), False)
        if done[Count.SUBSTEPS] == 0:
            log.residual[period], log.asked[period], log.solver_steps[period] = 0.0, 0.0, 0
            _begin_command(world, state)
        while done[Count.SUBSTEPS] < span.substeps:
            report = advance(now, command)
            if report.contacts > len(room.found) or report.pairs > len(state.memory.pairs):
                return RunProgress(period, report.contacts, report.pairs, 0, False)
            log.residual[period] = max(log.residual[period], report.residual)
            log.asked[period] = max(log.asked[period], report.asked)
            log.solver_steps[period] = max(log.solver_steps[period], report.steps)
            done[Count.SUBSTEPS] += 1
            if not is_number(state):
                log.q[period], log.v[period] = state.q, state.v
                return RunProgress(period, 0, 0, 0, True)
        done[Count.SUBSTEPS] = 0
        log.q[period], log.v[period] = state.q, state.v
        if written:
            log.effort[period], log.drives[period] = room.effort, state.drives
            count, team = done[Count.CONTACTS], room.shared.team
            if team.threads > 1 and count >= _WORTH_HELP:
                together(team, _log_some, team, state, rate, count, begin, log)
            else:
                _log_some(team.alone(), state, rate, count, begin, log)
            log.contact_starts[period + 1] = begin + count
    return RunProgress(span.last, 0, 0, 0, False)


_WORTH_HELP = 256  # contacts that are worth the help of others
_CONTACTS_A_PIECE = 128  # of them that one takes at a time


def _log_some(team: Team, state: WorldState, rate: float, count: int, begin: int, log: Log) -> None:
    """Write so many contacts down from a place in the log on, as far as others do not do it. rate: 1/s."""
    pieces = -(-count // _CONTACTS_A_PIECE)
    piece = next_piece(team, -1, pieces)
    while piece < pieces:
        first, last = _CONTACTS_A_PIECE * piece, min(_CONTACTS_A_PIECE * (piece + 1), count)
        log.contacts[begin + first : begin + last] = state.contacts[first:last]
        for k in range(first, last):
            log.forces[begin + k] = rate * state.impulses[k]
        piece = next_piece(team, piece, pieces)


def _begin_command(world: World, state: WorldState) -> None:
    """Let the targets of servos go on from now: a new command has come, see `DriveTrain.begin_command`."""
    for k in range(len(world.robots)):
        robot = world.robots[k]
        if robot.drives.size > 0:
            state.drives[robot.drives.end - 1] = 0.0


def is_number(state: WorldState) -> bool:
    """Whether all coordinates and velocities are finite."""
    finite = True  # a sum would have to wait for each of its parts
    for k in range(len(state.q)):
        finite = finite and abs(state.q[k]) < np.inf
    for k in range(len(state.v)):
        finite = finite and abs(state.v[k]) < np.inf
    return finite
