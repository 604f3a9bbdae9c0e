"""Types of arrays, for annotations; shapes stand in docstrings.

Inside a trace the entries of an `Array` are symbols instead of numbers; to the type checker they are numbers all the
same, as one function serves both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["Array", "Flags", "Integers"]

Array = np.ndarray[Any, np.dtype[np.float64]]
Integers = np.ndarray[Any, np.dtype[np.int64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]
