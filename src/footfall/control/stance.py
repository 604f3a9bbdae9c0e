"""Whole-body control of a robot in contact: the equation of motion and the contacts are eliminated, then priorities
solved.

Accelerations a and contact forces f that obey the rows without a drive and the contacts are `start + basis y`; torques
follow from them. What is left are few coordinates y and no equations.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.routines import routine
from footfall.control.dual_active_set import RowLimits
from footfall.control.least_squares import least_squares
from footfall.control.priorities import Levels, solve_levels

_RANK = 1e-8  # of contacts, and of the equation of motion, whose rows have different units


class StanceDynamics(NamedTuple):
    """What physics says of x = (a; f; tau), see `ConstrainedSystem`: `mass a + forces = jacobian^T f + tau` in the
    driven rows, the same without tau in the undriven ones, and `jacobian a + jacobian_bias = 0`.

    mass (nv, nv), forces (nv,), jacobian (rows, nv), jacobian_bias (rows,); driven, undriven: which rows are.
    """

    mass: Array
    forces: Array
    jacobian: Array
    jacobian_bias: Array
    driven: Integers
    undriven: Integers


class StanceTasks(NamedTuple):
    """Rows of tasks by priority.

    motion (k, nv) and asked (k,): rows on accelerations and what they should give. own (o, n): rows on all of x, of
    tasks that are not built in. sources (m,): what each row is: an entry of x that should be wanted (m,), or if it is
    negative motion row -1 - source, and after these a row of one's own that should be wanted. weights (m,). one_sided
    (m,): rows that should be at least that. ends (levels,): where priorities end.
    """

    motion: Array
    asked: Array
    own: Array
    sources: Integers
    wanted: Array
    weights: Array
    one_sided: Flags
    ends: Integers


class StanceLimits(NamedTuple):
    """Bounds on contact forces, accelerations and torques, and on what distances of volumes do.

    cones (c, 6), cone_places (c,) and least (c,): each row times the contact forces from its place on is at least that.
    bounded (b + e,), lower and upper (b,), efforts (e,): entries of x with bounds, then those whose size is bounded.
    distances (d, nv), parting (d,): rows on accelerations that are at least that.
    """

    cones: Array
    cone_places: Integers
    least: Array
    bounded: Integers
    lower: Array
    upper: Array
    efforts: Array
    distances: Array
    parting: Array


class StanceSolution(NamedTuple):
    """status: of `dual_active_set`. x = (a; f; tau). missing (m,): by row. freedom: directions that no task decides.
    worst: by how much the worst limit is missed."""

    status: int
    x: Array
    missing: Array
    freedom: int
    worst: float


class PhysicalMotions(NamedTuple):
    """All x = start + basis y that obey the equation of motion and the contacts: (n,) and (n, k)."""

    start: Array
    basis: Array


class ReducedStance(NamedTuple):
    """The problem in y: rows (m, k) of the tasks and what they miss (m,) at y = 0; limits on y; what y stands for."""

    rows: Array
    missing: Array
    limits: RowLimits
    motions: PhysicalMotions


@routine
def solve_stance(
    stance: StanceDynamics, tasks: StanceTasks, limits: StanceLimits, tolerance: float
) -> StanceSolution:
    """The x that is best for each priority in turn, within physics and limits; tolerance: see `solve_levels`."""
    reduced = reduce_stance(stance, tasks, limits)
    start, basis = reduced.motions.start, reduced.motions.basis
    levels = Levels(reduced.rows, reduced.missing, tasks.weights, tasks.one_sided, tasks.ends)
    found = solve_levels(levels, reduced.limits, np.zeros(basis.shape[1]), tolerance)
    worst, reached = 0.0, reduced.limits.rows @ found.x
    for least, most, value in zip(reduced.limits.lower, reduced.limits.upper, reached, strict=True):
        worst = max(worst, least - value, value - most)
    missing = reduced.missing - reduced.rows @ found.x
    for i in range(len(missing)):
        if tasks.one_sided[i]:
            missing[i] = max(missing[i], 0.0)
    return StanceSolution(found.status, start + basis @ found.x, missing, found.freedom, worst)


@routine
def reduce_stance(stance: StanceDynamics, tasks: StanceTasks, limits: StanceLimits) -> ReducedStance:
    """The problem in the motions and forces that physics leaves free."""
    motions = physical_motions(stance)
    nv, count, size = len(stance.forces), len(tasks.wanted), motions.basis.shape[1]
    rows, missing = np.empty((count, size)), np.empty(count)
    moved, begun = tasks.motion @ motions.basis[:nv], tasks.motion @ motions.start[:nv]
    own, own_begun, motions_of_tasks = tasks.own @ motions.basis, tasks.own @ motions.start, len(tasks.motion)
    for i, source in enumerate(tasks.sources):
        row = -1 - source
        if source >= 0:
            missing[i] = tasks.wanted[i] - motions.start[source]
            rows[i] = motions.basis[source]
        elif row < motions_of_tasks:
            missing[i] = tasks.asked[row] - begun[row]
            rows[i] = moved[row]
        else:
            missing[i] = tasks.wanted[i] - own_begun[row - motions_of_tasks]
            rows[i] = own[row - motions_of_tasks]
    return ReducedStance(rows, missing, _reduced_limits(stance, limits, motions), motions)


@routine
def _reduced_limits(stance: StanceDynamics, limits: StanceLimits, motions: PhysicalMotions) -> RowLimits:
    """The limits as rows on y."""
    nv, cones, start = len(stance.forces), len(limits.least), motions.start
    apart = cones + len(limits.bounded)  # where distances begin
    rows = np.zeros((apart + len(limits.parting), motions.basis.shape[1]))
    lower, upper = np.empty(len(rows)), np.full(len(rows), np.inf)
    for i, place in enumerate(limits.cone_places):
        lower[i] = limits.least[i]
        for k in range(min(6, len(stance.jacobian) - place)):
            weight, entry = limits.cones[i, k], nv + place + k
            if weight != 0.0:
                lower[i] -= weight * start[entry]
                rows[i] += weight * motions.basis[entry]
    for i, entry in enumerate(limits.bounded):
        force = i - len(limits.lower)
        least = limits.lower[i] if force < 0 else -limits.efforts[force]
        most = limits.upper[i] if force < 0 else limits.efforts[force]
        lower[cones + i], upper[cones + i] = least - start[entry], most - start[entry]
        rows[cones + i] = motions.basis[entry]
    for i, row in enumerate(limits.distances):
        lower[apart + i] = limits.parting[i] - row @ start[:nv]
        rows[apart + i] = row @ motions.basis[:nv]
    return RowLimits(rows, lower, upper)


@routine
def physical_motions(stance: StanceDynamics) -> PhysicalMotions:
    """First the accelerations that contacts allow, then what of them and of the forces needs no drive."""
    jacobian, nv, contacts = stance.jacobian, len(stance.forces), len(stance.jacobian)
    held = least_squares(jacobian, -stance.jacobian_bias, _RANK * _norm(jacobian))
    kept = held.free.shape[1]
    rows, wanted = _undriven_rows(stance, held.x, held.free)
    mixed = least_squares(rows, wanted, _RANK * _norm(rows))
    places = nv + contacts
    start = np.empty(places + len(stance.driven))
    basis = np.empty((len(start), mixed.free.shape[1]))
    start[:nv] = held.x + held.free @ mixed.x[:kept]
    basis[:nv] = held.free @ mixed.free[:kept]
    start[nv:places] = mixed.x[kept:]
    basis[nv:places] = mixed.free[kept:]
    needed, relief = stance.mass @ start[:nv], start[nv:places] @ jacobian
    torques, eased = stance.mass @ basis[:nv], jacobian.T @ basis[nv:places]
    for i, row in enumerate(stance.driven):  # RSL 2022, (3.110)
        start[places + i] = stance.forces[row] + needed[row] - relief[row]
        basis[places + i] = torques[row] - eased[row]
    return PhysicalMotions(start, basis)


@routine
def _undriven_rows(stance: StanceDynamics, acceleration: Array, motions: Array) -> tuple[Array, Array]:
    """The equation of motion without a drive, in the motions that contacts allow and the contact forces."""
    free, kept, contacts = len(stance.undriven), motions.shape[1], len(stance.jacobian)
    heavy, rows, wanted = (
        np.empty((free, len(stance.forces))),
        np.empty((free, kept + contacts)),
        np.empty(free),
    )
    for i, row in enumerate(stance.undriven):
        heavy[i] = stance.mass[row]
        wanted[i] = -stance.forces[row] - heavy[i] @ acceleration
        for j in range(contacts):
            rows[i, kept + j] = -stance.jacobian[j, row]
    seen = heavy @ motions
    for i in range(free):
        rows[i, :kept] = seen[i]
    return rows, wanted


@routine
def _norm(matrix: Array) -> float:
    square = 0.0
    for row in matrix:
        square += row @ row
    return math.sqrt(square)
