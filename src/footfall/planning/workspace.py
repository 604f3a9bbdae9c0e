"""Large arrays that are used again for every plan of a thread: new memory would cost more than the search."""

from __future__ import annotations

import math
import mmap
import threading
from typing import Any

import numpy as np

_ARRAYS = threading.local()


def workspace(name: str, shape: tuple[int, ...], dtype: Any, *, zeroed: bool = True) -> Any:
    """The array of a name: valid until the same thread asks for it again. zeroed: whether all is set to zero; else it
    holds anything."""
    count = math.prod(shape)
    arrays: dict[str, Any] = _ARRAYS.__dict__
    kept = arrays.get(name)
    if kept is None or kept.dtype != dtype or len(kept) < count:
        arrays[name] = kept = _small_pages(count, dtype)
    elif zeroed:
        kept[:count] = 0
    return kept[:count].reshape(shape)


def _small_pages(count: int, dtype: Any) -> Any:
    """New zeros. A search touches a few thousand places all over hundreds of megabytes: with pages of 2 MB, which NumPy
    asks for, the first plan in a building spent 0.3 s on clearing memory that it never used."""
    size = max(count * np.dtype(dtype).itemsize, 1)
    memory = mmap.mmap(-1, size)
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        memory.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(memory, dtype, count)


def release_workspace() -> None:
    """Give the memory of this thread back."""
    _ARRAYS.__dict__.clear()
