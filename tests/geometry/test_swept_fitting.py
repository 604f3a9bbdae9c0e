"""Fitting of swept spheres: distances and slopes that descents use, and how tight boxes and cylinders are held."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from footfall.geometry.solid import Solid
from footfall.geometry.swept_cover import (
    DescentSchedule,
    Pull,
    cloud_distances,
    covering_cost,
    descend,
    element_distances,
    in_blocks,
    joined,
)
from footfall.geometry.swept_coverage import coverage, drafts_of
from footfall.geometry.swept_fitting import best_fit, fit_swept_volume, fit_swept_volumes
from footfall.geometry.swept_sphere import SweptVolume, swept_line, swept_triangle
from footfall.geometry.triangle import Triangle, on_triangle


def drafts(rng: np.random.Generator) -> np.ndarray:
    rows = 0.3 * rng.normal(size=(6, 10))
    rows[:, 9] = 0.02 + 0.1 * rng.random(6)
    rows[0, 3:9] = np.tile(rows[0, :3], 2)  # a point
    rows[1, 6:9] = rows[1, 3:6]  # lines, with the same corner twice at the end, at the beginning, around
    rows[2, 3:6] = rows[2, :3]
    rows[3, 6:9] = rows[3, :3]
    return rows


def test_distances_in_lanes_are_those_of_triangles() -> None:
    """Against the closest points of single triangles, degenerate ones among them."""
    rng = np.random.default_rng(0)
    rows, points = drafts(rng), rng.normal(size=(203, 3))
    found = element_distances(rows, points)
    for row, distances in zip(rows, found, strict=True):
        triangle = Triangle(row[:3], row[3:6], row[6:9])
        expected = [np.sqrt(on_triangle(triangle, point).square) - row[9] for point in points]
        np.testing.assert_allclose(distances, expected, atol=4e-15)
    cloud = joined(in_blocks(points[:50], 1.0), in_blocks(points[50:], 1.0))
    nearest = cloud_distances(rows, cloud)[cloud.weights > 0.0]
    np.testing.assert_allclose(np.sort(nearest), np.sort(found.min(axis=0)), atol=4e-15)


def test_the_slopes_are_those_of_the_cost() -> None:
    """Central differences of 1e-6; the cost is smooth but where the nearest element changes."""
    rng = np.random.default_rng(1)
    rows = drafts(rng)
    air, surface = in_blocks(0.5 * rng.normal(size=(500, 3)), 0.01), in_blocks(rng.normal(size=(300, 3)), 1.0)
    pull = Pull(np.full_like(surface.weights, 0.01), 0.001)
    slopes, unused = np.empty_like(rows), np.empty_like(rows)

    def cost(numbers: np.ndarray) -> float:
        return covering_cost(numbers, air, surface, pull, 0.03, 5.0, unused)

    covering_cost(rows, air, surface, pull, 0.03, 5.0, slopes)
    for k, i in ((0, 9), (4, 0), (4, 4), (5, 8), (5, 9)):
        step = np.zeros_like(rows)
        step[k, i] = 1e-6
        slope = (cost(rows + step) - cost(rows - step)) / 2e-6
        assert slopes[k, i] == pytest.approx(slope, rel=1e-6, abs=1e-6)
        assert abs(slope) > 1e-3  # the comparison can fail


def test_a_descent_ends_lower() -> None:
    rng = np.random.default_rng(2)
    rows = drafts(rng)
    air, surface = in_blocks(0.5 * rng.normal(size=(500, 3)), 0.01), in_blocks(rng.normal(size=(300, 3)), 1.0)
    course = DescentSchedule(100, (0.03, 0.03), (5.0, 5.0), (0.01, 0.001), raised=0, least=0.002)
    pull = Pull(np.zeros_like(surface.weights), 0.0)
    before = covering_cost(rows, air, surface, pull, 0.03, 5.0, np.empty_like(rows))
    assert descend(rows, np.zeros((2, *rows.shape)), air, surface, pull, course) < 0.8 * before
    assert rows[:, 9].min() >= 0.002


@pytest.mark.parametrize(
    ("mesh", "excess"),
    [
        (trimesh.creation.box((0.5, 0.2, 0.15)), 0.25),  # 0.53 before elements started from many places
        (trimesh.creation.cylinder(0.1, 0.2, sections=24), 0.36),
    ],
)
def test_boxes_and_cylinders_are_held_tightly(mesh: trimesh.Trimesh, excess: float) -> None:
    solid = Solid(np.asarray(mesh.triangles))
    fits = fit_swept_volumes(solid)
    found = coverage(best_fit(fits).volume, solid)
    assert found.protrusion <= 1e-12
    assert found.excess < excess < coverage(fits[0].volume, solid).excess
    assert found.hollow < 0.01


def test_a_shell_is_hollow_and_counts_what_it_holds() -> None:
    """Six plates around a box: their own volume is small, what they hold counts."""
    solid = Solid(np.asarray(trimesh.creation.box((1.0, 1.0, 1.0)).triangles))
    plates = []
    for axis in range(3):
        for side in (-0.5, 0.5):
            corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
            square = np.insert(corners, axis, side, axis=1)
            plates += [swept_triangle(*square[[0, 1, 2]], 0.05), swept_triangle(*square[[0, 2, 3]], 0.05)]
    found = coverage(SweptVolume(tuple(plates)), solid)
    assert found.hollow == pytest.approx(0.9**3, abs=0.02)
    # a cube of 1.1 m with round edges and corners
    edges, corners = 12 * (1 - np.pi / 4) * 0.05**2, 8 * (1 - np.pi / 6) * 0.05**3
    assert found.volume == pytest.approx(1.1**3 - edges - corners, rel=0.02)
    assert found.protrusion <= 0.0


def test_single_elements_do_not_hide_in_far_air() -> None:
    """One element around a cube is no larger than the ball around it, 2.72 of the cube."""
    solid = Solid(np.asarray(trimesh.creation.box((0.1, 0.1, 0.1)).triangles))
    volume = fit_swept_volume(solid, most=1)
    assert coverage(volume, solid).volume < np.sqrt(3) * np.pi / 2 * 1e-3 * 1.02
    assert coverage(SweptVolume((swept_line((-0.1, 0, 0), (0.1, 0, 0), 0.09),)), solid).volume > 2.72e-3
    assert drafts_of(volume).shape == (1, 10)
