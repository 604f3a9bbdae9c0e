"""Whole-body control as native code: the equation of motion and the contacts are eliminated, then priorities solved.

Accelerations a and contact forces f that obey the rows without a drive and the contacts are `start + basis y`; torques
follow from them. What is left are few coordinates y and no equations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler.routines import routine
from footfall.control.native_hierarchy import solve_levels
from footfall.control.native_program import combined, inner, values_of
from footfall.control.native_rows import least_squares, product, transposed

Array = np.ndarray[Any, np.dtype[np.float64]]

_RANK = 1e-8  # of contacts, and of the equation of motion, whose rows have different units


@routine
def solve_stance(
    mass: Array,
    forces: Array,
    jacobian: Array,
    jacobian_bias: Array,
    driven: Any,
    undriven: Any,
    motion: Array,
    asked: Array,
    sources: Any,
    wanted: Array,
    cones: Array,
    cone_places: Any,
    least: Array,
    bounded: Any,
    lower: Array,
    upper: Array,
    efforts: Array,
    weights: Array,
    ends: Any,
    tolerance: float,
) -> tuple[int, Any, Any, int, float]:
    """Status, x = (a; f; tau), what each row misses (m,), the directions that no task decides, the worst missed limit.

    mass (nv, nv), forces (nv,), jacobian (rows, nv), jacobian_bias (rows,): see `ConstrainedSystem`. motion (k, nv) and
    asked (k,): rows on accelerations and what they should give. sources (m,): what each row of the tasks is, an entry
    of x that should be wanted (m,), or motion row -1 - source if it is negative; with weights (m,) and the ends
    (levels,) of priorities. cones (c, 6), cone_places (c,) and least (c,): each row times the contact forces from its
    place on is at least that. bounded (b + e,), lower and upper (b,), efforts (e,): entries of x with bounds, then
    those whose size is bounded.
    """
    rows, missing, limits, low, high, x, basis = reduced_stance(
        mass,
        forces,
        jacobian,
        jacobian_bias,
        driven,
        undriven,
        motion,
        asked,
        sources,
        wanted,
        cones,
        cone_places,
        least,
        bounded,
        lower,
        upper,
        efforts,
    )
    status, y, _, freedom = solve_levels(
        rows, missing, weights, ends, limits, low, high, np.zeros(basis.shape[1]), tolerance
    )
    x += values_of(basis, y)
    missing -= values_of(rows, y)
    worst, reached = 0.0, values_of(limits, y)
    for i in range(len(low)):
        worst = max(worst, low[i] - reached[i], reached[i] - high[i])
    return status, x, missing, freedom, worst


@routine
def reduced_stance(
    mass: Array,
    forces: Array,
    jacobian: Array,
    jacobian_bias: Array,
    driven: Any,
    undriven: Any,
    motion: Array,
    asked: Array,
    sources: Any,
    wanted: Array,
    cones: Array,
    cone_places: Any,
    least: Array,
    bounded: Any,
    lower: Array,
    upper: Array,
    efforts: Array,
) -> tuple[Any, Any, Any, Any, Any, Any, Any]:
    """The problem in y with `x = start + basis y`: rows of the tasks and what they miss, limits and their bounds, start
    and basis. The arguments are those of `solve_stance`."""
    nv, contacts = len(forces), len(jacobian)
    start, basis = physical_motions(mass, forces, jacobian, jacobian_bias, driven, undriven)
    size = basis.shape[1]
    rows, missing = np.empty((len(wanted), size)), np.empty(len(wanted))
    moved, begun = product(motion, basis[:nv]), values_of(motion, start[:nv])
    for i in range(len(wanted)):
        source = sources[i]
        if source >= 0:
            missing[i] = wanted[i] - start[source]
            for j in range(size):
                rows[i, j] = basis[source, j]
        else:
            missing[i] = asked[-1 - source] - begun[-1 - source]
            for j in range(size):
                rows[i, j] = moved[-1 - source, j]
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
        entry, force = bounded[i], i - len(lower)
        low[count + i] = (lower[i] if force < 0 else -efforts[force]) - start[entry]
        high[count + i] = (upper[i] if force < 0 else efforts[force]) - start[entry]
        for j in range(size):
            limits[count + i, j] = basis[entry, j]
    return rows, missing, limits, low, high, start, basis


@routine
def physical_motions(
    mass: Array, forces: Array, jacobian: Array, jacobian_bias: Array, driven: Any, undriven: Any
) -> tuple[Any, Any]:
    """A start (n,) and a basis (n, k) of all x = (a; f; tau) that obey the equation of motion and the contacts."""
    nv, contacts = len(forces), len(jacobian)
    acceleration, motions, _ = least_squares(jacobian, -jacobian_bias, _RANK * _norm(jacobian))
    kept = motions.shape[1]
    rows, wanted = _undriven_rows(mass, forces, jacobian, undriven, acceleration, motions)
    mixed, left, _ = least_squares(rows, wanted, _RANK * _norm(rows))
    size, places = left.shape[1], nv + contacts
    start, basis = np.empty(places + len(driven)), np.empty((places + len(driven), size))
    moved = product(motions, left[:kept])
    begun = values_of(motions, mixed[:kept])
    for i in range(nv):
        start[i] = acceleration[i] + begun[i]
        for j in range(size):
            basis[i, j] = moved[i, j]
    for i in range(contacts):
        start[nv + i] = mixed[kept + i]
        for j in range(size):
            basis[nv + i, j] = left[kept + i, j]
    needed, relief = values_of(mass, start[:nv]), combined(start[nv:places], jacobian)
    torques, eased = product(mass, moved), product(transposed(jacobian, nv), left[kept:])
    for i in range(len(driven)):  # 002 (3.110)
        row = driven[i]
        start[places + i] = forces[row] + needed[row] - relief[row]
        for j in range(size):
            basis[places + i, j] = torques[row, j] - eased[row, j]
    return start, basis


@routine
def _undriven_rows(
    mass: Array, forces: Array, jacobian: Array, undriven: Any, acceleration: Array, motions: Array
) -> tuple[Any, Any]:
    """The equation of motion without a drive, in the motions that contacts allow and the contact forces."""
    free, kept, contacts = len(undriven), motions.shape[1], len(jacobian)
    heavy, rows, wanted = np.empty((free, len(forces))), np.empty((free, kept + contacts)), np.empty(free)
    for i in range(free):
        index = undriven[i]
        for j in range(len(forces)):
            heavy[i, j] = mass[index, j]
        wanted[i] = -forces[index] - inner(heavy[i], acceleration)
        for j in range(contacts):
            rows[i, kept + j] = -jacobian[j, index]
    seen = product(heavy, motions)
    for i in range(free):
        for j in range(kept):
            rows[i, j] = seen[i, j]
    return rows, wanted


@routine
def _norm(matrix: Array) -> float:
    square = 0.0
    for i in range(len(matrix)):
        square += inner(matrix[i], matrix[i])
    return np.sqrt(square)  # type: ignore[no-any-return]
