"""Broad phases: three methods, one answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.contact.classic.broad_phase import BROAD_PHASES, broad_phase
from footfall.errors import GeometryError, UnknownName

COORDINATE = st.one_of(st.integers(-4, 4).map(float), st.floats(-5, 5), st.sampled_from([-1e3, 1e3]))
BOX = st.tuples(*[st.tuples(COORDINATE, COORDINATE)] * 3)
ENDLESS = st.just(((-np.inf, np.inf), (-np.inf, np.inf), (-np.inf, 0.0)))


def arrays(boxes: list) -> tuple[np.ndarray, np.ndarray]:
    ends = np.array([[sorted(side) for side in box] for box in boxes], dtype=float).reshape(-1, 3, 2)
    return ends[:, :, 0].copy(), ends[:, :, 1].copy()


def by_definition(lower: np.ndarray, upper: np.ndarray) -> list[list[int]]:
    """Pairs of boxes with a common point."""
    return [
        [i, j]
        for i in range(len(lower))
        for j in range(i + 1, len(lower))
        if np.all(np.maximum(lower[i], lower[j]) <= np.minimum(upper[i], upper[j]))
    ]


@given(st.lists(st.one_of(BOX, ENDLESS), max_size=12))
@pytest.mark.parametrize("method", BROAD_PHASES)
def test_all_methods_give_the_pairs_that_overlap(method: str, boxes: list) -> None:
    lower, upper = arrays(boxes)
    assert broad_phase(method).pairs(lower, upper).tolist() == by_definition(lower, upper)


@settings(max_examples=40)
@given(
    st.integers(1, 10).flatmap(
        lambda n: st.lists(st.lists(BOX, min_size=n, max_size=n), min_size=2, max_size=5)
    )
)
def test_sweep_and_prune_follows_motion(frames: list) -> None:
    """What it remembers of the last call never makes a difference."""
    sweep = broad_phase("sweep")
    for boxes in frames:
        lower, upper = arrays(boxes)
        assert sweep.pairs(lower, upper).tolist() == by_definition(lower, upper)


def test_many_moving_boxes_of_all_sizes() -> None:
    rng = np.random.default_rng(0)
    centers, half = rng.normal(size=(300, 3)) * 4, rng.lognormal(-1.5, 1.2, size=(300, 3))
    methods = [broad_phase(method) for method in BROAD_PHASES]
    for _ in range(5):
        centers += rng.normal(size=centers.shape) * 0.05
        first, *others = (method.pairs(centers - half, centers + half) for method in methods)
        assert len(first) > 50
        for pairs in others:
            assert (pairs == first).all()
    fewer = slice(0, 100)
    first, *others = (method.pairs((centers - half)[fewer], (centers + half)[fewer]) for method in methods)
    assert all((pairs == first).all() for pairs in others)


@pytest.mark.parametrize("method", BROAD_PHASES)
def test_bad_boxes_are_refused(method: str) -> None:
    with pytest.raises(GeometryError, match="inverted"):
        broad_phase(method).pairs(np.ones((1, 3)), np.zeros((1, 3)))
    with pytest.raises(GeometryError, match="inverted"):
        broad_phase(method).pairs(np.full((1, 3), np.nan), np.zeros((1, 3)))
    with pytest.raises(GeometryError, match="both must be"):
        broad_phase(method).pairs(np.zeros((1, 2)), np.zeros((1, 2)))


def test_unknown_methods_are_named() -> None:
    with pytest.raises(UnknownName, match="exhaustive, sweep, grid"):
        broad_phase("octree")
