"""A step of a world: all that moves, what it touches, the impulses of contact, and where all is afterwards.

Semi-implicit: forces change the velocity, contact impulses make it feasible at the end of the step, and the
configuration moves with that velocity. So nothing sinks: a contact demands `v_n >= -gap / dt`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.routines import (
    ArrayOf,
    Lanes,
    Team,
    Vector3,
    new_records,
    next_piece,
    routine,
    together,
)
from footfall.contact.contacts import Contact
from footfall.contact.detection.broad import sort
from footfall.contact.detection.find import Need, Sleepers, find_contacts
from footfall.contact.islands.island import TWIST, IslandContact
from footfall.contact.islands.rebound import solve_without_gain
from footfall.contact.islands.solve import Effort
from footfall.math.block_sparse import WIDTH
from footfall.simulation.world.island_building import build_island
from footfall.simulation.world.island_draft import (
    Members,
    draft_island,
    find_members,
    is_held,
    is_moving,
    is_pile,
)
from footfall.simulation.world.movers import approach_all, approach_free, fill_motion, settle_all
from footfall.simulation.world.records import Count, Moment, Report, Settings, Workspace, World, WorldState
from footfall.simulation.world.velocity_sums import sum_impulse
from footfall.simulation.world.warm_start import (
    comes_before,
    match_contacts,
    note_bends,
    note_moments,
    warm_impulses,
)

# Sleep: loose things that have been at rest for a while, with all that they touch, are left out of steps.
#
# An island of free bodies sleeps when all of them have been slower than `Settings.sleep_speed` for so many steps. What
# sleeps keeps its place, its contacts and their impulses, and costs next to nothing. It wakes when something touches it
# that does not sleep, when it is pushed, and when what it lies on moves; a robot never sleeps, nor what touches one.


def note_sleepers(world: World, settings: Settings, state: WorldState, room: Workspace) -> None:
    """Which bodies stay where they are in this step."""
    robots = len(world.robots)
    for k in range(len(world.free)):
        room.still[world.free[k].link] = state.rest[robots + k] >= settings.sleep_steps
    for k in range(len(world.paths)):
        body = world.paths[k].body
        v, w = room.bodies.linear[body], room.bodies.angular[body]
        room.still[body] = v @ v + w @ w == 0.0


def wake_touched(now: Moment, members: Members, count: int) -> None:
    """Wake islands of which a part does not sleep; count: of contacts."""
    world, state, steps = now.world, now.state, now.settings.sleep_steps
    awake = np.zeros(world.movers, dtype=np.bool_)
    for mover in range(world.movers):
        root = members.root[mover]
        awake[root] = awake[root] or state.rest[mover] < steps or members.pushed[root] > 0
    for k in range(count):
        _note_carrier(now, members, k, awake)
    robots = len(world.robots)
    for k in range(len(world.free)):
        mover = robots + k
        if state.rest[mover] >= steps and awake[members.root[mover]]:
            state.rest[mover] = 0
            approach_free(world.free[k], now.room.spun[k], now.settings, state, now.room)


def _note_carrier(now: Moment, members: Members, k: int, awake: Flags) -> None:
    """Whether a contact is with something that moves on a given path."""
    world, links = now.world, len(now.world.link_mover)
    contact = now.room.found[k]
    first, second = world.shapes.shapes[contact.first].body, world.shapes.shapes[contact.second].body
    if second >= links and not now.room.still[second] and 0 <= first < links:
        awake[members.root[world.link_mover[first]]] = True


def sleeps(now: Moment, mover: int) -> bool:
    """Whether a mover is left out of this step."""
    steps = now.settings.sleep_steps
    return bool(steps > 0 and now.state.rest[mover] >= steps)


def count_rest(now: Moment, members: Members) -> None:
    """After a step: who is at rest, and which islands fall asleep."""
    world, state, settings = now.world, now.state, now.settings
    robots, last = len(world.robots), settings.sleep_steps - 1
    busy = np.zeros(world.movers, dtype=np.bool_)
    for mover in range(world.movers):
        if mover < robots:
            busy[members.root[mover]] = True
            continue
        if state.rest[mover] > last:
            continue
        first, fastest = world.free[mover - robots].first_v, 0.0
        for i in range(6):
            fastest = max(fastest, abs(state.v[first + i]))
        state.rest[mover] = min(state.rest[mover] + 1, last) if fastest < settings.sleep_speed else 0
        if state.rest[mover] < last:
            busy[members.root[mover]] = True
    for mover in range(robots, world.movers):
        if state.rest[mover] == last and not busy[members.root[mover]]:
            first = world.free[mover - robots].first_v
            state.rest[mover] = settings.sleep_steps
            state.v[first : first + 6] = 0.0


# A second look for contacts after an impact.
#
# Detection predicts free motion. An impact sends limbs elsewhere within the same step, to things that detection did not
# look at: they would be millimetres inside of each other before the next step. So after an impact contacts are looked
# for once more, between bodies that it sent elsewhere and all others, along the velocities that it gave them, and the
# step is solved with both.

_SEEN = 0.5  # of the reach of detection: where an impact moves a point less in a step, detection has seen all


def is_impact(settings: Settings, speed: float) -> bool:
    """Whether a change of the velocity of a point, m/s, is a reason to look again."""
    return speed * settings.dt > _SEEN * settings.reach


def struck_by(point: IslandContact, before: Vector3, impulse: Vector3) -> float:
    """The square of about how much faster a point of contact became in a step, m2/s2. before: impulse of the last step,
    world axes, N s; impulse: of this one along (t1, t2, n)."""
    change = impulse - point.frame.T @ before
    return float(change @ change * (point.law.along + point.law.normal) ** 2)


def expect_velocities(now: Moment, steady: Flags) -> bool:
    """Let the bodies of the workspace move with the velocities after contact. steady (bodies,): which of them do so
    nearly as was expected before; two of these come to nothing that was not looked at. Whether some are not."""
    world, bodies, room, far = now.world, now.room.bodies, now.room, _extents(now)
    motions: ArrayOf[Lanes] = np.empty((TWIST, WIDTH))
    steady[:] = True
    some = False
    for link in range(len(world.link_mover)):
        linear: Vector3 = np.zeros(3)
        angular: Vector3 = np.zeros(3)
        linear += room.given_linear[link]
        angular += room.given_angular[link]
        for k in range(world.link_pieces[link]):
            piece = world.link_first_piece[link] + k
            v = room.v[world.pieces[piece].node]
            fill_motion(now, link, piece, bodies.position[link], motions, 0)
            for i in (0, 1, 2):
                linear[i] += np.sum(motions[i] * v)
                angular[i] += np.sum(motions[3 + i] * v)
        pushed, turned = linear - bodies.linear[link], angular - bodies.angular[link]
        speed = np.sqrt(pushed @ pushed) + far[link] * np.sqrt(turned @ turned)
        steady[link] = not is_impact(now.settings, speed)
        some = some or not steady[link]
        bodies.linear[link] = linear
        bodies.angular[link] = angular
    return some


def _extents(now: Moment) -> Array:
    """How far the shapes of each body (bodies,) reach from its origin at the most, m."""
    table, memory, bodies = now.world.shapes, now.state.memory, now.room.bodies
    far = np.zeros(len(bodies.position))
    for shape in table.moving:
        body = table.shapes[shape].body
        lower, upper = memory.lower[shape], memory.upper[shape]
        beside, half = 0.5 * (lower + upper) - bodies.position[body], 0.5 * (upper - lower)
        far[body] = max(far[body], np.sqrt(beside @ beside) + np.sqrt(half @ half))
    return far


@routine
def merge_contacts(first: ArrayOf[Contact], again: ArrayOf[Contact], merged: ArrayOf[Contact]) -> int:
    """All contacts of two looks, by pairs in their order, each feature once, the later one; how many, which may be more
    than there is room for: then those are left out."""
    count, i, j = 0, 0, 0
    while i < len(first) or j < len(again):
        if j < len(again) and (i == len(first) or not comes_before(first[i], again[j])):
            contact = again[j]
            j += 1
        else:
            contact = first[i]
            i += 1
            if _has(again, j, contact):
                continue
        if count < len(merged):
            merged[count] = contact
        count += 1
    return count


def _has(contacts: ArrayOf[Contact], end: int, contact: Contact) -> bool:
    """Whether the contacts of a pair that end before a number have that feature."""
    k = end - 1
    while k >= 0 and contacts[k].first == contact.first and contacts[k].second == contact.second:
        if contacts[k].feature == contact.feature:
            return True
        k -= 1
    return False


def next_time(time: float, dt: float) -> float:
    """A step later, s: the next multiple of dt if it is one now, so that rounding does not add up."""
    steps = np.floor(time / dt + 0.5)
    return (steps + 1.0) * dt if abs(time / dt - steps) < 1e-6 else time + dt


class FirstLook(NamedTuple):
    """Contacts of a first look, none before it, and the impulses (n, 3) that it came to, world axes, N s. steady
    (bodies,): which of them move nearly as was expected; residuals (movers,): of each island, by its first mover."""

    contacts: ArrayOf[Contact]
    impulses: ArrayOf[Vector3]
    steady: Flags
    residuals: Array


class _Solved(NamedTuple):
    """What all islands came to, see `Report`. struck: about how much faster some point of contact became, m/s."""

    members: Members
    residual: float
    asked: float
    steps: int
    islands: int
    struck: float


class _SolvedIsland(NamedTuple):
    """What one island came to, likewise."""

    residual: float
    asked: float
    steps: int
    struck: float


@routine(fused=True)
def advance(now: Moment, command: Array) -> Report:
    """One step; command (6, joints). If the report needs more room than there is, nothing has happened."""
    world, settings, state, room = now.world, now.settings, now.state, now.room
    approach_all(world, settings, state, command, room)
    before = state.contacts[: state.counts[Count.CONTACTS]]
    known: ArrayOf[Vector3] = state.impulses[: len(before)].copy()
    if settings.sleep_steps > 0:
        note_sleepers(world, settings, state, room)
    need = _find(now, Sleepers(room.still, before), room.found)
    if need.contacts > len(room.found) or need.pairs > len(state.memory.pairs):
        return Report(need.contacts, need.pairs, 0.0, 0.0, 0, 0)
    nothing: ArrayOf[Vector3] = np.empty((0, 3))
    steady, residuals = np.zeros(len(room.bodies.position), dtype=np.bool_), np.zeros(world.movers)
    solved = _solve_all(
        now, before, known, need.contacts, FirstLook(room.found[:0], nothing, steady, residuals)
    )
    if is_impact(settings, solved.struck):
        contacts, impulses = room.found[: need.contacts].copy(), state.impulses[: need.contacts].copy()
        seen = FirstLook(contacts, impulses, steady, residuals)
        need = _look_again(now, need.contacts, steady)
        if need.contacts > len(room.found) or need.pairs > len(state.memory.pairs):
            state.impulses[: len(known)] = known
            return Report(need.contacts, need.pairs, 0.0, 0.0, 0, 0)
        if need.contacts > len(seen.contacts):  # else the problem is the one that has been solved
            solved = _solve_all(now, before, known, need.contacts, seen)
    settle_all(world, settings, state, command, room)
    if settings.sleep_steps > 0:
        count_rest(now, solved.members)
    count = need.contacts
    state.contacts[:count] = room.found[:count]
    state.counts[Count.CONTACTS] = count
    state.time[0] = next_time(state.time[0], settings.dt)
    return Report(count, need.pairs, solved.residual, solved.asked, solved.steps, solved.islands)


@routine(fused=True)
def _find(now: Moment, asleep: Sleepers, found: ArrayOf[Contact]) -> Need:
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
        room.shared,
    )


@routine(fused=True)
def _look_again(now: Moment, count: int, steady: Flags) -> Need:
    """Add to the contacts that have been found those that velocities after contact lead to, if there are any. steady
    (bodies,): becomes which of them move nearly as was expected."""
    found = now.room.found
    if not expect_velocities(now, steady):
        return Need(count, 0)
    again, merged = new_records(Contact, len(found)), new_records(Contact, len(found))
    need = _find(now, Sleepers(steady, found[:count]), again)
    if need.contacts > len(found):
        return need
    number = merge_contacts(found[:count], again[: need.contacts], merged)
    if count < number <= len(found):
        found[:number] = merged[:number]
    return Need(number, need.pairs)


@routine(fused=True)
def _solve_all(
    now: Moment, before: ArrayOf[Contact], known: ArrayOf[Vector3], count: int, seen: FirstLook
) -> _Solved:
    """Solve all islands of the contacts that have been found, from the impulses (n, 3) that those before had, world
    axes, N s; velocities go into the workspace, impulses into the state. After a first look free bodies that moved as
    was expected stay as they are, and piles start from what it came to."""
    world, settings, state, room = now.world, now.settings, now.state, now.room
    matches = np.empty(count, dtype=np.int64)
    match_contacts(before, room.found[:count], matches)
    note_bends(now, before, matches)
    note_moments(before, matches, room.found)
    warm: ArrayOf[Vector3] = np.empty((count, 3))
    warm_impulses(known, matches, warm)
    state.impulses[:count] = warm
    again = len(seen.contacts) > 0
    if again:
        match_contacts(seen.contacts, room.found[:count], matches)
        warm_impulses(seen.impulses, matches, warm)
    members = find_members(now, count)
    if settings.sleep_steps > 0:
        wake_touched(now, members, count)
    if not again:
        room.v[:] = room.free
    heads, islands = np.empty(world.movers, dtype=np.int64), 0
    for head in range(world.movers):
        if members.root[head] == head and is_held(members, head) and not sleeps(now, head):
            heads[islands] = head
            islands += 1
    heads, solved = heads[:islands], new_records(_SolvedIsland, islands)
    local, team = np.full(len(world.node_velocities), -1), room.shared.team
    pieces = np.full(2, islands)
    pieces[0] = 0
    if team.threads > 1 and count >= _WORTH_HELP:
        pieces = _sort_by_work(now, members, count, heads)
        together(team, _solve_some, team, now, members, heads, pieces, local, warm, seen, solved)
    else:
        _solve_some(team.alone(), now, members, heads, pieces, local, warm, seen, solved)
    worst, asked, most, struck = 0.0, settings.tolerance, 0, 0.0
    for island in solved:
        worst, most = max(worst, island.residual), max(most, island.steps)
        asked, struck = max(asked, island.asked), max(struck, island.struck)
    return _Solved(members, worst, asked, most, islands, struck)


# Islands are solved by a team of threads, where there are many contacts: each writes to places of its own.

_WORTH_HELP = 256  # contacts that are worth the help of others
_CONTACTS_A_PIECE = 32  # contacts in small islands that one takes at a time
_DIGITS = 32


def _sort_by_work(now: Moment, members: Members, count: int, heads: Integers) -> Integers:
    """Order islands, from both ends of which threads take them: large ones by their contacts, those with the most first
    and last, and between them small ones as they were, so that bodies stay with threads. Where each piece begins."""
    sizes = np.zeros(now.world.movers, dtype=np.int64)
    for head in heads:
        k = members.first_contact[head]
        while k >= 0:
            sizes[head] += 1
            k = members.next_contact[k]
    keys = np.empty(len(heads), dtype=np.int64)
    for k in range(len(heads)):
        large = sizes[heads[k]] if sizes[heads[k]] >= _CONTACTS_A_PIECE else 0
        keys[k] = ((count - large) << _DIGITS) + heads[k]
    sort(keys)
    number, first, last = 0, 0, len(keys) - 1
    for k in range(len(keys)):
        head = keys[k] & ((1 << _DIGITS) - 1)
        number += int(sizes[head] >= _CONTACTS_A_PIECE)
        if sizes[head] >= _CONTACTS_A_PIECE and number % 2 == 0:
            heads[last] = head
            last -= 1
        else:
            heads[first] = head
            first += 1
    starts: list[int] = [0]
    size = 0
    for k in range(len(heads)):
        size += sizes[heads[k]]
        if size >= _CONTACTS_A_PIECE or k + 1 == len(heads):
            starts.append(k + 1)
            size = 0
    return np.array(starts)


@routine(fused=True)
def _solve_some(
    team: Team,
    now: Moment,
    members: Members,
    heads: Integers,
    pieces: Integers,
    local: Integers,
    warm: ArrayOf[Vector3],
    seen: FirstLook,
    solved: ArrayOf[_SolvedIsland],
) -> None:
    """Solve islands by their heads (n,), as far as others do not do it. pieces: where those begin that are taken at a
    time, and their end; solved (n,): what they come to."""
    again = len(seen.contacts) > 0
    piece = next_piece(team, -1, len(pieces) - 1)
    while piece < len(pieces) - 1:
        for k in range(pieces[piece], pieces[piece + 1]):
            head = heads[k]
            if again and _stays(now, members, head, seen.steady):
                _leave(now, members, head, warm)
                solved[k] = _SolvedIsland(seen.residuals[head], 0.0, 0, 0.0)
            else:
                solved[k] = _solve(now, members, head, local, warm)
                seen.residuals[head] = solved[k].residual
        piece = next_piece(team, piece, len(pieces) - 1)


def _stays(now: Moment, members: Members, head: int, steady: Flags) -> bool:
    """Whether an island of free bodies is that of the first look: they are steady, and what touches them is."""
    world, shapes = now.world, now.world.shapes.shapes
    stays = members.first_joint[head] < 0
    mover = members.first_mover[head]
    while mover >= 0:
        stays = stays and mover >= len(world.robots)
        mover = members.next_mover[mover]
    k = members.first_contact[head]
    while stays and k >= 0:
        first, second = shapes[now.room.found[k].first].body, shapes[now.room.found[k].second].body
        stays = (first < 0 or bool(steady[first])) and (second < 0 or bool(steady[second]))
        k = members.next_contact[k]
    return bool(stays)


def _leave(now: Moment, members: Members, head: int, impulses: ArrayOf[Vector3]) -> None:
    """Let an island have the impulses (n, 3) that it came to, world axes, N s."""
    k = members.first_contact[head]
    while k >= 0:
        now.state.impulses[k] = impulses[k]
        k = members.next_contact[k]


@routine(fused=True)
def _solve(
    now: Moment, members: Members, head: int, local: Integers, start: ArrayOf[Vector3]
) -> _SolvedIsland:
    """Solve an island, and write its velocities and impulses where they belong. start (n, 3): from which impulses a
    pile does, world axes, N s."""
    world, state, settings = now.world, now.state, now.settings
    draft = draft_island(now, members, head, local)
    island = build_island(now, draft)
    pile = is_pile(world, draft)
    moves = pile and is_moving(draft)
    if pile:
        for k in range(len(draft.contacts)):
            draft.impulses[k] = island.points[k].frame.T @ start[draft.contacts[k]]
    asked = max(settings.tolerance, settings.moving_tolerance) if moves else settings.tolerance
    effort = Effort(settings.direct_steps, settings.interior_steps, settings.final_steps, pile, moves)
    outcome = solve_without_gain(
        island,
        draft.v,
        draft.impulses,
        draft.joint_impulses,
        draft.rebounds,
        asked,
        effort,
    )
    for mover in draft.movers:
        for k in range(world.mover_nodes[mover]):
            node = world.mover_first_node[mover] + k
            now.room.v[node] = draft.v[local[node]]
    fastest = 0.0
    for k in range(len(draft.contacts)):
        contact, impulse, point = draft.contacts[k], draft.impulses[k], island.points[k]
        fastest = max(fastest, struck_by(point, state.impulses[contact], impulse))
        state.impulses[contact] = point.force(impulse)
        ahead = (
            draft.ahead[k] - settings.dt * point.law.compliance * impulse[2] if impulse[2] > 0.0 else -np.inf
        )
        now.room.found[contact] = now.room.found[contact]._replace(ahead=ahead)
    for k in range(len(draft.followers)):
        contact, follower = draft.contacts[draft.followers[k]], island.followers[k]
        moment = follower.frame @ draft.impulses[island.leading + k]
        now.room.found[contact] = now.room.found[contact]._replace(moment=moment)
    for k in range(len(draft.joints)):
        state.joint_impulses[draft.joints[k]] = draft.joint_impulses[k]
    for k in range(len(draft.sums)):
        number = draft.sums[k]
        state.joint_impulses[number] = sum_impulse(now, number, draft.impulses[len(draft.contacts) + k])
    return _SolvedIsland(outcome.residual, asked, outcome.steps, np.sqrt(fastest))
