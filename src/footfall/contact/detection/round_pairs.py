"""Where balls and capsules touch each other, boxes and cylinders: closed forms."""

from __future__ import annotations

import math

import numpy as np

from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.contact.detection.shapes import ManifoldPoint
from footfall.math.transform import Transform

_CROSSING = 0.1  # squared sine of the angle from which on capsules cross, rather than lie along each other
UP = np.array([0.0, 0.0, 1.0])


@routine
def ball_spot(
    centre: Vector3,
    radius: float,
    other: Vector3,
    other_radius: float,
    margin: float,
    feature: int,
    count: int,
    manifold: ArrayOf[ManifoldPoint],
) -> int:
    """Two balls; the number of points with this one."""
    apart = centre - other
    square = apart @ apart
    reach = radius + other_radius + margin
    if square > reach * reach:
        return count
    distance = math.sqrt(square)
    normal = apart / distance if distance > 0.0 else UP
    manifold[count] = ManifoldPoint(
        centre - radius * normal, normal, distance - radius - other_radius, feature
    )
    return count + 1


@routine
def on_segment(point: Vector3, middle: Vector3, axis: Vector3, half: float) -> Vector3:
    """The point of a segment that is closest to another; axis: a unit vector."""
    return middle + min(max(axis @ (point - middle), -half), half) * axis


@routine
def sphere_capsule(
    centre: Vector3,
    radius: float,
    capsule: Transform,
    half: float,
    other_radius: float,
    margin: float,
    manifold: ArrayOf[ManifoldPoint],
) -> int:
    near = on_segment(centre, capsule.translation, capsule.rotation[:, 2], half)
    return ball_spot(centre, radius, near, other_radius, margin, 0, 0, manifold)


@routine
def capsule_capsule(
    one: Transform,
    half: float,
    radius: float,
    other: Transform,
    other_half: float,
    other_radius: float,
    margin: float,
    manifold: ArrayOf[ManifoldPoint],
) -> int:
    """Where the axes are nearest, and, if the capsules lie along each other, at the ends of what they share."""
    middle, axis = one.translation, one.rotation[:, 2]
    far_middle, far_axis = other.translation, other.rotation[:, 2]
    apart = middle - far_middle
    cosine = axis @ far_axis
    across = np.cross(axis, far_axis)
    square = across @ across
    along, far_along = apart @ axis, apart @ far_axis
    if square > 1e-20:
        s = min(max((cosine * far_along - along) / square, -half), half)
    else:
        s = min(max(-along, -half), half)
    t = min(max(cosine * s + far_along, -other_half), other_half)
    s = min(max(cosine * t - along, -half), half)
    count = 0
    if square < _CROSSING:
        reach = abs(cosine) * other_half
        low, high = max(-half, -along - reach), min(half, reach - along)
        if high - low > 1e-9 * (half + other_half):
            for end in (0, 1):
                point = middle + (high if end else low) * axis
                near = on_segment(point, far_middle, far_axis, other_half)
                count = ball_spot(point, radius, near, other_radius, margin, 1 + end, count, manifold)
            between = low + 1e-6 * (high - low) < s < high - 1e-6 * (high - low)
            if count == 2 and (square < 1e-20 or not between):
                return count
    return ball_spot(
        middle + s * axis, radius, far_middle + t * far_axis, other_radius, margin, 0, count, manifold
    )


@routine
def sphere_box(
    centre: Vector3,
    radius: float,
    box: Transform,
    size: Vector3,
    margin: float,
    manifold: ArrayOf[ManifoldPoint],
) -> int:
    local = box.rotation.T @ (centre - box.translation)
    near = np.minimum(np.maximum(local, -size), size)
    apart = local - near
    square = apart @ apart
    reach = radius + margin
    if square > reach * reach:
        return 0
    if square > 0.0:
        distance = math.sqrt(square)
        normal = apart / distance
    else:  # the centre is inside: out through the nearest face
        depth = size - np.abs(local)
        x, y, z = np.where(local >= 0.0, 1.0, -1.0)
        if depth[0] <= depth[1] and depth[0] <= depth[2]:
            distance, normal = -depth[0], np.array([x, 0.0, 0.0])
        elif depth[1] <= depth[2]:
            distance, normal = -depth[1], np.array([0.0, y, 0.0])
        else:
            distance, normal = -depth[2], np.array([0.0, 0.0, z])
    normal = box.rotation @ normal
    manifold[0] = ManifoldPoint(centre - radius * normal, normal, distance - radius, 0)
    return 1


@routine
def sphere_cylinder(
    centre: Vector3,
    radius: float,
    cylinder: Transform,
    size: Vector3,
    margin: float,
    manifold: ArrayOf[ManifoldPoint],
) -> int:
    """size: radius and half length as the first and third number."""
    local = cylinder.rotation.T @ (centre - cylinder.translation)
    wide = math.sqrt(local[0] * local[0] + local[1] * local[1])
    x, y = (local[0] / wide, local[1] / wide) if wide > 0.0 else (1.0, 0.0)
    out = max(wide - size[0], 0.0)
    above = max(abs(local[2]) - size[2], 0.0)
    side = 1.0 if local[2] >= 0.0 else -1.0
    square = out * out + above * above
    reach = radius + margin
    if square > reach * reach:
        return 0
    if square > 0.0:
        distance = math.sqrt(square)
        normal = np.array([out * x, out * y, side * above]) / distance
    elif size[0] - wide < size[2] - abs(local[2]):
        distance, normal = wide - size[0], np.array([x, y, 0.0])
    else:
        distance, normal = abs(local[2]) - size[2], np.array([0.0, 0.0, side])
    normal = cylinder.rotation @ normal
    manifold[0] = ManifoldPoint(centre - radius * normal, normal, distance - radius, 0)
    return 1
