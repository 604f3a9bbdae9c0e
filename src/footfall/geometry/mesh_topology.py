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
        both = np.sort(np.concatenate([self.edges @ (self.count, 1), self.edges @ (1, self.count)]))
        first = np.searchsorted(both, self.count * np.arange(self.count + 1))
        return first, both % self.count

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
    edges, triangle_edges, uses = edges_of(mesh.triangles, len(mesh.vertices))
    return MeshTopology(len(mesh.vertices), edges, triangle_edges, uses)


def edges_of(triangles: Integers, count: int) -> tuple[Integers, Integers, Integers]:
    """The edges of triangles between so many vertices: `edges`, `triangle_edges` and `uses` of a `MeshTopology`."""
    # One number an edge: rows as such sort ten times slower.
    sides = [(triangles[:, k], triangles[:, (k + 1) % 3]) for k in range(3)]
    keys = np.concatenate([np.minimum(a, b) * count + np.maximum(a, b) for a, b in sides])
    edges, index, uses = np.unique(keys, return_inverse=True, return_counts=True)
    return np.column_stack(np.divmod(edges, max(count, 1))), index.reshape(3, -1).T.copy(), uses
