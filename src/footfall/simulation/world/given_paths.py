"""Objects that move on given paths, in a step."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import Quaternion, Vector3
from footfall.contact.detection.shapes import Bodies
from footfall.math.rotations import matrix_from_quaternion, quaternion_inverse, quaternion_product
from footfall.scene.given_motion import cubic, cubic_rate
from footfall.simulation.world.records import GivenPath

_COORDINATES = 7


def place_on_path(path: GivenPath, waypoints: Array, time: float, bodies: Bodies) -> None:
    """Put an object where it is at a time, s, with its velocity; as `GivenMotion.pose` and `velocity`."""
    table = waypoints[path.first : path.first + path.waypoints]
    start, end = table[0, 0], table[path.waypoints - 1, 0]
    if path.periodic:
        clock = time - (end - start) * np.floor((time - start) / (end - start))
    else:
        clock = min(max(time, start), end)
    row = _row_before(table, clock)
    length = table[row + 1, 0] - table[row, 0]
    s = (clock - table[row, 0]) / length
    values, rates = np.empty(_COORDINATES), np.empty(_COORDINATES)
    for c in range(_COORDINATES):
        p0, m0 = table[row, 1 + c], length * table[row, 8 + c]
        p1, m1 = table[row + 1, 1 + c], length * table[row + 1, 8 + c]
        values[c], rates[c] = cubic(s, p0, m0, p1, m1), cubic_rate(s, p0, m0, p1, m1) / length
    q: Quaternion = np.array([values[3], values[4], values[5], values[6]])
    rate: Quaternion = np.array([rates[3], rates[4], rates[5], rates[6]])
    square = q @ q
    # The part of the rate along q only changes its norm, which the product's scalar part takes up.
    product = quaternion_product(rate, quaternion_inverse(q))
    angular: Vector3 = np.array([product[1], product[2], product[3]])
    bodies.rotation[path.body] = matrix_from_quaternion(q / np.sqrt(square))
    bodies.position[path.body] = np.array([values[0], values[1], values[2]])
    bodies.linear[path.body] = np.array([rates[0], rates[1], rates[2]])
    bodies.angular[path.body] = (2.0 / square) * angular


def _row_before(table: Array, clock: float) -> int:
    """The last row but one that is not later."""
    low, high = 0, len(table) - 2
    while low < high:
        middle = (low + high + 1) // 2
        if table[middle, 0] <= clock:
            low = middle
        else:
            high = middle - 1
    return low
