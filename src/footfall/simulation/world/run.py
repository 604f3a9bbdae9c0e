"""Many steps of a world in one native call, with what happened written down."""

from __future__ import annotations

from typing import NamedTuple

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.contact.detection.shapes import Touch
from footfall.simulation.world.records import Count, Forces, Settings, State, Workspace, World
from footfall.simulation.world.step import advance


class Log(NamedTuple):
    """What is known after each control period. q, v, effort (periods, n); residual (periods,): the largest of its
    steps, as a part of the weight; solver_steps (periods,): the most in a step. touch_starts (periods + 1,): where the
    touches of each period begin; touches (room,) and forces (room, 3), N, world axes, on the first body: those of its
    last step."""

    q: Array
    v: Array
    effort: Array
    residual: Array
    solver_steps: Integers
    touch_starts: Integers
    touches: ArrayOf[Touch]
    forces: ArrayOf[Vector3]


class Progress(NamedTuple):
    """periods: how many are done. touches, pairs: room that the next step needs, if that is more than there is; logged:
    likewise in the log."""

    periods: int
    touches: int
    pairs: int
    logged: int


@routine(fused=True)
def run_world(
    world: World,
    settings: Settings,
    state: State,
    commands: Array,
    forces: Forces,
    room: Workspace,
    substeps: int,
    first: int,
    log: Log,
) -> Progress:
    """Go on from control period `first` to the end of the log, each of some steps, or until there is no more room.

    commands (periods or 1, 6, joints): one for each, or one for all.
    """
    periods, done = len(log.residual), state.counts
    for period in range(first, periods):
        command = commands[period if len(commands) > 1 else 0]
        begin = log.touch_starts[period]
        if begin + len(room.found) > len(log.touches):
            return Progress(period, 0, 0, begin + len(room.found))
        while done[Count.SUBSTEPS] < substeps:
            report = advance(world, settings, state, command, forces, room)
            if report.touches > len(room.found) or report.pairs > len(state.memory.pairs):
                return Progress(period, report.touches, report.pairs, 0)
            if done[Count.SUBSTEPS] == 0:
                log.residual[period], log.solver_steps[period] = 0.0, 0
            log.residual[period] = max(log.residual[period], report.residual)
            log.solver_steps[period] = max(log.solver_steps[period], report.steps)
            done[Count.SUBSTEPS] += 1
        done[Count.SUBSTEPS] = 0
        log.q[period] = state.q
        log.v[period] = state.v
        log.effort[period] = room.effort
        for k in range(done[Count.TOUCHES]):
            log.touches[begin + k] = state.touches[k]
            log.forces[begin + k] = state.impulses[k] / settings.dt
        log.touch_starts[period + 1] = begin + done[Count.TOUCHES]
    return Progress(periods, 0, 0, 0)
