"""Edges that cross: the normal of a contact does not depend on how far apart they are.

Two edges touch along `n = a x b` as long as n lies within the normal cones of both, between the normals of the two
faces at each edge. There the Minkowski difference has the parallelogram of both edges as a face, so that n separates
best whether the shapes are apart, touch or overlap: a closed form for normal, gap and place.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.contact.detection.hulls import ConvexHull, convex_hull
from footfall.geometry.mesh import TriangleMesh
from footfall.math.rotations import matrix_from_rotation_vector
from footfall.math.transform import Transform
from footfall.robot.shapes import Box
from tests.contact.detection.pairs import TwoShapes, ball_points

GAPS = np.concatenate(
    [s * np.array([1e-4, 1e-6, 1e-8, 1e-9, 1e-10, 3e-11, 1e-12]) for s in (1, -1)] + [[0.0]]
)
FARTHEST = 1e-3  # m, reach of detection
ROUNDING = 1e-12  # of shapes of 0.1 m: a few thousand units in the last place


class Edge(NamedTuple):
    """Of a convex shape, in its frame: ends (m), and the unit normals of the two faces that meet there."""

    tail: Array
    head: Array
    left: Array
    right: Array


def box_hull(size: tuple[float, float, float]) -> ConvexHull:
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    return convex_hull(signs * np.asarray(size) / 2)


def edges_of(hull: ConvexHull) -> list[Edge]:
    """Edges of a hull whose faces meet at more than 20 degrees."""
    sides: dict[tuple[int, int], Array] = {}
    for normal, face in zip(hull.normals, hull.faces, strict=True):
        for k in range(len(face)):
            sides[int(face[k]), int(face[(k + 1) % len(face)])] = normal
    return [
        Edge(hull.points[a], hull.points[b], left, sides[b, a])
        for (a, b), left in sides.items()
        if a < b and left @ sides[b, a] < np.cos(np.radians(20.0))
    ]


class Crossing(NamedTuple):
    """Poses of two shapes whose edges touch at `place`, with the normal towards the first."""

    pose: Transform
    other: Transform
    normal: Array
    place: Array

    def apart(self, gap: float) -> Transform:
        """Pose of the first at a distance (m) along the normal."""
        return Transform(self.pose.rotation, self.pose.translation + gap * self.normal)


def random_crossing(first: ConvexHull, second: ConvexHull, rng: np.random.Generator) -> Crossing:
    """Edges cross within the middle half of both, under an angle of 30 to 150 degrees, 0.1 to 0.9 of the way from one
    face's normal to the other's."""
    normal = rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    place, line = 0.3 * rng.normal(size=3), np.cross(normal, rng.normal(size=3))
    angle, poses = rng.uniform(np.radians(30.0), np.radians(150.0)), []
    turned = matrix_from_rotation_vector(angle * normal) @ line
    for hull, outward, along in ((first, -normal, line), (second, normal, turned)):
        edges = edges_of(hull)
        edge = edges[rng.integers(len(edges))]
        share = rng.uniform(0.1, 0.9)
        looks = (1.0 - share) * edge.left + share * edge.right
        rotation = _frame(outward, along) @ _frame(looks, edge.head - edge.tail).T
        at = edge.tail + rng.uniform(0.25, 0.75) * (edge.head - edge.tail)
        poses.append(Transform(rotation, place - rotation @ at))
    return Crossing(poses[0], poses[1], normal, place)


def _frame(normal: Array, along: Array) -> Array:
    """Columns: along, across, normal; along is across the normal."""
    n, t = normal / np.linalg.norm(normal), along / np.linalg.norm(along)
    return np.column_stack([t, np.cross(n, t), n])


def check_crossing(found: Any, crossing: Crossing, gap: float, *, both_move: bool) -> None:
    """The crossing is a contact along the normal, and nothing else that is as near along it has another normal."""
    on_axis = found[found["normal"] @ crossing.normal > 1.0 - 1e-12]
    assert len(on_axis), f"no contact along the normal at a gap of {gap:g} m"
    nearest = on_axis[int(on_axis["gap"].argmin())]
    assert nearest["gap"] == pytest.approx(gap, abs=ROUNDING)
    np.testing.assert_allclose(nearest["normal"], crossing.normal, atol=1e-11)
    middle = 0.5 * gap if both_move else 0.0
    np.testing.assert_allclose(nearest["position"], crossing.place + middle * crossing.normal, atol=1e-9)
    for each in found:
        cosine = float(each["normal"] @ crossing.normal)
        if cosine < 1.0 - 1e-12:  # a corner of a face near by: farther away along the normal
            assert each["gap"] * cosine > gap + 5e-11, (gap, each)


SHAPES = {
    "box": ((0.12, 0.2, 0.3), box_hull((0.12, 0.2, 0.3))),
    "plate": ((0.3, 0.2, 0.04), box_hull((0.3, 0.2, 0.04))),
    "hull": (None, convex_hull(ball_points(12, 0.15))),
}


def shape_of(name: str) -> Any:
    size, hull = SHAPES[name]
    return hull if size is None else Box(size)


@pytest.mark.parametrize(
    ("one", "other"), [("box", "box"), ("box", "plate"), ("box", "hull"), ("hull", "hull")]
)
@pytest.mark.parametrize("cold", [True, False])
def test_the_normal_of_crossing_edges_does_not_depend_on_the_gap(one: str, other: str, cold: bool) -> None:
    """Within 1e-10 m of zero, where resting contacts are, the normal was that of a face up to 37 degrees away."""
    rng = np.random.default_rng(7)
    two = TwoShapes(shape_of(one), shape_of(other))
    for _ in range(30):
        crossing = random_crossing(SHAPES[one][1], SHAPES[other][1], rng)
        for gap in GAPS:
            found = two.contacts(crossing.apart(gap), crossing.other, reach=FARTHEST, cold=cold)
            check_crossing(found, crossing, gap, both_move=True)


@pytest.mark.parametrize("one", ["box", "hull"])
def test_the_same_on_the_edges_of_a_mesh(one: str) -> None:
    rng = np.random.default_rng(8)
    hull = SHAPES["box"][1]
    for _ in range(20):
        crossing = random_crossing(SHAPES[one][1], hull, rng)
        two = TwoShapes(shape_of(one), mesh_of(hull), fixed=True)
        for gap in GAPS:
            found = two.contacts(crossing.apart(gap), crossing.other, reach=FARTHEST)
            check_crossing(found, crossing, gap, both_move=False)


def mesh_of(hull: ConvexHull) -> TriangleMesh:
    triangles = [(face[0], face[k], face[k + 1]) for face in hull.faces for k in range(1, len(face) - 1)]
    return TriangleMesh(hull.points, np.array(triangles))


def test_a_wrong_normal_is_seen() -> None:
    """The check above can fail: a normal that is off by a thousandth of a degree, a gap by a nanometre."""
    crossing = random_crossing(SHAPES["box"][1], SHAPES["box"][1], np.random.default_rng(9))
    found = TwoShapes(shape_of("box"), shape_of("box")).contacts(
        crossing.pose, crossing.other, reach=FARTHEST
    )
    check_crossing(found, crossing, 0.0, both_move=True)
    turned = matrix_from_rotation_vector(np.radians(1e-3) * np.cross(crossing.normal, [0.6, 0.0, 0.8]))
    with pytest.raises(AssertionError):
        check_crossing(found, crossing._replace(normal=turned @ crossing.normal), 0.0, both_move=True)
    with pytest.raises(AssertionError):
        check_crossing(found, crossing, 1e-9, both_move=True)
