"""Which rows of a value a task is about, by axes: "x", "y", "z" along them, "rx", "ry", "rz" about them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from footfall.arrays import Array
from footfall.control.requests import checked_array
from footfall.errors import InvalidInput

AXES = ("x", "y", "z", "rx", "ry", "rz")
LINEAR, ANGULAR = AXES[:3], AXES[3:]


def chosen_rows(rows: str | Sequence[str], names: Sequence[str], label: str) -> tuple[str, ...]:
    """Names of rows, from a sequence of them or a word such as "xz"."""
    chosen = tuple(rows)
    if not chosen or not set(chosen) <= set(names) or len(set(chosen)) != len(chosen):
        wanted = repr("".join(names)) if len("".join(names)) == len(names) else ", ".join(names)
        raise InvalidInput(f"{label}: rows are {rows!r}; they must be some of {wanted}, each once")
    return chosen


def row_places(rows: Sequence[str], names: Sequence[str]) -> list[int]:
    """Where chosen rows stand among all."""
    return [names.index(row) for row in rows]


def unit_vector(value: Any, what: str) -> Array:
    """A read-only unit vector (3,)."""
    vector = checked_array(what, value, (3,))
    norm = math.hypot(*vector)  # squares may overflow
    if not 1e-12 <= norm < math.inf:
        raise InvalidInput(f"{what} is {vector.tolist()}; it must have a direction, (0, 0, 1) say")
    return checked_array(what, vector / norm, (3,))
