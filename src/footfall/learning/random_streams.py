"""Random numbers in lanes: each row has a stream of its own, which no other row, thread or batch size touches.

MRG32k3a (L'Ecuyer 1999): two recursions of order three whose products stay below 2^53, so that they are exact in
doubles, in one lane or in eight; its period is 2^191. A row's six numbers come from NumPy's `SeedSequence`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import floor, where

_M1, _M2 = 4294967087.0, 4294944443.0
_A12, _A13, _A21, _A23 = 1403580.0, 810728.0, 527612.0, 1370589.0
STREAM = 6  # numbers that a stream is


def streams(seeds: Sequence[int]) -> Array:
    """Streams (n, 6) of seeds (n,)."""
    result = np.empty((len(seeds), STREAM))
    for k, seed in enumerate(seeds):
        words = np.random.SeedSequence(seed).generate_state(STREAM, np.uint64)
        result[k, :3], result[k, 3:] = words[:3] % np.uint64(_M1), words[3:] % np.uint64(_M2)
        result[k, [0, 3]] = np.maximum(result[k, [0, 3]], 1.0)  # not all of a recursion may be zero
    return result


class Draw:
    """Draws from a stream (6,), of numbers or of symbols; `stream` is what comes after the last one."""

    def __init__(self, stream: Array) -> None:
        self.stream = list(stream)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: int | None = None) -> Any:
        """Between low and high: one number, or (size,) of them."""
        if size is None:
            return low + (high - low) * self._next()
        return np.array([low + (high - low) * self._next() for _ in range(size)])

    def sign(self) -> Any:
        """-1 or 1."""
        return where(self._next() < 0.5, -1.0, 1.0)

    def _next(self) -> Any:
        """In (0, 1)."""
        a, b, c, d, e, f = self.stream
        first = _modulo(_A12 * b - _A13 * a, _M1)
        second = _modulo(_A21 * f - _A23 * d, _M2)
        self.stream = [b, c, first, e, f, second]
        difference = first - second
        return where(difference > 0.0, difference, difference + _M1) * (1.0 / (_M1 + 1.0))


def _modulo(product: Any, modulus: float) -> Any:
    """Of an exact product; the quotient by the reciprocal may be one too large or too small."""
    rest = product - floor(product * (1.0 / modulus)) * modulus
    rest = where(rest < 0.0, rest + modulus, rest)
    return where(rest >= modulus, rest - modulus, rest)
