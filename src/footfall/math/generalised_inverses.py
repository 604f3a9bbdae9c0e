"""Inverses of matrices that have none: pseudo-, damped and weighted (Robotic Systems Lab 2022). Floats only.

Every rank decision is explicit: singular values below `tolerance` times the largest count as zero. The default suits
Jacobians projected into null spaces, whose vanishing singular values are of the size of rounding (RSL 2022).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array

RANK_TOLERANCE = 1e-6


class Decomposition(NamedTuple):
    """Singular value decomposition `left @ diag(values) @ right`, cut to the rank: (m, r), (r,), (r, n)."""

    left: Array
    values: Array
    right: Array

    @property
    def rank(self) -> int:
        return len(self.values)


def decompose(
    matrix: Array, *, tolerance: float = RANK_TOLERANCE, scale: float | None = None
) -> Decomposition:
    """Singular values above `tolerance` times scale (default: the largest one) and their vectors."""
    matrix = np.asarray(matrix, dtype=np.float64)
    if 0 in matrix.shape:
        return Decomposition(np.zeros((len(matrix), 0)), np.zeros(0), np.zeros((0, matrix.shape[1])))
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    largest = values[0] if scale is None else scale
    rank = int(np.count_nonzero(values > tolerance * largest))
    return Decomposition(left[:, :rank], values[:rank], right[:rank])


def pseudo_inverse(matrix: Array, *, tolerance: float = RANK_TOLERANCE, scale: float | None = None) -> Array:
    """Moore-Penrose inverse (n, m) of a matrix (m, n), RSL 2022, (2.197)-(2.204)."""
    left, values, right = decompose(matrix, tolerance=tolerance, scale=scale)
    return (right.T / values) @ left.T


def damped_inverse(matrix: Array, damping: float) -> Array:
    """`A^T (A A^T + damping^2)^-1` (n, m), RSL 2022, (2.207); damping in the unit of the matrix, zero: the
    pseudo-inverse."""
    left, values, right = decompose(matrix, tolerance=0.0 if damping > 0.0 else RANK_TOLERANCE)
    return (right.T * (values / (values * values + damping * damping))) @ left.T


def task_weighted_inverse(matrix: Array, weights: Array, *, tolerance: float = RANK_TOLERANCE) -> Array:
    """The inverse (n, m) that minimises errors weighted by `weights` (m,), RSL 2022, (2.215); any rank."""
    root = np.sqrt(np.asarray(weights, dtype=np.float64))
    return pseudo_inverse(root[:, None] * matrix, tolerance=tolerance) * root


def motion_weighted_inverse(matrix: Array, weights: Array, *, tolerance: float = RANK_TOLERANCE) -> Array:
    """The inverse (n, m) whose solutions x have the least `sum weights x^2`; weights (n,) positive.

    Schwienbacher 2014, (4.12).
    For full row rank it is `W^-1 A^T (A W^-1 A^T)^-1`.
    """
    root = np.sqrt(np.asarray(weights, dtype=np.float64))
    return pseudo_inverse(matrix / root, tolerance=tolerance) / root[:, None]


def null_space_projector(matrix: Array, *, tolerance: float = RANK_TOLERANCE) -> Array:
    """N (n, n), orthogonal, with `A N = 0`, RSL 2022, (2.210)."""
    right = decompose(matrix, tolerance=tolerance).right
    return np.eye(right.shape[1]) - right.T @ right


def null_space_basis(matrix: Array, *, tolerance: float = RANK_TOLERANCE) -> Array:
    """Orthonormal columns (n, n - rank) that span what the matrix maps to zero."""
    matrix = np.asarray(matrix, dtype=np.float64)
    rank = decompose(matrix, tolerance=tolerance).rank
    if rank == 0:
        return np.eye(matrix.shape[1])
    return np.linalg.svd(matrix)[2][rank:].T


def filtered_inverse(matrix: Array, *, threshold: float, damping: float) -> Array:
    """An inverse (n, m) that damps only directions in trouble, and starts before they are lost.

    Singular values above threshold are inverted exactly; below, damping grows smoothly from zero to its full value at
    a singular value of zero, so that nothing jumps (Schwienbacher 2014, chapter 4). Both in the unit of the matrix.
    """
    left, values, right = decompose(matrix, tolerance=0.0)
    lost = np.clip(1.0 - values / threshold, 0.0, 1.0) if threshold > 0.0 else np.zeros_like(values)
    scale = values / (values * values + (damping * lost * (2.0 - lost)) ** 2)
    return (right.T * scale) @ left.T


class Singularity(NamedTuple):
    """How close a Jacobian (m, n) is to losing a direction, Schwienbacher 2014, (4.22).

    singular_values (min(m, n),), largest first; manipulability: their product; condition: largest over smallest;
    rank: how many count.
    """

    singular_values: Array
    manipulability: float
    condition: float
    rank: int


def singularity(matrix: Array, *, tolerance: float = RANK_TOLERANCE) -> Singularity:
    """Singular values, manipulability, condition number and rank."""
    values = np.linalg.svd(np.asarray(matrix, dtype=np.float64), compute_uv=False)
    if len(values) == 0:
        return Singularity(values, 1.0, 1.0, 0)  # nothing is lost of nothing
    largest, smallest = float(values[0]), float(values[-1])
    condition = largest / smallest if smallest > 0.0 else np.inf
    rank = int(np.count_nonzero(values > tolerance * largest))
    return Singularity(values, float(np.prod(values)), condition, rank)
