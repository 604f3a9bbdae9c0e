"""Pairs of convex shapes: against coal, against a search over all axes, in both orders, along motions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from footfall.arrays import Array
from footfall.contact.detection.hulls import ConvexHull
from footfall.geometry.plane import Plane
from footfall.math.rotations import matrix_from_rotation_vector
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Sphere
from tests.contact.detection.pairs import SHAPES, TwoShapes, coal_distance, coal_shape
from tests.poses import random_pose

PAIRS = [*combinations_with_replacement(SHAPES, 2)]
GAPS = (0.005, 1e-6, 0.0, -1e-4, -0.03)  # m
# coal stops at 1e-9 between flat faces; on the round sides of cylinders at about 1e-6 (measured: 3e-7), where the
# search over all axes is the judge.
FLAT, ROUND = 5e-9, 2e-6


def poses_at(
    rng: np.random.Generator, distance: Callable[[Transform, Transform], float], gap: float
) -> tuple[Transform, Transform]:
    """Random poses at about that gap (m): the first shape comes nearer until it is there."""
    other = random_pose(rng, 0.3)
    rotation, direction = random_pose(rng).rotation, rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    far = 1.5
    for _ in range(6):
        far -= distance(Transform(rotation, other.translation + far * direction), other) - gap
    return Transform(rotation, other.translation + far * direction), other


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_gaps_are_those_of_coal(first: str, second: str) -> None:
    rng = np.random.default_rng(3)
    two = TwoShapes(SHAPES[first], SHAPES[second])
    one, other = coal_shape(SHAPES[first]), coal_shape(SHAPES[second])
    tolerance = ROUND if "cylinder" in (first, second) else FLAT
    compared = 0
    for k in range(25):
        pose, place = poses_at(rng, lambda a, b: coal_distance(one, a, other, b), GAPS[k % 5])
        expected = coal_distance(one, pose, other, place)
        if expected > 0.009 or (expected == 0.0 and "cylinder" in (first, second)):
            continue  # went through a thin one; or coal gave up, see the search over all axes
        found = two.contacts(pose, place, cold=True)
        assert found["gap"].min() == pytest.approx(expected, abs=tolerance)
        compared += 1
    assert compared > 10


@pytest.mark.parametrize("name", SHAPES)
def test_gaps_over_a_plane(name: str) -> None:
    rng = np.random.default_rng(4)
    two = TwoShapes(SHAPES[name], Plane(), fixed=True)
    one, other = coal_shape(SHAPES[name]), coal_shape(Plane())
    for gap in GAPS:
        place = random_pose(rng, 0.3)
        pose = Transform(random_pose(rng).rotation, place.translation + rng.normal(size=3))
        up = np.asarray(place.rotation)[:, 2]
        lift = gap - coal_distance(one, pose, other, place)
        pose = Transform(pose.rotation, pose.translation + lift * up)
        found = two.contacts(pose, place)
        assert found["gap"].min() == pytest.approx(gap, abs=1e-14)
        np.testing.assert_allclose(found["normal"], np.tile(up, (len(found), 1)), atol=1e-15)


def support(shape: Any, pose: Transform, along: Array) -> Array:
    local = np.asarray(pose.rotation).T @ along
    match shape:
        case Sphere(radius):
            point = radius * local
        case Capsule(radius, length):
            point = np.array([0.0, 0.0, length / 2 * np.sign(local[2])]) + radius * local
        case Cylinder(radius, length):
            wide = max(np.hypot(local[0], local[1]), 1e-300)
            point = np.array(
                [radius * local[0] / wide, radius * local[1] / wide, length / 2 * np.sign(local[2])]
            )
        case Box(size):
            point = np.sign(local) * np.array(size) / 2
        case ConvexHull(points):
            point = points[np.argmax(points @ local)]
    return np.asarray(pose.rotation @ point + pose.translation)


def greatest_separation(first: Any, pose: Transform, second: Any, place: Transform) -> tuple[float, Array]:
    """By a search over all directions: what the distance of convex bodies is by definition."""

    def overlap(direction: Array) -> float:
        n = direction / np.linalg.norm(direction)
        return -float(n @ (support(first, pose, -n) - support(second, place, n)))

    starts = np.random.default_rng(0).normal(size=(1500, 3))
    nearest = np.argsort([overlap(start) for start in starts])[:6]
    options = {"xatol": 1e-12, "fatol": 1e-15, "maxiter": 3000, "maxfev": 3000}
    results = [minimize(overlap, starts[k], method="Nelder-Mead", options=options) for k in nearest]
    best = min(results, key=lambda result: float(result.fun))
    return -float(best.fun), best.x / np.linalg.norm(best.x)


@pytest.mark.parametrize("second", ["capsule", "cylinder", "box", "plate", "hull"])
def test_cylinders_touch_where_a_search_over_all_axes_says(second: str) -> None:
    rng = np.random.default_rng(6)
    cylinder, other = SHAPES["cylinder"], SHAPES[second]
    two = TwoShapes(cylinder, other)

    def distance(pose: Transform, place: Transform) -> float:
        return float(two.contacts(pose, place, reach=5.0, cold=True)["gap"].min())

    for gap in GAPS:
        pose, place = poses_at(rng, distance, gap)
        expected, normal = greatest_separation(cylinder, pose, other, place)
        found = two.contacts(pose, place, reach=0.02, cold=True)
        deepest = found[int(found["gap"].argmin())]
        assert deepest["gap"] == pytest.approx(expected, abs=1e-11)
        if abs(expected) > 1e-3:  # a corner that just touches a rim has many normals
            np.testing.assert_allclose(deepest["normal"], normal, atol=1e-5)


def test_the_search_can_disagree() -> None:
    """Negative: a gap that is wrong by a micrometre is noticed by both references."""
    place, up = Transform(np.eye(3), np.zeros(3)), np.array([0.0, 0.0, 1.0])
    box = Box((0.5, 0.3, 0.4))
    pose = Transform(np.eye(3), 0.4 * up + 1e-6 * up)
    expected, _ = greatest_separation(box, pose, box, place)
    assert expected == pytest.approx(1e-6, abs=1e-12)
    assert expected != pytest.approx(0.0, abs=1e-11)
    assert coal_distance(coal_shape(box), pose, coal_shape(box), place) != pytest.approx(0.0, abs=FLAT)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_other_order_is_the_mirror_image(first: str, second: str) -> None:
    rng = np.random.default_rng(8)
    there, back = TwoShapes(SHAPES[first], SHAPES[second]), TwoShapes(SHAPES[second], SHAPES[first])
    one, other = coal_shape(SHAPES[first]), coal_shape(SHAPES[second])
    for gap in GAPS:
        pose, place = poses_at(rng, lambda a, b: coal_distance(one, a, other, b), gap)
        ours, theirs = there.contacts(pose, place, cold=True), back.contacts(place, pose, cold=True)
        assert (len(ours) > 0) == (len(theirs) > 0)
        if not len(ours):
            continue
        a, b = ours[int(ours["gap"].argmin())], theirs[int(theirs["gap"].argmin())]
        assert a["gap"] == pytest.approx(b["gap"], abs=1e-9)
        if abs(gap) > 1e-3 and "plate" not in (first, second):
            np.testing.assert_allclose(a["normal"], -b["normal"], atol=1e-5)


@pytest.mark.parametrize(
    ("first", "second"), [("box", "plate"), ("hull", "box"), ("cylinder", "box"), ("capsule", "tetrahedron")]
)
def test_gaps_change_without_a_jump(first: str, second: str) -> None:
    """Along a motion through touching and overlap the least gap changes no faster than points move; and what is known
    from the last step does not change the answer."""
    rng = np.random.default_rng(9)
    two = TwoShapes(SHAPES[first], SHAPES[second])
    fresh = TwoShapes(SHAPES[first], SHAPES[second])
    place = random_pose(rng, 0.1)
    rotation = np.asarray(random_pose(rng).rotation)
    steps, speed, turn = 700, 1e-3, 2e-3
    gaps, compared = [], 0
    for k in range(steps):
        spin = matrix_from_rotation_vector(turn * k * np.array([0.3, -0.5, np.sqrt(1 - 0.34)]))
        along = np.array([0.6, 0.0, 0.8])
        pose = Transform(spin @ rotation, place.translation + (0.9 - speed * k) * along)
        found = two.contacts(pose, place, reach=1.0)
        gaps.append(float(found["gap"].min()))
        if k % 10 == 0:
            cold = fresh.contacts(pose, place, reach=1.0, cold=True)["gap"].min()
            if cold > -0.01:
                assert gaps[-1] == pytest.approx(float(cold), abs=1e-9)
                compared += 1
    bound = speed + turn * 0.6  # no point of these shapes is farther from its centre than 0.6 m
    shallow = np.array(gaps[1:]) > -0.02
    assert np.abs(np.diff(gaps))[shallow].max() <= bound + 1e-9
    assert compared > 5
    assert min(gaps) < -0.01 < 0.05 < max(gaps)
