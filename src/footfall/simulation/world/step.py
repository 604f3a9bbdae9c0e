"""A step of a world: all that moves, what it touches, the impulses of contact, and where all is afterwards.

Semi-implicit: forces change the velocity, contact impulses make it feasible at the end of the step, and the
configuration moves with that velocity. So nothing sinks: a contact demands `v_n >= -gap / dt`.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Lanes, Vector3, routine
from footfall.contact.contacts import contact_frame
from footfall.contact.detection.find import find_contacts
from footfall.contact.islands.newton import Outcome
from footfall.contact.islands.solve import Effort, solve_island
from footfall.math.block_sparse import WIDTH
from footfall.simulation.world.coupling import Members, build_island, find_members
from footfall.simulation.world.movers import approach_all, settle_all
from footfall.simulation.world.records import Forces, Report, Settings, State, Workspace, World
from footfall.simulation.world.warm_start import warm_impulses


@routine(fused=True)
def advance(
    world: World, settings: Settings, state: State, command: Array, forces: Forces, room: Workspace
) -> Report:
    """One step; command (6, joints). If the report needs more room than there is, nothing has happened."""
    approach_all(world, settings, state, command, room)
    for k in range(len(world.robots)):
        robot = world.robots[k]
        for node in range(robot.first_node, robot.first_node + robot.nodes):
            row: Lanes = np.zeros(8)
            for lane in range(WIDTH):
                velocity = world.node_velocities[node, lane]
                if velocity >= 0:
                    row[lane] = room.outputs[robot.free + velocity - robot.first_v]
            room.free[node] = row
    need = find_contacts(
        world.shapes, state.memory, room.bodies, settings.dt, settings.reach, room.found
    )
    if need.touches > len(room.found) or need.pairs > len(state.memory.pairs):
        return Report(need.touches, need.pairs, 0.0, 0, 0)
    count = need.touches
    warm: ArrayOf[Vector3] = np.empty((count, 3))
    warm_impulses(state.touches[: state.counts[0]], state.impulses, room.found[:count], warm)
    state.impulses[:count] = warm
    room.v[:] = room.free
    members = find_members(world, settings, state, forces, room, count)
    local, worst, most, islands = np.full(len(world.node_velocities), -1), 0.0, 0, 0
    for head in range(world.movers):
        if members.root[head] != head or not _is_held(members, head):
            continue
        outcome = _solve_one(world, settings, state, forces, room, members, head, local)
        worst, most, islands = max(worst, outcome.residual), max(most, outcome.steps), islands + 1
    settle_all(world, settings, state, command, room)
    state.touches[:count] = room.found[:count]
    state.counts[0] = count
    state.time[0] += settings.dt
    return Report(count, need.pairs, worst, most, islands)


def _is_held(members: Members, head: int) -> bool:
    """Whether anything but smooth forces acts on an island."""
    return members.first_touch[head] >= 0 or members.first_joint[head] >= 0 or members.pushed[head] > 0


@routine(fused=True)
def _solve_one(
    world: World,
    settings: Settings,
    state: State,
    forces: Forces,
    room: Workspace,
    members: Members,
    head: int,
    local: Integers,
) -> Outcome:
    """Solve an island, and write its velocities and impulses where they belong."""
    touches, joints = _length(members.first_touch[head], members.next_touch), 0
    joint = members.first_joint[head]
    joint_numbers = np.empty(_length(joint, members.next_joint), dtype=np.int64)
    while joint >= 0:
        joint_numbers[joints] = joint
        joints += 1
        joint = members.next_joint[joint]
    touch_numbers = np.empty(touches, dtype=np.int64)
    impulses: ArrayOf[Vector3] = np.zeros((touches, 3))
    joint_impulses = np.zeros(joints)
    island = build_island(
        world,
        settings,
        state,
        forces,
        room,
        members,
        head,
        local,
        impulses,
        joint_impulses,
        touch_numbers,
        joint_numbers,
    )
    v: ArrayOf[Lanes] = np.zeros(island.momentum.shape)
    _gather(world, state, members, head, local, v)
    effort = Effort(settings.quick_steps, settings.interior_steps, settings.final_steps)
    outcome = solve_island(island, v, impulses, joint_impulses, settings.tolerance, effort)
    mover = head
    while mover >= 0:
        for node in range(world.mover_first_node[mover], world.mover_first_node[mover] + world.mover_nodes[mover]):
            room.v[node] = v[local[node]]
        mover = members.next_mover[mover]
    for k in range(touches):
        state.impulses[touch_numbers[k]] = contact_frame(room.found[touch_numbers[k]].normal) @ impulses[k]
    for k in range(joints):
        state.joint_impulses[joint_numbers[k]] = joint_impulses[k]
    return outcome


def _length(first: int, following: Integers) -> int:
    count = 0
    while first >= 0:
        count += 1
        first = following[first]
    return count


def _gather(
    world: World, state: State, members: Members, head: int, local: Integers, v: ArrayOf[Lanes]
) -> None:
    """The velocities of an island at the beginning of the step, by node."""
    mover = head
    while mover >= 0:
        for node in range(world.mover_first_node[mover], world.mover_first_node[mover] + world.mover_nodes[mover]):
            row: Lanes = np.zeros(8)
            for lane in range(WIDTH):
                velocity = world.node_velocities[node, lane]
                if velocity >= 0:
                    row[lane] = state.v[velocity]
            v[local[node]] = row
        mover = members.next_mover[mover]
