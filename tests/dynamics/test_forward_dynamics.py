"""Forward dynamics: three methods, both peers, the way back, worked examples and conserved energy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from footfall.arrays import Array
from footfall.dynamics.centroidal import centroidal_momentum
from footfall.dynamics.energy import kinetic_energy, potential_energy
from footfall.dynamics.factorisation import factorise_mass_matrix
from footfall.dynamics.forward_dynamics import forward_dynamics
from footfall.dynamics.inverse_dynamics import bias_forces, inverse_dynamics
from footfall.dynamics.mass_inverse import inverse_mass_matrix
from footfall.errors import RobotError, UnknownName
from footfall.math.rotations import matrix_from_quaternion, matrix_from_rotation_vector
from footfall.robot.load import load
from footfall.robot.model import Body, Joint, JointType, Robot
from tests.dynamics.cases import DILL_CASES, DillCase, moved, some_wrenches
from tests.peers.comparison import assert_agree, relative_error
from tests.peers.robots import REAL_ROBOTS, RealRobot, load_real
from tests.random_robots import random_robot, random_state, robots

pytest.importorskip("pinocchio")
pytest.importorskip("mujoco")

from tests.peers.mujoco import MujocoPeer
from tests.peers.pinocchio import PinocchioPeer

METHODS = ("articulated", "factorised", "dense")


def assert_solves(
    a: Array, tau: Array, peer: PinocchioPeer | MujocoPeer, q: Array, v: Array, limit: float
) -> None:
    """`|ID(a) - tau| <= limit (|tau| + |h|)` by a peer's inverse dynamics."""
    scale = float(np.linalg.norm(tau) + np.linalg.norm(peer.bias_forces(q, v)))
    assert np.linalg.norm(peer.inverse_dynamics(q, v, a) - tau) <= limit * scale


@settings(max_examples=60)
@given(robot=robots())
def test_random_robots_agree_with_the_peers(robot: Robot) -> None:
    q, v, _, tau = random_state(robot, 1)
    a = forward_dynamics.textbook(robot, q, v, tau)
    assert_solves(a, tau, PinocchioPeer.from_robot(robot), q, v, 1e-11)
    assert_solves(a, tau, MujocoPeer(robot), q, v, 1e-8)


@pytest.mark.parametrize("real", REAL_ROBOTS, ids=str)
def test_real_robots_agree_with_pinocchio(real: RealRobot) -> None:
    robot = load_real(real)
    peer = PinocchioPeer.from_real(real)
    q, v, a, _ = random_state(robot, 1)
    tau = peer.inverse_dynamics(q, v, 10 * a)  # forces at random would fling the lightest links away
    for method in METHODS:
        assert_solves(forward_dynamics.textbook(robot, q, v, tau, method=method), tau, peer, q, v, 1e-10)


@settings(max_examples=40)
@given(robot=robots())
def test_methods_agree_and_inverse_dynamics_leads_back(robot: Robot) -> None:
    q, v, _, tau = random_state(robot, 2)
    wrenches = some_wrenches(robot)
    scale = float(np.linalg.norm(tau) + np.linalg.norm(bias_forces.textbook(robot, q, v, wrenches=wrenches)))
    for method in METHODS:
        a = forward_dynamics.textbook(robot, q, v, tau, wrenches=wrenches, method=method)
        back = inverse_dynamics.textbook(robot, q, v, a, wrenches=wrenches)
        assert_agree(back, tau, 1e-11, scale=scale)


def test_a_comparison_can_fail() -> None:
    """A percent less armature in one joint is seen in the residual."""
    robot = random_robot(3, types=["floating", "revolute", "universal", "spherical"], ups=[0, 0, 0, 0])
    stiff = replace(robot, joints=(*robot.joints[:-1], replace(robot.joints[-1], armature=0.100)))
    soft = replace(robot, joints=(*robot.joints[:-1], replace(robot.joints[-1], armature=0.099)))
    q, v, _, tau = random_state(robot, 3)
    back = inverse_dynamics.textbook(stiff, q, v, forward_dynamics.textbook(soft, q, v, tau))
    assert relative_error(back, tau) > 1e-6


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", DILL_CASES[:5], ids=lambda case: f"dill-{case.levels}")
def test_dill(case: DillCase, method: str) -> None:
    """Accelerations of Schwienbacher 2014, chapter 2, without and with gravity."""
    robot = load(f"dill-{case.levels}")
    q, v, tau = np.full(robot.nq, np.pi / 6), np.ones(robot.nv), np.zeros(robot.nv)
    weightless = replace(robot, gravity=(0.0, 0.0, 0.0))
    a = forward_dynamics.textbook(weightless, q, v, tau, method=method)
    assert a[0] == pytest.approx(case.first_acceleration, rel=1e-8)
    assert np.linalg.norm(a) == pytest.approx(case.size, rel=1e-9)
    a = forward_dynamics.textbook(robot, q, v, tau, method=method)
    assert a[0] == pytest.approx(case.first_acceleration_with_gravity, rel=1e-8)
    assert np.linalg.norm(a) == pytest.approx(case.size_with_gravity, rel=1e-9)


@pytest.mark.parametrize("case", DILL_CASES[5:], ids=lambda case: f"dill-{case.levels}")
def test_large_dill(case: DillCase) -> None:
    """The condition number of M is 2.5e6 at the last level."""
    robot = replace(load(f"dill-{case.levels}"), gravity=(0.0, 0.0, 0.0))
    a = forward_dynamics.textbook(robot, np.full(robot.nq, np.pi / 6), np.ones(robot.nv), np.zeros(robot.nv))
    assert a[0] == pytest.approx(case.first_acceleration, rel=1e-7)
    assert np.linalg.norm(a) == pytest.approx(case.size, rel=1e-8)


def test_a_floating_robot_falls() -> None:
    """Without forces all of it accelerates with gravity, whatever its pose."""
    robot = random_robot(5, types=["floating", "revolute", "spherical"], ups=[0, 0, 0], floating_base=True)
    joints = (replace(robot.joints[0], armature=0.0), *robot.joints[1:])
    robot = replace(robot, joints=joints, gravity=(1.0, 2.0, -3.0))
    q, rest = random_state(robot, 6).q, np.zeros(robot.nv)
    expected = np.concatenate([[1.0, 2.0, -3.0], np.zeros(robot.nv - 3)])
    np.testing.assert_allclose(forward_dynamics.textbook(robot, q, rest, rest), expected, atol=1e-12)


def test_torque_free_body_precesses() -> None:
    """Euler's equations `J w' + w x J w = 0` about the centre of mass of a lone body."""
    robot = random_robot(6, types=["floating"], floating_base=True, armature=False, gravity=(0.0, 0.0, 0.0))
    body = robot.bodies[0]
    q, v, _, _ = random_state(robot, 7)
    a = forward_dynamics.textbook(robot, q, v, np.zeros(6))
    w = v[3:]
    expected = np.linalg.solve(body.inertia, -np.cross(w, body.inertia @ w))
    np.testing.assert_allclose(a[3:], expected, rtol=1e-10)


@pytest.mark.parametrize(
    "types", [("floating", "revolute", "spherical", "prismatic"), ("universal", "planar")]
)
def test_energy_drifts_with_the_fourth_power_of_the_step(types: tuple[str, ...]) -> None:
    """Free motion keeps T + U, RSL 2022, (3.54); halving the step of RK4 takes the drift to a sixteenth at most."""
    robot = random_robot(21, types=types, ups=[0] * len(types))
    q, v, _, _ = random_state(robot, 8)

    def energy(q: Array, v: Array) -> float:
        return kinetic_energy.textbook(robot, q, v) + potential_energy.textbook(robot, q)

    def drift(steps: int) -> float:
        at, rate = q, v
        for _ in range(steps):
            at, rate = runge_kutta_step(robot, at, rate, 0.04 / steps)
        return abs(energy(at, rate) - energy(q, v))

    coarse, fine = drift(4), drift(8)
    assert fine < coarse / 12
    assert fine < 1e-6 * abs(energy(q, v))


def test_momentum_of_a_floating_robot_is_kept() -> None:
    robot = random_robot(
        22, types=["floating", "revolute", "spherical"], ups=[0, 0, 0], gravity=(0.0, 0.0, 0.0)
    )
    joints = tuple(replace(joint, armature=0.0) for joint in robot.joints)
    robot = replace(robot, joints=joints)
    q, v, _, _ = random_state(robot, 9)
    before = centroidal_momentum.textbook(robot, q, v)
    for _ in range(8):
        q, v = runge_kutta_step(robot, q, v, 0.005)
    assert_agree(centroidal_momentum.textbook(robot, q, v), before, 1e-7)


def runge_kutta_step(robot: Robot, q: Array, v: Array, h: float) -> tuple[Array, Array]:
    """Fourth order on the manifold: rates of `v` are taken in a chart around the start of the step."""
    tau = np.zeros(robot.nv)

    def slope(step: Array, rate: Array) -> tuple[Array, Array]:
        return chart_rate(robot, step, rate), forward_dynamics.textbook(
            robot, moved(robot, q, step), rate, tau
        )

    k1 = slope(np.zeros(robot.nv), v)
    k2 = slope(h / 2 * k1[0], v + h / 2 * k1[1])
    k3 = slope(h / 2 * k2[0], v + h / 2 * k2[1])
    k4 = slope(h * k3[0], v + h * k3[1])
    step, change = (h / 6 * (a + 2 * b + 2 * c + d) for a, b, c, d in zip(k1, k2, k3, k4, strict=True))
    return moved(robot, q, step), v + change


def chart_rate(robot: Robot, step: Array, v: Array) -> Array:
    """Rate of the rotation vectors in `step` for body rates in `v`: w + r x w / 2 + r x (r x w) / 12."""
    rate = v.copy()
    for link in robot.tree.links:
        if link.kind == "spherical":
            r, w = step[link.v], v[link.v]
            rate[link.v] = w + np.cross(r, w) / 2 + np.cross(r, np.cross(r, w)) / 12
    return rate


def test_massless_robots_are_refused() -> None:
    """Instead of accelerations that are not numbers."""
    arm = load("double-pendulum")
    state = random_state(arm, 0)
    massless = replace(arm, bodies=tuple(Body(body.name) for body in arm.bodies))
    for method in METHODS:
        with pytest.raises(RobotError, match="so there is no forward dynamics"):
            forward_dynamics(massless, state.q, state.v, state.tau, method=method)
    for refused in (inverse_mass_matrix, factorise_mass_matrix):
        with pytest.raises(RobotError):
            refused(massless, state.q)
    assert (inverse_dynamics(massless, state.q, state.v, state.a) == 0.0).all()


def test_unknown_method_is_named() -> None:
    robot = load("planar-arm")
    zero = np.zeros(3)
    with pytest.raises(UnknownName, match=r"no method 'fast' in forward_dynamics; there are: articulated"):
        forward_dynamics.textbook(robot, zero, zero, zero, method="fast")


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_only_a_spin_about_the_middle_axis_is_unstable(axis: int) -> None:
    """A lone brick with inertias 1 < 2 < 3 spins about one axis and is disturbed by 1e-4.

    About the middle axis the disturbance grows as exp(W t sqrt((2 - 1)(3 - 2) / (1 * 3))), RSL 2022; else it stays.
    """
    brick = Body("brick", 1.0, np.zeros(3), np.diag([1.0, 2.0, 3.0]))
    robot = Robot(
        "brick", (brick,), (Joint("root", JointType.FLOATING, "world", "brick"),), gravity=(0.0, 0.0, 0.0)
    )
    q, v = np.concatenate([np.zeros(3), [1.0], np.zeros(3)]), np.zeros(6)
    v[3:] = 1e-4
    v[3 + axis] = 5.0
    dt, steps = 0.01, 300
    largest = 0.0
    for _ in range(steps):
        q, v = runge_kutta_step(robot, q, v, dt)
        largest = max(largest, float(np.abs(np.delete(v[3:], axis)).max()))
    growth = np.exp(5.0 * dt * steps / np.sqrt(3.0))
    if axis == 1:
        assert largest > 0.1 * min(1e-4 * growth, 5.0)
    else:
        assert largest < 4e-4


def test_symmetric_top() -> None:
    """Free of torques, a body with inertias (a, a, c) turns as a cone rolls on a cone.

    In body axes w1 + i w2 = W exp(i k t) with k = (c - a) / a w3, and w3 stays; in the world its axis goes round the
    angular momentum L with the rate |L| / a (Landau and Lifshitz 1976, section 33). RK4 of order four: 400 steps of
    4 ms at 6 rad/s err by (w h)^4 / 120 w t = 3e-8.
    """
    a, c = 0.3, 0.5
    top = Body("top", 2.0, np.array([0.0, 0.0, 0.1]), np.diag([a, a, c]))
    robot = Robot(
        "top", (top,), (Joint("root", JointType.FLOATING, "world", "top"),), gravity=(0.0, 0.0, 0.0)
    )
    w = np.array([1.5, 0.0, 6.0])
    q, v = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]), np.append(np.zeros(3), w)
    v[:3] = -np.cross(w, top.center_of_mass)  # the centre of mass rests
    momentum = np.diag([a, a, c]) @ w
    dt, steps = 4e-3, 400
    for _ in range(steps):
        q, v = runge_kutta_step(robot, q, v, dt)
    time = dt * steps
    phase = (c - a) / a * w[2] * time
    np.testing.assert_allclose(v[3:], [1.5 * np.cos(phase), 1.5 * np.sin(phase), 6.0], atol=1e-7)
    turn = matrix_from_quaternion(q[3:])
    np.testing.assert_allclose(turn @ (np.diag([a, a, c]) @ v[3:]), momentum, atol=1e-7)
    precession = matrix_from_rotation_vector(momentum / a * time)
    np.testing.assert_allclose(turn[:, 2], precession @ [0.0, 0.0, 1.0], atol=1e-7)
    np.testing.assert_allclose(q[:3] + turn @ top.center_of_mass, top.center_of_mass, atol=1e-7)


def test_heavy_symmetric_top_precesses_steadily() -> None:
    """A top on its tip, upright by an angle theta, goes round steadily where a known quadratic has a root.

    A cos(theta) p^2 - C s p + m g l = 0 for the precession p, with A about the tip and C s the spin's momentum, s the
    whole turning rate about the axis (Goldstein 2002, (5.78)). Then p stays and so does theta.
    """
    mass, length, across, along, gravity = 0.4, 0.06, 4e-4, 2.5e-4, 9.81
    about_tip = across + mass * length**2
    theta, s = 0.5, 300.0
    momentum = along * s
    square = momentum**2 - 4 * about_tip * np.cos(theta) * mass * gravity * length
    p = (momentum - np.sqrt(square)) / (2 * about_tip * np.cos(theta))  # the slow one
    body = Body("top", mass, np.array([0.0, 0.0, length]), np.diag([across, across, along]))
    robot = Robot("top", (body,), (Joint("tip", JointType.SPHERICAL, "world", "top"),))
    q = np.array([np.cos(theta / 2), np.sin(theta / 2), 0.0, 0.0])  # leans over by a turn about x
    axis = matrix_from_quaternion(q)[:, 2]
    # p z + (s - p cos(theta)) axis: what turns about the axis is s
    world = np.array([0.0, 0.0, p]) + (s - p * np.cos(theta)) * axis
    v = matrix_from_quaternion(q).T @ world
    dt, steps = 2e-4, 500
    for _ in range(steps):
        q, v = runge_kutta_step(robot, q, v, dt)
    turn = matrix_from_quaternion(q)[:, 2]
    np.testing.assert_allclose(turn[2], np.cos(theta), atol=1e-6)
    np.testing.assert_allclose(turn[:2], rotated(axis[:2], p * dt * steps), atol=1e-5)


def rotated(vector: Array, angle: float) -> Array:
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[cos, -sin], [sin, cos]]) @ vector
