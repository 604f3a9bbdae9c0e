"""Whole-body control as native code: the equation of motion and the contacts are eliminated, then priorities solved.

Accelerations a and contact forces f that obey the rows without a drive and the contacts are `start + basis y`; torques
follow from them. What is left are few coordinates y and no equations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler.native_loops import native_loop
from footfall.control.native_hierarchy import solve_levels
from footfall.control.native_program import combined, inner
from footfall.control.native_rows import least_squares, product

Array = np.ndarray[Any, np.dtype[np.float64]]

_RANK = 1e-8  # of contacts, and of the equation of motion, whose rows have different units


@native_loop
def solve_stance(
    mass: Array,
    forces: Array,
    jacobian: Array,
    jacobian_bias: Array,
    driven: Any,
    undriven: Any,
    motion: Array,
    sources: Any,
    wanted: Array,
    weights: Array,
    ends: Any,
    cones: Array,
    cone_places: Any,
    least: Array,
    bounded: Any,
    lower: Array,
    upper: Array,
    tolerance: float,
) -> tuple[int, Any, Any, int, float]:
    """Status, x = (a; f; tau), what each row misses (m,), the directions that no task decides, the worst missed limit.

    mass (nv, nv), forces (nv,), jacobian (rows, nv), jacobian_bias (rows,): see `ConstrainedSystem`. motion (k, nv):
    rows on accelerations. sources (m,): what each row of the tasks is, an entry of x, or motion row -1 - source if it
    is negative; with wanted (m,), weights (m,) and the ends (levels,) of priorities. cones (c, 6), cone_places (c,) and
    least (c,): each row times the contact forces from its place on is at least that. bounded (b,), lower, upper (b,):
    entries of x and their bounds.
    """
    rows, missing, limits, low, high, x, basis = reduced_stance(
        mass,
        forces,
        jacobian,
        jacobian_bias,
        driven,
        undriven,
        motion,
        sources,
        wanted,
        cones,
        cone_places,
        least,
        bounded,
        lower,
        upper,
    )
    status, y, _, freedom = solve_levels(
        rows, missing, weights, ends, limits, low, high, np.zeros(basis.shape[1]), tolerance
    )
    for i in range(len(x)):
        x[i] += inner(basis[i], y)
    for i in range(len(wanted)):
        missing[i] -= inner(rows[i], y)
    worst = 0.0
    for i in range(len(low)):
        value = inner(limits[i], y)
        worst = max(worst, low[i] - value, value - high[i])
    return status, x, missing, freedom, worst


@native_loop
def reduced_stance(
    mass: Array,
    forces: Array,
    jacobian: Array,
    jacobian_bias: Array,
    driven: Any,
    undriven: Any,
    motion: Array,
    sources: Any,
    wanted: Array,
    cones: Array,
    cone_places: Any,
    least: Array,
    bounded: Any,
    lower: Array,
    upper: Array,
) -> tuple[Any, Any, Any, Any, Any, Any, Any]:
    """The problem in y with `x = start + basis y`: rows of the tasks and what they miss, limits and their bounds, start
    and basis. The arguments are those of `solve_stance`."""
    nv, contacts = len(forces), len(jacobian)
    start, basis = physical_motions(mass, forces, jacobian, jacobian_bias, driven, undriven)
    size = basis.shape[1]
    rows, missing = np.empty((len(wanted), size)), np.empty(len(wanted))
    moved = product(motion, basis[:nv])
    for i in range(len(wanted)):
        source = sources[i]
        if source >= 0:
            missing[i] = wanted[i] - start[source]
        else:
            missing[i] = wanted[i] - inner(motion[-1 - source], start[:nv])
        for j in range(size):
            rows[i, j] = basis[source, j] if source >= 0 else moved[-1 - source, j]
    count = len(least)
    limits = np.zeros((count + len(bounded), size))
    low, high = np.empty(len(limits)), np.full(len(limits), np.inf)
    for i in range(count):
        low[i] = least[i]
        for k in range(min(6, contacts - cone_places[i])):
            weight, entry = cones[i, k], nv + cone_places[i] + k
            if weight != 0.0:
                low[i] -= weight * start[entry]
                for j in range(size):
                    limits[i, j] += weight * basis[entry, j]
    for i in range(len(bounded)):
        low[count + i], high[count + i] = lower[i] - start[bounded[i]], upper[i] - start[bounded[i]]
        for j in range(size):
            limits[count + i, j] = basis[bounded[i], j]
    return rows, missing, limits, low, high, start, basis


@native_loop
def physical_motions(
    mass: Array, forces: Array, jacobian: Array, jacobian_bias: Array, driven: Any, undriven: Any
) -> tuple[Any, Any]:
    """A start (n,) and a basis (n, k) of all x = (a; f; tau) that obey the equation of motion and the contacts."""
    nv, contacts, free = len(forces), len(jacobian), len(undriven)
    held, motions = -1.0 * jacobian_bias, np.eye(nv)
    acceleration = np.zeros(nv)
    if contacts > 0:
        acceleration, motions, _ = least_squares(jacobian, held, _RANK * _norm(jacobian))
    kept = motions.shape[1]
    rows, wanted = np.empty((free, kept + contacts)), np.empty(free)
    for i in range(free):
        index = undriven[i]
        wanted[i] = -forces[index] - inner(mass[index], acceleration)
        seen = combined(mass[index], motions)
        for j in range(kept):
            rows[i, j] = seen[j]
        for j in range(contacts):
            rows[i, kept + j] = -jacobian[j, index]
    mixed, left = np.zeros(kept + contacts), np.eye(kept + contacts)
    if free > 0:
        mixed, left, _ = least_squares(rows, wanted, _RANK * _norm(rows))
    size = left.shape[1]
    start, basis = np.zeros(nv + contacts + len(driven)), np.zeros((nv + contacts + len(driven), size))
    moved = product(motions, left[:kept])
    for i in range(nv):
        start[i] = acceleration[i] + inner(motions[i], mixed[:kept])
        for j in range(size):
            basis[i, j] = moved[i, j]
    for i in range(contacts):
        start[nv + i] = mixed[kept + i]
        for j in range(size):
            basis[nv + i, j] = left[kept + i, j]
    needed = np.empty((len(driven), nv + contacts))  # rows of the equation of motion that give torques
    for i in range(len(driven)):
        for k in range(nv):
            needed[i, k] = mass[driven[i], k]
        for k in range(contacts):
            needed[i, nv + k] = -jacobian[k, driven[i]]
    torques = product(needed, basis[: nv + contacts])
    for i in range(len(driven)):
        start[nv + contacts + i] = forces[driven[i]] + inner(needed[i], start[: nv + contacts])
        for j in range(size):
            basis[nv + contacts + i, j] = torques[i, j]
    return start, basis


@native_loop
def _norm(matrix: Array) -> float:
    square = 0.0
    for i in range(len(matrix)):
        square += inner(matrix[i], matrix[i])
    return np.sqrt(square)  # type: ignore[no-any-return]
