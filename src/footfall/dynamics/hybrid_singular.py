"""Constraints that are redundant, singular or in conflict: other answers than priority by order.

Devaramani 2019, chapter 3.
`hybrid_dynamics` leaves out components that depend on earlier ones. Here forces are shared among them (truncated),
or kept small near singular configurations (damped), and contradictions are reported by name. One state at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.hybrid import HybridMotion, constraint_system, motion_under_constraint_forces
from footfall.dynamics.hybrid_constraints import Constraint, constraint_labels, constraint_rows
from footfall.errors import NoSolution, UnknownName
from footfall.robot.model import Robot

Policy = Literal["truncated", "damped"]

_CONFLICT = 1e-8  # of the greatest acceleration that is asked for; below it is rounding


class Resolution(NamedTuple):
    """motion: residuals and kept as in `hybrid_dynamics`, but kept has the rank's share of each component in [0, 1].

    rank: of the constraints. redundant: components that other ones imply, by name. conflicts: those that
    contradict each other, with what is missed of their set-points.
    """

    motion: HybridMotion
    rank: int
    redundant: tuple[str, ...]
    conflicts: dict[str, float]


def resolve_constraints(
    robot: Robot,
    q: Array,
    v: Array,
    tau: Array,
    *,
    constraints: Sequence[Constraint],
    setpoints: Array | None = None,
    policy: Policy = "truncated",
    tolerance: float = 1e-10,
    damping: float = 1e-4,
    strict: bool = False,
    **options: Any,
) -> Resolution:
    """`hybrid_dynamics` of one state q (nq,), v (nv,), tau (nv,) with constraints that may depend on each other.

    policy: "truncated" gives the smallest forces that fulfil the constraints best; directions in which unit forces
    accelerate less than `tolerance` times the greatest count as lost. "damped" trades accuracy for forces that stay
    small everywhere: `(L L + d^2) f = L r` with d = damping times the norm of L. strict: raise
    `NoSolution` instead of reporting. options: as in `hybrid_dynamics`.
    """
    goal = np.zeros(constraint_rows(constraints)) if setpoints is None else np.asarray(setpoints, dtype=float)
    segments, active = options.pop("segments", ()), options.pop("active", None)
    on = np.ones(len(goal)) if active is None else np.asarray(active, dtype=float)
    system = constraint_system(robot, q, v, tau, constraints=constraints, active=on, **options)
    missing = goal * on - system.free_accelerations
    values, vectors = np.linalg.eigh(system.matrix)
    kept = values > tolerance * values[-1:].max(initial=0.0)
    forces = _forces(values, vectors, kept, missing, policy, damping)
    motion = motion_under_constraint_forces(
        robot, q, v, tau, constraints=constraints, forces=forces * on, segments=segments, **options
    )
    residuals = (goal + motion.residuals) * on
    # How much of a component lies in the lost directions says whether others imply it.
    lost = vectors[:, ~kept]
    shares = 1.0 - (lost**2).sum(axis=1)
    labels = constraint_labels(constraints)
    contradiction = lost @ (lost.T @ missing)
    bound = _CONFLICT * max(np.abs(missing).max(initial=0.0), 1.0)
    conflicts = {labels[k]: float(contradiction[k]) for k in np.flatnonzero(np.abs(contradiction) > bound)}
    if strict and conflicts:
        raise NoSolution("no motion fulfils all constraints (m/s2 or rad/s2)", conflicts)
    redundant = tuple(labels[k] for k in np.flatnonzero((shares < 1.0 - 1e-6) & (on > 0.0)))
    motion = motion._replace(residuals=residuals, kept=shares)
    return Resolution(motion, int(kept.sum()), redundant, conflicts)


def _forces(
    values: Array, vectors: Array, kept: Array, missing: Array, policy: Policy, damping: float
) -> Array:
    """Constraint forces (m,) from the eigenvalues and eigenvectors of the system."""
    along = vectors.T @ missing
    if policy == "truncated":
        return vectors @ np.where(kept, along / np.where(kept, values, 1.0), 0.0)
    if policy == "damped":
        limit = damping * max(values[-1:].max(initial=0.0), np.finfo(float).tiny)
        damped: Array = vectors @ (values / (values**2 + limit**2) * along)
        return damped
    raise UnknownName("policy", policy, ("truncated", "damped"), "resolve_constraints")
