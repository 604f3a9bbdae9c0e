"""Models that do not walk: a mass on a spring runs, a double pendulum stands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from footfall.errors import InvalidInput
from footfall.motion.reduced.double_pendulum import (
    DoublePendulum,
    double_pendulum,
    largest_impulse,
    linear_model,
    standing_gains,
    stands_after,
)
from footfall.motion.reduced.spring_leg import SpringLeg, running_angle, running_step, spring_leg
from tests.motion.lola import MODEL

LEG = spring_leg(MODEL)


@pytest.mark.parametrize("speed", [1.5, 3.0, 5.0])
def test_a_spring_leg_runs_the_same_step_again_and_again(speed: float) -> None:
    """A symmetric gait: apex after apex, the stance seen in a mirror; energy is constant (Runge and Kutta, 0.1 ms:
    errors of (w h)^4, with w = sqrt(k / m) = 15/s below 1e-11)."""
    height = LEG.length
    angle = running_angle(LEG, height, speed)
    step = running_step(LEG, height, speed, angle)
    assert step is not None
    assert_allclose(step.apex, (height, speed), atol=1e-8)
    offset = step.center[0] - [step.foot, 0.0]
    energy = LEG.energy(offset, step.center[1])
    air = ~step.grounded
    flight = LEG.mass * (
        0.5 * np.square(step.center[1, air]).sum(axis=1) + LEG.gravity * step.center[0, air, 1]
    )
    assert_allclose(energy[step.grounded], flight[0], rtol=1e-9)
    assert_allclose(flight, flight[0], rtol=1e-9)
    # In a mirror: touch-down and lift-off are as high, and as fast down as up.
    ground = step.center[:, step.grounded]
    lowest = int(ground[0, :, 1].argmin())
    assert_allclose(ground[0, lowest, 0], step.foot, atol=speed * 1e-4)
    # In a whole step the ground gives back the weight: impulses m g T upwards, none ahead.
    change = step.center[1, -1] - step.center[1, 0]
    assert_allclose(change, 0.0, atol=1e-8)


def test_a_spring_leg_that_hops_is_a_harmonic_oscillator() -> None:
    """Straight down: z'' = -k / m (z - l0 + m g / k) from -v. It leaves the ground after `(2 pi - 2 phi) / w`, with tan
    phi = w v / g."""
    rate = np.sqrt(LEG.stiffness / LEG.mass)
    height = LEG.length + 0.05
    speed = np.sqrt(2.0 * LEG.gravity * 0.05)
    step = running_step(LEG, height, 1e-12, 0.0)
    assert step is not None
    falling = speed / LEG.gravity
    expected = 2.0 * (np.pi - np.arctan2(rate * speed, LEG.gravity)) / rate
    assert_allclose(step.times[-1] - 2.0 * falling, expected, rtol=1e-6)
    deepest = np.sqrt((LEG.gravity / rate**2) ** 2 + (speed / rate) ** 2) + LEG.gravity / rate**2
    assert_allclose(LEG.length - step.center[0, :, 1].min(), deepest, rtol=1e-5)


def test_legs_that_cannot_run_are_told() -> None:
    with pytest.raises(InvalidInput, match="too soft or too stiff"):
        running_angle(replace(LEG, stiffness=500.0), 0.95, 3.0)
    with pytest.raises(InvalidInput, match="mass of the leg on a spring is -1"):
        SpringLeg(-1.0, 1.0, 1.0)
    assert running_step(LEG, 0.5, 1.0, 0.0) is None  # it begins below the ground


PENDULUM = double_pendulum(MODEL)


def test_a_double_pendulum_keeps_its_energy() -> None:
    """Without torques, by SciPy's integrator of order 8."""
    start = np.array([0.1, -0.2, 0.3, 0.5])

    def rate(_: float, state: np.ndarray) -> np.ndarray:
        return np.concatenate([state[2:], PENDULUM.acceleration(state[:2], state[2:], 0.0, 0.0)])

    found = solve_ivp(rate, (0.0, 1.0), start, method="DOP853", rtol=1e-11, atol=1e-12).y
    energies = [PENDULUM.energy(state[:2], state[2:]) for state in found.T]
    assert_allclose(energies, energies[0], rtol=1e-9)
    # The centre of mass is where that of the robot is.
    whole = (PENDULUM.energy(np.zeros(2), np.zeros(2))) / (PENDULUM.mass * PENDULUM.gravity)
    assert_allclose(whole, MODEL.com_height, rtol=1e-9)


def test_its_linear_model_is_its_derivative() -> None:
    a, b = linear_model(PENDULUM)
    step = 1e-6
    for k in range(4):
        state = np.zeros(4)
        state[k] = step
        found = np.concatenate([state[2:], PENDULUM.acceleration(state[:2], state[2:], 0.0, 0.0)]) / step
        assert_allclose(found, a[:, k], atol=1e-6 * np.abs(a).max())
    for k, (ankle, hip) in enumerate(((1.0, 0.0), (0.0, 1.0))):
        found = PENDULUM.acceleration(np.zeros(2), np.zeros(2), ankle, hip)
        assert_allclose(found, b[2:, k], rtol=1e-12)


def test_ankle_and_hip_bear_more_than_the_ankle_alone() -> None:
    """The ankle alone: a pendulum of inertia I about the ankle comes to rest at the toe, `J = d sqrt(m g I / h) m / m`:
    with I = m h^2 that is m w d. Here I is larger by what links have themselves."""
    inertia = PENDULUM.inertia(np.zeros(2)).sum()
    height = PENDULUM.energy(np.zeros(2), np.zeros(2)) / (PENDULUM.mass * PENDULUM.gravity)
    rate = np.sqrt(PENDULUM.mass * PENDULUM.gravity * height / inertia)
    # Rates J h / I; angle d / h is where the toe's torque holds: J h / I = rate d / h.
    expected = rate * PENDULUM.toe / height * inertia / height
    alone = largest_impulse(PENDULUM, hip=False)
    assert_allclose(alone, expected, rtol=0.02)  # sines, and a millisecond
    assert largest_impulse(PENDULUM) > 1.03 * alone
    assert not stands_after(PENDULUM, 2.0 * alone, standing_gains(PENDULUM))


def test_pendulums_without_mass_are_told() -> None:
    with pytest.raises(InvalidInput, match="trunk_mass of the double pendulum is 0"):
        DoublePendulum(1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
