"""Errors of sensors: offsets that stay, noise, and an inertial unit that is slow and late.

Sizes are those of LOLA's sensors after taring, as parts of the robot's weight and length, so that they fit other
robots, Seiwald (2023) sections 3.4 and 4.5.3. Random numbers come from a seed and from nothing else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import Vector3
from footfall.math.rotations import matrix_from_rotation_vector
from footfall.walking.gains import ControlGains
from footfall.walking.state import Sensors

_MODULUS, _FACTOR = 2147483647, 48271  # Park and Miller (1988)


class NoiseSizes(NamedTuple):
    """How large errors are: standard deviations of noise, and bounds of offsets. Zero for perfect sensors."""

    foot_force: float  # N
    foot_torque: float  # Nm
    foot_force_offset: float
    foot_torque_offset: float
    hand_force: float
    hand_force_offset: float
    tilt: float  # rad
    tilt_offset: float
    turning: float  # rad/s
    yaw_drift: float  # rad/s
    encoder: float  # rad, quantum of joint angles
    unit_periods: int  # of the controller, between two samples of the inertial unit, which is one sample late


class NoiseState(NamedTuple):
    """seed (1,): of the next random number. offsets (20,): feet (12), hands (6), tilt (2). unit (2, 12): rotation and
    angular velocity of the inertial unit as it tells them now and next. periods (1,): how many have been."""

    seed: Integers
    offsets: Array
    unit: Array
    periods: Integers


def noise_sizes(gains: ControlGains, *, noisy: bool) -> NoiseSizes:
    """Errors of a robot's sensors, or none."""
    if not noisy:
        return NoiseSizes(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1)
    weight, arm = gains.mass * gains.gravity, 0.5 * gains.sole.length
    return NoiseSizes(
        foot_force=0.003 * weight,
        foot_torque=0.003 * weight * arm,
        foot_force_offset=0.015 * weight,
        foot_torque_offset=0.015 * weight * arm,
        hand_force=0.0015 * weight,
        hand_force_offset=0.005 * weight,
        tilt=np.deg2rad(0.03),
        tilt_offset=np.deg2rad(0.2),
        turning=0.004,
        yaw_drift=np.deg2rad(0.2),
        encoder=2.0 * np.pi / 2**17,
        unit_periods=max(1, round(0.005 / gains.period)),  # 200 Hz
    )


def new_noise(sizes: NoiseSizes, seed: int) -> NoiseState:
    """The offsets of a run."""
    rng = np.random.default_rng(seed)
    bounds = np.concatenate(
        [
            np.tile(np.repeat([sizes.foot_force_offset, sizes.foot_torque_offset], 3), 2),
            np.full(6, sizes.hand_force_offset),
            np.full(2, sizes.tilt_offset),
        ]
    )
    first = int(rng.integers(1, _MODULUS - 1))
    unit = np.tile(np.concatenate([np.eye(3).reshape(-1), np.zeros(3)]), (2, 1))
    return NoiseState(
        np.array([first]), bounds * rng.uniform(-1.0, 1.0, len(bounds)), unit, np.zeros(1, dtype=np.int64)
    )


def disturb(sizes: NoiseSizes, noise: NoiseState, period: float, sensors: Sensors) -> None:
    """Give sensors their errors, in place; period: s."""
    for foot in range(2):
        for i in range(3):
            at = 6 * foot + i
            sensors.feet[foot, i] += noise.offsets[at] + sizes.foot_force * _normal(noise)
            sensors.feet[foot, 3 + i] += noise.offsets[at + 3] + sizes.foot_torque * _normal(noise)
            sensors.hands[foot, i] += noise.offsets[12 + 3 * foot + i] + sizes.hand_force * _normal(noise)
    if sizes.encoder > 0.0:
        for k in range(len(sensors.joints)):
            sensors.joints[k] = sizes.encoder * np.floor(sensors.joints[k] / sizes.encoder + 0.5)
    _measure(sizes, noise, period, sensors)


def _measure(sizes: NoiseSizes, noise: NoiseState, period: float, sensors: Sensors) -> None:
    """The inertial unit tells what it saw one sample ago."""
    if noise.periods[0] % sizes.unit_periods == 0:
        noise.unit[0] = noise.unit[1] if sizes.unit_periods > 1 else noise.unit[0]
        error: Vector3 = np.array(
            [
                noise.offsets[18] + sizes.tilt * _normal(noise),
                noise.offsets[19] + sizes.tilt * _normal(noise),
                sizes.yaw_drift * period * noise.periods[0],
            ]
        )
        turn = matrix_from_rotation_vector(error)
        for i in range(3):
            for j in range(3):
                total = 0.0
                for k in range(3):
                    total += turn[i, k] * sensors.orientation[k, j]
                noise.unit[1, 3 * i + j] = total
            noise.unit[1, 9 + i] = sensors.turning[i] + sizes.turning * _normal(noise)
        if sizes.unit_periods == 1 or noise.periods[0] == 0:
            noise.unit[0] = noise.unit[1]
    noise.periods[0] += 1
    sensors.orientation[:] = noise.unit[0, :9].reshape(3, 3)
    sensors.turning[:] = noise.unit[0, 9:]


def _uniform(noise: NoiseState) -> float:
    """In (0, 1)."""
    noise.seed[0] = (noise.seed[0] * _FACTOR) % _MODULUS
    return float(noise.seed[0] / _MODULUS)


def _normal(noise: NoiseState) -> float:
    """Of deviation 1: Box and Muller (1958)."""
    size = np.sqrt(-2.0 * np.log(_uniform(noise)))
    return float(size * np.cos(2.0 * np.pi * _uniform(noise)))
