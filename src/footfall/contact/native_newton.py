"""Newton's method on the natural map of all contacts together, in their impulses, as native code.

Contacts and rows are made linear by `newton_step`, as in a native time step; there the robot's velocities are solved
for, here the impulses themselves, so that a problem needs nothing but its matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler.native_loops import native_loop
from footfall.contact import local_cone, newton_step
from footfall.contact.native_sweeps import compile_along, natural_map, source_hash, velocities
from footfall.contact.newton_schedule import HALVINGS, LEAST_SOFTNESS, MOST_SOFTNESS, ONE_ROUND
from footfall.contact.newton_step import ConeLaw

Array = np.ndarray[Any, np.dtype[np.float64]]

ROUND = np.array(ONE_ROUND)  # (steps, 4)

for _function in (
    newton_step.natural_cone,
    newton_step.linear_cone,
    newton_step._target,
):
    compile_along(_function)


def _build_newton_round(source: str) -> Any:
    @native_loop
    def law(diagonal: Array, friction: Array, extra: Array, compliance: Array, k: int) -> ConeLaw:
        along = 0.5 * (diagonal[3 * k] + diagonal[3 * k + 1])
        return ConeLaw(along, diagonal[3 * k + 2], compliance[3 * k + 2], friction[k], extra[k])

    @native_loop
    def merit(
        diagonal: Array,
        friction: Array,
        extra: Array,
        box: Array,
        compliance: Array,
        p: Array,
        w: Array,
        reach: float,
    ) -> float:
        """Sum of the squares of the natural map, weighted so that it is an energy, J."""
        contacts, size, total = len(friction), len(p), 0.0
        for k in range(contacts):
            cone = law(diagonal, friction, extra, compliance, k)
            f1, f2, fn = newton_step.natural_cone(cone, p[3 * k : 3 * k + 3], w[3 * k : 3 * k + 3], reach)
            total += cone.tangential * (f1 * f1 + f2 * f2) + cone.normal * fn * fn
        for row in range(3 * contacts, size):
            bounded = row - (size - len(box))
            z = p[row] - reach / diagonal[row] * w[row]
            allowed = max(z, 0.0) if bounded < 0 else min(max(z, -box[bounded]), box[bounded])
            total += diagonal[row] * (p[row] - allowed) ** 2
        return total

    @native_loop
    def direction(
        matrix: Array,
        diagonal: Array,
        friction: Array,
        extra: Array,
        box: Array,
        compliance: Array,
        p: Array,
        w: Array,
        kind: Array,
        softness: float,
    ) -> Array:
        """Newton's change (n,) of the impulses: `(1 + K W) dp = shift` with the springs K of contacts and rows."""
        contacts, size = len(friction), len(p)
        reach, leaning = kind[0], kind[3]
        system, shift = np.empty((size, size)), np.empty(size)
        for k in range(contacts):
            r = 3 * k
            cone = law(diagonal, friction, extra, compliance, k)
            linear = newton_step.linear_cone(cone, p[r : r + 3], w[r : r + 3], reach, softness, leaning)
            for i in range(3):
                shift[r + i] = linear.shift[i]
            for j in range(size):
                # The compliance of the normal direction is part of the spring.
                third = matrix[r + 2, j] - (compliance[r + 2] if j == r + 2 else 0.0)
                first, second = matrix[r, j], matrix[r + 1, j]
                system[r, j] = linear.along[0] * first + linear.along[1] * second + linear.lean[0] * third
                system[r + 1, j] = linear.along[1] * first + linear.along[2] * second + linear.lean[1] * third
                system[r + 2, j] = linear.normal * third
        for row in range(3 * contacts, size):
            bounded = row - (size - len(box))
            z = p[row] - reach / diagonal[row] * w[row]
            moves = z > 0.0 if bounded < 0 else abs(z) < box[bounded]
            allowed = 0.0 if bounded < 0 else min(max(z, -box[bounded]), box[bounded])
            stiffness = 1.0 / (softness * diagonal[row]) if moves else 0.0
            shift[row] = -w[row] * stiffness if moves else allowed - p[row]
            for j in range(size):
                system[row, j] = stiffness * matrix[row, j]
        for row in range(size):
            system[row, row] += 1.0
        shift[:] = np.linalg.solve(system, shift)
        return shift

    @native_loop
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
        _ = source
        size = len(p)
        diagonal, turned, none = np.empty(size), np.empty(size), np.zeros(size)
        ahead_p, ahead_w, best = np.empty(size), np.empty(size), p.copy()
        largest = 0.0
        for row in range(size):
            largest = max(largest, matrix[row, row])
        for row in range(size):
            diagonal[row] = max(matrix[row, row], 1e-12 * largest + 1e-280)
        velocities(matrix, bias, p, w)
        residual = natural_map(diagonal, friction, extra, box, p, w)
        least, count = residual, 0
        while count < len(kinds) and least > tolerance:
            kind = kinds[count]
            count += 1
            softness = max(kind[1] * residual / scale, kind[2])
            softness = min(max(softness, LEAST_SOFTNESS), MOST_SOFTNESS)
            change = direction(matrix, diagonal, friction, extra, box, compliance, p, w, kind, softness)
            velocities(matrix, none, change, turned)
            before = merit(diagonal, friction, extra, box, compliance, p, w, kind[0])
            length, after = 2.0, np.inf
            for _ in range(HALVINGS + 1):
                if after < before:
                    break
                length *= 0.5
                for row in range(size):
                    ahead_p[row] = p[row] + length * change[row]
                    ahead_w[row] = w[row] + length * turned[row]
                after = merit(diagonal, friction, extra, box, compliance, ahead_p, ahead_w, kind[0])
            if not after < np.inf:
                break
            p[:] = ahead_p
            velocities(matrix, bias, p, w)
            residual = natural_map(diagonal, friction, extra, box, p, w)
            if residual < least:
                least = residual
                best[:] = p
        p[:] = best
        velocities(matrix, bias, p, w)
        return count, least

    return newton_round


newton_round = _build_newton_round(source_hash(newton_step, local_cone))
