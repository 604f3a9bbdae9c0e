"""Tasks of whole-body control about forces, RSL 2022, (3.109)-(3.115): rows `A x = b` in x = (a; f; tau).

a (nv,) are accelerations, f (rows,) forces of the contacts on the robot, tau (joints,) torques of the drives.
"""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.contact_constraints import ConstrainedSystem, Contact
from footfall.control.requests import checked_array
from footfall.control.tasks.task import Task
from footfall.errors import InvalidInput
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

    def contact_places(self, sizes: Sequence[int]) -> list[slice]:
        """Where the forces of contacts with so many rows each stand in x."""
        ends = [self.velocities, *(self.velocities + end for end in itertools.accumulate(sizes))]
        return [slice(*pair) for pair in itertools.pairwise(ends)]


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

    def contact_places(self) -> list[slice]:
        """Where the forces of each contact stand in x."""
        return self.layout.contact_places([len(each.rows) for each in self.contacts])


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


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EntryTask(WholeBodyTask):
    """Tasks whose rows are entries of x: native code reads them off."""

    @abstractmethod
    def entries(self, layout: Layout, contacts: Sequence[slice]) -> slice:
        """Which of x; contacts: where the forces of each contact stand in x."""

    def wanted(self, count: int) -> Array:
        """What they should be (count,)."""
        return np.zeros(count)

    def rows(self, situation: Situation) -> TaskRows:
        layout = situation.layout
        chosen = np.eye(layout.size)[self.entries(layout, situation.contact_places())]
        return TaskRows(chosen, self.wanted(len(chosen)))


@dataclass(frozen=True, eq=False, repr=False)
class ContactForce(EntryTask):
    """Force of a contact on the robot, N and N m, in the contact's rows, RSL 2022, (3.112); contact: its index."""

    contact: int
    force: Array

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "force", checked_array(f"{self.label}: force", self.force, None))

    @property
    def label(self) -> str:
        return f"force of contact {self.contact}"

    def entries(self, layout: Layout, contacts: Sequence[slice]) -> slice:
        if not 0 <= self.contact < len(contacts):
            raise InvalidInput(
                f"there is no contact {self.contact}; there are {len(contacts)}, counted from 0"
            )
        return contacts[self.contact]

    def wanted(self, count: int) -> Array:
        return checked_array(f"{self.label}: force", self.force, (count,))


@dataclass(frozen=True, eq=False, repr=False)
class LeastTorque(EntryTask):
    """Torques near some (joints,), zero by default, RSL 2022, (3.113)."""

    torque: Array | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.torque is not None:
            checked = checked_array("least torque: torque", self.torque, None)
            object.__setattr__(self, "torque", checked)

    @property
    def label(self) -> str:
        return "torques"

    def entries(self, layout: Layout, contacts: Sequence[slice]) -> slice:
        return layout.tau

    def wanted(self, count: int) -> Array:
        near = np.zeros(count) if self.torque is None else self.torque
        return checked_array("least torque: torque", near, (count,))


@dataclass(frozen=True, eq=False, repr=False)
class LeastForce(EntryTask):
    """Contact forces spread evenly: their squares are as small as can be."""

    @property
    def label(self) -> str:
        return "contact forces"

    def entries(self, layout: Layout, contacts: Sequence[slice]) -> slice:
        return layout.f
