"""How results are compared: normwise, relative to the size of what the peer says."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import InvalidInput


def relative_error(actual: ArrayLike, expected: ArrayLike, *, scale: float = 0.0) -> float:
    """`|actual - expected| / max(|expected|, scale)` in the Frobenius norm; NaN counts as infinite.

    scale: the size of the terms that cancel where the expected value may vanish.
    """
    actual, expected = np.asarray(actual, dtype=float), np.asarray(expected, dtype=float)
    if actual.shape != expected.shape:
        raise InvalidInput(f"shape {actual.shape}, expected {expected.shape}")
    error = float(np.linalg.norm(actual - expected))
    size = max(float(np.linalg.norm(expected)), scale)
    if error == 0.0:
        return 0.0
    return error / size if size > 0.0 and np.isfinite(error) else np.inf
