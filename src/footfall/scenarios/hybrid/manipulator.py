"""Use case 6: a mobile manipulator. Its gripper stays where it is in the world while the base drives to and fro.

Constraints at the gripper and at the wheels act at once on one tree with a floating base.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from footfall.arrays import Array
from footfall.control.gains import Gains
from footfall.control.hybrid_control import TaskSolution
from footfall.control.hybrid_drive import MobileRobot, drive
from footfall.control.tasks.frames import AxisGoal, FrameTask
from footfall.dynamics.hybrid import constraint_system
from footfall.dynamics.hybrid_constraints import OWN
from footfall.dynamics.inverse_dynamics import bias_forces
from footfall.dynamics.kinematics import forward_kinematics, frame_pose
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.math.rotations import rotation_y
from footfall.math.transform import Transform
from footfall.robot.model import Body, Frame, Joint, JointType, Robot
from footfall.robot.shapes import Capsule, Geometry, Sphere
from footfall.scenarios.hybrid.bases import DT, FLOOR, SimulatedBase, mobile_robot
from footfall.scenarios.hybrid.course import Criterion, HybridRun
from footfall.scene.model import Scene

START = (0.0, -0.9, 1.5)  # rad, of shoulder, upper arm and forearm
LENGTH, FINGER = 0.4, 0.015  # m, of both links; radius of the finger
_MASSES = (1.5, 1.5, 1.0)  # kg
_WAY, _PERIOD = 0.12, 4.0  # m, s: of the base
_CHECKED = 20  # calls of the controller from one comparison with dense equations to the next


@cache
def mobile_manipulator() -> MobileRobot:
    """The differential base with an arm of three joints: about z, and two about y."""
    base = mobile_robot("differential")
    along = Geometry(
        Capsule(0.035, LENGTH - 0.07),
        Transform(rotation_y(np.pi / 2), np.array([LENGTH / 2, 0.0, 0.0])),
        color=(0.2, 0.4, 0.7, 1.0),
    )
    finger = Geometry(
        Sphere(FINGER), Transform(np.eye(3), np.array([LENGTH, 0.0, 0.0])), color=(0.85, 0.45, 0.2, 1.0)
    )
    column = Geometry(Capsule(0.05, 0.1), color=(0.2, 0.4, 0.7, 1.0))
    shapes = {"shoulder": (column,), "upper_arm": (along,), "forearm": (along, finger)}
    places = ((0.05, 0.0, 0.2), (0.0, 0.0, 0.1), (LENGTH, 0.0, 0.0))
    bodies, joints, parent = [], [], "base"
    for (name, visuals), mass, place in zip(shapes.items(), _MASSES, places, strict=True):
        reach = 0.0 if name == "shoulder" else LENGTH
        spread = np.diag([1e-3, 1e-3 + mass * reach**2 / 12, 1e-3 + mass * reach**2 / 12])
        bodies.append(Body(name, mass, np.array([reach / 2, 0.0, 0.0]), spread, visuals))
        axis = (0.0, 0.0, 1.0) if name == "shoulder" else (0.0, 1.0, 0.0)
        placement = Transform(np.eye(3), np.array(place))
        joints.append(Joint(name, JointType.REVOLUTE, parent, name, placement, axis, armature=0.02))
        parent = name
    gripper = Frame("gripper", "forearm", Transform(np.eye(3), np.array([LENGTH, 0.0, 0.0])))
    robot = base.robot
    whole = Robot(
        "mobile-manipulator",
        (*robot.bodies, *bodies),
        (*robot.joints, *joints),
        (*robot.frames, gripper),
    )
    return MobileRobot(whole, base.wheels)


def start_configuration() -> tuple[float, ...]:
    """All joints (5,) at the start, wheels first."""
    return (0.0, 0.0, *START)


def dense_difference(robot: Robot, q: Array, v: Array, solution: TaskSolution) -> tuple[float, float]:
    """How far accelerations are from those of the dense equations, Devaramani 2019, appendix A, relative; and by how
    much, m/s2 or rad/s2, they miss the set-points, from Jacobian and drift."""
    rows, jacobian = solution.rows, solution.bounded.jacobian
    zero = np.zeros(robot.nv)
    drift = np.asarray(
        constraint_system(
            robot,
            q,
            v,
            zero,
            constraints=rows.constraints,
            directions=rows.directions,
            prescribed=tuple(joint.name for joint in robot.joints),
            a=zero,
        ).free_accelerations
    )
    count = len(drift)
    matrix = np.block(
        [[np.asarray(mass_matrix(robot, q)), -jacobian.T], [jacobian, np.zeros((count, count))]]
    )
    right = np.concatenate([-np.asarray(bias_forces(robot, q, v)), rows.setpoints - drift])
    dense = np.linalg.lstsq(matrix, right, rcond=1e-12)[0][: robot.nv]
    found = solution.motion.accelerations
    missed = float(np.abs(jacobian @ found + drift - rows.setpoints).max())
    return float(np.linalg.norm(found - dense) / np.linalg.norm(dense)), missed


def run_manipulator(*, seconds: float = 5.0) -> HybridRun:
    """Hold the gripper, move the base."""
    mobile = mobile_manipulator()
    robot = mobile.robot
    base = SimulatedBase(mobile, Scene("floor", (FLOOR,)), joints=start_configuration())
    held = frame_pose(robot, base.state[0], "gripper").translation
    keep = FrameTask(
        "keep", "gripper", {axis: AxisGoal("position", float(held[k])) for k, axis in enumerate("xyz")}
    )
    checked: list[tuple[float, float]] = []
    calls = 0

    def torques(time: float, q: Array, v: Array) -> Array:
        nonlocal calls
        swing = 2 * np.pi / _PERIOD
        goals = {
            "x": AxisGoal("velocity", _WAY * swing * np.cos(swing * time), most_acceleration=1.0),
            "rz": AxisGoal("velocity"),
        }
        to_and_fro = FrameTask("base", "base", goals, axes=OWN, priority=1, gains=Gains(100.0, 10.0))
        driven = drive(mobile, q, v, [keep, to_and_fro])
        if calls % _CHECKED == 0:
            checked.append(dense_difference(robot, q, v, driven.solution))
        calls += 1
        return driven.torques

    trajectory = base.run(torques, seconds)
    gripper = np.asarray(forward_kinematics(robot, trajectory.q, frames=["gripper"]).position)[:, 0]
    apart = gripper - held
    differences, residuals = np.array(checked).T
    criteria = (
        Criterion("difference to the dense equations, relative", float(differences.max()), high=1e-9),
        Criterion("residual of gripper and wheels, m/s2", float(residuals.max()), high=1e-9),
        Criterion("the gripper moves by, mm", 1e3 * float(np.linalg.norm(apart, axis=1).max()), high=2.0),
        Criterion("the base moves by, m", float(np.ptp(trajectory.q[:, 0])), low=0.2),
    )
    panels = {
        "gripper, mm": {axis: 1e3 * apart[:, k] for k, axis in enumerate("xyz")},
        "base along x, m": {"": trajectory.q[:, 0]},
        "arm torques, N m": {
            name: trajectory.effort[:, 8 + k] for k, name in enumerate(("shoulder", "upper arm", "forearm"))
        },
        "wheel torques, N m": {"left": trajectory.effort[:, 6], "right": trajectory.effort[:, 7]},
    }
    title = "Mobile manipulator: the gripper stays, the base drives"
    return HybridRun(
        "manipulator", title, base.simulation.robot, base.simulation.scene, DT, trajectory, criteria, panels
    )
