"""Use case 5: an arm on a fixed base, the solver's home ground: the KUKA LWR 4 of KDL's regression test.

One course with three parts. Hold: the tool keeps still against gravity with nothing but the task's torques. Line: it
moves along x on a table, which it presses with 15 N; across it keeps its place. Impedance: off the table, a spring
and a damper in space hold it, and a push moves it by force over stiffness.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.contact.candidates import Candidate, surface_of
from footfall.control.gains import Gains
from footfall.control.hybrid_control import solve_tasks
from footfall.control.tasks.frames import AxisGoal, FrameTask
from footfall.dynamics.hybrid import hybrid_dynamics
from footfall.dynamics.hybrid_constraints import Constraint
from footfall.dynamics.inverse_dynamics import gravity_forces
from footfall.dynamics.jacobians import frame_jacobian
from footfall.dynamics.kinematics import forward_kinematics, frame_pose, frame_velocity
from footfall.math.transform import Transform
from footfall.robot.load import load
from footfall.robot.model import Robot
from footfall.robot.shapes import Box, Geometry, Sphere
from footfall.scenarios.hybrid.bases import DT
from footfall.scenarios.hybrid.course import Criterion, HybridRun
from footfall.scene.model import Material, Scene, SceneObject
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.run_values import join_trajectories
from footfall.simulation.step_values import Command, StepOptions

PRESS, SPEED = 15.0, 0.1  # N, m/s
STIFFNESS, DAMPING, PUSH = 400.0, 150.0, 20.0  # N/m, N s/m, N
START = np.array([0.3, 0.5, 0.0, -1.4, 0.2, 1.0, 0.0])
_TOOL = 0.02  # m, radius of the tip
_REACH = 0.002  # m, between tip and table at the start
FORCES = np.array([669693.30355, 5930.60826, -639.5238, 573.90485])  # KDL's, Devaramani 2019, chapter 3


def run_arm(*, seconds: tuple[float, float, float] = (0.8, 2.2, 1.5)) -> HybridRun:
    """Hold, draw a line, yield; seconds: of the three parts."""
    robot = _arm_with_tip()
    tip = frame_pose(robot, START, "tip").translation
    top = float(tip[2]) - _TOOL - _REACH
    table = SceneObject(
        "table",
        Box((0.5, 0.6, 0.04)),
        Transform(np.eye(3), np.array([tip[0] + 0.1, tip[1], top - 0.02])),
        Material(friction=0.1),
        color=(0.7, 0.6, 0.45, 1.0),
    )
    simulation = FeetSimulation(
        robot,
        Scene("table", (table,)),
        candidates=[Candidate("tip", (0.0, 0.0, 0.0), _TOOL, surface_of(table))],
        options=StepOptions(dt=DT),
        q=START,
    )
    parts = [simulation.run(_controller(simulation, _holding(tip)), seconds[0])]
    parts.append(simulation.run(_controller(simulation, _line(tip)), seconds[1]))
    lifted = _controller(simulation, _lifted(tip))
    simulation.run(lifted, simulation.control_period)
    parts.append(simulation.run(lifted, 1.0))
    rest = frame_pose(robot, simulation.state.q, "tip").translation
    simulation.push(robot.bodies[-1].name, np.array([0.0, PUSH, 0.0, 0.0, 0.0, 0.0]), seconds[2])
    parts.append(simulation.run(_impedance(simulation, rest), seconds[2]))
    return _course(simulation, parts, tip, rest)


def _arm_with_tip() -> Robot:
    """The arm, with a ball to see where its tip is."""
    robot = load("kuka-lwr")
    ball = Geometry(Sphere(_TOOL), color=(0.85, 0.45, 0.2, 1.0))
    bodies = (*robot.bodies[:-1], replace(robot.bodies[-1], visuals=(*robot.bodies[-1].visuals, ball)))
    return Robot(robot.name, bodies, robot.joints, robot.frames, dict(robot.configurations))


def _holding(tip: Array) -> FrameTask:
    goals = {axis: AxisGoal("position", float(tip[k])) for k, axis in enumerate("xyz")}
    return FrameTask("hold", "tip", goals)


def _line(tip: Array) -> FrameTask:
    goals = {
        "x": AxisGoal("velocity", SPEED, most_acceleration=0.5),
        "y": AxisGoal("position", float(tip[1])),
        "z": AxisGoal("force", -PRESS),
    }
    return FrameTask("line", "tip", goals, gains=Gains(900.0, 60.0))


def _lifted(tip: Array) -> FrameTask:
    goals = {"x": AxisGoal("velocity"), "y": AxisGoal("position", float(tip[1]))}
    goals["z"] = AxisGoal("position", float(tip[2]) + 0.05)
    return FrameTask("lift", "tip", goals, gains=Gains(36.0, 12.0))


def _controller(simulation: FeetSimulation, task: FrameTask) -> Any:
    """The task, and friction in the joints for what it leaves free; gravity is left to the task where it holds z."""

    def command(time: float, q: Array, v: Array) -> Command:
        robot = simulation.robot
        forward = -v
        if "z" in task.force_axes:
            forward = forward + np.asarray(gravity_forces(robot, q))
        solution = solve_tasks(robot, q, v, forward, [task])
        return simulation.zero_command._replace(effort=np.asarray(solution.motion.commands))

    return command


def _impedance(simulation: FeetSimulation, rest: Array) -> Any:
    """A spring and a damper in space as an external force, Devaramani 2019, chapter 3, besides the arm's own weight."""

    def command(time: float, q: Array, v: Array) -> Command:
        robot = simulation.robot
        place = frame_pose(robot, q, "tip").translation
        velocity = np.asarray(frame_velocity(robot, q, v, "tip"))[:3]
        force = STIFFNESS * (rest - place) - DAMPING * velocity
        effort = np.asarray(frame_jacobian(robot, q, "tip"))[:3].T @ force
        return simulation.zero_command._replace(
            effort=effort + np.asarray(gravity_forces(robot, q)) - 4.0 * v
        )

    return command


def regression_error() -> float:
    """Largest relative difference of the constraint forces to those of KDL's regression case.

    Devaramani 2019, chapter 3.
    """
    robot = load("kuka-lwr")
    q, v = robot.configuration("regression"), np.array([1.0, -2.0, 3.0, -4.0, 5.0, -6.0, 7.0])
    tau = np.array([5.0, 0.0, 0.0, 0.0, 0.0, -6.0, 0.0])
    constraints = (Constraint("tip", ("x", "y", "z", "rz")),)
    motion = np.asarray(frame_velocity(robot, q, v, "tip"))
    spatial = np.cross(motion[3:], motion[:3])  # theirs lacks w x v and counts from free fall
    setpoints = np.array([-0.5, -0.5, -9.81, 0.2]) + np.append(spatial, 0.0)
    found = hybrid_dynamics(
        robot, q, v, tau, constraints=constraints, setpoints=setpoints,
        wrenches={"tip": np.array([10.0, 15.0, 0.0, 0.0, 0.0, 5.0])},
    )  # fmt: skip
    return float(np.abs((found.forces + FORCES) / FORCES).max())


def _course(simulation: FeetSimulation, parts: list[Any], tip: Array, rest: Array) -> HybridRun:
    robot = simulation.robot
    line = parts[1]
    trajectory = join_trajectories(parts)
    place = np.asarray(forward_kinematics(robot, trajectory.q, frames=["tip"]).position)[:, 0]
    edges = np.cumsum([len(part.time) for part in parts])
    held, drawn, last = place[: edges[0]], place[edges[0] : edges[1]], place[edges[2] :]
    force = line.forces[:, 0, 2]
    settled = len(force) // 2
    moved = float(last[-1, 1] - rest[1])
    late = (drawn[-1, 0] - drawn[settled, 0]) / ((len(drawn) - 1 - settled) * DT)
    criteria = (
        Criterion("KDL's regression: forces differ by, relative", regression_error(), high=1e-6),
        Criterion(
            "held against gravity, the tip moves by, mm", 1e3 * float(np.abs(held - tip).max()), high=0.1
        ),
        Criterion("speed along the line, m/s", float(late), low=0.97 * SPEED, high=1.03 * SPEED),
        Criterion("off the line, mm", 1e3 * float(np.abs(drawn[:, 1] - tip[1]).max()), high=0.5),
        Criterion(
            "force on the table, N", float(force[settled:].mean()), low=0.97 * PRESS, high=1.03 * PRESS
        ),
        Criterion(
            "a push of 20 N moves it over 20 N / stiffness", moved / (PUSH / STIFFNESS), low=0.95, high=1.05
        ),
    )
    panels = {
        "tip against its start, mm": {axis: 1e3 * (place[:, k] - tip[k]) for k, axis in enumerate("xyz")},
        "force on the table, N": {"": np.minimum(trajectory.forces[:, 0, 2], 60.0)},
        "joint torques, N m": {f"{k + 1}": trajectory.effort[:, k] for k in range(robot.nv)},
    }
    return HybridRun(
        "arm",
        "KUKA LWR: hold, line on a table, impedance",
        robot,
        simulation.scene,
        DT,
        trajectory,
        criteria,
        panels,
    )
