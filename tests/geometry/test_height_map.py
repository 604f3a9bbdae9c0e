"""Height maps: bilinear heights, slopes, the rim, symbols, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.compiler import build_kernel
from footfall.errors import GeometryError
from footfall.geometry.height_map import HeightMap


def tilted(nx: int = 6, ny: int = 5) -> HeightMap:
    """z = 0.3 x - 0.2 y + 0.1 over a map that is centred."""
    x, y = 0.5 * np.arange(nx) - 0.25 * (nx - 1), 0.4 * np.arange(ny) - 0.2 * (ny - 1)
    return HeightMap(0.3 * x[:, None] - 0.2 * y[None, :] + 0.1, (0.5, 0.4))


def test_a_plane_is_met_exactly_between_the_heights() -> None:
    terrain = tilted()
    rng = np.random.default_rng(0)
    for x, y in rng.uniform(-0.7, 0.7, size=(50, 2)):
        assert terrain.height(x, y) == pytest.approx(0.3 * x - 0.2 * y + 0.1, abs=1e-14)
        normal = np.array([-0.3, 0.2, 1.0]) / np.sqrt(1.13)
        assert np.abs(terrain.normal(x, y) - normal).max() < 1e-14


def test_heights_are_met_at_their_places_and_slopes_are_derivatives() -> None:
    rng = np.random.default_rng(1)
    terrain = HeightMap(rng.normal(size=(5, 4)), (0.3, 0.2), (1.0, -1.0))
    for i in range(5):
        for j in range(4):
            assert terrain.height(1.0 + 0.3 * i, -1.0 + 0.2 * j) == pytest.approx(terrain.heights[i, j])
    step = 1e-6
    for x, y in rng.uniform((1.0, -1.0), (2.2, -0.4), size=(50, 2)):
        _, slope_x, slope_y = terrain.surface(x, y)
        cell = np.array([(x - 1.0) / 0.3, (y + 1.0) / 0.2])
        if np.abs(cell - np.round(cell)).min() < 1e-3:
            continue
        assert slope_x == pytest.approx(
            (terrain.height(x + step, y) - terrain.height(x - step, y)) / 2e-6, abs=1e-6
        )
        assert slope_y == pytest.approx(
            (terrain.height(x, y + step) - terrain.height(x, y - step)) / 2e-6, abs=1e-6
        )


def test_beyond_the_rim_the_height_of_the_rim_holds() -> None:
    terrain = tilted()
    assert terrain.height(100.0, 0.0) == pytest.approx(terrain.height(1.25, 0.0))
    assert terrain.height(0.0, -100.0) == pytest.approx(terrain.height(0.0, -0.8))


def test_traced_equals_plain() -> None:
    rng = np.random.default_rng(2)
    terrain = HeightMap(rng.normal(size=(7, 9)), (0.3, 0.2))
    kernel = build_kernel(lambda p: np.array(terrain.surface(p[0], p[1])), {"p": 2}, name="surface")
    places = rng.uniform(-1.5, 1.5, size=(200, 2))
    expected = np.array([terrain.surface(x, y) for x, y in places])
    assert np.abs(kernel.batch(places) - expected).max() < 1e-13


@pytest.mark.parametrize(
    ("heights", "spacing", "words"),
    [
        (np.zeros(3), (1.0, 1.0), r"shape \(3,\)"),
        (np.zeros((1, 4)), (1.0, 1.0), "at least 2 by 2"),
        (np.array([[0.0, np.nan], [0.0, 0.0]]), (1.0, 1.0), r"height \[0, 1\] is nan"),
        (np.zeros((2, 2)), (0.0, 1.0), "positive lengths"),
        (np.zeros((2, 2)), (1.0, np.inf), "positive lengths"),
    ],
)
def test_bad_maps_are_refused(heights: np.ndarray, spacing: tuple[float, float], words: str) -> None:
    with pytest.raises(GeometryError, match=words):
        HeightMap(heights, spacing)


def test_heights_cannot_be_changed() -> None:
    terrain = tilted()
    with pytest.raises(ValueError, match="read-only"):
        terrain.heights[0, 0] = 1.0
