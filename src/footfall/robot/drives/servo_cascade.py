"""The servo's cascade of position, velocity and current control, sampled at its own rate, Seiwald 2023, section 3.6."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from footfall.compiler import absolute, greater_equal, less, maximum, minimum, where
from footfall.errors import RobotError
from footfall.option_checks import require_above_zero
from footfall.robot.drives.electric_motor import ElectricMotor


class ServoState(NamedTuple):
    """What a servo remembers. speed_integral: A. current_integral: V. current: commanded, A. voltage: held, V.

    elapsed: s since the last sample.
    """

    speed_integral: Any
    current_integral: Any
    current: Any
    voltage: Any
    elapsed: Any


class Target(NamedTuple):
    """What the servo shall follow on the motor's side: position in rad, velocity in rad/s.

    current: A, added to what the velocity control wants.
    """

    position: Any
    velocity: Any
    current: Any = 0.0


class Reading(NamedTuple):
    """What the servo sees: position of the motor in rad, velocity in rad/s, current in A."""

    position: Any
    velocity: Any
    current: Any


@dataclass(frozen=True, slots=True)
class ServoCascade:
    """period: s between samples. position_gain: 1/s. velocity_gain: A s/rad. velocity_integral_gain: A/rad.

    current_gain: V/A. current_integral_gain: V/(A s). current_limit: A. voltage_limit: V. feed_forward: share of the
    target's velocity that is added to the commanded one.
    """

    period: float
    position_gain: float
    velocity_gain: float
    velocity_integral_gain: float
    current_gain: float
    current_integral_gain: float
    current_limit: float
    voltage_limit: float
    feed_forward: float = 1.0

    def __post_init__(self) -> None:
        limits = ("period", "current_limit", "voltage_limit")
        require_above_zero(self, *limits, of=" of a servo", error=RobotError)
        for name in (
            "position_gain",
            "velocity_gain",
            "velocity_integral_gain",
            "current_gain",
            "current_integral_gain",
            "feed_forward",
        ):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise RobotError(f"{name} of a servo is {value}; it must be finite and not negative")

    def start(self) -> ServoState:
        """The state of a servo that samples at the next call of `advance`."""
        return ServoState(0.0, 0.0, 0.0, 0.0, self.period)

    def sample(self, state: ServoState, target: Target, reading: Reading) -> ServoState:
        """The state after one sample of all three loops."""
        speed = (
            self.position_gain * (target.position - reading.position) + self.feed_forward * target.velocity
        )
        current, speed_integral = _limited_integral(
            state.speed_integral,
            speed - reading.velocity,
            self.velocity_gain,
            self.velocity_integral_gain * self.period,
            self.current_limit,
            target.current,
        )
        voltage, current_integral = _limited_integral(
            state.current_integral,
            current - reading.current,
            self.current_gain,
            self.current_integral_gain * self.period,
            self.voltage_limit,
        )
        return ServoState(speed_integral, current_integral, current, voltage, 0.0)

    def advance(self, state: ServoState, step: float, target: Target, reading: Reading) -> ServoState:
        """The state for the coming `step` (s) of a simulation: sampled anew if the period is over, else held."""
        due = greater_equal(state.elapsed, self.period * (1.0 - 1e-9))
        sampled = self.sample(state, target, reading)._replace(elapsed=state.elapsed - self.period)
        held = (where(due, new, old) for new, old in zip(sampled, state, strict=True))
        following = ServoState(*held)
        return following._replace(elapsed=following.elapsed + step)


def _limited_integral(
    integral: Any, error: Any, gain: float, step_gain: float, limit: float, added: Any = 0.0
) -> tuple[Any, Any]:
    """Output and integral of a PI control; the integral rests while the output is at its limit."""
    following = integral + step_gain * error
    wanted = gain * error + following + added
    free = less(absolute(wanted), limit)
    return minimum(maximum(wanted, -limit), limit), where(free, following, integral)


def tuned_servo(
    motor: ElectricMotor,
    inertia: float,
    *,
    period: float = 250e-6,
    bandwidth: float = 300.0,
    feed_forward: float = 1.0,
) -> ServoCascade:
    """A cascade for a motor that moves `inertia` (kg m2, on its shaft).

    bandwidth: of the velocity loop, rad/s. The current loop is three times as fast and cancels the winding's pole; the
    position loop is four times slower, critically damped without the integral, which is slower still.
    """
    if not (math.isfinite(inertia) and inertia > 0.0):
        raise RobotError(f"inertia of a servo is {inertia} kg m2; it must be finite and above zero")
    velocity_gain = inertia * bandwidth / motor.torque_constant
    return ServoCascade(
        period=period,
        position_gain=bandwidth / 4.0,
        velocity_gain=velocity_gain,
        velocity_integral_gain=velocity_gain * bandwidth / 10.0,
        current_gain=3.0 * bandwidth * motor.inductance,
        current_integral_gain=3.0 * bandwidth * motor.resistance,
        current_limit=motor.peak_current,
        voltage_limit=motor.voltage,
        feed_forward=feed_forward,
    )


def between_samples(target: Target, tick: int, *, period: float = 250e-6) -> Target:
    """A target of the slower cycle carried on for `tick` periods (s) of the servo's, Seiwald 2023, section 4.7."""
    return target._replace(position=target.position + tick * period * target.velocity)
