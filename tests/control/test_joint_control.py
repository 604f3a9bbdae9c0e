"""Joint control in simulation: where springs rest, and that inverse dynamics makes every joint a unit mass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import fsolve

import footfall
from footfall.arrays import Array
from footfall.control.gains import Gains, gains_from
from footfall.control.joint_control import InverseDynamicsControl, JointImpedance
from footfall.control.references import JointReference, resting_reference
from footfall.errors import InvalidInput, UnsuitableRobot
from footfall.robot.model import Robot
from footfall.simulation.simulation import Simulation
from tests.control.stances import planar_arm

TARGET = np.array([0.4, 0.6, -0.5])


def heavier(robot: Robot, factor: float) -> Robot:
    """The robot with other masses."""
    bodies = tuple(replace(b, mass=factor * b.mass, inertia=factor * b.inertia) for b in robot.bodies)
    return replace(robot, bodies=bodies)


def rest(controller: JointImpedance | InverseDynamicsControl, *, seconds: float = 7.0) -> Array:
    """Where the planar arm ends up."""
    robot, q, _ = planar_arm("b")
    simulation = Simulation(robot, q=q, dt=2e-3)
    simulation.run(controller, seconds)
    assert np.abs(simulation.state.v).max() < 1e-5
    return simulation.state.q


def test_springs_rest_where_they_carry_the_weight() -> None:
    """RSL 2022, (3.74), against a root finder."""
    robot, *_ = planar_arm()
    controller = JointImpedance(robot, resting_reference(robot, TARGET), Gains(200.0, 60.0), False)
    expected = fsolve(lambda q: 200.0 * (TARGET - q) - footfall.gravity_forces(robot, q), TARGET, xtol=1e-13)
    assert np.abs(expected - TARGET).max() > 0.05
    assert np.abs(rest(controller) - expected).max() < 1e-6


def test_gravity_compensation_leaves_no_offset() -> None:
    robot, *_ = planar_arm()
    controller = JointImpedance(robot, resting_reference(robot, TARGET), Gains(200.0, 60.0))
    assert np.abs(rest(controller) - TARGET).max() < 1e-6


def test_command_and_law_are_the_same() -> None:
    robot, q, v = planar_arm()
    controller = JointImpedance(robot, resting_reference(robot, TARGET), Gains(50.0, 3.0))
    command = controller(0.0, q, v)
    applied = command.effort + command.kp * (command.position - q) + command.kd * (command.velocity - v)
    assert np.abs(applied - controller.torque(0.0, q, v)).max() < 1e-12


def test_inverse_dynamics_makes_every_joint_a_unit_mass() -> None:
    """RSL 2022, (3.78): the acceleration is the one asked for, to rounding, in any state."""
    robot = footfall.load("arm-7r")
    random = np.random.default_rng(2)
    reference = resting_reference(robot, 0.3 * random.normal(size=robot.nq))
    controller = InverseDynamicsControl(robot, reference, gains_from(2.0, damping_ratio=0.7))
    worst = 0.0
    for _ in range(100):
        q, v = random.normal(size=robot.nq), random.normal(size=robot.nv)
        a = footfall.forward_dynamics(robot, q, v, controller.torque(0.0, q, v))
        asked = controller.acceleration(0.0, q, v)
        worst = max(worst, float(np.abs(a - asked).max() / np.abs(asked).max()))
    assert worst < 1e-9


def test_step_response_is_of_second_order() -> None:
    """Critical damping: e(t) = e0 (1 + w t) exp(-w t) in every joint."""
    robot, q, _ = planar_arm("b")
    gains = gains_from(1.0)
    controller = InverseDynamicsControl(robot, resting_reference(robot, TARGET), gains)
    errors = []
    for dt in (2e-3, 1e-3):
        simulation = Simulation(robot, q=q, dt=dt)
        run = simulation.run(controller, 0.5)
        omega = np.sqrt(gains.stiffness)
        expected = TARGET + (q - TARGET) * ((1 + omega * run.time) * np.exp(-omega * run.time))[:, None]
        errors.append(np.abs(run.q - expected).max())
    assert errors[1] < 2e-3
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.15)  # the integrator is of first order


def test_follows_a_moving_reference() -> None:
    """With feed-forward there is no lag beyond that of the integrator."""
    robot, *_ = planar_arm()

    def circle(time: float) -> JointReference:
        c, s, every = np.cos(time), np.sin(time), np.ones(3)
        return JointReference(0.5 * s * every, 0.5 * c * every, -0.5 * s * every)

    simulation = Simulation(robot, q=np.zeros(3), v=0.5 * np.ones(3), dt=1e-3)
    run = simulation.run(InverseDynamicsControl(robot, circle, gains_from(3.0)), 1.0)
    assert np.abs(run.q - 0.5 * np.sin(run.time)[:, None]).max() < 1e-3


def test_a_wrong_model_leaves_an_offset() -> None:
    """Masses 10 % too high in the model: stiffness M (q* - q) = -0.1 g of the model at rest."""
    robot, *_ = planar_arm()
    model = heavier(robot, 1.1)
    controller = InverseDynamicsControl(model, resting_reference(robot, TARGET), gains_from(2.0))
    q = rest(controller)
    assert np.abs(q - TARGET).max() > 1e-3
    held = controller.torque(0.0, q, np.zeros(3))
    assert np.abs(held - footfall.gravity_forces(robot, q)).max() < 1e-3


def test_robots_without_drives_are_refused() -> None:
    robot = footfall.load("point-foot-quadruped")
    with pytest.raises(UnsuitableRobot, match="'point-foot-quadruped' has none on: root"):
        InverseDynamicsControl(robot, resting_reference(robot, robot.configuration("stand")), gains_from(1.0))


def test_bad_targets_are_refused() -> None:
    robot, *_ = planar_arm()
    with pytest.raises(InvalidInput, match=r"q has shape \(2,\); it must be \(3,\)"):
        resting_reference(robot, np.zeros(2))
    with pytest.raises(InvalidInput, match="must be finite"):
        resting_reference(robot, np.full(3, np.nan))
