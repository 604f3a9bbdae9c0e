"""Levenberg and Marquardt's method within joint limits as native code: damped Newton steps that always lower the cost.

The damping is in proportion to the squared error (Sugihara 2011), so that it vanishes where tasks are met and
convergence is quadratic; joints pressed against their stops are held while the others move. Where tasks cannot be met
an error is left, and how it turns with the motion is a part of the cost's second derivative that the Jacobian does
not show: without it steps creep along flat valleys. It is learned from the steps (Dennis, Gay and Welsch 1981).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.compiler.routines import call_native, routine

Array = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]
Integers = np.ndarray[Any, np.dtype[np.int64]]

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
    one_sided: Flags
    in_q: Integers
    in_v: Integers
    lower: Array
    upper: Array
    turning: Flags


@routine
def descend(
    evaluate: int,
    integrate: int,
    parameters: Array,
    root_weights: Array,
    one_sided: Flags,
    in_q: Integers,
    in_v: Integers,
    lower: Array,
    upper: Array,
    turning: Flags,
    q: Array,
    nv: int,
    tolerance: float,
    iterations: int,
    history: Array,
) -> tuple[float, int, int]:
    """Minimise what `Search` holds, changing q (nq,), until the largest entry of the error is below tolerance.

    history (iterations + 1,) gets the error's norms. Gives the cost, why it ended, and iterations.
    """
    m = len(root_weights)
    error, rows, normal, downhill = np.empty(m), np.empty((m, nv)), np.empty((nv, nv)), np.empty(nv)
    new_error, new_rows, candidate = np.empty(m), np.empty((m, nv)), np.empty(len(q))
    step, before, curvature, factor, stalled = np.empty(nv), np.empty(nv), np.zeros((nv, nv)), 1e-2, 0
    worst, cost, norm = _evaluate(evaluate, parameters, root_weights, one_sided, q, error, rows)
    history[0] = norm
    for iteration in range(iterations):
        if worst <= tolerance:
            return cost, MET, iteration
        if iteration == 0:
            _form(error, rows, normal, downhill)
        scale = 0.0
        for j in range(nv):
            scale += normal[j, j] / nv
        last, history[iteration + 1] = cost, history[iteration]
        for _ in range(12):
            damping = factor * cost + _FLOOR * scale
            curved = iteration >= _STRAIGHT
            _step(in_q, in_v, lower, upper, q, normal, curvature, curved, downhill, damping, step)
            _move(integrate, in_q, lower, upper, turning, q, step, candidate)
            new_worst, new_cost, norm = _evaluate(
                evaluate, parameters, root_weights, one_sided, candidate, new_error, new_rows
            )
            if new_cost < cost:
                for j in range(nv):
                    before[j] = downhill[j]
                _form(new_error, new_rows, normal, downhill)
                _learn(curvature, step, before, new_error, rows, downhill)
                for k in range(len(q)):
                    q[k] = candidate[k]
                worst, cost, history[iteration + 1] = new_worst, new_cost, norm
                rows, new_rows = new_rows, rows
                factor = max(factor / 4, 1e-9 if curved else 1e-6)
                break
            factor = max(factor * 8, 1e-3 * scale / max(cost, 1e-300))
        stalled = stalled + 1 if last - cost <= _UNCHANGED * last else 0
        if stalled >= 3 or cost == last:
            return cost, MET if worst <= tolerance else STALLED, iteration + 1
    return cost, MET if worst <= tolerance else EXHAUSTED, iterations


@routine
def _move(
    integrate: int,
    in_q: Integers,
    lower: Array,
    upper: Array,
    turning: Flags,
    q: Array,
    step: Array,
    result: Array,
) -> None:
    """Write q (nq,) after a step (nv,), put back to the limits where it passes them, to result."""
    inputs = np.empty(len(q) + len(step))
    for k in range(len(q)):
        inputs[k] = q[k]
    for k in range(len(step)):
        inputs[len(q) + k] = step[k]
    call_native(integrate, inputs, result)
    for k in range(len(in_q)):
        place = in_q[k]
        value = result[place]
        if turning[k] and (value < lower[k] or value > upper[k]):
            value -= _TURN * np.floor((value - lower[k]) / _TURN)
        result[place] = min(max(value, lower[k]), upper[k])


@routine
def _evaluate(
    evaluate: int,
    parameters: Array,
    root_weights: Array,
    one_sided: Flags,
    q: Array,
    error: Array,
    rows: Array,
) -> tuple[float, float, float]:
    """Weighted error (m,) and Jacobian (m, nv), written to `error` and `rows`; rows of inequalities that hold are zero.

    Gives the largest entry without weights, the cost, and the norm without weights.
    """
    m, nv = rows.shape
    inputs, values = np.empty(len(q) + len(parameters)), np.empty(m + m * nv)
    for k in range(len(q)):
        inputs[k] = q[k]
    for k in range(len(parameters)):
        inputs[len(q) + k] = parameters[k]
    call_native(evaluate, inputs, values)
    worst, cost, square = 0.0, 0.0, 0.0
    for i in range(m):
        value, weight = values[i], root_weights[i]
        if one_sided[i] and value < 0.0:
            value, weight = 0.0, 0.0
        worst = max(worst, abs(value))
        square += value * value
        error[i] = weight * value
        cost += error[i] * error[i] / 2
        for j in range(nv):
            rows[i, j] = weight * values[m + i * nv + j]
    return worst, cost, np.sqrt(square)


@routine
def _form(error: Array, rows: Array, normal: Array, right: Array) -> None:
    """Write the upper triangle of `rows^T rows` (n, n) and `rows^T error` (n,); many entries of rows are zero."""
    m, n = rows.shape
    for j in range(n):
        right[j] = 0.0
        for k in range(j, n):
            normal[j, k] = 0.0
    for i in range(m):
        for j in range(n):
            entry = rows[i, j]
            if entry != 0.0:
                right[j] += entry * error[i]
                for k in range(j, n):
                    normal[j, k] += entry * rows[i, k]


@routine
def _step(
    in_q: Integers,
    in_v: Integers,
    lower: Array,
    upper: Array,
    q: Array,
    normal: Array,
    curvature: Array,
    curved: bool,
    downhill: Array,
    damping: float,
    step: Array,
) -> None:
    """Write the damped Newton step (nv,), with those joints held that it would press against their stops.

    curved: with what was learned of the curvature, where that leaves a valley.
    """
    n = len(downhill)
    free = np.full(n, True)
    for j in range(n):
        step[j] = downhill[j]
    for attempt in range(5):
        held = False
        for k in range(len(in_q)):
            at, j = q[in_q[k]], in_v[k]
            if free[j] and ((at <= lower[k] and step[j] < 0.0) or (at >= upper[k] and step[j] > 0.0)):
                free[j], held = False, True
        if attempt > 0 and not held:
            break
        if not (curved and _solve(normal, curvature, 1.0, free, damping, downhill, step)):
            _solve(normal, curvature, 0.0, free, damping, downhill, step)
    largest = _FARTHEST
    for j in range(n):
        step[j] = step[j] if free[j] else 0.0
        largest = max(largest, abs(step[j]))
    for j in range(n):
        step[j] *= _FARTHEST / largest


@routine
def _solve(
    normal: Array, curvature: Array, share: float, free: Flags, damping: float, right: Array, step: Array
) -> bool:
    """Solve `(normal + share curvature + damping) step = right` (n,) for what is free; zero elsewhere.

    Tells whether the matrix is positive definite; if not, step is zero.
    """
    n, count = len(right), 0
    places, upper, short = np.empty(n, dtype=np.int64), np.empty((n, n)), np.empty(n)
    for j in range(n):
        step[j] = 0.0
        if free[j]:
            places[count], short[count] = j, right[j]
            count += 1
    for a in range(count):
        for b in range(a, count):
            i, j = places[a], places[b]
            upper[a, b] = normal[i, j] + share * curvature[i, j]
        upper[a, a] += damping
    for a in range(count):
        if not upper[a, a] > 0.0:
            return False
        scale = 1.0 / np.sqrt(upper[a, a])
        for b in range(a, count):
            upper[a, b] *= scale
        for i in range(a + 1, count):
            weight = upper[a, i]
            for b in range(i, count):
                upper[i, b] -= weight * upper[a, b]
    for a in range(count):
        short[a] /= upper[a, a]
        for b in range(a + 1, count):
            short[b] -= upper[a, b] * short[a]
    for above in range(count):
        a = count - 1 - above
        for b in range(a + 1, count):
            short[a] -= upper[a, b] * short[b]
        short[a] /= upper[a, a]
        step[places[a]] = short[a]
    return True


@routine
def _learn(curvature: Array, step: Array, before: Array, error: Array, rows: Array, now: Array) -> None:
    """Change the curvature (n, n) that the Jacobian does not show, so that it agrees with a step.

    before, now: minus the gradient before and after it; error after it, rows before it.
    """
    m, n = rows.shape
    change, shown, known = np.empty(n), np.empty(n), np.zeros(n)
    product, shown_along, known_along, along = 0.0, 0.0, 0.0, 0.0
    for j in range(n):
        shown[j] = -now[j]
    for i in range(m):
        for j in range(n):
            shown[j] += rows[i, j] * error[i]
    squared_change, squared_step = 0.0, 0.0
    for j in range(n):
        change[j] = before[j] - now[j]
        for k in range(n):
            known[j] += curvature[j, k] * step[k]
        product += change[j] * step[j]
        squared_change += change[j] * change[j]
        squared_step += step[j] * step[j]
        shown_along += shown[j] * step[j]
        known_along += known[j] * step[j]
    if abs(product) <= 1e-12 * np.sqrt(squared_change * squared_step):
        return
    size = min(1.0, abs(shown_along / known_along)) if known_along != 0.0 else 1.0
    for j in range(n):
        shown[j] = (shown[j] - size * known[j]) / product
        along += shown[j] * step[j] / product
    for j in range(n):
        for k in range(n):
            added = shown[j] * change[k] + change[j] * shown[k] - along * change[j] * change[k]
            curvature[j, k] = size * curvature[j, k] + added
