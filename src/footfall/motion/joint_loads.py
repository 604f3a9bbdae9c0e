"""What joints must do along a motion: speeds and torques of the whole robot against the limits of its joints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.inverse_dynamics import inverse_dynamics
from footfall.dynamics.jacobians import frame_jacobian
from footfall.gait.poses import FEET
from footfall.motion.body_tasks import toe_joint
from footfall.motion.motion import Motion
from footfall.motion.whole_body import WholeBody
from footfall.robot.drives.drive_limits import drive_limits
from footfall.robot.model import JointType, Robot

_BASE = 6  # coordinates of velocity of the floating base


class JointLoads(NamedTuple):
    """times (n,), s. velocities (n, joints), rad/s; efforts (n, joints), N m. velocity_shares, effort_shares (joints,):
    the most of them as a part of the limits of the joints, see `drive_limits`; zero where there is no limit. names: of
    the joints."""

    times: Array
    velocities: Array
    efforts: Array
    velocity_shares: Array
    effort_shares: Array
    names: tuple[str, ...]

    @property
    def velocity_share(self) -> float:
        """The most of any joint."""
        return float(self.velocity_shares.max(initial=0.0))

    @property
    def effort_share(self) -> float:
        """The most of any joint."""
        return float(self.effort_shares.max(initial=0.0))


def joint_loads(motion: Motion, body: WholeBody, *, dt: float = 0.01) -> JointLoads:
    """Speeds and torques of all joints of a body that carries out a motion with its feet alone, at times dt apart, s.

    Both feet bear the contact wrench by their load factors, toe joints nothing of it. Velocities are those of least
    norm, see `WholeBody`.
    """
    robot = body.robot
    times = np.arange(motion.begin_time, motion.end_time + dt / 2, dt)
    samples = motion.sample(times)
    posture = body.postures(samples)
    acceleration = np.gradient(posture.v, dt, axis=0)
    efforts = inverse_dynamics(robot, posture.q, posture.v, acceleration)
    # Whole soles bear the load: what is before the toe joint and behind it is not told apart.
    toes = [] if body.model.toe_limits is None else [_toe(robot, body.model.frames[foot]) for foot in FEET]
    wanted = efforts[:, :_BASE].copy()  # of the base: feet must give it, since nothing drives it
    for side, foot in enumerate(FEET):
        jacobian = frame_jacobian(robot, posture.q, body.model.frames[foot])
        jacobian[:, :, toes] = 0.0
        # A wrench at the foot that gives the base its part: the base's columns of a Jacobian are regular.
        part = samples.load[:, 0, side, None] * wanted
        wrench = np.linalg.solve(np.swapaxes(jacobian[:, :, :_BASE], 1, 2), part[..., None])
        efforts -= (np.swapaxes(jacobian, 1, 2) @ wrench)[..., 0]
    limits = drive_limits(robot)
    names = _names(robot)
    velocities, efforts = posture.v[:, _BASE:], efforts[:, _BASE:]
    return JointLoads(
        times,
        velocities,
        efforts,
        _shares(velocities, limits.velocity[_BASE:]),
        _shares(efforts, limits.effort[_BASE:]),
        names,
    )


def _shares(values: Array, limits: Array) -> Array:
    """The most of values (n, joints) as a part of limits; descriptions that know no limit may have 0."""
    most = np.abs(values).max(axis=0)
    return np.divide(most, limits, out=np.zeros_like(most), where=limits > 0.0)


def _toe(robot: Robot, frame: str) -> int:
    """Place of the velocity of the toe joint of a foot."""
    return robot.v_slice(toe_joint(robot, frame)).start


def _names(robot: Robot) -> tuple[str, ...]:
    """Names of the joints by their velocities, without those of the base."""
    names = {
        index: joint.name
        for joint in robot.joints
        for index in range(robot.nv)[robot.v_slice(joint.name)]
        if joint.type is not JointType.FIXED
    }
    return tuple(names[index] for index in sorted(names) if index >= _BASE)
