"""Which configurations of a chain are tried: the source's grid, random ones, or Sobol points."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import routine
from footfall.errors import InvalidInput
from footfall.workspace.chain import ArmChain

METHODS = ("random", "sobol", "grid")
PART = 2**21  # samples that are computed, kept and sent as one
_MOST_SAMPLES = 2**53  # samples: their numbers are exact in floats


@dataclass(frozen=True)
class Samples:
    """All samples of an analysis, in parts that do not know each other. counts: (n,) of a grid, else empty."""

    method: str
    total: int
    seed: int
    counts: tuple[int, ...] = ()

    @property
    def parts(self) -> int:
        """How many there are."""
        return -(-self.total // PART)

    def size(self, part: int) -> int:
        """Samples of a part."""
        return min(PART, self.total - part * PART)

    def shares(self, part: int, joints: int) -> Array:
        """Shares (size, n) of the joints' ranges, from 0 to 1."""
        size = self.size(part)
        if self.method == "grid":
            shares = np.empty((size, joints))
            _grid(np.array(self.counts), part * PART, shares)
            return shares
        if self.method == "sobol":
            from scipy.stats import qmc

            # Each part is scrambled by itself: no part has to count through those before it.
            engine = qmc.Sobol(joints, rng=np.random.default_rng([self.seed, part]))
            return np.ascontiguousarray(engine.random_base2((size - 1).bit_length())[:size])
        return np.random.default_rng([self.seed, part]).random((size, joints))


def sample_counts(chain: ArmChain, step: float) -> tuple[int, ...]:
    """How many samples each joint gets so that none moves the hand by more than a step, m, at its farthest.

    Chords for joints that turn, Seiwald 2023, footnote 38; lengths for those that slide.
    """
    if not 0.0 < step < math.inf:
        raise InvalidInput(f"step is {step}; the hand moves by a step from one sample to the next, in m")
    ranges = chain.upper - chain.lower
    chords = 2.0 * chain.levers * np.sin(np.minimum(ranges, np.pi) / 2.0)
    ways = np.where(chain.slides, ranges, chords)
    return tuple(max(1, math.ceil(way / step - 1e-9)) for way in ways.tolist())


def plan_samples(
    chain: ArmChain, method: str, *, total: int | None = None, step: float | None = None, seed: int = 0
) -> Samples:
    """Samples of a chain: `total` random or Sobol ones, or the grid of a step, m."""
    if method not in METHODS:
        raise InvalidInput(f"method is {method!r}; it must be one of: {', '.join(METHODS)}")
    if not 0 <= seed < 2**63:
        raise InvalidInput(f"seed is {seed}; it must be from 0 to 2^63 - 1")
    if method == "grid":
        if step is None:
            raise InvalidInput("a grid needs `step`: how far the hand moves between two samples, in m")
        counts = sample_counts(chain, step)
        total = math.prod(counts)
        if total > _MOST_SAMPLES:
            message = f"a grid of {step:g} m has {total:.3g} samples, {counts} of the joints"
            raise InvalidInput(f"{message}; choose a larger step or another method")
        return Samples(method, total, seed, counts)
    if step is not None:
        raise InvalidInput(f"step is for grids; {method} samples have a `total`")
    if total is None or not 1 <= total <= _MOST_SAMPLES:
        raise InvalidInput(f"total is {total}; it must be from 1 to 2^53 samples")
    return Samples(method, total, seed)


@routine
def _grid(counts: Integers, first: int, shares: Array) -> None:
    """Samples of a grid from the first on, each in the middle of its share; the last joint goes fastest."""
    joints = len(counts)
    number = np.zeros(joints, dtype=np.int64)
    rest = first
    for k in range(joints):
        i = joints - 1 - k
        number[i] = rest % counts[i]
        rest = rest // counts[i]
    for row in range(len(shares)):
        for i in range(joints):
            shares[row, i] = (number[i] + 0.5) / counts[i]
        i = joints - 1
        number[i] += 1
        while i > 0 and number[i] == counts[i]:
            number[i] = 0
            i -= 1
            number[i] += 1
