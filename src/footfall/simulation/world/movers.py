"""Movers in a step, before and after contact: robots by their kernels, free bodies by formulas."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import (
    ArrayOf,
    Lanes,
    Matrix3,
    Quaternion,
    Team,
    Vector3,
    call_native,
    next_piece,
    together,
)
from footfall.contact.detection.shapes import Bodies
from footfall.contact.islands.island import TWIST
from footfall.math.block_sparse import WIDTH
from footfall.math.linear_systems import solve_in_place
from footfall.math.rotations import (
    matrix_from_quaternion,
    matrix_from_rotation_vector,
    quaternion_inverse,
    quaternion_product,
)
from footfall.math.spatial import skew
from footfall.scene.given_motion import cubic, cubic_rate
from footfall.simulation.world.records import (
    Count,
    FreeBody,
    GivenPath,
    LinkPiece,
    Moment,
    RobotPart,
    Settings,
    Workspace,
    World,
    WorldState,
)

# Objects that move on given paths, in a step.

_COORDINATES = 7


def place_on_path(path: GivenPath, waypoints: Array, time: float, bodies: Bodies) -> None:
    """Put an object where it is at a time, s, with its velocity; as `GivenMotion.pose` and `velocity`."""
    table = waypoints[path.first : path.first + path.waypoints]
    start, end = table[0, 0], table[path.waypoints - 1, 0]
    if path.periodic:
        clock = time - (end - start) * np.floor((time - start) / (end - start))
    else:
        clock = min(max(time, start), end)
    row = _row_before(table, clock)
    length = table[row + 1, 0] - table[row, 0]
    s = (clock - table[row, 0]) / length
    values, rates = np.empty(_COORDINATES), np.empty(_COORDINATES)
    for c in range(_COORDINATES):
        p0, m0 = table[row, 1 + c], length * table[row, 8 + c]
        p1, m1 = table[row + 1, 1 + c], length * table[row + 1, 8 + c]
        values[c], rates[c] = cubic(s, p0, m0, p1, m1), cubic_rate(s, p0, m0, p1, m1) / length
    q: Quaternion = np.array([values[3], values[4], values[5], values[6]])
    rate: Quaternion = np.array([rates[3], rates[4], rates[5], rates[6]])
    square = q @ q
    # The part of the rate along q only changes its norm, which the product's scalar part takes up.
    product = quaternion_product(rate, quaternion_inverse(q))
    angular: Vector3 = np.array([product[1], product[2], product[3]])
    bodies.rotation[path.body] = matrix_from_quaternion(q / np.sqrt(square))
    bodies.position[path.body] = np.array([values[0], values[1], values[2]])
    bodies.linear[path.body] = np.array([rates[0], rates[1], rates[2]])
    bodies.angular[path.body] = (2.0 / square) * angular


def _row_before(table: Array, clock: float) -> int:
    """The last row but one that is not later."""
    low, high = 0, len(table) - 2
    while low < high:
        middle = (low + high + 1) // 2
        if table[middle, 0] <= clock:
            low = middle
        else:
            high = middle - 1
    return low


# Free bodies in a step: inertia, smooth forces and motion, for any of them, while it runs.
#
# Where a body turns far in a step, its gyroscopic forces are followed in parts of the step.
#
# Gyroscopic forces are those in the middle of a step. Where a body spins on something that middle is known only if
# contact is: without it, the nutation of a top grows by w^2 dt / 2. So what contact did in the last step is taken to
# be what it does in this one (`spin_of_contact`): impulses of a spinning body that touches change little from step to
# step, impacts aside.
#
# A free body has the velocity [velocity of its origin in world axes; angular velocity in body axes], as a floating
# joint.


_SPINS = 0.3  # rad in a step, from which on it is taken in parts
COUNTS = 0.003  # rad in a step, from which on contact counts in its middle
IMPACT = 0.1  # of the angular velocity: a greater change by contact was an impact
_PART = 0.1  # rad
_MOST_PARTS = 100


def free_inertia(body: FreeBody, rotation: Matrix3, block: ArrayOf[Lanes]) -> None:
    """Fill the block (8, 8) of a body's inertia."""
    block[:] = 0.0
    turn = body.mass * (rotation @ skew(body.center))
    for i in range(3):
        block[i, i] = body.mass
        for j in range(3):
            block[i, 3 + j] = -turn[i, j]
            block[3 + j, i] = -turn[i, j]
            block[3 + i, 3 + j] = body.inertia[i, j]
    block[6, 6] = 1.0
    block[7, 7] = 1.0


def free_forces(body: FreeBody, rotation: Matrix3, angular: Vector3, gravity: Vector3) -> Lanes:
    """Forces on the velocities of a body that turns with an angular velocity (3,) in its own axes, N and N m."""
    pull = body.mass * (rotation.T @ gravity)
    spin = body.inertia @ angular
    force = rotation @ (pull - body.mass * np.cross(angular, np.cross(angular, body.center)))
    moment = np.cross(body.center, pull) - np.cross(angular, spin)
    result: Lanes = np.zeros(8)
    result[0], result[1], result[2] = force[0], force[1], force[2]
    result[3], result[4], result[5] = moment[0], moment[1], moment[2]
    return result


def turns(state: WorldState, body: FreeBody, dt: float) -> bool:
    """Whether a body turns so far in a step that it counts what contact does in the middle of it."""
    x, y, z = state.v[body.first_v + 3], state.v[body.first_v + 4], state.v[body.first_v + 5]
    return bool(dt * dt * (x * x + y * y + z * z) > COUNTS * COUNTS)


def note_contact_spins(world: World, settings: Settings, state: WorldState, room: Workspace) -> None:
    """By how much contact changed the angular velocity of free bodies in the last step, (free, 3), rad/s in their own
    axes, into the workspace; zero for what hardly turns, and after impacts."""
    some = False
    for k in range(len(world.free)):
        room.spun[k] = np.zeros(3)
        some = some or turns(state, world.free[k], settings.dt)
    if not (some and settings.middle):
        return
    team = room.shared.team
    if _are_many(world, team):
        together(team, _spin_some, team, world, settings, state, room)
    else:
        _spin_some(team.alone(), world, settings, state, room)


def _spin_some(team: Team, world: World, settings: Settings, state: WorldState, room: Workspace) -> None:
    """The same for free bodies that others do not look at: a part for each thread, as each reads all contacts."""
    size = -(-len(world.free) // team.threads)
    part = next_piece(team, -1, team.threads)
    while part < team.threads:
        _spin_part(part * size, min((part + 1) * size, len(world.free)), world, settings, state, room)
        part = next_piece(team, part, team.threads)


def _spin_part(
    first: int, last: int, world: World, settings: Settings, state: WorldState, room: Workspace
) -> None:
    """Free bodies from a number to before another one."""
    links, robots = len(world.link_mover), len(world.robots)
    for c in range(state.counts[Count.CONTACTS]):
        contact, impulse = state.contacts[c], state.impulses[c]
        for side in (0, 1):
            shape = contact.first if side == 0 else contact.second
            link = world.shapes.shapes[shape].body
            if 0 <= link < links and first <= world.link_mover[link] - robots < last:
                k = world.link_mover[link] - robots
                body = world.free[k]
                if turns(state, body, settings.dt):
                    q = state.q[body.first_q : body.first_q + 7]
                    rotation = body_rotation(q)
                    arm = contact.position - np.array([q[0], q[1], q[2]]) - rotation @ body.center
                    moment = np.cross(arm, impulse)
                    if side == 0:
                        room.spun[k] = room.spun[k] + rotation.T @ (moment + contact.moment)
                    else:
                        room.spun[k] = room.spun[k] - rotation.T @ (moment + contact.moment)
    for k in range(first, last):
        body, moment = world.free[k], room.spun[k]
        if moment @ moment > 0.0:
            about_center = body.inertia + body.mass * (skew(body.center) @ skew(body.center))
            change = _inverse(about_center) @ moment
            speed = np.array(
                [state.v[body.first_v + 3], state.v[body.first_v + 4], state.v[body.first_v + 5]]
            )
            impact = change @ change > IMPACT * IMPACT * (speed @ speed)
            room.spun[k] = np.zeros(3) if impact else change


def free_velocity(
    body: FreeBody, rotation: Matrix3, block: ArrayOf[Lanes], v: Lanes, spun: Vector3, settings: Settings
) -> Lanes:
    """Velocity after a step without contact; gyroscopic forces are those in its middle, or at its start. spun (3,): by
    how much contact is expected to change the angular velocity in the step, rad/s."""
    if settings.dt**2 * (v[3] * v[3] + v[4] * v[4] + v[5] * v[5]) > _SPINS**2:
        return _spun_velocity(body, rotation, v, spun, settings)
    matrix, right = np.empty((6, 6)), np.empty(6)
    angular = np.array([v[3], v[4], v[5]])
    for stage in range(0 if settings.middle else 1, 2):
        forces = free_forces(body, rotation, angular, settings.gravity)
        step = 0.5 * settings.dt if stage == 0 else settings.dt
        for i in range(6):
            right[i] = step * forces[i]
            for j in range(6):
                matrix[i, j] = block[i, j]
        solve_in_place(matrix, right)
        angular = np.array([v[3] + right[3], v[4] + right[4], v[5] + right[5]]) + 0.5 * spun
    result = v.copy()
    for i in range(6):
        result[i] += right[i]
    return result


def _spun_velocity(body: FreeBody, rotation: Matrix3, v: Lanes, spun: Vector3, settings: Settings) -> Lanes:
    """The same of a body that turns far in a step, where one evaluation of gyroscopic forces would give it energy."""
    dt, center, angular = settings.dt, body.center, np.array([v[3], v[4], v[5]])
    about_center = body.inertia + body.mass * (skew(center) @ skew(center))
    mobility = _inverse(about_center)
    parts = int(min(np.ceil(np.sqrt(angular @ angular) * dt / _PART), _MOST_PARTS))
    h = dt / parts
    pushed = spun / dt
    origin: Vector3 = np.array([v[0], v[1], v[2]])
    carried = origin + rotation @ np.cross(angular, center)  # of the centre of mass
    for _ in range(parts):  # Euler's equations by Runge and Kutta
        one = _spin_rate(about_center, mobility, angular) + pushed
        two = _spin_rate(about_center, mobility, angular + 0.5 * h * one) + pushed
        three = _spin_rate(about_center, mobility, angular + 0.5 * h * two) + pushed
        four = _spin_rate(about_center, mobility, angular + h * three) + pushed
        angular = angular + h / 6.0 * (one + 2.0 * two + 2.0 * three + four)
    angular = angular - spun  # contact gives it
    turned = rotation @ matrix_from_rotation_vector(dt * angular)  # where the step ends
    linear = carried + dt * settings.gravity - turned @ np.cross(angular, center)
    result: Lanes = np.zeros(8)
    for i in (0, 1, 2):
        result[i], result[3 + i] = linear[i], angular[i]
    return result


def _inverse(matrix: Matrix3) -> Matrix3:
    """Of a symmetric matrix, by its cofactors."""
    a, b, c = matrix[0], matrix[1], matrix[2]
    scale = 1.0 / (a @ np.cross(b, c))
    rows: Matrix3 = scale * np.array([np.cross(b, c), np.cross(c, a), np.cross(a, b)])
    return rows


def _spin_rate(inertia: Matrix3, mobility: Matrix3, angular: Vector3) -> Vector3:
    rate: Vector3 = -(mobility @ np.cross(angular, inertia @ angular))
    return rate


def moved_quaternion(q: Array, turn: Vector3) -> Array:
    """A quaternion (4,) composed with a rotation vector (3,) in body axes, rad."""
    angle = np.sqrt(turn @ turn)
    scale = 0.5 - angle * angle / 48.0 if angle < 1e-4 else np.sin(0.5 * angle) / angle
    step = np.array([np.cos(0.5 * angle), scale * turn[0], scale * turn[1], scale * turn[2]])
    product = quaternion_product(np.array([q[0], q[1], q[2], q[3]]), step)
    return product / np.sqrt(product @ product)


def body_rotation(q: Array) -> Matrix3:
    """Rotation (3, 3) of the quaternion q[3:7] of a free body's coordinates."""
    return matrix_from_quaternion(np.array([q[3], q[4], q[5], q[6]]))


def approach_all(
    world: World, settings: Settings, state: WorldState, command: Array, room: Workspace
) -> None:
    """Where all movers are and how they would move without contact; command (6, joints)."""
    for k in range(len(world.robots)):
        _approach_robot(world.robots[k], settings, state, command, room)
        _note_free(world, world.robots[k], room)
    note_contact_spins(world, settings, state, room)
    team = room.shared.team
    if _are_many(world, team):
        together(team, _approach_some, team, world, settings, state, room)
    else:
        _approach_some(team.alone(), world, settings, state, room)
    for k in range(len(world.paths)):
        place_on_path(world.paths[k], world.waypoints, state.time[0], room.bodies)


_WORTH_HELP = 256  # free bodies that are worth the help of others
_BODIES_A_PIECE = 16  # of them that one takes at a time


def _are_many(world: World, team: Team) -> bool:
    """Whether a team shares the free bodies of a world."""
    return team.threads > 1 and len(world.free) >= _WORTH_HELP


def _approach_some(team: Team, world: World, settings: Settings, state: WorldState, room: Workspace) -> None:
    """Free bodies, as far as others do not do it."""
    pieces = -(-len(world.free) // _BODIES_A_PIECE)
    piece = next_piece(team, -1, pieces)
    while piece < pieces:
        for k in range(_BODIES_A_PIECE * piece, min(_BODIES_A_PIECE * (piece + 1), len(world.free))):
            if settings.sleep_steps > 0 and state.rest[len(world.robots) + k] >= settings.sleep_steps:
                _lie_still(world.free[k], state, room)
            else:
                approach_free(world.free[k], room.spun[k], settings, state, room)
        piece = next_piece(team, piece, pieces)


def _approach_robot(
    robot: RobotPart, settings: Settings, state: WorldState, command: Array, room: Workspace
) -> None:
    inputs, results, links = robot.inputs.of(room.inputs), robot.results, robot.links
    at = _put(robot.q.of(state.q), inputs, 0)
    at = _put(robot.v.of(state.v), inputs, at)
    at = _put_rest(robot, settings, state, command, inputs, at)
    call_native(robot.approach, inputs[:at], results.approach.of(room.outputs))
    outputs, bodies = room.outputs, room.bodies
    bodies.rotation[links.first : links.end] = results.rotations.of(outputs).reshape(links.size, 3, 3)
    bodies.position[links.first : links.end] = results.positions.of(outputs).reshape(links.size, 3)
    bodies.linear[links.first : links.end] = results.linear.of(outputs).reshape(links.size, 3)
    bodies.angular[links.first : links.end] = results.angular.of(outputs).reshape(links.size, 3)
    if results.given.size > 0:
        given = results.given.of(outputs).reshape(links.size, 6)
        for k in range(links.size):
            room.given_linear[links.first + k] = np.array([given[k, 0], given[k, 1], given[k, 2]])
            room.given_angular[links.first + k] = np.array([given[k, 3], given[k, 4], given[k, 5]])
    if robot.placed:
        _place(robot, room)


def _note_free(world: World, robot: RobotPart, room: Workspace) -> None:
    """Velocities without contact by node."""
    free = robot.results.free.of(room.outputs)
    for node in range(robot.nodes.first, robot.nodes.end):
        row: Lanes = np.zeros(8)
        for lane in range(WIDTH):
            velocity = world.node_velocities[node, lane]
            if velocity >= 0:
                row[lane] = free[velocity - robot.v.first]
        room.free[node] = row


def _put_rest(
    robot: RobotPart, settings: Settings, state: WorldState, command: Array, inputs: Array, at: int
) -> int:
    """What both kernels take behind coordinates and velocities; gives where it ends."""
    at = _put(robot.joints.of(state.integral), inputs, at)
    for part in range(len(command)):
        at = _put(robot.joints.of(command[part]), inputs, at)
    pull = robot.rotation.T @ settings.gravity if robot.placed else settings.gravity
    for i in range(3):
        inputs[at + i] = pull[i]
    inputs[at + 3] = settings.dt
    return _put(robot.drives.of(state.drives), inputs, at + 4)


def _put(values: Array, target: Array, at: int) -> int:
    """Write values from a place on; gives where they end."""
    target[at : at + len(values)] = values
    return at + len(values)


def _place(robot: RobotPart, room: Workspace) -> None:
    """From the robot's own world into the common one."""
    bodies = room.bodies
    for link in range(robot.links.first, robot.links.end):
        bodies.rotation[link] = robot.rotation @ bodies.rotation[link]
        bodies.position[link] = robot.rotation @ bodies.position[link] + robot.position
        bodies.linear[link] = robot.rotation @ bodies.linear[link]
        bodies.angular[link] = robot.rotation @ bodies.angular[link]
        if robot.results.given.size > 0:
            room.given_linear[link] = robot.rotation @ room.given_linear[link]
            room.given_angular[link] = robot.rotation @ room.given_angular[link]


def robot_origin(robot: RobotPart, outputs: Array) -> Vector3:
    """Where the motions of a robot's links are taken, in the common world, m."""
    place = robot.results.origin.of(outputs)
    own = np.array([place[0], place[1], place[2]])
    return robot.rotation @ own + robot.position if robot.placed else own


def _lie_still(body: FreeBody, state: WorldState, room: Workspace) -> None:
    """What sleeps is where it was."""
    q, bodies, link = state.q[body.first_q : body.first_q + 7], room.bodies, body.link
    bodies.rotation[link] = body_rotation(q)
    bodies.position[link] = np.array([q[0], q[1], q[2]])
    bodies.linear[link] = np.zeros(3)
    bodies.angular[link] = np.zeros(3)
    still: Lanes = np.zeros(8)
    room.free[body.node] = still


def approach_free(
    body: FreeBody, spun: Vector3, settings: Settings, state: WorldState, room: Workspace
) -> None:
    """Where a free body is, and how it moves without contact; spun: see `note_contact_spins`."""
    q = state.q[body.first_q : body.first_q + 7]
    rotation = body_rotation(q)
    block: ArrayOf[Lanes] = np.empty((WIDTH, WIDTH))
    free_inertia(body, rotation, block)
    v: Lanes = np.zeros(8)
    for i in range(6):
        v[i] = state.v[body.first_v + i]
    after = free_velocity(body, rotation, block, v, spun, settings)
    room.free[body.node] = after
    bodies, link = room.bodies, body.link
    bodies.rotation[link] = rotation
    bodies.position[link] = np.array([q[0], q[1], q[2]])
    bodies.linear[link] = np.array([after[0], after[1], after[2]])
    bodies.angular[link] = rotation @ np.array([after[3], after[4], after[5]])


def settle_all(world: World, settings: Settings, state: WorldState, command: Array, room: Workspace) -> None:
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
    world: World, robot: RobotPart, settings: Settings, state: WorldState, command: Array, room: Workspace
) -> None:
    inputs, results, v = robot.inputs.of(room.inputs), robot.results, robot.v.of(state.v)
    at = _put(robot.q.of(state.q), inputs, 0)
    at = _put(v, inputs, at)
    v[:] = results.free.of(room.outputs)  # what is prescribed belongs to no node
    for node in range(robot.nodes.first, robot.nodes.end):
        row = room.v[node]
        for lane in range(WIDTH):
            velocity = world.node_velocities[node, lane]
            if velocity >= 0:
                state.v[velocity] = row[lane]
    at = _put(v, inputs, at)
    _put_rest(robot, settings, state, command, inputs, at)
    robot.joints.of(state.integral)[:] = results.integral.of(room.outputs)
    settled = results.settled.of(room.outputs)
    call_native(robot.settle, inputs, settled)
    at = _take(settled, 0, robot.q.of(state.q))
    at = _take(settled, at, robot.v.of(room.effort))
    _take(settled, at, robot.drives.of(state.drives))


def _take(source: Array, at: int, target: Array) -> int:
    """Read values from a place on; gives where they end."""
    target[:] = source[at : at + len(target)]
    return at + len(target)


# How links move with the velocities of nodes: the rows that contact and forces see.

_NUMBER = np.arange(8.0)  # of each lane


def fill_motion(
    now: Moment, link: int, piece: int, point: Vector3, motions: ArrayOf[Lanes], row: int
) -> None:
    """Six rows of the motion [v; w] of a link at a point (3,) in the world, by the velocities of one piece."""
    mover, robots = now.world.link_mover[link], len(now.world.robots)
    if mover < robots:
        robot = now.world.robots[mover]
        _robot_rows(now, robot, now.world.pieces[piece], motions, row)
        arm = point - robot_origin(robot, now.room.outputs)
    else:
        _free_rows(now, link, motions, row)
        arm = point - now.room.bodies.position[link]
    wx, wy, wz = motions[row + 3], motions[row + 4], motions[row + 5]
    motions[row] = motions[row] + wy * arm[2] - wz * arm[1]
    motions[row + 1] = motions[row + 1] + wz * arm[0] - wx * arm[2]
    motions[row + 2] = motions[row + 2] + wx * arm[1] - wy * arm[0]


def _robot_rows(now: Moment, robot: RobotPart, piece: LinkPiece, motions: ArrayOf[Lanes], row: int) -> None:
    """About the robot's origin."""
    number: Lanes = _NUMBER
    keep, first = number < piece.lanes, robot.results.motions.first + TWIST * WIDTH * piece.table
    table: ArrayOf[Lanes] = now.room.outputs[first : first + TWIST * WIDTH].reshape(TWIST, WIDTH)
    for c in range(TWIST):
        motions[row + c] = np.where(keep, table[c], 0.0)
    if robot.placed:
        turn = robot.rotation
        for c in (0, 3):
            x, y, z = motions[row + c], motions[row + c + 1], motions[row + c + 2]
            for i in (0, 1, 2):
                motions[row + c + i] = turn[i, 0] * x + turn[i, 1] * y + turn[i, 2] * z


def _free_rows(now: Moment, link: int, motions: ArrayOf[Lanes], row: int) -> None:
    """About the body's origin."""
    number: Lanes = _NUMBER
    rotation = now.room.bodies.rotation[link]
    for i in (0, 1, 2):
        motions[row + i] = np.where(number == i, 1.0, 0.0)
        turned: Lanes = np.zeros(8)
        turned[3], turned[4], turned[5] = rotation[i, 0], rotation[i, 1], rotation[i, 2]
        motions[row + 3 + i] = turned
