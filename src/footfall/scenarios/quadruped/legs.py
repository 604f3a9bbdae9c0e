"""Legs of the quadruped: where their joints are, and the angles that bring a foot to a place.

Hip roll about x, hip pitch, knee and ankle about y; all links hang along -z at zero. Three pitch joints for two
coordinates of the foot are one too many: the foot keeps a given pitch, Ayit 2015, chapter 5.

Joint references of the scenarios over time: what the PID controllers shall follow.
"""

from __future__ import annotations

from dataclasses import dataclass
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
from footfall.scenarios.quadruped.parameters import FallPart, JumpPart, Scenario, TrotPart

JOINTS = ("hip_roll", "hip_pitch", "knee", "ankle")


@dataclass(frozen=True)
class LegGeometry:
    """hip: (3,) of the hip in the torso, m. thigh, shank, foot: lengths, m. foot_pitch: that the foot keeps, rad."""

    hip: Array
    thigh: float
    shank: float
    foot: float
    foot_pitch: float

    def angles(self, tip: Array) -> Array:
        """Joint angles (..., 4) that bring the tip of the foot to (..., 3) in torso axes from the hip, m."""
        tip = np.asarray(tip, dtype=np.float64)
        roll = np.arctan2(tip[..., 1], -tip[..., 2])
        down = np.hypot(tip[..., 1], tip[..., 2])
        # The ankle in the plane of the leg, x forward and y down.
        x = tip[..., 0] + self.foot * np.sin(self.foot_pitch)
        y = down - self.foot * np.cos(self.foot_pitch)
        square = x * x + y * y
        cosine = (square - self.thigh**2 - self.shank**2) / (2 * self.thigh * self.shank)
        if np.any(np.abs(cosine) > 1.0):
            worst = int(np.argmax(np.abs(np.ravel(cosine))))
            raise InvalidInput(
                f"the foot cannot be at {tip.reshape(-1, 3)[worst].tolist()} m from the hip: the ankle would be "
                f"{float(np.sqrt(np.ravel(square)[worst])):.4g} m away; it must be between "
                f"{abs(self.thigh - self.shank):.4g} and {self.thigh + self.shank:.4g} m"
            )
        knee = np.arccos(cosine)
        pitch = np.arctan2(-x, y) - np.arctan2(self.shank * np.sin(knee), self.thigh + self.shank * cosine)
        return np.stack([roll, pitch, knee, self.foot_pitch - pitch - knee], axis=-1)

    def tip(self, angles: Array) -> Array:
        """Tip of the foot (..., 3) in torso axes from the hip, m, at joint angles (..., 4)."""
        angles = np.asarray(angles, dtype=np.float64)
        pitches = np.cumsum(angles[..., 1:], axis=-1)
        lengths = np.array([self.thigh, self.shank, self.foot])
        x = -(np.sin(pitches) * lengths).sum(axis=-1)
        down = (np.cos(pitches) * lengths).sum(axis=-1)
        return np.stack([x, down * np.sin(angles[..., 0]), -down * np.cos(angles[..., 0])], axis=-1)


def leg_geometry(robot: Robot, leg: str) -> LegGeometry:
    """Geometry of a leg (RB, LB, RF or LF); the foot's pitch is that of the configuration "stand"."""
    pitch = sum(float(robot.configuration("stand")[robot.q_slice(f"{leg}_{name}")][0]) for name in JOINTS[1:])
    tip = next(frame for frame in robot.frames if frame.name == leg)
    return LegGeometry(
        robot.joint(f"{leg}_hip_roll").placement.translation,
        -float(robot.joint(f"{leg}_knee").placement.translation[2]),
        -float(robot.joint(f"{leg}_ankle").placement.translation[2]),
        -float(tip.placement.translation[2]),
        pitch,
    )


def joint_angles(robot: Robot, body: Array, feet: Array) -> Array:
    """Angles (n, 16) of all joints for an upright torso at (n, 3) and feet at (n, 4, 3) in the world, m."""
    parts = []
    for k, leg in enumerate(LEGS):
        geometry = leg_geometry(robot, leg)
        parts.append(geometry.angles(feet[:, k] - body - geometry.hip))
    return np.concatenate(parts, axis=-1)


def foot_homes(robot: Robot) -> Array:
    """Places (4, 3) of the feet on the ground below the hips, in the world, m, for a torso above the origin."""
    homes = np.array([leg_geometry(robot, leg).hip for leg in LEGS])
    homes[:, 2] = 0.0
    return homes


def standing_configuration(robot: Robot, hip_height: float) -> Array:
    """Configuration (nq,) with the feet on the ground under hips at that height, m."""
    q = robot.configuration("stand").copy()
    q[2] = hip_height
    q[7:] = joint_angles(robot, q[None, :3], foot_homes(robot)[None])[0]
    return q


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
