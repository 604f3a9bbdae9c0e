"""Which points stand for a patch: closed forms."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.compiler.routines import new_records
from footfall.contact.detection.hulls import convex_hull
from footfall.contact.detection.reduction import chosen
from footfall.contact.detection.shapes import ManifoldPoint
from footfall.geometry.plane import Plane
from footfall.geometry.swept_sphere import swept_line, swept_point, swept_triangle
from footfall.math.rotations import rotation_x, rotation_y, rotation_z
from footfall.math.transform import Transform, identity_transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Sphere
from tests.contact.detection.pairs import TwoShapes

UP = np.array([0.0, 0.0, 1.0])
HERE = identity_transform()


def at(x: float, y: float, z: float, rotation: Array | None = None) -> Transform:
    return Transform(np.eye(3) if rotation is None else rotation, np.array([x, y, z]))


def places(found: Any) -> set[tuple[float, ...]]:
    return {tuple(float(value) for value in row) for row in np.round(found["position"], 9) + 0.0}


def rectangle(x: tuple[float, float], y: tuple[float, float], z: float) -> set[tuple[float, ...]]:
    return {(a, b, z) for a, b in product(x, y)}


def test_a_box_on_a_box_touches_in_the_corners_of_the_overlap() -> None:
    two = TwoShapes(Box((1.0, 1.0, 1.0)), Box((1.0, 1.0, 1.0)))
    found = two.contacts(at(0.25, 0.5, 1.0), HERE)
    assert places(found) == rectangle((-0.25, 0.5), (0.0, 0.5), 0.5)
    np.testing.assert_allclose(found["normal"], np.tile(UP, (4, 1)), atol=1e-15)
    np.testing.assert_allclose(found["gap"], 0.0, atol=1e-15)
    assert len(set(found["feature"].tolist())) == 4


def test_features_stay_while_a_box_slides() -> None:
    two = TwoShapes(Box((1.0, 1.0, 1.0)), Box((3.0, 3.0, 1.0)))
    before = two.contacts(at(0.0, 0.0, 1.0, rotation_z(0.2)), HERE)
    after = two.contacts(at(0.2, -0.1, 1.0, rotation_z(0.25)), HERE)
    assert before["feature"].tolist() == after["feature"].tolist()


@pytest.mark.parametrize("ground", [Plane(), Box((4.0, 4.0, 2.0))])
def test_a_lying_cylinder_touches_in_both_ends_of_a_line(ground: Any) -> None:
    """At any roll angle the ends of the line below its axis, the same to rounding: it rolls without a bump."""
    height = 0.0 if isinstance(ground, Plane) else 1.0
    two = TwoShapes(Cylinder(0.2, 0.6), ground, fixed=True)
    for angle in np.linspace(0.0, 2.0, 9):
        found = two.contacts(at(0.1, 0.2, height + 0.2, rotation_y(np.pi / 2) @ rotation_z(angle)), HERE)
        assert places(found) == {(-0.2, 0.2, height), (0.4, 0.2, height)}
        np.testing.assert_allclose(found["gap"], 0.0, atol=1e-14)


@pytest.mark.parametrize("ground", [Plane(), Box((4.0, 4.0, 2.0))])
def test_a_standing_cylinder_touches_all_around(ground: Any) -> None:
    height = 0.0 if isinstance(ground, Plane) else 1.0
    two = TwoShapes(Cylinder(0.2, 0.6), ground, fixed=True)
    found = two.contacts(at(0.0, 0.0, height + 0.3), HERE)
    assert len(found) >= 4
    radii = np.linalg.norm(found["position"][:, :2], axis=1)
    np.testing.assert_allclose(radii, 0.2, atol=1e-12)
    # Tilted by a little, the lowest point of the rim is one of them, exactly.
    tilt = 1e-3
    sunk = 0.2 * np.sin(tilt) + 0.3 * np.cos(tilt)
    found = two.contacts(at(0.0, 0.0, height + sunk, rotation_z(0.7) @ rotation_x(tilt)), HERE)
    assert found["gap"].min() == pytest.approx(0.0, abs=1e-14)


@pytest.mark.parametrize("ground", [Plane(), Box((4.0, 4.0, 2.0))])
def test_a_lying_capsule_touches_in_two_points(ground: Any) -> None:
    height = 0.0 if isinstance(ground, Plane) else 1.0
    two = TwoShapes(Capsule(0.1, 0.6), ground, fixed=True)
    found = two.contacts(at(0.0, 0.0, height + 0.1, rotation_y(np.pi / 2)), HERE)
    assert places(found) == {(-0.3, 0.0, height), (0.3, 0.0, height)}


def test_capsules_along_each_other_share_a_line() -> None:
    two = TwoShapes(Capsule(0.1, 0.6), Capsule(0.1, 0.6))
    turned = rotation_y(np.pi / 2)
    found = two.contacts(at(0.4, 0.0, 0.2, turned), at(0.0, 0.0, 0.0, turned))
    assert places(found) == {(0.1, 0.0, 0.1), (0.3, 0.0, 0.1)}
    # Crossed a little, the nearest place is there too, and is the deepest.
    found = two.contacts(
        at(0.0, 0.0, 0.199, rotation_z(0.01) @ turned), at(0.0, 0.0, 0.0, turned), reach=0.01
    )
    assert len(found) == 3
    deepest = found[int(found["gap"].argmin())]
    np.testing.assert_allclose(deepest["position"], [0.0, 0.0, 0.0995], atol=1e-12)
    assert deepest["gap"] == pytest.approx(-0.001, abs=1e-15)


def test_crossing_bars_touch_where_their_edges_cross() -> None:
    """Two square bars on edge, crossed: one point, on no corner of either."""
    two = TwoShapes(Box((2.0, 0.2, 0.2)), Box((2.0, 0.2, 0.2)))
    edge = 0.1 * np.sqrt(2)
    pose = at(0.3, 0.4, 2 * edge - 1e-3, rotation_z(np.pi / 2) @ rotation_x(np.pi / 4))
    found = two.contacts(pose, at(0.0, 0.0, 0.0, rotation_x(np.pi / 4)), reach=1e-4)
    assert len(found) == 1
    assert found["gap"][0] == pytest.approx(-1e-3, abs=1e-12)
    np.testing.assert_allclose(found["normal"][0], UP, atol=1e-12)
    np.testing.assert_allclose(found["position"][0], [0.3, 0.0, edge - 0.5e-3], atol=1e-12)


def test_a_sole_of_sixteen_points_keeps_its_extreme_points() -> None:
    angles = 2 * np.pi * (np.arange(16) + 0.5) / 16
    rim = np.column_stack([0.13 * np.cos(angles), 0.045 * np.sin(angles)])
    sole = convex_hull(np.array([[x, y, z] for x, y in rim for z in (0.0, 0.04)]))
    for ground, fixed in ((Plane(), True), (Box((2.0, 2.0, 1.0)), True)):
        height = 0.0 if isinstance(ground, Plane) else 0.5
        found = TwoShapes(sole, ground, fixed=fixed).contacts(at(0.0, 0.0, height), HERE)
        assert len(found) <= 10
        kept = found["position"][:, :2]
        for direction in np.eye(2):
            for side in (-1.0, 1.0):
                assert (side * kept @ direction).max() == pytest.approx((side * rim @ direction).max())


def test_two_squares_across_each_other_keep_their_area() -> None:
    two = TwoShapes(Box((1.0, 1.0, 1.0)), Box((1.0, 1.0, 1.0)))
    found = two.contacts(at(0.0, 0.0, 1.0, rotation_z(np.pi / 4)), HERE)
    assert 4 <= len(found) <= 8
    kept = found["position"][:, :2]
    order = np.argsort(np.arctan2(kept[:, 1], kept[:, 0]))
    x, y = kept[order].T
    area = 0.5 * abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))
    octagon = 2.0 * (np.sqrt(2.0) - 1.0)  # of the octagon that both squares share
    assert area > 0.8 * octagon


def test_swept_volumes_are_round() -> None:
    triangle = swept_triangle((0, 0, 0), (1, 0, 0), (0, 1, 0), 0.1)
    line = swept_line((0, 0, 0), (0.5, 0, 0), 0.1)
    ball = swept_point((0, 0, 0), 0.1)
    assert TwoShapes(ball, triangle).contacts(at(0.2, 0.2, 0.2), HERE)["gap"].min() == pytest.approx(
        0.0, abs=1e-15
    )
    found = TwoShapes(line, triangle).contacts(at(0.1, 0.1, 0.2), HERE)
    assert places(found) == {(0.1, 0.1, 0.1), (0.6, 0.1, 0.1)}
    # Over the edge of the triangle and 0.06, 0.08 away: the layers touch at a distance of 0.1 + 0.1.
    beside = TwoShapes(ball, triangle).contacts(at(0.5, -0.12, 0.16), HERE)
    assert beside["gap"][0] == pytest.approx(0.0, abs=1e-15)
    np.testing.assert_allclose(beside["normal"][0], [0.0, -0.6, 0.8], atol=1e-15)


@pytest.mark.parametrize(
    "shape", [Sphere(0.0), Box((0.0, 0.0, 0.0)), Box((0.4, 0.4, 0.0)), Capsule(0.0, 0.4), Cylinder(0.0, 0.0)]
)
@pytest.mark.parametrize("ground", [Plane(), Box((2.0, 2.0, 2.0)), Sphere(1.0), Cylinder(1.0, 2.0)])
def test_shapes_without_size_touch_as_what_they_are(shape: Any, ground: Any) -> None:
    height = 0.0 if isinstance(ground, Plane) else 1.0
    lowest = 0.2 if isinstance(shape, Capsule) else 0.0
    two = TwoShapes(shape, ground, fixed=True)
    for gap in (1e-3, 0.0, -1e-3):
        found = two.contacts(at(0.0, 0.0, height + lowest + gap), HERE)
        assert found["gap"].min() == pytest.approx(gap, abs=1e-9)
        assert np.isfinite(found["position"]).all()


def test_bodies_within_each_other_come_out_the_short_way() -> None:
    inner, outer = Box((0.2, 0.2, 0.2)), Box((1.0, 1.0, 1.0))
    found = TwoShapes(inner, outer).contacts(at(0.05, 0.0, 0.1), HERE)
    assert found["gap"].min() == pytest.approx(-0.5, abs=1e-12)  # up: 0.5 - 0.1 + 0.1
    np.testing.assert_allclose(found["normal"][0], UP, atol=1e-12)
    same = TwoShapes(outer, outer).contacts(HERE, HERE)
    assert np.isfinite(same["normal"]).all()
    assert same["gap"].min() == pytest.approx(-1.0, abs=1e-12)


def test_a_corner_beside_the_ring_that_is_lowest_soon_stays() -> None:
    """Corners of G1's elbow over the floor, m, as it rolls over them. The one that is lowest at the end of the
    step lies 0.1 mm outside of the polygon of those that span the patch; left out, it went 0.2 mm into the floor."""
    corners = np.array([
        (0.2590, 0.3345, 1.74e-3, 1.85e-3), (0.2586, 0.3361, 1.34e-3, 1.44e-3), (0.2539, 0.3349, 1.38e-3, 1.45e-3),
        (0.2570, 0.3407, 4.73e-4, 5.34e-4), (0.2476, 0.3333, 2.12e-3, 2.15e-3), (0.2557, 0.3433, 1.74e-4, 2.09e-4),
        (0.2538, 0.3466, 1.32e-5, 1.31e-5), (0.2326, 0.3772, 1.35e-4, -2.19e-4), (0.2309, 0.3795, 3.88e-4, 5.78e-6),
        (0.2245, 0.3729, 5.67e-4, 1.70e-4), (0.2283, 0.3831, 1.01e-3, 5.86e-4), (0.2264, 0.3839, 1.04e-3, 5.98e-4),
        (0.2233, 0.3812, 5.78e-4, 1.23e-4), (0.2167, 0.3747, 2.10e-3, 1.63e-3), (0.2171, 0.3847, 1.63e-3, 1.10e-3),
    ])  # fmt: skip
    manifold = new_records(ManifoldPoint, len(corners))
    for k, (x, y, gap, _) in enumerate(corners):
        manifold[k] = ((x, y, gap), UP, gap, k)
    kept = {
        int(spot["feature"])
        for spot in manifold[: chosen(manifold, np.ascontiguousarray(corners[:, 3]), len(corners))]
    }
    assert 7 in kept  # the lowest soon
    assert {0, 4, 6, 14} <= kept  # those that reach farthest, and the deepest
    assert len(kept) < len(corners)


def test_corners_of_a_hull_that_only_a_blow_brings_to_a_plane_are_left_out() -> None:
    """Of a wedge whose lower corners are 0, 0.4 and 0.95 of the reach above the plane the last one is no contact,
    unless the body turns so that it comes near within the step: by `w dt` times its arm."""
    reach, dt = 1e-3, 1e-3
    heights = reach * np.array([0.0, 0.4, 0.95])
    sole = np.column_stack([[-0.1, 0.1, 0.1], [0.0, -0.1, 0.1], heights])
    two = TwoShapes(convex_hull(np.concatenate([sole, sole + 0.1 * UP])), Plane(), fixed=True)
    still = two.contacts(HERE, HERE, reach=reach, dt=dt)
    np.testing.assert_allclose(np.sort(still["gap"]), heights[:2], atol=1e-15)
    for drop, number in ((0.02 * reach, 2), (0.1 * reach, 3)):  # it ends 0.93 or 0.85 of the reach above it
        spin = np.array([0.0, 0.0, 0.0, -drop / (0.1 * dt), 0.0, 0.0])  # about x, by which y = 0.1 goes down
        assert len(two.contacts(HERE, HERE, reach=reach, dt=dt, velocity=spin)) == number
    raised = at(0.0, 0.0, 0.9 * reach)
    assert two.contacts(raised, HERE, reach=reach, dt=dt)["gap"].min() == pytest.approx(
        0.9 * reach, abs=1e-15
    )
