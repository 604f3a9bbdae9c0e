"""Which triangles, edges and vertices of a mesh are neighbours, and where it ends."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from footfall.arrays import Flags, Integers
from footfall.geometry.mesh import TriangleMesh


@dataclass(frozen=True, eq=False)
class MeshTopology:
    """Neighbours in a mesh.

    edges: (k, 2) vertices of each edge, the smaller number first. triangle_edges: (m, 3) edges 01, 12 and 20 of each
    triangle. uses: (k,) number of triangles at each edge: 1 at the border, 2 inside.
    """

    count: int
    edges: Integers
    triangle_edges: Integers
    uses: Integers

    @property
    def border_edges(self) -> Integers:
        """Edges (b,) with one triangle."""
        return np.flatnonzero(self.uses == 1)

    @cached_property
    def border(self) -> Flags:
        """Whether each vertex (n,) lies on an edge with one triangle."""
        marked = np.zeros(self.count, dtype=bool)
        marked[self.edges[self.border_edges].reshape(-1)] = True
        return marked

    @property
    def is_manifold(self) -> bool:
        """Whether no edge has more than two triangles."""
        return bool((self.uses <= 2).all())

    @property
    def euler_characteristic(self) -> int:
        """Vertices that are used, less edges, plus triangles: 2 for a ball, 1 for a disc, 0 for a ring."""
        return len(np.unique(self.edges)) - len(self.edges) + len(self.triangle_edges)

    @cached_property
    def neighbours(self) -> tuple[Integers, Integers]:
        """Vertices joined by an edge: those of vertex v are `second[first[v]:first[v + 1]]`, in ascending order."""
        both = np.concatenate([self.edges, self.edges[:, ::-1]])
        both = both[np.lexsort((both[:, 1], both[:, 0]))]
        first = np.searchsorted(both[:, 0], np.arange(self.count + 1))
        return first, both[:, 1].copy()

    def ring(self, vertex: int, steps: int = 1) -> Integers:
        """Vertices within that many edges of a vertex, without it, in ascending order."""
        first, second = self.neighbours
        found: Integers = np.array([vertex])
        for _ in range(steps):
            parts = [second[first[v] : first[v + 1]] for v in found]
            found = np.unique(np.concatenate([found, *parts]))
        return np.asarray(found[found != vertex])


def mesh_topology(mesh: TriangleMesh) -> MeshTopology:
    """The neighbours in a mesh; triangles are neighbours if they share numbers of vertices."""
    triangles = mesh.triangles
    sides = np.sort(np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1)
    edges, index, uses = np.unique(sides, axis=0, return_inverse=True, return_counts=True)
    return MeshTopology(len(mesh.vertices), edges, index.reshape(3, -1).T.copy(), uses)
