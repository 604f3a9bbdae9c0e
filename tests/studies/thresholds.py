"""A function to study whose answers are known: each seed has a threshold of its own."""

from __future__ import annotations

import os
import time

import numpy as np


def threshold(seed: int, offset: float = 0.0) -> float:
    """Where a seed begins to fail."""
    return float(np.random.default_rng([seed, 7]).normal(5.0, 1.0)) + offset


def stands(push: float, seed: int, offset: float = 0.0) -> dict[str, float | bool]:
    return {"success": push < threshold(seed, offset), "left": threshold(seed, offset) - push}


def slow_square(x: float, seed: int) -> dict[str, float]:
    time.sleep(0.02)
    return {"square": x * x, "seed_again": float(seed)}


def fails_at_two(x: float) -> float:
    if x == 2.0:
        raise ArithmeticError("two is too many")
    return x


def kills_its_worker(x: float) -> float:
    if x == 2.0:
        os._exit(9)
    return x


def returns_an_object(x: float) -> object:
    return object()


def stands_at(x: float) -> dict[str, float | str]:
    """With much to keep."""
    return {"value": x, "text": "much to keep " * 20}


class _Interrupts(dict[str, float]):
    """A function that Ctrl-C comes to at one value. called: with which values."""

    def __init__(self) -> None:
        self.called: list[float] = []

    def measure(self, x: float) -> float:
        self.called.append(x)
        if x == self["x"]:
            raise KeyboardInterrupt
        return x


interrupts_at = _Interrupts()


def bowl(a: float = 8.0, b: float = -0.5, *, side: float, seed: int) -> dict[str, float | bool]:
    """Least at a = 3, b = 0.5. luck: noise that is new for all parameters and seeds."""
    noise = 0.1 * float(np.random.default_rng([seed, 3]).normal())
    luck = float(np.random.default_rng([seed, int(1e6 * a), int(1e6 * (b + 2.0))]).normal())
    value = (a - 3.0) ** 2 + (b - 0.5) ** 2 + noise + side
    return {"success": abs(a - 3.0) < 2.0, "value": value, "luck": luck}
