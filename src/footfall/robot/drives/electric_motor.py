"""A brushless motor as a direct-current machine: voltage, current, torque and their limits."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import exp, maximum, minimum
from footfall.errors import RobotError
from footfall.option_checks import require_above_zero


@dataclass(frozen=True, slots=True)
class ElectricMotor:
    """torque_constant: N m/A, and V s/rad. resistance: Ohm. inductance: H. voltage: greatest, V.

    permanent_current: greatest root mean square, A. peak_current: greatest for a short time, A. rotor_inertia: kg m2.
    """

    torque_constant: float
    resistance: float
    inductance: float
    voltage: float
    permanent_current: float
    peak_current: float
    rotor_inertia: float

    def __post_init__(self) -> None:
        require_above_zero(self, *(each.name for each in fields(self)), of=" of a motor", error=RobotError)
        if self.permanent_current > self.peak_current:
            raise RobotError(
                f"permanent_current of a motor is {self.permanent_current} A; "
                f"it must be at most peak_current, {self.peak_current} A"
            )

    @property
    def permanent_torque(self) -> float:
        """N m that the motor can hold for ever."""
        return self.torque_constant * self.permanent_current

    @property
    def peak_torque(self) -> float:
        """N m that the motor can give for a short time at low speed."""
        return self.torque_constant * self.peak_current

    @property
    def no_load_speed(self) -> float:
        """rad/s at which the back voltage eats up all of the supply."""
        return self.voltage / self.torque_constant

    @property
    def time_constant(self) -> float:
        """Of the winding, s."""
        return self.inductance / self.resistance

    def torque_limits(self, speed: Any) -> tuple[Any, Any]:
        """Least and greatest torque, N m, at a speed in rad/s, by the peak current and by the voltage.

        Far above the no-load speed the back voltage drives more than the peak current; nothing can limit it then.
        """
        back = self.torque_constant * speed
        least, most = (-self.voltage - back) / self.resistance, (self.voltage - back) / self.resistance
        lowest = minimum(maximum(-self.peak_current, least), most)
        highest = maximum(minimum(self.peak_current, most), least)
        return self.torque_constant * lowest, self.torque_constant * highest

    def limited_torque(self, torque: Any, speed: Any) -> Any:
        """The torque nearest to the wanted one, N m, that the motor can give at a speed in rad/s."""
        lowest, highest = self.torque_limits(speed)
        return minimum(maximum(torque, lowest), highest)

    def supply(self, current: Any, speed: Any, current_rate: Any = 0.0) -> Any:
        """Voltage, V, that a current (A), its rate (A/s) and the speed (rad/s) need."""
        return self.resistance * current + self.inductance * current_rate + self.torque_constant * speed

    def next_current(self, current: Any, voltage: Any, speed: Any, duration: float) -> Any:
        """Current, A, after `duration` (s) of constant voltage and speed; exact, whatever the duration."""
        given = minimum(maximum(voltage, -self.voltage), self.voltage)
        final = (given - self.torque_constant * speed) / self.resistance
        return final + (current - final) * exp(-duration / self.time_constant)

    def mean_current(self, current: Any, voltage: Any, speed: Any, duration: float) -> Any:
        """Mean of the current, A, over `duration` (s) of constant voltage and speed."""
        following = self.next_current(current, voltage, speed, duration)
        given = minimum(maximum(voltage, -self.voltage), self.voltage)
        final = (given - self.torque_constant * speed) / self.resistance
        return final + (current - following) * (self.time_constant / duration)

    def copper_loss(self, current: Any) -> Any:
        """Heat of the winding, W."""
        return self.resistance * current * current

    def thermal_load(self, currents: Array) -> float:
        """Root mean square of a series of currents (n,), A, by the permanent one; above one overheats."""
        return float(np.sqrt(np.mean(np.square(currents)))) / self.permanent_current
