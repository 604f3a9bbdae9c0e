"""Joints as constraints: limits that hold, dry friction with a dead band, drives with limits; soft ground."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall
from footfall import Scene, SceneObject, free_body
from footfall.contact.validation import check_solution
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.robot.model import WORLD, Body, Joint, JointType, Robot
from footfall.robot.shapes import Geometry, Sphere
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.simulation import Simulation
from footfall.simulation.step_problem import build_step_problem
from footfall.simulation.step_values import StepOptions
from tests.simulation.worlds import GRAVITY, along_slope, ball, block, block_on_slope, ground, simulate

pytestmark = pytest.mark.usefixtures("each_way")

G = GRAVITY


def cart(**changes: object) -> Robot:
    """A cart of 1.3 kg on a rail, its pendulum welded."""
    robot = footfall.lock_joints(footfall.load("cart-pendulum"), ["swing"])
    joints = tuple(replace(joint, **changes) if joint.name == "slide" else joint for joint in robot.joints)
    return replace(robot, joints=joints)


def on_rail(robot: Robot, *, v: float = 0.0, dt: float = 1e-3) -> Simulation:
    return FeetSimulation(robot, candidates=[], options=StepOptions(dt=dt), v=np.array([v]))


def test_a_limit_stops_the_cart() -> None:
    simulation = on_rail(cart(lower=(-0.5,), upper=(0.3,)), v=2.0)
    trajectory = simulation.run(simulation.zero_command, 1.0)
    assert trajectory.q[:, 0].max() <= 0.3 + 1e-9
    assert simulation.state.q[0] == pytest.approx(0.3, abs=1e-9)
    assert abs(simulation.state.v[0]) < 1e-9
    # The impulse of the limit is what the cart had: m v. It arrives in one or two steps.
    before = on_rail(cart(lower=(-0.5,), upper=(0.3,)), v=-1.0)
    total = 0.0
    for _ in range(800):
        before.step()
        total += before.state.impulses[0]
    assert total == pytest.approx(1.3 * 1.0, abs=1e-6)
    assert before.state.q[0] == pytest.approx(-0.5, abs=1e-9)


def test_limits_hold_against_an_effort_and_let_go() -> None:
    simulation = on_rail(cart(lower=(-0.1,), upper=(0.1,)))
    effort = simulation.zero_command._replace(effort=np.array([50.0]))
    trajectory = simulation.run(effort, 0.5)
    assert trajectory.q[:, 0].max() <= 0.1 + 1e-9
    back = simulation.zero_command._replace(effort=np.array([-2.6]))
    simulation.run(back, 0.1)
    # s = a t^2 / 2 with a = F/m = 2 m/s2, semi-implicit: t (t + dt) / 2
    assert simulation.state.q[0] == pytest.approx(0.1 - 2.0 * 0.1 * 0.101 / 2, abs=1e-9)


@pytest.mark.parametrize("effort", [-3.9, -2.0, 0.5, 3.9])
def test_stiction_holds_inside_its_dead_band(effort: float) -> None:
    simulation = on_rail(cart(friction=4.0))
    simulation.run(simulation.zero_command._replace(effort=np.array([effort])), 1.0)
    assert abs(simulation.state.q[0]) < 1e-12


@pytest.mark.parametrize("effort", [4.5, -8.0])
def test_beyond_the_dead_band_it_slides(effort: float) -> None:
    # m a = F - F_c sign(F)
    simulation = on_rail(cart(friction=4.0))
    simulation.run(simulation.zero_command._replace(effort=np.array([effort])), 0.5)
    expected = (effort - 4.0 * np.sign(effort)) / 1.3 * 0.5
    assert simulation.state.v[0] == pytest.approx(expected, rel=1e-9)


def test_dry_friction_stops_in_finite_time() -> None:
    # t = m v0 / F_c, s = m v0^2 / (2 F_c) up to v0 dt / 2
    speed, friction = 1.0, 4.0
    simulation = on_rail(cart(friction=friction), v=speed)
    trajectory = simulation.run(simulation.zero_command, 0.6)
    stop = 1.3 * speed / friction
    assert np.all(np.abs(trajectory.v[trajectory.time > stop + 0.0015]) < 1e-12)
    assert np.all(np.abs(trajectory.v[trajectory.time < stop - 0.0015]) > 1e-4)
    assert simulation.state.q[0] == pytest.approx(1.3 * speed**2 / (2 * friction), abs=speed * 1e-3)


def test_damping_is_implicit() -> None:
    # v(t) = v0 exp(-d t / m); backward Euler: v_n = v0 / (1 + d dt / m)^n, stable for any d
    for damping in (2.0, 1e6):
        simulation = on_rail(cart(damping=damping), v=1.0)
        simulation.run(simulation.zero_command, 0.1)
        assert simulation.state.v[0] == pytest.approx((1 + damping * 1e-3 / 1.3) ** -100, rel=1e-9, abs=1e-30)


@pytest.mark.parametrize("gain", [10.0, 1e4, 1e8])
def test_stiff_drives_are_stable(gain: float) -> None:
    simulation = on_rail(cart())
    command = simulation.pd(np.array([0.1]), kp=gain, kd=2 * np.sqrt(1.3 * gain))
    trajectory = simulation.run(command, 20.0 if gain < 100 else 2.0)
    assert trajectory.q[:, 0].max() < 0.1 + 1e-6  # critically damped: no overshoot
    assert simulation.state.q[0] == pytest.approx(0.1, abs=1e-6)


def test_an_effort_limit_is_kept_and_reported() -> None:
    simulation = on_rail(cart(effort=(2.6,)))
    command = simulation.pd(np.array([10.0]), kp=1e4, kd=10.0)
    trajectory = simulation.run(command, 0.2)
    assert trajectory.effort[:, 0] == pytest.approx(2.6)
    assert simulation.state.v[0] == pytest.approx(2.6 / 1.3 * 0.2)


@pytest.mark.parametrize("stiffness", [1e3, 1e5])
def test_soft_ground_sinks_by_weight_over_stiffness(stiffness: float) -> None:
    # m g = k s for a ball (one point), m g = 4 k s for a block (four corners)
    one = simulate(ground(stiffness=stiffness, damping=30.0), ball((0.0, 0.0, 0.1)))
    one.run(one.zero_command, 3.0)
    assert 0.1 - one.state.q[2] == pytest.approx(G / stiffness, rel=1e-6)
    four = simulate(ground(stiffness=stiffness, damping=30.0), block())
    four.run(four.zero_command, 3.0)
    assert 0.1 - four.state.q[2] == pytest.approx(G / (4 * stiffness), rel=1e-6)


def test_soft_ground_oscillates_at_its_own_frequency() -> None:
    # A light damping: period 2 pi sqrt(m / k). Implicit integration damps further, it does not shift by more than
    # (w dt)^2 of it.
    stiffness, dt = 400.0, 2e-4
    simulation = simulate(ground(stiffness=stiffness, damping=0.1), ball((0.0, 0.0, 0.1)), dt=dt)
    z = simulation.run(simulation.zero_command, 1.2).q[:, 2]
    lows = [k for k in range(1, len(z) - 1) if z[k - 1] > z[k] <= z[k + 1]]
    assert np.diff(lows).mean() * dt == pytest.approx(2 * np.pi / np.sqrt(stiffness), rel=0.01)


def test_soft_ground_keeps_the_exact_cone(each_way: str) -> None:
    """On soft ground the block still slides with g (sin - mu cos) and the step solves its problem."""
    angle, friction = 0.4, 0.3
    simulation = block_on_slope(angle, friction, stiffness=1e4, damping=100.0)
    simulation.run(simulation.zero_command, 0.3)
    first = along_slope(simulation, angle)[1]
    if each_way == "listed":
        problem = build_step_problem(simulation, simulation.state, simulation.zero_command).problem
        simulation.step()
        assert check_solution(problem, simulation.state.impulses).natural_map < 1e-8 * G * 1e-3
    else:
        assert simulation.step().residual.max() < 1e-8 * G * 1e-3
    simulation.run(simulation.zero_command, 0.099)
    gained = along_slope(simulation, angle)[1] - first
    assert gained == pytest.approx(0.1 * G * (np.sin(angle) - friction * np.cos(angle)), rel=1e-3)


def test_a_cart_that_cannot_leave_the_floor_slides_on() -> None:
    """A planar joint cannot move along the normal of a floor that it is in: no impulse helps, so there is none."""
    solid = free_body(Sphere(0.1), 1.0)
    cart = Body("cart", solid.mass, solid.center_of_mass, solid.inertia, (), (Geometry(Sphere(0.1)),))
    robot = Robot("cart", (cart,), (Joint("cart", JointType.PLANAR, WORLD, "cart", axis=(0.0, 0.0, 1.0)),))
    floor = SceneObject("floor", Plane(), Transform(np.eye(3), np.array([0.0, 0.0, -0.05])))
    simulation = Simulation(robot, Scene("hall", (floor,)), v=np.array([1.0, 0.0, 2.0]))
    trajectory = simulation.run(simulation.zero_command, 0.1)
    assert trajectory.v[-1] == pytest.approx([1.0, 0.0, 2.0], abs=1e-12)
    assert not trajectory.forces.any()
