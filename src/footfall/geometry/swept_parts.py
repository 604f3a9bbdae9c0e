"""Swept spheres as capsules and balls around them, for programs that know nothing else."""

from __future__ import annotations

import math

import numpy as np

from footfall.geometry.swept_sphere import SweptSphere, SweptVolume, swept_line, swept_point

_GROWTH = 0.15  # of the radius: what a cover of a triangle or line by simpler shapes may add
_SLICES = 12  # of them along one direction


def as_capsules(volume: SweptVolume) -> list[SweptSphere]:
    """Points and lines that hold all of a volume: triangles become strips of lines, a little thicker."""
    return [part for element in volume.elements for part in _strips(element)]


def as_balls(volume: SweptVolume) -> list[SweptSphere]:
    """Points that hold all of a volume: rows of balls along its capsules, a little larger."""
    return [ball for capsule in as_capsules(volume) for ball in _row(capsule)]


def _strips(element: SweptSphere) -> list[SweptSphere]:
    """A triangle cut across its longest edge: each strip lies within half its width of its line."""
    corners, radius = element.corners, element.radius
    if len(corners) < 3:
        return [element]
    lengths = [float(np.linalg.norm(corners[(k + 1) % 3] - corners[k])) for k in range(3)]
    longest = int(np.argmax(lengths))
    start, end, top = (corners[(longest + k) % 3] for k in range(3))
    along = (end - start) / lengths[longest] if lengths[longest] > 0.0 else np.array([1.0, 0.0, 0.0])
    foot = start + along * ((top - start) @ along)
    height = float(np.linalg.norm(top - foot))
    count = min(_SLICES, max(1, math.ceil(height / (2 * _GROWTH * radius)))) if radius > 0.0 else _SLICES
    width = height / count
    strips = []
    for k in range(count):
        low, middle = k / count, (k + 0.5) / count  # a strip is longest at its lower side
        left, right = (corner + low * (top - corner) for corner in (start, end))
        lift = (middle - low) * (top - foot)
        strips.append(swept_line(left + lift, right + lift, radius + width / 2))
    return strips


def _row(capsule: SweptSphere) -> list[SweptSphere]:
    """Balls so close that the capsule between two of them is inside: R^2 = r^2 + (s / 2)^2 for a spacing s."""
    corners, radius = capsule.corners, capsule.radius
    if len(corners) == 1:
        return [capsule]
    length = float(np.linalg.norm(corners[1] - corners[0]))
    spacing = 2.0 * radius * math.sqrt((1.0 + _GROWTH) ** 2 - 1.0)
    count = min(4 * _SLICES, max(1, math.ceil(length / spacing))) if spacing > 0.0 else 4 * _SLICES
    larger = math.hypot(radius, length / count / 2)
    return [swept_point(corners[0] + k / count * (corners[1] - corners[0]), larger) for k in range(count + 1)]
