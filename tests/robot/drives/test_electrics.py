"""Motor, friction, servo and elasticity against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.compiler import build_kernel
from footfall.errors import RobotError, UnknownName
from footfall.robot.drives.elasticity import TORSO_FREQUENCIES, Elasticity, elasticity_of_mode
from footfall.robot.drives.electric_motor import ElectricMotor
from footfall.robot.drives.friction import Friction, friction_of_efficiency
from footfall.robot.drives.model_types import model_type, model_types
from footfall.robot.drives.servo_cascade import (
    Reading,
    ServoCascade,
    ServoState,
    Target,
    between_samples,
    tuned_servo,
)

MOTOR = ElectricMotor(0.1, 0.6, 6e-4, 80.0, 4.9, 14.7, 2e-5)


@given(speed=st.floats(-1200.0, 1200.0), wanted=st.floats(-5.0, 5.0))
def test_limited_torque_respects_current_and_voltage(speed: float, wanted: float) -> None:
    torque = float(MOTOR.limited_torque(wanted, speed))
    current = torque / MOTOR.torque_constant
    if abs(speed) <= MOTOR.no_load_speed:
        assert abs(current) <= MOTOR.peak_current * (1 + 1e-12)
    assert abs(MOTOR.supply(current, speed)) <= MOTOR.voltage * (1 + 1e-12)
    low, high = MOTOR.torque_limits(speed)
    assert low <= high
    assert torque == wanted or torque in (low, high)


def test_torque_speed_line_ends_at_the_no_load_speed() -> None:
    assert MOTOR.torque_limits(MOTOR.no_load_speed)[1] == pytest.approx(0.0, abs=1e-12)
    assert MOTOR.torque_limits(0.0)[1] == pytest.approx(MOTOR.peak_torque)


def test_current_is_exact_and_energy_balances() -> None:
    """Many short steps and one long one agree; power in = heat + shaft + change of field energy."""
    current, energy, heat, shaft, steps, span, speed = 0.0, 0.0, 0.0, 0.0, 4000, 2e-3, 100.0
    for _ in range(steps):
        following = MOTOR.next_current(current, 20.0, speed, span / steps)
        middle = 0.5 * (current + following)
        energy += 20.0 * middle * span / steps
        heat += MOTOR.copper_loss(middle) * span / steps
        shaft += MOTOR.torque_constant * middle * speed * span / steps
        current = following
    assert current == pytest.approx(MOTOR.next_current(0.0, 20.0, speed, span), rel=1e-11)
    assert energy == pytest.approx(heat + shaft + 0.5 * MOTOR.inductance * current**2, rel=1e-6)


def test_thermal_load() -> None:
    assert MOTOR.thermal_load(np.array([4.9, -4.9])) == pytest.approx(1.0)
    assert MOTOR.thermal_load(np.array([14.7, 0.0, 0.0, 0.0])) == pytest.approx(1.5)


def test_efficiency_is_what_the_friction_leaves() -> None:
    friction = friction_of_efficiency(0.8)
    speed, load = 50.0, 2.0
    motor = load + friction.torque(speed, load)  # the motor lifts
    assert load * speed / (motor * speed) == pytest.approx(0.8, rel=1e-6)
    assert friction.forward_efficiency == pytest.approx(0.8)
    back = load - friction.torque(speed, load)  # the load drives
    assert back / load == pytest.approx(friction.backward_efficiency, rel=1e-6)
    assert friction.back_drivable
    assert not friction_of_efficiency(0.5).back_drivable


@given(speed=st.floats(-500.0, 500.0), load=st.floats(-50.0, 50.0))
def test_friction_never_gives_power(speed: float, load: float) -> None:
    assert Friction(1e-4, 0.02, 0.2).torque(speed, load) * speed >= 0.0


def test_velocity_loop_is_a_second_order_system() -> None:
    """Without integral and with an ideal current, J w' = k K_v (K_p (target - p) - w): known in closed form."""
    inertia, servo = 1e-4, ServoCascade(1e-4, 40.0, 0.3, 0.0, 0.0, 0.0, 1e3, 80.0)
    a, b = 0.1 * 0.3 / inertia, 0.1 * 0.3 * 40.0 / inertia
    roots = np.roots([1.0, a, b])
    span, steps = 0.05, 500

    def simulate(period: float, count: int) -> float:
        sampled = ServoCascade(period, 40.0, 0.3, 0.0, 0.0, 0.0, 1e3, 80.0)
        state, position, speed = sampled.start(), 0.0, 0.0
        for _ in range(count):
            state = sampled.advance(state, period, Target(1.0, 0.0), Reading(position, speed, 0.0))
            acceleration = 0.1 * state.current / inertia
            position += period * speed + 0.5 * period**2 * acceleration
            speed += period * acceleration
        return position

    exact = np.real(
        1.0
        + (roots[1] * np.exp(roots[0] * span) - roots[0] * np.exp(roots[1] * span)) / (roots[0] - roots[1])
    )
    coarse, fine = simulate(servo.period, steps), simulate(servo.period / 4, steps * 4)
    assert abs(fine - exact) < abs(coarse - exact) / 3.0  # first order in the period
    assert fine == pytest.approx(exact, abs=1e-3)


def follow(servo: ServoCascade, load: float, step: float = 50e-6) -> tuple[float, float, int]:
    """Position after 0.6 s of a step by 2 rad, greatest current, and how often the voltage changed."""
    inertia, state, current, position, speed = 1e-4, servo.start(), 0.0, 0.0, 0.0
    greatest, changes = 0.0, 0
    for _ in range(round(0.6 / step)):
        following = servo.advance(state, step, Target(2.0, 0.0), Reading(position, speed, current))
        changes += following.voltage != state.voltage
        state = following
        current = MOTOR.next_current(current, state.voltage, speed, step)
        speed += step * (MOTOR.torque_constant * current - load) / inertia
        position += step * speed
        greatest = max(greatest, abs(current))
    return position, greatest, changes


def test_cascade_settles_under_load_at_its_own_rate() -> None:
    position, greatest, changes = follow(tuned_servo(MOTOR, 1e-4), load=0.2)
    assert position == pytest.approx(2.0, abs=2e-3)  # the integral carries the load
    assert greatest <= MOTOR.peak_current * 1.1
    assert changes <= 0.6 / 250e-6 + 1
    slow = tuned_servo(MOTOR, 1e-4, period=1e-3, bandwidth=100.0)
    assert follow(slow, load=0.0)[2] <= 601


def test_servo_is_traceable() -> None:
    servo = tuned_servo(MOTOR, 1e-4)

    def step(state, target, reading):
        return {
            "after": np.array(servo.advance(ServoState(*state), 1e-4, Target(*target), Reading(*reading)))
        }

    kernel = build_kernel(step, {"state": 5, "target": 2, "reading": 3})
    for elapsed in (0.0, servo.period):
        state = np.array([0.1, 0.2, 0.3, 0.4, elapsed])
        target, reading = np.array([1.0, 0.5]), np.array([0.9, 0.2, 0.3])
        np.testing.assert_allclose(
            kernel(state, target, reading), step(state, target, reading)["after"], rtol=1e-12
        )


def test_targets_are_carried_on() -> None:
    assert between_samples(Target(1.0, 2.0), 3).position == pytest.approx(1.0015)


def test_frequencies_are_the_eigenvalues() -> None:
    gear, joint, rotor = Elasticity(2e4), 1.3, 0.4
    stiffness = gear.stiffness * np.array([[1.0, -1.0], [-1.0, 1.0]])
    squares = np.linalg.eigvals(np.diag([1 / joint, 1 / rotor]) @ stiffness)
    assert gear.free_frequency(joint, rotor) == pytest.approx(np.sqrt(max(squares)) / (2 * np.pi))
    for frequency in TORSO_FREQUENCIES.values():
        mode = elasticity_of_mode(frequency, 5.0, damping_ratio=0.1)
        assert mode.locked_frequency(5.0) == pytest.approx(frequency)
        roots = np.roots([5.0, mode.damping, mode.stiffness])
        assert -roots[0].real / abs(roots[0]) == pytest.approx(0.1)
    assert TORSO_FREQUENCIES["lola"] / TORSO_FREQUENCIES["lola-2012"] == pytest.approx(1.2, abs=0.01)


def test_model_types_are_consistent() -> None:
    """Spec Schwienbacher 2014, table 2.3: equations = 2 mechanical + contact + electrical."""
    assert [each.equations for each in model_types()] == [60, 132, 164, 948, 980]
    motors_of_type_3 = 2 + 6 + 2 * 3 + 2 * 1  # waist, arms, hips, toes
    for rigid, elastic in ((2, 3), (4, 5)):
        assert model_type(elastic).mechanical - model_type(rigid).mechanical == motors_of_type_3
        assert model_type(elastic).gear_elasticity
        assert not model_type(rigid).gear_elasticity
    with pytest.raises(UnknownName, match="there are: 1, 2, 3, 4, 5"):
        model_type(6)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: ElectricMotor(0.1, 0.0, 1e-3, 80.0, 1.0, 2.0, 1e-5), "resistance"),
        (lambda: ElectricMotor(0.1, 1.0, 1e-3, 80.0, 3.0, 2.0, 1e-5), "permanent_current"),
        (lambda: Friction(coulomb=-1.0), "coulomb"),
        (lambda: Friction(smoothing=0.0), "smoothing"),
        (lambda: friction_of_efficiency(1.2), "efficiency"),
        (lambda: ServoCascade(0.0, 1, 1, 1, 1, 1, 1, 1), "period"),
        (lambda: ServoCascade(1.0, -1, 1, 1, 1, 1, 1, 1), "position_gain"),
        (lambda: tuned_servo(MOTOR, 0.0), "inertia"),
        (lambda: Elasticity(0.0), "stiffness"),
        (lambda: Elasticity(1.0, -1.0), "damping"),
        (lambda: elasticity_of_mode(0.0, 1.0), "frequency"),
    ],
)
def test_impossible_values(make, message: str) -> None:
    with pytest.raises(RobotError, match=message):
        make()
