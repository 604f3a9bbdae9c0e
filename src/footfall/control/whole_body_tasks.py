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

from footfall.compiler import build_kernel
from footfall.control.actuation import InvalidRequest, check_directions, checked_array, driven_velocities
from footfall.control.contact_constraints import SURFACE, ConstrainedSystem, Contact
from footfall.control.gains import Gains, gains_from
from footfall.control.joint_control import Reference, reference_at, settled_reference
from footfall.control.task_space import Path, pose_at, settled_path
from footfall.dynamics.center_of_mass import (
    center_of_mass,
    center_of_mass_bias,
    center_of_mass_jacobian,
)
from footfall.dynamics.configuration import difference
from footfall.dynamics.jacobians import frame_jacobian, frame_jacobian_bias
from footfall.dynamics.kinematics import frame_attachment, frame_pose
from footfall.math.rotations import boxminus
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

    def __post_init__(self) -> None:
        if not isinstance(self.priority, int):
            raise InvalidRequest(
                f"{self.label}: priority is {self.priority!r}; it must be a whole number, 0 comes first"
            )
        weight = np.asarray(self.weight, dtype=np.float64)
        if not (np.isfinite(weight).all() and (weight >= 0.0).all()):
            raise InvalidRequest(
                f"{self.label}: weight is {self.weight}; weights are finite and at least zero"
            )

    @property
    @abstractmethod
    def label(self) -> str:
        """The task in a few words, for reports."""

    @abstractmethod
    def rows(self, situation: Situation) -> TaskRows:
        """The task's rows now."""


class MotionRows(NamedTuple):
    """`matrix a = value`: (m, nv) and (m,), rows on accelerations."""

    matrix: Array
    value: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class MotionTask(WholeBodyTask):
    """A task about accelerations. What it is about is its structure, for which native code is made; where it should
    go are numbers."""

    @property
    @abstractmethod
    def structure(self) -> tuple[Any, ...]:
        """What the native code depends on, hashable."""

    @property
    def moving(self) -> bool:
        """Whether its numbers depend on time."""
        return False

    @abstractmethod
    def numbers(self, robot: Robot, time: float) -> Array:
        """Targets and gains (p,) at a time, s."""

    @abstractmethod
    def evaluate(self, robot: Robot, q: Array, v: Array, numbers: Array) -> MotionRows:
        """The rows in the state q (nq,), v (nv,), on floats or symbols."""

    def rows(self, situation: Situation) -> TaskRows:
        robot, numbers = situation.robot, self.numbers(situation.robot, situation.time)
        place = ("whole-body task", self.structure)
        if place not in robot.tree.kernels:
            robot.tree.kernels[place] = build_kernel(
                lambda q, v, numbers: self.evaluate(robot, q, v, numbers)._asdict(),
                {"q": robot.nq, "v": robot.nv, "numbers": len(numbers)},
                name="whole_body_task",
                key=f"{robot.fingerprint} {self.structure!r}",
            )
        found = robot.tree.kernels[place](situation.q, situation.v, numbers)
        matrix = np.zeros((len(found[1]), situation.layout.size))
        matrix[:, situation.layout.a] = found[0]
        return TaskRows(matrix, found[1])


@dataclass(frozen=True, eq=False)
class FrameAcceleration(MotionTask):
    """Acceleration (6,) of a frame, m/s2 and rad/s2, in some of its six directions, world axes, 002 (3.111)."""

    frame: str
    acceleration: Array
    directions: tuple[int, ...] = SURFACE

    def __post_init__(self) -> None:
        super().__post_init__()
        check_directions(self.label, self.directions, 6)

    @property
    def label(self) -> str:
        return f"acceleration of {self.frame}"

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("frame acceleration", self.frame, tuple(self.directions))

    def numbers(self, robot: Robot, time: float) -> Array:
        frame_attachment(robot, self.frame)
        return checked_array(self.label, self.acceleration, (6,))

    def evaluate(self, robot: Robot, q: Array, v: Array, numbers: Array) -> MotionRows:
        chosen = list(self.directions)
        bias = frame_jacobian_bias(robot, q, v, self.frame)
        return MotionRows(frame_jacobian(robot, q, self.frame)[chosen], (numbers - bias)[chosen])


@dataclass(frozen=True, eq=False)
class FrameTracking(MotionTask):
    """A frame follows a path like a unit mass on a spring and a damper, 002 (3.91)."""

    frame: str
    path: Path
    gains: Gains = field(default_factory=lambda: gains_from(2.0))
    directions: tuple[int, ...] = SURFACE

    def __post_init__(self) -> None:
        super().__post_init__()
        check_directions(self.label, self.directions, 6)
        object.__setattr__(self, "path", settled_path(self.path))

    @property
    def label(self) -> str:
        return f"path of {self.frame}"

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("frame tracking", self.frame, tuple(self.directions))

    @property
    def moving(self) -> bool:
        return callable(self.path)

    def numbers(self, robot: Robot, time: float) -> Array:
        frame_attachment(robot, self.frame)
        wanted = pose_at(self.path, time)
        parts = (
            wanted.pose.translation,
            np.ravel(wanted.pose.rotation),
            wanted.velocity,
            wanted.acceleration,
        )
        return np.concatenate([*parts, _pair(self.gains)])

    def evaluate(self, robot: Robot, q: Array, v: Array, numbers: Array) -> MotionRows:
        chosen = list(self.directions)
        pose, jacobian = frame_pose(robot, q, self.frame), frame_jacobian(robot, q, self.frame)
        turn = boxminus(numbers[3:12].reshape(3, 3), pose.rotation)
        error = np.concatenate([numbers[:3] - pose.translation, turn])
        rate = numbers[12:18] - jacobian @ v
        asked = numbers[18:24] + numbers[24] * error + numbers[25] * rate
        bias = frame_jacobian_bias(robot, q, v, self.frame)
        return MotionRows(jacobian[chosen], (asked - bias)[chosen])


class PointReference(NamedTuple):
    """Where a point shall be: position (3,) in the world, m, velocity (3,), m/s, acceleration (3,), m/s2."""

    position: Array
    velocity: Array
    acceleration: Array


@dataclass(frozen=True, eq=False)
class CenterOfMassTracking(MotionTask):
    """The centre of mass follows a target like a unit mass on a spring and a damper, in some of x, y, z.

    target: a place (3,), m, a `PointReference`, or a function of time that gives one of them. A moving place without
    its velocity and acceleration is followed with a lag.
    """

    target: Array | PointReference | Callable[[float], Array | PointReference]
    gains: Gains = field(default_factory=lambda: gains_from(2.0))
    directions: tuple[int, ...] = (0, 1, 2)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_directions(self.label, self.directions, 3)

    @property
    def label(self) -> str:
        return "centre of mass"

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("centre of mass", tuple(self.directions))

    @property
    def moving(self) -> bool:
        return callable(self.target)

    def numbers(self, robot: Robot, time: float) -> Array:
        target = self.target(time) if callable(self.target) else self.target
        if not isinstance(target, PointReference):
            target = PointReference(target, np.zeros(3), np.zeros(3))
        wanted = [checked_array("target of the centre of mass", part, (3,)) for part in target]
        return np.concatenate([*wanted, _pair(self.gains)])

    def evaluate(self, robot: Robot, q: Array, v: Array, numbers: Array) -> MotionRows:
        chosen = list(self.directions)
        jacobian = center_of_mass_jacobian(robot, q)
        error, rate = numbers[:3] - center_of_mass(robot, q), numbers[3:6] - jacobian @ v
        asked = numbers[6:9] + numbers[9] * error + numbers[10] * rate
        return MotionRows(jacobian[chosen], (asked - center_of_mass_bias(robot, q, v))[chosen])


@dataclass(frozen=True, eq=False)
class JointAcceleration(MotionTask):
    """Accelerations (nv,) of all velocities, those of a floating base included."""

    acceleration: Array

    @property
    def label(self) -> str:
        return "accelerations of the joints"

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("joint acceleration",)

    def numbers(self, robot: Robot, time: float) -> Array:
        return checked_array(self.label, self.acceleration, (robot.nv,))

    def evaluate(self, robot: Robot, q: Array, v: Array, numbers: Array) -> MotionRows:
        return MotionRows(np.eye(robot.nv), numbers)


@dataclass(frozen=True, eq=False)
class PostureTracking(MotionTask):
    """The driven joints go to a reference like unit masses on springs and dampers."""

    reference: Reference
    gains: Gains = field(default_factory=lambda: gains_from(1.0))

    @property
    def label(self) -> str:
        return "posture"

    @property
    def structure(self) -> tuple[Any, ...]:
        return ("posture",)

    @property
    def moving(self) -> bool:
        return callable(self.reference)

    def numbers(self, robot: Robot, time: float) -> Array:
        wanted = reference_at(robot, settled_reference(robot, self.reference), time)
        return np.concatenate([wanted.q, wanted.v, wanted.a, _pair(self.gains)])

    def evaluate(self, robot: Robot, q: Array, v: Array, numbers: Array) -> MotionRows:
        wanted_q, wanted_v, wanted_a = np.split(numbers[:-2], [robot.nq, robot.nq + robot.nv])
        asked = wanted_a + numbers[-2] * difference(robot, q, wanted_q) + numbers[-1] * (wanted_v - v)
        driven = driven_velocities(robot)
        return MotionRows(np.eye(robot.nv)[driven], asked[driven])


def _pair(gains: Gains) -> list[float]:
    return [gains.stiffness, gains.damping]


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
