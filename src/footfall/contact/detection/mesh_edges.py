"""Which edges of a mesh's triangles can be touched, and which triangles from both sides."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Flags, Integers
from footfall.contact.detection.shapes import TWO_SIDED
from footfall.geometry.mesh import TriangleMesh

_BEND = 1e-4  # sine of the angle by which the triangle beyond an edge must bend away for it to stick out


def edge_bits(mesh: TriangleMesh) -> Integers:
    """For each triangle the bits of `Facet.edges`.

    Flat and hollow edges are not felt: what lies there touches the faces beside them. Vertices at one place are one:
    files often repeat them.
    """
    triangles = _welded(mesh)
    count = len(triangles)
    tails = triangles.T.reshape(-1)  # of all edges 01, then 12, then 20
    heads = np.roll(triangles, -1, axis=1).T.reshape(-1)
    partner = _partners(tails, heads, int(triangles.max()) + 1)
    paired = np.flatnonzero(partner >= 0)
    face, other = paired % count, partner[paired] % count
    opposite = mesh.vertices[mesh.triangles[other, (partner[paired] // count + 2) % 3]]
    corner = mesh.vertices[mesh.triangles[face, paired // count]]
    height = np.einsum("ij,ij->i", mesh.face_normals[face], opposite - corner)
    bend = _BEND * np.linalg.norm(opposite - corner, axis=1)
    front, back = np.ones(3 * count, dtype=bool), np.ones(3 * count, dtype=bool)
    front[paired], back[paired] = height < -bend, height > bend
    sheet = _open_parts(face, other, partner < 0, count)
    bits = np.where(sheet, TWO_SIDED, 0)
    for edge in range(3):
        bits += front[edge * count : (edge + 1) * count] * (1 << edge)
        # Seen from behind the corners are c, b, a: edge 0 is cb.
        turned = (1, 0, 2)[edge]
        bits += back[turned * count : (turned + 1) * count] * (8 << edge)
    return np.asarray(bits, dtype=np.int64)


def _welded(mesh: TriangleMesh) -> Integers:
    """Triangles (m, 3) with one number for all vertices at the same place."""
    rows = np.ascontiguousarray(mesh.vertices + 0.0).view(np.dtype((np.void, 24))).reshape(-1)
    _, number = np.unique(rows, return_inverse=True)
    return np.asarray(number.reshape(-1)[mesh.triangles], dtype=np.int64)


def _partners(tails: Integers, heads: Integers, vertices: int) -> Integers:
    """For each directed edge the one edge that runs back along it, else -1: where there is none, or where more than two
    triangles meet, so that there is no inside."""
    keys = np.minimum(tails, heads) * vertices + np.maximum(tails, heads)
    order = np.argsort(keys, kind="stable")
    same = keys[order][1:] == keys[order][:-1]
    first = np.flatnonzero(same & ~np.append(same[1:], False) & ~np.append(False, same[:-1]))
    one, other = order[first], order[first + 1]
    back = tails[one] == heads[other]
    partner = np.full(len(keys), -1, dtype=np.int64)
    partner[one[back]], partner[other[back]] = other[back], one[back]
    return partner


def _open_parts(face: Integers, other: Integers, alone: Flags, count: int) -> Flags:
    """Whether each triangle belongs to a connected part that some edge without a partner opens."""
    from scipy.sparse import coo_array  # slow to import
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(face), dtype=np.int8), (face, other)), shape=(count, count))
    parts, label = connected_components(graph, directed=False)
    opened = np.zeros(parts, dtype=bool)
    opened[label[np.flatnonzero(alone) % count]] = True
    return np.asarray(opened[label])
