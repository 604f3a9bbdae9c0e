"""A drive: the mechanism between motors and joints, with the motors, losses and elasticity."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from footfall.arrays import Array
from footfall.errors import RobotError
from footfall.robot import values
from footfall.robot.drives.elasticity import Elasticity
from footfall.robot.drives.electric_motor import ElectricMotor
from footfall.robot.drives.friction import Friction
from footfall.robot.drives.mechanism import Mechanism
from footfall.robot.drives.servo_cascade import ServoCascade

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Drive:
    """Equal motors that move `joints` (names, in the order of the mechanism's coordinates).

    elasticity: of the gear, used by models of Type 3; without, the gear is rigid. absolute_encoder: whether one sits
    at the joint. module: name of the build unit, if it has one. servo: of each motor. rotor_axes (motors, 3): about
    which the rotors turn, in the axes of the body that carries the first joint; by default the joint's own for a gear
    of constant ratio, and for other mechanisms none: such rotors turn without turning that body.
    """

    joints: tuple[str, ...]
    mechanism: Mechanism
    motor: ElectricMotor
    friction: Friction = field(default_factory=Friction)
    elasticity: Elasticity | None = None
    absolute_encoder: bool = True
    module: str = ""
    servo: ServoCascade | None = None
    rotor_axes: tuple[Vector, ...] = ()

    def __post_init__(self) -> None:
        subject = ("drive of", " and ".join(self.joints))
        object.__setattr__(self, "joints", tuple(self.joints))
        if len(self.joints) != self.mechanism.size:
            raise RobotError(
                f"has {len(self.joints)} joints; its mechanism moves {self.mechanism.size}", subject=subject
            )
        axes = tuple(values.unit_vector(axis, "rotor axis", subject) for axis in self.rotor_axes)
        if axes and len(axes) != len(self.joints):
            raise RobotError(f"has {len(axes)} rotor axes for {len(self.joints)} motors", subject=subject)
        object.__setattr__(self, "rotor_axes", axes)

    @property
    def rotor_inertia(self) -> Array:
        """Of each motor (n,), kg m2."""
        return np.full(len(self.joints), self.motor.rotor_inertia)

    def rigid(self) -> Drive:
        """The drive without elasticity, as in models of Type 2."""
        return replace(self, elasticity=None)

    def lossy_motor_torque(self, q: Array, v: Array, joint_torque: Array) -> Array:
        """Motor torques (n,) for torques (n,) at the joints, N m, with friction at joint rates v (n,)."""
        transmitted = self.mechanism.motor_torque(q, joint_torque)
        speeds = self.mechanism.motor_velocity(q, v)
        losses = [self.friction.torque(w, torque) for w, torque in zip(speeds, transmitted, strict=True)]
        result: Array = transmitted + np.array(losses)
        return result

    def permanent_joint_torque(self, q: Array) -> Array:
        """Greatest torque (n,) at each joint alone that the motors can hold, N m, without losses."""
        return self._joint_torque_limit(q, self.motor.permanent_torque)

    def peak_joint_torque(self, q: Array) -> Array:
        """Greatest torque (n,) at each joint alone that the motors can give for a short time, N m."""
        return self._joint_torque_limit(q, self.motor.peak_torque)

    def _joint_torque_limit(self, q: Array, limit: float) -> Array:
        units = [self.mechanism.motor_torque(q, unit) for unit in np.eye(len(self.joints))]
        return np.array([limit / np.abs(unit).max() for unit in units])
