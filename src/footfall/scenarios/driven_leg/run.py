"""The step through the drives: how well it is followed, and what the motors give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import frame_pose
from footfall.robot.model import Robot
from footfall.scenarios.driven_leg.leg import FOOT, LEG_JOINTS, StepReference
from footfall.simulation.drive_step import Gears
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.run_values import Trajectory
from footfall.simulation.step_values import Command

SERVO_PERIOD = 250e-6  # s, Seiwald 2023, section 4.7
COMMAND_TICKS = 4  # servo periods between two targets, Seiwald 2023, section 4.7


@dataclass(frozen=True, eq=False)
class StepResult:
    """reference (n, 7): wanted joint positions at the times of the path, rad. foot_error (n,): distance, m."""

    gears: Gears
    path: Trajectory
    reference: Array
    foot_error: Array
    thermal_load: Array

    @property
    def joint_error(self) -> Array:
        """Greatest distance (7,) of each joint from its reference, rad."""
        return np.asarray(np.abs(self.path.q - self.reference).max(axis=0))

    @property
    def peak_current(self) -> Array:
        """Greatest current (7,) of each motor, A."""
        return np.asarray(np.abs(self.path.currents).max(axis=0))


def follow_step(
    robot: Robot, reference: StepReference, gears: Gears, *, dt: float = SERVO_PERIOD, rest: float = 0.2
) -> StepResult:
    """Simulate the step and `rest` (s) after it. Targets come at 1 kHz, servos go on with them at 4 kHz."""
    simulation = FeetSimulation(
        robot, candidates=(), dt=dt, substeps=round(COMMAND_TICKS * SERVO_PERIOD / dt),
        q=reference.position(0.0), drives=gears,
    )  # fmt: skip
    zero = np.zeros(len(LEG_JOINTS))

    def command(time: float, q: Array, v: Array) -> Command:
        return Command(reference.position(time), reference.velocity(time), zero, zero, zero, zero)

    path = simulation.run(command, reference.duration + rest)
    wanted = np.array([reference.position(time) for time in path.time])
    found, meant = (
        np.array([frame_pose(robot, q, FOOT).translation for q in angles]) for angles in (path.q, wanted)
    )
    motors = [drive.motor for drive in robot.drives for _ in drive.joints]
    loads = [motor.thermal_load(current) for motor, current in zip(motors, path.currents.T, strict=True)]
    return StepResult(gears, path, wanted, np.linalg.norm(found - meant, axis=1), np.array(loads))
