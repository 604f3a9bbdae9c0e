"""Volume, centre and inertia of the solid that a closed mesh bounds."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.errors import GeometryError
from footfall.geometry.mesh import TriangleMesh


def mesh_inertia(mesh: TriangleMesh, mass: float) -> tuple[Array, Array]:
    """Centre of mass (3,) in m and inertia (3, 3) about it in kg m2, for one density throughout.

    The solid is the sum of the signed tetrahedra between the origin and the triangles.
    """
    if not mesh.watertight:
        raise GeometryError(
            "is not closed, so it bounds no solid; give its inertia", subject=("mesh", mesh.name)
        )
    corners = mesh.corners
    volumes = np.linalg.det(corners) / 6
    volume = float(volumes.sum())
    if volume <= 0.0:
        message = f"has volume {volume:g} m3; are its triangles turned inside out?"
        raise GeometryError(message, subject=("mesh", mesh.name))
    center = np.einsum("t,tij->j", volumes, corners) / (4 * volume)
    # Second moments of a tetrahedron with one corner at the origin: (sum r_i)(sum r_i)^T + sum r_i r_i^T over 20.
    sums = corners.sum(axis=1)
    second = np.einsum("t,ti,tj->ij", volumes, sums, sums) + np.einsum(
        "t,tki,tkj->ij", volumes, corners, corners
    )
    second = second / (20 * volume) - np.outer(center, center)
    return center, mass * (np.trace(second) * np.eye(3) - second)
