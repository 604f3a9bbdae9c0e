"""The balance loop of a robot whose torso bends, in one plane and for small angles: its eigenvalues.

Two bodies stand on a sole. The lower one (legs, pelvis) is tilted by a against the ground, the upper one by b more,
against a spring. The sole gives a torque by the place p of its pressure. The controller sees the tilt a + b of the
upper body, late, and takes the robot for one rigid body; its observer also sees the force on the sole; the zero-moment
point that it asks for comes with the lag of force control (`footfall.walking.perceived`, `balance`, `feet`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import frame_pose
from footfall.robot.model import Robot
from footfall.walking.gains import ControlGains

_GRAVITY = 9.81
_TURN_FILTER = 0.004  # s, of how fast feet turn


class Part(NamedTuple):
    """A part of the robot: mass (kg), height of its centre of mass (m), inertia about it (kg m2), across a plane."""

    mass: float
    height: float
    inertia: float


@dataclass(frozen=True)
class BendingRobot:
    """lower, upper: its parts. joint: height at which it bends, m. stiffness, damping: N m/rad and N m s/rad."""

    lower: Part
    upper: Part
    joint: float
    stiffness: float
    damping: float

    @property
    def mass(self) -> float:
        return self.lower.mass + self.upper.mass

    @property
    def height(self) -> float:
        """Of the centre of mass, m."""
        return (self.lower.mass * self.lower.height + self.upper.mass * self.upper.height) / self.mass


def bending_robot(
    robot: Robot, joint: str, axis: tuple[float, float, float], *, frequency: float, damping_ratio: float
) -> BendingRobot:
    """A robot where it stands, which bends at a joint about an axis (world axes) with a frequency, Hz, of its upper
    body while the lower one stands still."""
    q, direction = robot.configuration("idle"), np.array(axis) / np.linalg.norm(axis)
    below = {robot.joint(joint).child}
    for other in robot.joints:
        if other.parent in below:
            below.add(other.child)
    pivot = frame_pose(robot, q, robot.joint(joint).parent).apply(robot.joint(joint).placement.translation)
    ground = min(float(frame_pose(robot, q, name).translation[2]) for name in ("RF", "LF"))
    parts = []
    for inside in (True, False):
        bodies = [body for body in robot.bodies if (body.name in below) == inside and body.mass > 0.0]
        poses = [frame_pose(robot, q, body.name) for body in bodies]
        centres = np.array(
            [pose.apply(body.center_of_mass) for pose, body in zip(poses, bodies, strict=True)]
        )
        masses = np.array([body.mass for body in bodies])
        centre = masses @ centres / masses.sum()
        inertia = 0.0
        for pose, body, at in zip(poses, bodies, centres, strict=True):
            turned, arm = pose.rotation.T @ direction, at - centre
            across = arm - direction * (direction @ arm)
            inertia += float(turned @ body.inertia @ turned + body.mass * (across @ across))
        parts.append(Part(float(masses.sum()), float(centre[2] - ground), inertia))
    lower, upper = parts
    height = float(pivot[2] - ground)
    arm = upper.height - height
    swinging = upper.inertia + upper.mass * arm**2
    omega = 2.0 * np.pi * frequency
    stiffness = swinging * omega**2 + upper.mass * _GRAVITY * arm  # gravity tips it
    return BendingRobot(lower, upper, height, stiffness, 2.0 * damping_ratio * swinging * omega)


@dataclass(frozen=True)
class Delays:
    """unit: s, by which the inertial unit is late. isolator: Hz, of its low-pass of second order."""

    unit: float = 0.005
    isolator: float = 47.7


def closed_loop(robot: BendingRobot, gains: ControlGains, delays: Delays | None = None) -> Array:
    """The matrix A of x' = A x.

    x: tilt a and bend b, rad, with rates; error of the divergent component as observed, m; place of the pressure p,
    m, and its rate as it is asked for, filtered; what the unit tells of the tilt and of its rate, each with the two
    states of its isolator and that of its delay (a Pade approximant of first order).
    """
    delays = delays or Delays()
    mass, force = _motion(robot)
    w, observer, h = gains.pendulum_rate, gains.observer_rate, robot.height
    place, rate, dcm, pressure, asked = slice(0, 2), slice(2, 4), 4, 5, 6
    told = (7, 10)  # tilt and its rate: two states of the isolator and one of the delay each
    n = 13
    a = np.zeros((n, n))
    a[place, rate] = np.eye(2)
    inverse = np.linalg.inv(mass)
    # M x'' = K x + D x' - (m g p) on the tilt: pressure ahead turns the robot back.
    a[rate, place] = inverse @ force[:, :2]
    a[rate, rate] = inverse @ force[:, 2:]
    a[rate, pressure] = inverse @ np.array([-robot.mass * _GRAVITY, 0.0])
    lever = np.array(
        [
            robot.lower.mass * robot.lower.height + robot.upper.mass * robot.upper.height,
            robot.upper.mass * (robot.upper.height - robot.joint),
        ]
    )
    pushed = lever @ a[rate]  # N, on the sole along the ground: m x'' of the centre of mass
    unit = 2.0 * np.pi * delays.isolator
    outputs = []
    for first, source in zip(told, (np.eye(n)[0] + np.eye(n)[1], np.eye(n)[2] + np.eye(n)[3]), strict=True):
        soft, slope, late = first, first + 1, first + 2
        a[soft, slope] = 1.0
        a[slope] += unit**2 * source
        a[slope, soft] -= unit**2
        a[slope, slope] -= np.sqrt(2.0) * unit
        # e^(-s T) = -1 + 2 / (1 + s T / 2)
        a[late, soft], a[late, late] = 2.0 / delays.unit, -2.0 / delays.unit
        outputs.append(2.0 * np.eye(n)[late] - np.eye(n)[soft])
    position, velocity = h * outputs[0], h * outputs[1]
    measured = position + velocity / w
    # e' = w (e - x) + f / (m w) + L (measured - e); a force beyond what is planned, which is none.
    a[dcm] = pushed / (robot.mass * w) - w * position + observer * measured
    a[dcm, dcm] += w - observer
    wanted = (1.0 + gains.balance_rate / w) * np.eye(n)[dcm]
    a[asked] = gains.force_rate * (wanted - np.eye(n)[pressure]) / _TURN_FILTER
    a[asked, asked] -= 1.0 / _TURN_FILTER
    a[pressure, asked] = 1.0
    return a


def _motion(robot: BendingRobot) -> tuple[Array, Array]:
    """M (2, 2) of a and b, and their forces (2, 4) on angles and rates."""
    lower, upper, joint = robot.lower, robot.upper, robot.joint
    arm = upper.height - joint
    swinging = upper.inertia + upper.mass * arm**2
    coupled = upper.inertia + upper.mass * arm * upper.height
    whole = lower.inertia + lower.mass * lower.height**2 + upper.inertia + upper.mass * upper.height**2
    mass = np.array([[whole, coupled], [coupled, swinging]])
    tip = _GRAVITY * upper.mass * arm
    tips = np.array(
        [
            [_GRAVITY * (lower.mass * lower.height + upper.mass * upper.height), tip],
            [tip, tip - robot.stiffness],
        ]
    )
    return mass, np.hstack([tips, np.diag([0.0, -robot.damping])])


class Mode(NamedTuple):
    """frequency: Hz. damping: ratio to critical."""

    frequency: float
    damping: float


def modes(matrix: Array) -> list[Mode]:
    """Of the eigenvalues of a loop, slowest first; those that only decay have frequency 0."""
    values = np.linalg.eigvals(matrix)
    found = [
        Mode(abs(value) / (2.0 * np.pi) if value.imag > 0.0 else 0.0, -value.real / abs(value))
        for value in values
        if value.imag >= 0.0
    ]
    return sorted(found)


def growth(matrix: Array) -> float:
    """The greatest real part of an eigenvalue, 1/s; a stable loop has it below zero."""
    return float(np.linalg.eigvals(matrix).real.max())


def faster(gains: ControlGains, share: float) -> ControlGains:
    """With all loops of balance so many times as fast."""
    return gains._replace(
        balance_rate=share * gains.balance_rate,
        observer_rate=share * gains.observer_rate,
        force_rate=share * gains.force_rate,
    )


def margin(robot: BendingRobot, gains: ControlGains, delays: Delays | None = None) -> float:
    """How many times as fast the loops of balance may be, at most 50 times, before they are unstable."""
    shares = np.geomspace(1.0, 50.0, 200)
    for share in shares:
        if growth(closed_loop(robot, faster(gains, share), delays)) >= 0.0:
            return float(share)
    return float(shares[-1])
