"""Distances of many random pairs against a minimiser that shares nothing with them, and against coal.

The minimiser tries every active set: the least distance of two simplices is that of the affine hulls of some face of
each, with weights that are not negative. All sets of all pairs are solved side by side in NumPy.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import coal
import numpy as np

from footfall.arrays import Array
from footfall.geometry.swept_distance import swept_distances
from footfall.geometry.swept_sphere import SweptSphere, pack
from tests.geometry.swept_reference import crossing_depth
from tests.peers.volumes import coal_shape

KINDS = {"PP": (1, 1), "PL": (1, 2), "LL": (2, 2), "PT": (1, 3), "LT": (2, 3), "TT": (3, 3)}
_PIECE = 20_000  # pairs at a time
_RADIUS = 0.05  # m


class Check(NamedTuple):
    """Pairs of a kind: how many, how many cross, and the greatest difference, m: where they are apart, and across."""

    kind: str
    pairs: int
    crossing: int
    apart: float
    across: float


def corners(rng: np.random.Generator, count: int, size: int) -> Array:
    """Corners (count, size, 3) of cores in a room of 0.6 m, each in a box of 0.3 m."""
    middles = rng.uniform(-0.3, 0.3, size=(count, 1, 3))
    return np.asarray(middles + rng.uniform(-0.15, 0.15, size=(count, size, 3)))


def by_active_sets(first: Array, second: Array) -> Array:
    """Least distances (n,) of simplices (n, i, 3) and (n, j, 3), m."""
    best = np.full(len(first), np.inf)
    for own in _faces(first.shape[1]):
        for other in _faces(second.shape[1]):
            a, b = first[:, own], second[:, other]
            edges = np.concatenate([-(a[:, 1:] - a[:, :1]), b[:, 1:] - b[:, :1]], axis=1)
            way = b[:, 0] - a[:, 0]
            weights = np.zeros((len(first), edges.shape[1]))
            if edges.shape[1]:
                weights = -(np.linalg.pinv(edges.swapaxes(1, 2), rcond=1e-13) @ way[:, :, None])[:, :, 0]
            one, two = weights[:, : len(own) - 1], weights[:, len(own) - 1 :]
            inside = np.ones(len(first), dtype=bool)
            for part in (one, two):
                inside &= (part >= -1e-12).all(axis=1) & (part.sum(axis=1) <= 1.0 + 1e-12)
            distance = np.linalg.norm(way + np.einsum("nk,nki->ni", weights, edges), axis=1)
            best = np.where(inside & (distance < best), distance, best)
    return best


def check_kind(kind: str, count: int, seed: int = 1) -> Check:
    """Random pairs of a kind against the minimiser, and where they cross against the hull of all differences."""
    rng, sizes = np.random.default_rng(seed), KINDS[kind]
    crossing, apart, across = 0, 0.0, 0.0
    for _ in range(0, count, _PIECE):
        first, second = (corners(rng, _PIECE, size) for size in sizes)
        found = swept_distances(_packed(first), _packed(second)).core_distance
        expected = by_active_sets(first, second)
        parted = expected > 1e-9
        apart = max(apart, float(np.abs(found - expected)[parted].max()))
        crossing += int((~parted).sum())
        for k in np.flatnonzero(~parted).tolist():
            depth = crossing_depth(first[k], second[k])
            across = max(across, abs(float(found[k]) + depth))
    return Check(kind, count, crossing, apart, across)


def check_coal(kind: str, count: int, seed: int = 2) -> Check:
    """Random pairs of a kind against coal, where cores are apart; coal iterates to its own tolerance."""
    rng, sizes = np.random.default_rng(seed), KINDS[kind]
    first, second = (corners(rng, count, size) for size in sizes)
    found = swept_distances(_packed(first), _packed(second))
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.gjk_tolerance, request.gjk_max_iterations = 1e-10, 1000
    parted = found.core_distance > 1e-4
    worst = 0.0
    for k in np.flatnonzero(parted).tolist():
        (one, pose), (other, other_pose) = (
            coal_shape(SweptSphere(each[k], _RADIUS)) for each in (first, second)
        )
        result.clear()
        theirs = coal.distance(one, pose, other, other_pose, request, result)
        worst = max(worst, abs(theirs - float(found.distance[k])))
    return Check(kind, count, int((~parted).sum()), worst, 0.0)


def check_degenerate(seed: int = 3, count: int = 3000) -> dict[str, float]:
    """Greatest differences, m, of pairs made to be difficult: on a lattice, flat, slivers, parallel, touching."""
    rng = np.random.default_rng(seed)
    found = {}
    for name in ("on a lattice", "flat to 1e-7 m", "slivers", "parallel", "almost touching"):
        worst = 0.0
        for sizes in KINDS.values():
            first, second = (rng.normal(size=(count, size, 3)) for size in sizes)
            first, second = _bent(name, rng, first, second)
            ours = swept_distances(_packed(first), _packed(second)).core_distance
            expected = by_active_sets(first, second)
            parted = expected > 1e-7
            worst = max(worst, float(np.abs(ours - expected)[parted].max(initial=0.0)))
        found[name] = worst
    return found


def _bent(name: str, rng: np.random.Generator, first: Array, second: Array) -> tuple[Array, Array]:
    if name == "on a lattice":
        return np.round(first), np.round(second)
    if name == "flat to 1e-7 m":
        flat = np.array([1.0, 1.0, 1e-7])
        return first * flat, second * flat
    if name == "slivers":
        for each in (first, second):
            if each.shape[1] == 3:
                along = rng.uniform(-1.0, 2.0, size=(len(each), 1))
                each[:, 2] = each[:, 0] + along * (each[:, 1] - each[:, 0]) + 1e-9 * each[:, 2]
        return first, second
    size = min(first.shape[1], second.shape[1])
    second[:, :size] = first[:, :size]
    if name == "parallel":
        return first, second + np.array([0.3, -0.2, 0.4])
    return first, second + 1e-6 * rng.normal(size=(len(second), 1, 3))


def _packed(points: Array) -> Array:
    """Rows of elements (n, 15) with one radius."""
    size = points.shape[1]
    rows = np.empty((len(points), 15))
    middle = points.mean(axis=1)
    rows[:, 0], rows[:, 1] = size, _RADIUS
    rows[:, 2] = np.linalg.norm(points - middle[:, None], axis=2).max(axis=1)
    rows[:, 3:6] = middle
    rows[:, 6:] = points[:, [min(k, size - 1) for k in range(3)]].reshape(-1, 9)
    assert np.array_equal(rows[:1], pack([SweptSphere(points[0], _RADIUS)]))
    return rows


def _faces(size: int) -> list[list[int]]:
    return [list(face) for many in range(1, size + 1) for face in combinations(range(size), many)]
