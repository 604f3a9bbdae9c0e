"""Joints that cannot move by themselves: a four-bar linkage and a geared rotor, closed in every algorithm."""

from dataclasses import replace

import numpy as np

import footfall
from footfall import Body, Frame, Joint, JointType, Loop, LoopType, Robot, Transform
from footfall.errors import LoopClosureError


def rod(name: str, length: float) -> Body:
    inertia = length**2 / 12
    return Body(name, 1.0, np.array([length / 2, 0.0, 0.0]), np.diag([1e-3, inertia, inertia]))


def at(x: float) -> Transform:
    return Transform(np.eye(3), np.array([x, 0.0, 0.0]))


# A robot stays a tree; a loop says what meets. "assembly" says near which configuration, and so on which branch.
robot = Robot(
    "four-bar",
    (rod("crank", 0.3), rod("coupler", 0.8), rod("rocker", 0.6)),
    (
        Joint("crank", JointType.CONTINUOUS, "world", "crank"),
        Joint("coupler", JointType.CONTINUOUS, "crank", "coupler", at(0.3)),
        Joint("rocker", JointType.CONTINUOUS, "world", "rocker", at(0.9)),
    ),
    (Frame("coupler_tip", "coupler", at(0.8)), Frame("rocker_tip", "rocker", at(0.6))),
    {"assembly": np.array([1.0, -0.5, 1.8])},
    gravity=(0.0, -9.81, 0.0),
    loops=(Loop("closure", LoopType.POINT, "coupler_tip", "rocker_tip"),),
)
print(robot)  # q has three angles, v only that of the crank

# Everything speaks of the crank alone: mass matrix, forces, Jacobians, accelerations.
q, v = footfall.neutral(robot), np.array([2.0])
print(f"inertia felt at the crank {footfall.mass_matrix(robot, q)[0, 0]:.4f} kg m2")
print(f"torque that holds it {footfall.gravity_forces(robot, q)[0]:.3f} N m")
for method in ("articulated", "factorised", "dense"):
    print(
        f"acceleration, {method}: {footfall.forward_dynamics(robot, q, v, np.zeros(1), method=method)[0]:.12f}"
    )

# The loop stays closed over any number of steps, whatever the integrator: a step solves for the joints that follow.
for _ in range(1000):
    v = v + 1e-3 * footfall.forward_dynamics(robot, q, v, np.zeros(1))
    q = footfall.integrate(robot, q, 1e-3 * v)
gap = footfall.dynamics.loop_violation(robot, q, v)
print(f"after a second the pins are {np.abs(gap.position).max():.0e} m apart")
print(
    f"the coupler pulls the rocker with {footfall.dynamics.loop_wrenches(robot, q, v, np.zeros(1))[0][:2].round(2)} N"
)

# With the rocker as the joint that leads, not every angle can be reached: what cannot be closed is told.
led = replace(robot, loops=(replace(robot.loops[0], dependent=("crank", "coupler")),))
try:
    footfall.close_loops(led, np.array([1.0, -0.5, 0.1]))
except LoopClosureError as problem:
    print(f"a rocker at 0.1 rad is out of reach: {problem}")

# A gear is a loop too: the rotor follows the arm, and its inertia is felt with the square of the ratio.
arm = Robot(
    "geared arm",
    (rod("arm", 0.5), Body("rotor", 0.1, inertia=1e-4 * np.eye(3))),
    (
        Joint("arm", JointType.REVOLUTE, "world", "arm"),
        Joint("rotor", JointType.CONTINUOUS, "world", "rotor"),
    ),
    loops=(Loop("gear", LoopType.GEAR, joints=("rotor", "arm"), coefficients=(50.0,)),),
)
print(
    f"arm alone {0.25 / 3:.4f}, with rotor {footfall.mass_matrix(arm, footfall.neutral(arm))[0, 0]:.4f} kg m2"
)
