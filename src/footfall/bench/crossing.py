"""Where a contestant that is slower at first becomes the faster one, and stays it."""

from __future__ import annotations

from collections.abc import Sequence


def crossing(places: Sequence[float], gains: Sequence[float]) -> float | None:
    """Place from which on the gain is at least zero, linear between two places; None if it does not end so.

    places: in ascending order. gains: one at each, such as logarithms of ratios of times.
    """
    if not places or gains[-1] < 0.0:
        return None
    last = max((k for k, gain in enumerate(gains) if gain < 0.0), default=None)
    if last is None:
        return places[0]
    x0, x1 = places[last : last + 2]
    y0, y1 = gains[last : last + 2]
    return x0 - y0 * (x1 - x0) / (y1 - y0)
