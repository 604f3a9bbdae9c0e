"""Errors of sensors: ranges, gains, and the isolator of the inertial unit."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.compiler.routines import routine
from footfall.walking.gains import control_gains
from footfall.walking.noise import (
    NoiseSizes,
    NoiseState,
    SensorDelay,
    disturb,
    hold_back,
    isolator,
    new_delay,
    new_noise,
    noise_sizes,
)
from footfall.walking.state import Sensors, new_sensors
from footfall.walking.walker import WalkingCode

PERIOD = 1e-3


@routine
def measure(sizes: NoiseSizes, noise: NoiseState, period: float, sensors: Sensors) -> None:
    disturb(sizes, noise, period, sensors)


@routine
def delayed(delay: SensorDelay, sensors: Sensors) -> None:
    hold_back(delay, sensors)


@pytest.mark.parametrize("late", [0, 1, 7])
def test_a_delay_tells_what_was_true_that_long_ago(late: int) -> None:
    sensors = new_sensors(3)
    delay = new_delay(sensors, late)
    for period in range(30):
        for number, each in enumerate(sensors):
            each[...] = 100.0 * number + period + np.arange(each.size).reshape(each.shape)
        delayed(delay, sensors)
        for number, each in enumerate(sensors):
            then = 100.0 * number + max(period - late, 0)
            np.testing.assert_array_equal(each, then + np.arange(each.size).reshape(each.shape))


def sizes_of(code: WalkingCode) -> NoiseSizes:
    return noise_sizes(control_gains(code.body.model), noisy=True)


@pytest.mark.parametrize("frequency", [5.0, 47.7, 120.0])
def test_the_isolator_is_a_low_pass_of_second_order(code: WalkingCode, frequency: float) -> None:
    """|H| = 1 / sqrt(1 + (f / f0)^4) for a damping ratio of 1 / sqrt(2): -3 dB at 47.7 Hz."""
    quiet = noise_sizes(control_gains(code.body.model), noisy=False)
    sizes = quiet._replace(isolator=isolator(47.7, PERIOD))
    noise, sensors = new_noise(sizes, 0), new_sensors(1)
    times = PERIOD * np.arange(2000)
    swing = 0.01 * np.sin(2.0 * np.pi * frequency * times)
    rates = 0.02 * np.pi * frequency * np.cos(2.0 * np.pi * frequency * times)
    angles, turning = [], []
    for angle, rate in zip(swing, rates, strict=True):
        c, s = np.cos(angle), np.sin(angle)
        sensors.orientation[:] = [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]
        sensors.turning[:] = [rate, 0.0, 0.0]
        measure(sizes, noise, PERIOD, sensors)
        angles.append(np.arctan2(sensors.orientation[2, 1], sensors.orientation[1, 1]))
        turning.append(sensors.turning[0])
    half = slice(1000, None)  # what it began with has gone
    # Inputs between two samples are taken to change evenly, which takes sinc(f T)^2 of them: 0.7 % at 47.7 Hz.
    expected = np.sinc(frequency * PERIOD) ** 2 / np.sqrt(1.0 + (frequency / 47.7) ** 4)
    assert np.std(turning[half]) / np.std(rates[half]) == pytest.approx(expected, rel=0.01)
    # The angle is the body's less the lag, so that 1 - sinc(f T)^2 of all of it is missing: 0.046 at 120 Hz.
    assert np.std(angles[half]) / np.std(swing[half]) == pytest.approx(expected, abs=0.05)


def test_forces_are_within_range_and_two_percent(code: WalkingCode) -> None:
    sizes = sizes_of(code)
    quiet = sizes._replace(
        foot_force=0.0, foot_torque=0.0, foot_force_offset=0.0, foot_torque_offset=0.0,
        hand_force=0.0, hand_force_offset=0.0,
    )  # fmt: skip
    for seed in range(5):
        noise, sensors = new_noise(quiet, seed), new_sensors(1)
        sensors.feet[:], sensors.hands[:] = 100.0, 50.0
        measure(quiet, noise, PERIOD, sensors)
        errors = np.concatenate([(sensors.feet / 100.0 - 1.0).ravel(), (sensors.hands / 50.0 - 1.0).ravel()])
        assert np.abs(errors).max() <= 0.02
        assert np.abs(errors).max() > 0.005  # there are some
        sensors.feet[:], sensors.hands[:] = 1e5, -1e5
        measure(quiet, noise, PERIOD, sensors)
        assert np.all(sensors.feet[:, :3] == quiet.foot_range)
        assert np.all(sensors.feet[:, 3:] == quiet.foot_torque_range)
        assert np.all(sensors.hands == -quiet.hand_range)
