"""Native loops over chains of quaternion B-splines: logarithms of steps, and motion at many times."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.compiler.native_loops import native_loop
from footfall.math.polynomial_loops import segment_at

Array = np.ndarray[Any, np.dtype[np.float64]]


@native_loop
def multiply(a: Array, b: Array, result: Array) -> None:
    """Hamilton's product of (4,) arrays; result is neither of the two."""
    result[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    result[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    result[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    result[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]


@native_loop
def turn_vector(q: Array, v: Array, result: Array) -> None:
    """Rotate a vector (3,) by a unit quaternion (4,)."""
    x = q[2] * v[2] - q[3] * v[1]
    y = q[3] * v[0] - q[1] * v[2]
    z = q[1] * v[1] - q[2] * v[0]
    result[0] = v[0] + 2.0 * (q[0] * x + q[2] * z - q[3] * y)
    result[1] = v[1] + 2.0 * (q[0] * y + q[3] * x - q[1] * z)
    result[2] = v[2] + 2.0 * (q[0] * z + q[1] * y - q[2] * x)


@native_loop
def step_logarithms(controls: Array) -> Array:
    """ln(s_(i-1)^-1 s_i) (n, 3, 3) for controls (n, 4, 4); NaN where it is not defined."""
    count = len(controls)
    result = np.empty((count, 3, 3))
    back, step = np.empty(4), np.empty(4)
    for i in range(count):
        for j in range(3):
            back[0] = controls[i, j, 0]
            for d in range(1, 4):
                back[d] = -controls[i, j, d]
            multiply(back, controls[i, j + 1], step)
            size = np.sqrt(step[1] * step[1] + step[2] * step[2] + step[3] * step[3])
            if size > 1e-12:
                factor = np.arctan2(size, step[0]) / size
            elif step[0] > 0.0:
                factor = 1.0 / step[0]
            else:
                factor = np.nan
            for d in range(3):
                result[i, j, d] = factor * step[d + 1]
    return result


@native_loop
def sample_chain(
    times: Array, coefficients: Array, starts: Array, logarithms: Array, at: Array
) -> tuple[Array, Array, Array]:
    """Orientation (k, 4), angular velocity and acceleration (k, 3) in parent axes at times (k,).

    times, coefficients: the parameter u(t) as a polynomial trajectory, whose whole part is the piece.
    starts (n, 4): first control of each piece. logarithms (n, 3, 3) of its steps. A piece is a cubic B-spline
    with four controls (k = m = 4): three turns about fixed axes, one on top of the other, like a serial chain.
    """
    count = len(at)
    segments, powers, _ = coefficients.shape
    orientation, velocity, acceleration = np.empty((count, 4)), np.zeros((count, 3)), np.zeros((count, 3))
    angle, rate, second = np.empty(3), np.empty(3), np.empty(3)
    here, turned, step, axis = np.empty(4), np.empty(4), np.empty(4), np.empty(3)
    segment = 0
    for k in range(count):
        time = min(max(at[k], times[0]), times[segments])
        segment = segment_at(times, time, segment)
        duration = times[segment + 1] - times[segment]
        local = (time - times[segment]) / duration
        u, speed, change = 0.0, 0.0, 0.0
        for power in range(powers):
            change = change * local + speed
            speed = speed * local + u
            u = u * local + coefficients[segment, power, 0]
        moving = times[0] <= at[k] <= times[segments]
        speed = speed / duration if moving else 0.0
        change = 2.0 * change / (duration * duration) if moving else 0.0
        piece = min(max(int(np.floor(u)), 0), len(starts) - 1)
        # At rest at the end of a piece u may be a rounding error before the next one: both are the same there.
        eta = min(max(u - piece, 0.0), 1.0)
        rest = 1.0 - eta
        angle[0], rate[0], second[0] = 1.0 - rest**3, 3.0 * rest**2, -6.0 * rest
        angle[1], rate[1], second[1] = eta * eta * (3.0 - 2.0 * eta), 6.0 * eta * rest, 6.0 - 12.0 * eta
        angle[2], rate[2], second[2] = eta**3, 3.0 * eta**2, 6.0 * eta
        for d in range(4):
            here[d] = starts[piece, d]
        for j in range(3):
            w = logarithms[piece, j]
            size = np.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
            if size == 0.0:
                continue
            turn_vector(here, w, axis)
            first = 2.0 * rate[j] * speed
            then = 2.0 * (second[j] * speed * speed + rate[j] * change)
            a, b, c = velocity[k, 0], velocity[k, 1], velocity[k, 2]
            acceleration[k, 0] += then * axis[0] + first * (b * axis[2] - c * axis[1])
            acceleration[k, 1] += then * axis[1] + first * (c * axis[0] - a * axis[2])
            acceleration[k, 2] += then * axis[2] + first * (a * axis[1] - b * axis[0])
            for d in range(3):
                velocity[k, d] += first * axis[d]
            sine = np.sin(size * angle[j]) / size
            step[0] = np.cos(size * angle[j])
            for d in range(3):
                step[d + 1] = sine * w[d]
            multiply(here, step, turned)
            for d in range(4):
                here[d] = turned[d]
        for d in range(4):
            orientation[k, d] = here[d]
    return orientation, velocity, acceleration
