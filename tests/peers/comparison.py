"""How results are compared: normwise, relative to the size of what the peer says."""

from __future__ import annotations

from numpy.typing import ArrayLike

from footfall.bench.agreement import relative_error


def assert_agree(actual: ArrayLike, expected: ArrayLike, tolerance: float, *, scale: float = 0.0) -> None:
    """Fail unless the normwise relative error is at most `tolerance`."""
    error = relative_error(actual, expected, scale=scale)
    assert error <= tolerance, f"relative error {error:.2e} above {tolerance:.0e}\n{actual}\n{expected}"
