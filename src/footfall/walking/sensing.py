"""From the true state of the plant to sensors: what touches feet and hands, and how the upper body turns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler import Kernel, build_kernel
from footfall.compiler.routines import Matrix3, Vector3, call_native
from footfall.dynamics.center_of_mass import center_of_mass
from footfall.dynamics.kinematics import frame_pose, frame_velocity
from footfall.gait.poses import HANDS
from footfall.simulation.world.records import Count, World, WorldState
from footfall.walking.body import FEET, OTHER, WalkingBody
from footfall.walking.gains import ControlGains
from footfall.walking.state import Sensors

NOTHING = -2  # not of the robot
PAD_SHARE = 30.0 / 660.0  # of the weight: 30 N close a switch, Seiwald (2023) section 3.2
_BODY = 12  # numbers of the upper body
_FRAMES = 4  # RF, LF, RH, LH: rotations (9,) and positions (3,), one after the other


class SensingCode(NamedTuple):
    """Native code that looks at the robot, what its links belong to, and where its joints stand in q and v. middle: of
    a sole ahead of its frame, m; pad_force: N, that closes a switch under one of its quarters."""

    look: int
    parts: Integers
    joints_q: Integers
    joints_v: Integers
    middle: float
    pad_force: float


class Truth(NamedTuple):
    """What is true of the robot, for judgement and recordings only. wrenches (4, 6): [f; n] on RF, LF, RH, LH at their
    frames, world axes, N and Nm. zmp: of the feet, in the plane of the lower one, m. other: force on other bodies, N.
    center: of mass, m."""

    wrenches: Array
    zmp: Vector3
    other: float
    center: Vector3
    upright: float  # cosine of the tilt of the upper body


def sensing_kernel(body: WalkingBody) -> Kernel:
    """Native code: upper body, frames, centre of mass."""
    robot, frames = body.robot, body.model.frames

    def look(q: Array, v: Array) -> dict[str, Array]:
        upper = frame_pose(robot, q, frames["UB"]).rotation
        rows = []
        for name in (*FEET, *HANDS):
            pose = frame_pose(robot, q, frames[name])
            rows.append(np.concatenate([pose.rotation.reshape(-1), pose.translation]))
        return {
            "orientation": upper,
            "turning": upper.T @ frame_velocity(robot, q, v, frames["UB"])[3:],
            "frames": np.concatenate(rows),
            "center": center_of_mass(robot, q),
            "upright": np.array([upper[2, 2]]),
        }

    key = f"{robot.fingerprint} {sorted(frames.items())!r}"
    return build_kernel(look, {"q": robot.nq, "v": robot.nv}, name="walking_look", key=key, module=__name__)


def sensing_code(body: WalkingBody, kernel: Kernel, gains: ControlGains) -> SensingCode:
    """What routines need; the kernel must be kept."""
    from footfall.simulation.joint_control import actuated_velocities

    axes = actuated_velocities(body.robot)
    return SensingCode(
        kernel.native_function().address,
        body.parts,
        np.array([coordinate for coordinate, _ in axes], dtype=np.int64),
        np.array([velocity for _, velocity in axes], dtype=np.int64),
        gains.sole.middle,
        PAD_SHARE * gains.mass * gains.gravity,
    )


def sense(
    code: SensingCode, world: World, state: WorldState, dt: float, room: Array, sensors: Sensors, truth: Array
) -> Truth:
    """Fill the sensors without error. room: for native code. truth (4, 6): becomes the wrenches of `Truth`."""
    q, v = world.robots[0].q.of(state.q), world.robots[0].v.of(state.v)
    nq, nv = len(q), len(v)
    room[:nq] = q
    room[nq : nq + nv] = v
    out = room[nq + nv :]
    call_native(code.look, room[: nq + nv], out)
    sensors.orientation[:] = out[:9].reshape(3, 3)
    sensors.turning[:] = out[9:_BODY]
    for k in range(len(code.joints_q)):
        sensors.joints[k] = q[code.joints_q[k]]
        sensors.joint_rates[k] = v[code.joints_v[k]]
    frames = out[_BODY : _BODY + 12 * _FRAMES]
    truth[:] = 0.0
    sensors.pads[:] = 0.0
    other, moment_x, moment_y, load, lowest = 0.0, 0.0, 0.0, 0.0, np.inf
    for k in range(state.counts[Count.CONTACTS]):
        touch = state.contacts[k]
        force, at = state.impulses[k] / dt, touch.position
        part = part_of(code, world, touch.first)
        if part == NOTHING:  # a thing on the robot: the robot is the second
            part, force = part_of(code, world, touch.second), -force
        if part == OTHER:
            other = max(other, np.sqrt(force @ force))
        if part < 0:
            continue
        arm = at - _position(frames, part)
        moment = np.cross(arm, force)
        for i in (0, 1, 2):
            truth[part, i] += force[i]
            truth[part, 3 + i] += moment[i]
        if part < 2:
            sensors.pads[part, _pad(code, _rotation(frames, part).T @ arm)] += force[2]
            load += force[2]
            moment_x += at[1] * force[2] - at[2] * force[1]
            moment_y += at[2] * force[0] - at[0] * force[2]
            lowest = min(lowest, at[2])
    for part in range(4):
        turn = _rotation(frames, part)
        force = turn.T @ np.array([truth[part, 0], truth[part, 1], truth[part, 2]])
        moment = turn.T @ np.array([truth[part, 3], truth[part, 4], truth[part, 5]])
        if part < 2:
            for k in range(4):
                sensors.pads[part, k] = 1.0 if sensors.pads[part, k] > code.pad_force else 0.0
        for i in (0, 1, 2):
            if part < 2:
                sensors.feet[part, i], sensors.feet[part, 3 + i] = force[i], moment[i]
            else:
                sensors.hands[part - 2, i] = force[i]
    zmp: Vector3 = np.full(3, np.nan)
    if load > 1.0:
        fx, fy = truth[0, 0] + truth[1, 0], truth[0, 1] + truth[1, 1]
        zmp = np.array([(lowest * fx - moment_y) / load, (moment_x + lowest * fy) / load, lowest])
    last = _BODY + 12 * _FRAMES
    return Truth(truth, zmp, other, np.array([out[last], out[last + 1], out[last + 2]]), out[last + 3])


def _pad(code: SensingCode, place: Vector3) -> int:
    """Which quarter of a sole a place in the frame of its foot, m, belongs to."""
    return (2 if place[0] > code.middle else 0) + (1 if place[1] > 0.0 else 0)


def part_of(code: SensingCode, world: World, shape: int) -> int:
    """What of the robot a shape belongs to, if anything."""
    body, robot = world.shapes.shapes[shape].body, world.robots[0]
    link = body - robot.links.first
    return int(code.parts[link]) if 0 <= link < robot.links.size else NOTHING


def _rotation(frames: Array, part: int) -> Matrix3:
    at = 12 * part
    return np.array(
        [
            [frames[at], frames[at + 1], frames[at + 2]],
            [frames[at + 3], frames[at + 4], frames[at + 5]],
            [frames[at + 6], frames[at + 7], frames[at + 8]],
        ]
    )


def _position(frames: Array, part: int) -> Vector3:
    at = 12 * part + 9
    return np.array([frames[at], frames[at + 1], frames[at + 2]])
