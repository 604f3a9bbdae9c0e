"""What drives and springs add to a time step: inertia between velocities, and forces on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.loops import Coupling
from footfall.robot.model import Robot

Row = Mapping[int, Any]  # velocity -> entry


class JointEntries:
    """Sums of inertia entries by pairs of velocities, and of forces by velocity."""

    def __init__(self) -> None:
        self.inertia: dict[tuple[int, int], Any] = {}
        self.forces: dict[int, Any] = {}

    def add_inertia(self, left: Row, right: Row, weight: Any) -> None:
        """`weight * left^T right`."""
        for i, a in left.items():
            for j, b in right.items():
                self.inertia[i, j] = self.inertia.get((i, j), 0.0) + weight * (a * b)

    def add_force(self, row: Row, force: Any) -> None:
        """`row^T force`."""
        for i, entry in row.items():
            self.forces[i] = self.forces.get(i, 0.0) + entry * force


class JointAction(NamedTuple):
    """A step with it solves `(M + inertia) dv = dt (... + forces)`. inertia (nv, nv): kg m2, has entries only where M
    has. forces (nv,): N m at the velocity before the step."""

    inertia: Array
    forces: Array

    @staticmethod
    def of(size: int, parts: Sequence[JointEntries]) -> JointAction:
        """All parts together, for `size` velocities."""
        inertia: list[list[Any]] = [[0.0] * size for _ in range(size)]
        forces: list[Any] = [0.0] * size
        for part in parts:
            for (i, j), entry in part.inertia.items():
                inertia[i][j] = inertia[i][j] + entry
            for i, force in part.forces.items():
                forces[i] = forces[i] + force
        return JointAction(np.array(inertia).reshape(size, size), np.array(forces))

    def effort(self, change: Array, dt: float) -> Array:
        """Forces (nv,) that acted on the joints in a step of dt (s) with that change (nv,) of the velocity, N m."""
        result: Array = self.forces - self.inertia @ change / dt
        return result


def spring_entries(robot: Robot, q: Array, v: Array, dt: float) -> JointEntries:
    """The robot's springs, at position and velocity after dt (s): stable however stiff they are."""
    entries = JointEntries()
    for spring, row in zip(robot.springs, spring_rows(robot, q), strict=True):
        position, rate = q[robot.q_slice(spring.joint).start], along(row, v)
        entries.add_inertia(row, row, dt * (spring.damping + dt * spring.stiffness))
        entries.add_force(row, spring.torque(position + dt * rate, rate))
    return entries


def spring_rows(robot: Robot, q: Array) -> list[Row]:
    """The rate of each spring's joint as a row of velocities; in a looped robot the joint may follow from others."""
    tree_velocities = [robot.spanning.v_slice(spring.joint).start for spring in robot.springs]
    if not robot.loops:
        return [{velocity: 1.0} for velocity in tree_velocities]
    rows = Coupling(robot, q).rows
    return [rows[velocity] for velocity in tree_velocities]


def along(row: Row, v: Array) -> Any:
    """`row v` for velocities v (nv,)."""
    return sum((entry * v[index] for index, entry in row.items()), start=0.0)
