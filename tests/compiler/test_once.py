"""Two threads that make a value side by side get the same one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from footfall.compiler.once import once, once_property


def _from_two_threads(ask: Callable[[], object]) -> list[object]:
    with ThreadPoolExecutor(2) as pool:
        return [future.result() for future in [pool.submit(ask) for _ in range(2)]]


def _made_together() -> Callable[[], object]:
    """Makes a new object when two threads are at it."""
    both = threading.Barrier(2, timeout=240.0)

    def make() -> object:
        both.wait()
        return object()

    return make


def test_a_function_gives_one_value_to_all() -> None:
    value = once(_made_together())
    first, second = _from_two_threads(value)
    assert first is second is value()


def test_a_property_gives_one_value_to_all() -> None:
    make = _made_together()

    class Owner:
        @once_property
        def value(self) -> object:
            return make()

    owner = Owner()
    first, second = _from_two_threads(lambda: owner.value)
    assert first is second is owner.value
