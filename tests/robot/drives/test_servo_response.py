"""A servo's step response against the closed form."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.robot.drives.electric_motor import ElectricMotor
from footfall.robot.drives.servo_cascade import Reading, ServoCascade, Target

INERTIA, BANDWIDTH = 1e-4, 200.0  # kg m2, rad/s
MOTOR = ElectricMotor(0.1, 0.5, 1e-6, 1e6, 1e5, 1e6, INERTIA)


def response(position_gain: float) -> tuple[np.ndarray, np.ndarray]:
    """Times, s, and angles, rad, after a step of 1 rad, with a current loop that is in no one's way."""
    step = 1e-5
    servo = ServoCascade(
        step, position_gain, BANDWIDTH * INERTIA / MOTOR.torque_constant, 0.0, 1e-6 * 5e4, 5e4 * 0.5, 1e6, 1e6
    )  # fmt: skip
    state, angle, speed, current, angles = servo.start(), 0.0, 0.0, 0.0, []
    for _ in range(6000):
        state = servo.advance(state, step, Target(1.0, 0.0), Reading(angle, speed, current))
        mean = MOTOR.mean_current(current, state.voltage, speed, step)
        current = MOTOR.next_current(current, state.voltage, speed, step)
        speed += step * MOTOR.torque_constant * mean / INERTIA
        angle += step * speed
        angles.append(angle)
    return step * np.arange(1, 6001), np.array(angles)


def test_a_step_is_that_of_the_second_order() -> None:
    """J x'' = B J (k (1 - x) - x') with k = B / 4 is critically damped: x = 1 - (1 + a t) exp(-a t), a = B / 2."""
    times, angles = response(BANDWIDTH / 4.0)
    a = BANDWIDTH / 2.0
    expected = 1.0 - (1.0 + a * times) * np.exp(-a * times)
    # The current loop lags by 20 us and samples by 10 us, against 10 ms of the response: 0.3 %.
    assert np.abs(angles - expected).max() < 4e-3
    assert angles.max() < 1.0 + 1e-3


def test_four_times_the_gain_rings_as_it_should() -> None:
    """k = B has a damping ratio of 1/2 at w = B: overshoot exp(-pi d / sqrt(1 - d^2)) = 16.3 %."""
    _, angles = response(BANDWIDTH)
    assert angles.max() - 1.0 == pytest.approx(np.exp(-np.pi * 0.5 / np.sqrt(0.75)), rel=0.02)
