"""Modes of linear vibrations `M x'' + C x' + K x = f`: from the matrices, and from measured frequency responses.

A mode swings at `s = -damping w + i w sqrt(1 - damping^2)`. Experimental modal analysis goes the other way: a shaker
pushes, accelerometers tell the response at each frequency, and poles and shapes are fitted to these curves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eig
from scipy.optimize import least_squares

from footfall.arrays import Array
from footfall.errors import RobotError

_STILL = 1e-6  # of the fastest eigenvalue: slower ones are rigid motion, double and so known to half the digits only
_FINE = 1e-12


@dataclass(frozen=True, eq=False)
class Mode:
    """frequency: Hz, of the mode without its damping. damping: ratio, 1 is critical. shape: (n,), complex.

    Of matrices the shape is that of the coordinates, its largest entry 1; of measurements the residue of each response.
    """

    frequency: float
    damping: float
    shape: Array

    @property
    def pole(self) -> complex:
        """s, 1/s, with the positive imaginary part."""
        w = 2.0 * np.pi * self.frequency
        return complex(-self.damping * w, w * np.sqrt(max(0.0, 1.0 - self.damping**2)))


def vibration_modes(mass: Array, damping: Array, stiffness: Array) -> list[Mode]:
    """Modes of `M x'' + C x' + K x = 0` with matrices (n, n), slowest first; without rigid and creeping motion.

    Creeping are pairs of real eigenvalues: what is damped so much that it does not swing.
    """
    matrices = [
        _square(name, each) for name, each in (("mass", mass), ("damping", damping), ("stiffness", stiffness))
    ]
    m, c, k = matrices
    n = len(m)
    if c.shape != m.shape or k.shape != m.shape:
        raise RobotError(
            f"mass is {m.shape}, damping {c.shape}, stiffness {k.shape}; they must be of one size"
        )
    first = np.block([[np.zeros((n, n)), np.eye(n)], [-k, -c]])
    second = np.block([[np.eye(n), np.zeros((n, n))], [np.zeros((n, n)), m]])
    values, vectors = eig(first, second)
    fastest = np.abs(values).max(initial=0.0)
    modes = []
    for value, vector in zip(values, vectors.T, strict=True):
        if value.imag > _STILL * fastest:
            shape = vector[:n] / vector[:n][np.abs(vector[:n]).argmax()]
            modes.append(Mode(float(abs(value)) / (2.0 * np.pi), float(-value.real / abs(value)), shape))
    return sorted(modes, key=lambda mode: mode.frequency)


def frequency_response(mass: Array, damping: Array, stiffness: Array, frequencies: Array) -> Any:
    """Complex displacements (f, n, n), m/N or rad/(N m), of all coordinates by unit forces at frequencies (f,), Hz."""
    m, c, k = (_square("matrix", each) for each in (mass, damping, stiffness))
    s = 2j * np.pi * np.asarray(frequencies, dtype=np.float64)[:, None, None]
    return np.linalg.inv(m * s * s + c * s + k)


def identify_modes(frequencies: Array, responses: Any, count: int, *, order: int | None = None) -> list[Mode]:
    """Modes that explain measured displacements (f, n), complex, at frequencies (f,), Hz; slowest first.

    responses: to one shaker, m/N, (f,) or (f, n); divide accelerations by -(2 pi frequency)^2. count: of modes in the
    band. order: of the denominator of the first fit, by default 2 count + 6; more helps where modes outside of the band
    are near. First a common denominator is found by linear least squares in z = exp(i w dt) (Guillaume and others
    2003), then poles, residues and what lies outside of the band are fitted together.
    """
    at, seen = np.asarray(frequencies, dtype=np.float64), np.asarray(responses, dtype=np.complex128)
    seen = seen[:, None] if seen.ndim == 1 else seen
    if at.ndim != 1 or seen.ndim != 2 or len(at) != len(seen) or not np.isfinite(seen).all():
        raise RobotError(
            f"frequencies are {at.shape}, responses {seen.shape}; they must be finite, (f,) and (f, n)"
        )
    if not (len(at) >= 2 * count + 4 and count >= 1 and (at > 0.0).all() and (np.diff(at) > 0.0).all()):
        raise RobotError(
            f"{len(at)} frequencies for {count} modes; there must be 2 count + 4 at least, above zero and rising"
        )
    s = 2j * np.pi * at
    poles = _best_poles(
        s, seen, _denominator_poles(at, seen, 2 * count + 6 if order is None else order), count
    )
    start = np.concatenate([np.log(-poles.real), np.log(poles.imag)])
    scale = _largest(seen)

    def misfit(parameters: Array) -> Array:
        difference = (_explained(s, seen, _poles(parameters))[0] - seen) / scale
        return np.concatenate([difference.real.ravel(), difference.imag.ravel()])

    found = _poles(least_squares(misfit, start, x_scale="jac", xtol=_FINE, ftol=_FINE, gtol=_FINE).x)
    residues = _explained(s, seen, found)[1]
    modes = [
        Mode(float(abs(pole)) / (2.0 * np.pi), float(-pole.real / abs(pole)), residue)
        for pole, residue in zip(found, residues, strict=True)
    ]
    return sorted(modes, key=lambda mode: mode.frequency)


def _largest(seen: Any) -> Array:
    """Of each response (n,), so that all count alike; but those in a node, which only rounding moves, count nothing."""
    largest = np.abs(seen).max(axis=0)
    most = largest.max(initial=0.0)
    if most == 0.0:
        raise RobotError("all responses are zero; a shaker must move something")
    return np.where(largest > 1e-9 * most, largest, most)


def _poles(parameters: Array) -> Any:
    half = len(parameters) // 2
    return -np.exp(parameters[:half]) + 1j * np.exp(parameters[half:])


def _denominator_poles(at: Array, seen: Any, order: int) -> Any:
    """Poles of a common denominator of all responses, by linear least squares in z: numbers stay of one size there."""
    period = 0.5 / (1.05 * at[-1])
    z = np.exp(2j * np.pi * at * period)
    powers = z[:, None] ** np.arange(order + 1)
    weight = 1.0 / _largest(seen)
    reduced = np.zeros((order + 1, order + 1))
    for column, share in zip(seen.T, weight, strict=True):
        numerator = np.concatenate([powers.real, powers.imag]) * share
        product = -column[:, None] * powers * share
        denominator = np.concatenate([product.real, product.imag])
        left = denominator - numerator @ np.linalg.lstsq(numerator, denominator, rcond=None)[0]
        reduced += left.T @ left
    known = -reduced[:order, order]
    coefficients = np.append(np.linalg.lstsq(reduced[:order, :order], known, rcond=None)[0], 1.0)
    roots = np.roots(coefficients[::-1])
    poles = np.log(roots[np.abs(roots) > 0.0]) / period
    poles = np.where(poles.real > 0.0, -poles.conj(), poles)  # noise may turn a weakly damped pole round
    return poles[(poles.imag > 0.5 * 2 * np.pi * at[0]) & (poles.imag < 2 * np.pi * at[-1])]


def _best_poles(s: Any, seen: Any, poles: Any, count: int) -> Any:
    """Those without which the responses are explained worst, one after the other."""
    if len(poles) < count:
        raise RobotError(
            f"only {len(poles)} poles are in the band; ask for fewer modes, or measure more frequencies"
        )
    kept = list(poles)
    while len(kept) > count:
        without = [
            np.abs(_explained(s, seen, np.array(kept[:k] + kept[k + 1 :]))[0] - seen).sum()
            for k in range(len(kept))
        ]
        kept.pop(int(np.argmin(without)))
    damped = np.array(kept)
    return np.minimum(damped.real, -1e-6 * np.abs(damped)) + 1j * damped.imag


def _explained(s: Any, seen: Any, poles: Sequence[complex] | Any) -> tuple[Any, Any]:
    """Responses that poles explain best, with residues (m, n); slower and faster modes as 1 / s^2 and a constant."""
    poles = np.asarray(poles)
    one, other = 1.0 / (s[:, None] - poles), 1.0 / (s[:, None] - poles.conj())
    outside = np.stack([1.0 / s**2, np.ones_like(s)], axis=1)
    basis = np.concatenate([one + other, 1j * (one - other), outside], axis=1)
    stacked = np.concatenate([basis.real, basis.imag])
    size = np.linalg.norm(stacked, axis=0)
    shares = (
        np.linalg.lstsq(stacked / size, np.concatenate([seen.real, seen.imag]), rcond=None)[0] / size[:, None]
    )
    residues = shares[: len(poles)] + 1j * shares[len(poles) : 2 * len(poles)]
    return basis @ shares, residues


def _square(name: str, matrix: Array) -> Array:
    array = np.asarray(matrix, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not np.isfinite(array).all():
        raise RobotError(f"{name} is {array.shape}; it must be a square matrix of finite numbers")
    return array
