"""Distances of swept-sphere volumes: closed forms, the general program, coal, states where formulas divide by zero."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from footfall.arrays import Array
from footfall.errors import GeometryError
from footfall.geometry.swept_distance import SweptDistances, swept_distance, swept_distances
from footfall.geometry.swept_sphere import (
    SweptSphere,
    SweptVolume,
    pack,
    swept_line,
    swept_point,
    swept_triangle,
)
from footfall.math.transform import Transform
from tests.geometry.swept_reference import program_distance, reference_distance

KINDS = [(i, j) for i in (1, 2, 3) for j in (1, 2, 3)]
FLOOR = swept_triangle((0, 0, 0), (4, 0, 0), (0, 4, 0), 0.0)


def random_elements(rng: np.random.Generator, corners: int, count: int, kind: str) -> list[SweptSphere]:
    """Cores in general position, on a lattice (coinciding, parallel, crossing in corners), flat, or slivers."""
    points = rng.normal(size=(count, corners, 3))
    if kind == "lattice":
        points = np.round(points)
    elif kind == "flat":
        points[..., 2] *= 1e-7
    elif kind == "sliver" and corners == 3:
        along = rng.uniform(-1.0, 2.0, size=(count, 1))
        points[:, 2] = points[:, 0] + along * (points[:, 1] - points[:, 0]) + 1e-9 * points[:, 2]
    return [SweptSphere(each, 0.1) for each in points]


def check_parts(result: SweptDistances) -> None:
    """Points, normal and distance belong together."""
    np.testing.assert_allclose(np.linalg.norm(result.normal, axis=-1), 1.0, atol=1e-12)
    reached = result.first_point + np.asarray(result.distance)[..., None] * result.normal
    np.testing.assert_allclose(reached, result.second_point, atol=1e-9)


# Schwienbacher 2014, chapter 6, and Seiwald 2023, appendix C
KNOWN = [
    (swept_point((0, 0, 0), 0.1), swept_point((1, 0, 0), 0.2), 0.7),
    (swept_point((0.5, 1, 0), 0.1), swept_line((0, 0, 0), (1, 0, 0), 0.2), 0.7),
    (swept_line((0, 0, 0), (1, 0, 0), 0.1), swept_line((0.5, -1, 0.5), (0.5, 1, 0.5), 0.1), 0.3),
    (swept_triangle((0, 0, 0), (1, 0, 0), (0, 1, 0), 0.05), swept_point((0.25, 0.25, 1), 0.1), 0.85),
    (swept_line((0, 0, 0), (1, 0, 0), 0.0), swept_line((0.5, -1, 0.7), (0.5, 1, 0.7), 0.0), 0.7),
    (swept_line((0, 0, 0), (1, 0, 0), 0.0), swept_line((2, 1, 0), (3, 2, 0), 0.0), np.sqrt(2)),
    (swept_triangle((0, 0, 0), (4, 0, 0), (-3, 1, 0), 0.0), swept_point((2.6, -1, 0), 0.0), 1.0),  # obtuse
    (FLOOR, swept_line((0.8, 0.8, 1), (1.2, 1.2, 1), 0.0), 1.0),  # hovers over the inside
]


@pytest.mark.parametrize(("first", "second", "distance"), KNOWN)
def test_known_distances(first: SweptSphere, second: SweptSphere, distance: float) -> None:
    there, back = swept_distance(first, second), swept_distance(second, first)
    assert there.distance == pytest.approx(distance, abs=1e-15)
    assert there.exact
    assert back.distance == there.distance
    np.testing.assert_array_equal(back.normal, -there.normal)
    np.testing.assert_array_equal(back.first_point, there.second_point)
    check_parts(there)


def test_parallel_lines_meet_in_the_middle_of_their_overlap() -> None:
    """Schwienbacher 2014, chapter 6: s = 0.625."""
    result = swept_distance(
        swept_line((0, 0, 0), (1, 0, 0), 0.25), swept_line((0.25, 1, 0), (2.25, 1, 0), 0.25)
    )
    assert result.distance == 0.5
    np.testing.assert_array_equal(result.first_point, [0.625, 0.25, 0.0])
    np.testing.assert_array_equal(result.second_point, [0.625, 0.75, 0.0])


def test_short_lines_at_an_angle_are_not_parallel() -> None:
    """Schwienbacher 2014, (6.34): u2 v2 - (uv)2 is 8e-7 here, though the angle is 45 degrees."""
    first, second = swept_line((0, 0, 0), (0.03, 0, 0), 0), swept_line((0, -0.03, 0.01), (0.03, 0.0, 0.01), 0)
    result = swept_distance(first, second)
    assert result.distance == pytest.approx(0.01, abs=1e-15)
    np.testing.assert_allclose(result.first_point, [0.03, 0.0, 0.0], atol=1e-15)


CROSSING = [
    # element, element, distance of the cores, direction in which the second is freed
    (
        swept_line((0.25, 0.25, -1), (0.25, 0.25, 1), 0.1),
        swept_triangle((0, 0, 0), (1, 0, 0), (0, 1, 0), 0.05),
        -0.25,
        None,
    ),
    (FLOOR, swept_triangle((1, 1, -1), (1, 1, 1), (1.2, 1, 1), 0.1), -1.0, None),
    (FLOOR, swept_line((1, 1, -0.1), (1, 1, 3), 0.1), -0.1, (0, 0, 1)),
    (FLOOR, FLOOR, 0.0, (0, 0, 1)),
    (swept_line((-1, 0, 0), (1, 0, 0), 0.1), swept_line((0, -1, 0), (0, 1, 0), 0.1), 0.0, (0, 0, 1)),
    (FLOOR, swept_point((1, 1, 0), 0.1), 0.0, (0, 0, 1)),
    (swept_point((1, 1, 0), 0.1), swept_point((1, 1, 0), 0.1), 0.0, None),
    (swept_line((0, 0, 0), (1, 0, 0), 0.1), swept_line((0.5, 0, 0), (2, 0, 0), 0.1), 0.0, None),
    (swept_line((0, 0, -1), (0, 0, 1), 0.1), swept_point((0, 0, 0.5), 0.1), 0.0, None),
]


@pytest.mark.parametrize(("first", "second", "depth", "direction"), CROSSING)
def test_crossing_cores(
    first: SweptSphere, second: SweptSphere, depth: float, direction: tuple[float, float, float] | None
) -> None:
    """The least way that parts them, along the normal; Seiwald 2023 counts it as zero."""
    for one, other in ((first, second), (second, first)):
        result = swept_distance(one, other)
        radii = one.radius + other.radius
        assert result.core_distance == pytest.approx(depth, abs=1e-15)
        assert result.distance == pytest.approx(depth - radii, abs=1e-15)
        assert result.bounded_distance == pytest.approx(-radii, abs=1e-15)
        check_parts(result)
        if direction is not None:
            assert abs(result.normal @ direction) == pytest.approx(1.0)
        freed = Transform(np.eye(3), (radii - depth) * result.normal)
        parted = swept_distance(one, other, second_pose=freed)
        assert parted.distance == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("kind", ["general", "lattice", "flat", "sliver"])
@pytest.mark.parametrize(("i", "j"), KINDS)
def test_agrees_with_the_general_program(i: int, j: int, kind: str) -> None:
    """Schwienbacher 2014, (6.49)-(6.53), and the hull of differences where cores cross."""
    rng = np.random.default_rng(1000 * i + 100 * j)
    first, second = random_elements(rng, i, 40, kind), random_elements(rng, j, 40, kind)
    result = swept_distances(first, second)
    expected = [reference_distance(a.corners, b.corners) for a, b in zip(first, second, strict=True)]
    tolerance = 1e-12 if kind in ("general", "lattice") else 2e-9
    np.testing.assert_allclose(result.core_distance, expected, atol=tolerance)
    np.testing.assert_allclose(result.distance, result.core_distance - 0.2, atol=1e-15)
    check_parts(result)
    if i + j >= 5 and kind == "general":
        assert (np.array(expected) < 0.0).any(), "no cores cross in this test"


def test_reference_satisfies_its_optimality_conditions() -> None:
    rng = np.random.default_rng(5)
    for i, j in KINDS:
        for _ in range(10):
            residual = program_distance(rng.normal(size=(i, 3)), rng.normal(size=(j, 3)))[1]
            assert residual < 1e-12


@pytest.mark.parametrize(("i", "j"), KINDS)
def test_agrees_with_coal(i: int, j: int) -> None:
    """Spheres, capsules and triangles with a swept radius; coal iterates, so it is right to about 1e-6."""
    coal = pytest.importorskip("coal")
    pytest.importorskip("pinocchio")
    from tests.peers.volumes import coal_shape

    rng = np.random.default_rng(10 * i + j)
    first, second = random_elements(rng, i, 60, "general"), random_elements(rng, j, 60, "general")
    ours = swept_distances(first, second)
    request = coal.DistanceRequest()
    request.gjk_tolerance = 1e-10
    request.gjk_max_iterations = 1000
    theirs = []
    for a, b in zip(first, second, strict=True):
        (one, pose), (other, other_pose) = coal_shape(a), coal_shape(b)
        theirs.append(coal.distance(one, pose, other, other_pose, request, coal.DistanceResult()))
    apart = ours.core_distance > 1e-3
    assert apart.sum() > 30
    np.testing.assert_allclose(ours.distance[apart], np.array(theirs)[apart], atol=2e-6)
    np.testing.assert_allclose(ours.distance[~apart], np.array(theirs)[~apart], atol=1e-4)


# Coarse: corners coincide and lines are parallel often.
numbers = st.floats(-2.0, 2.0).map(lambda x: round(x, 1))
cores = st.integers(1, 3).flatmap(
    lambda n: st.lists(st.tuples(numbers, numbers, numbers), min_size=n, max_size=n)
)


@settings(max_examples=200)
@given(cores, cores, st.floats(0.0, 0.5), st.floats(0.0, 0.5))
def test_properties(one: Any, other: Any, r: float, s: float) -> None:
    """Right against the program; the same seen from the other side and after a common motion; Lipschitz in a shift."""
    first, second = SweptSphere(one, r), SweptSphere(other, s)
    result = swept_distance(first, second)
    expected = reference_distance(first.corners, second.corners) - r - s
    assert result.distance == pytest.approx(expected, abs=1e-9)
    check_parts(result)
    assert swept_distance(second, first).distance == pytest.approx(result.distance, abs=1e-12)
    pose = Transform(Rotation.from_rotvec([0.3, -1.1, 0.7]).as_matrix(), np.array([1.0, -2.0, 0.5]))
    turned = swept_distance(first, second, first_pose=pose, second_pose=pose)
    assert turned.distance == pytest.approx(result.distance, abs=1e-9)
    shifted = swept_distance(first, second, second_pose=Transform(np.eye(3), np.array([0.0, 0.01, 0.0])))
    assert abs(shifted.distance - result.distance) <= 0.01 + 1e-9


@settings(max_examples=60)
@given(st.sampled_from(KINDS), st.integers(0, 10**6))
def test_nearly_parallel_lines_lose_no_digits(kinds: tuple[int, int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    first = rng.normal(size=(kinds[0], 3))
    second = np.roll(first, 1, axis=0)[: kinds[1]] if kinds[1] <= kinds[0] else rng.normal(size=(kinds[1], 3))
    second = second + 10.0 ** rng.uniform(-14, -2) * rng.normal(size=second.shape) + rng.choice([0.0, 1.0])
    result = swept_distances([SweptSphere(first, 0.0)], [SweptSphere(second, 0.0)])
    assert result.distance[0] == pytest.approx(reference_distance(first, second), abs=1e-8)


def test_gradient_is_the_normal() -> None:
    """Schwienbacher 2014, (5.6): moving the second one along any direction changes the distance by its part along the
    normal."""
    rng = np.random.default_rng(8)
    for i, j in KINDS:
        first, second = random_elements(rng, i, 30, "general"), random_elements(rng, j, 30, "general")
        normals = swept_distances(first, second).normal
        step = 1e-6
        slopes = np.stack(
            [
                (
                    swept_distances(first, _shifted(second, step * axis)).distance
                    - swept_distances(first, _shifted(second, -step * axis)).distance
                )
                / (2 * step)
                for axis in np.eye(3)
            ],
            axis=1,
        )
        wrong = np.abs(slopes - normals).max(axis=1) > 1e-4
        assert wrong.sum() <= 1, "only where the closest feature changes within the step"


def _shifted(elements: list[SweptSphere], shift: Array) -> list[SweptSphere]:
    return [SweptSphere(each.corners + shift, each.radius) for each in elements]


def test_many_pairs_on_several_threads() -> None:
    rng = np.random.default_rng(3)
    first, second = random_elements(rng, 3, 4500, "general"), random_elements(rng, 2, 4500, "general")
    packed = pack(first), pack(second)
    one, two = swept_distances(*packed, threads=1), swept_distances(*packed, threads=2)
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)
    assert len(swept_distances([], []).distance) == 0


def test_volumes_of_several_elements() -> None:
    """The least distance of all pairs of elements, with or without poses."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        first = SweptVolume([SweptSphere(rng.normal(size=(rng.integers(1, 4), 3)), 0.1) for _ in range(4)])
        second = SweptVolume([SweptSphere(rng.normal(size=(rng.integers(1, 4), 3)), 0.2) for _ in range(3)])
        poses = [
            Transform(turn.as_matrix(), rng.normal(size=3)) for turn in Rotation.random(2, random_state=rng)
        ]
        result = swept_distance(first, second, first_pose=poses[0], second_pose=poses[1])
        moved = first.moved(poses[0]), second.moved(poses[1])
        every = [[swept_distance(a, b).distance for b in moved[1].elements] for a in moved[0].elements]
        assert result.distance == pytest.approx(np.min(every), abs=1e-12)
        assert every[result.elements[0]][result.elements[1]] == pytest.approx(result.distance, abs=1e-12)
        check_parts(result)


def test_threshold_spares_only_what_is_farther() -> None:
    """Schwienbacher 2014, chapter 6: what is skipped is at least as far as the threshold, and its distance a bound from
    below."""
    rng = np.random.default_rng(6)
    skipped = by_boxes = 0
    for _ in range(400):
        first = SweptVolume([SweptSphere(0.3 * rng.normal(size=(2, 3)), 0.1) for _ in range(3)])
        second = SweptVolume([SweptSphere(0.3 * rng.normal(size=(3, 3)), 0.1) for _ in range(2)])
        turns = Rotation.random(2, random_state=rng).as_matrix()
        poses = [Transform(turn, rng.normal(size=3)) for turn in turns]
        exact = swept_distance(first, second, first_pose=poses[0], second_pose=poses[1])
        bound = swept_distance(first, second, first_pose=poses[0], second_pose=poses[1], threshold=0.4)
        if bound.exact:
            assert bound.distance == exact.distance < 0.4
        else:
            skipped += 1
            by_boxes += bound.distance > 0.4
            assert 0.4 <= bound.distance <= exact.distance + 1e-12
    assert 50 < skipped < 400
    assert by_boxes > 0.8 * skipped


def test_boxes_hold_their_volumes() -> None:
    rng = np.random.default_rng(7)
    for corners in (1, 2, 3):
        element = SweptSphere(rng.normal(size=(corners, 3)), 0.3)
        weights = rng.dirichlet(np.ones(corners), size=500)
        directions = rng.normal(size=(500, 3))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        points = weights @ element.corners + 0.3 * directions
        low, high = SweptVolume((element,)).bounds
        assert (points >= low - 1e-12).all()
        assert (points <= high + 1e-12).all()


def test_volume_and_mirror() -> None:
    assert swept_point((1, 2, 3), 0.5).volume == pytest.approx(4 / 3 * np.pi * 0.125)
    capsule = swept_line((0, 0, 0), (0, 3, 4), 0.5)
    assert capsule.volume == pytest.approx(4 / 3 * np.pi * 0.125 + np.pi * 0.25 * 5.0)
    triangle = swept_triangle((0, 0, 0), (1, 0, 0), (0, 1, 0), 0.1)
    samples = np.random.default_rng(0).uniform((-0.1, -0.1, -0.1), (1.1, 1.1, 0.1), size=(3000, 3))
    inside = (
        swept_distances([triangle] * len(samples), [swept_point(each, 0.0) for each in samples]).distance <= 0
    )
    assert triangle.volume == pytest.approx(inside.mean() * 1.2 * 1.2 * 0.2, rel=0.04)
    volume = SweptVolume((capsule, triangle))
    twice = volume.mirrored("y").mirrored("y")
    for one, other in zip(volume.elements, twice.elements, strict=True):
        np.testing.assert_array_equal(one.corners, other.corners)
    assert volume.mirrored("y").elements[0].corners[1, 1] == -3.0


def test_volumes_are_immutable_values() -> None:
    element = SweptVolume((swept_line((0, 0, 0), (1, 0, 0), 0.1),))
    with pytest.raises(ValueError, match="read-only"):
        element.elements[0].corners[0, 0] = 1.0
    copy = pickle.loads(pickle.dumps(element))
    np.testing.assert_array_equal(copy.elements[0].corners, element.elements[0].corners)
    assert not copy.elements[0].corners.flags.writeable
    assert [SweptSphere(np.zeros((n, 3)), 0.0).kind for n in (1, 2, 3)] == ["point", "line", "triangle"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SweptSphere(np.zeros((4, 3)), 0.1), r"shape \(4, 3\)"),
        (lambda: swept_line((0, 0), (1, 1), 0.1), r"shape \(2, 2\)"),
        (lambda: swept_point((0, 0, np.nan), 0.1), "finite"),
        (lambda: swept_point((0, 0, 0), -0.1), "radius is -0.1"),
        (lambda: swept_point((0, 0, 0), np.inf), "radius is inf"),
        (lambda: swept_point(("a", 0, 0), 0.1), "must be numbers"),
        (lambda: SweptVolume(()), "no element"),
        (lambda: SweptVolume((1,)), "must be a SweptSphere"),
        (lambda: FLOOR.mirrored("w"), "axis is 'w'"),
        (lambda: swept_distance(FLOOR, FLOOR, threshold=0.0), "threshold is 0.0"),
        (lambda: swept_distances([FLOOR], []), "1 elements against 0"),
        (lambda: swept_distances(np.zeros((2, 3)), np.zeros((2, 3))), "must be float64"),
        (lambda: swept_distance(FLOOR, FLOOR, first_pose=Transform(np.eye(3), np.full(3, np.nan))), "finite"),
    ],
)
def test_bad_input_is_named(make: Any, message: str) -> None:
    with pytest.raises(GeometryError, match=message):
        make()
