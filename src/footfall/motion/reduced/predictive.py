"""The pendulum by model predictive control, Wieber 2006: every period the best jerks within a horizon, of which the
first is carried out. With a flywheel it may also lean, Pratt 2006.

Prediction (Herdt 2010). With jerks U over N periods T from a state s = (c, c', c''), zero-moment points to come are

    Z = P_s s + P_u U,  P_s(i) = (1, i T, i^2 T^2 / 2 - z / g)
                        P_u(i, j) = (1 + 3 (i - j) + 3 (i - j)^2) T^3 / 6 - T z / g

and a flywheel with angle f takes `J f'' / (m g)` off them, its own jerks being a second input. The quadratic program
weighs what Z misses of what is wanted against jerks, angles and jerks of the flywheel, with Z above soles.

Zero-moment points within a horizon say nothing of what comes after it: a robot that falls can follow them to its end.
So the divergent component at the end of the horizon is wanted where the rest of the plan needs it, Scianca 2020.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import routine
from footfall.control.dual_active_set import SOLVED, RowLimits, inverse_factor, minimise
from footfall.motion.reduced.pendulum import divergent_of, wanted_pivots
from footfall.motion.reduced.problem import (
    BalanceProblem,
    CentreMotion,
    brought_to_rest,
    ending,
    joined,
    pendulum_motion,
    through,
)

HORIZON = 26  # periods
PERIOD = 0.06  # s; double support of a small robot lasts 0.14 s
_JERK = 1e-6  # weight of jerks, (m/s3)^-2, beside that of zero-moment points, 1/m2
_ANGLE, _TURNING_JERK = 1e-3, 1e-7  # weights of the flywheel's angle, 1/rad2, and of its jerks, (rad/s3)^-2
LARGEST_LEAN = 0.15  # rad
_TOLERANCE = 1e-9


class Prediction(NamedTuple):
    """What follows from a state and inputs over a horizon of N periods, for one axis.

    free (N + 1, 3): zero-moment points from the state, and the divergent component at the end. forced (N + 1, n): from
    inputs, jerks and then those of a flywheel if there is one. angle_free (N, 3), angle_forced (N, N): angles of the
    flywheel. factor: of the program's Hessian for both axes, see `inverse_factor`. shift: how far a zero-moment point
    goes for an angular acceleration of 1 rad/s2, m; 0: it has no flywheel.
    """

    period: float
    free: Array
    forced: Array
    angle_free: Array
    angle_forced: Array
    factor: Array
    shift: float


@lru_cache(maxsize=64)
def prediction(height_by_gravity: float, period: float, shift: float) -> Prediction:
    """Matrices of a horizon. height_by_gravity: z / g, s2. shift: see `Prediction`."""
    steps = np.arange(1, HORIZON + 1)
    place = np.stack([np.ones(HORIZON), steps * period, (steps * period) ** 2 / 2], axis=1)
    slow, last = np.sqrt(height_by_gravity), HORIZON * period
    free = np.vstack([place - [0.0, 0.0, height_by_gravity], [1.0, last + slow, last**2 / 2 + last * slow]])
    ahead = (steps[:, None] - steps[None, :]).astype(float)
    before = ahead >= 0.0
    moved = np.where(before, (1.0 + 3.0 * ahead + 3.0 * ahead**2) * period**3 / 6, 0.0)
    pushed = np.where(before, period, 0.0)
    speeds = (1.0 + 2.0 * ahead[-1]) * period**2 / 2  # that jerks give in the end
    forced = np.vstack([moved - height_by_gravity * pushed, moved[-1] + slow * speeds])
    weights = np.full(HORIZON, _JERK)
    if shift > 0.0:
        forced = np.hstack([forced, np.vstack([-shift * pushed, np.zeros(HORIZON)])])
        weights = np.concatenate([weights, np.full(HORIZON, _TURNING_JERK)])
    hessian = forced.T @ forced + np.diag(weights)
    if shift > 0.0:
        hessian[HORIZON:, HORIZON:] += _ANGLE * moved.T @ moved
    size = len(hessian)
    both = np.zeros((2 * size, 2 * size))
    both[:size, :size] = both[size:, size:] = hessian
    return Prediction(period, free, forced, place, moved, inverse_factor(both, 0.0), shift)


class Wanted(NamedTuple):
    """Pivots (k, 2) at periods, and the divergent component (k, 2) that the rest of the plan needs there, m."""

    pivots: Array
    divergent: Array


class Edges(NamedTuple):
    """Where pivots may be at k times: normals (k, 8, 2), inward, with `n r >= offset` (k, 8), m, for the first counts
    (k,) of them."""

    normals: Array
    offsets: Array
    counts: Integers


def edges_at(problem: BalanceProblem, at: Array) -> Edges:
    """Edges of the areas at times (k,), s, seen by the pivot."""
    phases, hands = problem.phase_at(at), problem.hands(at)
    corners, sizes = problem.areas.corners[phases], problem.areas.sizes[phases]
    numbers = np.arange(corners.shape[1])
    following = np.where(numbers + 1 < sizes[:, None], numbers + 1, 0)
    along = np.take_along_axis(corners, following[:, :, None], axis=1) - corners
    length = np.maximum(np.linalg.norm(along, axis=2, keepdims=True), 1e-12)
    normals = np.stack([-along[:, :, 1], along[:, :, 0]], axis=2) / length
    seen = hands.share[:, None, None] * corners + hands.shift[:, None]
    return Edges(normals, np.einsum("kci,kci->kc", normals, seen), sizes)


@routine
def control_horizon(
    model: Prediction, state: Array, wanted: Wanted, edges: Edges, first: int, largest: float
) -> Array:
    """The best inputs (2 n,) of both axes from a state (3, 4) of the centre of mass and the flywheel, for wanted
    pivots from number `first` on. Where no inputs keep all edges, the best without edges."""
    count, size = len(model.angle_free), model.forced.shape[1]
    leans = model.shift > 0.0
    gradient, missed = np.zeros(2 * size), np.empty((count + 1, 2))
    rows = 0
    for i in range(count + 1):
        if i < count:
            rows += edges.counts[first + i] + (2 if leans else 0)
        for axis in (0, 1):
            free = model.free[i, 0] * state[0, axis] + model.free[i, 1] * state[1, axis]
            free += model.free[i, 2] * state[2, axis]
            if i < count:
                free -= model.shift * state[2, 2 + axis]
            missed[i, axis] = free
            miss = free - (
                wanted.pivots[first + i, axis] if i < count else wanted.divergent[first + i - 1, axis]
            )
            for j in range(size):
                gradient[axis * size + j] += model.forced[i, j] * miss
    matrix, lower, upper = np.zeros((rows, 2 * size)), np.empty(rows), np.full(rows, np.inf)
    row = 0
    for i in range(count):
        for edge in range(edges.counts[first + i]):
            x, y = edges.normals[first + i, edge, 0], edges.normals[first + i, edge, 1]
            matrix[row, :size] = x * model.forced[i]
            matrix[row, size:] = y * model.forced[i]
            lower[row] = edges.offsets[first + i, edge] - x * missed[i, 0] - y * missed[i, 1]
            row += 1
        if leans:
            for axis in (0, 1):
                angle = (
                    model.angle_free[i, 0] * state[0, 2 + axis] + model.angle_free[i, 1] * state[1, 2 + axis]
                )
                angle += model.angle_free[i, 2] * state[2, 2 + axis]
                start = axis * size + count
                matrix[row, start : start + count] = model.angle_forced[i]
                lower[row], upper[row] = -largest - angle, largest - angle
                for j in range(count):
                    gradient[start + j] += _ANGLE * model.angle_forced[i, j] * angle
                row += 1
    found = minimise(model.factor, gradient, RowLimits(matrix, lower, upper), _TOLERANCE)
    return found.x if found.status == SOLVED else -((model.factor @ gradient) @ model.factor)


@routine
def control_cart(model: Prediction, start: Array, wanted: Wanted, edges: Edges, largest: float) -> Array:
    """States (K, 3, 4) of centre of mass and flywheel, both x and y, along what is wanted (K + N, 2), from a state
    (3, 4)."""
    horizon, size, period = len(model.angle_free), model.forced.shape[1], model.period
    count = len(wanted.pivots) - horizon
    states, state = np.empty((count, 3, 4)), start.copy()
    for k in range(count):
        states[k] = state
        inputs = control_horizon(model, state, wanted, edges, k + 1, largest)
        for axis in (0, 1, 2, 3):
            jerk = 0.0
            if axis < 2:
                jerk = inputs[axis * size]
            elif model.shift > 0.0:
                jerk = inputs[(axis - 2) * size + horizon]
            c, v, a = state[0, axis], state[1, axis], state[2, axis]
            state[0, axis] = c + period * v + period**2 / 2 * a + period**3 / 6 * jerk
            state[1, axis] = v + period * a + period**2 / 2 * jerk
            state[2, axis] = a + period * jerk
    return states


def plan_predictive(problem: BalanceProblem) -> CentreMotion:
    """The linear inverted pendulum by model predictive control."""
    times, states = _controlled(problem, 0.0)
    return pendulum_motion(problem, times, brought_to_rest(problem, times, states[:, :, :2]))


def plan_flywheel(problem: BalanceProblem) -> CentreMotion:
    """The same with a flywheel, whose inertia is that of the torso: it leans a little to keep the zero-moment point
    where it shall be."""
    model = problem.model
    inertia = flywheel_inertia(problem)
    times, states = _controlled(problem, inertia / (model.mass * model.gravity))
    motion = brought_to_rest(problem, times, states[:, :, :2])
    swing = states[:, :, 2:]
    swing = swing + ending(problem, times, -swing[:, -1])
    pivots = motion[0] - motion[2] / problem.omega**2 - inertia / (model.mass * model.gravity) * swing[2]
    # The first angle shifts points along x: it is a rotation about y. The second, along y, is one about -x.
    lean = np.stack([-swing[:, :, 1], swing[:, :, 0]], axis=2)
    torque = np.concatenate([inertia * lean[2], np.zeros((len(times), 1))], axis=1)
    zmp = joined(times, problem.hands(times).points(pivots))
    return CentreMotion(through(times, motion), zmp, joined(times, torque), through(times, lean))


def flywheel_inertia(problem: BalanceProblem) -> float:
    """Of the flywheel about a level axis, kg m2: the mean of the torso's."""
    return float(np.trace(problem.model.torso_inertia[:2, :2])) / 2.0


def _controlled(problem: BalanceProblem, shift: float) -> tuple[Array, Array]:
    """Times (k,) and states (3, k, 4) of a walk, the last where it ends."""
    model = prediction(problem.model.com_height / problem.model.gravity, PERIOD, shift)
    count = max(int(np.ceil((problem.end - problem.begin) / PERIOD - 1e-6)), 1)
    times = problem.begin + PERIOD * np.arange(count + HORIZON + 1.0)
    seen = np.minimum(times, problem.end)
    course = wanted_pivots(problem)
    wanted = Wanted(course(seen), divergent_of(course, problem.ends[1][0], problem.omega, seen))
    start = np.zeros((3, 4))
    start[:, :2] = problem.ends[0]
    if problem.lean is not None and shift > 0.0:
        start[:, 2], start[:, 3] = problem.lean[:, 1], -problem.lean[:, 0]
    states = control_cart(model, start, wanted, edges_at(problem, seen), LARGEST_LEAN)
    course = through(
        times[: count + 1].copy(), np.moveaxis(states[: count + 1], 1, 0)
    )  # jerks are constant: exact
    at = np.append(times[:count], problem.end)
    if at[-1] - at[-2] < 0.1 * PERIOD and count > 1:
        at = np.delete(at, -2)
    motion = course.sample(np.minimum(at, np.nextafter(course.end, -np.inf)))
    return at, np.ascontiguousarray(motion)
