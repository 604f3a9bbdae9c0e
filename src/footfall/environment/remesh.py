"""A surface as a camera system would rebuild it: distances on a grid, with noise, and a new mesh through them.

Edges are rounded and small things vanish with the grid, as they do in reality (Seiwald 2023, section 7.4).
"""

from __future__ import annotations

import numpy as np

from footfall.environment.objects import ObjectSurface
from footfall.errors import GeometryError
from footfall.geometry.distance_grid import distance_grid
from footfall.geometry.marching_cubes import marching_cubes
from footfall.geometry.mesh import TriangleMesh
from footfall.geometry.mesh_distance import signed_distances

VOXEL = 0.05  # m
NOISE = 0.004  # m, standard deviation


def remesh(
    mesh: TriangleMesh, *, voxel: float = VOXEL, noise: float = NOISE, rng: np.random.Generator | None = None
) -> ObjectSurface:
    """The surface through the distances of a mesh on a grid.

    voxel: m, no larger than the least thickness of a closed mesh, which would vanish. noise: standard deviation of
    each distance, m. rng: needed for noise.
    """
    if not (0.0 < voxel <= 1.0 and 0.0 <= noise <= 0.5 * voxel):
        message = (
            f"voxel is {voxel:g} m, noise {noise:g} m; voxel must be in (0, 1], noise at most half of it"
        )
        raise GeometryError(message, subject=("mesh", mesh.name))
    extent = mesh.bounds[1] - mesh.bounds[0]
    if mesh.watertight:
        voxel = min(voxel, float(extent.min()))
    # Half a cell beside the surface: a sheet as thick as a cell has points inside.
    grid = distance_grid(mesh, spacing=voxel, margin=1.5 * voxel)
    values = np.array(grid.values)
    if noise > 0.0:
        if rng is None:
            raise GeometryError("noise needs rng, a generator of random numbers", subject=("mesh", mesh.name))
        values += rng.normal(0.0, noise, values.shape)
    surface = marching_cubes(values, origin=np.array(grid.origin), spacing=voxel)
    triangles = surface.triangles
    if len(triangles) and not mesh.watertight:
        # Beyond the rim of an open mesh the sign still changes; there is no surface there.
        away = np.abs(signed_distances(mesh, surface.vertices)[:, 0]) > 0.5 * voxel + 2 * noise
        triangles = triangles[~away[triangles].any(axis=1)]
    if not len(triangles):
        message = f"vanishes on a grid of {voxel:g} m; choose a smaller voxel"
        raise GeometryError(message, subject=("mesh", mesh.name))
    used, index = np.unique(triangles, return_inverse=True)
    rebuilt = TriangleMesh(surface.vertices[used], index.reshape(-1, 3), mesh.name)
    return ObjectSurface(rebuilt, surface.normals[used])
