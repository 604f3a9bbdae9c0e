"""Derive M, b and g of an arm by Lagrange with SymPy, through footfall's own kinematics; compare with its dynamics."""

import numpy as np
import sympy as sp

import footfall
from footfall import Body, Frame, Joint, JointType, Robot, Transform

# Two rods of 1 m and 1 kg that hang from the world and turn about y.
rod = {"mass": 1.0, "center_of_mass": np.array([0.0, 0.0, -0.5]), "inertia": np.diag([1 / 12, 1 / 12, 0.0])}
end = Transform(np.eye(3), np.array([0.0, 0.0, -1.0]))
middle = Transform(np.eye(3), np.array([0.0, 0.0, -0.5]))
arm = Robot(
    "double-pendulum",
    (Body("upper", **rod), Body("lower", **rod)),
    (
        Joint("shoulder", JointType.REVOLUTE, "world", "upper", axis=(0.0, 1.0, 0.0)),
        Joint("elbow", JointType.REVOLUTE, "upper", "lower", end, axis=(0.0, 1.0, 0.0)),
    ),
    (Frame("upper_center", "upper", middle), Frame("lower_center", "lower", middle)),
)

# Kinematics takes symbols: positions and velocities of the centres of mass are formulas.
q, v = np.array(sp.symbols("q1 q2")), np.array(sp.symbols("v1 v2"))
print("lower centre at", footfall.frame_pose(arm, q, "lower_center").translation)

kinetic, potential = sp.Integer(0), sp.Integer(0)
for body in arm.bodies:
    motion = footfall.frame_velocity(arm, q, v, f"{body.name}_center")
    rotation = footfall.frame_pose(arm, q, f"{body.name}_center").rotation
    turning = rotation.T @ motion[3:]
    kinetic += (body.mass * motion[:3] @ motion[:3] + turning @ body.inertia @ turning) / 2
    height = footfall.frame_pose(arm, q, f"{body.name}_center").translation[2]
    potential -= body.mass * arm.gravity[2] * height

# Lagrange: d/dt dT/dv - dT/dq + dU/dq = tau gives M a + b + g = tau.
momentum = [sp.diff(kinetic, rate) for rate in v]
mass = sp.simplify(sp.Matrix([[sp.diff(each, rate) for rate in v] for each in momentum]))
gravity = sp.simplify(sp.Matrix([sp.diff(potential, angle) for angle in q]))
bias = sp.simplify(
    sp.Matrix(
        [
            sum(sp.diff(each, angle) * rate for angle, rate in zip(q, v, strict=True)) - sp.diff(kinetic, own)
            for each, own in zip(momentum, q, strict=True)
        ]
    )
)
for name, formula in {"M": mass, "b": bias, "g": gravity}.items():
    print(f"{name} =", sp.nsimplify(formula, tolerance=1e-12).tolist())

# The same from the algorithms, on numbers, and from the algorithms on symbols.
at, rates = np.array([0.4, -1.1]), np.array([0.7, 2.0])
numbers = dict(zip((*q, *v), (*at, *rates), strict=True))


def value(formula: sp.Matrix) -> np.ndarray:
    return np.array(formula.subs(numbers), dtype=float)


errors = (
    np.abs(value(mass) - footfall.mass_matrix(arm, at)).max(),
    np.abs(value(bias + gravity).ravel() - footfall.bias_forces(arm, at, rates)).max(),
    np.abs(value(gravity).ravel() - footfall.gravity_forces(arm, at)).max(),
    np.abs(value(sp.Matrix(footfall.mass_matrix(arm, q))) - footfall.mass_matrix(arm, at)).max(),
)
print("largest difference", max(errors))
assert max(errors) < 1e-12
