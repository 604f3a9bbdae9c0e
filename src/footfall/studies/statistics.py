"""How sure a study is: intervals of shares, means and medians."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array


class Interval(NamedTuple):
    """A value, and between which ones it lies with some confidence."""

    value: float
    low: float
    high: float


def share_interval(successes: int, runs: int, confidence: float = 0.9) -> Interval:
    """A probability from how often something happened (Clopper and Pearson 1934): never too narrow."""
    from scipy.stats import beta

    if runs == 0:
        return Interval(float("nan"), 0.0, 1.0)
    tail = (1.0 - confidence) / 2.0
    low = 0.0 if successes == 0 else float(beta.ppf(tail, successes, runs - successes + 1))
    high = 1.0 if successes == runs else float(beta.ppf(1.0 - tail, successes + 1, runs - successes))
    return Interval(successes / runs, low, high)


def mean_interval(values: Array, confidence: float = 0.9) -> Interval:
    """The mean of a normal distribution from samples (Student 1908)."""
    from scipy.stats import t

    count, mean = len(values), float(np.mean(values)) if len(values) else float("nan")
    if count < 2:
        return Interval(mean, -np.inf, np.inf)
    half = float(t.ppf(0.5 + confidence / 2.0, count - 1)) * float(np.std(values, ddof=1)) / np.sqrt(count)
    return Interval(mean, mean - half, mean + half)


def median_interval(values: Array, confidence: float = 0.9) -> Interval:
    """The median of any distribution, between two of the sorted samples.

    How many samples lie below the median is binomial with 1/2, so the k-th from either end enclose it with the
    probability 1 - 2 P(B < k). With too few samples for the confidence the interval is not bounded.
    """
    from scipy.stats import binom

    ordered = np.sort(np.asarray(values, dtype=float))
    count = len(ordered)
    if count == 0:
        return Interval(float("nan"), -np.inf, np.inf)
    below = int(binom.ppf((1.0 - confidence) / 2.0, count, 0.5))  # largest k with P(B < k) <= the tail
    median = float(np.median(ordered))
    if below == 0:
        return Interval(median, -np.inf, np.inf)
    return Interval(median, float(ordered[below - 1]), float(ordered[count - below]))
