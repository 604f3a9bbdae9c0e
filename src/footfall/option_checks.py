"""Checks that records of options make of themselves: the errors name the option, its value and what is right."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, get_args

import numpy as np

from footfall.errors import InvalidInput


def require_above_zero(
    record: Any, *names: str, of: str = "", error: Callable[[str], Exception] = InvalidInput
) -> None:
    """Finite numbers above zero, as attributes of a record or under names; of: what they belong to, for the message."""
    for name in names or record:
        value = getattr(record, name) if names else record[name]
        if not 0.0 < value < math.inf:
            raise error(f"{name}{of} is {value}; it must be finite and above zero")


def require_not_negative(record: Any, *names: str) -> None:
    """Numbers that are zero or above; None, where an option may be left open, passes."""
    for name in names:
        value = getattr(record, name)
        if value is not None and not value >= 0:
            raise InvalidInput(f"{name} is {value}; it must not be negative")


def require_switch(record: Any, *names: str) -> None:
    """True or False, and nothing that only counts as such."""
    for name in names:
        if not isinstance(getattr(record, name), bool | np.bool_):
            raise InvalidInput(f"{name} is {getattr(record, name)!r}; it must be True or False")


def require_choice(record: Any, **kinds: Any) -> None:
    """One of the texts of a `Literal`, by name of the option."""
    for name, kind in kinds.items():
        if getattr(record, name) not in get_args(kind):
            allowed = ", ".join(get_args(kind))
            raise InvalidInput(f"{name} is {getattr(record, name)!r}; it must be one of: {allowed}")


def require_record(record: Any, **kinds: type) -> None:
    """A record of options of that kind, not a number or a dictionary."""
    for name, kind in kinds.items():
        if not isinstance(getattr(record, name), kind):
            raise InvalidInput(
                f"{name} is {getattr(record, name)!r}; it must be a {kind.__name__}: {name}={kind.__name__}(...)"
            )
