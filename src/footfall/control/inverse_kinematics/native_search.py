"""Levenberg and Marquardt's method within joint limits as native code: damped Newton steps that always lower the cost.

The damping is in proportion to the squared error (Sugihara 2011), so that it vanishes where tasks are met and
convergence is quadratic; joints pressed against their stops are held while the others move. Where tasks cannot be met
an error is left, and how it turns with the motion is a part of the cost's second derivative that the Jacobian does
not show: without it steps creep along flat valleys. It is learned from the steps (Dennis, Gay and Welsch 1981).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from footfall.compiler.native_loops import call_native, native_loop

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
    q, error, rows = start, np.empty(m), np.empty((m, nv))
    new_error, new_rows = np.empty(m), np.empty((m, nv))
    worst, cost, history[0] = _evaluate(search, q, error, rows)
    normal, downhill = _normal_equations(error, rows)
    curvature, factor, stalled = np.zeros((nv, nv)), 1e-2, 0
    for iteration in range(iterations):
        if worst <= tolerance:
            return q, cost, MET, iteration
        scale = 0.0
        for j in range(nv):
            scale += normal[j, j] / nv
        before, history[iteration + 1] = cost, history[iteration]
        for _ in range(12):
            damping = factor * cost + _FLOOR * scale
            step = _step(search, q, normal, curvature, iteration >= _STRAIGHT, downhill, damping)
            candidate = _moved(search, q, step)
            new_worst, new_cost, norm = _evaluate(search, candidate, new_error, new_rows)
            if new_cost < cost:
                gradient = downhill
                normal, downhill = _normal_equations(new_error, new_rows)
                _learn(curvature, step, gradient, new_error, rows, downhill)
                q, worst, cost, history[iteration + 1] = candidate, new_worst, new_cost, norm
                rows, new_rows = new_rows, rows
                factor = max(factor / 4, 1e-6 if iteration < _STRAIGHT else 1e-9)
                break
            factor = max(factor * 8, 1e-3 * scale / max(cost, 1e-300))
        stalled = stalled + 1 if before - cost <= _UNCHANGED * before else 0
        if stalled >= 3 or cost == before:
            return q, cost, MET if worst <= tolerance else STALLED, iteration + 1
    return q, cost, MET if worst <= tolerance else EXHAUSTED, iterations


@native_loop
def _moved(search: Search, q: Array, step: Array) -> Any:
    """q (nq,) after a step (nv,), put back to the limits where it passes them."""
    inputs, result = np.empty(len(q) + len(step)), np.empty(len(q))
    for k in range(len(q)):
        inputs[k] = q[k]
    for k in range(len(step)):
        inputs[len(q) + k] = step[k]
    call_native(search.integrate, inputs, result)
    for k in range(len(search.in_q)):
        place = search.in_q[k]
        value, lower, upper = result[place], search.lower[k], search.upper[k]
        if search.turning[k] and (value < lower or value > upper):
            value -= _TURN * math.floor((value - lower) / _TURN)
        result[place] = min(max(value, lower), upper)
    return result


@native_loop
def _evaluate(search: Search, q: Array, error: Array, rows: Array) -> tuple[float, float, float]:
    """Weighted error (m,) and Jacobian (m, nv), written to `error` and `rows`; rows of inequalities that hold are zero.

    Gives the largest entry without weights, the cost, and the norm without weights.
    """
    m, nv = rows.shape
    inputs, values = np.empty(len(q) + len(search.parameters)), np.empty(m + m * nv)
    for k in range(len(q)):
        inputs[k] = q[k]
    for k in range(len(search.parameters)):
        inputs[len(q) + k] = search.parameters[k]
    call_native(search.evaluate, inputs, values)
    worst, cost, square = 0.0, 0.0, 0.0
    for i in range(m):
        value, weight = values[i], search.root_weights[i]
        if search.one_sided[i] and value < 0.0:
            value, weight = 0.0, 0.0
        worst = max(worst, abs(value))
        square += value * value
        error[i] = weight * value
        cost += error[i] * error[i] / 2
        for j in range(nv):
            rows[i, j] = weight * values[m + i * nv + j]
    return worst, cost, math.sqrt(square)


@native_loop
def _normal_equations(error: Array, rows: Array) -> tuple[Any, Any]:
    """Upper triangle of `rows^T rows` (n, n) and `rows^T error` (n,); most entries are zero, as limbs move little."""
    m, n = rows.shape
    normal, right = np.zeros((n, n)), np.zeros(n)
    for i in range(m):
        for j in range(n):
            entry = rows[i, j]
            if entry != 0.0:
                right[j] += entry * error[i]
                for k in range(j, n):
                    normal[j, k] += entry * rows[i, k]
    return normal, right


@native_loop
def _step(
    search: Search, q: Array, normal: Array, curvature: Array, curved: bool, downhill: Array, damping: float
) -> Any:
    """The damped Newton step (nv,), with those joints held that it would press against their stops.

    curved: with what was learned of the curvature, where that leaves a valley.
    """
    n = len(downhill)
    free, step = np.full(n, True), downhill
    for attempt in range(5):
        held = False
        for k in range(len(search.in_q)):
            at, j = q[search.in_q[k]], search.in_v[k]
            low, high = at <= search.lower[k] and step[j] < 0.0, at >= search.upper[k] and step[j] > 0.0
            if free[j] and (low or high):
                free[j], held = False, True
        if attempt > 0 and not held:
            break
        step = np.zeros(n)
        if not (curved and _solve(normal, curvature, 1.0, free, damping, downhill, step)):
            _solve(normal, curvature, 0.0, free, damping, downhill, step)
    largest = _FARTHEST
    for j in range(n):
        largest = max(largest, abs(step[j]) if free[j] else 0.0)
    for j in range(n):
        step[j] = step[j] * (_FARTHEST / largest) if free[j] else 0.0
    return step


@native_loop
def _solve(
    normal: Array, curvature: Array, share: float, free: Any, damping: float, right: Array, step: Array
) -> bool:
    """Write `(normal + share curvature + damping) step = right` (n,), solved for what is free, to those places in step.

    Tells whether the matrix is positive definite; if not, nothing is written.
    """
    n, count = len(right), 0
    places, upper = np.empty(n, dtype=np.int64), np.empty((n, n))
    for j in range(n):
        if free[j]:
            places[count], count = j, count + 1
    for a in range(count):
        for b in range(a, count):
            i, j = places[a], places[b]
            upper[a, b] = normal[i, j] + share * curvature[i, j]
        upper[a, a] += damping
    for a in range(count):
        if not upper[a, a] > 0.0:
            return False
        scale = 1.0 / math.sqrt(upper[a, a])
        for b in range(a, count):
            upper[a, b] *= scale
        for i in range(a + 1, count):
            for b in range(i, count):
                upper[i, b] -= upper[a, i] * upper[a, b]
    short = np.empty(count)
    for a in range(count):
        short[a] = right[places[a]]
    for a in range(count):
        short[a] /= upper[a, a]
        for b in range(a + 1, count):
            short[b] -= upper[a, b] * short[a]
    for a in range(count - 1, -1, -1):
        for b in range(a + 1, count):
            short[a] -= upper[a, b] * short[b]
        short[a] /= upper[a, a]
        step[places[a]] = short[a]
    return True


@native_loop
def _learn(curvature: Array, step: Array, before: Array, error: Array, rows: Array, now: Array) -> None:
    """Change the curvature (n, n) that the Jacobian does not show, so that it agrees with a step.

    before, now: minus the gradient before and after it; error after it, rows before it.
    """
    m, n = rows.shape
    change, shown, known = np.empty(n), np.empty(n), np.zeros(n)
    product = change_square = step_square = shown_along = known_along = along = 0.0
    for j in range(n):
        change[j], shown[j] = before[j] - now[j], -now[j]
        for i in range(m):
            shown[j] += rows[i, j] * error[i]
        for k in range(n):
            known[j] += curvature[j, k] * step[k]
        product += change[j] * step[j]
        change_square += change[j] * change[j]
        step_square += step[j] * step[j]
        shown_along += shown[j] * step[j]
        known_along += known[j] * step[j]
    if abs(product) <= 1e-12 * math.sqrt(change_square * step_square):
        return
    size = min(1.0, abs(shown_along / known_along)) if known_along != 0.0 else 1.0
    for j in range(n):
        shown[j] = (shown[j] - size * known[j]) / product
        along += shown[j] * step[j] / product
    for j in range(n):
        for k in range(n):
            added = shown[j] * change[k] + change[j] * shown[k] - along * change[j] * change[k]
            curvature[j, k] = size * curvature[j, k] + added
