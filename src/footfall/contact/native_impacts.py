"""The loop of a sequence of impacts as native code."""

from __future__ import annotations

from footfall.arrays import Array
from footfall.compiler.routines import routine
from footfall.contact import impacts
from footfall.contact.native_sweeps import change, contact_blocks

_STEPS = 12  # of Newton's method in one collision: there is no next sweep that would make up for it


@routine
def impact_sequence(
    matrix: Array,
    friction: Array,
    restitution: Array,
    p: Array,
    w: Array,
    rest_speed: float,
    tolerance: float,
    most: int,
) -> tuple[int, float]:
    """Collide what approaches fastest, one after another; gives how many and the greatest approach that is left."""
    contacts = len(friction)
    blocks = contact_blocks(matrix, contacts)
    for count in range(most):
        fastest, row = -tolerance, -1
        for i in range(contacts):
            if w[3 * i + 2] < fastest:
                fastest, row = w[3 * i + 2], 3 * i + 2
        for k in range(3 * contacts, len(p)):
            if w[k] < fastest:
                fastest, row = w[k], k
        if row < 0:
            return count, 0.0
        if row >= 3 * contacts:
            change(matrix, p, w, row, p[row] - w[row] / matrix[row, row])
            continue
        i = row // 3
        rebound = restitution[i] if -fastest > rest_speed else 0.0
        p1, p2, pn = impacts.collision_impulse(
            blocks[i], w[row - 2], w[row - 1], w[row], friction[i], rebound, _STEPS
        )
        change(matrix, p, w, row - 2, p[row - 2] + p1)
        change(matrix, p, w, row - 1, p[row - 1] + p2)
        change(matrix, p, w, row, p[row] + pn)
    left = 0.0
    for i in range(contacts):
        left = max(left, -w[3 * i + 2])
    for k in range(3 * contacts, len(p)):
        left = max(left, -w[k])
    return most, left
