"""V-Clip: polyhedra and their features, against GJK at random and at aligned poses, and warm starts."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.contact.classic.polyhedron import Polyhedron, polyhedron
from footfall.contact.classic.v_clip import polyhedron_distance
from footfall.contact.convex import Convex, convex_distance, convex_of
from footfall.errors import GeometryError
from footfall.math.transform import Transform, identity_transform
from footfall.robot.shapes import Box
from tests.poses import random_pose


def box(size: tuple[float, float, float]) -> Polyhedron:
    return polyhedron(convex_of(Box(size)).vertices)


RNG = np.random.default_rng(7)
POLYHEDRA = {
    "box": box((1.0, 0.6, 0.4)),
    "beam": box((0.2, 0.3, 1.5)),
    "tetrahedron": polyhedron(RNG.normal(size=(4, 3)) * 0.4),
    "hull": polyhedron(RNG.normal(size=(25, 3)) * 0.3),
}


@pytest.mark.parametrize("name", POLYHEDRA)
def test_polyhedra_are_closed_and_convex(name: str) -> None:
    body = POLYHEDRA[name]
    assert len(body.vertices) - len(body.edges) + len(body.planes) == 2  # Euler
    heights = body.vertices @ body.planes[:, :3].T - body.planes[:, 3]
    assert heights.max() < 1e-12
    for tail, head, left, right in body.edges:
        assert np.abs(heights[[tail, tail, head, head], [left, right, left, right]]).max() < 1e-12
        # Seen from outside, the left face lies left of the edge.
        direction = body.vertices[head] - body.vertices[tail]
        inward = np.cross(body.planes[left, :3], direction)
        on_face = np.abs(heights[:, left]) < 1e-9
        assert ((body.vertices[on_face] - body.vertices[tail]) @ inward).max() > 0.0


def test_a_box_has_six_faces() -> None:
    assert (len(POLYHEDRA["box"].vertices), len(POLYHEDRA["box"].edges), len(POLYHEDRA["box"].planes)) == (
        8,
        12,
        6,
    )


def as_convex(body: Polyhedron) -> Convex:
    return Convex(body.vertices)


@pytest.mark.parametrize("first", POLYHEDRA)
@pytest.mark.parametrize("second", POLYHEDRA)
def test_v_clip_agrees_with_gjk(first: str, second: str) -> None:
    """At random poses, and at poses in line with each other where features are parallel."""
    rng = np.random.default_rng(11)
    one, other = POLYHEDRA[first], POLYHEDRA[second]
    overlaps = 0
    for k in range(150):
        pose, place = random_pose(rng, (0.2, 0.5, 1.0)[k % 3]), random_pose(rng, 0.4)
        if k % 4 == 0:
            pose, place = (Transform(np.eye(3), np.round(each.translation * 4) / 4) for each in (pose, place))
        found = polyhedron_distance(one, pose, other, place)
        expected = convex_distance(as_convex(one), pose, as_convex(other), place)
        overlaps += expected.distance < 0.0
        assert found.result.distance == pytest.approx(expected.distance, abs=1e-9)
        assert found.steps < 100 or expected.distance < 0.0
        gap = found.result.on_first - found.result.on_second
        assert np.abs(gap - found.result.distance * found.result.normal).max() < 1e-9
        if expected.distance > 1e-3:
            assert np.abs(found.result.normal - expected.normal).max() < 1e-5
    assert overlaps > 5


def test_v_clip_ends_where_features_are_parallel() -> None:
    """Corners on a lattice, moved along it in turned axes: many features are in line but for rounding, which must not
    send the walk in circles."""
    rng = np.random.default_rng(5)
    apart, most = 0, 0
    for trial in range(40):
        one = polyhedron(rng.integers(-3, 4, size=(10, 3)) / 4)
        other = one if trial % 2 else box(tuple(rng.integers(1, 4, size=3) / 2))
        rotation = random_pose(rng, 1.0).rotation
        for _ in range(25):
            quarter = np.eye(3)[rng.permutation(3)]
            quarter *= np.linalg.det(quarter)
            pose = Transform(rotation, np.zeros(3))
            place = Transform(rotation @ quarter, rotation @ (rng.integers(-8, 9, size=3) / 4))
            found = polyhedron_distance(one, pose, other, place)
            expected = convex_distance(as_convex(one), pose, as_convex(other), place)
            assert found.result.distance == pytest.approx(expected.distance, abs=1e-9)
            if expected.distance > 1e-9:
                apart, most = apart + 1, max(most, found.steps)
    assert apart > 500
    assert most < 100


def test_v_clip_starts_where_it_ended() -> None:
    """Along a smooth motion a step or two suffice from the last features, and the answer is the same."""
    one, other = POLYHEDRA["hull"], POLYHEDRA["box"]
    features, warm, cold = None, 0, 0
    for k in range(100):
        angle = 0.02 * k
        turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        pose = Transform(turn, np.array([1.5 * np.cos(angle), 1.5 * np.sin(angle), 0.3]))
        found = polyhedron_distance(one, pose, other, identity_transform(), start=features)
        fresh = polyhedron_distance(one, pose, other, identity_transform())
        assert found.result.distance == pytest.approx(fresh.result.distance, abs=1e-12)
        features, warm, cold = found.features, warm + found.steps, cold + fresh.steps
    assert warm < 1.5 * 100 < cold


def test_flat_points_are_refused() -> None:
    with pytest.raises(GeometryError, match="no convex hull"):
        polyhedron(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0.5, 0.5, 0]]))
