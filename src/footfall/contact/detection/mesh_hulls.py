"""Meshes as solid bodies: their convex hull, or several of hollow ones, if a library that divides them is there."""

from __future__ import annotations

from footfall.contact.detection.hulls import SimplerHull, simpler_hull
from footfall.errors import MissingPackage
from footfall.geometry.mesh import TriangleMesh

_CONCAVITY = 0.05  # of CoACD: how much hollow a part may keep, in units of the mesh


def mesh_hulls(mesh: TriangleMesh, *, divided: bool = False) -> tuple[SimplerHull, ...]:
    """The convex hull of a mesh; divided: of its parts by approximate convex decomposition (CoACD, Wei 2022), which
    takes seconds and must be installed."""
    if not divided:
        return (simpler_hull(mesh.vertices),)
    try:
        import coacd  # optional, and slow to import
    except ImportError:
        raise MissingPackage("dividing meshes into convex parts needs CoACD: pip install coacd") from None
    coacd.set_log_level("error")
    parts = coacd.run_coacd(coacd.Mesh(mesh.vertices, mesh.triangles), threshold=_CONCAVITY, seed=0)
    return tuple(simpler_hull(vertices) for vertices, _ in parts)
