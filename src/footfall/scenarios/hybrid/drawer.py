"""A mobile manipulator opens a drawer: its finger hooks the handle, the arm pulls, the base backs away.

The drawer has dry friction and weight that the controller does not know; its limit is the force at the handle.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.contact.candidates import Candidate, Surface
from footfall.control.gains import Gains
from footfall.control.hybrid_drive import drive
from footfall.control.tasks.frames import AxisGoal, FrameTask
from footfall.dynamics.hybrid_constraints import OWN
from footfall.dynamics.kinematics import forward_kinematics, frame_pose
from footfall.math.transform import Transform
from footfall.robot.model import WORLD, Body, Joint, JointType, Robot
from footfall.robot.shapes import Box, Geometry
from footfall.scenarios.hybrid.bases import DT, FLOOR, SimulatedBase
from footfall.scenarios.hybrid.course import Course, Criterion
from footfall.scenarios.hybrid.manipulator import FINGER, mobile_manipulator, start_configuration
from footfall.scene.model import Material, Scene, SceneObject, SceneRobot

MOST_FORCE, OPEN = 40.0, 0.3  # N, m
_FRICTION = 8.0  # N, of the drawer
_BAR = Box((0.02, 0.24, 0.02))
_GAP = 0.06  # m, from the handle's middle to the drawer's front
_ABOVE = 0.08  # m, from where the finger comes down behind the handle
_LOWER, _HOOKED = 0.8, 1.4  # s: when it goes down, and when it pulls
_PULL = 0.15  # m/s
_SETTLED = 0.1  # s after the first touch


def drawer_robot() -> Robot:
    """A drawer of 4 kg that slides towards the robot, with a handle in front; its frame is the handle's middle."""
    wood, steel = (0.7, 0.6, 0.45, 1.0), (0.85, 0.45, 0.2, 1.0)
    front = Geometry(
        Box((0.02, 0.5, 0.2)), Transform(np.eye(3), np.array([_GAP + 0.01, 0.0, 0.0])), color=wood
    )
    sides = Geometry(
        Box((0.4, 0.46, 0.14)), Transform(np.eye(3), np.array([_GAP + 0.22, 0.0, 0.0])), color=wood
    )
    body = Body(
        "drawer", 4.0, np.array([0.2, 0.0, 0.0]), 0.1 * np.eye(3), (Geometry(_BAR, color=steel), front, sides)
    )
    slide = Joint(
        "slide", JointType.PRISMATIC, WORLD, "drawer", axis=(-1.0, 0.0, 0.0),
        lower=(0.0,), upper=(0.45,), friction=_FRICTION,
    )  # fmt: skip
    return Robot("cabinet", (body,), (slide,))


def run_drawer(*, seconds: float = 5.0) -> Course:
    """Hook the handle and pull the drawer open."""
    mobile = mobile_manipulator()
    robot = mobile.robot
    rest = np.concatenate([[0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0], start_configuration()])
    start = frame_pose(robot, rest, "gripper").translation
    handle = start + np.array([-FINGER - 0.03, 0.0, -_ABOVE])
    shelf = SceneObject(
        "cabinet",
        Box((0.5, 0.6, 0.3)),
        Transform(np.eye(3), handle + np.array([_GAP + 0.28, 0.0, 0.0])),
        contact=False,
        color=(0.75, 0.78, 0.8, 0.4),
    )
    scene = Scene(
        "drawer", (FLOOR, shelf), (SceneRobot("cabinet body", drawer_robot(), Transform(np.eye(3), handle)),)
    )
    bar = Surface(_BAR, body="cabinet body/drawer", material=Material(friction=0.3))
    base = SimulatedBase(
        mobile,
        scene,
        touching=[Candidate("gripper", (0.0, 0.0, 0.0), FINGER, bar)],
        joints=start_configuration(),
    )

    def torques(time: float, q: Array, v: Array) -> Array:
        place = frame_pose(robot, q, "gripper").translation
        down = start[2] - _ABOVE * float(np.clip((time - 0.2) / (_LOWER - 0.2), 0.0, 1.0))
        hand = {
            "x": AxisGoal("position", float(start[0])),
            "y": AxisGoal("position", float(start[1])),
            "z": AxisGoal("position", down),
        }
        backwards = 0.0
        if time > _HOOKED:
            hand["x"] = AxisGoal("velocity", -_PULL, most_acceleration=1.0, most_force=0.99 * MOST_FORCE)
            if place[0] < start[0] - OPEN - 0.05:
                hand["x"] = AxisGoal("velocity", 0.0, most_acceleration=1.0)
            backwards = 3.0 * float(place[0] - start[0] - q[0])  # so that the arm keeps its shape
        wheels = {"x": AxisGoal("velocity", backwards), "rz": AxisGoal("velocity")}
        tasks = [
            FrameTask("hand", "gripper", hand),
            FrameTask("base", "base", wheels, axes=OWN, priority=1, gains=Gains(100.0, 10.0)),
        ]
        felt = {"gripper": np.array([base.forces[0], 0.0, 0.0, 0.0, 0.0, 0.0])}  # a force sensor in the wrist
        return drive(mobile, q, v, tasks, wrenches=felt).torques

    trajectory = base.run(torques, seconds)
    return _course(base, trajectory, handle)


def _course(base: SimulatedBase, trajectory: Any, handle: Array) -> Course:
    robot = base.simulation.robot
    opened = trajectory.q[:, robot.q_slice("cabinet body/slide").start]
    force = np.linalg.norm(trajectory.forces[:, base.first], axis=1)
    hooked = int(np.argmax(force > 0.0)) + round(_SETTLED / DT)
    gripper = np.asarray(
        forward_kinematics(
            base.mobile.robot, trajectory.q[:, : base.mobile.robot.nq], frames=["gripper"]
        ).position
    )[:, 0]
    sideways = gripper[hooked:] - gripper[hooked]
    criteria = (
        Criterion("the drawer opens by, m", float(opened[-1]), low=OPEN),
        Criterion("force at the handle, N", float(force[hooked:].max()), high=MOST_FORCE),
        Criterion("the finger leaves its height by, mm", 1e3 * float(np.abs(sideways[:, 2]).max()), high=5.0),
        Criterion("the finger leaves its line by, mm", 1e3 * float(np.abs(sideways[:, 1]).max()), high=5.0),
        Criterion("the base backs away by, m", float(-trajectory.q[-1, 0]), low=0.2),
    )
    panels = {
        "opened, m": {"drawer": opened, "base, backwards": -trajectory.q[:, 0]},
        "force at the handle, N": {"": np.minimum(force, 80.0)},
        "gripper, m": {axis: gripper[:, k] for k, axis in enumerate("xyz")},
        "arm torques, N m": {
            name: trajectory.effort[:, 8 + k] for k, name in enumerate(("shoulder", "upper arm", "forearm"))
        },
    }
    title = "Mobile manipulator opens a drawer"
    return Course("drawer", title, robot, base.simulation.scene, DT, trajectory, criteria, panels)
