"""Marching cubes: a sphere converges at second order, closed surfaces stay closed, also through noise."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.errors import GeometryError
from footfall.geometry.marching_cubes import marching_cubes
from footfall.geometry.mesh import TriangleMesh
from footfall.geometry.mesh_topology import mesh_topology


def sphere_errors(spacing: float) -> tuple[float, float, float]:
    """Errors of volume, vertices and normals for the unit sphere."""
    line = np.arange(-1.3, 1.3 + spacing, spacing)
    grid = np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1)
    found = marching_cubes(np.linalg.norm(grid, axis=-1) - 1.0, origin=np.full(3, -1.3), spacing=spacing)
    mesh = TriangleMesh(found.vertices, found.triangles)
    assert mesh.watertight
    assert mesh_topology(mesh).euler_characteristic == 2
    volume = np.linalg.det(mesh.corners).sum() / 6
    assert volume > 0.0  # outwards
    radius = np.linalg.norm(found.vertices, axis=1)
    normals = np.linalg.norm(found.normals - found.vertices / radius[:, None], axis=1)
    return 1 - volume / (4 / 3 * np.pi), float(np.abs(radius - 1).max()), float(normals.max())


def test_a_sphere_converges() -> None:
    coarse, fine = np.array(sphere_errors(0.1)), np.array(sphere_errors(0.05))
    assert (fine < 0.35 * coarse).all()  # second order: a quarter, and how the grid happens to lie
    assert fine[1] < 0.05**2 / 4  # the chord of an edge: spacing^2 / 8, with room for its slant


@pytest.mark.parametrize("seed", range(5))
def test_noise_makes_closed_surfaces(seed: int) -> None:
    """Every pattern of corners meets every other: no crack, no edge with more than two triangles."""
    values = np.random.default_rng(seed).normal(size=(9, 10, 11))
    values[[0, -1]], values[:, [0, -1]], values[:, :, [0, -1]] = 1.0, 1.0, 1.0
    found = marching_cubes(values, origin=np.zeros(3), spacing=1.0)
    mesh = TriangleMesh(found.vertices, found.triangles)
    assert len(mesh.triangles) == len(found.triangles)  # none without area
    assert mesh.watertight
    inside = np.argwhere(values < 0.0)
    if len(inside):
        assert (found.vertices.min(axis=0) > inside.min(axis=0) - 1).all()


def test_zeros_on_the_grid_leave_no_degenerate_triangles() -> None:
    # Exactly zero at two planes.
    values = np.abs(np.arange(7) - 3.0)[:, None, None] * np.ones((7, 5, 5)) - 1.0
    values[:, [0, -1]], values[:, :, [0, -1]] = 1.0, 1.0
    found = marching_cubes(values, origin=np.zeros(3), spacing=1.0)
    mesh = TriangleMesh(found.vertices, found.triangles)
    assert len(mesh.triangles) == len(found.triangles)
    assert mesh.watertight


def test_a_grid_without_surface_has_no_triangles() -> None:
    assert len(marching_cubes(np.ones((3, 3, 3)), origin=np.zeros(3), spacing=1.0).triangles) == 0
    with pytest.raises(GeometryError, match="finite and 2 by 2 by 2"):
        marching_cubes(np.full((2, 2, 2), np.nan), origin=np.zeros(3), spacing=1.0)
    with pytest.raises(GeometryError, match="values have shape"):
        marching_cubes(np.ones((2, 2)), origin=np.zeros(3), spacing=1.0)
