"""A humanoid with constraints at its feet and hands: LOLA stands, keeps one hand in place and presses with the other.

The ground holds the feet; torso and left hand keep their poses; the right hand moves until it touches a wall and then
presses it. All of it is one problem, whose task forces the joints and the ground produce together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.contact.candidates import Candidate, surface_of
from footfall.control.hybrid_drive import StandingRobot, drive
from footfall.control.tasks.frames import AxisGoal, FrameTask
from footfall.dynamics.inverse_dynamics import gravity_forces
from footfall.dynamics.kinematics import forward_kinematics, frame_pose
from footfall.math.rotations import rotation_vector_from_matrix
from footfall.math.transform import Transform
from footfall.robot.load import load
from footfall.robot.model import Robot
from footfall.robot.shapes import Box
from footfall.scenarios.hybrid.bases import DT, FLOOR
from footfall.scenarios.hybrid.course import Criterion, HybridRun
from footfall.scene.model import Material, Scene, SceneObject
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.step_values import Command, JointOptions, SolverOptions, StepOptions

PRESS, REACH = 25.0, 0.08  # N, m
FEET = {"sfr": "RF", "sfl": "LF"}  # by foot, the frame below its toe joint
# m, corners of a sole against that frame
_SOLE = (
    (0.0, 0.045),
    (0.0, -0.045),
    (-0.18, 0.045),
    (-0.18, -0.045),
)
_POINT, _HAND = 0.005, 0.04  # m, radii of the corners of a sole and of a hand
_SPEED = 0.15  # m/s
_STIFFNESS, _DAMPING = 30.0, 6.0  # N m/rad, N m s/rad, of the posture
_PRESSING_ARM = ("afr", "aar", "arr", "efr")
_CONTROL_STEPS = 2


def run_humanoid(*, seconds: float = 2.5) -> HybridRun:
    """Stand, reach for the wall, press it."""
    robot = load("lola")
    q = robot.configuration("idle").copy()
    q[2] += _POINT - frame_pose(robot, q, "RF").translation[2]
    hands = {name: frame_pose(robot, q, name).translation for name in ("RH", "LH")}
    front = hands["RH"][0] + _HAND + REACH
    wall = SceneObject(
        "wall",
        Box((0.1, 1.6, 1.6)),
        Transform(np.eye(3), np.array([front + 0.05, 0.0, 0.8])),
        Material(friction=0.5),
        color=(0.75, 0.78, 0.8, 0.35),
    )
    floor = surface_of(FLOOR)
    candidates = [
        Candidate(foot, corner, _POINT, floor) for foot in FEET for corner in _corners(robot, q, foot)
    ]
    candidates.append(Candidate("RH", (0.0, 0.0, 0.0), _HAND, surface_of(wall)))
    simulation = FeetSimulation(
        robot,
        Scene("wall", (FLOOR, wall)),
        candidates=candidates,
        options=StepOptions(
            dt=DT,
            solver=SolverOptions(tolerance=1e-5),
            joints=JointOptions(limits=False, friction=False),
        ),
        q=q,
    )
    torso = frame_pose(robot, q, "base")
    trajectory = simulation.run(_controller(simulation, q, hands, torso), seconds)
    return _course(simulation, trajectory, hands, torso)


def _corners(robot: Robot, q: Array, foot: str) -> list[tuple[float, float, float]]:
    """Corners of a sole in the axes of its foot: level, when the robot stands in q (nq,)."""
    below = frame_pose(robot, q, FEET[foot]).translation
    seen = frame_pose(robot, q, foot).inverse()
    return [tuple(seen.apply(below + np.array([x, y, 0.0])).tolist()) for x, y in _SOLE]


def _controller(simulation: FeetSimulation, rest: Array, hands: dict[str, Array], torso: Transform) -> Any:
    robot = simulation.robot
    standing = StandingRobot(robot, tuple(FEET))
    angles = rotation_vector_from_matrix(torso.rotation)
    upright = {axis: AxisGoal("position", float(torso.translation[k])) for k, axis in enumerate("xyz")}
    upright |= {axis: AxisGoal("position", float(angles[k])) for k, axis in enumerate(("rx", "ry", "rz"))}
    stiffness = np.full(robot.nv - 6, _STIFFNESS)
    for joint in _PRESSING_ARM:  # a posture there would press too
        stiffness[robot.v_slice(joint).start - 6] = 0.0
    hold = simulation.pd(simulation.joint_positions(rest), kp=stiffness, kd=_DAMPING)
    touched, steps, effort = False, 0, np.zeros(robot.nv)

    def torques(time: float, q: Array, v: Array) -> Array:
        nonlocal touched
        touched = touched or bool(simulation.state.impulses[3 * 8 + 2] > 0.0)
        right = {axis: AxisGoal("position", float(hands["RH"][k])) for k, axis in enumerate("xyz")}
        if touched:
            right["x"] = AxisGoal("force", PRESS)
        elif time > 0.3:
            right["x"] = AxisGoal("velocity", _SPEED, most_acceleration=1.0, most_force=2 * PRESS)
        left = {axis: AxisGoal("position", float(hands["LH"][k])) for k, axis in enumerate("xyz")}
        tasks = [
            FrameTask("torso", "base", upright),
            FrameTask("right hand", "RH", right, priority=1),
            FrameTask("left hand", "LH", left, priority=1),
        ]
        # Gains act in the joints, where they are stable for light ones too; the tasks know of them.
        posture = np.append(np.zeros(6), stiffness * (rest[7:] - q[7:]) - _DAMPING * v[6:])
        weight = np.append(np.zeros(6), np.asarray(gravity_forces(robot, q))[6:])
        return drive(standing, q, v, tasks, tau=posture + weight).torques - posture

    def command(time: float, q: Array, v: Array) -> Command:
        nonlocal steps, effort
        if steps % _CONTROL_STEPS == 0:
            effort = torques(time, q, v)
        steps += 1
        return hold._replace(effort=effort[6:])

    return command


def _course(
    simulation: FeetSimulation, trajectory: Any, hands: dict[str, Array], torso: Transform
) -> HybridRun:
    robot = simulation.robot
    frames = np.asarray(forward_kinematics(robot, trajectory.q, frames=[*FEET, "RH", "LH", "base"]).position)
    feet = np.linalg.norm(frames[:, :2] - frames[:1, :2], axis=2).max()
    press = -trajectory.forces[:, 8, 0]
    late = slice(-400, None)
    weight = trajectory.forces[late, :8, 2].sum(axis=1).mean() / (robot.mass * 9.81)
    criteria = (
        Criterion("feet move by, mm", 1e3 * float(feet), high=1.0),
        Criterion("left hand moves by, mm", 1e3 * _way(frames[:, 3], hands["LH"]), high=3.0),
        Criterion("torso moves by, mm", 1e3 * _way(frames[:, 4], torso.translation), high=3.0),
        Criterion("right hand presses, N", float(press[late].mean()), low=0.95 * PRESS, high=1.05 * PRESS),
        Criterion("the ground carries, of the weight", float(weight), low=0.98, high=1.02),
    )
    panels = {
        "right hand against the wall, N": {"": np.minimum(press, 120.0)},
        "hands, mm": {
            "right x": 1e3 * (frames[:, 2, 0] - hands["RH"][0]),
            "left x": 1e3 * (frames[:, 3, 0] - hands["LH"][0]),
            "left z": 1e3 * (frames[:, 3, 2] - hands["LH"][2]),
        },
        "torso, mm": {axis: 1e3 * (frames[:, 4, k] - torso.translation[k]) for k, axis in enumerate("xyz")},
        "load of the feet, N": {
            "right": np.minimum(trajectory.forces[:, :4, 2].sum(axis=1), 1000.0),
            "left": np.minimum(trajectory.forces[:, 4:8, 2].sum(axis=1), 1000.0),
        },
    }
    title = "LOLA stands, keeps one hand in place, presses a wall with the other"
    return HybridRun("humanoid", title, robot, simulation.scene, DT, trajectory, criteria, panels)


def _way(places: Array, start: Array) -> float:
    """How far from its start something gets, m."""
    return float(np.linalg.norm(places - start, axis=1).max())
