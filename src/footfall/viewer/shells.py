"""Presentable surfaces of robots that are described by boxes, capsules and balls alone, from the same dimensions.

Boxes get round edges and a seam, long capsules become limbs: a shell with a waist between two collars; short ones
become joint modules: a drum with bevelled caps. All stays within the box around the shape that
it stands for, but seams.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.arrays import Array, Integers
from footfall.robot.shapes import Box, Capsule, Sphere

Color = tuple[float, float, float, float]
Part = tuple[Array, Integers, Color]  # vertices (n, 3), m, triangles (m, 3), colour
RUBBER: Color = (0.13, 0.14, 0.16, 1.0)
METAL: Color = (0.60, 0.63, 0.67, 1.0)
_SIDES = 28
_ROUND = 0.2  # of the shortest edge of a box
_LIMB = 2.0  # radii of length from which a capsule is a limb
_PLATE = 0.15  # m: boxes whose shortest edge is longer have a seam
_BANDS = 5  # of a quarter of a circle


def shell_parts(shape: object, color: Color) -> list[Part] | None:
    """Surfaces for a box, capsule or ball in its frame; None for other shapes."""
    match shape:
        case Box(size=size):
            return _box(np.array(size), color)
        case Capsule(radius=radius, length=length) if length >= _LIMB * radius:
            return _limb(radius, length / 2, color)
        case Capsule(radius=radius, length=length):
            return _module(radius, length / 2, color)
        case Sphere(radius=radius):
            return _ball(radius, color)
    return None


def _box(size: Array, color: Color) -> list[Part]:
    rounding = _ROUND * float(size.min())
    parts = [(*rounded_box(size, rounding), color)]
    if size.min() > _PLATE:
        parts.append((*_seam(size, rounding), _dark(color)))
    return parts


def _limb(radius: float, half: float, color: Color) -> list[Part]:
    """A shell with a waist, between collars and round ends."""
    ring, r = 0.28 * radius, radius
    body = half - ring
    shares = np.linspace(-1.0, 1.0, 17)
    waist = r * (0.86 + 0.14 * np.cos(np.pi * 0.5 * (shares + 0.35)) ** 2)
    shell = [
        (0.80 * r, -body),
        *zip(waist.tolist(), (0.985 * body * shares).tolist(), strict=True),
        (0.80 * r, body),
    ]
    collars = [
        [
            (0.80 * r, side * body),
            (0.93 * r, side * (body + 0.1 * ring)),
            (0.93 * r, side * half),
            (0.80 * r, side * half),
        ]
        for side in (-1.0, 1.0)
    ]
    ends = [_cap(0.9 * r, side * half, side) for side in (-1.0, 1.0)]
    parts = [(*lathe(shell), color)]
    parts += [(*lathe(_ascending(each)), METAL) for each in collars]
    parts += [(*lathe(_ascending(each)), _dark(color)) for each in ends]
    return parts


def _module(radius: float, half: float, color: Color) -> list[Part]:
    """A drum with bevelled caps and a ring around its middle."""
    r, end = radius, half + 0.8 * radius
    drum = [(0.0, -end), (0.62 * r, -end), (0.9 * r, -end + 0.16 * r), (r, -end + 0.4 * r)]
    drum += [(each[0], -each[1]) for each in reversed(drum)]
    ring = [(0.9 * r, -0.07 * r), (1.012 * r, -0.05 * r), (1.012 * r, 0.05 * r), (0.9 * r, 0.07 * r)]
    hub = [
        [(0.0, side * (end + 0.03 * r)), (0.34 * r, side * (end + 0.03 * r)), (0.4 * r, side * end)]
        for side in (-1.0, 1.0)
    ]
    parts = [(*lathe(drum), color), (*lathe(ring), METAL)]
    return parts + [(*lathe(_ascending(each)), METAL) for each in hub]


def _ball(radius: float, color: Color) -> list[Part]:
    angles = np.linspace(-np.pi / 2, np.pi / 2, 4 * _BANDS + 1)
    ball = list(zip((radius * np.cos(angles)).tolist(), (radius * np.sin(angles)).tolist(), strict=True))
    r = radius
    band = [(0.97 * r, -0.1 * r), (1.006 * r, -0.08 * r), (1.006 * r, 0.08 * r), (0.97 * r, 0.1 * r)]
    return [(*lathe(ball), color), (*lathe(band), _dark(color))]


def _cap(radius: float, height: float, side: float) -> list[tuple[float, float]]:
    """Half a ball on top of a height, or below it."""
    angles = np.linspace(0.0, np.pi / 2, 2 * _BANDS + 1)
    return [
        (radius * float(np.cos(angle)), height + side * radius * float(np.sin(angle))) for angle in angles
    ]


def _ascending(profile: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """From below, so that its outside is outside."""
    return profile if profile[-1][1] >= profile[0][1] else profile[::-1]


def lathe(profile: Sequence[tuple[float, float]], sides: int = _SIDES) -> tuple[Array, Integers]:
    """A profile of radius and height, from below, turned about z."""
    angles = 2 * np.pi * np.arange(sides) / sides
    rings = [np.column_stack([r * np.cos(angles), r * np.sin(angles), np.full(sides, z)]) for r, z in profile]
    here = np.arange(sides)
    after = (here + 1) % sides
    bands = []
    for k in range(len(profile) - 1):
        low, high = k * sides, (k + 1) * sides
        bands.append(np.column_stack([low + here, low + after, high + after]))
        bands.append(np.column_stack([low + here, high + after, high + here]))
    vertices, triangles = np.concatenate(rings), np.concatenate(bands)
    corners = vertices[triangles]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return vertices, triangles[areas > 1e-12]


def rounded_box(size: Array, radius: float) -> tuple[Array, Integers]:
    """A box with round edges: the hull of eighths of balls in its corners."""
    from scipy.spatial import ConvexHull

    grid = np.linspace(0.0, np.pi / 2, _BANDS)
    tilt, turn = (each.ravel() for each in np.meshgrid(grid, grid, indexing="ij"))
    eighth = np.column_stack([np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)])
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)
    inner = np.maximum(size / 2 - radius, 0.0)
    points = np.concatenate([sign * (inner + radius * eighth) for sign in signs])
    points = np.unique(points.round(9), axis=0)
    return points, _outwards(points, ConvexHull(points))


def _seam(size: Array, radius: float) -> tuple[Array, Integers]:
    """A thin band around a box with round edges, across its longest edge."""
    from scipy.spatial import ConvexHull

    along = int(np.argmax(size))
    across = [axis for axis in range(3) if axis != along]
    angles = np.linspace(0.0, np.pi / 2, 2 * _BANDS)
    corner = np.column_stack([np.cos(angles), np.sin(angles)])
    inner = size[across] / 2 - radius
    signs = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]], np.float64)
    outline = np.concatenate([sign * (inner + (radius + 0.0015) * corner) for sign in signs])
    points = np.zeros((2 * len(outline), 3))
    points[:, across] = np.concatenate([outline, outline])
    points[:, along] = -0.2 * size[along] + np.repeat([-0.004, 0.004], len(outline))
    return points, _outwards(points, ConvexHull(points))


def _outwards(points: Array, hull: Any) -> Integers:
    """Triangles of a hull, counter-clockwise from outside."""
    triangles: Integers = hull.simplices.copy()
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inside = np.einsum("ij,ij->i", normals, hull.equations[:, :3]) < 0.0
    triangles[inside] = triangles[inside][:, ::-1]
    return triangles


def _dark(color: Color) -> Color:
    red, green, blue, opacity = color
    return 0.55 * red, 0.55 * green, 0.57 * blue, opacity
