"""Equations of motion derived by hand-free calculus, against the recursive algorithms (RSL 2022, chapter 3)."""

from __future__ import annotations

import numpy as np
import pytest

import footfall

sympy = pytest.importorskip("sympy")

from tests.derivations import planar_systems  # noqa: E402 - after the check for sympy

CASES = {
    "case_a": ((0.1, -0.2, 0.3), (-0.02598076, 0.00433013, 0.00866025), (-29.43, -17.1675, -2.4525)),
    "case_b": (
        (0.5, -1.0, 0.8),
        (-0.00751185, 0.24736819, -0.01173727),
        (-22.39944994, -15.15181687, -2.76957133),
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("method", ["lagrange", "projected_newton_euler"])
def test_planar_arm(method: str, case: str) -> None:
    """Numbers of RSL 2022, chapter 3, by both methods and by the recursive ones."""
    robot = footfall.load("planar-arm")
    q, (rates, coriolis, gravity) = robot.configuration(case), CASES[case]
    v = np.array(rates)
    system = planar_systems.planar_arm()
    terms = getattr(planar_systems, method)(system)
    values = dict(zip([*system.q, *system.qd], [*q, *v], strict=True))
    mass, b, g = (np.array(term.subs(values), dtype=float) for term in terms)
    assert np.abs(mass - footfall.mass_matrix(robot, q)).max() < 1e-12
    assert np.abs(b[:, 0] - coriolis).max() < 6e-9
    assert np.abs(g[:, 0] - gravity).max() < 6e-9
    assert np.abs(b[:, 0] + g[:, 0] - footfall.bias_forces(robot, q, v)).max() < 1e-12


def test_cart_pendulum_by_three_methods() -> None:
    """RSL 2022, chapter 3: both derivations and Newton-Euler with the joint's force are identical."""
    mc, mp, l, theta, g = sympy.symbols("mc mp l theta g", positive=True)
    system = planar_systems.cart_pendulum(mc, mp, l, theta)
    angle, rate = system.q[1], system.qd[1]
    c, s = sympy.cos(angle), sympy.sin(angle)
    expected = planar_systems.Terms(
        sympy.Matrix([[mc + mp, mp * l * c], [mp * l * c, mp * l**2 + theta]]),
        sympy.Matrix([-mp * l * s * rate**2, 0]),
        sympy.Matrix([0, mp * g * l * s]),
    )
    for method in (planar_systems.lagrange, planar_systems.projected_newton_euler):
        for term, known in zip(method(system, g), expected, strict=True):
            assert (term - known).applyfunc(sympy.simplify) == sympy.zeros(*known.shape)
    # Newton-Euler of the bodies set free, the force of the joint eliminated
    ax, alpha, force = sympy.symbols("ax alpha F")
    fx = mp * (ax + l * c * alpha - l * s * rate**2)
    fz = mp * (g + l * s * alpha + l * c * rate**2)
    cart = mc * ax - force + fx
    turning = theta * alpha + l * c * fx + l * s * fz
    lagrangian = expected.mass * sympy.Matrix([ax, alpha]) + expected.coriolis + expected.gravity
    assert sympy.simplify(cart - (lagrangian[0] - force)) == 0
    assert sympy.simplify(turning - lagrangian[1]) == 0


def test_force_in_the_joint_of_the_cart_pendulum() -> None:
    """RSL 2022, chapter 3: what the cart gives the pendulum, against the joint wrenches."""
    robot = footfall.load("cart-pendulum")
    q, v = np.array([0.3, 0.7]), np.array([0.4, 1.1])
    a = footfall.forward_dynamics(robot, q, v, np.array([2.0, 0.0]))
    pendulum = robot.body("pendulum")
    length = float(np.linalg.norm(pendulum.center_of_mass))
    c, s = np.cos(q[1]), np.sin(q[1])
    force = pendulum.mass * np.array(
        [
            a[0] + length * (c * a[1] - s * v[1] ** 2),
            0.0,
            9.81 + length * (s * a[1] + c * v[1] ** 2),
        ]
    )
    wrench = footfall.dynamics.joint_wrenches(robot, q, v, a)[1]
    assert np.abs(wrench[:3] - force).max() < 1e-12


def test_springs_in_the_potential_are_forces_outside() -> None:
    """RSL 2022, (3.26)-(3.34): a spring from a fixed point to the tip, by its energy and by `J^T F`."""
    system = planar_systems.planar_arm()
    last = system.bodies[-1]
    tip = last.position + sympy.Matrix([sympy.sin(last.angle), sympy.cos(last.angle)]) / 2
    anchor = sympy.Matrix([2.0, 0.5])
    distance = sympy.sqrt((tip - anchor).dot(tip - anchor))
    energy = 30.0 * (distance - 0.4) ** 2 / 2
    robot = footfall.load("planar-arm")
    q = robot.configuration("case_b")
    values = dict(zip(system.q, q, strict=True))
    by_energy = np.array(sympy.Matrix([energy]).jacobian(system.q).subs(values), dtype=float)[0]
    place = footfall.frame_pose(robot, q, "tip").translation
    away = place - np.array([2.0, 0.0, 0.5])
    length = np.linalg.norm(away)
    pull = -30.0 * (length - 0.4) * away / length
    by_force = -footfall.frame_jacobian(robot, q, "tip")[:3].T @ pull
    assert np.abs(by_energy - by_force).max() < 1e-12


def test_first_kind_pendulum() -> None:
    """RSL 2022, (3.35)-(3.37): a mass in the plane on a rod of fixed length moves as the pendulum in its angle."""
    x, z, vx, vz = sympy.symbols("x z vx vz")
    mass, length, g = 0.7, 1.3, planar_systems.GRAVITY
    constraint = sympy.Matrix([(x**2 + z**2 - length**2) / 2])
    jacobian = constraint.jacobian([x, z])
    bias = (jacobian * sympy.Matrix([vx, vz])).jacobian([x, z]) * sympy.Matrix([vx, vz])
    angle, rate = 0.8, -1.7
    state = {
        x: length * np.sin(angle),
        z: -length * np.cos(angle),
        vx: length * rate * np.cos(angle),
        vz: length * rate * np.sin(angle),
    }
    row = np.array(jacobian.subs(state), dtype=float)
    # M a + g + J^T lambda = 0: lambda is what the mass does to the rod
    saddle = np.block([[mass * np.eye(2), row.T], [row, np.zeros((1, 1))]])
    drift = np.array(bias.subs(state), dtype=float)[0]
    solution = np.linalg.solve(saddle, np.array([0.0, -mass * g, -drift[0]]))
    turning = -g / length * np.sin(angle)
    along = np.array([np.cos(angle), np.sin(angle)])
    inward = np.array([-np.sin(angle), np.cos(angle)])
    assert np.abs(solution[:2] - length * (turning * along + rate**2 * inward)).max() < 1e-12
    tension = mass * (g * np.cos(angle) + length * rate**2)
    assert solution[2] * length == pytest.approx(tension, abs=1e-12)
