"""Servo and winding of a motor over one step of the mechanics, at the servo's own rate."""

from __future__ import annotations

from typing import Any, NamedTuple

from footfall.errors import RobotError
from footfall.robot.drives.drive import Drive
from footfall.robot.drives.servo_cascade import Reading, ServoCascade, ServoState, Target


class Electrics(NamedTuple):
    """What a motor remembers: its servo's state and the current in the winding, A."""

    servo: ServoState
    current: Any


ELECTRIC_VALUES = len(ServoState._fields) + 1


def required_servo(drive: Drive) -> ServoCascade:
    """The drive's servo, without which it cannot run."""
    if drive.servo is None:
        raise RobotError(
            "has no servo; give it one (`servo` in the file, or Drive.servo with `tuned_servo`)",
            subject=("drive of", " and ".join(drive.joints)),
        )
    return drive.servo


def sample_step(drive: Drive, dt: float) -> float:
    """Time between updates of the electrics, s: the servo's period, or dt (s) if that is shorter.

    Each must be a whole multiple of the other, so that samples do not wander against the steps.
    """
    period = required_servo(drive).period
    larger, smaller = max(period, dt), min(period, dt)
    if abs(larger / smaller - round(larger / smaller)) > 1e-6:
        raise RobotError(
            f"its servo has a period of {period:g} s and the simulation a step of {dt:g} s; "
            "one must be a whole multiple of the other",
            subject=("drive of", " and ".join(drive.joints)),
        )
    return smaller


def run_electrics(
    drive: Drive, state: Electrics, target: Target, position: Any, speed: Any, dt: float
) -> tuple[Electrics, Any]:
    """State after dt (s) and the mean torque of the motor, N m, while it turns with constant speed (rad/s).

    target: on the motor's side at the start of the step; it goes on with its velocity, Seiwald 2023, section 4.7.
    """
    servo, motor = required_servo(drive), drive.motor
    step = sample_step(drive, dt)
    count = round(dt / step)
    remembered, current = state
    impulse: Any = 0.0
    for tick in range(count):
        ahead = tick * step
        wanted = target._replace(position=target.position + ahead * target.velocity)
        reading = Reading(position + ahead * speed, speed, current)
        remembered = servo.advance(remembered, step, wanted, reading)
        impulse = impulse + motor.mean_current(current, remembered.voltage, speed, step)
        current = motor.next_current(current, remembered.voltage, speed, step)
    return Electrics(remembered, current), motor.torque_constant / count * impulse
