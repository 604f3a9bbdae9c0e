"""Orientations by parameters: Euler angles, rotation vectors or quaternions as coordinates that should have values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import less, where
from footfall.control.tasks.points import Segment
from footfall.control.tasks.task import MotionTask, TaskValue
from footfall.dynamics.jacobians import frame_jacobian
from footfall.dynamics.kinematics import frame_pose
from footfall.errors import InvalidInput
from footfall.math.angular_velocity import rotation_rate_map
from footfall.math.rotations import parameters_from_matrix, rotation_kind
from footfall.robot.model import Robot


@dataclass(frozen=True, eq=False, repr=False)
class RotationParametersTask(MotionTask):
    """The rotation parameters of a frame in the world should have values, RSL 2022, example 2.9.7.

    kind: an Euler sequence such as "zyx", "rotation_vector" or "quaternion". target: the parameters, rad or 1, or a
    function of time (s) that gives them; angles count modulo a turn, quaternions up to their sign. The way to the
    target is straight in these parameters, not on the sphere of rotations: `OrientationTask` takes the shortest turn
    and has no singularities. Use it where the angles themselves matter, such as a roll that should stay zero.
    """

    frame: str
    kind: str
    target: Array | Callable[[float], Array]

    def __post_init__(self) -> None:
        super().__post_init__()
        kind = rotation_kind(self.kind)
        if kind in ("matrix", "angle_axis"):
            raise InvalidInput(
                f"{self.label}: take an Euler sequence, 'rotation_vector' or 'quaternion', whose rates are independent"
            )
        self._set("kind", kind)
        if not self.moving:
            self._settle(self.target)

    def _settle(self, target: Any) -> None:
        wanted = self._array("target", target, (self._count,))
        if self.kind == "quaternion" and abs(np.linalg.norm(wanted) - 1.0) > 1e-6:
            raise InvalidInput(f"{self.label}: target has the norm {np.linalg.norm(wanted)}; it must be 1")
        self._set("target", wanted)

    @property
    def _count(self) -> int:
        return 4 if self.kind == "quaternion" else 3

    @property
    def label(self) -> str:
        return f"{self.kind} of {self.frame}"

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("rotation parameters", self.frame, self.kind)

    @property
    def parameters(self) -> Array:
        return self.target  # type: ignore[return-value]

    def size(self, robot: Robot) -> int:
        return self._count

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        value = parameters_from_matrix(self.kind, frame_pose.textbook(robot, q, self.frame).rotation)
        rates = rotation_rate_map(self.kind, value)
        jacobian = rates @ frame_jacobian.textbook(robot, q, self.frame)[3:]  # RSL 2022, (2.191)
        if self.kind == "quaternion":
            error = where(less(parameters @ value, 0.0), -1.0, 1.0) * parameters - value
        elif self.kind == "rotation_vector":
            error = parameters - value
        else:
            apart = parameters - value
            error = np.arctan2(np.sin(apart), np.cos(apart))
        return TaskValue(error, jacobian)

    def segment(self, robot: Robot) -> Segment:
        return Segment(self.frame, None)

    def directions(self, robot: Robot, q: Array, parameters: Array) -> Array:
        value = parameters_from_matrix(self.kind, frame_pose.textbook(robot, q, self.frame).rotation)
        rates = rotation_rate_map(self.kind, value)
        return np.concatenate([np.zeros((3, self._count)), rates.T])
