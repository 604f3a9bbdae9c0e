"""The guide path as a map: how far from it, which way it leads, and how much of it is left (Seiwald 2023, 5.5.4)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from footfall.arrays import Array
from tests.planning.reference.grid import Pose, turn_between

PIECES = 10  # lines for each piece of the spline
MARGIN = 1.5  # m around it
WIDEST, SHARPEST = 0.15, math.radians(30.0)  # of the corridor
BLUR = 0.08  # m


@dataclass(frozen=True)
class Guide:
    """points: (n, 2) of a line in pieces, m. way, turn: (n,) what is left of it at each point, m and rad."""

    points: Array
    way: Array
    turn: Array

    def nearest(self, x: float, y: float) -> tuple[float, float, float, float]:
        """Distance, direction, way and turn left at the nearest point."""
        begin, end = self.points[:-1], self.points[1:]
        along = end - begin
        share = np.clip(
            ((np.array([x, y]) - begin) * along).sum(axis=1) / (along * along).sum(axis=1), 0.0, 1.0
        )
        places = begin + share[:, None] * along
        distances = np.hypot(places[:, 0] - x, places[:, 1] - y)
        k = int(distances.argmin())
        left = self.way[k] + share[k] * (self.way[k + 1] - self.way[k])
        return float(distances[k]), math.atan2(along[k, 1], along[k, 0]), float(left), float(self.turn[k])


def guide_along(places: Array, *, spline: bool = True) -> Guide:
    """A guide through places (n, 2): a cubic spline over the length of chords, straight at its ends, or straight
    lines between the places."""
    chords = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(places, axis=0).T))])
    times = np.concatenate(
        [np.linspace(a, b, PIECES, endpoint=False) for a, b in pairwise(chords)] + [chords[-1:]]
    )
    if spline and len(places) > 2:
        points = CubicSpline(chords, places, bc_type="natural")(times)
    else:
        points = np.column_stack([np.interp(times, chords, places[:, k]) for k in (0, 1)])
    lines = np.diff(points, axis=0)
    lengths, angles = np.hypot(*lines.T), np.arctan2(lines[:, 1], lines[:, 0])
    turns = np.abs([turn_between(a, b) for a, b in pairwise(angles)])
    way = np.concatenate([np.cumsum(lengths[::-1])[::-1], [0.0]])
    turn = np.concatenate([np.cumsum(turns[::-1])[::-1], [0.0, 0.0]]) if len(turns) else np.zeros(len(points))
    return Guide(points, way, turn)


@dataclass
class GuideMap:
    """The guide on pixels of the grid. distance, direction, way, turn: (nx, ny). offset: what is left at a nearer goal
    (the horizon), which does not count."""

    guide: Guide
    cell: float
    first: tuple[int, int]
    distance: Array
    direction: Array
    way: Array
    turn: Array
    offset: tuple[float, float] = (0.0, 0.0)

    def at(self, pose: Pose) -> tuple[float, float, float, float]:
        """Distance, direction, way and turn left at a place."""
        i, j = math.floor(pose.x / self.cell) - self.first[0], math.floor(pose.y / self.cell) - self.first[1]
        if 0 <= i < self.distance.shape[0] and 0 <= j < self.distance.shape[1]:
            layers = (self.distance, self.direction, self.way, self.turn)
            a, b, c, d = (float(layer[i, j]) for layer in layers)
            return a, b, c, d
        return self.guide.nearest(pose.x, pose.y)

    def allows(self, middle: Pose) -> bool:
        """Whether the robot may be there: near the guide, and looking along it."""
        distance, direction, _, _ = self.at(middle)
        return distance <= WIDEST and abs(turn_between(direction, middle.yaw)) <= SHARPEST

    def left(self, middle: Pose) -> tuple[float, float]:
        """Way and turn that are left, m and rad."""
        _, _, way, turn = self.at(middle)
        return max(0.0, way - self.offset[0]), max(0.0, turn - self.offset[1])


def rasterised(guide: Guide, cell: float) -> GuideMap:
    """The map around a guide: 2 x 2 samples a pixel, then all but the distance blurred."""
    low = np.floor((guide.points.min(axis=0) - MARGIN) / cell).astype(int)
    high = np.ceil((guide.points.max(axis=0) + MARGIN) / cell).astype(int)
    shape = tuple((high - low).tolist())
    distance, way, turn = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    direction = np.zeros(shape, dtype=complex)
    for i in range(shape[0]):
        for j in range(shape[1]):
            for a in (0.25, 0.75):
                for b in (0.25, 0.75):
                    found = guide.nearest((low[0] + i + a) * cell, (low[1] + j + b) * cell)
                    distance[i, j] += found[0] / 4
                    direction[i, j] += np.exp(1j * found[1])  # a mean of angles would jump at half a turn
                    way[i, j] += found[2] / 4
                    turn[i, j] += found[3] / 4
    weights = _weights(BLUR / cell)
    unit = direction / np.maximum(np.abs(direction), 1e-12)
    return GuideMap(
        guide,
        cell,
        (int(low[0]), int(low[1])),
        distance,
        np.angle(_blurred(unit, weights)),
        _blurred(way, weights).real,
        _blurred(turn, weights).real,
    )


def _weights(deviation: float) -> Array:
    reach = math.ceil(3 * deviation)
    line = np.exp(-0.5 * (np.arange(-reach, reach + 1) / deviation) ** 2)
    return line / line.sum()


def _blurred(values: Any, weights: Array) -> Any:
    """Weighted means of rows, then of columns; at the rim of what is there."""
    reach = len(weights) // 2
    for axis in (0, 1):
        moved = np.moveaxis(values, axis, 0)
        total, sums = np.zeros_like(moved), np.zeros(len(moved))
        for k, weight in enumerate(weights):
            shift = k - reach
            to = slice(max(0, -shift), len(moved) - max(0, shift))
            of = slice(max(0, shift), len(moved) - max(0, -shift))
            total[to] += weight * moved[of]
            sums[to] += weight
        values = np.moveaxis(total / sums.reshape(-1, *[1] * (moved.ndim - 1)), 0, axis)
    return values
