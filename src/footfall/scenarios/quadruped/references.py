"""Joint references of the scenarios over time: what the PID controllers shall follow."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.center_of_mass import center_of_mass
from footfall.dynamics.kinematics import forward_kinematics
from footfall.errors import InvalidInput
from footfall.gait.gaits import LEGS
from footfall.gait.preview import CartTable
from footfall.math.rotations import quaternion_from_matrix, rotation_x, rotation_y
from footfall.robot.model import Robot
from footfall.scenarios.quadruped.legs import foot_homes, joint_angles, standing_configuration
from footfall.scenarios.quadruped.parameters import FallPart, JumpPart, Scenario, TrotPart

_PAIRS = (("RB", "LF"), ("LB", "RF"))  # diagonals, Ayit 2015, chapter 5


class Reference(NamedTuple):
    """start (nq,): where the robot is let go. position, rate (n, 16): of the joints, rad and rad/s, at each step."""

    start: Array
    position: Array
    rate: Array


class TrotCourse(NamedTuple):
    """Course of a trot at times (n,): body (n, 3), feet (n, 4, 3) and the zero-moment point (n, 2) that was asked for,
    world axes, m; swing (n, 4): whether a foot is in the air."""

    time: Array
    body: Array
    feet: Array
    zmp: Array
    swing: np.ndarray[Any, np.dtype[np.bool_]]


def reference(robot: Robot, scenario: Scenario) -> Reference:
    """Reference of a scenario, one row a time step."""
    dt = scenario.step.dt
    times = dt * np.arange(round(scenario.duration / dt), dtype=np.float64)
    start = standing_configuration(robot, scenario.robot.hip_height)
    if scenario.fall is not None and scenario.kind == "fall":
        position = np.broadcast_to(start[7:], (len(times), 16)).copy()
        return Reference(released(robot, start, scenario.fall), position, np.zeros_like(position))
    if scenario.trot is not None and scenario.kind == "trot":
        course = trot_course(robot, scenario.trot, start, times)
        position = joint_angles(robot, course.body, course.feet)
    elif scenario.jump is not None:
        body = np.broadcast_to(start[:3], (len(times), 3)).copy()
        body[:, 2] = jump_heights(scenario.jump, float(start[2]), times)
        feet = np.broadcast_to(foot_homes(robot), (len(times), 4, 3))
        position = joint_angles(robot, body, feet)
    return Reference(start, position, np.gradient(position, dt, axis=0))


def released(robot: Robot, q: Array, fall: FallPart) -> Array:
    """Configuration (nq,) tilted about the torso, the lowest foot at the height of release."""
    tilted = np.array(q)
    tilted[3:7] = quaternion_from_matrix(rotation_y(fall.pitch) @ rotation_x(fall.roll))
    lowest = forward_kinematics(robot, tilted, frames=LEGS).position[:, 2].min()
    tilted[2] += fall.height - lowest
    return tilted


def trot_course(robot: Robot, trot: TrotPart, start: Array, times: Array) -> TrotCourse:
    """Body and feet of a trot at times (n,), from standing at start (nq,)."""
    feet, swing = _trot_feet(robot, trot, times)
    center = center_of_mass(robot, start)
    grid = trot.preview_step * np.arange(int(times[-1] / trot.preview_step) + 2, dtype=np.float64)
    wanted = _zmp_course(robot, trot, grid)
    offset = trot.centering * (center[:2] - start[:2])
    table = CartTable(
        float(center[2]),
        trot.preview_step,
        trot.preview_horizon,
        trot.preview_error_weight,
        trot.preview_jerk_weight,
    )
    body = np.tile(start[:3], (len(times), 1))
    shift = _cycloid(times / trot.stand) if trot.stand > 0.0 else np.ones(len(times))
    for axis in range(2):
        body[:, axis] += table.follow(wanted[:, axis]).position(times) - offset[axis] * shift
    body[:, 1] += trot.lateral_offset * _cycloid((times - trot.stand) / trot.half_cycle)
    zmp = np.stack([np.interp(times, grid, wanted[:, axis]) for axis in range(2)], axis=-1)
    return TrotCourse(times, body, feet, zmp, swing)


def _trot_feet(robot: Robot, trot: TrotPart, times: Array) -> tuple[Array, Any]:
    """Feet (n, 4, 3) and whether they swing (n, 4): footholds in the middle of the next stance, cycloids between."""
    homes = foot_homes(robot)
    since = (times - trot.stand) / trot.half_cycle  # in half cycles
    index = np.floor(np.maximum(since, 0.0))
    part = np.maximum(since, 0.0) - index
    feet = np.tile(homes, (len(times), 1, 1))
    swing = np.zeros((len(times), 4), dtype=bool)
    for number, pair in enumerate(_PAIRS):
        first = (number + trot.first_pair) % 2  # half cycle of its first swing; then every other one
        swings = index % 2 == first
        moving = swings & (since >= 0.0)
        began = np.where(swings, index, index - 1)  # half cycle of the last swing
        landed = np.where(began >= first, trot.stride * (began + 1.5), 0.0)
        before = np.where(began - 2 >= first, trot.stride * (began - 0.5), 0.0)
        along = np.where(moving, before + (landed - before) * _cycloid(part), landed)
        lift = np.where(moving, trot.clearance * (1 - np.cos(2 * np.pi * part)) / 2, 0.0)
        for leg in pair:
            feet[:, LEGS.index(leg), 0] += np.where(since >= 0.0, along, 0.0)
            feet[:, LEGS.index(leg), 2] += lift
            swing[:, LEGS.index(leg)] = moving
    return feet, swing


def _zmp_course(robot: Robot, trot: TrotPart, times: Array) -> Array:
    """Zero-moment points (n, 2) on the diagonal that stands, moving forward steadily."""
    homes = foot_homes(robot)
    hip_x, hip_y = np.abs(homes[:, :2]).max(axis=0)
    since = (times - trot.stand) / trot.half_cycle
    index = np.floor(since)
    x = trot.stride * np.maximum(since, 0.0)
    middle = np.where(index >= 1, trot.stride * (index + 0.5), 0.0)
    standing = (index + 1 + trot.first_pair) % 2  # the other pair swings
    slope = np.where(standing == 0, 1.0, -1.0) * hip_y / hip_x
    return np.stack([x, np.where(since >= 0.0, slope * (x - middle), 0.0)], axis=-1)


def jump_heights(jump: JumpPart, nominal: float, times: Array) -> Array:
    """Heights (n,) of the hips above the feet, m: stand, crouch, hold, extend at constant acceleration, retract."""
    way = jump.extended_height - jump.crouch_height
    if not (way > 0.0 and jump.extension_speed > 0.0):
        raise InvalidInput(
            f"jump.extended_height is {jump.extended_height} m and jump.extension_speed {jump.extension_speed} m/s; "
            f"the legs must extend from {jump.crouch_height} m upwards"
        )
    extension_time = 2 * way / jump.extension_speed
    begin = np.cumsum([jump.stand, jump.crouch_time, jump.hold, extension_time])
    parts = (times - begin[0]) / jump.crouch_time
    heights = nominal + (jump.crouch_height - nominal) * _cycloid(parts)
    extending = np.clip((times - begin[2]) / extension_time, 0.0, 1.0)
    heights = heights + way * extending**2
    back = _cycloid((times - begin[3]) / jump.retract_time)
    result: Array = heights + (nominal - jump.extended_height) * back
    return result


def _cycloid(part: Array) -> Array:
    """From 0 to 1 without jerks at the ends; part: of the time, held outside [0, 1]."""
    part = np.clip(part, 0.0, 1.0)
    return np.asarray(part - np.sin(2 * np.pi * part) / (2 * np.pi))
