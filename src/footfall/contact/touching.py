"""A candidate at given poses: where it touches, which way and how far it is away; for numbers and for symbols."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.contact.candidates import Candidate
from footfall.contact.distance_functions import signed_distance
from footfall.contact.edge_crossings import crossings
from footfall.math.transform import Transform
from footfall.robot.shapes import Box

Array = np.ndarray[Any, np.dtype[Any]]


class Touch(NamedTuple):
    """point: (3,) of the candidate's body that touches, world axes, m. normal: (3,) towards it. gap: m."""

    point: Array
    normal: Array
    gap: Any


def touch(candidate: Candidate, body_pose: Transform, surface_pose: Transform) -> Touch:
    """Of a candidate whose body and surface have these poses in the world."""
    shape, crossing = candidate.surface.shape, candidate.crossing
    if crossing is None:
        center = body_pose.apply(np.array(candidate.point))
        distance, normal = signed_distance(shape, surface_pose, center)
    else:
        assert isinstance(shape, Box)
        edges = surface_pose.inverse() @ (body_pose @ crossing.placement)
        place = crossings(crossing.size, shape.size, edges)[crossing.place]
        center, normal, distance = surface_pose.apply(place[:3]), surface_pose.rotation @ place[3:6], place[6]
    return Touch(center - candidate.radius * normal, normal, distance - candidate.radius)
