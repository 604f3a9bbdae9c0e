"""A contact problem while it is solved: its rows, the impulses so far, and the velocities that follow from them."""

from __future__ import annotations

import math
from typing import NamedTuple

from footfall.arrays import Array
from footfall.compiler.routines import Vector2, Vector3, routine
from footfall.contact.law import allowed_impulse


class ContactRows(NamedTuple):
    """A `ContactProblem` as routines take it: `w = matrix p + bias`, (n, n) and (n,).

    diagonal (n,): of the matrix, kept off zero. friction, extra (contacts,), box (boxes,), compliance (n,): as there.
    """

    matrix: Array
    diagonal: Array
    bias: Array
    friction: Array
    extra: Array
    box: Array
    compliance: Array

    @property
    def contact_rows(self) -> int:
        """How many rows belong to contacts; those of joints follow."""
        return 3 * len(self.friction)

    def allowed(self, row: int, impulse: float) -> float:
        """An impulse of a joint's row brought into what is allowed: not negative, or within its box."""
        return float(allowed_impulse(impulse, self.bound(row)))

    def bound(self, row: int) -> float:
        """Of a joint's row, N s: infinite for a limit."""
        bounded = row - (len(self.bias) - len(self.box))
        return float(self.box[bounded]) if bounded >= 0 else math.inf


class ImpulseState(NamedTuple):
    """Impulses p (n,), N s, and velocities w = matrix p + bias (n,), m/s; both change in place."""

    rows: ContactRows
    p: Array
    w: Array

    def refresh(self) -> None:
        """Compute the velocities anew: rounding errors of changes add up."""
        for i, row in enumerate(self.rows.matrix):
            total = self.rows.bias[i]
            for j in range(len(row)):
                total += row[j] * self.p[j]
            self.w[i] = total

    def change(self, row: int, impulse: float) -> None:
        """Set an impulse and let the velocities follow."""
        step, w = impulse - self.p[row], self.w
        if step != 0.0:
            self.p[row] = impulse
            w += self.rows.matrix[row] * step

    def change_contact(self, k: int, impulse: Vector3) -> None:
        """Set the impulse of a contact (t1, t2, n)."""
        for i in (0, 1, 2):
            self.change(3 * k + i, impulse[i])

    def friction_target(self, k: int) -> Vector2:
        """Where friction wants a tangential impulse: a step along -w, by the mean of both mobilities."""
        first = 3 * k
        scale = 2.0 / (self.rows.diagonal[first] + self.rows.diagonal[first + 1])
        p, w = self.p[first : first + 2], self.w[first : first + 2]
        return p - scale * w  # type: ignore[no-any-return]

    def friction_bound(self, k: int) -> float:
        """Greatest tangential impulse of a contact: none where it separates."""
        n, rows = 3 * k + 2, self.rows
        pressed = rows.diagonal[n] * self.p[n] > self.w[n]
        return rows.friction[k] * self.p[n] + rows.extra[k] if pressed else 0.0

    def stopping(self, row: int) -> float:
        """The impulse that would stop a row on its own."""
        return self.p[row] - self.w[row] / self.rows.diagonal[row]  # type: ignore[no-any-return]

    def residual_without_friction(self) -> float:
        """Largest part of the natural map in normal directions and joint rows, N s."""
        largest = 0.0
        for k in range(len(self.rows.friction)):
            n = 3 * k + 2
            largest = max(largest, abs(self.p[n] - max(0.0, self.stopping(n))))
        for row in range(self.rows.contact_rows, len(self.p)):
            largest = max(largest, abs(self.p[row] - self.rows.allowed(row, self.stopping(row))))
        return largest

    def away_from(self, k: int, tangential: Vector2) -> float:
        """How far the tangential impulse of a contact is from another one, N s."""
        return math.hypot(self.p[3 * k] - tangential[0], self.p[3 * k + 1] - tangential[1])


@routine
def natural_map(state: ImpulseState) -> float:
    """Residual as in `validation.natural_map_residual`, N s."""
    largest = state.residual_without_friction()
    for k in range(len(state.rows.friction)):
        inside = in_disc(state.friction_target(k), state.friction_bound(k))
        largest = max(largest, state.away_from(k, inside))
    return largest


@routine
def in_disc(target: Vector2, bound: float) -> Vector2:
    """The nearest point of a disc."""
    length = math.sqrt(target[0] * target[0] + target[1] * target[1])
    return (bound / length if length > bound else 1.0) * target
