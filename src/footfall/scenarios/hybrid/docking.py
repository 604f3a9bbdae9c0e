"""Use case 2: dock to the hook of another robot, which stands or drives on.

The pose task is in the frame of the hook, with bounded accelerations. The last five centimetres are a task in the
manner of the task frame formalism: forward a gentle approach that turns into a force of 10 N at the touch, motion
axes for the rest. A differential base cannot move sideways: it steers towards the line through the hook instead.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.contact.candidates import Candidate, Surface
from footfall.control.gains import Gains
from footfall.control.hybrid_control import task_state
from footfall.control.hybrid_drive import drive
from footfall.control.references import MovingFrame
from footfall.control.tasks.frames import AxisGoal, FrameTask
from footfall.dynamics.kinematics import frame_pose, frame_velocity
from footfall.math.transform import Transform
from footfall.robot.load import load
from footfall.robot.model import Robot
from footfall.robot.shapes import Box, Geometry
from footfall.scenarios.hybrid.bases import (
    DT,
    FLOOR,
    Kind,
    SimulatedBase,
    mobile_robot,
    wheel_candidates,
)
from footfall.scenarios.hybrid.course import Criterion, HybridRun, yaw_angles
from footfall.scene.model import Material, Scene, SceneRobot
from footfall.simulation.step_values import Command

MOST_ACCELERATION, MOST_TURN = 0.3, 1.0  # m/s2, rad/s2
FORCE = 10.0  # N, at the hook
_LAST = 0.05  # m, of the way in the manner of the task frame formalism
_REACH = 0.26  # m, from the base frame to where it touches
_POINTS = ((0.25, 0.1, 0.045), (0.25, -0.1, 0.045))
_PLATE = Box((0.02, 0.3, 0.12))
_BACK = 0.3  # m, from the other robot's frame back to the face of its hook
_PLACE = Transform(np.eye(3), np.array([-_BACK + 0.01, 0.0, 0.045]))  # of the plate on the other robot
_LOOK = 0.25  # m, ahead on the line that a differential base steers to
_SPEED, _CREEP = 0.3, 0.04  # m/s
_MEAN = 20  # steps over which a reached acceleration is taken: tyres swing a little
_STEPS_A_CALL = 4  # steps between two calls of the controller


def run_docking(
    kind: Kind = "differential",
    *,
    aside: float = 0.1,
    degrees: float = 15.0,
    drive_on: float = 0.0,
    seconds: float = 8.0,
) -> HybridRun:
    """Dock from 1 m away. aside: m; degrees: of the heading; drive_on: m/s, of the other robot."""
    other = SceneRobot("other", _robot_with_hook(), configuration="rest")
    scene = Scene("docking", (FLOOR,), (other,))
    hook = Surface(_PLATE, _PLACE, "other/base", Material(friction=0.3))
    mobile = mobile_robot(kind)
    touching = [Candidate("base", point, 0.01, hook) for point in _POINTS]
    theirs = wheel_candidates(mobile_robot("differential"))
    touching += [Candidate(f"other/{each.body}", each.point, each.radius, each.surface) for each in theirs]
    start = (-_BACK - 1.0 - _REACH, aside, np.radians(degrees))
    base = SimulatedBase(mobile, scene, touching=touching, pose=start)
    approach = _Approach(base, kind)
    trajectory = base.run(approach.torques, seconds, every=_STEPS_A_CALL, others=_driving_on(base, drive_on))
    return _course(base, kind, trajectory, approach, drive_on)


def _robot_with_hook() -> Robot:
    robot = load("differential-base")
    plate = Geometry(_PLATE, _PLACE, color=(0.85, 0.45, 0.2, 1.0))
    bodies = [
        replace(body, visuals=(*body.visuals, plate)) if body.name == "base" else body
        for body in robot.bodies
    ]
    return Robot(robot.name, tuple(bodies), robot.joints, robot.frames, dict(robot.configurations))


def _driving_on(base: SimulatedBase, speed: float) -> Command:
    """The other robot's wheels, driven by speed (braked, if it is zero)."""
    hold = base.simulation.zero_command
    velocity, gain = hold.velocity.copy(), hold.kd.copy()
    velocity[-2:], gain[-2:] = speed / 0.1, 20.0
    return hold._replace(velocity=velocity, kd=gain)


@dataclass
class _Approach:
    """The controller: what it asked for is kept for the criteria."""

    base: SimulatedBase
    kind: Kind

    def __post_init__(self) -> None:
        self.asked: list[tuple[float, float]] = []  # forward and turning accelerations
        self.touched = False

    def hook(self) -> MovingFrame:
        """The face of the hook, as the docking robot sees it."""
        robot, state = self.base.simulation.robot, self.base.simulation.state
        pose = frame_pose(robot, state.q, "other/base")
        back = pose.rotation @ np.array([-_BACK, 0.0, 0.0])
        velocity = np.asarray(frame_velocity(robot, state.q, state.v, "other/base")).copy()
        velocity[:3] += np.cross(velocity[3:], back)
        return MovingFrame(Transform(pose.rotation, pose.translation + back), velocity)

    def torques(self, time: float, q: Array, v: Array) -> Array:
        mobile, frames = self.base.mobile, {"hook": self.hook()}
        probe = FrameTask("dock", "base", {"x": AxisGoal("velocity")}, axes="hook")
        state = task_state(mobile.robot, q, v, probe, frames=frames)
        left = -float(state.position[0]) - _REACH
        self.touched = self.touched or bool((self.base.forces[:2] > 0.0).any())
        task = self.task(left, state.position, state.velocity)
        driven = drive(mobile, q, v, [task], frames=frames)
        rows = driven.solution.rows.setpoints[-len(task.goals) :]
        asked = dict(zip(task.goals, rows, strict=True))
        self.asked.append((0.0 if self.touched else asked.get("x", 0.0), asked["rz"]))
        return driven.torques

    def task(self, left: float, position: Array, velocity: Array) -> FrameTask:
        """What to do with some way left, m."""
        slow = float(np.sqrt(2 * 0.5 * MOST_ACCELERATION * max(left - _LAST, 0.0)))
        speed = min(_SPEED, _CREEP + slow)
        forward = AxisGoal("velocity", speed, most_acceleration=MOST_ACCELERATION, most_force=FORCE)
        if left > _LAST:
            forward = AxisGoal("velocity", speed, most_acceleration=MOST_ACCELERATION)
        elif self.touched:
            forward = AxisGoal("force", FORCE)
        goals = {"x": forward}
        heading = 0.0
        if self.kind == "mecanum":
            goals["y"] = AxisGoal("position", 0.0, most_acceleration=MOST_ACCELERATION)
        else:
            heading = -float(np.arctan(position[1] / _LOOK))
        goals["rz"] = AxisGoal("position", heading, most_acceleration=MOST_TURN)
        return FrameTask("dock", "base", goals, axes="hook", gains=Gains(16.0, 8.0))


def _course(
    base: SimulatedBase, kind: Kind, trajectory: Any, approach: _Approach, drive_on: float
) -> HybridRun:
    robot = base.simulation.robot
    place = robot.q_slice("other/root").start
    other = trajectory.q[:, place : place + 7]
    theirs = yaw_angles(other[:, 3:7])
    turn = np.stack([np.cos(theirs), np.sin(theirs)], axis=1)
    apart = trajectory.q[:, :2] - other[:, :2]
    along = np.einsum("ni,ni->n", apart, turn) + _BACK + _REACH
    across = turn[:, 0] * apart[:, 1] - turn[:, 1] * apart[:, 0]
    angle = np.degrees(yaw_angles(trajectory.q[:, 3:7]) - theirs)
    force = trajectory.forces[:, base.first : base.first + 2]
    pushed = np.einsum("nki,ni->n", force, np.stack([-turn[:, 0], -turn[:, 1], 0 * theirs], axis=1))
    asked = np.repeat(approach.asked, _STEPS_A_CALL, axis=0)[: len(theirs)]
    late = slice(-500, None)
    contact = np.flatnonzero(pushed > 0.0)
    free = slice(0, contact[0] - 1 if len(contact) else None)
    speed = np.einsum("ni,ni->n", trajectory.v[:, :2], turn)
    reached = np.abs(speed[free][_MEAN:] - speed[free][:-_MEAN]).max() / (_MEAN * DT)
    criteria = (
        Criterion("error aside at the end, mm", 1e3 * float(np.abs(across[late]).max()), high=5.0),
        Criterion("error of the angle at the end, deg", float(np.abs(angle[late]).max()), high=0.5),
        Criterion("gap at the end, mm", 1e3 * float(np.abs(along[late]).max()), high=5.0),
        Criterion(
            "acceleration asked for, m/s2", float(np.abs(asked[:, 0]).max()), high=MOST_ACCELERATION + 1e-6
        ),
        Criterion("turn asked for, rad/s2", float(np.abs(asked[:, 1]).max()), high=1.001 * MOST_TURN),
        Criterion("acceleration before the touch, m/s2", float(reached), high=1.1 * MOST_ACCELERATION),
        Criterion("force at the end, N", float(pushed[late].mean()), low=9.0, high=11.0),
        Criterion("its deviation, N", float(np.abs(pushed[late] - FORCE).max()), high=1.0),
    )
    panels = {
        "way left, m": {"": -along},
        "aside, mm": {"": 1e3 * across},
        "angle, deg": {"": angle},
        "force on the hook, N": {"": np.minimum(pushed, 50.0)},
        "asked acceleration": {"forward, m/s2": asked[:, 0], "turn, rad/s2": asked[:, 1]},
    }
    moving = "" if drive_on == 0.0 else f", which drives on at {drive_on:g} m/s"
    name = f"docking-{kind}" + ("" if drive_on == 0.0 else "-moving")
    paths = {"base": trajectory.q[:, :2], "other robot": other[:, :2]}
    title = f"Docking of the {kind} base to another robot's hook{moving}"
    return HybridRun(name, title, robot, base.simulation.scene, DT, trajectory, criteria, panels, paths)
