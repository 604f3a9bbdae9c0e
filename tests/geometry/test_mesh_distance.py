"""Signed distance to meshes: against closed forms, at all features, open and non-convex, in native code."""

from __future__ import annotations

import numpy as np
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from footfall.compiler import build_kernel
from footfall.contact.distance_functions import box_distance
from footfall.geometry.distance_grid import distance_grid
from footfall.geometry.mesh import TriangleMesh
from footfall.geometry.mesh_distance import distance_function, signed_distances

SIZE = (1.0, 0.6, 0.4)
BOX = TriangleMesh(*(lambda box: (box.vertices, box.faces))(trimesh.creation.box(extents=SIZE)))


def torus(sections: int = 64) -> TriangleMesh:
    made = trimesh.creation.torus(1.0, 0.3, major_sections=sections, minor_sections=sections // 2)
    return TriangleMesh(made.vertices, made.faces, "torus")


@given(st.tuples(*[st.floats(-1.5, 1.5)] * 3))
def test_a_box_mesh_is_a_box(point: tuple[float, float, float]) -> None:
    expected, normal = box_distance(SIZE, np.array(point))
    found = distance_function(BOX)(np.array(point))
    assert abs(found[0] - expected) < 1e-14
    closest = found[4:]
    assert abs(np.linalg.norm(np.array(point) - closest) - abs(expected)) < 1e-14
    if expected > 1e-3:
        assert np.abs(found[1:4] - normal).max() < 1e-10


def test_the_sign_is_right_beside_edges_and_corners() -> None:
    """Where a face's own normal would give the wrong sign: closest points on edges and vertices of a thin wedge."""
    vertices = np.array([[0.0, 0, 0], [1.0, 0.05, 0], [1.0, -0.05, 0], [0.5, 0.0, 1.0]])
    mesh = TriangleMesh(vertices, np.array([[0, 1, 2], [1, 0, 3], [2, 1, 3], [0, 2, 3]]))
    assert mesh.watertight
    rng = np.random.default_rng(0)
    points = rng.normal(size=(3000, 3)) * 0.3 + [0.5, 0.0, 0.3]
    found = signed_distances(mesh, points)
    inside = ((points[:, None] - mesh.corners[None, :, 0]) * mesh.face_normals).sum(axis=2).max(axis=1) < 0.0
    assert inside.sum() > 50
    assert ((found[:, 0] < 0.0) == inside).all()


def test_a_torus_is_not_convex() -> None:
    """Distance to a torus: | (|(x, y)| - R, z) | - r; chords of an n-gon are R (1 - cos(pi / n)) off."""
    mesh = torus()
    rng = np.random.default_rng(0)
    points = rng.uniform(-1.5, 1.5, size=(2000, 3))
    points[0] = 0.0  # in the hole
    found = signed_distances(mesh, points)
    exact = np.hypot(np.hypot(points[:, 0], points[:, 1]) - 1.0, points[:, 2]) - 0.3
    chord = 1.3 * (1 - np.cos(np.pi / 64)) + 0.3 * (1 - np.cos(np.pi / 32))
    assert np.abs(found[:, 0] - exact).max() < chord
    assert found[0, 0] > 0.69
    assert (found[:, 0] < 0.0).sum() > 100


def test_the_distance_of_a_mesh_does_not_exceed_any_triangle() -> None:
    """Against brute force over all triangles by sampling: the hierarchy misses nothing."""
    mesh = torus(16)
    rng = np.random.default_rng(1)
    points = rng.uniform(-2.0, 2.0, size=(100, 3))
    found = signed_distances(mesh, points)
    reference = trimesh.triangles.closest_point
    for point, answer in zip(points, found, strict=True):
        closest = reference(mesh.corners, np.tile(point, (len(mesh.triangles), 1)))
        assert abs(np.linalg.norm(closest - point, axis=1).min() - abs(answer[0])) < 1e-12


def test_an_open_mesh_has_two_sides() -> None:
    sheet = TriangleMesh(
        np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]), np.array([[0, 1, 2], [0, 2, 3]])
    )
    distance = distance_function(sheet)
    assert distance(np.array([0.3, 0.6, 0.2]))[0] == 0.2
    assert distance(np.array([0.3, 0.6, -0.2]))[0] == -0.2
    assert np.abs(distance(np.array([0.3, 0.6, 0.0]))[1:4] - [0.0, 0.0, 1.0]).max() == 0.0
    assert abs(distance(np.array([2.0, 0.5, 0.0]))[0]) == 1.0


def test_native_code_gives_the_same_bits() -> None:
    ring, box = distance_function(torus(16)), distance_function(BOX)
    kernel = build_kernel(lambda p: np.concatenate([ring(p), box(p)]), {"p": 3}, name="two meshes")
    points = np.random.default_rng(2).normal(size=(50, 3))
    expected = np.array([np.concatenate([ring(p), box(p)]) for p in points])
    assert (kernel.batch(points) == expected).all()
    assert (kernel(points[7]) == expected[7]).all()


def test_a_grid_of_distances_is_right_to_its_spacing() -> None:
    mesh = torus(32)
    grid = distance_grid(mesh, spacing=0.1, margin=0.2)
    points = np.random.default_rng(3).uniform(-1.4, 1.4, size=(400, 3)) * [1.0, 1.0, 0.3]
    exact = signed_distances(mesh, points)
    kernel = build_kernel(lambda p: dict(zip("dn", grid.distance(p), strict=True)), {"p": 3}, name="grid")
    distance, normal = kernel.batch(points)
    assert np.abs(distance - exact[:, 0]).max() < 0.05  # half a cell where the distance has a ridge
    smooth = np.abs(exact[:, 0]) < 0.1
    assert smooth.sum() > 50
    assert np.abs(distance - exact[:, 0])[smooth].max() < 0.015
    assert (normal * exact[:, 1:4]).sum(axis=1)[smooth].min() > 0.9
    assert np.abs(np.linalg.norm(normal, axis=1) - 1.0).max() < 1e-12
    far, away = grid.distance(np.array([0.0, 0.0, 10.0]))
    assert abs(far - 9.9) < 1.0
    assert (away == [0.0, 0.0, 1.0]).all()
    plain = np.array([grid.distance(point)[0] for point in points[:20]])
    assert np.abs(plain - distance[:20]).max() < 1e-13
