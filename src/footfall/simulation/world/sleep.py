"""Sleep: loose things that have been at rest for a while, with all that they touch, are left out of steps.

An island of free bodies sleeps when all of them have been slower than `Settings.sleep_speed` for so many steps. What
sleeps keeps its place, its contacts and their impulses, and costs next to nothing. It wakes when something touches it
that does not sleep, when it is pushed, and when what it lies on moves; a robot never sleeps, nor what touches one.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Flags
from footfall.simulation.world.coupling import Members
from footfall.simulation.world.movers import approach_free
from footfall.simulation.world.records import Moment, Settings, State, Workspace, World


def note_sleepers(world: World, settings: Settings, state: State, room: Workspace) -> None:
    """Which bodies stay where they are in this step."""
    robots = len(world.robots)
    for k in range(len(world.free)):
        room.still[world.free[k].link] = state.rest[robots + k] >= settings.sleep_steps
    for k in range(len(world.paths)):
        body = world.paths[k].body
        v, w = room.bodies.linear[body], room.bodies.angular[body]
        room.still[body] = v @ v + w @ w == 0.0


def wake_touched(now: Moment, members: Members, count: int) -> None:
    """Wake islands of which a part does not sleep; count: of touches."""
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
            approach_free(world.free[k], now.settings, state, now.room)


def _note_carrier(now: Moment, members: Members, k: int, awake: Flags) -> None:
    """Whether a touch is with something that moves on a given path."""
    world, links = now.world, len(now.world.link_mover)
    touch = now.room.found[k]
    first, second = world.shapes.shapes[touch.first].body, world.shapes.shapes[touch.second].body
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
