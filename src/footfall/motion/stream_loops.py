"""Native loop of the stream processor: task-space vectors and the wrench of all contacts (spec 003c section 7.3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler.native_loops import native_loop
from footfall.math.quaternion_loops import multiply, turn_vector

Array = np.ndarray[Any, np.dtype[np.float64]]


@native_loop
def rotation_vector(q: Array, result: Array) -> None:
    """Rotation vector (3,) with an angle of at most pi, of a unit quaternion (4,) of either sign."""
    sign = -1.0 if q[0] < 0.0 else 1.0
    size = np.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    factor = 2.0 * np.arctan2(size, sign * q[0]) / size if size > 1e-12 else 2.0
    for d in range(3):
        result[d] = sign * factor * q[d + 1]


@native_loop
def head_motion(rotations: Array, position: Array, velocity: Array) -> None:
    """Pan and tilt of the head (2,) and their rates (2,), 003c (6.32), (6.33); rotations (4, 10)."""
    back, between, ahead, spin, x_axis = np.empty(4), np.empty(4), np.empty(3), np.empty(3), np.zeros(3)
    x_axis[0] = 1.0
    back[0] = rotations[0, 0]
    for d in range(1, 4):
        back[d] = -rotations[0, d]
    multiply(back, rotations[1, :4], between)
    turn_vector(between, x_axis, ahead)
    turn_vector(back, rotations[1, 4:7] - rotations[0, 4:7], spin)
    x, y, z = ahead[0], ahead[1], ahead[2]
    dx, dy, dz = spin[1] * z - spin[2] * y, spin[2] * x - spin[0] * z, spin[0] * y - spin[1] * x
    flat = x * x + y * y
    position[0], position[1] = np.arctan2(y, x), np.arctan2(z, np.sqrt(flat))
    velocity[0], velocity[1] = (x * dy - y * dx) / flat, dz / np.sqrt(flat)


@native_loop
def add_mass(
    values: Array, column: int, mass: float, flow: float, gravity: float, center: Array, wrench: Array
) -> None:
    """Add what a mass point needs, 003c (F.3), (F.5); flow: rate of its mass; torques about the centre of mass."""
    fx = mass * values[2, column] + flow * values[1, column]
    fy = mass * values[2, column + 1] + flow * values[1, column + 1]
    fz = mass * (values[2, column + 2] + gravity) + flow * values[1, column + 2]
    x, y, z = (
        values[0, column] - center[0],
        values[0, column + 1] - center[1],
        values[0, column + 2] - center[2],
    )
    wrench[0] += fx
    wrench[1] += fy
    wrench[2] += fz
    wrench[3] += y * fz - z * fy
    wrench[4] += z * fx - x * fz
    wrench[5] += x * fy - y * fx


@native_loop
def add_turning(rotation: Array, inertia: Array, wrench: Array) -> None:
    """Add what the torso's inertia (3, 3) in its own axes needs to turn; rotation (10,)."""
    back, spin, change, moment = np.empty(4), np.empty(3), np.empty(3), np.empty(3)
    back[0] = rotation[0]
    for d in range(1, 4):
        back[d] = -rotation[d]
    turn_vector(back, rotation[4:7], spin)
    turn_vector(back, rotation[7:10], change)
    turning, momentum = inertia @ change, inertia @ spin
    turning[0] += spin[1] * momentum[2] - spin[2] * momentum[1]
    turning[1] += spin[2] * momentum[0] - spin[0] * momentum[2]
    turning[2] += spin[0] * momentum[1] - spin[1] * momentum[0]
    turn_vector(rotation[:4], turning, moment)
    for d in range(3):
        wrench[3 + d] += moment[d]


@native_loop
def stream_vectors(
    values: Array, rotations: Array, inertia: Array, mass: float, foot: float, hand: float, gravity: float
) -> tuple[Array, Array, Array]:
    """Task-space positions and velocities (k, 28), and the wrench of all contacts about the centre of mass (k, 6).

    values (k, 3, 41), rotations (k, 4, 10): of `MotionSamples`. mass: of the robot; foot, hand: shares of it, each.
    """
    count = len(values)
    position, velocity, wrench = np.empty((count, 28)), np.empty((count, 28)), np.zeros((count, 6))
    for k in range(count):
        v, r = values[k], rotations[k]
        position[k, 0:3], velocity[k, 0:3] = v[0, 38:41], v[1, 38:41]
        rotation_vector(r[0, :4], position[k, 3:6])
        velocity[k, 3:6] = r[0, 4:7]
        for side in range(2):
            start, column = 6 + 7 * side, 3 + 3 * side
            position[k, start : start + 3] = v[0, column : column + 3]
            velocity[k, start : start + 3] = v[1, column : column + 3]
            rotation_vector(r[2 + side, :4], position[k, start + 3 : start + 6])
            velocity[k, start + 3 : start + 6] = r[2 + side, 4:7]
            position[k, start + 6], velocity[k, start + 6] = v[0, 15 + side], v[1, 15 + side]
            add_mass(v, column, foot * mass, 0.0, gravity, v[0, 38:41], wrench[k])
            share, flow = hand * mass * v[0, 17 + side], hand * mass * v[1, 17 + side]
            add_mass(v, 9 + 3 * side, share, flow, gravity, v[0, 38:41], wrench[k])
        head_motion(r, position[k, 20:22], velocity[k, 20:22])
        position[k, 22:28], velocity[k, 22:28] = v[0, 9:15], v[1, 9:15]
        torso = mass * (1.0 - 2.0 * foot - hand * (v[0, 17] + v[0, 18]))
        add_mass(v, 35, torso, -hand * mass * (v[1, 17] + v[1, 18]), gravity, v[0, 38:41], wrench[k])
        add_turning(r[0], inertia, wrench[k])
    return position, velocity, wrench
