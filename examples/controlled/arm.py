"""An arm under the controllers of the textbook: it traces a circle, presses on a table, and yields to a push."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall import (
    Material,
    Plane,
    Robot,
    Scene,
    SceneObject,
    Transform,
    forward_kinematics,
    frame_jacobian,
    frame_pose,
    load,
)
from footfall.arrays import Array
from footfall.contact import Candidate, surface_of
from footfall.control import (
    EndEffectorControl,
    Gains,
    JointImpedance,
    OperationalSpaceControl,
    PoseReference,
    gains_from,
    resting_reference,
    select,
)
from footfall.simulation import Controller, FeetSimulation, Trajectory, join_trajectories

FRAME, FINGER = "tip", 0.02  # m, radius of the ball at the tip
PRESSING = 20.0  # N
SETTLED = 0.5  # s, until the start of a motion is over


@dataclass(frozen=True)
class ArmRun:
    """What an arm did; wanted (n, 3) and reached (n, 3): positions of the tip, m; force (n,): of the table on it, N."""

    name: str
    robot: Robot
    scene: Scene
    trajectory: Trajectory
    wanted: Array
    reached: Array
    force: Array

    @property
    def error(self) -> float:
        """Greatest distance from the path after the start, m."""
        late = self.trajectory.time > SETTLED
        return float(np.linalg.norm((self.wanted - self.reached)[late], axis=1).max())


def circle(center: Transform, *, radius: float = 0.1, period: float = 2.0, upright: bool = False) -> Any:
    """A path around a pose, in the plane normal to x, or level if not upright; it starts at rest within half a second.

    radius in m, period in s.
    """
    first, second = (np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0] if upright else [-1.0, 0.0, 0.0]))

    def path(time: float) -> PoseReference:
        # The angle speeds up smoothly: a quadratic start that a constant rate takes over.
        rate, start = 2.0 * np.pi / period, SETTLED
        angle = rate * (time**2 / (2.0 * start) if time < start else time - start / 2.0)
        speed, change = (rate * min(time / start, 1.0), rate / start if time < start else 0.0)
        outward = np.sin(angle) * first + (1.0 - np.cos(angle)) * second
        along = np.cos(angle) * first + np.sin(angle) * second
        inward = -np.sin(angle) * first + np.cos(angle) * second
        zero = np.zeros(3)
        return PoseReference(
            Transform(center.rotation, center.translation + radius * outward),
            np.concatenate([radius * speed * along, zero]),
            np.concatenate([radius * (speed**2 * inward + change * along), zero]),
        )

    return path


def trace_circle(seconds: float = 4.0) -> ArmRun:
    """The tip goes round an upright circle, exact but for the control period."""
    robot = load("arm-7r")
    q = robot.configuration("ready")
    path = circle(frame_pose(robot, q, FRAME), upright=True)
    control = EndEffectorControl(robot, FRAME, path, gains_from(4.0), posture=resting_reference(robot, q))
    return _run("circle", robot, Scene("free space"), [], q, control, path, seconds)


def press_on_table(seconds: float = 4.0, *, friction: float = 0.1) -> ArmRun:
    """The tip presses down with 20 N while it moves round on a table."""
    robot = load("arm-7r")
    q = robot.configuration("ready")
    start = frame_pose(robot, q, FRAME)
    height = start.translation[2] - FINGER
    table = SceneObject(
        "table",
        Plane(),
        Transform(np.eye(3), np.array([0.0, 0.0, height])),
        Material(friction=friction),
    )
    path = circle(start)
    control = OperationalSpaceControl(
        robot,
        FRAME,
        path,
        np.array([0.0, 0.0, -PRESSING, 0.0, 0.0, 0.0]),
        select(motion=(True, True, False)),
        gains_from(10.0),
        force_damping=20.0,
        posture=resting_reference(robot, q),
    )
    touching = [Candidate(FRAME, (0.0, 0.0, 0.0), FINGER, surface_of(table))]
    return _run("table", robot, Scene("table", (table,)), touching, q, control, path, seconds)


@dataclass(frozen=True)
class Yielding:
    """How far (3,) the tip gave way to a push, m; imbalance: greatest difference of the torques of the springs,
    `K (q* - q)`, and of the push, `J^T F`, N m, at rest under the push; left: how far from its start the tip came to
    rest afterwards, m; and the run."""

    moved: Array
    imbalance: float
    left: float
    run: ArmRun


def yield_to_push(
    force: tuple[float, float, float] = (4.0, -3.0, 2.0), *, stiffness: float = 60.0
) -> Yielding:
    """Joint springs (N m/rad) with gravity compensation: the tip gives way to a force (3,), N, and comes back."""
    robot = load("arm-7r")
    q = robot.configuration("ready")
    control = JointImpedance(robot, resting_reference(robot, q), Gains(stiffness, 0.2 * stiffness))
    start = frame_pose(robot, q, FRAME)
    simulation = FeetSimulation(robot, candidates=[], q=q, dt=1e-3, substeps=2)
    simulation.push(FRAME, np.array([*force, 0.0, 0.0, 0.0]), 2.0)
    pushed = simulation.run(control, 2.0)
    bent = simulation.state.q
    moved = frame_pose(robot, bent, FRAME).translation - start.translation
    imbalance = stiffness * (q - bent) + frame_jacobian(robot, bent, FRAME)[:3].T @ np.array(force)
    after = simulation.run(control, 2.0)
    left = frame_pose(robot, simulation.state.q, FRAME).translation - start.translation
    trajectory = join_trajectories([pushed, after])
    run = ArmRun(
        "push",
        robot,
        Scene("free space"),
        trajectory,
        np.tile(start.translation, (len(trajectory.time), 1)),
        _tip(robot, trajectory.q),
        np.zeros(len(trajectory.time)),
    )
    return Yielding(moved, float(np.abs(imbalance).max()), float(np.linalg.norm(left)), run)


def _run(
    name: str,
    robot: Robot,
    scene: Scene,
    candidates: list[Candidate],
    q: Array,
    control: Controller,
    path: Any,
    seconds: float,
) -> ArmRun:
    simulation = FeetSimulation(robot, scene, candidates=candidates, q=q, dt=1e-3, substeps=2)
    trajectory = simulation.run(control, seconds)
    wanted = np.array([path(time).pose.translation for time in trajectory.time])
    force = trajectory.forces[:, 0, 2] if candidates else np.zeros(len(wanted))
    return ArmRun(name, robot, scene, trajectory, wanted, _tip(robot, trajectory.q), force)


def _tip(robot: Robot, q: Array) -> Array:
    """Positions (n, 3) of the tip at q (n, nq)."""
    return np.asarray(forward_kinematics(robot, q, frames=(FRAME,)).position[:, 0])
