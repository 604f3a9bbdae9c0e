"""A cost that keeps an arm away from poses where it cannot move in all directions (Schwienbacher 2014, chapter 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.control.tasks.rows import AXES, chosen_rows, row_places
from footfall.dynamics.jacobians import frame_jacobian, frame_jacobian_rate
from footfall.errors import InvalidTask
from footfall.math.positive_definite import solve_positive_definite
from footfall.math.spatial import symmetric
from footfall.robot.model import Robot


@dataclass(frozen=True)
class ManipulabilityCost:
    """`H = -gain log w` of the manipulability `w = sqrt(det(J J^T))` of a frame, Yoshikawa 1985.

    Schwienbacher 2014, (4.22).
    The logarithm makes it a matter of ratios: units of length, and lengths against angles, play no part. gain: 1/s,
    since the gradient is used as a velocity. rows: of the motion that should stay possible, by axes of the world.
    damping: added to the singular values, m or 1, so that the cost has an end in singular poses. Only joints count: a
    floating base could move the frame anywhere.
    """

    frame: str
    gain: float = 0.1
    rows: str | Sequence[str] = AXES
    damping: float = 1e-3

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", chosen_rows(self.rows, AXES, "manipulability"))
        if not (0.0 <= self.gain < np.inf and 0.0 < self.damping < np.inf):
            raise InvalidTask(
                f"gain is {self.gain}, damping {self.damping}; they must be at least zero and above zero"
            )

    def value(self, robot: Robot, q: Array) -> Any:
        """H at q (nq,)."""
        pivots = _pivots(self._square(self._jacobian(robot, q)))
        return -self.gain / 2 * sum(np.log(pivot) for pivot in pivots)

    def gradient(self, robot: Robot, q: Array) -> Array:
        """dH/dv (nv,): zero for the velocities of a floating base."""
        jacobian = self._jacobian(robot, q)
        square, places = self._square(jacobian), self._joints(robot)
        # d log det(A) = tr(A^-1 dA), A = J J^T + damping^2
        solved = np.stack([solve_positive_definite(square, column) for column in jacobian.T], axis=1)
        slopes: list[Any] = [0.0] * robot.nv
        for velocity in places:
            turned = frame_jacobian_rate.textbook(robot, q, np.eye(robot.nv)[velocity], self.frame)
            slopes[velocity] = -self.gain * (solved * turned[row_places(self.rows, AXES)][:, places]).sum()
        return np.array(slopes)

    def _jacobian(self, robot: Robot, q: Array) -> Array:
        every = frame_jacobian.textbook(robot, q, self.frame)
        result: Array = every[row_places(self.rows, AXES)][:, self._joints(robot)]
        return result

    def _square(self, jacobian: Array) -> Array:
        size, added = len(jacobian), self.damping**2
        return symmetric(size, lambda i, j: jacobian[i] @ jacobian[j] + (added if i == j else 0.0))

    @staticmethod
    def _joints(robot: Robot) -> list[int]:
        base = {
            index
            for joint in robot.joints
            if joint.type == "floating"
            for index in range(robot.nv)[robot.v_slice(joint.name)]
        }
        return [index for index in range(robot.nv) if index not in base]


def _pivots(matrix: Array) -> list[Any]:
    """Of Gauss' elimination of a positive definite matrix (n, n): their product is its determinant."""
    rows = [list(row) for row in matrix]
    for i, pivot_row in enumerate(rows):
        for j in range(i + 1, len(rows)):
            factor = rows[j][i] / pivot_row[i]
            rows[j] = [entry - factor * above for entry, above in zip(rows[j], pivot_row, strict=True)]
    return [rows[i][i] for i in range(len(rows))]
