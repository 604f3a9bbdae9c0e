"""Manifolds: patches of boxes on boxes, with areas and depths in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from footfall.contact.classic.polyhedron import Polyhedron, polyhedron
from footfall.contact.classic.v_clip import contact_manifold, polyhedron_distance
from footfall.contact.convex import convex_of
from footfall.math.rotations import rotation_x, rotation_y, rotation_z
from footfall.math.transform import Transform, identity_transform
from footfall.robot.shapes import Box
from tests.poses import random_pose


def box(x: float, y: float, z: float) -> Polyhedron:
    return polyhedron(convex_of(Box((x, y, z))).vertices)


def area(points: np.ndarray) -> float:
    """Of a convex polygon in a horizontal plane, corners in any order."""
    flat = points[:, :2] - points[:, :2].mean(axis=0)
    flat = flat[np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))]
    after = np.roll(flat, -1, axis=0)
    return abs(float((flat[:, 0] * after[:, 1] - flat[:, 1] * after[:, 0]).sum())) / 2


CUBE, SLAB = box(1.0, 1.0, 1.0), box(4.0, 4.0, 1.0)


@pytest.mark.parametrize("gap", [-0.01, 0.0, 5e-4])
def test_a_cube_on_a_slab_stands_on_four_corners(gap: float) -> None:
    pose = Transform(rotation_z(0.3), np.array([0.2, 0.1, 1.0 + gap]))
    found = contact_manifold(CUBE, pose, SLAB, identity_transform())
    assert len(found.positions) == 4
    assert np.abs(found.normal - [0.0, 0.0, 1.0]).max() < 1e-9
    assert np.abs(found.distances - gap).max() < 1e-9
    assert np.abs(found.positions[:, 2] - (0.5 + gap / 2)).max() < 1e-9
    assert area(found.positions) == pytest.approx(1.0, abs=1e-9)
    mirrored = contact_manifold(SLAB, identity_transform(), CUBE, pose)
    assert np.abs(mirrored.normal + found.normal).max() < 1e-9
    assert area(mirrored.positions) == pytest.approx(1.0, abs=1e-9)
    assert np.abs(mirrored.positions[:, 2] - (0.5 + gap / 2)).max() < 1e-9


def test_cubes_turned_by_45_degrees_share_an_octagon() -> None:
    """Two unit squares turned by 45 degrees share a regular octagon of width 1: area 2 (sqrt 2 - 1)."""
    pose = Transform(rotation_z(math.pi / 4), np.array([0.0, 0.0, 0.999]))
    found = contact_manifold(CUBE, pose, CUBE, identity_transform())
    assert len(found.positions) == 8
    assert area(found.positions) == pytest.approx(2 * (math.sqrt(2) - 1), abs=1e-9)


def test_an_overhanging_cube_is_cut_at_the_edge() -> None:
    pose = Transform(np.eye(3), np.array([2.2, 0.0, 1.0]))
    found = contact_manifold(CUBE, pose, SLAB, identity_transform())
    assert area(found.positions) == pytest.approx(0.3, abs=1e-9)
    assert found.positions[:, 0].max() == pytest.approx(2.0, abs=1e-12)


def test_a_tilted_cube_has_an_edge_or_a_corner_down() -> None:
    for tilt, count in ((rotation_x(0.2), 2), (rotation_x(0.2) @ rotation_y(0.2), 1)):
        reach = np.abs(tilt[2]).sum() / 2
        pose = Transform(tilt, np.array([0.0, 0.0, 0.5 + reach]))
        found = contact_manifold(CUBE, pose, SLAB, identity_transform())
        assert len(found.positions) == count
        assert np.abs(found.distances).max() < 1e-9


def test_crossing_edges_touch_in_one_point() -> None:
    below = Transform(rotation_x(math.pi / 4), np.zeros(3))
    above = Transform(rotation_y(math.pi / 4), np.array([0.0, 0.0, math.sqrt(2) + 1e-4]))
    found = contact_manifold(CUBE, above, CUBE, below)
    assert len(found.positions) == 1
    assert found.distances[0] == pytest.approx(1e-4, abs=1e-9)
    assert np.abs(found.positions[0] - [0.0, 0.0, math.sqrt(0.5) + 5e-5]).max() < 1e-9


def test_there_are_points_exactly_where_the_distance_is_below_the_margin() -> None:
    rng = np.random.default_rng(0)
    other, touching = box(0.8, 0.5, 0.3), 0
    for _ in range(300):
        pose = random_pose(rng, 0.7)
        found = contact_manifold(CUBE, pose, other, identity_transform(), margin=0.05)
        distance = polyhedron_distance(CUBE, pose, other, identity_transform()).result.distance
        assert bool(len(found.positions)) == (distance <= 0.05)
        assert (found.distances <= 0.05 + 1e-9).all()
        touching += len(found.positions) > 0
    assert 20 < touching < 280
