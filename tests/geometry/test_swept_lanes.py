"""Eight pairs side by side: the same as one by one, against the general program, also where cores cross or touch."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.compiler.routines import routine
from footfall.geometry.swept_cores import core_distance
from footfall.geometry.swept_distance import swept_distances, swept_gaps
from footfall.geometry.swept_sphere import SweptSphere, pack
from tests.geometry.swept_reference import reference_distance
from tests.geometry.test_swept_distance import check_parts, random_elements


@routine
def alone(one, other):  # type: ignore[no-untyped-def]
    return core_distance(one, other).distance


@pytest.mark.parametrize("kind", ["general", "lattice", "flat", "sliver"])
def test_mixed_kinds_in_one_call(kind: str) -> None:
    """Kinds in any order, blocks that are not full: each pair as it is by itself, in both orders."""
    rng = np.random.default_rng(11)
    sizes = rng.integers(1, 4, size=(2, 200))
    first, second = ([random_elements(rng, int(n), 1, kind)[0] for n in row] for row in sizes)
    found, back = swept_distances(first, second), swept_distances(second, first)
    expected = []
    for a, b in zip(first, second, strict=True):
        one, other = sorted((a.corners, b.corners), key=len)
        expected.append(alone(np.ascontiguousarray(one), np.ascontiguousarray(other)))
    # Lanes bound the error of a distance by 2e-13 m; both ways are right to 1e-9 m where all is flat to 1e-7 m.
    tolerance = 4e-13 if kind in ("general", "lattice") else 2e-9
    np.testing.assert_allclose(found.core_distance, expected, atol=tolerance)
    np.testing.assert_allclose(back.distance, found.distance, atol=tolerance)
    # Rounding of fused sums
    np.testing.assert_allclose(swept_gaps(first, second), found.distance, atol=1e-14)
    check_parts(found)


def test_a_pair_does_not_depend_on_its_neighbours() -> None:
    rng = np.random.default_rng(12)
    first, second = (
        pack(random_elements(rng, 3, 100, "general")),
        pack(random_elements(rng, 3, 100, "general")),
    )
    together = swept_distances(first, second)
    turned = swept_distances(first[::-1].copy(), second[::-1].copy())
    np.testing.assert_array_equal(turned.distance[::-1], together.distance)
    np.testing.assert_array_equal(turned.first_point[::-1], together.first_point)


def test_triangles_that_almost_touch_are_not_taken_for_parted() -> None:
    """An edge pierces a face by 1e-4 to 1e-11 m: the nearest features are far, but the cores cross."""
    floor = np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]])
    depths = 10.0 ** np.linspace(-11, -4, 33)
    needles = [np.array([[1.0, 1.0, -d], [0.9, 1.0, 1.0], [1.1, 1.1, 1.0]]) for d in depths]
    found = swept_distances([SweptSphere(floor, 0.0)] * len(depths), [SweptSphere(n, 0.0) for n in needles])
    expected = [reference_distance(floor, needle) for needle in needles]
    np.testing.assert_allclose(found.distance, expected, atol=2e-10)  # below NEAR the sign is open
    np.testing.assert_allclose(found.distance[depths > 2e-10], -depths[depths > 2e-10], atol=1e-12)
    assert (found.distance[depths > 1e-9] < 0.0).all()
