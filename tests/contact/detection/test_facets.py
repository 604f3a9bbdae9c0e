"""Meshes and terrain: against coal triangle by triangle, against each other, over seams, and where they end."""

from __future__ import annotations

from typing import Any

import coal
import numpy as np
import pytest

from footfall.arrays import Array
from footfall.contact.detection.hulls import convex_hull
from footfall.geometry.height_map import HeightMap
from footfall.geometry.mesh import TriangleMesh
from footfall.geometry.plane import Plane
from footfall.math.rotations import matrix_from_rotation_vector
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Sphere
from tests.contact.detection.pairs import SHAPES, TwoShapes, coal_distance, coal_shape
from tests.poses import random_pose

HERE = Transform(np.eye(3), np.zeros(3))
UP = np.array([0.0, 0.0, 1.0])


def at(x: float, y: float, z: float, rotation: Array | None = None) -> Transform:
    return Transform(np.eye(3) if rotation is None else rotation, np.array([x, y, z]))


def grid_mesh(heights: Array, spacing: float) -> TriangleMesh:
    """Triangles over a grid, cells split as terrain splits them; centred."""
    rows, columns = heights.shape
    x, y = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    x, y = (x - (rows - 1) / 2) * spacing, (y - (columns - 1) / 2) * spacing
    number = np.arange(rows * columns).reshape(rows, columns)
    a, b = number[:-1, :-1].ravel(), number[1:, :-1].ravel()
    c, d = number[1:, 1:].ravel(), number[:-1, 1:].ravel()
    triangles = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    return TriangleMesh(np.column_stack([x.ravel(), y.ravel(), heights.ravel()]), triangles)


def ball_mesh(rings: int, radius: float = 0.5) -> TriangleMesh:
    import trimesh

    ball = trimesh.creation.icosphere(rings, radius)
    return TriangleMesh(ball.vertices, ball.faces)


def coal_mesh(mesh: TriangleMesh) -> Any:
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(mesh.triangles), len(mesh.vertices))
    vertices, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for vertex in mesh.vertices:
        vertices.append(vertex)
    for triangle in mesh.triangles.tolist():
        triangles.append(coal.Triangle(*triangle))
    model.addSubModel(vertices, triangles)
    model.endModel()
    return model


ROUGH = grid_mesh(0.15 * np.random.default_rng(1).normal(size=(6, 6)), 0.25)
MESHES = {"rough": ROUGH, "ball": ball_mesh(1)}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("ground", MESHES)
def test_gaps_over_meshes_are_those_of_coal(name: str, ground: str) -> None:
    """Apart: the least distance to all triangles."""
    rng = np.random.default_rng(2)
    shape, mesh = SHAPES[name], MESHES[ground]
    two = TwoShapes(shape, mesh, fixed=True)
    one, other = coal_shape(shape), coal_mesh(mesh)
    place = random_pose(rng, 0.3)
    compared, worst = 0, 0.0
    while compared < 12:
        direction = rng.normal(size=3)
        direction[2] = abs(direction[2]) if ground == "rough" else direction[2]
        direction = np.asarray(place.rotation) @ direction / np.linalg.norm(direction)
        start = place.translation + rng.normal(size=3) * 0.1 + 1.5 * direction
        rotation = random_pose(rng).rotation
        gap = rng.choice([0.008, 1e-3, 1e-6])
        pose = Transform(rotation, start)
        for _ in range(8):
            least = coal_distance(one, pose, other, place)
            pose = Transform(rotation, pose.translation - (least - gap) * direction)
        expected = coal_distance(one, pose, other, place)
        if not 0.0 < expected < 0.009:
            continue
        found = two.contacts(pose, place)
        print(name, ground, expected, found["gap"].min() - expected if len(found) else None)
        worst = max(worst, abs(found["gap"].min() - expected) if len(found) else np.inf)
        compared += 1
    assert worst < (2e-6 if name == "cylinder" else 1e-8)


@pytest.mark.parametrize("name", SHAPES)
def test_a_closed_convex_mesh_is_its_hull(name: str) -> None:
    """Triangles and the hull of the same corners: the same deepest point, apart and overlapping."""
    rng = np.random.default_rng(7)
    mesh = MESHES["ball"]
    place = random_pose(rng, 0.2)
    facets = TwoShapes(SHAPES[name], mesh, fixed=True)
    hull = TwoShapes(SHAPES[name], convex_hull(mesh.vertices), fixed=True)
    for k in range(60):
        rotation, direction = random_pose(rng).rotation, rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        far, gap = 1.2, (0.005, 1e-5, 0.0, -1e-4, -5e-3)[k % 5]
        for _ in range(8):
            pose = Transform(rotation, place.translation + far * direction)
            far -= hull.contacts(pose, place, reach=2.0)["gap"].min() - gap
        pose = Transform(rotation, place.translation + far * direction)
        expected, found = hull.contacts(pose, place), facets.contacts(pose, place)
        a, b = expected[expected["gap"].argmin()], found[found["gap"].argmin()]
        # Deep in, each triangle comes out its own short way: not always that of the whole.
        assert b["gap"] == pytest.approx(a["gap"], abs=1e-9 + 0.05 * max(-gap, 0.0))


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("kind", ["mesh", "terrain"])
def test_seams_of_a_plane_are_not_felt(name: str, kind: str) -> None:
    """Anywhere on a flat grid, apart and overlapping: the same gap as over a plane, and no normal but up."""
    rng = np.random.default_rng(4)
    flat = np.zeros((20, 20))
    ground = grid_mesh(flat, 0.1) if kind == "mesh" else HeightMap(flat, (0.1, 0.1))
    two, plane = TwoShapes(SHAPES[name], ground, fixed=True), TwoShapes(SHAPES[name], Plane(), fixed=True)
    for k in range(200):
        turn = matrix_from_rotation_vector(rng.uniform(-np.pi, np.pi) * UP)
        rotation = random_pose(rng).rotation if k % 2 else turn if k % 4 else np.eye(3)
        x, y = rng.uniform(-0.2, 0.2, size=2) if k % 3 else rng.integers(-2, 3, size=2) / 10
        pose = Transform(rotation, np.array([x, y, 0.5]))
        lift = plane.contacts(pose, HERE, reach=2.0)["gap"].min()
        gap = (1e-3, 0.0, -1e-6, -1e-4, -1e-3)[k % 5]
        pose = Transform(rotation, np.array([x, y, 0.5 - lift + gap]))
        found, expected = two.contacts(pose, HERE, reach=2e-3), plane.contacts(pose, HERE, reach=2e-3)
        assert found["gap"].min() == pytest.approx(gap, abs=1e-12)
        np.testing.assert_allclose(found["normal"], np.tile(UP, (len(found), 1)), atol=1e-12)
        if k % 2 == 0 and name in ("box", "plate", "sphere", "capsule"):  # it rests on a face: its corners
            for direction in ([1, 0, 0], [0, 1, 0], [1, 1, 0], [1, -1, 0]):
                reached = (found["position"] @ direction).max()
                assert reached == pytest.approx((expected["position"] @ direction).max(), abs=1e-6)


@pytest.mark.parametrize("name", SHAPES)
def test_terrain_is_the_mesh_of_its_triangles(name: str) -> None:
    """Cells that are split, cells that are plane: the same deepest point as on the mesh."""
    rng = np.random.default_rng(6)
    heights = 0.05 * rng.normal(size=(15, 15))
    heights[:7] = 0.02 * np.arange(15)  # plane cells
    place = at(0.3, -0.2, 0.1, matrix_from_rotation_vector(np.array([0.0, 0.0, 0.4])))
    terrain = TwoShapes(SHAPES[name], HeightMap(heights, (0.2, 0.2)), fixed=True)
    mesh = TwoShapes(SHAPES[name], grid_mesh(heights, 0.2), fixed=True)
    compared = 0
    for k in range(60):
        rotation, (x, y) = random_pose(rng).rotation, rng.uniform(-0.6, 0.6, size=2)
        height, gap = 0.8, (5e-3, 1e-6, -1e-6, -1e-3)[k % 4]
        for _ in range(6):
            height -= mesh.contacts(at(x, y, height, rotation), place, reach=2.0)["gap"].min() - gap
        pose = at(x, y, height, rotation)
        one, other = terrain.contacts(pose, place), mesh.contacts(pose, place)
        a, b = one[one["gap"].argmin()], other[other["gap"].argmin()]
        if abs(b["gap"] - gap) > 1e-6:
            continue  # went through something thin on the way
        # Inside, each facet comes out its own short way; a plane cell is one facet here and two there.
        assert a["gap"] == pytest.approx(b["gap"], abs=1e-9 + 0.2 * max(-gap, 0.0))
        if gap > 1e-4:
            np.testing.assert_allclose(a["normal"], b["normal"], atol=1e-5)
        compared += 1
    assert compared > 40


def test_terrain_goes_on_beyond_its_rim() -> None:
    heights = np.array([[0.0, 0.1], [0.0, 0.1]])
    two = TwoShapes(Sphere(0.1), HeightMap(heights, (1.0, 1.0)), fixed=True)
    for x, y, height in ((30.0, 40.0, 0.1), (0.0, -7.0, 0.0), (-50.0, 3.0, 0.1)):
        found = two.contacts(at(x, y, height + 0.1 - 1e-3), HERE)
        assert found["gap"].min() == pytest.approx(-1e-3, abs=1e-12)
        np.testing.assert_allclose(found["normal"], [UP], atol=1e-12)


def test_what_has_sunk_into_terrain_comes_up_again() -> None:
    two = TwoShapes(Box((0.2, 0.2, 0.2)), HeightMap(np.zeros((3, 3)), (1.0, 1.0)), fixed=True)
    for depth in (0.15, 0.5, 3.0):
        found = two.contacts(at(0.1, 0.2, -depth), HERE)
        assert found["gap"].min() == pytest.approx(-depth - 0.1, abs=1e-12)
        np.testing.assert_allclose(found["normal"][0], UP, atol=1e-12)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_sheets_are_touched_from_both_sides(side: float) -> None:
    """An open mesh has no inside: whichever way its triangles turn."""
    sheet = grid_mesh(np.zeros((4, 4)), 0.5)
    for shape in (Sphere(0.1), Box((0.2, 0.2, 0.2)), Capsule(0.1, 0.3), Cylinder(0.1, 0.2)):
        low = 0.25 if isinstance(shape, Capsule) else 0.1
        found = TwoShapes(shape, sheet, fixed=True).contacts(at(0.05, 0.1, side * (low - 1e-3)), HERE)
        assert found["gap"].min() == pytest.approx(-1e-3, abs=1e-12)
        np.testing.assert_allclose(found["normal"], np.tile(side * UP, (len(found), 1)), atol=1e-12)


def test_ridges_are_felt_and_hollows_are_not() -> None:
    """A ball over a roof touches its ridge; in a valley it touches both sides and never the line between them."""
    roof = grid_mesh(np.array([[-0.5, -0.5, -0.5], [0.0, 0.0, 0.0], [-0.5, -0.5, -0.5]]), 1.0)
    found = TwoShapes(Sphere(0.2), roof, fixed=True).contacts(at(0.0, 0.1, 0.2), HERE)
    assert found["gap"].min() == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(found["normal"][found["gap"].argmin()], UP, atol=1e-9)
    valley = grid_mesh(np.array([[0.5, 0.5, 0.5], [0.0, 0.0, 0.0], [0.5, 0.5, 0.5]]), 1.0)
    slope = np.arctan(0.5)
    found = TwoShapes(Sphere(0.2), valley, fixed=True).contacts(at(0.0, 0.1, 0.2 / np.cos(slope)), HERE)
    assert len(found) == 2
    np.testing.assert_allclose(found["gap"], 0.0, atol=1e-12)
    np.testing.assert_allclose(np.sort(found["normal"][:, 0]), [-np.sin(slope), np.sin(slope)], atol=1e-12)
