"""Random terrain: bounded, the same for the same seed, flat where it shall be."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.errors import SceneError, UnknownName
from footfall.scene.terrain import TERRAINS, random_terrain


@pytest.mark.parametrize("kind", TERRAINS)
def test_terrain_is_bounded_and_repeatable(kind: str) -> None:
    terrain = random_terrain(kind, size=(4.0, 3.0), spacing=0.1, amplitude=0.2, seed=3)
    assert terrain.heights.shape == (41, 31)
    assert terrain.size == pytest.approx((4.0, 3.0))
    assert 0.05 < np.abs(terrain.heights).max() <= 0.2
    again = random_terrain(kind, size=(4.0, 3.0), spacing=0.1, amplitude=0.2, seed=3)
    assert (again.heights == terrain.heights).all()
    other = random_terrain(kind, size=(4.0, 3.0), spacing=0.1, amplitude=0.2, seed=4)
    assert (other.heights != terrain.heights).any()


@pytest.mark.parametrize("kind", TERRAINS)
def test_the_start_is_flat(kind: str) -> None:
    terrain = random_terrain(kind, flat_radius=1.0, amplitude=0.3)
    for x, y in np.random.default_rng(0).uniform(-0.6, 0.6, size=(30, 2)):
        assert terrain.height(x, y) == 0.0
    assert np.abs(terrain.heights).max() > 0.1


def test_noise_is_smooth_and_slopes_are_facets() -> None:
    noise = random_terrain("noise", spacing=0.02, size=(2.0, 2.0), wavelength=1.0).heights
    assert np.abs(np.diff(noise, axis=0)).max() < 0.02
    slopes = random_terrain("slopes", spacing=0.1, size=(2.0, 2.0), wavelength=1.0).heights
    bends = np.abs(np.diff(slopes, n=2, axis=0)) > 1e-12
    assert bends.mean() < 0.4  # straight within facets


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"spacing": 0.0}, "spacing is 0; it must be positive"),
        ({"wavelength": np.nan}, "wavelength is nan"),
        ({"size": (0.0, 1.0)}, "size is 0"),
        ({"amplitude": -1.0}, "amplitude is -1"),
        ({"flat_radius": np.inf}, "flat_radius is inf"),
        ({"size": (1e6, 1e6), "spacing": 1e-3}, "there must be 2 by 2 to"),
        ({"size": (0.1, 0.1), "spacing": 1.0}, "there must be 2 by 2 to"),
    ],
)
def test_bad_arguments_are_refused(options: dict, words: str) -> None:
    with pytest.raises(SceneError, match=words):
        random_terrain(**options)


def test_unknown_kinds_are_named() -> None:
    with pytest.raises(UnknownName, match="noise, steps"):
        random_terrain("mountain")
