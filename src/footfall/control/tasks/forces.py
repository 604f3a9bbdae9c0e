"""Tasks of whole-body control about forces, RSL 2022, (3.109)-(3.115): rows `A x = b` in x = (a; f; tau).

a (nv,) are accelerations, f (rows,) forces of the contacts on the robot, tau (joints,) torques of the drives.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.contact_constraints import ConstrainedSystem, Contact
from footfall.control.requests import checked_array
from footfall.control.tasks.task import Task
from footfall.errors import InvalidTask
from footfall.robot.model import Robot


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


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class WholeBodyTask(Task):
    """Base of tasks that only whole-body control knows; also of tasks of one's own that look at forces."""

    @abstractmethod
    def rows(self, situation: Situation) -> TaskRows:
        """The task's rows now."""


@dataclass(frozen=True, eq=False, repr=False)
class ContactForce(WholeBodyTask):
    """Force of a contact on the robot, N and N m, in the contact's rows, RSL 2022, (3.112); contact: its index."""

    contact: int
    force: Array

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(
            self, "force", checked_array(f"{self.label}: force", self.force, None, error=InvalidTask)
        )

    @property
    def label(self) -> str:
        return f"force of contact {self.contact}"

    def rows(self, situation: Situation) -> TaskRows:
        self.check_contact(len(situation.contacts))
        place, layout = situation.force_rows(self.contact), situation.layout
        return TaskRows(np.eye(layout.size)[layout.f][place], self.wanted(place.stop - place.start))

    def check_contact(self, count: int) -> None:
        """Refuse a contact that is not there."""
        if not 0 <= self.contact < count:
            raise InvalidTask(f"there is no contact {self.contact}; there are {count}, counted from 0")

    def wanted(self, count: int) -> Array:
        """The force (count,) for a contact of that many rows."""
        return checked_array(f"{self.label}: force", self.force, (count,), error=InvalidTask)


@dataclass(frozen=True, eq=False, repr=False)
class LeastTorque(WholeBodyTask):
    """Torques near some (joints,), zero by default, RSL 2022, (3.113)."""

    torque: Array | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.torque is not None:
            checked = checked_array("least torque: torque", self.torque, None, error=InvalidTask)
            object.__setattr__(self, "torque", checked)

    @property
    def label(self) -> str:
        return "torques"

    def rows(self, situation: Situation) -> TaskRows:
        layout = situation.layout
        return TaskRows(np.eye(layout.size)[layout.tau], self.wanted(layout.torques))

    def wanted(self, count: int) -> Array:
        """The torques (count,) that it should be near."""
        near = np.zeros(count) if self.torque is None else self.torque
        return checked_array("least torque: torque", near, (count,), error=InvalidTask)


@dataclass(frozen=True, eq=False, repr=False)
class LeastForce(WholeBodyTask):
    """Contact forces spread evenly: their squares are as small as can be."""

    @property
    def label(self) -> str:
        return "contact forces"

    def rows(self, situation: Situation) -> TaskRows:
        layout = situation.layout
        return TaskRows(np.eye(layout.size)[layout.f], np.zeros(layout.forces))
