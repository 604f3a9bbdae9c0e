"""How well hands find hold on a surface: confidence from sight, borders and curvature (Seiwald 2023, 5.5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.geometry.mesh import TriangleMesh
from footfall.geometry.mesh_topology import MeshTopology, edges_of, mesh_topology
from footfall.planning.parameters import CurvatureLimits, HandParameters

_SLENDER = 0.5  # of the longest side of a triangle: shorter sides are halved later
_RINGS = 3  # neighbours that are averaged with a vertex
_FELT_RINGS = 2  # neighbours over which curvature is averaged
_SADDLE = 0.5  # 1/m2; a Gaussian curvature below its negative is that of a saddle


@dataclass(frozen=True, eq=False)
class TouchSurface:
    """A surface for hands in the frame of its object: vertices (n, 3), m, triangles (m, 3), confidence (n,)."""

    vertices: Array
    triangles: Integers
    confidence: Array

    @cached_property
    def best(self) -> float:
        """The greatest confidence."""
        return float(self.confidence.max(initial=0.0))


def touch_surface(
    mesh: TriangleMesh,
    sight: Array,
    normals: Array,
    hand_diameter: float,
    parameters: HandParameters,
    category: str,
) -> TouchSurface:
    """The surface of an object of a class (category). sight (n,): confidence of its vertices, normals (n, 3)."""
    values = np.column_stack([sight, normals])
    made = gridded_box(mesh.vertices, mesh.triangles, values, parameters.edge_m)
    if made is None:
        made = subdivided(mesh.vertices, mesh.triangles, values, parameters.edge_m)
    vertices, triangles, values = made
    fine = TriangleMesh(vertices, triangles)
    topology = mesh_topology(fine)
    curvature = parameters.curvature.get(category, parameters.curvature.get("default", CurvatureLimits()))
    confidence = values[:, 0] * border_confidence(fine, topology, parameters.border_hands * hand_diameter)
    confidence *= curvature_confidence(
        fine, topology, values[:, 1:], hand_diameter, parameters.flat, curvature
    )
    return TouchSurface(fine.vertices, fine.triangles, blurred(fine, topology, confidence, hand_diameter / 2))


def gridded_box(
    vertices: Array, triangles: Integers, values: Array, longest: float
) -> tuple[Array, Integers, Array] | None:
    """As `subdivided`, of a box along the axes, None for all else: equal cells, in a fifth of the time and with half of
    the triangles. Walls, tables and shelves that are seen exactly are boxes."""
    if len(vertices) != 8 or len(triangles) != 12:
        return None
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    upper = vertices > (low + high) / 2
    corners = np.flatnonzero(np.bincount(upper @ (4, 2, 1), minlength=8) == 1)
    if len(corners) < 8 or not np.array_equal(np.where(upper, high, low), vertices):
        return None
    # Diagonals of cells are edges, too.
    counts = np.maximum(np.ceil((high - low) / (longest / np.sqrt(2.0))).astype(int), 1)
    inside = np.zeros(counts + 1, dtype=bool)
    inside[1:-1, 1:-1, 1:-1] = True
    steps = np.argwhere(~inside)
    number = np.full(counts + 1, -1)
    number[~inside] = np.arange(len(steps))
    shares = steps / counts
    weights = np.where(upper[None], shares[:, None], 1.0 - shares[:, None]).prod(axis=2)
    made = []
    for axis in range(3):
        # The two other axes in an order that makes the first side face outwards along `axis`.
        face = np.moveaxis(number, (axis, (axis + 1) % 3, (axis + 2) % 3), (0, 1, 2))
        for cells, outward in ((face[-1], True), (face[0], False)):
            a, b, c, d = cells[:-1, :-1], cells[1:, :-1], cells[1:, 1:], cells[:-1, 1:]
            pieces = ((a, b, c), (a, c, d)) if outward else ((a, c, b), (a, d, c))
            made += [np.stack([each.ravel() for each in piece], axis=1) for piece in pieces]
    return low + shares * (high - low), np.concatenate(made), weights @ values


def subdivided(
    vertices: Array, triangles: Integers, values: Array, longest: float
) -> tuple[Array, Integers, Array]:
    """Triangles whose edges are no longer than `longest`, m: longer ones are halved, and neighbours share the middle.
    Of slender triangles only the long edges are halved at first: a long wall would have a million triangles else.

    values (n, k): of the vertices; those of middles are the mean.
    """
    while True:
        edges, triangle_edges, _ = edges_of(triangles, len(vertices))
        lengths = np.linalg.norm(vertices[edges[:, 0]] - vertices[edges[:, 1]], axis=1)
        long = lengths > longest
        if not long.any():
            return vertices, triangles, values
        long &= _not_slender(lengths, triangle_edges.T)
        middle = np.full(len(edges), -1)
        middle[long] = len(vertices) + np.arange(long.sum())
        ends = edges[long]
        vertices = np.concatenate([vertices, vertices[ends].mean(axis=1)])
        values = np.concatenate([values, values[ends].mean(axis=1)])
        triangles = _split(vertices, triangles, middle[triangle_edges])


def _not_slender(lengths: Array, sides: Integers) -> Flags:
    """Which edges are long beside the longest side of a triangle that they belong to, and those longest sides
    themselves, so that triangles do not become thinner (Rivara 1984). sides (3, m): numbers of edges."""
    longest = lengths[sides].max(axis=0)
    chosen = np.zeros(len(lengths), dtype=bool)
    chosen[sides[lengths[sides] > _SLENDER * longest]] = True
    longest_side = np.take_along_axis(sides, lengths[sides].argmax(axis=0)[None], axis=0)[0]
    while True:
        touched = longest_side[chosen[sides].any(axis=0)]
        if chosen[touched].all():
            return chosen
        chosen[touched] = True


def _split(vertices: Array, triangles: Integers, middles: Integers) -> Integers:
    """Triangles with those edges halved that have a middle (m, 3), -1 without."""
    halved = middles >= 0
    count = halved.sum(axis=1)
    # Turn each triangle so that its first edge is halved, or that only its last is not.
    wanted = np.where((count == 2)[:, None], halved & ~np.roll(halved, 1, axis=1), halved)
    order = (np.argmax(wanted, axis=1)[:, None] + np.arange(3)) % 3
    (a, b, c), (ab, bc, ca) = (np.take_along_axis(part, order, axis=1).T for part in (triangles, middles))
    one, two, three = (count == k for k in (1, 2, 3))

    def rows(chosen: Flags, *corners: Integers) -> Integers:
        return np.stack([corner[chosen] for corner in corners], axis=1)

    diagonal = np.linalg.norm(vertices[a] - vertices[bc], axis=1)
    shorter = two & (diagonal < np.linalg.norm(vertices[ab] - vertices[c], axis=1))
    other = two & ~shorter
    return np.concatenate(
        [
            triangles[count == 0],
            *(rows(one, *part) for part in ((a, ab, c), (ab, b, c))),
            *(rows(three, *part) for part in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))),
            rows(two, ab, b, bc),
            *(rows(shorter, *part) for part in ((a, ab, bc), (a, bc, c))),
            *(rows(other, *part) for part in ((a, ab, c), (ab, bc, c))),
        ]
    )


def border_confidence(mesh: TriangleMesh, topology: MeshTopology, full: float) -> Array:
    """From 0 at the border to 1 at a distance `full` (m) along edges; (5.4)."""
    border = np.flatnonzero(topology.border)
    if not len(border):
        return np.ones(len(mesh.vertices))
    graph = _edge_lengths(mesh, topology)
    distance = dijkstra(graph, directed=False, indices=border, min_only=True)
    return np.asarray(np.minimum(1.0, distance / full))


def _edge_lengths(mesh: TriangleMesh, topology: MeshTopology) -> sparse.csr_matrix:
    a, b = topology.edges.T
    lengths = np.linalg.norm(mesh.vertices[a] - mesh.vertices[b], axis=1)
    return sparse.csr_matrix((lengths, (a, b)), shape=(len(mesh.vertices),) * 2)


class Curvatures(NamedTuple):
    """Mean curvature (n,), 1/m, positive where the surface bulges outwards, and Gaussian curvature (n,), 1/m2."""

    mean: Array
    gauss: Array

    @property
    def largest(self) -> Array:
        """The greater principal curvature (n,), 1/m, without sign."""
        mean = np.abs(self.mean)
        return mean + np.sqrt(np.maximum(0.0, mean**2 - self.gauss))

    @property
    def concave(self) -> Flags:
        """Where (n,) a hand lies in a hollow."""
        return (self.gauss >= -_SADDLE) & (self.mean <= 0.0)


def curvatures(mesh: TriangleMesh, topology: MeshTopology, normals: Array) -> Curvatures:
    """Curvature at the vertices by Meyer, Desbrun, Schroeder and Barr 2003; none at the border."""
    count = len(mesh.vertices)
    area, bend, turn = np.zeros(count), np.zeros((count, 3)), np.zeros(count)
    sum_around(mesh.vertices, mesh.triangles, area, bend, turn)
    inside = ~topology.border & (area > 0.0)
    safe = np.where(inside, area, 1.0)
    # The Laplace-Beltrami vector is twice the mean curvature times the normal; what lies across is the mesh's own.
    mean = np.where(inside, (bend * normals).sum(axis=1) / (4.0 * safe), 0.0)
    return Curvatures(mean, np.where(inside, (2 * np.pi - turn) / safe, 0.0))


@routine
def sum_around(
    points: ArrayOf[Vector3], triangles: Integers, area: Array, bend: ArrayOf[Vector3], turn: Array
) -> None:
    """Add up, around each vertex, mixed areas, m2, edges weighted by cotangents, m, and angles, rad."""
    for n in range(len(triangles)):
        a, b, c = points[triangles[n, 0]], points[triangles[n, 1]], points[triangles[n, 2]]
        normal: Vector3 = np.cross(b - a, c - a)
        double = np.sqrt(normal @ normal)
        dots = np.array([(b - a) @ (c - a), (c - b) @ (a - b), (a - c) @ (b - c)])
        obtuse = min(dots[0], dots[1], dots[2]) < 0.0
        cotangents = dots / max(double, 1e-12)
        for k in (0, 1, 2):
            j, m = (k + 1) % 3, (k + 2) % 3
            to_j, to_m = (a - b, a - c) if k == 0 else (b - c, b - a) if k == 1 else (c - a, c - b)
            mixed = (cotangents[m] * (to_j @ to_j) + cotangents[j] * (to_m @ to_m)) / 8.0
            if obtuse:
                mixed = double / 4.0 if dots[k] < 0.0 else double / 8.0
            v = triangles[n, k]
            area[v] += mixed
            turn[v] += np.arctan2(double, dots[k])
            bend[v] = bend[v] + cotangents[m] * to_j + cotangents[j] * to_m


def curvature_confidence(
    mesh: TriangleMesh,
    topology: MeshTopology,
    normals: Array,
    hand_diameter: float,
    flat: float,
    limits: CurvatureLimits,
) -> Array:
    """(5.6) and (5.7): flat surfaces are good, hollows that fit the hand are best, edges are not good."""
    # A hand feels what is as large as itself: noise of 4 mm between vertices 5 cm apart would pass for edges.
    bent = np.column_stack(curvatures(mesh, topology, normals))
    found = Curvatures(*neighbour_mean(mesh, topology, bent, hand_diameter / 2, _FELT_RINGS).T)
    k = found.largest * hand_diameter
    convex = flat * np.maximum(0.0, 1.0 - k / limits.convex)
    rising = flat + (1.0 - flat) * k / limits.concave_best
    falling = 1.0 - (k - limits.concave_best) / (limits.concave - limits.concave_best)
    concave = np.where(k <= limits.concave_best, rising, np.maximum(0.0, falling))
    return np.where(found.concave, concave, convex)


def blurred(mesh: TriangleMesh, topology: MeshTopology, confidence: Array, sigma: float) -> Array:
    """Mean of confidences around each vertex; the border stays as it is, and counts as such."""
    mean = neighbour_mean(mesh, topology, confidence, sigma, _RINGS)
    return np.where(topology.border, confidence, mean)


def neighbour_mean(
    mesh: TriangleMesh, topology: MeshTopology, values: Array, sigma: float, rings: int
) -> Array:
    """Means (n, ...) over neighbours within some edges, weighted by a Gaussian of their distance, sigma in m."""
    columns = np.ascontiguousarray(values.reshape(len(values), -1))
    means = np.empty_like(columns)
    average_rings(*topology.neighbours, mesh.vertices, columns, sigma, rings, means)
    return means.reshape(values.shape)


@routine
def average_rings(
    first: Integers, second: Integers, places: Array, values: Array, sigma: float, rings: int, means: Array
) -> None:
    """Fill in the means (n, k) of values around each vertex; neighbours as in `MeshTopology.neighbours`."""
    count, columns = values.shape[0], values.shape[1]
    found = np.full(count, -1)  # the vertex around which each was last met
    ring = np.full(count, 0)
    for v in range(count):
        found[v], ring[0], size, begin = v, v, 1, 0
        for _ in range(rings):
            end = size
            for n in range(begin, end):
                for m in range(first[ring[n]], first[ring[n] + 1]):
                    if found[second[m]] != v:
                        found[second[m]] = v
                        ring[size] = second[m]
                        size += 1
            begin = end
        total = 0.0
        for k in range(columns):
            means[v, k] = 0.0
        for n in range(size):
            u = ring[n]
            square = 0.0
            for k in (0, 1, 2):
                away = places[u, k] - places[v, k]
                square += away * away
            weight = np.exp(-square / (2.0 * sigma * sigma))
            total += weight
            for k in range(columns):
                means[v, k] += weight * values[u, k]
        for k in range(columns):
            means[v, k] /= total
