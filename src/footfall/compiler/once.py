"""Values that all threads share: whoever comes first, everybody gets the same one.

`functools.cache` and `cached_property` let two threads make a value side by side, and hand out both. Of native code
that must not be: others keep its address only, and it goes with the value that was forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

T = TypeVar("T")


def once(make: Callable[[], T]) -> Callable[[], T]:
    """A function whose value is made when it is first called."""
    kept: dict[str, T] = {}

    def value() -> T:
        # Atomic: of two values the first counts, and nobody has seen the other.
        return kept["value"] if kept else kept.setdefault("value", make())

    value.__doc__, value.__name__ = make.__doc__, make.__name__
    return value


class once_property(cached_property[T]):
    """A property whose value is made when it is first asked for."""

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        assert self.attrname is not None
        return instance.__dict__.setdefault(self.attrname, self.func(instance))
