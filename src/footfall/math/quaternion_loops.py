"""Native loops over chains of quaternion B-splines: logarithms of steps, and motion at many times."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import routine
from footfall.math.polynomial_loops import segment_between


@routine
def multiply(a: Array, b: Array, result: Array) -> None:
    """Hamilton's product of (4,) arrays; result is neither of the two."""
    result[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    result[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    result[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    result[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]


@routine
def turn_vector(q: Array, v: Array, result: Array) -> None:
    """Rotate a vector (3,) by a unit quaternion (4,)."""
    x = q[2] * v[2] - q[3] * v[1]
    y = q[3] * v[0] - q[1] * v[2]
    z = q[1] * v[1] - q[2] * v[0]
    result[0] = v[0] + 2.0 * (q[0] * x + q[2] * z - q[3] * y)
    result[1] = v[1] + 2.0 * (q[0] * y + q[3] * x - q[1] * z)
    result[2] = v[2] + 2.0 * (q[0] * z + q[1] * y - q[2] * x)


@routine
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


@routine
def turn_on_piece(
    controls: Array, logarithms: Array, piece: int, eta: float, speed: float, change: float
) -> tuple[float, float, float, float, float, float, float, float, float, float]:
    """Quaternion, angular velocity and angular acceleration in parent axes on a piece of a chain, 003c (B.58).

    controls (n, 4, 4) of the pieces, logarithms (n, 3, 3) of the steps between them. eta: parameter in the piece, from
    0 to 1; speed, change: its rate and the rate of that. A piece is a cubic B-spline with four controls (k = m = 4):
    three turns about fixed axes, one on top of the other, like a serial chain.
    """
    w, x, y, z = controls[piece, 0, 0], controls[piece, 0, 1], controls[piece, 0, 2], controls[piece, 0, 3]
    vx, vy, vz, ax, ay, az = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    rest = 1.0 - eta
    for j in range(3):
        a, b, c = logarithms[piece, j, 0], logarithms[piece, j, 1], logarithms[piece, j, 2]
        size = np.sqrt(a * a + b * b + c * c)
        if size == 0.0:
            continue
        if j == 0:
            angle, rate, second = 1.0 - rest * rest * rest, 3.0 * rest * rest, -6.0 * rest
        elif j == 1:
            angle, rate, second = eta * eta * (3.0 - 2.0 * eta), 6.0 * eta * rest, 6.0 - 12.0 * eta
        else:
            angle, rate, second = eta * eta * eta, 3.0 * eta * eta, 6.0 * eta
        p, q, r = y * c - z * b, z * a - x * c, x * b - y * a
        axis_x = a + 2.0 * (w * p + y * r - z * q)
        axis_y = b + 2.0 * (w * q + z * p - x * r)
        axis_z = c + 2.0 * (w * r + x * q - y * p)
        first = 2.0 * rate * speed
        then = 2.0 * (second * speed * speed + rate * change)
        ax += then * axis_x + first * (vy * axis_z - vz * axis_y)
        ay += then * axis_y + first * (vz * axis_x - vx * axis_z)
        az += then * axis_z + first * (vx * axis_y - vy * axis_x)
        vx, vy, vz = vx + first * axis_x, vy + first * axis_y, vz + first * axis_z
        cosine, sine = np.cos(size * angle), np.sin(size * angle) / size
        a, b, c = sine * a, sine * b, sine * c
        w, x, y, z = (
            w * cosine - x * a - y * b - z * c,
            w * a + x * cosine + y * c - z * b,
            w * b - x * c + y * cosine + z * a,
            w * c + x * b - y * a + z * cosine,
        )
    return w, x, y, z, vx, vy, vz, ax, ay, az


@routine
def sample_chain(times: Array, coefficients: Array, controls: Array, logarithms: Array, at: Array) -> Array:
    """Orientation, angular velocity and acceleration (k, 10) in parent axes at times (k,), see `turn_on_piece`.

    times, coefficients: the parameter u(t) as a polynomial trajectory, whose whole part is the piece.
    """
    segments, powers, _ = coefficients.shape
    result = np.empty((len(at), 10))
    segment = 0
    for k in range(len(at)):
        time = min(max(at[k], times[0]), times[segments])
        segment = segment_between(times, 0, segments, time, segment)
        duration = times[segment + 1] - times[segment]
        eta = (time - times[segment]) / duration
        rate = 1.0 / duration if time == at[k] else 0.0
        u, slope, half = 0.0, 0.0, 0.0
        for power in range(powers):
            half = half * eta + slope
            slope = slope * eta + u
            u = u * eta + coefficients[segment, power, 0]
        piece = min(max(int(np.floor(u)), 0), len(controls) - 1)
        # At rest at the end of a piece u may be a rounding error before the next one: both are the same there.
        inside = min(max(u - piece, 0.0), 1.0)
        turned = turn_on_piece(controls, logarithms, piece, inside, slope * rate, 2.0 * half * rate * rate)
        for c in range(10):
            result[k, c] = turned[c]
    return result
