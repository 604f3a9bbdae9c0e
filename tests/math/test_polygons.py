"""Convex polygons against SciPy's hulls, random sampling and brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.math.polygons import (
    boundary_distance,
    closest_point,
    contains,
    convex_hull,
    inset,
    intersection,
    polygon_area,
    polygon_centroid,
    shortest_connection,
    smooth_connection,
)

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
SEEDS = st.integers(0, 2**32 - 1)


def cloud(seed: int, count: int = 9) -> Array:
    return np.random.default_rng(seed).normal(size=(count, 2))


def border(polygon: Array, count: int = 400) -> Array:
    """Points along the border."""
    share = np.linspace(0.0, 1.0, count)[:, None]
    return np.concatenate(
        [a + share * (b - a) for a, b in zip(polygon, np.roll(polygon, -1, axis=0), strict=True)]
    )


@given(SEEDS, st.integers(3, 20))
@settings(max_examples=60)
def test_hulls_are_those_of_scipy(seed: int, count: int) -> None:
    points = cloud(seed, count)
    ours, theirs = convex_hull(points), ConvexHull(points)
    assert len(ours) == len(theirs.vertices)
    assert polygon_area(ours) == pytest.approx(theirs.volume, rel=1e-12)
    assert set(map(tuple, ours)) == set(map(tuple, points[theirs.vertices]))
    assert contains(ours, points, tolerance=1e-12).all()


@pytest.mark.parametrize("seed", range(20))
def test_rounding_takes_no_corner_off(seed: int) -> None:
    """Two soles side by side, each point off by a rounding: the hull is that of both, whichever way they are sorted.
    Its centre is where a robot at rest stands."""
    rng = np.random.default_rng(seed)
    soles = [(x, y) for x in (-0.23, 0.04) for y in (-0.2, -0.07, 0.07, 0.2)]
    size = rng.choice([1e-17, 1e-15, 1e-12, 1e-10])
    points = np.array(soles) + rng.uniform(-size, size, (8, 2))
    for turned in (points, points[:, ::-1], points @ [[0.6, 0.8], [-0.8, 0.6]]):
        corners = convex_hull(turned)
        assert len(corners) == 4 or size > 1e-13
        assert polygon_area(corners) == pytest.approx(0.27 * 0.4, rel=1e-6)
        np.testing.assert_allclose(polygon_centroid(corners), turned.mean(axis=0), atol=1e-6)


def test_hulls_drop_points_on_edges_and_take_points_and_segments() -> None:
    grid = np.stack(np.meshgrid([0.0, 0.5, 1.0], [0.0, 0.5, 1.0]), axis=-1).reshape(-1, 2)
    np.testing.assert_array_equal(convex_hull(grid), SQUARE)
    np.testing.assert_array_equal(convex_hull([[1.0, 2.0], [1.0, 2.0]]), [[1.0, 2.0]])
    np.testing.assert_array_equal(convex_hull([[0.0, 0.0], [2.0, 2.0], [1.0, 1.0]]), [[0.0, 0.0], [2.0, 2.0]])


@given(SEEDS)
@settings(max_examples=10)
def test_centroid_is_the_mean_of_points_inside(seed: int) -> None:
    polygon = convex_hull(cloud(seed))
    rng = np.random.default_rng(1)
    samples = rng.uniform(polygon.min(axis=0), polygon.max(axis=0), (40_000, 2))
    samples = samples[contains(polygon, samples)]
    error = samples.std(axis=0) / np.sqrt(len(samples))
    assert (np.abs(samples.mean(axis=0) - polygon_centroid(polygon)) < 5 * error).all()
    np.testing.assert_allclose(polygon_centroid([[0.0, 0.0], [2.0, 4.0]]), [1.0, 2.0])


@given(SEEDS)
@settings(max_examples=30)
def test_closest_points_against_brute_force(seed: int) -> None:
    polygon = convex_hull(cloud(seed))
    point = np.random.default_rng(seed + 1).normal(size=2) * 3
    brute = np.linalg.norm(border(polygon) - point, axis=1).min()
    distance = boundary_distance(polygon, [point])[0]
    assert abs(distance) <= brute + 1e-12
    assert abs(distance) == pytest.approx(brute, abs=2e-2)
    found = closest_point(polygon, point)
    if distance >= 0.0:
        np.testing.assert_array_equal(found, point)
    else:
        assert np.linalg.norm(found - point) == pytest.approx(-distance, rel=1e-12)


@given(SEEDS)
@settings(max_examples=40)
def test_intersection_holds_what_both_hold(seed: int) -> None:
    first, second = convex_hull(cloud(seed)), convex_hull(cloud(seed + 1) + 0.5)
    common = intersection(first, second)
    samples = np.random.default_rng(2).uniform(-4.0, 4.0, (4000, 2))
    both = np.minimum(boundary_distance(first, samples), boundary_distance(second, samples))
    clear = np.abs(both) > 1e-9
    if len(common):
        np.testing.assert_array_equal(contains(common, samples[clear]), both[clear] > 0.0)
    else:
        assert not (both > 1e-9).any()


@given(SEEDS, st.floats(0.01, 0.5))
@settings(max_examples=40)
def test_inset_holds_what_is_deep_enough(seed: int, distance: float) -> None:
    polygon = convex_hull(cloud(seed))
    inner = inset(polygon, distance)
    samples = np.random.default_rng(3).uniform(-3.0, 3.0, (3000, 2))
    depth = boundary_distance(polygon, samples) - distance
    clear = np.abs(depth) > 1e-9
    deep = contains(inner, samples[clear]) if len(inner) else np.zeros(clear.sum(), dtype=bool)
    np.testing.assert_array_equal(deep, depth[clear] > 0.0)


@given(SEEDS)
@settings(max_examples=40)
def test_shortest_connection_against_brute_force_and_swapped(seed: int) -> None:
    first, second = convex_hull(cloud(seed)), convex_hull(cloud(seed + 1) + np.array([4.0, 1.0]))
    assume(len(intersection(first, second)) == 0)
    a, b = shortest_connection(first, second)
    length = np.linalg.norm(a - b)
    edges = border(first, 100), border(second, 100)
    brute = np.linalg.norm(edges[0][:, None] - edges[1][None], axis=2).min()
    assert length <= brute + 1e-12
    assert length == pytest.approx(brute, abs=0.05)
    assert boundary_distance(first, [a])[0] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(shortest_connection(second, first), (b, a), atol=1e-12)


@given(SEEDS, st.floats(0.01, 1.0))
@settings(max_examples=40)
def test_smooth_connection_is_short_inside_and_continuous(seed: int, reach: float) -> None:
    first, second = convex_hull(cloud(seed)), convex_hull(cloud(seed + 1) + np.array([4.0, 1.0]))
    assume(len(intersection(first, second)) == 0)
    a, b = smooth_connection(first, second, reach)
    shortest = np.linalg.norm(np.subtract(*shortest_connection(first, second)))
    # A mean of connections is no longer than the longest of them.
    assert shortest - 1e-12 <= np.linalg.norm(a - b) <= shortest + reach
    assert contains(first, [a], tolerance=1e-12)[0]
    assert contains(second, [b], tolerance=1e-12)[0]
    np.testing.assert_allclose(smooth_connection(second, first, reach), (b, a), atol=1e-12)
    moved = smooth_connection(first, second + 1e-9, reach)
    # Lengths change by the shift, weights by twice that over the reach, ends by weights times the extent.
    np.testing.assert_allclose(moved, (a, b), atol=1e-9 * (2.0 + 4.0 * 20 * 6.0 / reach))
    np.testing.assert_allclose(
        smooth_connection(first, second, 1e-9), shortest_connection(first, second), atol=1e-6
    )


def test_connection_of_parallel_edges_is_in_the_middle() -> None:
    """Shrunk soles of a straight walk, 0.4 m steps: Seiwald 2023, section 6.5."""
    sole = np.array([[-0.20599, -0.077], [0.01489, -0.077], [0.01489, 0.077], [-0.20599, 0.077]])
    left, right = sole + np.array([0.0, 0.1375]), sole + np.array([0.4, -0.1375])
    a, b = shortest_connection(left, right)
    np.testing.assert_allclose([a, b], [[0.0149, 0.0605], [0.1940, -0.0605]], atol=1e-4)
    np.testing.assert_allclose(smooth_connection(left, right, 0.1), (a, b), atol=1e-15)
    beside = sole + np.array([0.1, -0.1375])
    a, b = shortest_connection(left, beside)
    np.testing.assert_allclose([a, b], [[-0.04555, 0.0605], [-0.04555, -0.0605]], atol=1e-12)
    both = shortest_connection(SQUARE, SQUARE + 0.5)
    np.testing.assert_allclose(both, [[0.75, 0.75], [0.75, 0.75]])


def test_wrong_polygons_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"\(0, 2\)"):
        convex_hull(np.empty((0, 2)))
    for distance in (-0.1, np.nan):
        with pytest.raises(InvalidInput, match="negative"):
            inset(SQUARE, distance)
    with pytest.raises(InvalidInput, match="finite"):
        polygon_area([[0.0, np.nan]])
