"""All drives of a robot: from its q, v and joint torques to those of the motors and back.

Schwienbacher 2014, chapter 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import UnknownName
from footfall.robot.drives.drive import Drive
from footfall.robot.drives.mechanism import is_symbolic
from footfall.robot.drives.references import check_driven_joints
from footfall.robot.model import Robot


@dataclass(frozen=True, eq=False)
class DriveSet:
    """Motors stand in the order of the drives, in a drive in the order of its mechanism."""

    robot: Robot
    drives: tuple[Drive, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "drives", tuple(self.drives))
        check_driven_joints(self.robot, self.drives)

    def __iter__(self) -> Iterator[Drive]:
        return iter(self.drives)

    @cached_property
    def joints(self) -> tuple[str, ...]:
        """Names of the driven joints; motor k is at joint k, or shares two with its neighbour."""
        return tuple(name for drive in self.drives for name in drive.joints)

    @property
    def motors(self) -> int:
        """Number of motors."""
        return len(self.joints)

    def of(self, joint: str) -> Drive:
        """The drive that moves a joint."""
        for drive in self.drives:
            if joint in drive.joints:
                return drive
        raise UnknownName("driven joint", joint, self.joints, f"the drives of robot {self.robot.name!r}")

    def with_drives(self, drives: Iterable[Drive]) -> DriveSet:
        """The set with other drives in place of those that move the same joints."""
        new = {drive.joints: drive for drive in drives}
        known = {drive.joints for drive in self.drives}
        for joints in new.keys() - known:
            raise UnknownName("drive of", " and ".join(joints), [" and ".join(names) for names in known])
        return DriveSet(self.robot, tuple(new.get(drive.joints, drive) for drive in self.drives))

    def motor_position(self, q: Array) -> Array:
        """Motor angles (motors,), rad, at the robot's q (nq,)."""
        return np.concatenate([drive.mechanism.motor_position(q[places]) for drive, places in self._in_q])

    def motor_jacobian(self, q: Array) -> Array:
        """Derivative (motors, nv) of the motor angles by the robot's velocity."""
        return self._blocks([drive.mechanism.motor_jacobian(q[places]) for drive, places in self._in_q])

    def motor_jacobian_rate(self, q: Array, v: Array) -> Array:
        """Derivative (motors, nv) of the Jacobian by time, 1/s."""
        parts = zip(self._in_q, self._in_v, strict=True)
        return self._blocks(
            [drive.mechanism.motor_jacobian_rate(q[here], v[there]) for (drive, here), there in parts]
        )

    def joint_position(self, motor_position: Array, *, start: Array) -> Array:
        """The robot's q (nq,) at motor angles (motors,), rad; what has no drive stays as in `start` (nq,)."""
        q = np.array(start, dtype=object if is_symbolic(start, motor_position) else float)
        first = 0
        for drive, places in self._in_q:
            part = np.asarray(motor_position)[first : first + len(places)]
            q[places] = drive.mechanism.joint_position(part, start=np.asarray(start)[places])
            first += len(places)
        return q

    def joint_torque(self, q: Array, motor_torque: Array) -> Array:
        """Generalised forces (nv,) of motor torques (motors,), N m, without losses."""
        result: Array = self.motor_jacobian(q).T @ motor_torque
        return result

    def motor_torque(self, q: Array, tau: Array) -> Array:
        """Motor torques (motors,), N m, for the driven entries of tau (nv,), without losses."""
        parts = zip(self._in_q, self._in_v, strict=True)
        return np.concatenate(
            [drive.mechanism.motor_torque(q[here], tau[there]) for (drive, here), there in parts]
        )

    def reflected_inertia(self, q: Array) -> Array:
        """Rotor inertias (nv, nv) seen at the joints, to be added to the mass matrix, kg m2.

        It leaves out how rotors turn with the bodies that carry them, about one part in the gear's ratio;
        `coupled_inertia` has that.
        """
        jacobian = self.motor_jacobian(q)
        result: Array = jacobian.T @ (self._rotors * jacobian)
        return result

    def coupled_inertia(self, q: Array, carrier_spins: Array) -> Array:
        """Rotor inertias (nv, nv) with the coupling to the bodies that carry them, kg m2.

        Schwienbacher 2014, chapter 3.
        carrier_spins (motors, nv): angular velocity of each carrier along its rotor's axis, a unit of the robot's
        velocity; the angular rows of `frame_jacobian` along the axis. To be added to the mass matrix of a robot whose
        bodies have the inertia of their rotors as if locked.
        """
        jacobian = self.motor_jacobian(q)
        coupling = carrier_spins.T @ (self._rotors * jacobian)
        result: Array = jacobian.T @ (self._rotors * jacobian) + coupling + coupling.T
        return result

    @cached_property
    def _rotors(self) -> Array:
        return np.concatenate([drive.rotor_inertia for drive in self.drives])[:, None]

    @cached_property
    def _in_q(self) -> list[tuple[Drive, list[int]]]:
        return [(drive, [self.robot.q_slice(name).start for name in drive.joints]) for drive in self.drives]

    @cached_property
    def _in_v(self) -> list[list[int]]:
        return [[self.robot.v_slice(name).start for name in drive.joints] for drive in self.drives]

    def _blocks(self, blocks: list[Array]) -> Array:
        kind: Any = object if is_symbolic(*blocks) else np.result_type(*blocks)
        result = np.zeros((self.motors, self.robot.nv), dtype=kind)
        first = 0
        for block, places in zip(blocks, self._in_v, strict=True):
            result[first : first + len(block), places] = block
            first += len(block)
        return result
