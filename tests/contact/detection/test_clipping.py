"""Cutting a face by the sides of another."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine
from footfall.contact.detection.manifold import clip
from footfall.contact.detection.solids import new_polygon


@routine
def _clipped(face: Array, sides: Array, result: Array) -> int:
    """Cut a face (n, 3) by another (m, 3) across z; what is left goes into the result."""
    polygon, other, room = new_polygon(), new_polygon(), new_polygon()
    for k in range(len(face)):
        polygon.corners[k] = np.array([face[k, 0], face[k, 1], face[k, 2]])
    for k in range(len(sides)):
        other.corners[k] = np.array([sides[k, 0], sides[k, 1], sides[k, 2]])
    count = clip(polygon, len(face), other, len(sides), np.array([0.0, 0.0, 1.0]), room)
    for k in range(count):
        corner = polygon.corners[k]
        result[k, 0], result[k, 1], result[k, 2] = corner[0], corner[1], corner[2]
    return count


def clipped(face: Array, sides: Array) -> Array:
    result = np.zeros((40, 3))
    return result[: _clipped(face, sides, result)]


SQUARE = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])


def test_half_of_a_square() -> None:
    found = clipped(SQUARE, SQUARE + np.array([0.5, 0.0, 0.0]))
    assert sorted(map(tuple, found.round(12))) == [
        (0.5, 0.0, 0.0),
        (0.5, 1.0, 0.0),
        (1.0, 0.0, 0.0),
        (1.0, 1.0, 0.0),
    ]


def test_edges_on_an_edge_stay_where_they_are() -> None:
    """Corners that lie on a side up to rounding, on either side of the slack: nothing leaves the square."""
    rng = np.random.default_rng(0)
    for _ in range(2000):
        size = 10.0 ** rng.uniform(-13.5, -11.5)
        face = SQUARE + size * rng.normal(size=(4, 3)) * [1.0, 1.0, 0.0]
        found = clipped(face, SQUARE)
        assert len(found) >= 3
        assert np.abs(found - np.clip(found, 0.0, 1.0)).max() < 1e-10
