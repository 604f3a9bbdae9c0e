"""Distance functions: closed forms, normals as gradients, singular places, symbols, and the points of bodies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from footfall.compiler import build_kernel
from footfall.contact.classic.broad_phase import bounding_box, swept_bounds
from footfall.contact.convex import convex_distance
from footfall.contact.distance_functions import Surface, local_distance, signed_distance
from footfall.contact.features import contact_points, spread_points
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform, identity_transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Geometry, Mesh, Sphere
from tests.poses import random_pose

HILLS = HeightMap(np.random.default_rng(0).normal(size=(7, 9)) * 0.1, (0.3, 0.2))
SHAPES: dict[str, Surface] = {
    "plane": Plane(),
    "box": Box((1.0, 0.6, 0.4)),
    "sphere": Sphere(0.5),
    "capsule": Capsule(0.2, 0.8),
    "cylinder": Cylinder(0.4, 0.7),
    "height map": HILLS,
}
POINT = st.tuples(*[st.floats(-1.5, 1.5)] * 3).map(np.array)


@pytest.mark.parametrize(
    ("shape", "point", "distance", "normal"),
    [
        (Plane(), (3.0, -2.0, 0.5), 0.5, (0, 0, 1)),
        (Box((2, 2, 2)), (0.0, 0.0, 3.0), 2.0, (0, 0, 1)),
        (Box((2, 2, 2)), (-4.0, 5.0, 0.0), 5.0, (-0.6, 0.8, 0)),
        (Box((2, 2, 2)), (2.0, 3.0, -3.0), 3.0, (1 / 3, 2 / 3, -2 / 3)),
        (Box((2, 2, 2)), (-0.9, 0.1, 0.2), -0.1, (-1, 0, 0)),
        (Box((2, 2, 2)), (0.0, 0.0, 0.0), -1.0, (0, 0, 1)),
        (Box((2, 2, 2)), (0.5, 0.0, -1.0), 0.0, (0, 0, -1)),
        (Sphere(1.0), (0.0, 3.0, 4.0), 4.0, (0, 0.6, 0.8)),
        (Sphere(1.0), (0.0, 0.0, 0.0), -1.0, (0, 0, 1)),
        (Capsule(0.5, 2.0), (2.0, 0.0, 0.3), 1.5, (1, 0, 0)),
        (Capsule(0.5, 2.0), (0.0, 3.0, 5.0), 4.5, (0, 0.6, 0.8)),
        (Capsule(0.5, 2.0), (0.0, 0.0, 0.2), -0.5, (1, 0, 0)),
        (Cylinder(1.0, 2.0), (0.0, 3.0, 0.5), 2.0, (0, 1, 0)),
        (Cylinder(1.0, 2.0), (0.5, 0.0, 3.0), 2.0, (0, 0, 1)),
        (Cylinder(1.0, 2.0), (4.0, 0.0, -5.0), 5.0, (0.6, 0, -0.8)),
        (Cylinder(1.0, 2.0), (0.0, 0.0, 0.9), -0.1, (0, 0, 1)),
        (Cylinder(1.0, 4.0), (0.0, 0.0, 0.0), -1.0, (1, 0, 0)),
    ],
)
def test_closed_forms(
    shape: Surface, point: tuple[float, ...], distance: float, normal: tuple[float, ...]
) -> None:
    found, direction = local_distance(shape, np.array(point))
    assert found == pytest.approx(distance, abs=1e-15)
    assert np.abs(np.asarray(direction, dtype=float) - normal).max() < 1e-15


@pytest.mark.parametrize("name", SHAPES)
@given(point=POINT, seed=st.integers(0, 1000))
def test_normals_are_gradients(name: str, point: np.ndarray, seed: int) -> None:
    """|gradient| = 1 wherever the distance is smooth; a kink shows as one-sided slopes that differ."""
    pose = random_pose(np.random.default_rng(seed))
    distance, normal = signed_distance(SHAPES[name], pose, point)
    assert np.isfinite(distance)
    assert abs(np.linalg.norm(normal) - 1.0) < 1e-12
    if name == "height map":
        return  # the distance to a tangent plane that itself changes: not a gradient
    step = 1e-6
    ahead = signed_distance(SHAPES[name], pose, point + step * normal)[0] - distance
    behind = distance - signed_distance(SHAPES[name], pose, point - step * normal)[0]
    assert ahead / step == pytest.approx(1.0, abs=1e-6) or abs(ahead - behind) > 1e-9
    across = np.cross(normal, [0.6, 0.0, 0.8])
    sideways = signed_distance(SHAPES[name], pose, point + step * across)[0] - distance
    back = signed_distance(SHAPES[name], pose, point - step * across)[0] - distance
    if abs(distance) > 1e-2 and abs(sideways + back) < 1e-9:
        assert abs(sideways) / step < 1e-3


@given(point=POINT, other=POINT)
@pytest.mark.parametrize("name", [name for name in SHAPES if name != "height map"])
def test_distances_change_no_faster_than_the_point_moves(
    name: str, point: np.ndarray, other: np.ndarray
) -> None:
    change = local_distance(SHAPES[name], point)[0] - local_distance(SHAPES[name], other)[0]
    assert abs(change) <= np.linalg.norm(point - other) + 1e-12


@pytest.mark.parametrize("name", SHAPES)
def test_traced_equals_plain(name: str) -> None:
    shape = SHAPES[name]

    def traced(rotation, translation, point):
        distance, normal = signed_distance(shape, Transform(rotation, translation), point)
        return {"distance": distance, "normal": normal}

    kernel = build_kernel(traced, {"rotation": (3, 3), "translation": 3, "point": 3}, name="distance")
    rng = np.random.default_rng(0)
    for k in range(60):
        pose = random_pose(rng)
        point = pose.translation + rng.normal(size=3) * (0.0, 0.1, 1.0)[k % 3]
        distance, normal = kernel(*pose, point)
        expected, direction = signed_distance(shape, pose, point)
        assert abs(distance - expected) < 1e-14
        assert np.abs(normal - np.asarray(direction, dtype=float)).max() < 1e-12


def test_a_height_map_that_is_a_slope_is_a_plane() -> None:
    x = np.arange(5.0)
    slope = HeightMap(np.tile(0.5 * x[:, None], (1, 5)), (1.0, 1.0), (0.0, 0.0))
    normal = np.array([-0.5, 0.0, 1.0]) / np.sqrt(1.25)
    for point in np.random.default_rng(0).uniform(0.5, 3.5, size=(30, 3)):
        distance, direction = local_distance(slope, point)
        assert distance == pytest.approx(normal @ point, abs=1e-14)
        assert np.abs(direction - normal).max() < 1e-14


def test_a_mesh_file_is_a_surface(tmp_path: Path) -> None:
    path = tmp_path / "box.ply"
    trimesh.creation.box(extents=(1.0, 0.6, 0.4)).export(path)
    pose = random_pose(np.random.default_rng(1))
    for point in np.random.default_rng(2).normal(size=(30, 3)):
        found = signed_distance(Mesh(str(path)), pose, point)
        expected = signed_distance(SHAPES["box"], pose, point)
        assert found[0] == pytest.approx(expected[0], abs=1e-6)  # the file has single precision
    with pytest.raises(TypeError, match="no distance to a str"):
        local_distance("ball", np.zeros(3))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["box", "sphere", "capsule"])
def test_points_with_their_radius_touch_a_plane_as_the_shape_does(name: str) -> None:
    """Lowest point of a shape over a plane, from its bounds, equals the least gap of its contact points.

    A box lacks what its corners are rounded by, at most sqrt(3) - 1 times the radius; flat on the plane nothing.
    """
    shape = SHAPES[name]
    rng = np.random.default_rng(3)
    for _ in range(50):
        pose = random_pose(rng)
        points = contact_points(Geometry(shape, pose))  # type: ignore[arg-type]
        gap = (points.positions[:, 2] - points.radii).min()
        slack = (np.sqrt(3) - 1) * points.radii[0] if name == "box" else 0.0
        lowest = bounding_box(shape, pose)[0][2]
        assert lowest - 1e-12 <= gap <= lowest + slack + 1e-12
    flat = contact_points(Geometry(SHAPES["box"]))  # type: ignore[arg-type]
    assert (flat.positions[:, 2] - flat.radii).min() == pytest.approx(-0.2, abs=1e-15)


def test_numbers_of_points(tmp_path: Path) -> None:
    counts = {
        name: len(contact_points(Geometry(SHAPES[name])).radii) for name in ("box", "sphere", "capsule")
    }  # type: ignore[arg-type]
    assert counts == {"box": 8, "sphere": 1, "capsule": 2}
    rims, radii = contact_points(Geometry(Cylinder(0.4, 0.7)), rim_points=6)
    assert len(rims) == 12
    assert np.abs(np.hypot(rims[:, 0], rims[:, 1]) + radii - 0.4).max() < 1e-15
    assert np.abs(np.abs(rims[:, 2]) + radii - 0.35).max() < 1e-15
    # A little inside of an equal cylinder that it stands on.
    for point in rims[6:] + np.array([0.0, 0.0, 0.6999]):
        assert local_distance(Cylinder(0.4, 0.7), point)[1] == pytest.approx([0.0, 0.0, 1.0])
    path = tmp_path / "ball.stl"
    trimesh.creation.icosphere(subdivisions=3).export(path)
    points = contact_points(Geometry(Mesh(str(path))), mesh_points=20).positions
    assert len(points) == 20
    nearest = np.linalg.norm(points[:, None] - points, axis=2) + 9 * np.eye(20)
    assert nearest.min() > 0.5  # well spread over a ball of radius 1
    assert np.abs(np.linalg.norm(points, axis=1) - 1.0).max() < 1e-3


def test_few_points_stay_all() -> None:
    points = np.arange(12.0).reshape(4, 3)
    assert (spread_points(points, 9) == points).all()
    assert len(spread_points(points, 2)) == 2


@pytest.mark.parametrize("name", ["box", "sphere", "capsule", "cylinder"])
def test_bounding_boxes_are_tight(name: str) -> None:
    """A plate beside the shape is as far away as its face is from that side of the box."""
    shape, rng = SHAPES[name], np.random.default_rng(4)
    for _ in range(20):
        pose = random_pose(rng)
        lower, upper = bounding_box(shape, pose)
        for axis in range(3):
            size, side = np.full(3, 100.0), np.eye(3)[axis]
            size[axis] = 1.0
            plate = Box(tuple(size))
            for face, away in ((upper[axis], side), (lower[axis], -side)):
                middle = pose.translation.copy()
                middle[axis] = face + 0.8 * away[axis]  # its face is 0.3 m away
                found = convex_distance(shape, pose, plate, Transform(np.eye(3), middle))  # type: ignore[arg-type]
                assert found.distance == pytest.approx(0.3, abs=1e-12)


def test_bounding_boxes_of_ground() -> None:
    lower, upper = bounding_box(Plane(), Transform(np.eye(3), np.array([0.0, 0.0, 2.0])))
    assert upper.tolist() == [np.inf, np.inf, 2.0]
    assert lower.tolist() == [-np.inf] * 3
    tilted = random_pose(np.random.default_rng(0))
    assert np.isinf(bounding_box(Plane(), tilted)).all()
    assert np.isinf(bounding_box(HILLS, identity_transform())).all()
    low, high = swept_bounds(np.zeros((1, 3)), np.ones((1, 3)), np.array([[1.0, -2.0, 0.0]]), 0.1)
    assert np.abs(low - [[-0.1, -0.2, 0.0]]).max() < 1e-15
    assert np.abs(high - [[1.1, 1.2, 1.0]]).max() < 1e-15
