"""Surfaces for hands: halved edges, curvature, and how much hold there is."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from footfall.arrays import Array
from footfall.geometry.mesh import TriangleMesh, merge_vertices
from footfall.geometry.mesh_topology import mesh_topology
from footfall.planning.parameters import CurvatureLimits, HandParameters
from footfall.planning.surfaces import (
    Curvatures,
    border_confidence,
    curvature_confidence,
    curvatures,
    gridded_box,
    subdivided,
    touch_surface,
)

HAND = 0.1  # m, diameter
PARAMETERS = HandParameters()


def mesh_of(made: trimesh.Trimesh) -> TriangleMesh:
    return TriangleMesh(*merge_vertices(np.asarray(made.vertices), np.asarray(made.faces)))


def sheet(half: float, count: int, height: Array | None = None) -> TriangleMesh:
    """A square of triangles; height (count, count)."""
    line = np.linspace(-half, half, count)
    x, y = np.meshgrid(line, line, indexing="ij")
    z = np.zeros_like(x) if height is None else height
    first = (np.arange(count - 1)[:, None] * count + np.arange(count - 1)).ravel()
    lower = np.column_stack([first, first + count, first + count + 1])
    upper = np.column_stack([first, first + count + 1, first + 1])
    return TriangleMesh(np.column_stack([x.ravel(), y.ravel(), z.ravel()]), np.concatenate([lower, upper]))


def bent(mesh: TriangleMesh) -> Curvatures:
    return curvatures(mesh, mesh_topology(mesh), mesh.vertex_pseudonormals)


def test_a_box_in_equal_cells_is_the_box() -> None:
    """Area and volume of the box, edges that are short enough, and values that are linear between its corners."""
    size = np.array([0.5, 0.3, 0.9])
    mesh = mesh_of(trimesh.creation.box(size))
    found = gridded_box(mesh.vertices, mesh.triangles, mesh.vertices @ [[1.0], [2.0], [-3.0]], 0.1)
    assert found is not None
    vertices, triangles, values = found
    fine = trimesh.Trimesh(vertices, triangles, process=False)
    a, b, c = size
    assert fine.is_watertight
    assert fine.volume == pytest.approx(a * b * c, rel=1e-12)  # positive: faces look outwards
    assert fine.area == pytest.approx(2 * (a * b + b * c + c * a), rel=1e-12)
    assert fine.edges_unique_length.max() <= 0.1 + 1e-12
    np.testing.assert_allclose(values[:, 0], vertices @ [1.0, 2.0, -3.0], atol=1e-12)
    tilted = mesh.vertices @ [[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert gridded_box(tilted, mesh.triangles, np.ones((8, 1)), 0.1) is None
    ball = mesh_of(trimesh.creation.icosphere(subdivisions=1))
    assert gridded_box(ball.vertices, ball.triangles, np.ones((len(ball.vertices), 1)), 0.1) is None


def test_halved_edges_leave_the_surface_as_it_is() -> None:
    for made in (trimesh.creation.box((0.5, 0.3, 0.9)), trimesh.creation.cylinder(0.2, 1.0)):
        mesh = mesh_of(made)
        vertices, triangles, values = subdivided(
            mesh.vertices, mesh.triangles, np.ones((len(mesh.vertices), 1)), 0.1
        )
        fine = trimesh.Trimesh(vertices, triangles, process=False)
        assert fine.area == pytest.approx(made.area, rel=1e-12)
        assert fine.is_watertight  # no vertex in the middle of a neighbour's edge
        assert fine.euler_number == made.euler_number
        assert fine.edges_unique_length.max() <= 0.1
        np.testing.assert_allclose(values, 1.0)
        again = subdivided(vertices, triangles, values, 0.1)[1]
        assert len(again) == len(triangles)


def test_curvature_of_spheres_cylinders_and_planes() -> None:
    radius = 0.25
    sphere = mesh_of(trimesh.creation.icosphere(subdivisions=4, radius=radius))
    found = bent(sphere)
    np.testing.assert_allclose(found.largest, 1 / radius, rtol=0.05)
    assert (found.mean > 0.0).all()  # it bulges outwards
    inside = curvatures(sphere, mesh_topology(sphere), -sphere.vertex_pseudonormals)
    assert (inside.mean < 0.0).all()  # seen from inside it is hollow
    assert inside.concave.all()
    assert not found.concave.any()
    plane = bent(sheet(0.2, 9))
    # Angles around a vertex sum up to 2 pi but for rounding, 9e-16, over an area of 2.5e-3 m2; its root remains.
    np.testing.assert_allclose(plane.largest, 0.0, atol=1e-6)
    line = np.linspace(-0.1, 0.1, 33)
    arch = bent(sheet(0.1, 33, np.broadcast_to(np.sqrt(radius**2 - line**2), (33, 33))))
    inner = np.abs(arch.mean) > 0
    assert np.median(arch.largest[inner]) == pytest.approx(1 / radius, rel=0.02)
    assert np.median(np.abs(arch.gauss[inner])) < 0.1


def test_curvature_becomes_better_with_finer_triangles() -> None:
    # z = 5 (x^2 - y^2) / 2 has principal curvatures of +-5 in its middle.
    errors = []
    for count in (9, 17, 33):
        line = np.linspace(-0.1, 0.1, count)
        x, y = np.meshgrid(line, line, indexing="ij")
        found = bent(sheet(0.1, count, 2.5 * (x**2 - y**2)))
        middle = count * (count // 2) + count // 2
        errors.append(abs(found.largest[middle] - 5.0))
        assert found.gauss[middle] < 0.0
        assert not found.concave[middle]
    assert errors[2] < errors[0]
    assert errors[2] < 0.1


@pytest.mark.parametrize(
    ("curvature", "convex", "concave"),
    [
        (0.0, 0.75, 0.75),
        (2.0, 0.525, 0.8),
        (5.0, 0.1875, 0.875),
        (10.0, 0.0, 1.0),
        (15.0, 0.0, 0.5),
        (20.0, 0.0, 0.0),
    ],
)
def test_hold_on_curved_surfaces_is_that_of_the_source(
    curvature: float, convex: float, concave: float
) -> None:
    # Seiwald 2023, (5.6) and (5.7), for a hand of 10 cm; spheres of that curvature, from outside and from inside.
    if curvature == 0.0:
        mesh = sheet(0.2, 9)
    else:
        mesh = mesh_of(trimesh.creation.icosphere(subdivisions=4, radius=1 / curvature))
    topology, normals = mesh_topology(mesh), mesh.vertex_pseudonormals
    for sign, expected in ((1.0, convex), (-1.0, concave)):
        found = curvature_confidence(mesh, topology, sign * normals, HAND, 0.75, CurvatureLimits())
        assert np.median(found) == pytest.approx(expected, abs=0.03)


def test_borders_give_no_hold() -> None:
    mesh = sheet(0.3, 31)
    found = border_confidence(mesh, mesh_topology(mesh), 0.075)
    away = 0.3 - np.abs(mesh.vertices[:, :2]).max(axis=1)
    assert (found[away < 1e-9] == 0.0).all()
    np.testing.assert_allclose(found, np.minimum(1.0, away / 0.075), atol=1e-9)  # edges run along the axes
    ball = mesh_of(trimesh.creation.icosphere(subdivisions=2, radius=0.5))
    assert (border_confidence(ball, mesh_topology(ball), 0.075) == 1.0).all()


def test_a_table_holds_on_its_top_and_not_on_its_edges() -> None:
    mesh = mesh_of(trimesh.creation.box((0.8, 0.8, 0.04)))
    surface = touch_surface(
        mesh, np.ones(len(mesh.vertices)), mesh.vertex_pseudonormals, HAND, PARAMETERS, "table"
    )
    top = surface.vertices[:, 2] > 0.019
    away = 0.4 - np.abs(surface.vertices[:, :2]).max(axis=1)
    assert surface.confidence[top & (away > 0.25)].min() == pytest.approx(0.75, abs=0.05)
    assert surface.confidence[top & (away < 1e-9)].max() < 0.5
    assert (surface.confidence >= 0.0).all()
    assert (surface.confidence <= 1.0).all()


def test_thin_rails_hold_by_the_limits_of_their_class() -> None:
    made = trimesh.creation.cylinder(0.025, 1.0, sections=16)
    mesh = mesh_of(made)
    sight, normals = np.ones(len(mesh.vertices)), mesh.vertex_pseudonormals
    as_wall = touch_surface(mesh, sight, normals, HAND, PARAMETERS, "wall")
    as_rail = touch_surface(mesh, sight, normals, HAND, PARAMETERS, "rail")
    assert as_wall.best < PARAMETERS.least_confidence <= as_rail.best
