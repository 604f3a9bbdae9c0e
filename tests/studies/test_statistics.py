"""Intervals: against printed values, and by how often they hold the truth."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.studies import mean_interval, median_interval, share_interval


def test_shares_as_printed() -> None:
    # Rule of three's exact form: none of n succeeded, the upper end is 1 - (alpha / 2)^(1/n).
    none = share_interval(0, 20, 0.9)
    assert none.low == 0.0
    assert none.high == pytest.approx(1.0 - 0.05 ** (1 / 20), abs=1e-12)
    # Clopper and Pearson for 15 of 20 at 95 %: 0.5090 to 0.9134.
    some = share_interval(15, 20, 0.95)
    assert (some.low, some.high) == pytest.approx((0.5090, 0.9134), abs=1e-4)
    assert share_interval(0, 0) == pytest.approx((np.nan, 0.0, 1.0), nan_ok=True)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(11)
    trials, confidence = 2000, 0.9
    median = mean = share = 0
    for _ in range(trials):
        samples = rng.exponential(size=20)  # median log 2
        found = median_interval(samples, confidence)
        median += found.low <= np.log(2.0) <= found.high
        normal = mean_interval(rng.normal(3.0, 2.0, 8), confidence)
        mean += normal.low <= 3.0 <= normal.high
        counted = share_interval(int(rng.binomial(20, 0.7)), 20, confidence)
        share += counted.low <= 0.7 <= counted.high
    deviation = np.sqrt(0.9 * 0.1 / trials)
    assert mean / trials == pytest.approx(0.9, abs=5 * deviation)
    # These two are never too narrow; the median's is 1 - 2 P(B(20, 1/2) < 6) = 0.9586.
    assert median / trials == pytest.approx(0.9586, abs=5 * deviation)
    assert share / trials > 0.9 - 5 * deviation


def test_few_samples_bound_nothing() -> None:
    assert median_interval(np.array([1.0, 2.0, 3.0]), 0.9)[1:] == (-np.inf, np.inf)
    assert mean_interval(np.array([1.0]))[1:] == (-np.inf, np.inf)
