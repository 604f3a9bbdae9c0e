"""The task about a frame's place and direction together, and feet that stand (RSL 2022, (2.269)-(2.276))."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.control.gains import Gains
from footfall.control.references import PoseReference, checked_pose
from footfall.control.tasks.orientations import relative_rotation, relative_rotation_bias, seen_from
from footfall.control.tasks.points import Point, Segment, point_kinematics
from footfall.control.tasks.positions import PositionTask, relative_position, relative_position_bias
from footfall.control.tasks.rows import AXES
from footfall.control.tasks.task import MotionTask, TaskValue, axis_directions
from footfall.dynamics.kinematics import frame_pose
from footfall.errors import InvalidInput
from footfall.math.rotations import boxminus
from footfall.math.transform import Transform
from footfall.robot.model import WORLD, Robot

Pose = Transform | PoseReference


@dataclass(frozen=True, eq=False, repr=False)
class PoseTask(MotionTask):
    """A frame should have the pose target, seen from the frame relative_to; six rows, position first.

    target: a `Transform` or homogeneous transform (4, 4), a `PoseReference` with velocity and acceleration, or a
    function of time (s) that gives one of them. rows: some of "x", "y", "z", "rx", "ry", "rz", in the axes of
    relative_to.
    """

    row_names = AXES

    frame: str
    target: Pose | Callable[[float], Pose]
    relative_to: str = WORLD
    rows: str | Sequence[str] = field(default=AXES, kw_only=True)

    def _settle(self, target: Any) -> None:
        if not isinstance(target, Transform | PoseReference) and _is_place(target):
            raise InvalidInput(
                f"{self.label}: target is {target!r}, a place alone; see frame_position, or give a Transform"
            )
        wanted = checked_pose(target, self.label)
        if isinstance(target, PoseReference):
            self._settle_motion(wanted.velocity, wanted.acceleration)
        self._set("target", wanted.pose)

    @property
    def label(self) -> str:
        return f"pose of {self.frame}" + seen_from(self.relative_to)

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("pose", self.frame, self.relative_to, self.rows)

    @property
    def pose(self) -> Transform:
        """The target of a task that does not move."""
        return self.target  # type: ignore[return-value]

    @property
    def parameters(self) -> Array:
        return np.concatenate([self.pose.translation, self.pose.rotation.reshape(9)])

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        reference = self.relative_to
        position, linear = relative_position(robot, q, self.frame, reference, reference)
        rotation, angular = relative_rotation(robot, q, self.frame, reference)
        turn = boxminus(parameters[3:].reshape(3, 3), rotation)
        error = np.concatenate([parameters[:3] - position, turn])
        return TaskValue(error[self.places], np.concatenate([linear, angular])[self.places])

    def bias(self, robot: Robot, q: Array, v: Array, parameters: Array) -> Array:
        reference = self.relative_to
        linear = relative_position_bias(robot, q, v, self.frame, reference, reference)
        angular = relative_rotation_bias(robot, q, v, self.frame, reference)
        return np.concatenate([linear, angular])[self.places]

    def segment(self, robot: Robot) -> Segment:
        return Segment(self.frame, None if self.relative_to == WORLD else self.relative_to)

    def directions(self, robot: Robot, q: Array, parameters: Array) -> Array:
        rotation = frame_pose.textbook(robot, q, self.relative_to).rotation
        return axis_directions(rotation, np.zeros(3))[:, self.places]


def _is_place(target: Any) -> bool:
    """Whether a target is three numbers; parts of different shapes have none."""
    try:
        return bool(np.shape(target) == (3,))
    except ValueError:
        return False


CONTACT_PRIORITY = -1  # before the first of other tasks


def support_tasks(
    robot: Robot, q: Array, contacts: Sequence[Point], *, flat: bool = False, gains: Gains | float = 10.0
) -> tuple[MotionTask, ...]:
    """Tasks that keep contacts where they are at q (nq,), before all others; gains (1/s) undo drift.

    contacts: frames or points of frames. flat: whole frames, with their orientation, instead of points.
    """
    tasks: list[MotionTask] = []
    for contact in contacts:
        if not flat:
            place = point_kinematics(robot, q, contact).position
            tasks.append(PositionTask(contact, place, priority=CONTACT_PRIORITY, gains=gains))
        elif isinstance(contact, str):
            pose = frame_pose.textbook(robot, q, contact)
            tasks.append(PoseTask(contact, pose, priority=CONTACT_PRIORITY, gains=gains))
        else:
            raise InvalidInput(f"flat contact is {contact!r}; it must be the name of a frame")
    if not tasks:
        raise InvalidInput("there is no contact; give at least one")
    return tuple(tasks)
