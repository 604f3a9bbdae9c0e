"""Distance of convex polyhedra by V-Clip (Ayit 2015, chapter 2): walk from feature to feature until the closest ones
are found.

The closest points of two polyhedra lie on features (vertex, edge or face), each in the other one's Voronoi region. A
feature that is not is replaced by a neighbour that is nearer. Edges are clipped against the Voronoi planes; how the
distance changes at the clip points tells which neighbour. Started at the features of the last time step it is done in
a few steps. Penetration is noticed when an edge pierces a face or a vertex lies within; its depth comes from the
narrow phase of detection (`convex.py`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import Vector3, routine
from footfall.contact.convex import Convex, ConvexDistance, convex_distance
from footfall.contact.polyhedron import Placed, Polyhedron
from footfall.contact.v_clip_steps import DONE, EDGE, VERTEX, Features, ends, turned, walk
from footfall.errors import GeometryError
from footfall.math.transform import Transform

_TOUCHING = 1e-12  # of the size: closer features say nothing about a direction


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
    corners, other_corners = np.asarray(one.vertices), np.asarray(other.vertices)
    if not math.isfinite(corners.sum() + other_corners.sum()):
        raise GeometryError(
            "a pose is not finite; polyhedra must be somewhere", subject=("shape", "polyhedron")
        )
    begin = Features(0, 0, 0, 0) if start is None else _checked(start, first, second)
    features, steps, state = walk(one, other, begin)
    if state == DONE:
        on_first, on_second = _closest_points(one, other, features)
        apart = on_first - on_second
        distance = float(np.linalg.norm(apart))
        if distance > _TOUCHING * float(np.abs(corners - other_corners[0]).max()):
            result = ConvexDistance(distance, apart / distance, on_first, on_second)
            return PolyhedronDistance(result, features, steps)
    # They overlap, or touch in features that do not tell whether they do, or (features in line while they overlap)
    # the walk went in circles.
    result = convex_distance(Convex(first.vertices), first_pose, Convex(second.vertices), second_pose)
    return PolyhedronDistance(result, features, steps)


def _checked(start: Features, first: Polyhedron, second: Polyhedron) -> Features:
    """The features, if the polyhedra have them."""
    for shape, kind, index in ((first, *start[:2]), (second, *start[2:4])):
        counts = (len(shape.vertices), len(shape.edges), len(shape.planes))
        whole = all(isinstance(each, int | np.integer) for each in (kind, index))
        if len(start) != 4 or not whole or not 0 <= kind < 3 or not 0 <= index < counts[kind]:
            message = (
                f"start is {start}; its polyhedra have {counts} vertices, edges and faces (kinds 0, 1, 2)"
            )
            raise GeometryError(message, subject=("shape", "polyhedron"))
    return Features(*(int(each) for each in start))


@routine
def _closest_points(one: Placed, other: Placed, pair: Features) -> tuple[Vector3, Vector3]:
    """The closest points on two features that are each in the other's Voronoi region."""
    if pair.first_kind > pair.second_kind:
        b, a = _vertex_to_feature(other, one, turned(pair))
        return a, b
    if pair.first_kind == EDGE:
        return _edge_to_edge(one, other, pair)
    return _vertex_to_feature(one, other, pair)


@routine
def _vertex_to_feature(one: Placed, other: Placed, pair: Features) -> tuple[Vector3, Vector3]:
    point = one.vertices[pair.first]
    if pair.second_kind == VERTEX:
        return point, other.vertices[pair.second]
    if pair.second_kind == EDGE:
        tail, head = ends(other, pair.second)
        edge = head - tail
        return point, tail + ((point - tail) @ edge / (edge @ edge)) * edge
    normal = other.normals[pair.second]
    return point, point + (other.distances[pair.second] - normal @ point) * normal


@routine
def _edge_to_edge(one: Placed, other: Placed, pair: Features) -> tuple[Vector3, Vector3]:
    tail, head = ends(one, pair.first)
    other_tail, other_head = ends(other, pair.second)
    edge, other_edge, apart = head - tail, other_head - other_tail, other_tail - tail
    normal = np.cross(edge, other_edge)
    square, length = normal @ normal, edge @ edge
    if square <= 1e-20 * length * (other_edge @ other_edge):
        # Parallel: any point of the shared stretch is as close; take its middle.
        begin = apart @ edge / length
        end = begin + other_edge @ edge / length
        point = tail + (max(0.0, min(begin, end)) + min(1.0, max(begin, end))) / 2 * edge
        t = (point - other_tail) @ other_edge / (other_edge @ other_edge)
        return point, other_tail + t * other_edge
    s = np.cross(apart, other_edge) @ normal / square
    t = np.cross(apart, edge) @ normal / square
    return tail + s * edge, other_tail + t * other_edge
