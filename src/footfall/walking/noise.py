"""Errors of sensors: ranges, gains and offsets that stay, noise, and an inertial unit that is soft, slow and late.

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


class Isolator(NamedTuple):
    """Wire ropes that carry the inertial unit: a low-pass of second order, -3 dB at 47.7 Hz, Seiwald (2023) section
    3.4.3. rate: rad/s; 0 without. The others: how a deviation e from its steady course, and its slope e', go on in a
    period: `e = stay e + slide e'`, `e' = fall e + slope e'`, exactly."""

    rate: float
    stay: float
    slide: float
    fall: float
    slope: float


class NoiseSizes(NamedTuple):
    """How large errors are: standard deviations of noise, bounds of offsets and gains, ranges. Zero for perfect
    sensors. Ranges are those of forces along x, y and z and of torques."""

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
    gain: float  # bound of errors in proportion to a force or torque
    foot_range: float  # N
    foot_torque_range: float  # Nm
    hand_range: Vector3  # N
    isolator: Isolator


class SensorDelay(NamedTuple):
    """Readings that are under way (periods, n): all numbers of all sensors, a row a period; none without a delay.
    done (1,): how many periods have been."""

    rows: Array
    done: Integers


def new_delay(sensors: Sensors, periods: int) -> SensorDelay:
    """Of so many periods of the controller."""
    size = sum(each.size for each in sensors)
    return SensorDelay(np.zeros((periods, size)), np.zeros(1, dtype=np.int64))


def hold_back(delay: SensorDelay, sensors: Sensors) -> None:
    """Let sensors say what they would have said some periods ago; at first what they said first."""
    late = len(delay.rows)
    if late == 0:
        return
    first = delay.done[0] == 0
    for place in range(late if first else 1):
        row = delay.rows[place if first else delay.done[0] % late]
        at = _exchange(row, 0, sensors.feet.reshape(12), first)
        at = _exchange(row, at, sensors.hands.reshape(6), first)
        at = _exchange(row, at, sensors.orientation.reshape(9), first)
        at = _exchange(row, at, sensors.turning, first)
        at = _exchange(row, at, sensors.joints, first)
        at = _exchange(row, at, sensors.joint_rates, first)
        _exchange(row, at, sensors.pads.reshape(8), first)
    delay.done[0] += 1


def _exchange(row: Array, at: int, readings: Array, keep: bool) -> int:
    """Put readings into a row from a place on, and let them be what stood there unless they are to be kept."""
    for k in range(len(readings)):
        before = row[at + k]
        row[at + k] = readings[k]
        readings[k] = readings[k] if keep else before
    return at + len(readings)


class NoiseState(NamedTuple):
    """seed (1,): of the next random number. offsets (20,): feet (12), hands (6), tilt (2). factors (18,): of feet and
    hands. soft (3, 3): angular velocity of the inertial unit on its isolator, its slope, and angular velocity of what
    carries it, rad/s and rad/s2. unit (2, 12): rotation and angular velocity of the unit as it tells them now and next.
    periods (1,): how many have been."""

    seed: Integers
    offsets: Array
    factors: Array
    soft: Array
    unit: Array
    periods: Integers


def noise_sizes(gains: ControlGains, *, noisy: bool) -> NoiseSizes:
    """Errors of a robot's sensors, or none."""
    if not noisy:
        free = np.full(3, np.inf)
        still = Isolator(0.0, 0.0, 0.0, 0.0, 0.0)
        return NoiseSizes(*(0.0,) * 11, 1, 0.0, np.inf, np.inf, free, still)
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
        gain=0.02,
        foot_range=3.0 * weight,
        foot_torque_range=3.0 * weight * arm,
        hand_range=weight * np.array([0.75, 0.75, 1.35]),  # 500 and 900 N of LOLA's weight
        isolator=isolator(47.7, gains.period),
    )


def isolator(frequency: float, period: float) -> Isolator:
    """One with -3 dB at a frequency, Hz, in steps of a period, s."""
    rate = 2.0 * np.pi * frequency
    decay = rate / np.sqrt(2.0)  # damped so that it swings with the same rate as it decays
    c, s = np.exp(-decay * period) * np.array([np.cos(decay * period), np.sin(decay * period)])
    return Isolator(rate, c + s, s / decay, -rate * rate * s / decay, c - s)


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
    offsets = bounds * rng.uniform(-1.0, 1.0, len(bounds))
    factors = 1.0 + sizes.gain * rng.uniform(-1.0, 1.0, 18)
    return NoiseState(
        np.array([first]), offsets, factors, np.zeros((3, 3)), unit, np.zeros(1, dtype=np.int64)
    )


def disturb(sizes: NoiseSizes, noise: NoiseState, period: float, sensors: Sensors) -> None:
    """Give sensors their errors, in place; period: s."""
    for foot in range(2):
        for i in (0, 1, 2):
            at = 6 * foot + i
            force = noise.factors[at] * sensors.feet[foot, i] + noise.offsets[at]
            torque = noise.factors[at + 3] * sensors.feet[foot, 3 + i] + noise.offsets[at + 3]
            sensors.feet[foot, i] = _within(force + sizes.foot_force * _normal(noise), sizes.foot_range)
            torque += sizes.foot_torque * _normal(noise)
            sensors.feet[foot, 3 + i] = _within(torque, sizes.foot_torque_range)
            at = 12 + 3 * foot + i
            force = noise.factors[at] * sensors.hands[foot, i] + noise.offsets[at]
            sensors.hands[foot, i] = _within(force + sizes.hand_force * _normal(noise), sizes.hand_range[i])
    if sizes.encoder > 0.0:
        for k in range(len(sensors.joints)):
            sensors.joints[k] = sizes.encoder * np.floor(sensors.joints[k] / sizes.encoder + 0.5)
    _measure(sizes, noise, period, sensors)


def _measure(sizes: NoiseSizes, noise: NoiseState, period: float, sensors: Sensors) -> None:
    """The inertial unit tells what it saw one sample ago, as it hangs on its isolator."""
    if sizes.isolator.rate > 0.0:
        _isolate(sizes.isolator, noise, period, sensors)
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


def _isolate(isolator: Isolator, noise: NoiseState, period: float, sensors: Sensors) -> None:
    """Let the unit follow the upper body softly: `y'' = w^2 (u - y) - 2 d w y'` with `d = 1 / sqrt(2)`, for an input u
    that changes evenly in the period, s. Its angle is behind by `(y' + 2 d w y) / w^2`, so that nothing adds up."""
    w, lag = isolator.rate, np.zeros(3)
    for i in range(3):
        u = sensors.turning[i]
        change = (u - noise.soft[2, i]) / period
        behind = np.sqrt(2.0) / w * change  # of the steady course
        e, rate = noise.soft[0, i] - (noise.soft[2, i] - behind), noise.soft[1, i] - change
        noise.soft[0, i] = u - behind + isolator.stay * e + isolator.slide * rate
        noise.soft[1, i] = change + isolator.fall * e + isolator.slope * rate
        noise.soft[2, i] = u
        lag[i] = -(noise.soft[1, i] + np.sqrt(2.0) * w * noise.soft[0, i]) / (w * w)
        sensors.turning[i] = noise.soft[0, i]
    turn = matrix_from_rotation_vector(np.array([lag[0], lag[1], lag[2]]))
    for i in range(3):
        a, b, c = sensors.orientation[i, 0], sensors.orientation[i, 1], sensors.orientation[i, 2]
        for j in (0, 1, 2):
            sensors.orientation[i, j] = a * turn[0, j] + b * turn[1, j] + c * turn[2, j]


def _within(value: float, limit: float) -> float:
    return min(max(value, -limit), limit)


def uniform(seed: Integers) -> float:
    """In (0, 1); seed (1,) becomes the next one."""
    seed[0] = (seed[0] * _FACTOR) % _MODULUS
    return float(seed[0] / _MODULUS)


def _normal(noise: NoiseState) -> float:
    """Of deviation 1: Box and Muller (1958)."""
    size = np.sqrt(-2.0 * np.log(uniform(noise.seed)))
    return float(size * np.cos(2.0 * np.pi * uniform(noise.seed)))
