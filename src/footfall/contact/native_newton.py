"""Newton's method on the natural map of all contacts together, in their impulses, as native code.

Contacts and rows are made linear by `newton_step`, as in a native time step; there the robot's velocities are solved
for, here the impulses themselves, so that a problem needs nothing but its matrix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine
from footfall.contact import newton_step
from footfall.contact.native_sweeps import natural_map, velocities
from footfall.contact.newton_schedule import HALVINGS, LEAST_SOFTNESS, MEMORY, MOST_SOFTNESS, ONE_ROUND
from footfall.contact.newton_step import ConeLaw
from footfall.math.linear_systems import solve_in_place

ROUND = np.array(ONE_ROUND)  # (steps, 4)


class _Rows(NamedTuple):
    """A problem as `newton_round` has it; diagonal (n,): of its matrix, kept off zero."""

    matrix: Array
    bias: Array
    diagonal: Array
    friction: Array
    extra: Array
    box: Array
    compliance: Array


@routine
def _positive_diagonal(matrix: Array) -> Array:
    diagonal = np.empty(len(matrix))
    for row in range(len(matrix)):
        diagonal[row] = matrix[row, row]
    least = 1e-12 * np.max(diagonal) + 1e-280
    for row in range(len(diagonal)):
        diagonal[row] = max(diagonal[row], least)
    return diagonal


@routine
def _law(rows: _Rows, k: int) -> ConeLaw:
    along = 0.5 * (rows.diagonal[3 * k] + rows.diagonal[3 * k + 1])
    return ConeLaw(
        along, rows.diagonal[3 * k + 2], rows.compliance[3 * k + 2], rows.friction[k], rows.extra[k]
    )


@routine
def _allowed(rows: _Rows, row: int, z: float) -> float:
    """An impulse of a joint row brought into what is allowed: not negative, or within its box."""
    bounded = row - (len(rows.bias) - len(rows.box))
    if bounded < 0:
        return max(z, 0.0)
    bound: float = rows.box[bounded]
    return min(max(z, -bound), bound)


@routine
def _merit(rows: _Rows, p: Array, w: Array, reach: float) -> float:
    """Sum of the squares of the natural map, weighted so that it is an energy, J."""
    contacts, total = len(rows.friction), 0.0
    for k in range(contacts):
        cone = _law(rows, k)
        f1, f2, fn = newton_step.natural_cone(cone, p[3 * k : 3 * k + 3], w[3 * k : 3 * k + 3], reach)
        total += cone.tangential * (f1 * f1 + f2 * f2) + cone.normal * fn * fn
    for row in range(3 * contacts, len(p)):
        allowed = _allowed(rows, row, p[row] - reach / rows.diagonal[row] * w[row])
        total += rows.diagonal[row] * (p[row] - allowed) ** 2
    return total


@routine
def _add_contacts(
    rows: _Rows, p: Array, w: Array, kind: Array, softness: float, system: Array, shift: Array
) -> None:
    """The rows of the contacts in `K W` and in the right side."""
    matrix = rows.matrix
    for k in range(len(rows.friction)):
        r = 3 * k
        linear = newton_step.linear_cone(
            _law(rows, k), p[r : r + 3], w[r : r + 3], kind[0], softness, kind[3]
        )
        for i in range(3):
            shift[r + i] = linear.shift[i]
        for j in range(len(p)):
            # The compliance of the normal direction is part of the spring.
            third = matrix[r + 2, j] - (rows.compliance[r + 2] if j == r + 2 else 0.0)
            first, second = matrix[r, j], matrix[r + 1, j]
            system[r, j] = linear.along[0] * first + linear.along[1] * second + linear.lean[0] * third
            system[r + 1, j] = linear.along[1] * first + linear.along[2] * second + linear.lean[1] * third
            system[r + 2, j] = linear.normal * third


@routine
def _add_joints(
    rows: _Rows, p: Array, w: Array, reach: float, softness: float, system: Array, shift: Array
) -> None:
    """The rows of joint limits and dry friction in `K W` and in the right side."""
    for row in range(3 * len(rows.friction), len(p)):
        z = p[row] - reach / rows.diagonal[row] * w[row]
        bounded = row - (len(p) - len(rows.box))
        moves = z > 0.0 if bounded < 0 else abs(z) < rows.box[bounded]
        stiffness = 1.0 / (softness * rows.diagonal[row]) if moves else 0.0
        shift[row] = -w[row] * stiffness if moves else _allowed(rows, row, z) - p[row]
        for j in range(len(p)):
            system[row, j] = stiffness * rows.matrix[row, j]


@routine
def _direction(rows: _Rows, p: Array, w: Array, kind: Array, softness: float) -> Array:
    """Newton's change (n,) of the impulses: `(1 + K W) dp = shift` with the springs K of contacts and rows."""
    system, shift = np.empty((len(p), len(p))), np.empty(len(p))
    _add_contacts(rows, p, w, kind, softness, system, shift)
    _add_joints(rows, p, w, kind[0], softness, system, shift)
    for row in range(len(p)):
        system[row, row] += 1.0
    solve_in_place(system, shift)
    return shift


@routine
def _advance(
    rows: _Rows, p: Array, w: Array, change: Array, reach: float, allowed: float, ahead_p: Array
) -> float:
    """Impulses after a step that is halved until its merit is below what is allowed; gives that merit."""
    turned = np.empty(len(p))
    velocities(rows.matrix, np.zeros(len(p)), change, turned)
    length, merit = 2.0, np.inf
    for _ in range(HALVINGS + 1):
        if merit < allowed:
            break
        length *= 0.5
        ahead_p[:] = p + length * change
        merit = _merit(rows, ahead_p, w + length * turned, reach)
    return merit


@routine
def _differ(one: Array, other: Array) -> bool:
    differ = False
    for k in range(len(one)):
        differ = differ or one[k] != other[k]
    return differ


@routine
def newton_round(
    matrix: Array,
    bias: Array,
    friction: Array,
    extra: Array,
    box: Array,
    compliance: Array,
    p: Array,
    w: Array,
    kinds: Array,
    scale: float,
    tolerance: float,
) -> tuple[int, float]:
    """Steps of the given kinds (steps, 4) from impulses p, in place; gives their number and the natural-map residual.

    scale: of impulses, N s. tolerance: of the residual, N s. p and w become the best that was found.
    """
    rows = _Rows(matrix, bias, _positive_diagonal(matrix), friction, extra, box, compliance)
    ahead, best, merits = np.empty(len(p)), p.copy(), np.zeros(MEMORY)
    velocities(matrix, bias, p, w)
    residual = natural_map(rows.diagonal, friction, extra, box, p, w)
    least, count = residual, 0
    while count < len(kinds) and least > tolerance:
        kind = kinds[count]
        softness = max(kind[1] * residual / scale, kind[2])
        softness = min(max(softness, LEAST_SOFTNESS), MOST_SOFTNESS)
        if count > 0 and _differ(kind, kinds[count - 1]):
            merits[:] = 0.0
        merits[1:] = merits[:-1]
        merits[0] = _merit(rows, p, w, kind[0])
        count += 1
        change = _direction(rows, p, w, kind, softness)
        if not _advance(rows, p, w, change, kind[0], np.max(merits), ahead) < np.inf:
            break
        p[:] = ahead
        velocities(matrix, bias, p, w)
        residual = natural_map(rows.diagonal, friction, extra, box, p, w)
        if residual < least:
            least = residual
            best[:] = p
    p[:] = best
    velocities(matrix, bias, p, w)
    return count, least
