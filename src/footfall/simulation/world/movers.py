"""Movers in a step, before and after contact: robots by their kernels, free bodies by formulas."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Lanes, Vector3, call_native
from footfall.math.block_sparse import WIDTH
from footfall.simulation.world.free_bodies import body_rotation, free_inertia, free_velocity, moved_quaternion
from footfall.simulation.world.given_paths import place_on_path
from footfall.simulation.world.records import FreeBody, RobotPart, Settings, State, Workspace, World


def approach_all(world: World, settings: Settings, state: State, command: Array, room: Workspace) -> None:
    """Where all movers are and how they would move without contact; command (6, joints)."""
    for k in range(len(world.robots)):
        _approach_robot(world.robots[k], settings, state, command, room)
        _note_free(world, world.robots[k], room)
    for k in range(len(world.free)):
        if settings.sleep_steps > 0 and state.rest[len(world.robots) + k] >= settings.sleep_steps:
            _lie_still(world.free[k], state, room)
        else:
            approach_free(world.free[k], settings, state, room)
    for k in range(len(world.paths)):
        place_on_path(world.paths[k], world.waypoints, state.time[0], room.bodies)


def _approach_robot(
    robot: RobotPart, settings: Settings, state: State, command: Array, room: Workspace
) -> None:
    at = robot.inputs
    _copy(state.q, robot.first_q, room.inputs, at, robot.q)
    _copy(state.v, robot.first_v, room.inputs, at + robot.q, robot.v)
    at = _fill_rest(robot, settings, state, command, room.inputs, at + robot.q + robot.v)
    call_native(robot.approach, room.inputs[robot.inputs : at], room.outputs[robot.mass :])
    outputs, bodies = room.outputs, room.bodies
    first, last = robot.first_link, robot.first_link + robot.links
    turns = outputs[robot.rotations : robot.rotations + 9 * robot.links]
    bodies.rotation[first:last] = turns.reshape(robot.links, 3, 3)
    bodies.position[first:last] = _vectors(outputs, robot.positions, robot.links)
    bodies.linear[first:last] = _vectors(outputs, robot.linear, robot.links)
    bodies.angular[first:last] = _vectors(outputs, robot.angular, robot.links)
    if robot.given >= 0:
        for k in range(robot.links):
            link, own = robot.first_link + k, outputs[robot.given + 6 * k : robot.given + 6 * k + 6]
            room.given_linear[link] = np.array([own[0], own[1], own[2]])
            room.given_angular[link] = np.array([own[3], own[4], own[5]])
    if robot.placed:
        _place(robot, room)


def _vectors(numbers: Array, first: int, count: int) -> ArrayOf[Vector3]:
    rows: ArrayOf[Vector3] = numbers[first : first + 3 * count].reshape(count, 3)
    return rows


def _note_free(world: World, robot: RobotPart, room: Workspace) -> None:
    """Velocities without contact by node."""
    for node in range(robot.first_node, robot.first_node + robot.nodes):
        row: Lanes = np.zeros(8)
        for lane in range(WIDTH):
            velocity = world.node_velocities[node, lane]
            if velocity >= 0:
                row[lane] = room.outputs[robot.free + velocity - robot.first_v]
        room.free[node] = row


def _fill_rest(
    robot: RobotPart, settings: Settings, state: State, command: Array, inputs: Array, at: int
) -> int:
    """What both kernels take behind coordinates and velocities; gives where it ends."""
    _copy(state.integral, robot.first_joint, inputs, at, robot.joints)
    at += robot.joints
    for part in range(len(command)):
        _copy(command[part], robot.first_joint, inputs, at, robot.joints)
        at += robot.joints
    pull = robot.rotation.T @ settings.gravity if robot.placed else settings.gravity
    for i in range(3):
        inputs[at + i] = pull[i]
    inputs[at + 3] = settings.dt
    _copy(state.drives, robot.first_drive, inputs, at + 4, robot.drives)
    return at + 4 + robot.drives


def _copy(source: Array, first: int, target: Array, place: int, count: int) -> None:
    target[place : place + count] = source[first : first + count]


def _place(robot: RobotPart, room: Workspace) -> None:
    """From the robot's own world into the common one."""
    bodies = room.bodies
    for k in range(robot.links):
        link = robot.first_link + k
        bodies.rotation[link] = robot.rotation @ bodies.rotation[link]
        bodies.position[link] = robot.rotation @ bodies.position[link] + robot.position
        bodies.linear[link] = robot.rotation @ bodies.linear[link]
        bodies.angular[link] = robot.rotation @ bodies.angular[link]
        if robot.given >= 0:
            room.given_linear[link] = robot.rotation @ room.given_linear[link]
            room.given_angular[link] = robot.rotation @ room.given_angular[link]


def robot_origin(robot: RobotPart, outputs: Array) -> Vector3:
    """Where the motions of a robot's links are taken, in the common world, m."""
    own = np.array([outputs[robot.origin], outputs[robot.origin + 1], outputs[robot.origin + 2]])
    return robot.rotation @ own + robot.position if robot.placed else own


def _lie_still(body: FreeBody, state: State, room: Workspace) -> None:
    """What sleeps is where it was."""
    q, bodies, link = state.q[body.first_q : body.first_q + 7], room.bodies, body.link
    bodies.rotation[link] = body_rotation(q)
    bodies.position[link] = np.array([q[0], q[1], q[2]])
    bodies.linear[link] = np.zeros(3)
    bodies.angular[link] = np.zeros(3)
    still: Lanes = np.zeros(8)
    room.free[body.node] = still


def approach_free(body: FreeBody, settings: Settings, state: State, room: Workspace) -> None:
    """Where a free body is, and how it moves without contact."""
    q = state.q[body.first_q : body.first_q + 7]
    rotation = body_rotation(q)
    block: ArrayOf[Lanes] = np.empty((WIDTH, WIDTH))
    free_inertia(body, rotation, block)
    v: Lanes = np.zeros(8)
    for i in range(6):
        v[i] = state.v[body.first_v + i]
    after = free_velocity(body, rotation, block, v, settings)
    room.free[body.node] = after
    bodies, link = room.bodies, body.link
    bodies.rotation[link] = rotation
    bodies.position[link] = np.array([q[0], q[1], q[2]])
    bodies.linear[link] = np.array([after[0], after[1], after[2]])
    bodies.angular[link] = rotation @ np.array([after[3], after[4], after[5]])


def settle_all(world: World, settings: Settings, state: State, command: Array, room: Workspace) -> None:
    """Let all movers move with their velocities after the step, `room.v` by node."""
    for k in range(len(world.robots)):
        _settle_robot(world, world.robots[k], settings, state, command, room)
    for k in range(len(world.free)):
        body = world.free[k]
        if room.still[body.link] and state.rest[len(world.robots) + k] > 0:
            continue
        after = room.v[body.node]
        q = state.q[body.first_q : body.first_q + 7]
        for i in range(3):
            q[i] += settings.dt * after[i]
        turn = settings.dt * np.array([after[3], after[4], after[5]])
        q[3:7] = moved_quaternion(q[3:7], turn)
        for i in range(6):
            state.v[body.first_v + i] = after[i]
            room.effort[body.first_v + i] = 0.0


def _settle_robot(
    world: World, robot: RobotPart, settings: Settings, state: State, command: Array, room: Workspace
) -> None:
    at = robot.inputs
    _copy(state.q, robot.first_q, room.inputs, at, robot.q)
    _copy(state.v, robot.first_v, room.inputs, at + robot.q, robot.v)
    _copy(room.outputs, robot.free, state.v, robot.first_v, robot.v)  # what is prescribed belongs to no node
    for node in range(robot.first_node, robot.first_node + robot.nodes):
        row = room.v[node]
        for lane in range(WIDTH):
            velocity = world.node_velocities[node, lane]
            if velocity >= 0:
                state.v[velocity] = row[lane]
    at += robot.q + robot.v
    _copy(state.v, robot.first_v, room.inputs, at, robot.v)
    end = _fill_rest(robot, settings, state, command, room.inputs, at + robot.v)
    _copy(room.outputs, robot.integral, state.integral, robot.first_joint, robot.joints)
    call_native(robot.settle, room.inputs[robot.inputs : end], room.outputs[robot.settled :])
    _copy(room.outputs, robot.settled, state.q, robot.first_q, robot.q)
    _copy(room.outputs, robot.settled + robot.q, room.effort, robot.first_v, robot.v)
    _copy(room.outputs, robot.settled + robot.q + robot.v, state.drives, robot.first_drive, robot.drives)
