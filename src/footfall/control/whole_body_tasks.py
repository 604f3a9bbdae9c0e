"""Tasks of whole-body control, 002 section 14.4: rows `A x = b` in x = (a; f; tau).

a (nv,) are accelerations, f (rows,) forces of the contacts on the robot, tau (joints,) torques of the drives. A task is
a value with a priority (0 comes first) and a weight among tasks of the same priority.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from footfall.control.actuation import InvalidRequest, checked_array, driven_velocities
from footfall.control.contact_constraints import SURFACE, ConstrainedSystem, Contact
from footfall.control.gains import Gains, gains_from
from footfall.control.joint_control import Reference, reference_at
from footfall.control.task_space import Path, pose_at, pose_error
from footfall.dynamics.center_of_mass import (
    center_of_mass,
    center_of_mass_bias,
    center_of_mass_jacobian,
)
from footfall.dynamics.configuration import difference
from footfall.dynamics.jacobians import frame_jacobian, frame_jacobian_bias
from footfall.dynamics.kinematics import frame_attachment, frame_pose
from footfall.robot.model import Robot

Array = np.ndarray[Any, np.dtype[np.float64]]


class Layout(NamedTuple):
    """Where accelerations, contact forces and torques stand in x."""

    velocities: int
    forces: int
    torques: int

    @property
    def size(self) -> int:
        return self.velocities + self.forces + self.torques

    @property
    def a(self) -> slice:
        return slice(0, self.velocities)

    @property
    def f(self) -> slice:
        return slice(self.velocities, self.velocities + self.forces)

    @property
    def tau(self) -> slice:
        return slice(self.velocities + self.forces, self.size)


class Situation(NamedTuple):
    """All that a task may look at: the robot, time (s), q (nq,), v (nv,), its contacts and their dynamics."""

    robot: Robot
    time: float
    q: Array
    v: Array
    contacts: tuple[Contact, ...]
    system: ConstrainedSystem
    layout: Layout

    def force_rows(self, contact: int) -> slice:
        """Where the forces of a contact stand among all of them."""
        sizes = [len(each.rows) for each in self.contacts]
        return slice(sum(sizes[:contact]), sum(sizes[: contact + 1]))


class TaskRows(NamedTuple):
    """`matrix x = value`: (m, n) and (m,)."""

    matrix: Array
    value: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class WholeBodyTask(ABC):
    """Base of the tasks; priority: 0 comes first; weight: of squared errors, a number or one a row."""

    priority: int = 0
    weight: float | Array = 1.0

    @property
    @abstractmethod
    def label(self) -> str:
        """The task in a few words, for reports."""

    @abstractmethod
    def rows(self, situation: Situation) -> TaskRows:
        """The task's rows now."""


@dataclass(frozen=True, eq=False)
class FrameAcceleration(WholeBodyTask):
    """Acceleration (6,) of a frame, m/s2 and rad/s2, in some of its six directions, world axes, 002 (3.111)."""

    frame: str
    acceleration: Array
    directions: tuple[int, ...] = SURFACE

    @property
    def label(self) -> str:
        return f"acceleration of {self.frame}"

    def rows(self, situation: Situation) -> TaskRows:
        asked = checked_array(self.label, self.acceleration, (6,))
        return _frame_rows(situation, self.frame, asked, self.directions)


@dataclass(frozen=True, eq=False)
class FrameTracking(WholeBodyTask):
    """A frame follows a path like a unit mass on a spring and a damper, 002 (3.91)."""

    frame: str
    path: Path
    gains: Gains = field(default_factory=lambda: gains_from(2.0))
    directions: tuple[int, ...] = SURFACE

    @property
    def label(self) -> str:
        return f"path of {self.frame}"

    def rows(self, situation: Situation) -> TaskRows:
        robot, q, reference = situation.robot, situation.q, pose_at(self.path, situation.time)
        frame_attachment(robot, self.frame)
        error = pose_error(frame_pose(robot, q, self.frame), reference.pose)
        rate = reference.velocity - frame_jacobian(robot, q, self.frame) @ situation.v
        asked = reference.acceleration + self.gains.stiffness * error + self.gains.damping * rate
        return _frame_rows(situation, self.frame, checked_array(self.label, asked, (6,)), self.directions)


def _frame_rows(situation: Situation, frame: str, asked: Array, directions: tuple[int, ...]) -> TaskRows:
    robot, q, v, layout = situation.robot, situation.q, situation.v, situation.layout
    frame_attachment(robot, frame)
    chosen = list(directions)
    matrix = np.zeros((len(chosen), layout.size))
    matrix[:, layout.a] = frame_jacobian(robot, q, frame)[chosen]
    return TaskRows(matrix, (asked - frame_jacobian_bias(robot, q, v, frame))[chosen])


@dataclass(frozen=True, eq=False)
class CenterOfMassTracking(WholeBodyTask):
    """The centre of mass goes to a target (3,), m, or follows a function of time, in some of x, y, z."""

    target: Array | Callable[[float], Array]
    gains: Gains = field(default_factory=lambda: gains_from(2.0))
    directions: tuple[int, ...] = (0, 1, 2)

    @property
    def label(self) -> str:
        return "centre of mass"

    def rows(self, situation: Situation) -> TaskRows:
        robot, q, v, layout = situation.robot, situation.q, situation.v, situation.layout
        target = self.target(situation.time) if callable(self.target) else self.target
        error = checked_array("target of the centre of mass", target, (3,)) - center_of_mass(robot, q)
        jacobian = center_of_mass_jacobian(robot, q)
        asked = self.gains.stiffness * error - self.gains.damping * (jacobian @ v)
        matrix = np.zeros((3, layout.size))
        matrix[:, layout.a] = jacobian
        value = asked - center_of_mass_bias(robot, q, v)
        return TaskRows(matrix[list(self.directions)], value[list(self.directions)])


@dataclass(frozen=True, eq=False)
class JointAcceleration(WholeBodyTask):
    """Accelerations (nv,) of all velocities, those of a floating base included."""

    acceleration: Array

    @property
    def label(self) -> str:
        return "accelerations of the joints"

    def rows(self, situation: Situation) -> TaskRows:
        layout = situation.layout
        asked = checked_array(self.label, self.acceleration, (layout.velocities,))
        return TaskRows(np.eye(layout.size)[layout.a], asked)


@dataclass(frozen=True, eq=False)
class PostureTracking(WholeBodyTask):
    """The driven joints go to a reference like unit masses on springs and dampers."""

    reference: Reference
    gains: Gains = field(default_factory=lambda: gains_from(1.0))

    @property
    def label(self) -> str:
        return "posture"

    def rows(self, situation: Situation) -> TaskRows:
        wanted = reference_at(self.reference, situation.time)
        error = difference(situation.robot, situation.q, wanted.q)
        asked = wanted.a + self.gains.stiffness * error + self.gains.damping * (wanted.v - situation.v)
        driven = driven_velocities(situation.robot)
        return TaskRows(np.eye(situation.layout.size)[driven], asked[driven])


@dataclass(frozen=True, eq=False)
class ContactForce(WholeBodyTask):
    """Force of a contact on the robot, N and N m, in the contact's rows, 002 (3.112); contact: its index."""

    contact: int
    force: Array

    @property
    def label(self) -> str:
        return f"force of contact {self.contact}"

    def rows(self, situation: Situation) -> TaskRows:
        count = len(situation.contacts)
        if not 0 <= self.contact < count:
            raise InvalidRequest(f"there is no contact {self.contact}; there are {count}, counted from 0")
        place, layout = situation.force_rows(self.contact), situation.layout
        asked = checked_array(self.label, self.force, (place.stop - place.start,))
        return TaskRows(np.eye(layout.size)[layout.f][place], asked)


@dataclass(frozen=True, eq=False)
class LeastTorque(WholeBodyTask):
    """Torques near some (joints,), zero by default, 002 (3.113)."""

    torque: Array | None = None

    @property
    def label(self) -> str:
        return "torques"

    def rows(self, situation: Situation) -> TaskRows:
        layout = situation.layout
        near = np.zeros(layout.torques) if self.torque is None else self.torque
        return TaskRows(np.eye(layout.size)[layout.tau], checked_array("torque", near, (layout.torques,)))


@dataclass(frozen=True, eq=False)
class LeastForce(WholeBodyTask):
    """Contact forces spread evenly: their squares are as small as can be."""

    @property
    def label(self) -> str:
        return "contact forces"

    def rows(self, situation: Situation) -> TaskRows:
        layout = situation.layout
        return TaskRows(np.eye(layout.size)[layout.f], np.zeros(layout.forces))
