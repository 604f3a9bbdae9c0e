"""How far to go along a direction: Armijo's rule and Wolfe's conditions (Schwienbacher 2014, chapter 4).

`along(step)` gives the cost and its derivative at a step length. Both searches start at the whole step.
"""

from __future__ import annotations

from collections.abc import Callable

from footfall.errors import NoDescent

Along = Callable[[float], tuple[float, float]]


def armijo(
    along: Along, cost: float, slope: float, *, decrease: float = 1e-4, shrink: float = 0.5, most: int = 40
) -> float:
    """A step that lowers the cost by at least `decrease` times what its slope promises.

    cost, slope: at step zero. shrink: factor between steps tried, at most `most` of them.
    """
    step = 1.0
    if slope < 0.0:
        for _ in range(most):
            if along(step)[0] <= cost + decrease * step * slope:
                return step
            step *= shrink
    raise NoDescent(slope, most)


def wolfe(
    along: Along,
    cost: float,
    slope: float,
    *,
    decrease: float = 1e-4,
    curvature: float = 0.9,
    most: int = 40,
) -> float:
    """A step that fulfils the strong Wolfe conditions: low enough, and flatter than `curvature` times the start.

    cost, slope: at step zero. First a bracket is found by doubling, then it is narrowed with parabolas through the
    known values, kept away from its ends.
    """
    if not slope < 0.0:
        raise NoDescent(slope, 0)
    low, low_cost, low_slope = 0.0, cost, slope
    high: float | None = None
    step = 1.0
    best: float | None = None
    for _ in range(most):
        here, here_slope = along(step)
        if here > cost + decrease * step * slope or (low > 0.0 and here >= low_cost):
            high = step
        elif abs(here_slope) <= -curvature * slope:
            return step
        else:
            best = step
            if here_slope * ((high if high is not None else 2 * step) - low) >= 0.0:
                high = low
            low, low_cost, low_slope = step, here, here_slope
        if high is None:
            step = 2 * step
            continue
        width = high - low
        if abs(width) < 1e-14:
            break
        far = along(high)[0]
        bend = far - low_cost - low_slope * width
        guess = 0.5 if bend <= 0.0 else -low_slope * width / (2 * bend)
        step = low + min(max(guess, 0.1), 0.9) * width
    if best is None:
        raise NoDescent(slope, most)
    return best  # low enough, but steeper than asked for: the cost is flat to rounding
