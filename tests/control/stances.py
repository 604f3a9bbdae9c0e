"""Robots and states that the tests of control share: the planar arm of RSL 2022 and a standing quadruped."""

from __future__ import annotations

import numpy as np

import footfall
from footfall.arrays import Array
from footfall.control.constrained_dynamics import constraint_projector
from footfall.control.contact_constraints import Contact, build_constrained_system
from footfall.math.transform import Transform
from footfall.robot.model import Body, Frame, Joint, JointType, Robot

FEET = ("RB", "LB", "RF", "LF")
RATES_A = np.array([0.1, -0.2, 0.3])
RATES_B = np.array([0.5, -1.0, 0.8])
CORNERS = {"lf": (0.3, 0.2), "rf": (0.3, -0.2), "lb": (-0.3, 0.2), "rb": (-0.3, -0.2)}
TIP = Contact("tip", rows=(0, 2))


def planar_arm(case: str = "a") -> tuple[Robot, Array, Array]:
    """The arm in case A or B of RSL 2022, chapter 3: robot, q, v."""
    robot = footfall.load("planar-arm")
    return robot, robot.configuration(f"case_{case}"), RATES_A if case == "a" else RATES_B


def feet(*names: str) -> tuple[Contact, ...]:
    return tuple(Contact(name) for name in names or FEET)


def quadruped(seed: int = 0) -> tuple[Robot, Array]:
    """The point-foot quadruped in a generic standing pose."""
    robot = footfall.load("point-foot-quadruped")
    q = robot.configuration("stand")
    random = np.random.default_rng(seed)
    q[7:] += 0.2 * random.normal(size=12)
    q[3:7] += 0.1 * random.normal(size=4)
    q[3:7] /= np.linalg.norm(q[3:7])
    return robot, q


def consistent_motion(
    robot: Robot, q: Array, contacts: tuple[Contact, ...], *, seed: int = 1
) -> tuple[Array, Array]:
    """A random velocity and acceleration with contacts at rest."""
    random = np.random.default_rng(seed)
    at_rest = build_constrained_system(robot, q, np.zeros(robot.nv), contacts=contacts)
    projector = constraint_projector(at_rest)
    v = projector @ random.normal(size=robot.nv)
    system = build_constrained_system(robot, q, v, contacts=contacts)
    drift = -np.linalg.pinv(system.jacobian, rcond=1e-9) @ system.jacobian_bias
    return v, drift + projector @ random.normal(size=robot.nv)


def table() -> Robot:
    """20 kg at the base, feet at (+-0.3, +-0.2, -0.4) m."""
    frames = tuple(
        Frame(name, "base", Transform(np.eye(3), np.array([*place, -0.4]))) for name, place in CORNERS.items()
    )
    root = Joint("root", JointType.FLOATING, "world", "base")
    return Robot("table", (Body("base", 20.0, inertia=np.eye(3)),), (root,), frames)
