"""Splines through or near orientations: chains of curves, and B-splines (Seiwald 2023, appendix B)."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import comb
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Matrix3, Quaternion, Vector3, routine
from footfall.errors import InvalidInput, UnknownName
from footfall.math import quaternion_curves as curves
from footfall.math.b_splines import clamped_knots, cumulative_basis
from footfall.math.polynomials import Jet, checked_order
from footfall.math.quaternions import aligned, conjugate, dot, exponential, inverse, logarithm, modulus
from footfall.math.rotations import (
    normalised,
    quaternion_from_rotation_vector,
    quaternion_inverse,
    quaternion_product,
    rotate_by_quaternion,
    rotation_vector_from_quaternion,
)
from footfall.math.spatial import cross

QUATERNION_METHODS = ("lerp", "nlerp", "slerp", "bezier", "squad")


@dataclass(frozen=True, slots=True, eq=False)
class QuaternionSpline:
    """A chain of curves through keyframes, over eta in [0, 1].

    method: `lerp`, `nlerp`, `slerp` (continuous), `bezier`, `squad` (once differentiable). keyframes (n, 4), norm
    one; their signs are aligned. proportions (n - 1,) of the curves, sum 1; equal ones by default.
    tangent_scale: of `bezier`, 1 as in Seiwald 2023, (B.44), 1/3 for tangents of natural length.
    """

    method: str
    keyframes: Array
    proportions: Array = None  # type: ignore[assignment]
    tangent_scale: float = 1.0
    controls: Array = field(init=False)  # (n - 1, 2, 4) inner control points of `bezier` and `squad`
    breaks: Array = field(init=False)  # (n,)

    def __post_init__(self) -> None:
        if self.method not in QUATERNION_METHODS:
            raise UnknownName("quaternion spline", self.method, QUATERNION_METHODS)
        keys = _keyframes(self.keyframes, 2)
        count = len(keys) - 1
        shares = (
            np.full(count, 1.0 / count)
            if self.proportions is None
            else np.array(self.proportions, dtype=float)
        )
        if shares.shape != (count,) or (shares <= 0.0).any() or abs(shares.sum() - 1.0) > 1e-9:
            raise InvalidInput(f"proportions {shares} must be {count} positive numbers with the sum 1")
        controls = np.stack([keys[:-1], keys[1:]], axis=1)
        if self.method == "bezier":
            controls = _bezier_controls(keys, shares, self.tangent_scale)
        elif self.method == "squad":
            controls = _squad_controls(keys, shares)
        breaks = np.concatenate([[0.0], np.cumsum(shares)])
        breaks[-1] = 1.0
        for name, array in (
            ("keyframes", keys),
            ("proportions", shares),
            ("controls", controls),
            ("breaks", breaks),
        ):
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @property
    def last(self) -> float:
        """Where the parameter ends."""
        return 1.0

    def derivatives(self, parameter: Array, order: int = 2) -> Array:
        """Quaternions and derivatives in eta (order + 1, k, 4), order at most 2."""
        eta = np.asarray(parameter, dtype=np.float64)
        piece = np.clip(np.searchsorted(self.breaks, eta, side="right") - 1, 0, len(self.proportions) - 1)
        share = self.proportions[piece]
        local = (eta - self.breaks[piece]) / share
        start, end = self.keyframes[piece], self.keyframes[piece + 1]
        if self.method in ("bezier", "squad"):
            curve = curves.bezier if self.method == "bezier" else curves.squad
            result = curve(start, self.controls[piece, 0], self.controls[piece, 1], end, local, order)
        else:
            simple = {"lerp": curves.lerp, "nlerp": curves.nlerp, "slerp": curves.slerp}[self.method]
            result = simple(start, end, local, order)
        return np.asarray(result / share[:, None] ** np.arange(order + 1)[:, None, None])

    def turned(self, turn: Array) -> QuaternionSpline:
        """The same spline seen from another frame."""
        return QuaternionSpline(
            self.method, quaternion_product(turn, self.keyframes), self.proportions, self.tangent_scale
        )


@dataclass(frozen=True, slots=True, eq=False)
class QuaternionBSpline:
    """A B-spline in the orientations over eta in [0, 1]: begins and ends at a control, passes by the others.

    controls (m, 4), norm one, signs are aligned. order k (degree k - 1, at most m): k - 2 times differentiable.
    knots: clamped, at equal distances, Seiwald 2023, (B.50)-(B.62).
    """

    controls: Array
    order: int = 4
    knots: Array = field(init=False)
    steps: Array = field(init=False)  # (m - 1, 4) logarithms

    def __post_init__(self) -> None:
        controls = _keyframes(self.controls, max(2, self.order))
        knots = clamped_knots(len(controls), self.order)
        steps = logarithm(quaternion_product(inverse(controls[:-1]), controls[1:]))
        steps[:, 0] = 0.0
        for name, array in (("controls", controls), ("knots", knots), ("steps", steps)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @property
    def last(self) -> float:
        """Where the parameter ends."""
        return 1.0

    def derivatives(self, parameter: Array, order: int = 2) -> Array:
        """Quaternions and derivatives in eta (order + 1, k, 4), any order.

        The factors Gamma = exp(Omega B) obey Gamma' = B' Omega Gamma; their derivatives and those of the product
        follow from Leibniz' rule, Seiwald 2023, (B.60)-(B.62). Factors that are done (B = 1) or still to come (B = 0)
        need no special case: their derivatives vanish.
        """
        order = checked_order(order)
        eta = np.atleast_1d(np.asarray(parameter, dtype=np.float64))
        angles = np.stack([cumulative_basis(self.knots, self.order, eta, d)[:, 1:] for d in range(order + 1)])
        result = np.zeros((order + 1, len(eta), 4))
        result[0] = self.controls[0]
        for i, step in enumerate(self.steps):
            angle = angles[:, :, i]
            factor = [exponential(angle[0][:, None] * step)]
            for d in range(1, order + 1):
                terms = [
                    comb(d - 1, j) * angle[j + 1][:, None] * quaternion_product(step, factor[d - 1 - j])
                    for j in range(d)
                ]
                factor.append(np.sum(terms, axis=0))
            result = np.stack(
                [
                    np.sum(
                        [comb(d, j) * quaternion_product(result[j], factor[d - j]) for j in range(d + 1)],
                        axis=0,
                    )
                    for d in range(order + 1)
                ]
            )
        return result

    def turned(self, turn: Array) -> QuaternionBSpline:
        """The same spline seen from another frame."""
        return QuaternionBSpline(quaternion_product(turn, self.controls), self.order)


@dataclass(frozen=True, slots=True, eq=False)
class CubicQuaternionSpline:
    """A chain of n B-splines of order 4 with four controls each; the parameter runs from 0 to n.

    controls (n, 4, 4), norm one. The signs of neighbours within a piece are aligned.
    """

    controls: Array
    steps: Array = field(init=False)  # (n, 3, 3) rotation vectors from control to control, rad

    def __post_init__(self) -> None:
        controls = np.array(self.controls, dtype=np.float64, order="C")
        if controls.ndim != 3 or controls.shape[1:] != (4, 4) or len(controls) == 0:
            raise InvalidInput(
                f"controls of shape {controls.shape}; there must be four (4, 4) for each piece"
            )
        norms = np.einsum("nij,nij->ni", controls, controls)
        if not np.all(np.abs(norms - 1.0) < 1e-6):
            raise InvalidInput(f"controls must be quaternions of norm one; squares of the norms: {norms}")
        flips = np.einsum("nij,nij->ni", controls[:, :-1], controls[:, 1:]) < 0.0
        if flips.any():
            controls[:, 1:] *= np.cumprod(np.where(flips, -1.0, 1.0), axis=1)[:, :, None]
        self._hold(controls)

    @classmethod
    def unchecked(cls, controls: Array) -> CubicQuaternionSpline:
        """The chain of controls that are not shared, have norm one and aligned signs: no copies, no checks."""
        chain = object.__new__(cls)
        chain._hold(controls)
        return chain

    def _hold(self, controls: Array) -> None:
        steps = np.asarray(control_steps(controls))
        controls.flags.writeable = steps.flags.writeable = False
        object.__setattr__(self, "controls", controls)
        object.__setattr__(self, "steps", steps)

    @property
    def last(self) -> float:
        """Where the parameter ends: the number of pieces."""
        return float(len(self.controls))

    def derivatives(self, parameter: Array, order: int = 2) -> Array:
        """Quaternions and derivatives (order + 1, k, 4), piece by piece: the reference for `turning_at`."""
        order = checked_order(order)
        parameter = np.atleast_1d(np.asarray(parameter, dtype=np.float64))
        piece = np.clip(np.floor(parameter).astype(int), 0, len(self.controls) - 1)
        result = np.empty((order + 1, len(parameter), 4))
        for index in np.unique(piece):
            here = piece == index
            result[:, here] = QuaternionBSpline(self.controls[index]).derivatives(
                parameter[here] - index, order
            )
        return result

    def turned(self, turn: Array) -> CubicQuaternionSpline:
        """The same chain seen from another frame."""
        return CubicQuaternionSpline(quaternion_product(turn, self.controls))


# Motion along chains of cubic B-splines


class Turning(NamedTuple):
    """An orientation that moves: angular velocity in rad/s and angular acceleration in rad/s2, parent axes."""

    quaternion: Quaternion
    angular_velocity: Vector3
    angular_acceleration: Vector3

    def turned_further(self, step: Vector3, share: Jet) -> Turning:
        """With a share of a rotation vector on top, in axes of its own: like the next joint of a serial chain."""
        axis = rotate_by_quaternion(self.quaternion, step)
        spin = share.rate * axis
        return Turning(
            quaternion_product(self.quaternion, quaternion_from_rotation_vector(share.value * step)),
            self.angular_velocity + spin,
            self.angular_acceleration + share.second * axis + cross(self.angular_velocity, spin),
        )


_AT_REST = np.zeros(3)


@routine
def turning_on_piece(first: Quaternion, steps: Matrix3, eta: Jet) -> Turning:
    """Motion on a piece: three turns about fixed axes, one on top of the other, Seiwald 2023, (B.58).

    first: its first control. steps: its rotation vectors from control to control. eta: parameter, from 0 to 1.
    """
    u, v = eta.value, 1.0 - eta.value
    basis = (  # running sums of B-splines with two derivatives in eta, Seiwald 2023, (B.54)
        Jet(1.0 - v * v * v, 3.0 * v * v, -6.0 * v),
        Jet(u * u * (3.0 - 2.0 * u), 6.0 * u * v, 6.0 - 12.0 * u),
        Jet(u * u * u, 3.0 * u * u, 6.0 * u),
    )
    turning = Turning(first, _AT_REST, _AT_REST)
    for step, sum in zip(steps, basis, strict=True):
        if step @ step > 0.0:
            in_time = Jet(sum.value, sum.rate * eta.rate, sum.second * eta.rate**2 + sum.rate * eta.second)
            turning = turning.turned_further(step, in_time)
    return turning


@routine
def turning_at(controls: ArrayOf[Quaternion], steps: ArrayOf[Matrix3], parameter: Jet) -> Turning:
    """Motion along a chain: controls (n, 4), steps (n,). parameter: its whole part is the number of the piece."""
    piece = min(max(int(np.floor(parameter.value)), 0), len(controls) - 1)
    # At rest at the end of a piece it may be a rounding error before the next one: both are the same there.
    inside = min(max(parameter.value - piece, 0.0), 1.0)
    return turning_on_piece(controls[piece, 0], steps[piece], Jet(inside, parameter.rate, parameter.second))


@routine
def control_steps(controls: ArrayOf[Quaternion]) -> ArrayOf[Vector3]:
    """Rotation vectors (n, 3) from each to the next of four controls (n, 4)."""
    result: ArrayOf[Vector3] = np.empty((len(controls), 3, 3))
    for i in range(len(controls)):
        for j in range(3):
            step = quaternion_product(quaternion_inverse(controls[i, j]), controls[i, j + 1])
            result[i, j] = rotation_vector_from_quaternion(step)
    return result


# Control points


def _keyframes(keyframes: Any, least: int) -> Array:
    keys = np.array(keyframes, dtype=np.float64)
    if keys.ndim != 2 or keys.shape[1] != 4 or len(keys) < least:
        raise InvalidInput(f"keyframes of shape {keys.shape}; there must be {least} quaternions (4,) or more")
    if not np.all(np.abs(modulus(keys) - 1.0) < 1e-6):
        raise InvalidInput(f"keyframes must have norm one; norms are {modulus(keys)}")
    return aligned(keys)


def _bezier_controls(keys: Array, shares: Array, tangent_scale: float) -> Array:
    """Inner points (n - 1, 2, 4) that make a chain of Bezier curves once differentiable.

    Seiwald 2023, (B.44), (B.45).
    """
    after = keys.copy()
    before, here, following = keys[:-2], keys[1:-1], keys[2:]
    after[1:-1] = normalised(2 * dot(before, here)[:, None] * here - before + following)
    tangents = logarithm(quaternion_product(after, conjugate(keys)))
    after = quaternion_product(exponential(tangent_scale * tangents), keys)
    ratio = shares[:-1] / shares[1:]
    arriving = keys[1:].copy()
    turn = logarithm(quaternion_product(after[1:-1], conjugate(keys[1:-1])))
    arriving[:-1] = quaternion_product(conjugate(exponential(ratio[:, None] * turn)), keys[1:-1])
    return np.stack([after[:-1], arriving], axis=1)


def _squad_controls(keys: Array, shares: Array) -> Array:
    """Inner points (n - 1, 2, 4) of SQUAD for any proportions, Seiwald 2023, (B.48), (B.49)."""
    inner = keys.copy()
    arriving = keys.copy()
    here = conjugate(keys[1:-1])
    ahead = logarithm(quaternion_product(here, keys[2:]))
    back = logarithm(quaternion_product(here, keys[:-2]))
    first, second = shares[:-1, None], shares[1:, None]
    drawn = quaternion_product(
        keys[1:-1], exponential(-(first * ahead + second * back) / (2 * (first + second)))
    )
    inner[1:-1] = drawn
    arriving[1:-1] = drawn
    return np.stack([inner[:-1], arriving[1:]], axis=1)
