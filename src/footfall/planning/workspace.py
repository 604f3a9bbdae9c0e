"""Large arrays that are used again for every plan of a thread: new memory would cost more than the search."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np

_KEPT = threading.local()


def workspace(name: str, shape: tuple[int, ...], dtype: Any, *, zeroed: bool = True) -> Any:
    """The array of a name: valid until the same thread asks for it again. zeroed: whether all is set to zero; else it
    holds anything."""
    count = math.prod(shape)
    arrays: dict[str, Any] = _KEPT.__dict__
    kept = arrays.get(name)
    if kept is None or kept.dtype != dtype or len(kept) < count:
        arrays[name] = kept = np.zeros(count, dtype)
    elif zeroed:
        kept[:count] = 0
    return kept[:count].reshape(shape)


def release_workspace() -> None:
    """Give the memory of this thread back."""
    _KEPT.__dict__.clear()
