"""Streams of random numbers in lanes."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.compiler import build_kernel
from footfall.learning.random_streams import Draw, streams


def exact(stream, count):
    """MRG32k3a in whole numbers (L'Ecuyer 1999, figure 1)."""
    a, b, c, d, e, f = (int(value) for value in stream)
    m1, m2 = 4294967087, 4294944443
    result = []
    for _ in range(count):
        first, second = (1403580 * b - 810728 * a) % m1, (527612 * f - 1370589 * d) % m2
        a, b, c, d, e, f = b, c, first, e, f, second
        difference = first - second
        result.append((difference if difference > 0 else difference + m1) / (m1 + 1))
    return result


def test_first_number_of_the_generator():
    # L'Ecuyer's package starts from 12345 six times; its first number is 0.1270111220.
    assert Draw(np.full(6, 12345.0)).uniform() == pytest.approx(0.1270111220, abs=1e-10)


def test_lanes_are_exact():
    def drawn(stream):
        draw = Draw(stream)
        return {"numbers": draw.uniform(size=50), "stream_after": np.array(draw.stream)}

    kernel = build_kernel(drawn, {"stream": 6})
    seeds = [*range(30), 2**63 - 1, 987654321]
    numbers, after = kernel(streams(seeds))
    for seed, row, following in zip(seeds, numbers, after, strict=True):
        # Equal to the bit but for the last product, which is one rounding.
        np.testing.assert_allclose(row, exact(streams([seed])[0], 50), rtol=3e-16, atol=0)
        assert np.array_equal(following, np.round(following))


def test_rows_are_uniform_and_not_related():
    draw = Draw(streams(range(20000)).T)
    numbers = np.array([draw.uniform(-1.0, 3.0) for _ in range(20)])
    # Mean 1 and variance 16/12 of a uniform number; 4 sigma of their estimates.
    count = numbers.size
    assert abs(numbers.mean() - 1.0) < 4 * np.sqrt(16 / 12 / count)
    assert abs(numbers.var() - 16 / 12) < 4 * np.sqrt(16**2 / 180 / count)
    relations = np.corrcoef(numbers)
    assert np.abs(relations - np.eye(20)).max() < 5 / np.sqrt(20000)
