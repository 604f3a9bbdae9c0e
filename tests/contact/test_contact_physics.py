"""Closed-form physics, step by step through contact problems: rebound, sliding, stiction, impacts of pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.contact.assembly import RobotContactProblem, build_contact_problem
from footfall.contact.classic.gauss_seidel import solve_gauss_seidel
from footfall.contact.contacts import Contacts
from footfall.contact.options import ContactOptions
from footfall.robot.model import WORLD, Body, Joint, JointType, Robot

G = 9.81


def free_bodies(*masses: float) -> Robot:
    bodies = tuple(Body(f"body{k}", mass, np.zeros(3), 0.01 * np.eye(3)) for k, mass in enumerate(masses))
    joints = tuple(Joint(f"root{k}", JointType.FLOATING, WORLD, body.name) for k, body in enumerate(bodies))
    return Robot("bodies", bodies, joints)


ONE = free_bodies(2.0)


def step(
    robot: Robot, q: Array, v: Array, contacts: Contacts, dt: float, **options: Any
) -> tuple[Array, Array]:
    problem = build_contact_problem(robot, q, v, np.zeros(robot.nv), contacts, dt=dt, **options)
    solution = solve_gauss_seidel(problem)
    assert solution.converged
    v = problem.velocity_after(solution.impulses)
    return footfall.integrate(robot, q, dt * v), v


def on_ground(q: Array, **values: Any) -> Contacts:
    """The centre of the body touches the plane z = 0."""
    friction = values.pop("friction", 0.0)
    return Contacts(["body0"], np.zeros(3), np.eye(3), np.array([q[2]]), friction, **values)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
def test_rebound_height(restitution: float) -> None:
    # Dropped from h it rises to e^2 h; the step of the impact shifts it by v dt at most.
    dt, height = 2e-4, 0.05
    q, v = footfall.neutral(ONE), np.zeros(6)
    q[2] = height
    highest, touched = 0.0, False
    for _ in range(1100):
        q, v = step(ONE, q, v, on_ground(q, restitution=restitution), dt)
        touched = touched or q[2] < 2 * dt
        highest = max(highest, q[2]) if touched else 0.0
    assert highest == pytest.approx(restitution**2 * height, abs=2 * np.sqrt(2 * G * height) * dt)


def test_stopping_distance() -> None:
    # v0^2 / (2 mu g), from below by v0 dt / 2 as velocities come first
    dt, speed, mu = 1e-3, 1.0, 0.4
    q, v = footfall.neutral(ONE), np.zeros(6)
    v[:2] = 0.6 * speed, 0.8 * speed
    for _ in range(300):
        q, v = step(ONE, q, v, on_ground(q, friction=mu), dt)
    assert np.linalg.norm(v) < 1e-12
    assert np.linalg.norm(q[:2]) == pytest.approx(
        speed**2 / (2 * mu * G) - speed * dt / 2, abs=speed * dt / 10
    )
    np.testing.assert_allclose(q[:2] / np.linalg.norm(q[:2]), [0.6, 0.8], atol=1e-9)


def test_sliding_with_viscous_friction() -> None:
    # m dv/dt = -(mu m g + c v), Ayit 2015, (4.22): v = (v0 + mu m g / c) exp(-c t / m) - mu m g / c
    dt, speed, mu, c, mass = 4e-4, 1.0, 0.1, 3.0, 2.0
    q, v = footfall.neutral(ONE), np.zeros(6)
    v[0] = speed
    for _ in range(500):
        q, v = step(ONE, q, v, on_ground(q, friction=mu, viscous_friction=c), dt)
    level = mu * mass * G / c
    assert v[0] == pytest.approx((speed + level) * np.exp(-c * 0.2 / mass) - level, rel=1e-3)


def test_equal_pair_swaps_velocities_in_an_elastic_impact() -> None:
    robot = free_bodies(1.5, 1.5)
    q, v = footfall.neutral(robot), np.zeros(12)
    v[0], v[6] = -2.0, 1.0  # body0 comes from the right; the normal points from body1 to body0
    rotation = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    contacts = Contacts(["body0"], np.zeros(3), rotation, 0.0, 0.0, restitution=1.0, others=["body1"])
    weightless = footfall.Robot("pair", robot.bodies, robot.joints, gravity=(0.0, 0.0, 0.0))
    _, v = step(weightless, q, v, contacts, 1e-3)
    np.testing.assert_allclose(v[[0, 6]], [1.0, -2.0], atol=1e-9)


def test_nothing_sinks_at_rest_and_a_penetration_is_undone_at_the_speed_given() -> None:
    q, v = footfall.neutral(ONE), np.zeros(6)
    q[2] = -1e-3
    heights = []
    for _ in range(150):
        q, v = step(ONE, q, v, on_ground(q, friction=0.5), 1e-3, options=ContactOptions(recovery_speed=0.02))
        heights.append(q[2])
    np.testing.assert_allclose(np.diff(heights[:40]), 0.02e-3, atol=1e-12)
    assert max(heights) < 0.02**2 / (2 * G)  # it leaves with that speed
    assert abs(heights[-1]) < 1e-12
    assert np.linalg.norm(v) < 1e-9


def test_the_sources_mode_leaves_the_penetration() -> None:
    q, v = footfall.neutral(ONE), np.zeros(6)
    q[2] = -1e-3
    for _ in range(50):
        q, v = step(ONE, q, v, on_ground(q, friction=0.5), 1e-3, options=ContactOptions(gap_term="source"))
    assert q[2] == pytest.approx(-1e-3, abs=1e-12)


def pendulum(friction: float) -> Robot:
    link = Body("link", 1.0, np.array([0.0, 0.0, -0.5]), 0.02 * np.eye(3))
    hinge = Joint(
        "hinge",
        JointType.REVOLUTE,
        WORLD,
        "link",
        axis=(0.0, 1.0, 0.0),
        lower=(-2.0,),
        upper=(2.0,),
        friction=friction,
    )
    return Robot("pendulum", (link,), (hinge,))


NOTHING = Contacts([], np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros(0), np.zeros(0))


def test_dry_joint_stops_in_its_dead_band() -> None:
    # Ayit 2015, table 5.2: it rests where |m g l sin(q)| <= 0.55, and stays there to the last bit.
    robot = pendulum(0.55)
    q, v = np.array([1.2]), np.zeros(1)
    for _ in range(1500):
        q, v = step(robot, q, v, NOTHING, 4e-3)
    assert abs(v[0]) < 1e-15
    assert abs(G * 0.5 * np.sin(q[0])) <= 0.55
    again, _ = step(robot, q, v, NOTHING, 4e-3)
    assert again[0] == pytest.approx(q[0], abs=1e-15)


def test_joint_limit_holds() -> None:
    robot = pendulum(0.0)
    q, v = np.array([1.5]), np.array([8.0])
    deepest = 0.0
    for _ in range(300):
        q, v = step(robot, q, v, NOTHING, 1e-3)
        deepest = max(deepest, q[0] - 2.0)
    assert deepest < 1e-12


def test_momentum_changes_by_the_impulses() -> None:
    q, v = footfall.neutral(ONE), np.array([0.3, 0.1, -1.0, 0.2, -0.1, 0.4])
    problem: RobotContactProblem = build_contact_problem(
        ONE, q, v, np.zeros(6), on_ground(q, friction=0.3), dt=1e-3
    )
    impulses = solve_gauss_seidel(problem).impulses
    change = footfall.centroidal_momentum(
        ONE, q, problem.velocity_after(impulses)
    ) - footfall.centroidal_momentum(ONE, q, problem.free_velocity)
    np.testing.assert_allclose(change[:3], impulses, atol=1e-12)
