"""What position-level solvers minimise (half the weighted squared error, within joint limits), and how `solve_ik` does:
Levenberg and Marquardt's method, damped Newton steps that always lower the cost.

The damping is in proportion to the squared error (Sugihara 2011), so that it vanishes where tasks are met and
convergence is quadratic; joints pressed against their stops are held while the others move. Where tasks cannot be met
an error is left, and how it turns with the motion is a part of the cost's second derivative that the Jacobian does
not show: without it steps creep along flat valleys. It is learned from the steps (Dennis, Gay and Welsch 1981).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.routines import call_native, routine
from footfall.control.inverse_kinematics.limits import Limits, position_limits, single_coordinates
from footfall.control.inverse_kinematics.velocity import row_weights
from footfall.control.tasks.stack import TaskStack
from footfall.dynamics.configuration import integrate

_TURN = 2 * np.pi


class Box(NamedTuple):
    """Limited coordinates: their places in q and v, their limits, and which of them are hinges with a whole turn
    between them, which pass one limit to come from the other."""

    in_q: Integers
    in_v: Integers
    lower: Array
    upper: Array
    turning: Flags


class Search(NamedTuple):
    """An objective as routines take it.

    evaluate, integrate: addresses of native code, (q, parameters) -> (error, jacobian) and (q, step) -> q. parameters
    (p,); root_weights (m,): roots of the weights of rows; one_sided (m,): rows that only count above zero.
    """

    evaluate: int
    integrate: int
    parameters: Array
    root_weights: Array
    one_sided: Flags
    box: Box


@dataclass(frozen=True)
class Progress:
    """Where a solver is: q (nq,), its cost, iterations, and why it stopped; history: the error's norms."""

    q: Array
    cost: float
    reached: bool
    iterations: int
    reason: str
    history: list[float] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Objective:
    """Errors of a stack of tasks at configurations within limits."""

    stack: TaskStack
    limits: Limits

    @cached_property
    def root_weights(self) -> Array:
        return np.sqrt(row_weights(self.stack))

    @cached_property
    def box(self) -> Box:
        """Where the coordinates must stay."""
        lower, upper = position_limits(self.stack.robot, self.limits)
        in_q, in_v = single_coordinates(self.stack.robot)
        limited = np.isfinite(lower[in_v]) | np.isfinite(upper[in_v])
        in_q, in_v = in_q[limited], in_v[limited]
        least, most = lower[in_v], upper[in_v]
        hinges = {link.q.start for link in self.stack.robot.tree.links if link.kind == "revolute"}
        turning = np.array([q in hinges for q in in_q.tolist()], dtype=bool) & (most - least >= _TURN - 1e-6)
        return Box(in_q, in_v, least, most, turning)

    def evaluate(self, q: Array) -> tuple[Array, Array]:
        """Error (m,) and Jacobian (m, nv) without weights; rows of inequalities that hold are zero."""
        error, jacobian = self.stack.kernel(q, self.stack.parameters)
        if self.stack.one_sided.any():
            idle = self.stack.one_sided & (error < 0.0)
            error[idle], jacobian[idle] = 0.0, 0.0
        return error, jacobian

    def cost(self, error: Array) -> float:
        """Half the squared weighted error."""
        weighted = self.root_weights * error
        return float(weighted @ weighted) / 2

    def moved(self, q: Array, step: Array) -> Array:
        """q (nq,) after a step (nv,), put back to the limits where it passes them; also for batches."""
        result: Array = integrate(self.stack.robot, q, step)
        in_q, _, lower, upper, turning = self.box
        if len(in_q):
            at = result[..., in_q]
            if turning.any():
                turns = np.floor((at - lower) / _TURN) * turning
                at = at - _TURN * np.where(np.isfinite(turns) & ((at < lower) | (at > upper)), turns, 0.0)
            result[..., in_q] = np.clip(at, lower, upper)
        return result

    def costs(self, candidates: Array) -> Array:
        """Costs (batch,) of configurations (batch, nq)."""
        errors, _ = self.stack.kernel(candidates, self.stack.parameters)
        errors = np.where(self.stack.one_sided & (errors < 0.0), 0.0, self.root_weights * errors)
        result: Array = np.einsum("ij,ij->i", errors, errors) / 2
        return result

    @cached_property
    def search(self) -> Search:
        """The same for routines."""
        robot = self.stack.robot
        return Search(
            self.stack.kernel.native_function().address,
            integrate.kernel(robot).native_function().address,
            self.stack.parameters,
            self.root_weights,
            self.stack.one_sided,
            self.box,
        )

    def inside(self, q: Array) -> Array:
        """The configuration (nq,) within limits that is closest."""
        return self.moved(np.array(q, dtype=np.float64), np.zeros(self.stack.robot.nv))

    def free(self, q: Array, direction: Array) -> Flags:
        """Which velocities (nv,) may follow a direction: those not pressed against a limit."""
        in_q, in_v, lower, upper, _ = self.box
        free = np.ones(len(direction), dtype=bool)
        at, towards = q[in_q], direction[in_v]
        free[in_v] = ~(((at <= lower) & (towards < 0.0)) | ((at >= upper) & (towards > 0.0)))
        return free


_MET, _STALLED, _EXHAUSTED = 0, 1, 2
_REASONS = {
    _MET: "tasks are met",
    _STALLED: "the error does not fall any more",
    _EXHAUSTED: "out of iterations",
}
_STRIDE = 0.7  # rad or m in one step: beyond, the Jacobian says nothing
_FLOOR = 1e-12  # damping that keeps redundant robots solvable, relative to the Jacobian
_UNCHANGED = 1e-9  # relative decrease of the cost that is no progress
_STRAIGHT = 10  # steps without what is learned: far from the end it changes faster than it is learned


class Descent(NamedTuple):
    """The cost where it ended, why it did, and after how many iterations."""

    cost: float
    status: int
    iterations: int


class _Size(NamedTuple):
    """Of an error: its largest entry and its norm without weights; the cost, half its weighted square."""

    worst: float
    norm: float
    cost: float


class _Model(NamedTuple):
    """The cost around a configuration: how it falls, and how that changes.

    downhill (nv,): minus its gradient. normal (nv, nv): second derivative as the Jacobian shows it, the upper triangle.
    curvature (nv, nv): the rest of it, learned.
    """

    downhill: Array
    normal: Array
    curvature: Array


def levenberg_marquardt(objective: Objective, start: Array, tolerance: float, iterations: int) -> Progress:
    """Minimise from start (nq,) until the largest entry of the error is below tolerance."""
    q, history = objective.inside(start), np.empty(iterations + 1)
    found = descend(objective.search, q, objective.stack.robot.nv, tolerance, history)
    reached, count = found.status == _MET, found.iterations
    return Progress(q, found.cost, reached, count, _REASONS[found.status], history[: count + 1].tolist())


@routine
def descend(search: Search, q: Array, nv: int, tolerance: float, history: Array) -> Descent:
    """Minimise, changing q (nq,), until the largest entry of the error is below tolerance.

    history (iterations + 1,) gets the error's norms.
    """
    m, iterations = len(search.root_weights), len(history) - 1
    model = _Model(np.empty(nv), np.empty((nv, nv)), np.zeros((nv, nv)))
    error, rows = np.empty(m), np.empty((m, nv))
    new_error, new_rows, candidate = np.empty(m), np.empty((m, nv)), np.empty(len(q))
    step, before, factor, stalled = np.empty(nv), np.empty(nv), 1e-2, 0
    size = _evaluate(search, q, error, rows)
    history[0] = size.norm
    for iteration in range(iterations):
        if size.worst <= tolerance:
            return Descent(size.cost, _MET, iteration)
        if iteration == 0:
            _form(error, rows, model)
        scale = 0.0
        for j in range(nv):
            scale += model.normal[j, j] / nv
        last, history[iteration + 1] = size.cost, history[iteration]
        curved = iteration >= _STRAIGHT
        for _ in range(12):
            _step(search.box, q, model, curved, factor * size.cost + _FLOOR * scale, step)
            _move(search, q, step, candidate)
            ahead = _evaluate(search, candidate, new_error, new_rows)
            if ahead.cost < size.cost:
                before[:] = model.downhill
                _form(new_error, new_rows, model)
                _learn(model, step, before, new_error, rows)
                q[:] = candidate
                size, history[iteration + 1] = ahead, ahead.norm
                rows, new_rows = new_rows, rows
                factor = max(factor / 4, 1e-9 if curved else 1e-6)
                break
            factor = max(factor * 8, 1e-3 * scale / max(size.cost, 1e-300))
        stalled = stalled + 1 if last - size.cost <= _UNCHANGED * last else 0
        if stalled >= 3 or size.cost == last:
            return Descent(size.cost, _MET if size.worst <= tolerance else _STALLED, iteration + 1)
    return Descent(size.cost, _MET if size.worst <= tolerance else _EXHAUSTED, iterations)


@routine
def _move(search: Search, q: Array, step: Array, result: Array) -> None:
    """Write q (nq,) after a step (nv,), put back to the limits where it passes them, to result."""
    box, inputs = search.box, np.empty(len(q) + len(step))
    inputs[: len(q)] = q
    inputs[len(q) :] = step
    call_native(search.integrate, inputs, result)
    for k, place in enumerate(box.in_q):
        value, lower, upper = result[place], box.lower[k], box.upper[k]
        if box.turning[k] and (value < lower or value > upper):
            value -= _TURN * np.floor((value - lower) / _TURN)
        result[place] = min(max(value, lower), upper)


@routine
def _evaluate(search: Search, q: Array, error: Array, rows: Array) -> _Size:
    """Write the weighted error (m,) and Jacobian (m, nv); rows of inequalities that hold are zero."""
    m, nv = rows.shape
    inputs, outputs = np.empty(len(q) + len(search.parameters)), np.empty(m + m * nv)
    inputs[: len(q)] = q
    inputs[len(q) :] = search.parameters
    call_native(search.evaluate, inputs, outputs)
    jacobian = outputs[m:].reshape(m, nv)
    worst, square, cost = 0.0, 0.0, 0.0
    for i in range(m):
        value, weight = outputs[i], search.root_weights[i]
        if search.one_sided[i] and value < 0.0:
            value, weight = 0.0, 0.0
        worst = max(worst, abs(value))
        square += value * value
        error[i] = weight * value
        cost += error[i] * error[i] / 2
        rows[i] = weight * jacobian[i]
    return _Size(worst, math.sqrt(square), cost)


@routine
def _form(error: Array, rows: Array, model: _Model) -> None:
    """The gradient and the second derivative as far as the rows show it; many of their entries are zero."""
    downhill, normal = model.downhill, model.normal
    downhill[:] = 0.0
    for j in range(len(normal)):
        normal[j, j:] = 0.0
    for i, row in enumerate(rows):
        for j in range(len(row)):
            if row[j] != 0.0:
                downhill[j] += row[j] * error[i]
                normal[j, j:] += row[j] * row[j:]


@routine
def _step(box: Box, q: Array, model: _Model, curved: bool, damping: float, step: Array) -> None:
    """Write the damped Newton step (nv,), with those joints held that it would press against their stops.

    curved: with what was learned of the curvature, where that leaves a valley.
    """
    free = np.full(len(step), True)
    step[:] = model.downhill
    for attempt in range(5):
        held = False
        for k, j in enumerate(box.in_v):
            at = q[box.in_q[k]]
            pressed = (at <= box.lower[k] and step[j] < 0.0) or (at >= box.upper[k] and step[j] > 0.0)
            if free[j] and pressed:
                free[j], held = False, True
        if attempt > 0 and not held:
            break
        if not (curved and _solve(model, 1.0, free, damping, step)):
            _solve(model, 0.0, free, damping, step)
    largest = _STRIDE
    for j in range(len(step)):
        step[j] = step[j] if free[j] else 0.0
        largest = max(largest, abs(step[j]))
    step *= _STRIDE / largest


@routine
def _solve(model: _Model, share: float, free: Flags, damping: float, step: Array) -> bool:
    """Solve `(normal + share curvature + damping) step = downhill` for what is free; zero elsewhere.

    Tells whether the matrix is positive definite; if not, step is zero.
    """
    n, count = len(step), 0
    places, upper, short = np.empty(n, dtype=np.int64), np.empty((n, n)), np.empty(n)
    step[:] = 0.0
    for j in range(n):
        if free[j]:
            places[count], short[count] = j, model.downhill[j]
            count += 1
    for a in range(count):
        for b in range(a, count):
            i, j = places[a], places[b]
            upper[a, b] = model.normal[i, j] + share * model.curvature[i, j]
        upper[a, a] += damping
    for a in range(count):  # becomes U with U^T U = matrix
        if not upper[a, a] > 0.0:
            return False
        upper[a, a:count] *= 1.0 / math.sqrt(upper[a, a])
        for i in range(a + 1, count):
            row = upper[i]
            row[i:count] -= upper[a, i] * upper[a, i:count]
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


@routine
def _learn(model: _Model, step: Array, before: Array, error: Array, rows: Array) -> None:
    """Change the curvature so that it agrees with a step.

    before: minus the gradient before it, the model's is that after it; error after it, rows before it.
    """
    curvature, shown, predicted = model.curvature, -model.downhill, np.empty(len(step))
    for i, row in enumerate(rows):
        shown += row * error[i]
    for j in range(len(step)):
        predicted[j] = np.sum(curvature[j] * step)
    change = before - model.downhill
    product = np.sum(change * step)
    if abs(product) <= 1e-12 * math.sqrt(np.sum(change * change) * np.sum(step * step)):
        return
    shown_along, predicted_along = np.sum(shown * step), np.sum(predicted * step)
    size = min(1.0, abs(shown_along / predicted_along)) if predicted_along != 0.0 else 1.0
    shown = (shown - size * predicted) / product
    along = 0.0
    for j in range(len(step)):
        along += shown[j] * step[j] / product
    for j in range(len(step)):
        added = shown[j] * change + change[j] * shown - along * change[j] * change
        curvature[j] = size * curvature[j] + added
