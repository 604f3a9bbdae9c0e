"""Contact manifolds: the corners of the patch in which two polyhedra touch, not only the deepest point."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.contact.classic.polyhedron import Placed, Polyhedron
from footfall.contact.classic.v_clip import Features, polyhedron_distance
from footfall.math.transform import Transform

_FACING = 0.95  # cosine between a face's normal and the contact's from which on the face counts as touching


class Manifold(NamedTuple):
    """n points of a contact between two bodies.

    normal: (3,) from the second towards the first. positions: (n, 3) in the middle of the gaps, m. distances: (n,)
    along the normal, negative in penetration, m. features: to start the next query from.
    """

    normal: Array
    positions: Array
    distances: Array
    features: Features


def contact_manifold(
    first: Polyhedron,
    first_pose: Transform,
    second: Polyhedron,
    second_pose: Transform,
    *,
    margin: float = 1e-3,
    start: Features | None = None,
) -> Manifold:
    """Points at which two polyhedra touch or are closer than `margin` (m); none if they are farther apart.

    The face that lies most squarely against the contact normal is the reference; the face of the other body that looks
    at it is clipped by its sides, and what is left below the margin are the points. Where no face does, an edge crosses
    an edge, and there is one point.
    """
    found = polyhedron_distance(first, first_pose, second, second_pose, start=start)
    distance, normal, on_first, on_second = found.result
    if distance > margin:
        return Manifold(normal, np.zeros((0, 3)), np.zeros(0), found.features)
    one, other = first.at(first_pose), second.at(second_pose)
    along_one, along_other = np.asarray(one.normals) @ -normal, np.asarray(other.normals) @ normal
    single = Manifold(normal, (on_first + on_second)[None] / 2, np.array([distance]), found.features)
    if max(along_one.max(), along_other.max()) < _FACING:
        return single
    if along_other.max() >= along_one.max():
        positions, depths = _clipped(other, int(along_other.argmax()), one, margin)
        shift = -0.5
    else:
        positions, depths = _clipped(one, int(along_one.argmax()), other, margin)
        shift = 0.5
    if not len(positions):  # an edge that passes beside the face
        return single
    return Manifold(normal, positions + shift * depths[:, None] * normal, depths, found.features)


def _clipped(reference: Placed, face: int, incident: Placed, margin: float) -> tuple[Array, Array]:
    """Points of the incident body's opposite face within the reference face's sides, and their heights over it."""
    normal, distance = reference.normals[face], reference.distances[face]
    opposite = int((np.asarray(incident.normals) @ normal).argmin())
    polygon = _corners(incident, opposite)
    rim = _corners(reference, face)
    for tail, head in zip(rim, np.roll(rim, -1, axis=0), strict=True):
        polygon = _cut(polygon, tail, np.cross(normal, head - tail))
    heights = polygon @ normal - distance
    near = heights <= margin
    return polygon[near], heights[near]


def _corners(body: Placed, face: int) -> Array:
    """Corners (n, 3) of a face, counter-clockwise seen from outside."""
    following = {}
    for edge in body.face_edges[body.face_starts[face] : body.face_starts[face + 1]]:
        tail, head, left, _ = body.edges[edge].tolist()
        following[tail if left == face else head] = head if left == face else tail
    order = [next(iter(following))]
    while len(order) < len(following):
        order.append(following[order[-1]])
    return np.asarray(body.vertices)[order]


def _cut(polygon: Array, point: Array, inward: Array) -> Array:
    """The part of a polygon on the inner side of a plane."""
    if not len(polygon):
        return polygon
    sides = (polygon - point) @ inward
    slack = 1e-12 * float(np.abs(sides).max())  # corners on the plane stay
    kept = []
    for k in range(len(polygon)):
        after = (k + 1) % len(polygon)
        if sides[k] >= -slack:
            kept.append(polygon[k])
        if (sides[k] < -slack and sides[after] > slack) or (sides[k] > slack and sides[after] < -slack):
            kept.append(polygon[k] + sides[k] / (sides[k] - sides[after]) * (polygon[after] - polygon[k]))
    return np.array(kept).reshape(-1, 3)
