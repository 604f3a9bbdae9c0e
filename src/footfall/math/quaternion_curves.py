"""Curves between orientations: LERP, NLERP, SLERP, Bezier, SQUAD (Seiwald 2023, appendix B).

Each takes unit quaternions (4,) or (k, 4) and parameters eta (k,) in [0, 1], and gives the curve and its
derivatives in eta up to `order` (at most 2), (order + 1, k, 4). All derivatives are analytic: a curve between
points that themselves move is differentiated by carrying value, rate and acceleration along ("jets").
Signs are taken as they are: run `footfall.math.quaternions.aligned` on keyframes first.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.math.polynomials import checked_order
from footfall.math.quaternions import exponential, inverse, logarithm
from footfall.math.rotations import quaternion_product

Jet = np.ndarray[Any, np.dtype[np.float64]]  # value, first and second derivative along the first axis

_EQUAL = 1e-9  # 1 - |cosine| below which two quaternions count as equal


def lerp(first: Any, last: Any, eta: Any, order: int = 2) -> Array:
    """The straight line, Seiwald 2023, (B.32), (B.33): the norm is not one in between."""
    return _lerp_jets(_fixed(first, eta), _fixed(last, eta), _parameter(eta))[: order + 1]


def nlerp(first: Any, last: Any, eta: Any, order: int = 2) -> Array:
    """The straight line brought back to norm one, Seiwald 2023, (B.34)."""
    return _normalised(_lerp_jets(_fixed(first, eta), _fixed(last, eta), _parameter(eta)))[: order + 1]


def slerp(first: Any, last: Any, eta: Any, order: int = 2) -> Array:
    """The shortest way at constant speed, Seiwald 2023, (B.35)-(B.38); any order."""
    order = checked_order(order)
    eta = np.atleast_1d(np.asarray(eta, dtype=np.float64))
    first, last = np.asarray(first, dtype=np.float64), np.asarray(last, dtype=np.float64)
    step = logarithm(quaternion_product(inverse(first), last))
    result = [quaternion_product(first, exponential(eta[:, None] * step))]
    for _ in range(order):
        result.append(quaternion_product(result[-1], step))
    return np.stack(result)


def bezier(first: Any, second: Any, third: Any, last: Any, eta: Any, order: int = 2) -> Array:
    """Six SLERPs after de Casteljau, Seiwald 2023, (B.43)."""
    points = [_fixed(point, eta) for point in (first, second, third, last)]
    parameter = _parameter(eta)
    while len(points) > 1:
        points = [_slerp_jets(a, b, parameter) for a, b in pairwise(points)]
    return points[0][: order + 1]


def squad(first: Any, second: Any, third: Any, last: Any, eta: Any, order: int = 2) -> Array:
    """Three SLERPs, Seiwald 2023, (B.47): from first to last, drawn towards second and third."""
    outer, inner = (
        _slerp_jets(_fixed(a, eta), _fixed(b, eta), _parameter(eta))
        for a, b in ((first, last), (second, third))
    )
    h, one, _ = _parameter(eta)
    return _slerp_jets(outer, inner, np.stack([2 * h * (1 - h), (2 - 4 * h) * one, -4 * one]))[: order + 1]


def _parameter(eta: Any) -> Jet:
    h = np.atleast_1d(np.asarray(eta, dtype=np.float64))
    return np.stack([h, np.ones_like(h), np.zeros_like(h)])


def _fixed(point: Any, eta: Any) -> Jet:
    """A quaternion that does not move, (3, k, 4)."""
    result = np.zeros((3, np.size(eta), 4))
    result[0] = point
    return result


def _times(a: Jet, b: Jet) -> Jet:
    """Product of jets after Leibniz; a may lack the last axis."""
    a = a[..., None] if a.ndim < b.ndim else a
    return np.stack([a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2]])


def _over(a: Jet, b: Jet) -> Jet:
    b = b[..., None] if b.ndim < a.ndim else b
    value = a[0] / b[0]
    rate = (a[1] - value * b[1]) / b[0]
    return np.stack([value, rate, (a[2] - 2 * rate * b[1] - value * b[2]) / b[0]])


def _dot(a: Jet, b: Jet) -> Jet:
    return np.asarray(_times(a, b).sum(axis=-1))


def _sine(a: Jet) -> Jet:
    s, c = np.sin(a[0]), np.cos(a[0])
    return np.stack([s, c * a[1], c * a[2] - s * a[1] ** 2])


def _normalised(a: Jet) -> Jet:
    square = _dot(a, a)
    root = np.sqrt(square[0])
    rate = square[1] / (2 * root)
    return _over(a, np.stack([root, rate, (square[2] / 2 - rate**2) / root]))


def _lerp_jets(a: Jet, b: Jet, h: Jet) -> Jet:
    return a + _times(h, b - a)


def _slerp_jets(a: Jet, b: Jet, h: Jet) -> Jet:
    """SLERP between two unit quaternions that move themselves; NLERP where they are equal.

    Seiwald 2023, (B.35)-(B.42).
    """
    cosine = _dot(a, b)
    if np.any(cosine[0] < -1.0 + _EQUAL):
        raise InvalidInput("two quaternions point into opposite directions; align their signs first")
    equal = cosine[0] > 1.0 - _EQUAL
    angle = np.arccos(np.clip(np.where(equal, 0.0, cosine[0]), -1.0, 1.0))
    sine = np.sin(angle)
    rate = -cosine[1] / sine
    theta = np.stack([angle, rate, -(cosine[2] + np.cos(angle) * rate**2) / sine])
    rest = np.stack([1 - h[0], -h[1], -h[2]])
    below = _sine(theta)
    curve = _times(_over(_sine(_times(rest, theta)), below), a) + _times(
        _over(_sine(_times(h, theta)), below), b
    )
    return np.where(equal[None, :, None], _normalised(_lerp_jets(a, b, h)), curve)
