"""The leg and the step that it shall make."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from footfall.arrays import Array
from footfall.control.inverse_kinematics.position import solve_ik
from footfall.control.tasks.poses import PoseTask
from footfall.dynamics.kinematics import frame_pose
from footfall.math.transform import Transform
from footfall.robot.load import load
from footfall.robot.model import Robot
from footfall.robot.variants import lock_joints, with_fixed_base

LEG_JOINTS = ("hrr", "har", "hfr", "kfr", "sar", "sfr", "zfr")
FOOT = "RF"


def lola_leg() -> Robot:
    """LOLA's right leg on a pelvis that stands still; all other joints are welded in the idle pose."""
    robot = with_fixed_base(load("lola"))
    others = [joint.name for joint in robot.joints if joint.type.velocities and joint.name not in LEG_JOINTS]
    return lock_joints(robot, others, q=robot.configuration("idle"))


@dataclass(frozen=True, eq=False)
class StepReference:
    """Joint positions of a step as twice differentiable curves of time, of `duration` in s, and at rest after it."""

    duration: float
    curve: CubicSpline

    def position(self, time: float) -> Array:
        """Joint positions (7,), rad, at a time in s."""
        return np.asarray(self.curve(np.clip(time, 0.0, self.duration)))

    def velocity(self, time: float) -> Array:
        """Joint rates (7,), rad/s."""
        inside = 0.0 <= time < self.duration
        return np.asarray(self.curve(time, 1)) if inside else np.zeros(len(LEG_JOINTS))


def step_reference(
    robot: Robot, *, length: float = 0.4, height: float = 0.08, duration: float = 0.8, knots: int = 41
) -> StepReference:
    """The foot swings forward by `length` and up to `height` (m) in `duration` (s), level, with the toes straight.

    It begins and ends at rest: a polynomial of degree five along the way, a bump of the same smoothness upwards.
    """
    idle = robot.configuration("idle")
    toe = robot.q_slice(LEG_JOINTS[-1])
    straight = lock_joints(robot, [LEG_JOINTS[-1]], q=idle)
    foot = frame_pose(straight, straight.configuration("idle"), FOOT)
    times = np.linspace(0.0, duration, knots)
    s = times / duration
    way = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
    lift = 64.0 * (s * (1.0 - s)) ** 3
    positions, q = [], straight.configuration("idle")
    for along, up in zip(length * (way - 0.5), height * lift, strict=True):
        wanted = Transform(foot.rotation, foot.translation + np.array([along, 0.0, up + 0.03]))
        q = solve_ik(straight, q, [PoseTask(FOOT, wanted)]).require()
        positions.append(np.insert(q, toe.start, idle[toe]))
    rest = np.zeros(robot.nv)
    return StepReference(duration, CubicSpline(times, np.array(positions), bc_type=((1, rest), (1, rest))))
