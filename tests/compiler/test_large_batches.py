"""Batches whose results do not fit into the caches go around them: the same bits, nothing beyond their rows."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.compiler import batches, build_kernel

OUTPUTS = 300  # two parts of a long row


def spread(x: Array) -> Array:
    return np.array([x[k % 3] * (k + 1.0) for k in range(OUTPUTS)])


@pytest.mark.parametrize("shift", range(8))
@pytest.mark.parametrize("rows", [1, 13, 64])
def test_rows_that_go_around_the_caches(rows: int, shift: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a row begins: vectors fit at every eighth number only."""
    kernel = build_kernel(spread, {"x": 3}, name="spread")
    x = np.random.default_rng(rows).normal(size=(rows, 3))
    room = np.full(rows * OUTPUTS + 16, -7.0)
    into = room[shift : shift + rows * OUTPUTS].reshape(rows, OUTPUTS)
    monkeypatch.setattr(batches, "_CACHES", 0)
    kernel.batch(x, out=(into,), threads=1)
    assert np.array_equal(into, np.array([kernel(row) for row in x]))
    assert (room[:shift] == -7.0).all()
    assert (room[shift + rows * OUTPUTS :] == -7.0).all()
    monkeypatch.setattr(batches, "_CACHES", 1 << 40)
    assert np.array_equal(kernel.batch(x), into)
