"""The way of a foot through the air in one motion phase, as textbook code of one phase (spec 003c section 5.5).

Time runs from 0 to 1 in the phase. The foot rolls off over its toes and strikes with its heel; the points at which it
turns over are raised so that no edge of the sole goes below the ground. What is horizontal and vertical is told by the
stance foot. It is traced and runs as native code, for all phases of a plan at once.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, asin, build_kernel, less, maximum, minimum, where
from footfall.math.interpolation import quintic_spline
from footfall.math.rotations import (
    matrix_from_quaternion,
    quaternion_from_rotation_vector,
    quaternion_inverse,
    quaternion_product,
    rotation_vector_from_quaternion,
)
from footfall.motion.parameters import FootParameters
from footfall.motion.reduced_model import Rectangle

SEGMENTS = 5  # of the position: borders are lag, lift, lower and lead
TILT_SEGMENTS = 3  # of the tilt's timing: lift-off, mid-swing, strike
_CHECKED = (0.1, 0.3, 0.6)  # parts of the time to rise at which the sole must be clear
_SURPLUS = 1.05  # between two of them 3 % more may be needed


@cache
def swing_kernel() -> Kernel:
    """Native code of `swing_foot`."""
    return build_kernel(
        swing_foot, {"phase": 20, "constants": 33}, name="swing_foot", key="motion.swing_foot"
    )


def swing_foot(phase: Array, constants: Array) -> dict[str, Array]:
    """Borders (6,) of the segments in [0, 1], coefficients (5, 6, 3) of the position in the world, m, and the control
    quaternions (4, 4) of the rotation.

    phase (20,): position (m) and quaternion of the foot at begin and at end, quaternion of the stance foot, all in
    the world, step height (m), swing timing. constants (33,): `swing_constants`.
    """
    begin, end, stance = phase[:7], phase[7:14], phase[14:18]
    step_height, swing_timing = phase[18], phase[19]
    timing, tilt, sole = constants[:8].reshape(4, 2), constants[8], constants[9:13]
    tilt_borders, tilt_timing = constants[13:15], constants[15:33].reshape(TILT_SEGMENTS, 6)

    level = matrix_from_quaternion(stance)
    way = level.T @ (end[:3] - begin[:3])
    controls = _controls(begin[3:], end[3:], tilt * way[0])

    lag, lead, lift, lower = (
        timing[k, 0] * (1.0 - swing_timing) + timing[k, 1] * swing_timing for k in range(4)
    )
    borders = [0.0, lag, lift, 1.0 - lower, 1.0 - lead, 1.0]

    def rotation(time: Any) -> Array:
        eta = _parameter(time, tilt_borders, tilt_timing)
        return quaternion_product(quaternion_inverse(stance), _rotation(controls, eta))

    turns = [rotation(time) for time in borders]
    first, last = _pitch(turns[0]), _pitch(turns[5])
    at_lag, at_lift = (_roll_off(_pitch(turns[k]) - first, sole) for k in (1, 2))
    at_lower, at_lead = (_roll_off(_pitch(turns[k]) - last, sole) for k in (3, 4))
    rising = [rotation(share * lift) for share in _CHECKED] + [turns[2]]
    falling = [rotation(1.0 - share * lower) for share in _CHECKED] + [turns[3]]

    # 003c (6.9), (6.10): control points relative to the begin, in axes of the stance foot.
    ahead = [(0.0, 0.0), (at_lag[0], 0.0), (way[0] + at_lead[0], way[1]), (way[0], way[1])]
    top = maximum(0.0 * way[2], way[2]) + maximum(at_lift[1], at_lower[1]) + step_height
    rise, fall = _needed_rise(turns[0], rising, sole), _needed_rise(turns[5], falling, sole)
    top = maximum(top, maximum(rise, way[2] + fall))
    states = []
    for k, time in enumerate(borders):
        if k <= 1:
            horizontal = [(ahead[k][axis], 0.0, 0.0) for axis in (0, 1)]
        elif k >= 4:
            horizontal = [(ahead[k - 2][axis], 0.0, 0.0) for axis in (0, 1)]
        else:
            horizontal = [_between(time, lag, 1.0 - lead, ahead[1][axis], ahead[2][axis]) for axis in (0, 1)]
        if k == 1:
            vertical = _between(time, 0.0, lift, 0.0, top)
        elif k == 4:
            vertical = _between(time, 1.0 - lower, 1.0, top, way[2])
        else:
            vertical = ((0.0, top, top, way[2])[(0, 0, 1, 2, 0, 3)[k]], 0.0, 0.0)
        states.append((horizontal[0], horizontal[1], vertical))
    coefficients = []
    for k in range(SEGMENTS):
        duration = borders[k + 1] - borders[k]
        local = [_quintic(states[k][axis], states[k + 1][axis], duration) for axis in range(3)]
        turned = [level @ np.array([local[axis][power] for axis in range(3)]) for power in range(6)]
        turned[5] = turned[5] + begin[:3]
        coefficients.append(np.array(turned))
    return {
        "borders": np.array([0.0 * lag, *borders[1:5], 0.0 * lag + 1.0]),
        "coefficients": np.array(coefficients),
        "controls": np.array(controls),
    }


@cache
def swing_constants(parameters: FootParameters, sole: Rectangle) -> Array:
    """What holds for all phases, (33,): timing, tilt, edges of the sole (m), and how the parameter of the rotation runs
    from 0 to 1, 003c section 5.5.1."""
    return np.concatenate(
        [
            np.ravel([parameters.lag, parameters.lead, parameters.lift, parameters.lower]),
            [parameters.tilt_per_m, *sole, parameters.lift_off_share, parameters.strike_share],
            tilt_timing(parameters).ravel(),
        ]
    )


@cache
def tilt_timing(parameters: FootParameters) -> Array:
    """Coefficients (3, 6) of the parameter of the rotation over lift-off, mid-swing and strike."""
    times = np.array([0.0, parameters.lift_off_share, parameters.strike_share, 1.0])
    spline = quintic_spline(times, np.array([0.0, 1 / 3, 2 / 3, 1.0]))
    return np.ascontiguousarray(spline.coefficients[:, :, 0])


def _controls(begin: Array, end: Array, sine: Any) -> list[Array]:
    """Control quaternions of the rotation, 003c (6.1)-(6.4)."""
    end = where(less(begin @ end, 0.0), -end, end)
    turn = rotation_vector_from_quaternion(quaternion_product(quaternion_inverse(begin), end))
    angle = asin(maximum(minimum(sine, 1.0), -1.0))
    half = angle / 2
    c, s = np.cos(half), np.sin(half)
    controls = [begin]
    for share, sign in ((1 / 3, 1.0), (2 / 3, -1.0)):
        virtual = quaternion_product(begin, quaternion_from_rotation_vector(share * turn))
        controls.append(quaternion_product(virtual, np.array([c, 0.0, sign * s, 0.0])))
    return [*controls, end]


def _rotation(controls: list[Array], eta: Any) -> Array:
    """Quaternion (4,) of the spline of order 4 over four controls, 003c (B.58)."""
    rest = 1.0 - eta
    cumulative = (1.0 - rest * rest * rest, eta * eta * (3.0 - 2.0 * eta), eta * eta * eta)
    rotation = controls[0]
    for before, after, share in zip(controls[:-1], controls[1:], cumulative, strict=True):
        turn = rotation_vector_from_quaternion(quaternion_product(quaternion_inverse(before), after))
        rotation = quaternion_product(rotation, quaternion_from_rotation_vector(share * turn))
    return rotation


def _parameter(time: Any, borders: Array, timing: Array) -> Any:
    starts = [0.0, borders[0], borders[1]]
    ends = [borders[0], borders[1], 1.0]
    values = [
        _horner(timing[k], (time - start) / (end - start))
        for k, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]
    return where(less(time, borders[0]), values[0], where(less(time, borders[1]), values[1], values[2]))


def _horner(coefficients: Array, eta: Any) -> Any:
    value = coefficients[0]
    for coefficient in coefficients[1:]:
        value = value * eta + coefficient
    return value


def _pitch(q: Array) -> Any:
    """Angle by which the x axis points down, rad."""
    return -asin(maximum(minimum(2 * (q[1] * q[3] - q[0] * q[2]), 1.0), -1.0))


def _roll_off(pitch: Any, sole: Array) -> tuple[Any, Any]:
    """Way (forward, up) by which the foot moves so that its critical edge stays where it is, 003c (6.6)."""
    edge = where(less(pitch, 0.0), sole[0], sole[1])
    return edge * (1.0 - np.cos(pitch)), edge * np.sin(pitch)


def _needed_rise(standing: Array, turns: list[Array], sole: Array) -> Any:
    """How far a foot must rise so that no corner of its sole goes below the ground, where it is turned like that at the
    checked parts of its way up, and at its end. The source compensates at the control points only: 5 mm too little for
    a stride of 0.8 m without step height."""
    needed = 0.0 * standing[0]
    for share, turn in zip((*_CHECKED, 1.0), turns, strict=True):
        forward = 2 * (
            turn[1] * turn[3] - turn[0] * turn[2] - standing[1] * standing[3] + standing[0] * standing[2]
        )
        left = 2 * (
            turn[2] * turn[3] + turn[0] * turn[1] - standing[2] * standing[3] - standing[0] * standing[1]
        )
        drop = maximum(-forward * sole[0], -forward * sole[1]) + maximum(-left * sole[2], -left * sole[3])
        risen = share * share * share * (10.0 - 15.0 * share + 6.0 * share * share)
        needed = maximum(needed, drop * (_SURPLUS / risen))
    return needed


def _between(time: Any, start: Any, end: Any, before: Any, after: Any) -> tuple[Any, Any, Any]:
    """Value, velocity and acceleration within the rest-to-rest quintic between two points, 003c section 4.2."""
    duration = end - start
    eta = (time - start) / duration
    rest, square = 1.0 - eta, eta * eta
    way = after - before
    return (
        before + way * square * eta * (10.0 - 15.0 * eta + 6.0 * square),
        way * 30.0 * square * rest * rest / duration,
        way * 60.0 * eta * rest * (1.0 - 2.0 * eta) / (duration * duration),
    )


def _quintic(begin: tuple[Any, Any, Any], end: tuple[Any, Any, Any], h: Any) -> list[Any]:
    """Coefficients (6,) between two states, 003c (G.32)."""
    way = end[0] - begin[0]
    v0, v1 = begin[1] * h, end[1] * h
    a0, a1 = begin[2] * (h * h / 2), end[2] * (h * h / 2)
    return [
        6 * way - 3 * (v0 + v1) - a0 + a1,
        -15 * way + 8 * v0 + 7 * v1 + 3 * a0 - 2 * a1,
        10 * way - 6 * v0 - 4 * v1 - 3 * a0 + a1,
        a0,
        v0,
        begin[0],
    ]
