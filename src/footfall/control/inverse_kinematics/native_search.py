"""Levenberg and Marquardt's method within joint limits as native code: damped Newton steps that always lower the cost.

The damping is in proportion to the squared error (Sugihara 2011), so that it vanishes where tasks are met and
convergence is quadratic; joints pressed against their stops are held while the others move. Where tasks cannot be met
an error is left, and how it turns with the motion is a part of the cost's second derivative that the Jacobian does
not show: without it steps creep along flat valleys. It is learned from the steps (Dennis, Gay and Welsch 1981).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.compiler.native_loops import call_native, native_loop
from footfall.control.native_program import combined, inner, inverse_factor, values_of

Array = np.ndarray[Any, np.dtype[np.float64]]

MET, STALLED, EXHAUSTED = 0, 1, 2
_FARTHEST = 0.7  # rad or m in one step: beyond, the Jacobian says nothing
_FLOOR = 1e-12  # damping that keeps redundant robots solvable, relative to the Jacobian
_UNCHANGED = 1e-9  # relative decrease of the cost that is no progress
_STRAIGHT = 10  # steps without what is learned: far from the end it changes faster than it is learned
_TURN = 2 * np.pi


class Search(NamedTuple):
    """What is minimised: half the weighted squared error, within limits.

    evaluate, integrate: addresses of native code, (q, parameters) -> (error, jacobian) and (q, step) -> q. parameters
    (p,); root_weights (m,): roots of the weights of rows; one_sided (m,): rows that only count above zero. in_q, in_v:
    places of limited coordinates, lower, upper: their limits, turning: hinges with a whole turn between them.
    """

    evaluate: int
    integrate: int
    parameters: Array
    root_weights: Array
    one_sided: Any
    in_q: Any
    in_v: Any
    lower: Array
    upper: Array
    turning: Any


@native_loop
def descend(
    search: Search, start: Array, nv: int, tolerance: float, iterations: int, history: Array
) -> tuple[Any, float, int, int]:
    """Minimise from start (nq,) until the largest entry of the error is below tolerance.

    history (iterations + 1,) gets the error's norms. Gives the configuration, its cost, why it ended, and iterations.
    """
    m = len(search.root_weights)
    q, error, rows = moved(search, start, np.zeros(nv)), np.empty(m), np.empty((m, nv))
    new_error, new_rows = np.empty(m), np.empty((m, nv))
    worst, cost, history[0] = _evaluate(search, q, error, rows)
    curvature, factor, stalled = np.zeros((nv, nv)), 1e-2, 0
    for iteration in range(iterations):
        if worst <= tolerance:
            return q, cost, MET, iteration
        downhill, normal = combined(error, rows), _squared(rows)
        scale = np.trace(normal) / nv
        before = cost
        for _ in range(12):
            damping = factor * cost + _FLOOR * scale
            step = _step(search, q, normal, curvature, iteration >= _STRAIGHT, downhill, damping)
            candidate = moved(search, q, step)
            new_worst, new_cost, norm = _evaluate(search, candidate, new_error, new_rows)
            if new_cost < cost:
                _learn(curvature, step, downhill, combined(new_error, rows), combined(new_error, new_rows))
                q, worst, cost = candidate, new_worst, new_cost
                error, new_error, rows, new_rows = new_error, error, new_rows, rows
                factor = max(factor / 4, 1e-6 if iteration < _STRAIGHT else 1e-9)
                history[iteration + 1] = norm
                break
            factor = max(factor * 8, 1e-3 * scale / max(cost, 1e-300))
        else:
            history[iteration + 1] = history[iteration]
        stalled = stalled + 1 if before - cost <= _UNCHANGED * before else 0
        if stalled >= 3 or cost == before:
            return q, cost, MET if worst <= tolerance else STALLED, iteration + 1
    return q, cost, MET if worst <= tolerance else EXHAUSTED, iterations


@native_loop
def moved(search: Search, q: Array, step: Array) -> Any:
    """q (nq,) after a step (nv,), put back to the limits where it passes them."""
    result = np.empty(len(q))
    call_native(search.integrate, _joined(q, step), result)
    for k in range(len(search.in_q)):
        place = search.in_q[k]
        value, lower, upper = result[place], search.lower[k], search.upper[k]
        if search.turning[k] and (value < lower or value > upper):
            value -= _TURN * np.floor((value - lower) / _TURN)
        result[place] = min(max(value, lower), upper)
    return result


@native_loop
def _joined(one: Array, other: Array) -> Any:
    result = np.empty(len(one) + len(other))
    for k in range(len(one)):
        result[k] = one[k]
    for k in range(len(other)):
        result[len(one) + k] = other[k]
    return result


@native_loop
def _evaluate(search: Search, q: Array, error: Array, rows: Array) -> tuple[float, float, float]:
    """Weighted error (m,) and Jacobian (m, nv), written to `error` and `rows`; rows of inequalities that hold are zero.

    Gives the largest entry without weights, the cost, and the norm without weights.
    """
    m, nv = rows.shape
    values = np.empty(m + m * nv)
    call_native(search.evaluate, _joined(q, search.parameters), values)
    worst, cost, square = 0.0, 0.0, 0.0
    for i in range(m):
        value, weight = values[i], search.root_weights[i]
        if search.one_sided[i] and value < 0.0:
            value, weight = 0.0, 0.0
        worst = max(worst, abs(value))
        square += value * value
        error[i] = weight * value
        cost += error[i] * error[i]
        for j in range(nv):
            rows[i, j] = weight * values[m + i * nv + j]
    return worst, cost / 2, np.sqrt(square)


@native_loop
def _squared(rows: Array) -> Any:
    """Upper triangle of `rows^T rows` (n, n); many entries of rows are zero, as a limb moves few things."""
    m, n = rows.shape
    result = np.zeros((n, n))
    for i in range(m):
        row = rows[i]
        for j in range(n):
            if row[j] != 0.0:
                for k in range(j, n):
                    result[j, k] += row[j] * row[k]
    return result


@native_loop
def _step(
    search: Search, q: Array, normal: Array, curvature: Array, curved: bool, downhill: Array, damping: float
) -> Any:
    """The damped Newton step (nv,), with those joints held that it would press against their stops.

    curved: with what was learned of the curvature, where that leaves a valley.
    """
    n = len(downhill)
    free = np.ones(n, dtype=np.bool_)
    _hold(search, q, downhill, free)
    step = _newton(normal, curvature, curved, downhill, damping, free)
    for _ in range(3):
        if not _hold(search, q, step, free):
            break
        step = _newton(normal, curvature, curved, downhill, damping, free)
    largest = 0.0
    for j in range(n):
        largest = max(largest, abs(step[j]))
    scale = _FARTHEST / max(largest, _FARTHEST)
    for j in range(n):
        step[j] *= scale
    return step


@native_loop
def _newton(normal: Array, curvature: Array, curved: bool, downhill: Array, damping: float, free: Any) -> Any:
    """The damped Newton step (nv,) of the coordinates that are free."""
    n, count = len(downhill), 0
    places, right, step = np.empty(n, dtype=np.int64), np.empty(n), np.zeros(n)
    for j in range(n):
        if free[j]:
            places[count], right[count], count = j, downhill[j], count + 1
    factor = _factor(normal, curvature, places[:count], damping, curved)
    if curved and len(factor) == 0:
        factor = _factor(normal, curvature, places[:count], damping, False)
    if len(factor) > 0:
        short = combined(values_of(factor, right[:count]), factor)
        for k in range(count):
            step[places[k]] = short[k]
    return step


@native_loop
def _factor(normal: Array, curvature: Array, places: Any, damping: float, curved: bool) -> Any:
    """`inverse_factor` of the rows and columns at places, damped."""
    n = len(places)
    matrix = np.empty((n, n))
    for i in range(n):
        for j in range(i, n):
            matrix[i, j] = normal[places[i], places[j]]
            if curved:
                matrix[i, j] += curvature[places[i], places[j]]
        matrix[i, i] += damping
    return inverse_factor(matrix, 0.0)


@native_loop
def _hold(search: Search, q: Array, direction: Array, free: Any) -> bool:
    """Take those velocities from `free` (nv,) that a direction presses against a limit; tells whether there are any."""
    held = False
    for k in range(len(search.in_q)):
        at, j = q[search.in_q[k]], search.in_v[k]
        towards = direction[j]
        pressed = (at <= search.lower[k] and towards < 0.0) or (at >= search.upper[k] and towards > 0.0)
        if pressed and free[j]:
            free[j], held = False, True
    return held


@native_loop
def _learn(curvature: Array, step: Array, downhill: Array, turned: Array, now: Array) -> None:
    """Change the curvature (n, n) that the Jacobian does not show, so that it agrees with a step.

    downhill, now: minus the gradient before and after it; turned: of the error after it by the Jacobian before it.
    """
    change, shown = downhill - now, turned - now
    product = inner(change, step)
    if abs(product) <= 1e-12 * np.sqrt(inner(change, change) * inner(step, step)):
        return
    known = inner(step, values_of(curvature, step))
    if known != 0.0:
        curvature *= min(1.0, abs(inner(step, shown) / known))
    missing = (shown - values_of(curvature, step)) / product
    share = inner(missing, step) / product
    for i in range(len(step)):
        for j in range(len(step)):
            curvature[i, j] += missing[i] * change[j] + change[i] * missing[j] - share * change[i] * change[j]
