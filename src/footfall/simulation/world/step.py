"""A step of a world: all that moves, what it touches, the impulses of contact, and where all is afterwards.

Semi-implicit: forces change the velocity, contact impulses make it feasible at the end of the step, and the
configuration moves with that velocity. So nothing sinks: a contact demands `v_n >= -gap / dt`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Vector3, new_records, routine
from footfall.contact.detection.find import Need, Sleepers, find_contacts
from footfall.contact.detection.shapes import Touch
from footfall.contact.islands.newton import Outcome
from footfall.contact.islands.solve import Effort, solve_island
from footfall.simulation.world.blows import (
    expect_velocities,
    is_blow,
    merge_touches,
    struck_by,
)
from footfall.simulation.world.coupling import Members, find_members, is_held
from footfall.simulation.world.island_building import build_island
from footfall.simulation.world.island_draft import draft_island
from footfall.simulation.world.movers import approach_all, settle_all
from footfall.simulation.world.records import (
    Count,
    Moment,
    Report,
)
from footfall.simulation.world.sleep import (
    count_rest,
    note_sleepers,
    sleeps,
    wake_touched,
)
from footfall.simulation.world.velocity_sums import sum_impulse
from footfall.simulation.world.warm_start import (
    match_touches,
    note_bends,
    note_moments,
    warm_impulses,
)


def next_time(time: float, dt: float) -> float:
    """A step later, s: the next multiple of dt if it is one now, so that rounding does not add up."""
    steps = np.floor(time / dt + 0.5)
    return (steps + 1.0) * dt if abs(time / dt - steps) < 1e-6 else time + dt


class _Solved(NamedTuple):
    """What all islands came to, see `Report`. struck: about how much faster some point of contact became, m/s."""

    members: Members
    residual: float
    steps: int
    islands: int
    struck: float


@routine(fused=True)
def advance(now: Moment, command: Array) -> Report:
    """One step; command (6, joints). If the report needs more room than there is, nothing has happened."""
    world, settings, state, room = now.world, now.settings, now.state, now.room
    approach_all(world, settings, state, command, room)
    before = state.touches[: state.counts[Count.TOUCHES]]
    known: ArrayOf[Vector3] = state.impulses[: len(before)].copy()
    if settings.sleep_steps > 0:
        note_sleepers(world, settings, state, room)
    need = _find(now, Sleepers(room.still, before), room.found)
    if need.touches > len(room.found) or need.pairs > len(state.memory.pairs):
        return Report(need.touches, need.pairs, 0.0, 0, 0)
    solved = _solve_all(now, before, known, need.touches)
    if is_blow(settings, solved.struck):
        seen, need = need.touches, _look_again(now, need.touches)
        if need.touches > len(room.found) or need.pairs > len(state.memory.pairs):
            state.impulses[: len(known)] = known
            return Report(need.touches, need.pairs, 0.0, 0, 0)
        if need.touches > seen:  # else the problem is the one that has been solved
            solved = _solve_all(now, before, known, need.touches)
    settle_all(world, settings, state, command, room)
    if settings.sleep_steps > 0:
        count_rest(now, solved.members)
    count = need.touches
    state.touches[:count] = room.found[:count]
    state.counts[Count.TOUCHES] = count
    state.time[0] = next_time(state.time[0], settings.dt)
    return Report(count, need.pairs, solved.residual, solved.steps, solved.islands)


@routine(fused=True)
def _find(now: Moment, asleep: Sleepers, found: ArrayOf[Touch]) -> Need:
    """What touches, or may within the step."""
    world, settings, state, room = now.world, now.settings, now.state, now.room
    return find_contacts(
        world.shapes,
        state.memory,
        room.bodies,
        settings.dt,
        settings.reach,
        found,
        asleep,
    )


@routine(fused=True)
def _look_again(now: Moment, count: int) -> Need:
    """Add to the touches that have been found those that velocities after contact lead to, if there are any."""
    found, steady = now.room.found, np.empty(len(now.room.bodies.position), dtype=np.bool_)
    if not expect_velocities(now, steady):
        return Need(count, 0)
    again, merged = new_records(Touch, len(found)), new_records(Touch, len(found))
    need = _find(now, Sleepers(steady, found[:count]), again)
    if need.touches > len(found):
        return need
    number = merge_touches(found[:count], again[: need.touches], merged)
    if count < number <= len(found):
        found[:number] = merged[:number]
    return Need(number, need.pairs)


@routine(fused=True)
def _solve_all(now: Moment, before: ArrayOf[Touch], known: ArrayOf[Vector3], count: int) -> _Solved:
    """Solve all islands of the touches that have been found, from the impulses (n, 3) that those before had, world
    axes, N s; velocities go into the workspace, impulses into the state."""
    world, settings, state, room = now.world, now.settings, now.state, now.room
    matches = np.empty(count, dtype=np.int64)
    match_touches(before, room.found[:count], matches)
    note_bends(now, before, matches)
    note_moments(before, matches, room.found)
    warm: ArrayOf[Vector3] = np.empty((count, 3))
    warm_impulses(known, matches, warm)
    state.impulses[:count] = warm
    members = find_members(now, count)
    if settings.sleep_steps > 0:
        wake_touched(now, members, count)
    room.v[:] = room.free
    local, worst, most, islands, struck = (
        np.full(len(world.node_velocities), -1),
        0.0,
        0,
        0,
        0.0,
    )
    for head in range(world.movers):
        if members.root[head] == head and is_held(members, head) and not sleeps(now, head):
            outcome, fastest = _solve(now, members, head, local)
            worst, most, islands = (
                max(worst, outcome.residual),
                max(most, outcome.steps),
                islands + 1,
            )
            struck = max(struck, fastest)
    return _Solved(members, worst, most, islands, struck)


@routine(fused=True)
def _solve(now: Moment, members: Members, head: int, local: Integers) -> tuple[Outcome, float]:
    """Solve an island, and write its velocities and impulses where they belong; how much faster a point became, m/s."""
    world, state, settings = now.world, now.state, now.settings
    draft = draft_island(now, members, head, local)
    island = build_island(now, draft)
    effort = Effort(settings.direct_steps, settings.interior_steps, settings.final_steps)
    outcome = solve_island(island, draft.v, draft.impulses, draft.joint_impulses, settings.tolerance, effort)
    for mover in draft.movers:
        for k in range(world.mover_nodes[mover]):
            node = world.mover_first_node[mover] + k
            now.room.v[node] = draft.v[local[node]]
    fastest = 0.0
    for k in range(len(draft.touches)):
        touch, impulse, point = draft.touches[k], draft.impulses[k], island.points[k]
        fastest = max(fastest, struck_by(point, state.impulses[touch], impulse))
        state.impulses[touch] = point.force(impulse)
        ahead = (
            draft.ahead[k] - settings.dt * point.law.compliance * impulse[2] if impulse[2] > 0.0 else -np.inf
        )
        now.room.found[touch] = now.room.found[touch]._replace(ahead=ahead)
    for k in range(len(draft.followers)):
        touch, follower = draft.touches[draft.followers[k]], island.followers[k]
        moment = follower.frame @ draft.impulses[island.leading + k]
        now.room.found[touch] = now.room.found[touch]._replace(moment=moment)
    for k in range(len(draft.joints)):
        state.joint_impulses[draft.joints[k]] = draft.joint_impulses[k]
    for k in range(len(draft.sums)):
        number = draft.sums[k]
        state.joint_impulses[number] = sum_impulse(now, number, draft.impulses[len(draft.touches) + k])
    return outcome, np.sqrt(fastest)
