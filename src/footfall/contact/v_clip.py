"""Distance of convex polyhedra by V-Clip (Ayit 2015, chapter 2): walk from feature to feature until the closest ones
are found.

The closest points of two polyhedra lie on features (vertex, edge or face), each in the other one's Voronoi region. A
feature that is not is replaced by a neighbour that is nearer. Edges are clipped against the Voronoi planes; how the
distance changes at the clip points tells which neighbour. Started at the features of the last time step it is done in
a few steps. Penetration is noticed when an edge pierces a face or a vertex lies within; its depth comes from GJK's
expanding polytope.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Integers
from footfall.compiler.routines import Vector3, routine
from footfall.contact.convex import hull_core
from footfall.contact.gjk import ConvexDistance, core_distance
from footfall.contact.polyhedron import Polyhedron
from footfall.contact.v_clip_steps import DONE, walk
from footfall.errors import GeometryError
from footfall.geometry.native_vectors import along, cross, dot, minus
from footfall.math.transform import Transform

_TOUCHING = 1e-12  # of the size: closer features say nothing about a direction


class Features(NamedTuple):
    """A feature of each polyhedron: its kind (0 vertex, 1 edge, 2 face) and its index."""

    first_kind: int
    first: int
    second_kind: int
    second: int


class PolyhedronDistance(NamedTuple):
    """Distance of two polyhedra, the closest features to start from next time, and the steps taken."""

    result: ConvexDistance
    features: Features
    steps: int


def polyhedron_distance(
    first: Polyhedron,
    first_pose: Transform,
    second: Polyhedron,
    second_pose: Transform,
    *,
    start: Features | None = None,
) -> PolyhedronDistance:
    """Signed distance of two convex polyhedra at their poses in the world.

    start: features to begin with, those of the last query of the same pair.
    """
    one, other = first.at(first_pose), second.at(second_pose)
    if not math.isfinite(one[0].sum() + other[0].sum()):
        raise GeometryError(
            "a pose is not finite; polyhedra must be somewhere", subject=("shape", "polyhedron")
        )
    begin = np.zeros(4, dtype=np.int64) if start is None else _checked(start, first, second)
    found = walk(one, other, begin)
    features, steps, state = Features(*found[:4].tolist()), int(found[4]), int(found[5])
    if state == DONE:
        on_first, on_second = _closest_points(one, other, found)
        apart = on_first - on_second
        distance = float(np.linalg.norm(apart))
        if distance > _TOUCHING * float(np.abs(one[0] - other[0][0]).max()):
            result = ConvexDistance(distance, apart / distance, on_first, on_second)
            return PolyhedronDistance(result, features, steps)
    # They overlap, or touch in features that do not tell whether they do, or (features in line while they overlap)
    # the walk went in circles.
    result = core_distance(hull_core(one[0]), 0.0, hull_core(other[0]), 0.0)
    return PolyhedronDistance(result, features, steps)


def _checked(start: Features, first: Polyhedron, second: Polyhedron) -> Integers:
    """The features as numbers for native loops, if the polyhedra have them."""
    for shape, kind, index in ((first, *start[:2]), (second, *start[2:4])):
        counts = (len(shape.vertices), len(shape.edges), len(shape.planes))
        whole = all(isinstance(each, int | np.integer) for each in (kind, index))
        if len(start) != 4 or not whole or not 0 <= kind < 3 or not 0 <= index < counts[kind]:
            message = (
                f"start is {start}; its polyhedra have {counts} vertices, edges and faces (kinds 0, 1, 2)"
            )
            raise GeometryError(message, subject=("shape", "polyhedron"))
    return np.array(start, dtype=np.int64)


@routine
def _closest_points(one: Any, other: Any, found: Any) -> tuple[Vector3, Vector3]:
    """The closest points on two features that are each in the other's Voronoi region."""
    first_kind, first, second_kind, second = found[0], found[1], found[2], found[3]
    if first_kind > second_kind:
        swapped = np.array([second_kind, second, first_kind, first])
        b, a = _vertex_to_feature(other, one, swapped)
        return a, b
    if first_kind == 1:
        return _edge_to_edge(one, other, first, second)
    return _vertex_to_feature(one, other, found)


@routine
def _vertex_to_feature(one: Any, other: Any, found: Any) -> tuple[Vector3, Vector3]:
    point = one[0][found[1]].copy()
    if found[2] == 0:
        return point, other[0][found[3]].copy()
    if found[2] == 1:
        tail = other[0][other[1][found[3], 0]]
        edge = minus(other[0][other[1][found[3], 1]], tail)
        t = dot(minus(point, tail), edge) / dot(edge, edge)
        return point, along(tail, t, edge)
    plane = other[2][found[3]]
    return point, along(point, plane[3] - dot(plane, point), plane)


@routine
def _edge_to_edge(one: Any, other: Any, first: int, second: int) -> tuple[Vector3, Vector3]:
    tail, other_tail = one[0][one[1][first, 0]], other[0][other[1][second, 0]]
    edge = minus(one[0][one[1][first, 1]], tail)
    other_edge = minus(other[0][other[1][second, 1]], other_tail)
    apart = minus(other_tail, tail)
    normal = cross(edge, other_edge)
    square = dot(normal, normal)
    if square <= 1e-20 * dot(edge, edge) * dot(other_edge, other_edge):
        # Parallel: any point of the shared stretch is as close; take its middle.
        length = dot(edge, edge)
        begin = dot(apart, edge) / length
        end = begin + dot(other_edge, edge) / length
        s = (max(0.0, min(begin, end)) + min(1.0, max(begin, end))) / 2
        point = along(tail, s, edge)
        t = dot(minus(point, other_tail), other_edge) / dot(other_edge, other_edge)
        return point, along(other_tail, t, other_edge)
    s = dot(cross(apart, other_edge), normal) / square
    t = dot(cross(apart, edge), normal) / square
    return along(tail, s, edge), along(other_tail, t, other_edge)
